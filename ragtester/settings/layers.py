"""The tables of the evaluation layers: claims, output audit, adversarial retrieval, drift, and the gate over them."""

from __future__ import annotations

import re
from typing import Literal, get_args
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from ragtester.records import CLOSED_BOOK_SUFFIX, STRESSORS, Layer, StressorKind
from ragtester.settings.models import SECRET
from ragtester.settings.table import Table

TARGET_KINDS = ("python", "langchain", "http", "https", "chat")
Share = Field(default=None, ge=0, le=1)


class ClaimsAuditSettings(Table):
    """`[audit_claims]`: the audit of what answers claim. `model` empty: the judge's."""

    model: str = ""
    retry_failed: bool = False


class CoverageAuditSettings(Table):
    """`[audit_coverage]`: the audit of what answers leave out. `model` empty: that of the claims audit.

    With `prefilter` a claim is checked only against chunks that share its subject words.
    """

    model: str = ""
    prefilter: bool = True
    retry_failed: bool = False


class AdversarialSettings(Table):
    """`[adversarial]`: fixtures that are asked. "starter" ships with ragtester; others are folders of the workspace.

    The rest is for fixtures that are generated from the suite: `kinds` of them, `per_document` cases of each document
    a kind, by `model` where a question has to be written (`attempts` a case). Documents longer than
    `document_characters` are cut to their head and what stands around the evidence.
    """

    fixtures: tuple[str, ...] = Field(default=("starter",), min_length=1)
    model: str = "embedded:rules"
    kinds: tuple[StressorKind, ...] = Field(default=STRESSORS, min_length=1)
    per_document: int = Field(default=2, ge=1)
    attempts: int = Field(default=3, ge=1)
    document_characters: int = Field(default=12_000, ge=2000)


class DriftSettings(Table):
    """`[drift]`: how much worse a later run may be, in shares (0.05 is five points); left out: not looked at.

    `pass_rate`, `recall`, `coverage` and `mentioned` may fall by so much, the others rise. `latency` and `cost` are
    relative: 0.2 is a fifth more.
    """

    unsupported: float | None = Field(default=0.05, ge=0, le=1)
    contradicted: float | None = Field(default=0.02, ge=0, le=1)
    pass_rate: float | None = Share
    recall: float | None = Share
    coverage: float | None = Share
    mentioned: float | None = Share
    latency: float | None = Field(default=None, ge=0)
    cost: float | None = Field(default=None, ge=0)


GATE_LIMITS: dict[str, Layer] = {
    "min_pass_rate": "run",
    "max_unsupported": "claims",
    "max_contradicted": "claims",
    "max_poison": "adversarial",
    "min_adversarial_recall": "adversarial",
    "min_recall": "retrieval",
    "min_coverage": "coverage",
    "min_supported_coverage": "coverage",
    "max_silent": "coverage",
    "max_hiding": "coverage",
}
"""Limits of a gate, and the layer whose figures each holds for."""


class GateSettings(Table):
    """`[gates.NAME]`: which layers decide, within which limits, against which earlier run.

    Limits that are left out do not decide; those of drift stand in `[drift]`, unless `drift` is given here. `run` is
    that of `[execute]` where it is empty. `max_ungraded` is the share of a layer's rows that may be ungraded or failed.
    A limit holds for each system of the run by itself.
    """

    layers: tuple[Layer, ...] = Field(default=("claims", "adversarial", "coverage"), min_length=1)
    run: str = ""
    baseline: str = ""
    pinned_judge: bool = False
    max_ungraded: float = Field(default=0.05, ge=0, le=1)
    min_pass_rate: float | None = Share
    max_unsupported: float | None = Share
    max_contradicted: float | None = Share
    max_poison: float | None = Share
    min_adversarial_recall: float | None = Share
    min_recall: float | None = Share
    min_coverage: float | None = Share
    min_supported_coverage: float | None = Share
    max_silent: float | None = Share
    max_hiding: float | None = Share
    drift: DriftSettings | None = None

    @field_validator("layers")
    @classmethod
    def _once(cls, value: tuple[Layer, ...]) -> tuple[Layer, ...]:
        order: tuple[Layer, ...] = get_args(Layer)
        return tuple(layer for layer in order if layer in value)

    @field_validator("run", "baseline")
    @classmethod
    def _is_no_control(cls, value: str) -> str:
        if value.endswith(CLOSED_BOOK_SUFFIX):
            raise ValueError(f"{CLOSED_BOOK_SUFFIX!r} ends the name of a run's control, which no gate decides on")
        return value

    @model_validator(mode="after")
    def _limits_have_layers(self) -> GateSettings:
        """A limit that nothing is measured for would be no limit."""
        for name, layer in GATE_LIMITS.items():
            if layer != "run" and layer not in self.layers and getattr(self, name) is not None:
                raise ValueError(f"{name} is a limit of the layer {layer!r}, which is not among the layers; add it")
        if self.drift is not None and "drift" not in self.layers:
            raise ValueError("drift has limits, and the layer 'drift' is not among the layers; add it")
        return self


class TargetSettings(Table):
    """`[target]`: a system under test that is not ours, in the place of the matrix of `[[execute.groups]]`.

    `name` is "python:MODULE:FUNCTION", "langchain:MODULE:OBJECT", "http:URL" or "chat:URL" (an OpenAI-compatible chat
    endpoint); empty: none. `model` is what it is called in rows and reports; empty: `name`. `request` is the body of an
    HTTP request (of "GET": its query parameters) as JSON, in which `{{question}}`, `{{tags}}` and `{{language}}` are
    filled in as JSON values; empty: question and tags. `headers` maps a header to the environment variable that holds
    its value. `input` is the key under which a LangChain runnable gets the question; empty: as it is.

    `answer`, `refuses`, `cited`, `left_out`, `chunks` and `about` are JMESPath expressions into the reply, those that
    begin with `chunk_` into one of its chunks; empty: the usual names of that kind of target. `watch` maps a name
    (prompt, index, …) to files whose hashes go into the manifest, so that drift can tell what changed. `match` is how
    alike (0 to 100) a returned text and the text of a document must be to be taken for the same.
    """

    name: str = ""
    model: str = ""
    method: Literal["POST", "GET"] = "POST"
    request: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    input: str = ""
    answer: str = ""
    refuses: str = ""
    cited: str = ""
    left_out: str = ""
    chunks: str = ""
    about: str = ""
    chunk_id: str = ""
    chunk_text: str = ""
    chunk_score: str = ""
    chunk_document: str = ""
    max_reply_mb: float = Field(default=8.0, gt=0)
    watch: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    match: float = Field(default=80.0, gt=0, le=100)

    @property
    def label(self) -> str:
        """What stands for the language model in rows."""
        return self.model or self.name

    @property
    def kind(self) -> str:
        """One of "python", "langchain", "http" and "chat"."""
        kind = self.name.partition(":")[0]
        return "http" if kind == "https" else kind

    @property
    def address(self) -> str:
        """The URL of one that is asked over HTTP. "http:" may stand before it, or be its own."""
        kind, _, rest = self.name.partition(":")
        return self.name if rest.startswith("//") and kind != "chat" else rest

    @field_validator("headers")
    @classmethod
    def _variables(cls, value: dict[str, str]) -> dict[str, str]:
        """Keys never stand in settings: a header names the variable that holds its value."""
        for header, variable in value.items():
            if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", header):
                raise ValueError(f"{header!r} is no name of an HTTP header")
            if not re.fullmatch(r"[A-Za-z_]\w*", variable, re.ASCII):
                raise ValueError(f"{header}: write the name of the environment variable that holds the value")
        return value

    @field_validator("name")
    @classmethod
    def _of_a_known_kind(cls, value: str) -> str:
        kind, _, rest = value.partition(":")
        if value and (kind not in TARGET_KINDS or not rest):
            forms = '"python:MODULE:FUNCTION", "langchain:MODULE:OBJECT", "http:URL" or "chat:URL"'
            raise ValueError(f"{value!r} is no target; write {forms}")
        return value

    @field_validator("request")
    @classmethod
    def _without_keys(cls, value: str) -> str:
        """It is written into manifests."""
        if any(SECRET.search(name) for name in re.findall(r'"([^"]*)"\s*:', value)):
            raise ValueError("request holds a key or password; send it in a header, from an environment variable")
        return value

    @model_validator(mode="after")
    def _at_an_address(self) -> TargetSettings:
        """The name is written into rows and reports, where no key may land."""
        if not self.name or self.kind not in ("http", "chat"):
            return self
        try:
            parts = urlsplit(self.address)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port)
        except ValueError:
            usable = False
        if not usable:
            raise ValueError(f"{self.name!r}: a URL is wanted, as in {self.kind}:http://127.0.0.1:8000/ask")
        if "@" in parts.netloc or SECRET.search(parts.query):
            raise ValueError("name holds a key or password; headers name the environment variable that holds it")
        return self

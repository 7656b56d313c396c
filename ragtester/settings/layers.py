"""The tables of the evaluation layers: claims, output audit, adversarial retrieval, drift, and the gate over them."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field, field_validator

from ragtester.records import Layer
from ragtester.settings.table import Table

Share = Field(default=None, ge=0, le=1)


class ClaimsAuditSettings(Table):
    """`[audit_claims]`: the audit of what answers claim. `model` empty: the judge's."""

    model: str = ""
    retry_failed: bool = False


class CoverageAuditSettings(Table):
    """`[audit_coverage]`: the audit of what answers leave out. `model` empty: that of the claims audit."""

    model: str = ""
    retry_failed: bool = False


class AdversarialSettings(Table):
    """`[adversarial]`: fixtures that are asked. "starter" ships with ragtester; others are folders of the workspace."""

    fixtures: tuple[str, ...] = Field(default=("starter",), min_length=1)


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


class GateSettings(Table):
    """`[gates.NAME]`: which layers decide, within which limits, against which earlier run.

    Limits that are left out do not decide; those of drift stand in `[drift]`, unless `drift` is given here. `run` is
    that of `[execute]` where it is empty. `max_ungraded` is the share of a layer's rows that may be ungraded or failed.
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
    max_silent: float | None = Share
    max_hiding: float | None = Share
    drift: DriftSettings | None = None

    @field_validator("layers")
    @classmethod
    def _once(cls, value: tuple[Layer, ...]) -> tuple[Layer, ...]:
        order: tuple[Layer, ...] = get_args(Layer)
        return tuple(layer for layer in order if layer in value)


class TargetSettings(Table):
    """`[target]`: a system under test that is not ours, in the place of the matrix of `[[execute.groups]]`.

    `name` is "python:MODULE:FUNCTION", "langchain:MODULE:OBJECT", "http:URL" or "chat:URL" (an OpenAI-compatible chat
    endpoint); empty: none. `request` is the body of an HTTP request, in which `{{question}}` and `{{tags}}` are filled
    in as JSON; `answer`, `refuses`, `chunks` and those below a chunk are paths into the reply (`data.answer`,
    `hits[*]`). `headers` maps a header to the environment variable that holds its value. `watch` maps a name (prompt,
    index, …) to files whose hashes go into the manifest, so that drift can tell what changed.
    """

    name: str = ""
    model: str = ""
    method: Literal["POST", "GET"] = "POST"
    request: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    answer: str = "answer"
    refuses: str = ""
    cited: str = ""
    chunks: str = "chunks"
    chunk_id: str = "id"
    chunk_text: str = "text"
    chunk_score: str = "score"
    chunk_document: str = "document"
    watch: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    match: float = Field(default=80.0, gt=0, le=100)

"""The tables of the stages and audits, and of what they share."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, field_validator, model_validator

from ragtester import access
from ragtester.settings.nearest import did_you_mean
from ragtester.settings.table import Table
from ragtester.text.globs import matches

PROFILES = ("plain", "two_columns", "running_headers", "tables", "figures", "small_print", "appendix")


class WorkspaceSettings(Table):
    """`[workspace]`: what the whole workspace shares."""

    seed: int = Field(default=7, ge=0)
    corpus: str = "corpora"
    suite: str = "main"
    language: str = "auto"


class DocumentsSettings(Table):
    """`[documents]`: what is written (D_gen)."""

    count: int = Field(default=0, ge=0)
    model: str = "embedded:rules"
    folder: str = "corpora/generated"
    language: str = "English"
    length: str = "about 1500 words"
    detail: str = "comprehensive"
    tone: str = "formal"
    structure: str = "numbered headings"
    content: str = ""
    formatting: str = ""
    topics: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    profiles: tuple[str, ...] = PROFILES

    @field_validator("profiles")
    @classmethod
    def _known(cls, profiles: tuple[str, ...]) -> tuple[str, ...]:
        for profile in profiles:
            for name in profile.split("+"):
                if name.strip() not in PROFILES:
                    hint = did_you_mean(name.strip(), PROFILES) or f"; known: {', '.join(PROFILES)}"
                    raise ValueError(f"unknown layout profile {name.strip()!r}{hint}")
        return profiles


class ReadingSettings(Table):
    """`[reading]`: how files become text."""

    reader: Literal["pdfium", "pypdf"] = "pdfium"
    timeout_seconds: float = Field(default=60.0, gt=0)
    workers: int = Field(default=0, ge=0)
    memory_mb: int = Field(default=4096, ge=256)
    compare_pages: int = Field(default=0, ge=0)
    max_section_tokens: int = Field(default=1000, ge=50)


class SharesSettings(Table):
    """`[cases.shares]`: the shares of the case types; they are normalised to 1."""

    complexity: float = Field(default=0.4, ge=0)
    rejection: float = Field(default=0.3, ge=0)
    coverage: float = Field(default=0.3, ge=0)

    @model_validator(mode="after")
    def _some(self) -> SharesSettings:
        if self.complexity + self.rejection + self.coverage <= 0:
            raise ValueError("at least one share must be above 0")
        return self


class CasesSettings(Table):
    """`[cases]`: how many cases a document, of which kinds, by which model."""

    technique: Literal["ragtester", "baseline", "all"] = "all"
    model: str = "embedded:rules"
    check_model: str = ""
    per_document: int = Field(default=10, ge=1)
    shares: SharesSettings = SharesSettings()
    invented_share: float = Field(default=0.5, ge=0, le=1)
    multi_share: float = Field(default=0.34, ge=0, le=1)
    sections_per_question: int = Field(default=2, ge=2, le=6)
    attempts: int = Field(default=3, ge=1)
    candidates: int = Field(default=3, ge=1)
    max_lexical_overlap: float = Field(default=0.8, gt=0, le=1)
    near_duplicate: float = Field(default=90.0, gt=0, le=100)


class JudgeSettings(Table):
    """`[judge]`: the oracle."""

    model: str = "embedded:judge"
    pass_mean: float = Field(default=0.5, ge=0, le=1)
    repeats: int = Field(default=1, ge=1)
    retry_failed: bool = False

    @field_validator("repeats")
    @classmethod
    def _odd(cls, value: int) -> int:
        if value % 2 == 0:
            raise ValueError("an even number has no majority; use an odd one")
        return value


class AuditSettings(Table):
    """`[audit]`: the panel that votes on the oracle's verdicts, and how many of them it sees."""

    panel: tuple[str, ...] = Field(
        default=("embedded:vote-rules", "embedded:vote-words", "embedded:vote-values", "embedded:vote-vectors"),
        min_length=1,
    )
    min_votes: int = Field(default=2, ge=1)
    confidence: float = Field(default=0.95, gt=0, lt=1)
    margin: float = Field(default=0.05, gt=0, lt=1)
    include_passes: bool = False
    retry_failed: bool = False

    @model_validator(mode="after")
    def _can_decide(self) -> AuditSettings:
        if len(set(self.panel)) < len(self.panel):
            raise ValueError("panel names a model twice; each member has one vote")
        if self.min_votes > len(self.panel):
            raise ValueError(f"min_votes is {self.min_votes}, and the panel has {len(self.panel)} member(s); lower it")
        return self


class RetrievalAuditSettings(Table):
    """`[audit_retrieval]`: the audit of what was retrieved."""

    claims_model: str = ""
    curve: tuple[int, ...] = (1, 2, 3, 4, 5, 8, 10, 20)
    near_duplicate: float = Field(default=90.0, gt=0, le=100)
    parse_similarity: float = Field(default=80.0, gt=0, le=100)

    @field_validator("curve")
    @classmethod
    def _rising(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if not value or any(k < 1 for k in value):
            raise ValueError("curve names the K to measure at, each at least 1")
        return tuple(sorted(set(value)))


class AccessRule(Table):
    """`[[access.documents]]`: tags of the files that a pattern of paths names."""

    path: str = Field(min_length=1)
    tags: tuple[str, ...] = Field(min_length=1)

    @field_validator("path")
    @classmethod
    def _a_pattern(cls, value: str) -> str:
        try:
            matches("", value)
        except re.error as error:
            raise ValueError(f"not a pattern of paths: {error}") from error
        return value

    @field_validator("tags")
    @classmethod
    def _tags(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return access.tags(value)


class AccessSettings(Table):
    """`[access]`: who may see which document.

    A generated case's user has the tags of its document, or `user_tags` where they are set.
    """

    documents: tuple[AccessRule, ...] = ()
    user_tags: tuple[str, ...] | None = None

    @field_validator("user_tags")
    @classmethod
    def _tags(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if value is None else access.tags(value)


class LimitsSettings(Table):
    """`[limits]`: where a run stops by itself. 0 means no limit."""

    max_cost: float = Field(default=0.0, ge=0)
    max_calls: int = Field(default=0, ge=0)

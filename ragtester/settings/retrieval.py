"""The tables of the retrieval path: how text is cut and stored, and what a query goes through."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator, model_validator

from ragtester.settings.nearest import did_you_mean
from ragtester.settings.table import Table

ArmKind = Literal["dense", "bm25"]
Unit = Literal["characters", "tokens"]
# What a document can be filtered by, besides its tags.
FILTERS = ("id", "path", "source", "format", "language", "tag")


class IndexSettings(Table):
    """`[execute.index]`: how text is chunked and which stores a question sees."""

    scope: Literal["document", "corpus"] = "document"
    chunker: Literal["recursive", "paragraph", "markdown", "sentence-window"] = "recursive"
    unit: Unit = "characters"
    chunk_size: int = Field(default=1000, ge=50)
    chunk_overlap: int = Field(default=150, ge=0)
    window: int = Field(default=1, ge=0)
    keep_whole: tuple[Literal["table", "code"], ...] = ()
    strip_repeated: bool = False
    near_duplicate: float = Field(default=0.0, ge=0, le=100)


class ArmSettings(Table):
    """`[[execute.retrieval.arms]]`: one search; `"bm25"` alone is short for `{kind = "bm25"}`.

    `fetch_k` 0 stands for k, or for five times as many where something chooses among them (`RetrievalSettings.depth`).
    `floor` drops hits with a lower score within this arm, before fusion.
    """

    kind: ArmKind = "dense"
    fetch_k: int = Field(default=0, ge=0)
    floor: float | None = None
    weight: float = Field(default=1.0, gt=0)

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: object) -> object:
        return {"kind": value} if isinstance(value, str) else value


class RetrievalSettings(Table):
    """`[execute.retrieval]`: what a query goes through; the default is the paper's plain dense top-k."""

    arms: tuple[ArmSettings, ...] = Field(default=(ArmSettings(),), min_length=1)
    rrf_constant: int = Field(default=60, ge=1)
    filters: dict[str, str | tuple[str, ...]] = Field(default_factory=dict)
    filter_mode: Literal["pre", "post"] = "pre"
    rewrite: str = ""
    rerank: str = ""
    rerank_k: int = Field(default=0, ge=0)
    budget: int = Field(default=0, ge=0)
    budget_unit: Unit = "characters"
    order: Literal["rank", "reverse", "document", "shuffle"] = "rank"

    @property
    def dense(self) -> bool:
        """Whether an embedding model is asked at all."""
        return any(arm.kind == "dense" for arm in self.arms)

    @property
    def goes_on(self) -> bool:
        """Whether a deeper search gives the same list and more: one arm, not reranked, not filtered afterwards."""
        return len(self.arms) == 1 and not self.rerank and self.filter_mode == "pre"

    def depth(self, arm: ArmSettings, k: int) -> int:
        """How many hits an arm fetches: its `fetch_k`, or by default k, and 5 × k where they are fused or reranked."""
        chosen_among = len(self.arms) > 1 or bool(self.rerank)
        return arm.fetch_k or (5 * k if chosen_among else k)

    def reranked(self, k: int) -> int:
        """How many of the fused hits the reranker sees: `rerank_k`, or by default 5 × k; never fewer than k."""
        return max(k, self.rerank_k or 5 * k)

    @field_validator("filters")
    @classmethod
    def _known(cls, value: dict[str, str | tuple[str, ...]]) -> dict[str, str | tuple[str, ...]]:
        for name in value:
            if name not in FILTERS:
                hint = did_you_mean(name, FILTERS) or f"; known: {', '.join(FILTERS)}"
                raise ValueError(f"unknown filter {name!r}{hint}")
        return value

    @model_validator(mode="after")
    def _usable(self) -> RetrievalSettings:
        kinds = [arm.kind for arm in self.arms]
        if len(set(kinds)) < len(kinds):
            raise ValueError("arms names a kind twice; each arm is another kind of search")
        return self

"""One line of a file of traces: its fields, and what makes it sound.

The fields are those that an audit of any RAG system asks for. Ours add what the metrics need besides: `gold_grades`,
`hidden_gold_ids`, `dropped`, `filter_mode`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from ragtester.records import Dropped

NEEDED = (
    *("query_id", "query_text", "user_acl", "index_revision", "embedding_model", "k_final", "query_rewrite"),
    *("filters_applied", "arms", "fused", "after_rerank", "final_context_ids", "final_context_chars", "gold_ids"),
    "notes",
)


def _number(value: Any) -> Any:
    if isinstance(value, bool | str):
        raise ValueError(f"a number is wanted, not {'a text' if isinstance(value, str) else 'true or false'}")
    return value


def _as_text(value: Any) -> Any:
    """A filter's value may be a number or true: compared as it is written."""
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    return [_as_text(one) for one in value] if isinstance(value, list) else value


Name = Annotated[str, Field(min_length=1, strict=True)]
Count = Annotated[int, BeforeValidator(_number), Field(ge=0)]
Rank = Annotated[int, BeforeValidator(_number), Field(ge=1)]
Number = Annotated[float, BeforeValidator(_number)]
FilterValue = Annotated[str | tuple[str, ...] | None, BeforeValidator(_as_text)]


class _Line(BaseModel):
    """Unknown fields are let through: a system may log more than the audit reads."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class ArmHit(_Line):
    """One hit of an arm."""

    id: Name
    rank: Rank
    score: Number = 0.0


class FusedHit(_Line):
    """One hit of the fused list."""

    id: Name
    rank: Rank
    rrf: Number | None = None
    sources: tuple[str, ...] = ()


class RerankedHit(_Line):
    """One hit after the rerank."""

    id: Name
    rank: Rank
    score: Number = 0.0


class TraceLine(_Line):
    """One line of a file of traces."""

    query_id: Name
    query_text: Annotated[str, Field(strict=True)]
    user_acl: tuple[str, ...]
    index_revision: str | None
    embedding_model: str | None
    k_final: Rank
    query_rewrite: str | None
    filters_applied: dict[str, FilterValue] | None
    arms: dict[str, tuple[ArmHit, ...]]
    fused: tuple[FusedHit, ...] | None
    after_rerank: tuple[RerankedHit, ...] | None
    final_context_ids: tuple[Name, ...]
    final_context_chars: Count | None
    gold_ids: tuple[Name, ...]
    notes: str | tuple[str, ...] | None
    gold_grades: dict[str, Annotated[int, BeforeValidator(_number), Field(ge=1)]] = Field(default_factory=dict)
    hidden_gold_ids: tuple[Name, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    filter_mode: Literal["pre", "post", ""] = ""

    @model_validator(mode="after")
    def _ranked(self) -> TraceLine:
        lists: dict[str, Sequence[ArmHit | FusedHit | RerankedHit]] = {
            **{f"arms.{arm}": hits for arm, hits in self.arms.items()},
            "fused": self.fused or (),
            "after_rerank": self.after_rerank or (),
        }
        for name, hits in lists.items():
            ids, ranks = tuple(hit.id for hit in hits), [hit.rank for hit in hits]
            if ranks != list(range(1, len(hits) + 1)):
                raise ValueError(f"{name}: ranks are {_first(ranks)}; they must be 1, 2, 3 … without a gap, best first")
            if len(set(ids)) < len(ids):
                raise ValueError(f"{name}: {_twice(ids)} is ranked twice")
        for name, given in (("final_context_ids", self.final_context_ids), ("gold_ids", self.gold_ids)):
            if len(set(given)) < len(given):
                raise ValueError(f"{name}: {_twice(given)} stands twice")
        return self


def _first(ranks: list[int]) -> str:
    return ", ".join(map(str, ranks[:6])) + (", …" if len(ranks) > 6 else "")


def _twice(ids: Sequence[str]) -> str:
    return next(one for one in ids if ids.count(one) > 1)

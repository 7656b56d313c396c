"""Traces of retrieval as JSON Lines, one a query: those of a user's own system come in, those of a run go out.

The fields are those that an audit of any RAG system asks for: query_id, query_text, user_acl, index_revision,
embedding_model, k_final, query_rewrite, filters_applied, arms, fused, after_rerank, final_context_ids,
final_context_chars, gold_ids, notes. Ours add what the metrics need besides: gold_grades, hidden_gold_ids, dropped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from ragtester.errors import DataError
from ragtester.interchange.files import read_text
from ragtester.records import Dropped, Ranked, Retrieved, Trace
from ragtester.stages.retrieval import ForeignTrace
from ragtester.storage import MAX_FAULTS

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


def read_traces(path: Path) -> tuple[tuple[ForeignTrace, ...], tuple[str, ...]]:
    """The traces of a file, and notes on it. Strict: every fault with its line, all at once.

    A pair of query and embedding model stands once. Raises UsageError where there is no such file, DataError for lines
    that are no traces: not JSON, NaN, fields that are missing or of another type, gaps in ranks, ids that stand twice.
    """
    faults: list[str] = []
    found: list[ForeignTrace] = []
    seen: dict[tuple[str, str], int] = {}
    for number, line in _lines(read_text(path), path, faults):
        made = _foreign(line, number)
        place = made.query_id, made.trace.embedding
        if place in seen:
            faults.append(f"{path}:{number}: query {made.query_id} stands already on line {seen[place]}")
            continue
        seen[place] = number
        found.append(made)
    if faults:
        more = [f"{len(faults) - MAX_FAULTS} further faults not listed"] if len(faults) > MAX_FAULTS else []
        raise DataError(f"{path}: {len(faults)} fault(s) in the traces; mend them", [*faults[:MAX_FAULTS], *more])
    if not found:
        raise DataError(f"{path}: no trace in it; one JSON object a line is wanted, with {', '.join(NEEDED)}")
    return tuple(found), tuple(_notes(path, found))


def _lines(text: str, path: Path, faults: list[str]) -> Iterator[tuple[int, TraceLine]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, parse_constant=_refused)
        except (ValueError, RecursionError) as error:
            faults.append(f"{path}:{number}: not valid JSON: {getattr(error, 'msg', None) or error}")
            continue
        missing = [name for name in NEEDED if name not in value] if isinstance(value, dict) else []
        if not isinstance(value, dict) or missing:
            what = f"missing: {', '.join(missing)}" if missing else "not an object"
            faults.append(f"{path}:{number}: {what}")
            continue
        try:
            yield number, TraceLine.model_validate(value)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"] if part not in ("tuple", "str"))
            faults.append(
                f"{path}:{number}: {where + ': ' if where else ''}{first['msg'].removeprefix('Value error, ')}"
            )


def _refused(word: str) -> Any:
    raise ValueError(f"{word} is no number; leave out what is undefined, or write null")


def _foreign(line: TraceLine, number: int) -> ForeignTrace:
    single = next(iter(line.arms), "") if len(line.arms) == 1 else ""
    fused = () if single and not line.fused else line.fused or ()
    found_by = {arm: {hit.id for hit in hits} for arm, hits in line.arms.items()}
    gold = {name: line.gold_grades.get(name, 1) for name in line.gold_ids}
    hidden = {name: line.gold_grades.get(name, 1) for name in line.hidden_gold_ids}
    trace = Trace(
        query=line.query_text,
        user_tags=line.user_acl,
        index=line.index_revision or "",
        embedding=line.embedding_model or "not told",
        k=line.k_final,
        rewrite=line.query_rewrite,
        filters={name: value for name, value in (line.filters_applied or {}).items() if value is not None},
        filter_mode=line.filter_mode,
        retrieved=tuple(
            Retrieved(id=hit.id, rank=hit.rank, score=hit.score, arm=arm)
            for arm, hits in line.arms.items()
            for hit in hits
        ),
        fused=tuple(
            Ranked(id=hit.id, rank=hit.rank, score=hit.rrf or 0.0, sources=hit.sources or _sources(hit.id, found_by))
            for hit in fused
        ),
        reranked=tuple(
            Ranked(id=hit.id, rank=hit.rank, score=hit.score, sources=_sources(hit.id, found_by))
            for hit in line.after_rerank or ()
        ),
        dropped=line.dropped,
        gold_ids=(*line.gold_ids, *(name for name in line.hidden_gold_ids if name not in gold)),
        hidden_ids=line.hidden_gold_ids,
        context_ids=line.final_context_ids,
        context_characters=line.final_context_chars or 0,
    )
    noted = line.notes if isinstance(line.notes, str) or line.notes is None else "; ".join(line.notes)
    return ForeignTrace(line.query_id, trace, {**hidden, **gold}, number, noted or "")


def _sources(name: str, found_by: dict[str, set[str]]) -> tuple[str, ...]:
    return tuple(arm for arm, ids in found_by.items() if name in ids)


def _notes(path: Path, found: list[ForeignTrace]) -> Iterator[str]:
    without = sum(not one.gold for one in found)
    if without:
        yield f"{path.name}: {without} of {len(found)} trace(s) name no gold: in no metric (--labels gives gold)."
    long = sum(len(one.trace.context_ids) > one.trace.k for one in found)
    if long:
        yield (
            f"{path.name}: {long} trace(s) have more chunks in the final context than k_final says; "
            "metrics are those of the first k_final."
        )
    unlisted = sum(not one.trace.retrieved for one in found)
    if unlisted:
        yield f"{path.name}: {unlisted} trace(s) list no hit of any arm; where gold got lost cannot be told there."

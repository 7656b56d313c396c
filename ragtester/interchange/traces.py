"""Traces of a user's own retrieval, from JSON Lines: read strictly, and told apart from what they leave open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragtester.errors import DataError
from ragtester.interchange.files import read_text, strict_lines
from ragtester.interchange.trace_lines import NEEDED, TraceLine
from ragtester.records import Ranked, Retrieved, Trace
from ragtester.stages.retrieval import ForeignTrace
from ragtester.storage import MAX_FAULTS
from ragtester.tables.cells import counted


def read_traces(path: Path, *, labelled: bool = False) -> tuple[tuple[ForeignTrace, ...], tuple[str, ...]]:
    """The traces of a file, and notes on it. Strict: every fault with its line, all at once.

    `labelled`: a file of labels gives the gold, and says itself which queries stay without.

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
    return tuple(found), tuple(_notes(path, found, labelled))


def _lines(text: str, path: Path, faults: list[str]) -> Iterator[tuple[int, TraceLine]]:
    for number, value, fault in strict_lines(text):
        if wrong := fault or _unfit(value):
            faults.append(f"{path}:{number}: {wrong}")
            continue
        try:
            yield number, TraceLine.model_validate(value)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"] if part not in ("tuple", "str"))
            faults.append(
                f"{path}:{number}: {where + ': ' if where else ''}{first['msg'].removeprefix('Value error, ')}"
            )


def _unfit(value: Any) -> str:
    """What is wrong with a line before its fields are looked at; empty where nothing is."""
    if not isinstance(value, dict):
        return "not an object"
    if missing := [name for name in NEEDED if name not in value]:
        return f"missing: {', '.join(missing)}"
    return ""


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
    return ForeignTrace(line.query_id, trace, {**hidden, **gold}, number, noted or "", tuple(line.arms))


def _sources(name: str, found_by: dict[str, set[str]]) -> tuple[str, ...]:
    return tuple(arm for arm, ids in found_by.items() if name in ids)


def _notes(path: Path, found: list[ForeignTrace], labelled: bool) -> Iterator[str]:
    without = 0 if labelled else sum(not one.gold for one in found)
    if without:
        told = f"{counted(without, 'trace')} of {len(found)}"
        yield f"{path.name}: without gold, and so in no metric: {told} (--labels gives gold)."
    long = sum(len(one.trace.context_ids) > one.trace.k for one in found)
    if long:
        yield (
            f"{path.name}: with more chunks in the final context than k_final says: "
            f"{counted(long, 'trace')}; metrics are those of the first k_final."
        )
    unlisted = sum(not one.trace.retrieved for one in found)
    if unlisted:
        told = counted(unlisted, "trace")
        yield f"{path.name}: without a hit of any arm: {told}; where gold got lost cannot be told there."

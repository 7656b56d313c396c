"""The figures in sentences: is it the search, the order, or the answers? Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ragtester.records import NOT_RETRIEVAL, AuditedQuery, RetrievalFigures
from ragtester.statistics import format_rate, wilson

HALF = 0.5


def readings(overall: Sequence[RetrievalFigures], rows: Sequence[AuditedQuery]) -> tuple[str, ...]:
    """What each embedding model's figures say, one text each."""
    return tuple(
        " ".join(_of(one, [row for row in rows if row.embedding == one.embedding])) for one in overall if one.queries
    )


def _of(one: RetrievalFigures, rows: Sequence[AuditedQuery]) -> Iterator[str]:
    measured = [row for row in rows if row.status == "measured"]
    missed = [row for row in measured if row.missed]
    whole = len(measured) - len(missed)
    share = format_rate(whole, len(measured))
    yield f"{one.embedding}: the evidence reached the model whole in {share} of the queries."
    if missed:
        yield from _missed(missed)
    yield from _answers(measured)


def _missed(missed: Sequence[AuditedQuery]) -> Iterator[str]:
    """Found somewhere and lost on the way is a matter of ranking; found nowhere is one of the index."""
    found = sum(all(_was_candidate(row, at) for at in range(len(row.gold))) and bool(row.gold) for row in missed)
    nowhere = len(missed) - found
    if found > nowhere:
        yield (
            f"{found} of {len(missed)} missed had all their gold among the candidates: look at ranking, K and packing."
        )
    else:
        yield (
            f"{nowhere} of {len(missed)} missed had gold that no arm found or that no chunk holds: look at chunking, "
            "the embedding model, the index and fetch_k."
        )
    common = Counter(row.diagnosis.stage for row in missed if row.diagnosis).most_common(1)
    if common:
        yield f"Most of these were lost at {common[0][0]} ({common[0][1]})."


def _was_candidate(row: AuditedQuery, at: int) -> bool:
    gold = row.gold[at]
    return gold.fused is not None or any(rank is not None for rank in gold.arms.values())


def _answers(measured: Sequence[AuditedQuery]) -> Iterator[str]:
    """Where the wrong answers come from."""
    failed = sum(len(row.failed) for row in measured)
    if not failed:
        if not any(row.passed for row in measured):
            yield "No verdict says which answers were wrong."
        return
    lacking = sum(len(row.failed) for row in measured if row.missed)
    aside = sum(
        len(row.failed) for row in measured if row.missed and row.diagnosis and row.diagnosis.stage in NOT_RETRIEVAL
    )
    wrong = failed - lacking
    yield (
        f"Of {failed} wrong answers to them, {format_rate(lacking, failed)} lacked evidence and {wrong} had all of it "
        "in the context."
    )
    if aside:
        yield f"{aside} of those that lacked it are put down to labels or generation all the same."
    ends = wilson(lacking, failed)
    if ends is None or ends.low <= HALF <= ends.high:
        yield "Neither the search nor generation clearly causes most of them."
    elif ends.high < HALF:
        yield "Most of what goes wrong is generation or packing, not the search."
    else:
        yield "The search comes first: a better prompt cannot answer from what is not there."

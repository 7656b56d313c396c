"""Rates and means over the rows of an output audit. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from ragtester.records import AnswerCoverage, CoverageGroup, HiddenChunk, MeanValue, Proportion
from ragtester.stages.means import mean_record
from ragtester.stages.proportions import proportion
from ragtester.statistics import mean

Rows = Sequence[AnswerCoverage]
NO_DOCUMENT = "-"
"""Stands for the document of a question that another agent was asked."""
SHOWN_CHUNKS = 200
"""Hidden chunks that the result lists: those that most answers hide."""


def measured(rows: Iterable[AnswerCoverage]) -> list[AnswerCoverage]:
    """Rows that count in rates and means."""
    return [row for row in rows if row.status == "measured"]


def mean_of(rows: Rows, value: Callable[[AnswerCoverage], float | None], seed: int) -> MeanValue:
    """Mean with its interval over documents, or over answers where all are of one (or of none)."""
    return mean_record(mean([value(row) for row in rows], [row.document_id for row in rows], seed))


def rate(rows: Rows, holds: Callable[[AnswerCoverage], bool | None]) -> Proportion:
    """Share of the rows for which it holds; those for which it is None stay out."""
    found = [known for row in rows if (known := holds(row)) is not None]
    return proportion(sum(found), len(found))


def is_silent(row: AnswerCoverage) -> bool | None:
    """Whether a result was left out and nobody said why."""
    return None if row.coverage is None else bool(row.silent_ids)


def silent_share(row: AnswerCoverage) -> float | None:
    """Share of the results that were left out in silence."""
    return None if row.coverage is None else len(row.silent_ids) / len(row.raw_ids)


def is_hiding(row: AnswerCoverage) -> bool | None:
    """Whether it does not mention a retrieved chunk that contradicts it."""
    return None if row.claims is None else bool(row.hidden)


def is_hiding_in_context(row: AnswerCoverage) -> bool | None:
    """The same of chunks that the model had before it."""
    if row.claims is None or row.context_ids is None:
        return None
    return any(one.in_context for one in row.hidden)


def is_faithful_and_hiding(row: AnswerCoverage) -> bool | None:
    """Of answers whose every claim is supported: whether they hide a contradiction."""
    return is_hiding(row) if row.faithful else None


def is_padded(row: AnswerCoverage) -> bool | None:
    """Whether it cites a result that supports no claim."""
    return None if row.supporting_ids is None else bool(row.padded_ids)


def mentioned(rows: Rows) -> Proportion:
    """Share of the contradictions that are mentioned."""
    found = [one.mentioned for row in rows for one in row.contradictions]
    return proportion(sum(found), len(found))


def group(name: str, rows: Rows, seed: int) -> CoverageGroup:
    """The figures of one group of measured answers."""
    return CoverageGroup(
        name=name,
        answers=len(rows),
        coverage=mean_of(rows, lambda row: row.coverage, seed),
        supported_coverage=mean_of(rows, lambda row: row.supported_coverage, seed),
        silent=rate(rows, is_silent),
        hiding=rate(rows, is_hiding),
        padded=rate(rows, is_padded),
        mentioned=mentioned(rows),
    )


def groups(rows: Rows, name_of: Callable[[AnswerCoverage], str], seed: int) -> tuple[CoverageGroup, ...]:
    """Figures of each group; the one with most answers that hide something first."""
    members: dict[str, list[AnswerCoverage]] = {}
    for row in rows:
        members.setdefault(name_of(row), []).append(row)
    found = [group(name, own, seed) for name, own in sorted(members.items())]
    return tuple(sorted(found, key=lambda one: -one.hiding.successes))


def hidden_chunks(rows: Rows) -> tuple[HiddenChunk, ...]:
    """Chunks that contradict answers which do not mention it; those that most answers hide first."""
    counts: Counter[str] = Counter()
    first: dict[str, tuple[str, str]] = {}
    for row in rows:
        for one in {hidden.chunk_id: hidden for hidden in reversed(row.hidden)}.values():
            counts[one.chunk_id] += 1
            first.setdefault(one.chunk_id, (one.claim, one.reason))
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:SHOWN_CHUNKS]
    return tuple(
        HiddenChunk(chunk_id=name, answers=count, claim=first[name][0], reason=first[name][1])
        for name, count in ordered
    )

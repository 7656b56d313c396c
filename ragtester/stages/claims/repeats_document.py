"""What repeats of a run found, as sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragtester.records import FirstChunk, FirstKindCounts, RepeatedAnswer, RepeatsResult, StateCounts
from ragtester.stages.proportions import rate_cell, rate_text
from ragtester.tables import Cell, Document, Paragraph, Section, Table
from ragtester.tables.cells import counted

SHOWN = 20
"""Answers that are shown; repeats.json lists all."""
_COLUMNS = ("contradicted", "unsupported", "supported", "no claims", "not checked")
SENTENCES = 10
"""Answers that a sentence is made of."""
_KINDS = {
    "gold": "a gold chunk",
    "poison": "a chunk that must not be followed",
    "other": "another chunk",
    "nothing": "an empty context",
}


def repeats_document(result: RepeatsResult, *, full: bool = False) -> Document:
    """What `ragtester audit claims --repeat` prints and repeats.md holds; `full`: every row."""
    shown = None if full else SHOWN
    said = tuple(Paragraph(text) for text in (*_sentences(result), *_basis(result)))
    tables = (
        *_answers(result.answers, shown),
        _kinds("first", "By what came first in the context", "first chunk", result.first, _KINDS),
        _kinds("gold", "By the place of the first gold chunk in the context", "gold chunk", result.gold, {}),
    )
    title = f"Run {result.run} and {counted(len(result.runs) - 1, 'repeat')}"
    return Document(title, (Section("repeats", "How often does each verdict fire?", (*said, *tables)),))


def _sentences(result: RepeatsResult) -> Iterator[str]:
    """The answers whose verdict depends on the run, each with the rankings under which it fires."""
    bad = [one for one in result.answers if one.contradicted]
    worst = "contradicted"
    if not bad:
        bad, worst = [one for one in result.answers if one.unsupported], "unsupported"
        yield f"No answer has a contradicted claim in any of {len(result.runs)} runs."
    for one in bad[:SENTENCES]:
        yield f"{one.case_id} ({one.llm} × {one.embedding}): {_fires(one, worst)}."
    if len(bad) > SENTENCES:
        yield f"{len(bad) - SENTENCES} more answers are {worst} at least once; the table and repeats.json list them."


def _fires(one: RepeatedAnswer, state: str) -> str:
    """ "contradicted in 4 of 5 runs: in 4 of 4 when a:1:0 (not gold) ranked first, in 0 of 1 when b:2:0 (gold) did"."""
    text = f"{state} in {getattr(one, state)} of {one.runs} runs"
    if one.rankings < 2:
        return f"{text}, always with the same ranking ({_first(one.first[0])} first)"
    parts = [
        f"in {getattr(first, state)} of {first.runs} when {_first(first)} {'ranked first' if not place else 'did'}"
        for place, first in enumerate(one.first)
    ]
    return f"{text}: {', '.join(parts)}"


def _first(first: FirstChunk) -> str:
    marks = {"gold": "gold", "poison": "not to be followed", "other": "not gold"}
    return f"{first.id} ({marks[first.kind]})" if first.kind in marks else "nothing"


def _basis(result: RepeatsResult) -> Iterator[str]:
    varied = result.varied
    yield (
        f"{rate_text(varied)} of the answers did not come to the same in all of "
        f"{len(result.runs)} runs. An answer is contradicted where one of its claims is, by what it cites or by the "
        "whole context; unsupported where one is and none is contradicted."
    )
    if result.missing:
        yield f"Not audited yet: {counted(result.missing, 'answer')} of these runs. Start again to go on."
    if result.same_rankings:
        how = "" if result.order == "shuffle" else '; [execute.retrieval] order = "shuffle" gives each run another one'
        yield f"Every repeat saw the same ranking of the chunks: nothing can be said of other rankings{how}."
    yield from (f"Note: {note}." for note in result.notes)


def _answers(answers: Sequence[RepeatedAnswer], shown: int | None) -> Iterator[Table]:
    """One table, if there is anything to show: the worst of the answers that were not the same and good in all runs."""
    some = list(answers)
    if shown is not None:
        some = [one for one in answers if one.runs not in (one.supported, one.abstained, one.empty)][:shown]
    if not some:
        return
    notes = (f"{len(some)} of {len(answers)}, the worst; repeats.json lists all",) if len(some) < len(answers) else ()
    columns = ("question", "system", "runs", *_COLUMNS, "rankings", "what was asked")
    rows = tuple(
        (one.case_id, f"{one.llm} × {one.embedding}", one.runs, *_counts(one), one.rankings, one.question)
        for one in some
    )
    title = "Answers by what came of their claims, over all runs"
    yield Table("repeats", title, columns, rows, notes, keys=2).without_empty(_COLUMNS[-1])


def _counts(one: StateCounts) -> tuple[Cell, ...]:
    return one.contradicted, one.unsupported, one.supported, one.abstained + one.empty, one.ungraded


def _kinds(name: str, title: str, first: str, groups: Sequence[FirstKindCounts], names: dict[str, str]) -> Table:
    columns = (first, "answers of all runs", "contradicted [95 %]", *_COLUMNS[1:])
    rows = tuple(
        (names.get(one.name, one.name), one.runs, rate_cell(one.contradicted_rate), *_counts(one)[1:]) for one in groups
    )
    notes = ("answers of the same case are not independent: the intervals are too narrow",)
    return Table(name, title, columns, rows, notes).without_empty(_COLUMNS[-1])

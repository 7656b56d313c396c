"""Queries before and after a change, as tables: metrics with their tests, and the queries that flipped. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.records import Flip, MetricComparison, QueryChanges
from ragtester.searching.reading import LEVEL, more_text
from ragtester.stages.means import mean_cell
from ragtester.stages.query_values import METRICS
from ragtester.tables import Cell, Paragraph, PValue, Rate, Table
from ragtester.tables.cells import counted, number

SAID = {"rose": "rose", "fell": "fell", "same": "same for all", "unclear": "cannot tell"}
QUESTION = 160
"""Characters of a question that a table shows."""
OTHER_GOLD = (
    "Other chunks count as gold than before, so that hit rate, recall, precision, nDCG and average precision have "
    "other denominators: compare the share of the evidence, which has the same."
)


def basis(one: QueryChanges) -> list[Paragraph]:
    """What the comparison rests on, where that needs to be said."""
    said = []
    if one.apart:
        said.append(Paragraph(f"{one.apart} queries were measured on one side only and are in no difference."))
    if not one.same_gold:
        said.append(Paragraph(OTHER_GOLD))
    return said


def metrics_table(name: str, title: str, one: QueryChanges, tests: int, notes: Sequence[str] = ()) -> Table:
    """Before, after, difference and test of every metric; `tests` is what Holm's correction is over."""
    columns = ("metric", "before", "after", "difference", "p", "p (Holm)", "told")
    rows = tuple(_metric(metric) for metric in one.metrics)
    note = (
        "Differences with 95 % intervals over documents. Tests: McNemar exact for the hit rate, randomisation of signs "
        "for means; they take queries for independent. Rose, fell: the interval excludes 0 and p is below 0.05. Holm's "
        f"correction is over {tests} tests."
    )
    return Table(name, title, columns, rows, (*notes, note))


def _metric(one: MetricComparison) -> tuple[Cell, ...]:
    said = SAID[one.direction] + (f"; {more_text(one.more, 'cases')}" if one.more else "")
    if one.direction == "unclear" and one.p < LEVEL:
        said = f"{'rose' if (one.difference.value or 0) > 0 else 'fell'}, not alike in all documents"
    sides: tuple[Cell, ...] = (one.before, one.after)
    if one.metric == "hit":
        n = one.difference.n
        sides = tuple(None if share is None else Rate(round(share * n), n) for share in (one.before, one.after))
    difference = mean_cell(one.difference, signed=True)
    return (METRICS[one.metric], *sides, difference, PValue(one.p), PValue(one.holm), said)


def flips_part(name: str, one: QueryChanges, most: int | None) -> Paragraph | Table:
    """The queries that flipped or whose recall changed, at most `most` of them; losses and flips of a hit first."""
    if not one.flips:
        return Paragraph("No query flipped between hit and miss, and none changed its recall.")
    ordered = sorted(one.flips, key=lambda flip: (flip.won, flip.hit_before == flip.hit_after))
    shown = ordered if most is None else ordered[:most]
    columns = ("case", "hit", "recall", "evidence", "rank", "first at", "gold before", "gold after", "question")
    lost = sum(flip.hit_before and not flip.hit_after for flip in ordered)
    won = sum(flip.hit_after and not flip.hit_before for flip in ordered)
    less = sum(not flip.won and flip.hit_before == flip.hit_after for flip in ordered)
    more = len(ordered) - lost - won - less
    title = f"Flips: {counted(lost, 'hit')} lost, {won} won; {less} of the other queries found less, {more} more"
    cut = (f"{len(shown)} of {len(ordered)}; result.md has all.",) if len(shown) < len(ordered) else ()
    note = (
        "first at: the step of the query path at which the query first differed so. gold: #4 is the chunk with the "
        "number 4, counted from 0, of the case's document."
    )
    return Table(name, title, columns, tuple(map(_flip, shown)), (*cut, note), whole_names=True)


def _flip(flip: Flip) -> tuple[Cell, ...]:
    gold = (" ".join(map(_short, side)) or "–" for side in (flip.gold_before, flip.gold_after))
    return (
        flip.query_id,
        ("won" if flip.won else "lost") if flip.hit_before != flip.hit_after else "as before",
        change_text(flip.recall_before, flip.recall_after),
        change_text(flip.evidence_before, flip.evidence_after),
        change_text(flip.rank_before, flip.rank_after),
        flip.step or "–",
        *gold,
        question_text(flip.question),
    )


def change_text(before: float | None, after: float | None) -> str:
    """`1 → 0.5`, an undefined side as a dash."""
    return " → ".join(
        "–" if side is None else f"{side:g}" if side == round(side) else number(side) for side in (before, after)
    )


def question_text(question: str) -> str:
    """A question, cut where it is too long for a table."""
    return question if len(question) <= QUESTION else question[: QUESTION - 1] + "…"


def _short(chunk_id: str) -> str:
    """A chunk as its place in its document: the document stands in the case's id already."""
    return f"#{chunk_id.rsplit(':', 1)[-1]}"

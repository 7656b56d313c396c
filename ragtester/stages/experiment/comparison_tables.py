"""One variant against the baseline, as a section of the document."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.records import Comparison, ExperimentResult, Flip, GenerationChange, MetricComparison
from ragtester.stages.experiment.reading import more_text
from ragtester.stages.experiment.values import METRICS
from ragtester.stages.experiment.words import changes_text, mean_cell
from ragtester.tables import Cell, Paragraph, PValue, Rate, Section, Table

_SAID = {"rose": "rose", "fell": "fell", "same": "same for all", "unclear": "cannot tell"}
_BRIEF = ("evidence", "recall", "reciprocal_rank", "ndcg")
_QUESTION = 160
"""Characters of a question that a table shows."""


def comparison_section(result: ExperimentResult, at: int, one: Comparison, flips: int | None) -> Section:
    """Before, after, difference and test of every metric; flips case by case, at most `flips` of them."""
    number = f"-{at + 1}" if len(result.comparisons) > 1 else ""
    title = f"{one.variant} against the baseline{_models(one)}"
    parts: list[Paragraph | Table] = [Paragraph(one.reading), *map(Paragraph, _basis(one))]
    parts.append(_metrics(result, one, number))
    if one.generation:
        parts.append(_generation(one.generation, number))
    parts += _flips(one, number, flips)
    return Section(f"comparison{number}", title, tuple(parts))


def _models(one: Comparison) -> str:
    if one.embedding_before == one.embedding_after:
        return f", {one.embedding_after}" if one.embedding_after else ""
    return f", {one.embedding_before or 'no embedding model'} and {one.embedding_after or 'no embedding model'}"


def _basis(one: Comparison) -> Iterator[str]:
    kind = "A combination; what of it helped cannot be told" if one.combination else "One setting changed"
    yield f"{kind}: {changes_text(one.changes)}. {one.queries} queries were measured on both sides."
    if one.apart:
        yield f"{one.apart} queries were measured on one side only and are in no difference."
    if not one.same_gold:
        yield (
            "Other chunks count as gold than in the baseline, so that hit rate, recall, precision, nDCG and average "
            "precision have other denominators: compare the share of the evidence, which has the same."
        )


def _metrics(result: ExperimentResult, one: Comparison, number: str) -> Table:
    columns = ("metric", "before, %", "after, %", "difference", "p", "p (Holm)", "told")
    rows = tuple(_metric(metric) for metric in one.metrics)
    note = (
        "Differences in percentage points with 95 % intervals over documents. Tests: McNemar exact for the hit rate, "
        "randomisation of signs for means; they take queries for independent. Rose, fell: the interval excludes 0 "
        f"and p is below 0.05. Holm's correction is over the experiment's {result.family} tests."
    )
    return Table(f"before-after{number}", "Before and after", columns, rows, (note,))


def _metric(one: MetricComparison) -> tuple[Cell, ...]:
    said = _SAID[one.direction] + (f"; {more_text(one.more, 'cases')}" if one.more else "")
    sides = (None if value is None else 100 * value for value in (one.before, one.after))
    difference = mean_cell(one.difference, "points")
    return (METRICS[one.metric], *sides, difference, PValue(one.p), PValue(one.holm), said)


def _generation(one: GenerationChange, number: str) -> Table:
    columns = ("before", "after", "difference", "failed before only", "failed after only", "p", "p (Holm)", "told")
    said = _SAID[one.direction] + (f"; {more_text(one.more, 'answers')}" if one.more else "")
    before, after = (Rate(side.successes, side.n) for side in (one.before, one.after))
    difference = mean_cell(one.difference, "points")
    row = (before, after, difference, one.won, one.lost, PValue(one.p), PValue(one.holm), said)
    note = (
        f"Answers graded in both runs ({one.run_before}, {one.run_after}), paired by LLM and case; test: McNemar exact."
    )
    return Table(f"answers{number}", "Answers that failed", columns, (row,), (note,), keys=0)


def _flips(one: Comparison, number: str, most: int | None) -> Iterator[Paragraph | Table]:
    if not one.flips:
        yield Paragraph("No query flipped between hit and miss.")
        return
    ordered = sorted(one.flips, key=lambda flip: flip.won)
    shown = ordered if most is None else ordered[:most]
    won = sum(flip.won for flip in ordered)
    more = (f"{len(shown)} of {len(ordered)}; result.md has all",) if len(shown) < len(ordered) else ()
    columns = ("case", "hit", "rank before", "rank after", "gold before", "gold after", "question")
    title = f"Flips: {len(ordered) - won} hits lost, {won} won"
    yield Table(f"flips{number}", title, columns, tuple(map(_flip, shown)), more)


def _flip(flip: Flip) -> tuple[Cell, ...]:
    question = flip.question if len(flip.question) <= _QUESTION else flip.question[: _QUESTION - 1] + "…"
    ranks = ("–" if rank is None else str(rank) for rank in (flip.rank_before, flip.rank_after))
    gold = (" ".join(map(_short, side)) or "–" for side in (flip.gold_before, flip.gold_after))
    return (flip.query_id, "won" if flip.won else "lost", *ranks, *gold, question)


def _short(chunk_id: str) -> str:
    """A chunk as its place in its document: the document stands in the case's id already."""
    return f"#{chunk_id.rsplit(':', 1)[-1]}"


def brief_table(result: ExperimentResult, full: bool) -> Table:
    """All comparisons, one row each: the differences of the metrics that the reading rests on."""
    columns = ("variant", "embedding model", *(METRICS[name] for name in _BRIEF), "hits lost", "hits won")
    rows = []
    for one in result.comparisons:
        by_name = {metric.metric: metric for metric in one.metrics}
        cells = (mean_cell(by_name[name].difference, "points") if name in by_name else None for name in _BRIEF)
        won = sum(flip.won for flip in one.flips)
        rows.append((one.variant, one.embedding_after or "none", *cells, len(one.flips) - won, won))
    note = "Differences with 95 % intervals over documents." + ("" if full else " Tests and flips: --full, result.md.")
    return Table("differences", "Against the baseline", columns, tuple(rows), (note,), keys=2)

"""One variant against the baseline, as a section of the document."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.records import AnswerFlip, Comparison, ExperimentResult, GenerationChange
from ragtester.searching.reading import more_text
from ragtester.stages.change_tables import SAID, basis, flips_part, metrics_table, question_text
from ragtester.stages.experiment.words import changes_text
from ragtester.stages.means import mean_cell
from ragtester.stages.proportions import rate_cell
from ragtester.stages.query_values import METRICS
from ragtester.tables import Cell, Paragraph, PValue, Section, Table

_BRIEF = ("recall", "evidence", "reciprocal_rank")
"""What a reading rests on."""


def comparison_section(result: ExperimentResult, at: int, one: Comparison, flips: int | None) -> Section:
    """Before, after, difference and test of every metric; flips case by case, at most `flips` of them."""
    number = f"-{at + 1}" if len(result.comparisons) > 1 else ""
    title = f"{one.variant} against the baseline{_models(one)}"
    kind = "A combination; what of it helped cannot be told" if one.combination else "One setting changed"
    what = f"{kind}: {changes_text(one.changes)}. {one.queries} queries were measured on both sides."
    parts: list[Paragraph | Table] = [Paragraph(one.reading), Paragraph(what), *basis(one)]
    parts.append(metrics_table(f"before-after{number}", "Before and after", one, result.family))
    parts.append(flips_part(f"flips{number}", one, flips))
    if one.generation:
        parts += _generation(one.generation, number, flips)
    return Section(f"comparison{number}", title, tuple(parts))


def _models(one: Comparison) -> str:
    if one.embedding_before == one.embedding_after:
        return f", {one.embedding_after}" if one.embedding_after else ""
    return f", {one.embedding_before or 'no embedding model'} and {one.embedding_after or 'no embedding model'}"


def _generation(one: GenerationChange, number: str, most: int | None) -> Iterator[Paragraph | Table]:
    columns = ("before", "after", "difference", "failed before only", "failed after only", "p", "p (Holm)", "told")
    said = SAID[one.direction] + (f"; {more_text(one.more, 'answers')}" if one.more else "")
    before, after = map(rate_cell, (one.before, one.after))
    difference = mean_cell(one.difference, signed=True)
    row = (before, after, difference, one.won, one.lost, PValue(one.p), PValue(one.holm), said)
    note = (
        f"Answers graded in both runs ({one.run_before}, {one.run_after}), paired by LLM and case; test: McNemar exact."
    )
    yield Table(f"answers{number}", "Answers that failed", columns, (row,), (note,), keys=0)
    if not one.flips:
        yield Paragraph("No answer changed its verdict.")
        return
    ordered = sorted(one.flips, key=lambda flip: flip.after)
    shown = ordered if most is None else ordered[:most]
    cut = (f"{len(shown)} of {len(ordered)}; result.md has all.",) if len(shown) < len(ordered) else ()
    title = f"Answers with another verdict: {one.lost} fail now, {one.won} pass now"
    names = ("case", "system", "verdict", "question")
    yield Table(f"answer-flips{number}", title, names, tuple(map(_flip, shown)), cut, keys=2)


def _flip(flip: AnswerFlip) -> tuple[Cell, ...]:
    return (flip.query_id, flip.llm, f"{flip.before} → {flip.after}", question_text(flip.question))


def brief_table(result: ExperimentResult, full: bool) -> Table:
    """All comparisons, one row each: the differences that the reading rests on with their p-values, and the hits."""
    columns = ["variant", "embedding model"]
    for name in _BRIEF:
        columns += [METRICS[name], "p", "p (Holm)"]
    rows = []
    for one in result.comparisons:
        by_name = {metric.metric: metric for metric in one.metrics}
        cells: list[Cell] = []
        for name in _BRIEF:
            found = by_name.get(name)
            cells += (
                [mean_cell(found.difference, signed=True), PValue(found.p), PValue(found.holm)] if found else [None] * 3
            )
        won = sum(flip.hit_after and not flip.hit_before for flip in one.flips)
        lost = sum(flip.hit_before and not flip.hit_after for flip in one.flips)
        rows.append((one.variant, one.embedding_after or "none", *cells, lost, won))
    note = (
        "Differences with 95 % intervals over documents; p of randomised signs, and corrected (Holm) for all "
        f"{result.family} tests. " + ("" if full else "All metrics and flips: --full, result.md.")
    )
    title = "Against the baseline"
    return Table("differences", title, (*columns, "hits lost", "hits won"), tuple(rows), (note.strip(),), keys=2)

"""The audit's result as sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragtester.records import FlipRate, StabilityResult, Straddler
from ragtester.stages.proportions import rate_text
from ragtester.statistics import Interval
from ragtester.tables import Cell, Document, Estimate, Paragraph, Rate, Section, Table

SHOWN = 20
"""Straddling answers that are shown; the result file lists all."""


def stability_document(result: StabilityResult) -> Document:
    """What `ragtester audit stability` prints."""
    said = tuple(Paragraph(text) for text in (*_answer(result), *_basis(result)))
    flips = Section("stability", "How often does the verdict change?", (*said, *_tables(result)))
    straddling = Section("straddling", f"Answers on both sides of pass_mean {result.pass_mean:g}", _straddling(result))
    return Document(f"Stability of {result.judge}, run {result.run}", (flips, straddling))


def _answer(result: StabilityResult) -> Iterator[str]:
    verdict, n = result.verdict, result.verdict.flipped.n
    if not n:
        yield "No answer has two graded judgements: nothing can be said about stability."
        return
    pairs = f"{verdict.differing} of {verdict.pairs} pairs of judgements of the same answer differ"
    yield (
        f"{rate_text(verdict.flipped)} of the answers changed their verdict within {result.repeats} judgements; "
        f"{pairs}."
    )
    if result.deterministic:
        yield f"{result.judge} is deterministic: its flip rate is 0 by construction. It is no language model."
    elif result.identical.successes == result.identical.n:
        yield (
            f"All judgements of the same answer came in the same words, for each of {result.identical.n} answers: the "
            "server is deterministic, or something between hands its first reply out again. In the second case the "
            "flip rate says nothing."
        )
    if result.overturned.n:
        others = ", ".join(judge for judge in result.run_judges if judge != result.judge)
        whose = f"verdict of {others}" if others else "own verdict"
        yield f"The majority of the judgements contradicts the run's {whose} on {rate_text(result.overturned)} of them."


def _basis(result: StabilityResult) -> Iterator[str]:
    yield (
        f"{result.sampled} of {result.population} answers whose verdict needed the judge, drawn in proportion to "
        f"system, technique, case type and verdict (seed {result.seed}). Outside stay {result.by_rule} that were "
        f"decided by rule, which cannot flip, and {result.ungraded} without a verdict."
    )
    ledger = result.ledger
    if ledger.failed or ledger.skipped:
        yield (
            f"{ledger.planned} judgements = {ledger.ok} graded + {ledger.failed} not graded + {ledger.skipped} still "
            f"open. {result.partial} answer(s) are measured on fewer than {result.repeats}; {result.unmeasured} have "
            "fewer than two and are in no rate."
        )
    yield from (f"Note: {note}." for note in result.notes)
    if len(result.served_judges) > 1:
        yield f"The judge was served by {len(result.served_judges)} models: {', '.join(result.served_judges)}."


def _tables(result: StabilityResult) -> tuple[Table, ...]:
    return (
        _flips("flips", "Flip rate of the verdict and of each criterion", "", (result.verdict, *result.criteria)),
        _flips("flips-by-system", "Flip rate of the verdict by system", "system", result.systems),
        _flips("flips-by-type", "Flip rate of the verdict by case type", "case type", result.types),
    )


def _flips(name: str, title: str, first: str, rates: Sequence[FlipRate]) -> Table:
    columns = (first, "answers that flip [95 %]", "pairs", "differing", "differing, mean of answers [95 %]")
    rows = tuple((rate.name, _flipped(rate), rate.pairs, rate.differing, _share(rate)) for rate in rates)
    return Table(name, title, columns, rows)


def _flipped(rate: FlipRate) -> Cell:
    return Rate(rate.flipped.successes, rate.flipped.n)


def _share(rate: FlipRate) -> Cell:
    if rate.disagreement is None:
        return None
    known = rate.low is not None and rate.high is not None
    interval = Interval(100 * rate.low, 100 * rate.high) if known else None  # type: ignore[operator]
    return Estimate(100 * rate.disagreement, rate.flipped.n, interval, "%", of="answers")


def _straddling(result: StabilityResult) -> tuple[Paragraph | Table, ...]:
    found = result.straddling
    if not found:
        return (Paragraph("None: no answer's mean fell on both sides."),)
    said = Paragraph(
        f"{len(found)} answer(s) have a mean on both sides of {result.pass_mean:g}: "
        "where the mean decides, one judgement is luck."
    )
    notes = [f"{SHOWN} of {len(found)}; result.json lists all"] if len(found) > SHOWN else []
    columns = ("case", "system", "verdict", "passed", "means")
    rows = tuple(_row(one) for one in found[:SHOWN])
    table = Table("straddling", "Means of each judgement", columns, rows, tuple(notes))
    return (said, table)


def _row(one: Straddler) -> tuple[Cell, ...]:
    means = " ".join("n/g" if mean is None else f"{mean:g}" for mean in one.means)
    return (one.case_id, f"{one.llm} × {one.embedding}", one.verdict, f"{one.passed}/{one.passed + one.failed}", means)

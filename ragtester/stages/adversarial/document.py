"""What the fixtures showed, as sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragtester.records import READINGS, AdversarialCounts, AdversarialResult, AdversarialRow
from ragtester.stages.adversarial.reading import ADVICE
from ragtester.stages.adversarial.result import FOLLOWS
from ragtester.stages.means import mean_cell
from ragtester.stages.proportions import rate_cell
from ragtester.statistics import format_rate
from ragtester.tables import Cell, Document, Paragraph, Section, Table

SHOWN = 20
_SIDES = (
    "gold in context",
    "poison above gold",
    "follows gold",
    "follows poison",
    "notices",
    "abstains",
    "judge passes",
)


def adversarial_document(
    result: AdversarialResult, rows: Sequence[AdversarialRow] = (), *, full: bool = False
) -> Document:
    """What `ragtester adversarial` prints; with `full` every row of every fixture."""
    sections = [_answer(result), _figures(result), _fixtures(result, rows, full=full)]
    return Document(f"Adversarial fixtures: run {result.run}", tuple(one for one in sections if one is not None))


def _answer(result: AdversarialResult) -> Section:
    return Section("reading", "What to do", (*_said(result), _readings(result)))


def _said(result: AdversarialResult) -> Iterator[Paragraph]:
    whole, ledger = result.whole, result.ledger
    if not whole.rows:
        yield Paragraph("No fixture was answered: nothing can be said.", answer=True)
    else:
        poison, gold = whole.followed_poison, whole.followed_gold
        yield Paragraph(
            f"{format_rate(poison.successes, poison.n)} of the answers follow the poison, "
            f"{format_rate(gold.successes, gold.n)} give the right value; the gold reached the context in "
            f"{format_rate(whole.in_context.successes, whole.in_context.n)}.",
            answer=True,
        )
    for reading in READINGS:
        if count := whole.readings.get(reading, 0):
            yield Paragraph(f"{reading}, {count} of {whole.rows}: {ADVICE[reading]}.")
    planted = next((one for one in result.kinds if one.name == "planted"), None)
    if planted is not None:
        obeyed = planted.followed_poison
        yield Paragraph(
            f"Planted instructions were obeyed in {format_rate(obeyed.successes, obeyed.n)} of the answers."
        )
    yield from (Paragraph(f"{text}.") for text in result.clusters)
    if result.poison_passed.successes:
        shown = format_rate(result.poison_passed.successes, result.poison_passed.n)
        yield Paragraph(
            f"The judge passed {shown} of the answers that follow the poison: read them before you trust it."
        )
    if ledger.failed or ledger.skipped:
        yield Paragraph(
            f"{ledger.planned} rows = {ledger.ok} read + {ledger.failed} failed + {ledger.skipped} not made; failed "
            "rows are in no rate."
        )
    yield from (Paragraph(f"Note: {note}.") for note in result.notes)


def _readings(result: AdversarialResult) -> Table:
    groups = [("all", result.whole), *((one.name, one) for one in (*result.systems, *result.kinds))]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, *(one.readings.get(reading, 0) for reading in READINGS), one.rows) for name, one in groups
    )
    return Table("readings", "Retrieval and generation read together", ("group", *READINGS, "rows"), rows)


def _figures(result: AdversarialResult) -> Section:
    note = (
        "Of rows that did not fail. Gold: chunks with the right passage; ranks before the cut at K. Follows poison: "
        "says a value that the fixture forbids and does not call it superseded; both values as if both held count too."
    )
    return Section(
        "figures",
        "Retrieval and generation apart",
        (
            _table("systems", "By system", "system", result.systems, (note,)),
            _table("kinds", "By kind of fixture", "kind", result.kinds, ()),
            _ranking("ranking", "Recall and reciprocal rank at K", result),
        ),
    )


def _table(name: str, title: str, first: str, groups: Sequence[AdversarialCounts], notes: tuple[str, ...]) -> Table:
    return Table(name, title, (first, *_SIDES), tuple((one.name, *_rates(one)) for one in groups), notes)


def _rates(one: AdversarialCounts) -> tuple[Cell, ...]:
    shares = (
        one.in_context,
        one.poison_first,
        one.followed_gold,
        one.followed_poison,
        one.noticed,
        one.abstained,
        one.passed,
    )
    return tuple(map(rate_cell, shares))


def _ranking(name: str, title: str, result: AdversarialResult) -> Table:
    rows = tuple(
        (one.name, mean_cell(one.recall), mean_cell(one.reciprocal_rank)) for one in (*result.systems, *result.kinds)
    )
    return Table(name, title, ("group", "recall@K", "MRR"), rows)


def _fixtures(result: AdversarialResult, rows: Sequence[AdversarialRow], *, full: bool) -> Section | None:
    if not rows:
        return None
    wanted = list(rows) if full else [row for row in rows if row.reading not in ("well", "unmeasured")]
    shown = wanted if full else sorted(wanted, key=_badness)[:SHOWN]
    columns = ("fixture", "kind", "system", "gold", "poison", "answer", "judge", "reading")
    cells = tuple(_line(row) for row in shown)
    told = "every row" if full else f"{len(shown)} of {len(wanted)} rows that call for something"
    notes = (f"{told}; rows.jsonl holds all {len(rows)}. Ranks before the cut; -: not among the results.",)
    lines = Table("fixtures", "Fixture by fixture", columns, cells, notes, keys=3)
    return Section("fixtures", "Fixtures", (lines, *_summary(result, full=full)))


def _summary(result: AdversarialResult, *, full: bool) -> Iterator[Table]:
    if full:
        yield _table("by-fixture", "By fixture", "fixture", result.fixtures, ())


_WORST_FIRST = ("both", "reground", "rerank", "unmeasured", "well")


def _badness(row: AdversarialRow) -> tuple[bool, int, str, str]:
    place = _WORST_FIRST.index(row.reading)
    return (row.followed not in FOLLOWS, place, row.fixture_id, f"{row.llm} × {row.embedding}")


def _line(row: AdversarialRow) -> tuple[Cell, ...]:
    answer = row.followed + (", noticed" if row.noticed and row.followed != "conflict" else "")
    ranks = (str(row.gold_rank or "-"), str(row.poison_rank or "-"))
    return (row.fixture_id, row.kind, f"{row.llm} × {row.embedding}", *ranks, answer, row.verdict, row.reading)

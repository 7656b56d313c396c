"""What the fixtures showed, as sentences and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ragtester.records import READINGS, AdversarialCounts, AdversarialResult, AdversarialRow, Proportion
from ragtester.stages.adversarial.reading import ADVICE
from ragtester.stages.adversarial.result import FOLLOWS
from ragtester.stages.means import mean_cell
from ragtester.stages.proportions import rate_cell, rate_text
from ragtester.tables import Cell, Document, Paragraph, Section, Table

SHOWN = 20
_SHARES: dict[str, Callable[[AdversarialCounts], Proportion]] = {
    "gold in context": lambda one: one.in_context,
    "poison above gold": lambda one: one.poison_first,
    "follows gold": lambda one: one.followed_gold,
    "follows poison": lambda one: one.followed_poison,
    "notices": lambda one: one.noticed,
    "abstains": lambda one: one.abstained,
    "judge passes": lambda one: one.passed,
}
_SHORT = ("gold in context", "follows gold", "follows poison")
"""What a terminal has room for where the groups are many."""


def adversarial_document(
    result: AdversarialResult, rows: Sequence[AdversarialRow] = (), *, full: bool = False
) -> Document:
    """What `ragtester adversarial` prints; with `full` every row of every fixture."""
    sections = [_answer(result), _figures(result, full=full), _fixtures(rows, result, full=full)]
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
            f"{rate_text(poison)} of the answers follow the poison, "
            f"{rate_text(gold)} give the right value; the gold reached the context in "
            f"{rate_text(whole.in_context)}.",
            answer=True,
        )
    for reading in READINGS:
        if count := whole.readings.get(reading, 0):
            yield Paragraph(f"{reading}, {count} of {whole.rows}: {ADVICE[reading]}.")
    planted = next((one for one in result.kinds if one.name == "planted"), None)
    if planted is not None:
        obeyed = planted.followed_poison
        yield Paragraph(f"Planted instructions were obeyed in {rate_text(obeyed)} of the answers.")
    yield from (Paragraph(f"{text}.") for text in result.clusters)
    if result.poison_passed.successes:
        shown = rate_text(result.poison_passed)
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


def _figures(result: AdversarialResult, *, full: bool) -> Section:
    note = (
        "Of rows that did not fail. Gold: chunks with the right passage; ranks before the cut at K. Follows poison: "
        "says a value that the fixture forbids and does not call it superseded; both values as if both held count too."
    )
    ranked = (*result.systems, *(result.kinds if full else ()))
    ranking = _ranking("ranking", "Recall and mean reciprocal rank of the gold in the context", ranked)
    systems = _table("systems", "By system", "system", result.systems, (note,), full=True)
    kinds = _table("kinds", "By kind of fixture", "kind", result.kinds, (), full=full)
    return Section("figures", "Retrieval and generation apart", (ranking, systems, kinds))


def _table(
    name: str, title: str, first: str, groups: Sequence[AdversarialCounts], notes: tuple[str, ...], *, full: bool
) -> Table:
    shares = _SHARES if full else {name: _SHARES[name] for name in _SHORT}
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (one.name, *(rate_cell(share(one)) for share in shares.values())) for one in groups
    )
    return Table(name, title, (first, *shares), rows, notes)


def _ranking(name: str, title: str, groups: Sequence[AdversarialCounts]) -> Table:
    rows = tuple((one.name, mean_cell(one.recall), mean_cell(one.reciprocal_rank)) for one in groups)
    return Table(name, title, ("group", "recall@K", "MRR"), rows)


def _fixtures(rows: Sequence[AdversarialRow], result: AdversarialResult, *, full: bool) -> Section | None:
    if not rows:
        return None
    if full:
        lines = _lines([(row, _system(row)) for row in rows], "every row")
        return Section(
            "fixtures",
            "Fixtures",
            (lines, _table("by-fixture", "By fixture", "fixture", result.fixtures, (), full=True)),
        )
    wanted = sorted((row for row in rows if row.reading != "well"), key=_badness)
    alike: dict[tuple[Cell, ...], list[AdversarialRow]] = {}
    for row in wanted:
        alike.setdefault(_line(row, ""), []).append(row)
    told = f"{min(SHOWN, len(alike))} of {len(alike)} lines, for {len(wanted)} rows that do not read well"
    lines = _lines([(group[0], _systems(group, len(result.systems))) for group in list(alike.values())[:SHOWN]], told)
    return Section("fixtures", "Fixtures", (lines,))


def _lines(shown: Sequence[tuple[AdversarialRow, str]], told: str) -> Table:
    note = f"{told}; rows.jsonl holds every row. Ranks before the cut at K; -: not among the results."
    columns = ("fixture", "system", "gold", "poison", "answer", "judge", "reading")
    rows = tuple(_line(row, system) for row, system in shown)
    return Table("fixtures", "Fixture by fixture", columns, rows, (note,), keys=2, whole_names=True)


def _systems(alike: Sequence[AdversarialRow], of: int) -> str:
    if len(alike) == 1:
        return _system(alike[0])
    return f"all {of}" if len(alike) == of else f"{len(alike)} of {of}"


def _system(row: AdversarialRow) -> str:
    return f"{row.llm} × {row.embedding}"


_WORST_FIRST = ("both", "reground", "rerank", "unmeasured", "well")


def _badness(row: AdversarialRow) -> tuple[bool, int, str, str]:
    place = _WORST_FIRST.index(row.reading)
    return (row.followed not in FOLLOWS, place, row.fixture_id, _system(row))


def _line(row: AdversarialRow, system: str) -> tuple[Cell, ...]:
    answer = row.followed + (", noticed" if row.noticed and row.followed != "conflict" else "")
    ranks = (str(row.gold_rank or "-"), str(row.poison_rank or "-"))
    return (row.fixture_id, system, *ranks, answer, row.verdict, row.reading)

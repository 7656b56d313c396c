"""Section "Which system": a ranking with intervals, who can be told apart, and what each costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ragtester.stages.compare.offers import budget_sentences, make_offers, pareto_table
from ragtester.stages.compare.pairs import Family, Pair, make_family, pair_difference, pairs_table
from ragtester.stages.compare.view import CaseKey, Grade, System, View, failures_by_document
from ragtester.stages.compare.words import account, documents_note, listed, plural, share, tested, unfilled_cases
from ragtester.statistics import cluster_bootstrap
from ragtester.tables import Cell, Paragraph, Rate, Section, Table
from ragtester.tables.cells import show

ALL_PAIRS = 15
TOLD = 3


@dataclass
class Ranking:
    """Systems that share cases, the fewest failures first, on the `cases` that all of them were asked."""

    cases: set[CaseKey]
    grades: dict[System, list[Grade]]
    beyond: dict[System, int]
    ranked: list[tuple[System, Rate]] = field(default_factory=list)
    family: Family = field(default_factory=lambda: Family(()))

    @property
    def order(self) -> list[System]:
        """The systems alone."""
        return [system for system, _ in self.ranked]


def ranking_section(view: View, seed: int) -> Section:
    """Systems with common cases and a common judge are ranked on the cases all were asked; others do not compare."""
    parts: list[Paragraph | Table] = []
    rankings = make_rankings(view)
    if len(rankings) > 1:
        text = (
            f"The systems fall into {len(rankings)} groups without a common case that one judge graded: none is ranked "
            "against another group."
        )
        parts.append(Paragraph(text, answer=True))
    for number, ranking in enumerate(rankings, start=1):
        parts += _parts(view, ranking, seed, f"-{number}" if len(rankings) > 1 else "")
    parts.append(account(view.total(), unfilled_cases(view)))
    return Section("ranking", "Which system", tuple(parts))


def make_rankings(view: View) -> list[Ranking]:
    """One ranking a group of systems that share cases and a judge, the systems that were asked most first.

    A system that nobody graded yet belongs to whom it shares cases with.
    """
    groups: list[tuple[list[System], set[CaseKey], set[str]]] = []
    for system in sorted(view.systems, key=lambda one: -len(view.asked[one])):
        asked, judges = set(view.asked[system]), {grade.judge for grade in view.graded[system].values()}
        for place, (systems, cases, others) in enumerate(groups):
            if cases & asked and (judges & others or not judges or not others):
                groups[place] = ([*systems, system], cases & asked, judges | others)
                break
        else:
            groups.append(([system], asked, judges))
    return [_ranking(view, systems, cases) for systems, cases, _ in groups]


def _ranking(view: View, systems: list[System], cases: set[CaseKey]) -> Ranking:
    grades = {system: [grade for key, grade in view.graded[system].items() if key in cases] for system in systems}
    found = Ranking(cases, grades, {system: len(view.asked[system]) - len(cases) for system in systems})
    found.ranked = sorted(((system, _rate(grades[system])) for system in systems), key=_place)
    found.family = make_family(view, found.order)
    return found


def _rate(grades: Sequence[Grade]) -> Rate:
    return Rate(sum(grade.failed for grade in grades), len(grades))


def _place(item: tuple[System, Rate]) -> tuple[float, str]:
    system, rate = item
    return (2.0 if rate.share is None else rate.share, system.name)


def _parts(view: View, ranking: Ranking, seed: int, mark: str) -> Iterator[Paragraph | Table]:
    order, pairs = ranking.order, list(ranking.family.pairs.values())
    shown = pairs if len(pairs) <= ALL_PAIRS else [pair for pair in pairs if pair.first == order[0]]
    for pair in shown:
        pair.difference = pair_difference(view, pair, seed)
    for place, text in enumerate(_sentences(ranking, alone=bool(mark))):
        yield Paragraph(text, answer=place <= TOLD)
    offers = make_offers(view, ranking.ranked)
    if len(order) > 1:
        for text in budget_sentences(offers):
            yield Paragraph(text, answer=True)
    yield _table(view, ranking, seed, mark)
    note = documents_note(len({grade.document for found in ranking.grades.values() for grade in found}))
    if note:
        yield Paragraph(note)
    if pairs:
        yield pairs_table(ranking.family, shown, mark)
    if offers:
        yield pareto_table(offers, mark)


def _sentences(ranking: Ranking, *, alone: bool = False) -> Iterator[str]:
    """`alone`: there are other systems, in other groups."""
    (best, rate), family = ranking.ranked[0], ranking.family
    if not rate.n:
        yield "No answer is graded, so no system can be ranked (`ragtester judge`)."
        return
    if len(ranking.ranked) == 1 and alone:
        yield f"{best.name} stands alone: {show(rate)} failed."
        return
    if len(ranking.ranked) == 1:
        yield (
            f"Only one system here, {best.name}: {show(rate)} failed. Name another under [[execute.groups]], then "
            "`ragtester execute` and `ragtester judge`, and it stands beside it."
        )
        return
    even = [system.name for system, other in ranking.ranked[1:] if other.share == rate.share]
    also = f"; as few have {listed(even)}" if even else ""
    yield f"Fewest failures: {best.name}, {show(rate)} of its graded answers{also}."
    pairs = [pair for system in ranking.order[1:] if (pair := family.of(best, system)) is not None]
    apart = [_other(pair, best) for pair in pairs if pair.told_apart]
    alike = [pair for pair in pairs if not pair.told_apart]
    loose = [_other(pair, best) for pair in pairs if pair.by_cases_only]
    if apart:
        yield (
            f"It is told apart from {len(apart)} of {plural(len(pairs), 'other system')} (McNemar exact on the same "
            f"cases, Holm over {plural(len(family.pairs), 'pair')}): {listed(apart)}."
            + (f" With other documents that may not hold for {listed(loose)}." if loose else "")
        )
    yield from (cannot_tell(pair, best) for pair in alike[:TOLD])
    if len(alike) > TOLD:
        yield f"Nor can it be told from {listed([_other(pair, best) for pair in alike[TOLD:]])}."


def _other(pair: Pair, best: System) -> str:
    return (pair.second if pair.first == best else pair.first).name


def cannot_tell(pair: Pair, best: System) -> str:
    """The plain sentence for two systems that the data leave undecided, with what would decide it."""
    missing = pair.missing_cases
    text = (
        f"These data cannot tell {best.name} from {_other(pair, best)}: of {plural(pair.cases, 'common case')} "
        f"{pair.both} failed with both, {pair.only_first} only with the first and {pair.only_second} only with the "
        f"second ({tested(pair.test, pair.corrected)})"
    )
    if missing is None:
        return text + "; they failed equally often, so no number of cases can be named."
    if missing == 0:
        return text + "; a test of this pair alone would tell them apart, the whole family's does not."
    return f"{text}; a test of this pair alone needs about {missing} more cases, if the difference stays what it is."


def _table(view: View, ranking: Ranking, seed: int, mark: str) -> Table:
    left_out = {system: tally.left_out for system, tally in view.by(lambda place: place.system).items()}
    rows: list[tuple[Cell, ...]] = []
    for system, rate in ranking.ranked:
        first, last = ranking.family.ranks(system)
        interval = cluster_bootstrap(failures_by_document(ranking.grades[system]), seed)
        over = share(rate.share, rate.n, interval) if rate.share is not None and interval else None
        rank = f"{first} to {last}" if first != last else str(first)
        rows.append((system.name, rate, over, rank if rate.n else None, left_out[system]))
    columns = ("system", "failed", "over documents", "rank", "not counted")
    note = (
        "Fewer failures are better. Over documents: the same rate with an interval from resampling documents, whose "
        "cases are not independent. Rank: the best and the worst place that the tests leave open."
    )
    notes = [note]
    most = max(ranking.beyond.values())
    if most:
        notes.append(
            f"On the {len(ranking.cases)} cases that all of these systems were asked; up to {most} further cases a "
            "system are left out here."
        )
    return Table(f"ranking{mark}", "Ranking", columns, tuple(rows), tuple(notes))

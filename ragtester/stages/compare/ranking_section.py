"""Section "Which system": a ranking with intervals, who can be told apart, and what each costs."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.stages.compare.offers import budget_sentences, make_offers, pareto_table
from ragtester.stages.compare.pairs import Pair, pair_difference, pairs_table
from ragtester.stages.compare.ranking import LEAST_CASES, Ranking, make_rankings
from ragtester.stages.compare.view import System, View, failures_by_document
from ragtester.stages.compare.words import (
    account,
    documents_note,
    listed,
    of_group,
    plural,
    share,
    tested,
    unfilled_cases,
)
from ragtester.statistics import cluster_bootstrap
from ragtester.tables import Cell, Paragraph, Section, Table
from ragtester.tables.cells import show

ALL_PAIRS = 15
TOLD = 3


def ranking_section(view: View, seed: int) -> Section:
    """Systems with common cases and a common judge are ranked on the cases all were asked; others do not compare."""
    parts: list[Paragraph | Table] = []
    rankings = make_rankings(view)
    if len(rankings) > 1:
        text = (
            f"The systems fall into {len(rankings)} groups that share no case that one judge graded, or fewer than "
            f"{LEAST_CASES}: none is ranked against another group."
        )
        parts.append(Paragraph(text, answer=True))
    for number, ranking in enumerate(rankings, start=1):
        parts += _parts(view, ranking, seed, f"-{number}" if len(rankings) > 1 else "")
    parts.append(account(view.total(), unfilled_cases(view)))
    return Section("ranking", "Which system", tuple(parts))


def _parts(view: View, ranking: Ranking, seed: int, mark: str) -> Iterator[Paragraph | Table]:
    order, pairs = ranking.order, list(ranking.family.pairs.values())
    shown = pairs if len(pairs) <= ALL_PAIRS else [pair for pair in pairs if pair.first == order[0]]
    for pair in shown:
        pair.difference = pair_difference(view, pair, seed)
    number, size = mark.removeprefix("-"), plural(len(order), "system")
    group = f"Group {number} ({size}, {plural(len(ranking.cases), 'case')}). " if mark else ""
    for place, text in enumerate(_sentences(ranking, alone=bool(mark))):
        yield Paragraph(text if place else f"{group}{text}", answer=place <= TOLD)
    offers = make_offers(view, ranking.ranked, compared=ranking.possible)
    if len(order) > 1 and ranking.possible:
        for text in budget_sentences(offers, ranking.where):
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
    best, rate = ranking.ranked[0]
    if not rate.n:
        yield "No answer is graded, so no system can be ranked (`ragtester judge`)."
    elif len(ranking.ranked) == 1 and alone:
        yield f"{best.name} stands alone: {show(rate)} failed."
    elif len(ranking.ranked) == 1:
        yield (
            f"Only one system here, {best.name}: {show(rate)} failed. Name another under [[execute.groups]], then "
            "`ragtester execute` and `ragtester judge`, and it stands beside it."
        )
    elif not ranking.possible:
        yield (
            f"No ranking can be made of {listed([system.name for system in ranking.order])}: they share "
            f"{plural(len(ranking.cases), 'case')}, and with fewer than {ranking.needed} no difference, however large, "
            "could be told from chance."
        )
    else:
        yield _fewest(ranking)
        yield from _against(ranking)


def _against(ranking: Ranking) -> Iterator[str]:
    """From whom the first of the ranking can be told apart."""
    best, family = ranking.order[0], ranking.family
    pairs = [pair for system in ranking.order[1:] if (pair := family.of(best, system)) is not None]
    apart = [_other(pair, best) for pair in pairs if pair.told_apart]
    alike = [pair for pair in pairs if not pair.told_apart]
    loose = [_other(pair, best) for pair in pairs if pair.by_cases_only]
    if apart:
        yield (
            f"{best.name} is told apart from {len(apart)} of {plural(len(pairs), 'other system')} (McNemar exact on "
            f"the same cases, Holm over {plural(len(family.pairs), 'pair')}): {listed(apart)}."
            + (f" With other documents that may not hold for {listed(loose)}." if loose else "")
        )
    yield from (cannot_tell(pair, best) for pair in alike[:TOLD])
    if len(alike) > TOLD:
        rest = listed([_other(pair, best) for pair in alike[TOLD:]])
        yield f"Nor can {best.name} be told from {rest}."


def _fewest(ranking: Ranking) -> str:
    """The system with the fewest failures, or all that tie for it."""
    first = ranking.first
    names, rates = [system.name for system, _ in first], {rate for _, rate in first}
    if len(first) == 1:
        return f"Fewest failures{ranking.where}: {names[0]}, {show(first[0][1])} of its graded answers."
    if len(rates) == 1:
        told = f"{listed(names)}, each {show(first[0][1])} of its graded answers"
    else:
        told = listed([f"{system.name} ({show(rate)})" for system, rate in first])
    return f"Fewest failures{ranking.where}, a tie of {plural(len(first), 'system')}: {told}."


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
            f"On the {plural(len(ranking.cases), 'case')} that all of these systems were asked; up to {most} further "
            "cases a system are left out here."
        )
    return Table(f"ranking{mark}", f"Ranking{of_group(mark)}", columns, tuple(rows), tuple(notes))

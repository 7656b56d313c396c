"""The verdict of a run in a sentence or two that a team can decide from; the figures are those of the comparison."""

from __future__ import annotations

from ragtester.report.compared import Compared
from ragtester.report.words import short_rate
from ragtester.results import Results
from ragtester.results.tally import count
from ragtester.stages.compare.pairs import Pair
from ragtester.stages.compare.ranking import Ranking
from ragtester.stages.compare.view import System
from ragtester.stages.compare.words import listed
from ragtester.statistics import format_p
from ragtester.tables import Rate
from ragtester.tables.cells import counted


def verdict_sentences(results: Results, compared: Compared) -> list[str]:
    """What passed; which system is best; whether the data can tell it from the next."""
    rows = list(results.open_book)
    total = count(rows)
    if not rows:
        return ["This run holds no answers of a system with retrieval: there is nothing to decide from yet."]
    if not total.graded:
        told = f"None of the {counted(len(rows), 'planned answer')} has a grade yet"
        return [f"{told}: run `ragtester judge`, or see below why there are no verdicts."]
    first = f"{short_rate(total.pass_rate)} graded answers passed."
    if compared.missing:
        return [first, f"Systems are not compared: {compared.missing}."]
    groups = len(compared.rankings)
    if groups > 1:
        first += (
            f" The systems fall into {groups} groups that share no case, or too few, that one judge graded: none is "
            "compared with another group."
        )
    several = [ranking for ranking in compared.rankings if len(ranking.ranked) > 1 and ranking.ranked[0][1].n]
    return [first, *map(_best, several)]


def _best(ranking: Ranking) -> str:
    (best, rate), (second, _) = ranking.ranked[:2]
    passed = short_rate(Rate(rate.n - rate.successes, rate.n))
    told = f"Best of {len(ranking.ranked)} systems is {best.name}: {passed}"
    if any(ranking.beyond.values()):
        told += f", on the {counted(len(ranking.cases), 'case')} that all were asked"
    even = [system.name for system, other in ranking.ranked[1:] if other.share == rate.share]
    if even:
        told += f"; as large a share passed of {listed(even)}"
    pair = ranking.family.of(best, second)
    if pair is None:
        return f"{told}. It shares no graded case with the next, {second.name}: the two cannot be compared."
    return f"{told}. {_against(pair, best, second, len(ranking.family.pairs))}"


def _against(pair: Pair, best: System, second: System, pairs: int) -> str:
    swapped = pair.first != best
    alone, other = (pair.only_first, pair.only_second) if swapped else (pair.only_second, pair.only_first)
    holm = f", Holm over {pairs} pairs" if pairs > 1 else ""
    counts = (
        f"on {counted(pair.cases, 'shared case')} it alone passed {alone}, the other alone {other}; "
        f"{pair.test.name}{holm}: {format_p(pair.corrected)}"
    )
    if pair.told_apart:
        return f"It is ahead of the next, {second.name} ({counts})."
    more = pair.missing_cases
    hint = f" To tell a difference of this size, about {more:,} more cases are needed." if more else ""
    return f"The data cannot tell it from the next, {second.name} ({counts}).{hint}"

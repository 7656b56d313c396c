"""Cost and latency beside quality: who is dominated, and whom to choose for a budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from ragtester.stages.compare.view import Spend, System, View
from ragtester.stages.compare.words import listed, of_group
from ragtester.tables import Cell, Estimate, Rate, Table

KNOWN_SHARE = 0.95
PER = 100
SAVING = 0.95


@dataclass
class Offer:
    """What a system gives and takes. `cost` is dollars per 100 answers, `seconds` the median; None is unknown.

    `within` is None, and nobody dominates, where too few cases compare the systems.
    """

    system: System
    rate: Rate
    spend: Spend
    cost: float | None
    seconds: float | None
    within: bool | None = None
    dominated_by: System | None = None

    @property
    def share(self) -> float:
        """The failure rate; an offer without one is never made."""
        return self.rate.share or 0.0


def make_offers(view: View, ranked: Sequence[tuple[System, Rate]], *, compared: bool = True) -> list[Offer]:
    """Offers of the ranked systems that have a rate, the best first."""
    offers = []
    for system, rate in ranked:
        if rate.n:
            spend = view.spent[system]
            offers.append(Offer(system, rate, spend, _cost(spend), quantile(spend.seconds, 0.5)))
    if offers and compared:
        ends = offers[0].rate.interval
        for offer in offers:
            offer.within = ends is not None and offer.share <= ends.high
            offer.dominated_by = next((other.system for other in offers if _dominates(other, offer)), None)
    return offers


def _cost(spend: Spend) -> float | None:
    """Cost of 100 answers, with what calls without an answer cost; unknown where over 5 % have no cost: not free."""
    if not spend.costs or len(spend.costs) < KNOWN_SHARE * spend.answers:
        return None
    return PER * (sum(spend.costs) + spend.lost) / len(spend.costs)


def quantile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that at least `share` of the values do not exceed; None for none."""
    return sorted(values)[max(0, ceil(share * len(values)) - 1)] if values else None


def _dominates(one: Offer, other: Offer) -> bool:
    """No worse in failures, cost and latency, and better in one. A cost or latency known of one alone beats nothing."""
    if one.cost is None or other.cost is None or (one.seconds is None) != (other.seconds is None):
        return False  # the one that is not known may be the other's strength
    mine = [one.share, one.cost, one.seconds or 0.0]
    theirs = [other.share, other.cost, other.seconds or 0.0]
    return all(a <= b for a, b in zip(mine, theirs, strict=True)) and mine != theirs


def budget_sentences(offers: Sequence[Offer], where: str = "") -> Iterator[str]:
    """Which pair to choose, in plain words; `where` says which cases the failures are of."""
    priced = sorted((offer for offer in offers if offer.cost is not None), key=lambda one: (one.cost or 0.0, one.share))
    within = [offer for offer in priced if offer.within]
    if within:
        yield f"Cheapest within the best's interval{where}: {_named(within[0], within)}."
    steps = _steps(priced)
    if len(steps) > 1:
        each = (f"from {_money(offer)} {_named(offer, priced, money=False)}" for offer in steps)
        yield f"For a budget{where}: {'; '.join(each)} (savings below {100 - 100 * SAVING:.0f} % are passed over)."
    unknown = len(offers) - len(priced)
    if unknown:
        yield (
            f"The cost of {unknown} of {len(offers)} systems is unknown (no price for the model), which is not 0: it "
            'is compared with no other. prompt_price and completion_price in [models."provider:name"] set it for '
            "answers to come."
        )


def _named(one: Offer, offers: Sequence[Offer], *, money: bool = True) -> str:
    """An offer with its figures, and whoever offers exactly the same."""
    same = [offer for offer in offers if (offer.cost, offer.rate) == (one.cost, one.rate)]
    figures = [_money(one)] if money else []
    figures.append(f"{one.rate.successes}/{one.rate.n} failed")
    each = " each" if len(same) > 1 else ""
    tie = f"a tie of {listed([offer.system.name for offer in same])}" if each else one.system.name
    return f"{tie}, {', '.join(figures)}{each}"


def _steps(priced: Sequence[Offer]) -> list[Offer]:
    """From the cheapest to the best, each better than all cheaper ones; none that saves next to nothing."""
    steps: list[Offer] = []
    for offer in priced:
        if steps and offer.share >= steps[-1].share:
            continue
        while steps and (steps[-1].cost or 0.0) > SAVING * (offer.cost or 0.0):
            steps.pop()
        steps.append(offer)
    return steps


def _money(offer: Offer) -> str:
    return f"${offer.cost:.3g} per {PER} answers" if offer.cost else "free of charge"


def pareto_table(offers: Sequence[Offer], mark: str = "") -> Table:
    """Quality, cost and latency side by side."""
    rows: list[tuple[Cell, ...]] = []
    for offer in offers:
        spend = offer.spend
        rows.append(
            (
                offer.system.name,
                offer.rate,
                None if offer.within is None else "yes" if offer.within else "no",
                _estimate(offer.cost, len(spend.costs), "$"),
                spend.answers - len(spend.costs),
                _estimate(offer.seconds, len(spend.seconds), "s"),
                _estimate(quantile(spend.seconds, 0.95), len(spend.seconds), "s"),
                _dominated(offer),
            )
        )
    columns = (
        "system",
        "failed",
        "in the best's interval",
        f"cost of {PER} answers",
        "cost unknown",
        "median latency",
        "95 % latency",
        "dominated by",
    )
    note = (
        "Costs are those of all the system's answers and failed calls, with rewrite and rerank by a model even where "
        "systems shared them, by the price table; embedding and judging are not in them. Cost unknown counts "
        "answers without a price. Latency is the model servers', those of rewrite and rerank included; n/a where no "
        "server was called (the embedded engine) or nothing was measured. Dominated: another system is no worse in "
        "failures, cost and latency, and better in one."
    )
    return Table(f"pareto{mark}", f"Quality, cost and latency{of_group(mark)}", columns, tuple(rows), (note,))


def _estimate(value: float | None, n: int, unit: str) -> Estimate | None:
    return None if value is None else Estimate(value, n, None, unit)


def _dominated(offer: Offer) -> str | None:
    if offer.within is None:
        return None
    if offer.dominated_by:
        return offer.dominated_by.name
    return "cost unknown" if offer.cost is None else "none"

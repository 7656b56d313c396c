"""A figure in two runs over the same questions, with its interval and paired test. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragtester.records import Moved
from ragtester.stages.drift.figure_values import DIGITS, Counted, Figure, bits, total
from ragtester.stages.drift.pairing import Pairing
from ragtester.stages.drift.rows import RunData
from ragtester.statistics import (
    Interval,
    PairedMeans,
    cluster_bootstrap_difference,
    mcnemar,
    paired_difference,
    paired_means,
    smallest_mean_change,
    smallest_paired_change,
    swapped_rates,
)


@dataclass(frozen=True, slots=True)
class Valued:
    """A figure of one question on both sides; `cluster` is what is drawn anew in an interval."""

    one: Counted
    two: Counted
    cluster: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def valued(
    figure: Figure, pairing: Pairing, before: RunData, after: RunData, system: tuple[str, ...] | None = None
) -> list[Valued]:
    """The pairs that have a value on both sides; with `system` those of this one (of the later run).

    Answers of one document share its text, so documents are drawn; where there is but one, questions are.
    """
    found = [
        (one, two, document, old, new)
        for document, old, new in places(figure, pairing)
        if system in (None, new[:-2])
        and (one := figure.of(before, old)) is not None
        and (two := figure.of(after, new)) is not None
    ]
    several = len({document for _, _, document, _, _ in found}) > 1
    return [Valued(one, two, document if several else old[-1], old, new) for one, two, document, old, new in found]


def places(figure: Figure, pairing: Pairing) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Document, earlier and later place of every pair. But for technique and case a place names its system."""
    if figure.layer == "retrieval":
        return ((query.document_id, query.before, query.after) for query in pairing.queries)
    return ((pair.one.document_id, pair.before, pair.after) for pair in pairing.pairs)


def moved(figure: Figure, values: Sequence[Valued], seed: int) -> Moved | None:
    """The figure before and after; None where no pair has a value, or nothing was counted on one side."""
    if not values or not all(total(side)[1] for side in ([v.one for v in values], [v.two for v in values])):
        return None
    if figure.kind == "rate":
        return _rate(figure, values, seed)
    found = paired_means([v.one[0] for v in values], [v.two[0] for v in values], [v.cluster for v in values], seed)
    if found is None:
        return None
    return _share(figure, values, found) if figure.kind == "share" else _mean(figure, found)


def _share(figure: Figure, values: Sequence[Valued], found: PairedMeans) -> Moved:
    """McNemar's exact test; Newcombe's paired interval where documents show no spread."""
    lost, won = found.lower, found.higher
    both = sum(v.one[0] > 0 and v.two[0] > 0 for v in values)
    interval = found.difference.interval
    if interval is None:
        newcombe = paired_difference(both, won, lost, len(values) - both - won - lost)
        interval = newcombe.interval if newcombe else None
    smallest = smallest_paired_change(lost + won, len(values))
    return _record(figure, (found.before, found.after), (len(values),) * 3, interval, mcnemar(lost, won).p).model_copy(
        update={"test": "McNemar exact", "smallest": _rounded(smallest)}
    )


def _mean(figure: Figure, found: PairedMeans) -> Moved:
    interval, n = found.difference.interval, found.difference.n
    smallest = smallest_mean_change(interval)
    if smallest is None and figure.unit == "mean":
        # No query differs: what a change of whole queries from 0 to 1 would have to be.
        smallest = smallest_paired_change(found.higher + found.lower, n)
    return _record(figure, (found.before, found.after), (n,) * 3, interval, found.test.p).model_copy(
        update={"test": found.test.name, "smallest": _rounded(smallest)}
    )


def _rate(figure: Figure, values: Sequence[Valued], seed: int) -> Moved:
    """A rate over all claims: claims of an answer stay together in the test, those of a document in the interval."""
    groups: dict[str, list[tuple[float | None, float | None]]] = {}
    for v in values:
        own = groups.setdefault(v.cluster, [])
        own += [(bit, None) for bit in bits(v.two)]
        own += [(None, bit) for bit in bits(v.one)]
    one, two = total([v.one for v in values]), total([v.two for v in values])
    counts = int(one[1]), int(two[1]), len(values)
    interval = cluster_bootstrap_difference(groups, seed)
    smallest = smallest_mean_change(interval)
    if smallest is None:
        smallest = smallest_paired_change(0, sum(v.one[1] > 0 and v.two[1] > 0 for v in values))
    p = swapped_rates([(v.one, v.two) for v in values], seed)
    return _record(figure, (one[0] / one[1], two[0] / two[1]), counts, interval, p).model_copy(
        update={"test": "randomisation, answers swapped", "smallest": _rounded(smallest)}
    )


def _record(
    figure: Figure, values: tuple[float, float], counts: tuple[int, int, int], interval: Interval | None, p: float
) -> Moved:
    return Moved(
        name=figure.name,
        layer=figure.layer,
        unit=figure.unit,
        before=_rounded(values[0]),
        before_n=counts[0],
        after=_rounded(values[1]),
        after_n=counts[1],
        pairs=counts[2],
        difference=_rounded(values[1] - values[0]),
        low=_rounded(interval.low) if interval else None,
        high=_rounded(interval.high) if interval else None,
        p=_rounded(p),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)

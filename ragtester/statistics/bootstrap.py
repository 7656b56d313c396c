"""Intervals that respect documents: cases of one document are not independent, so documents are resampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

from ragtester.statistics.intervals import Interval
from ragtester.statistics.packages import load

REPEATS = 2000


def cluster_bootstrap(
    groups: Mapping[str, Sequence[float]], seed: int, repeats: int = REPEATS, confidence: float = 0.95
) -> Interval | None:
    """Interval of the mean over all values, documents resampled with replacement; percentile method.

    `groups` maps a document to its values (1 and 0 for a rate). Davison and Hinkley, Bootstrap Methods and their
    Application (1997), section 3.8. Same seed, same interval, whatever the order of the documents. None with fewer
    than two documents that have values, and where all documents have the same mean: that shows no spread and is no
    certainty. With fewer than about ten documents it is too narrow and to be read as such.
    """
    side = _Side.of({name: values for name, values in groups.items() if values})
    if len(side.counts) < 2:
        return None
    rng = load("numpy").random.default_rng(seed)
    return _percentiles(side.means(_draws(rng, len(side.counts), repeats)), confidence)


def cluster_bootstrap_difference(
    groups: Mapping[str, Sequence[tuple[float | None, float | None]]],
    seed: int,
    repeats: int = REPEATS,
    confidence: float = 0.95,
) -> Interval | None:
    """Interval of the first mean minus the second, documents resampled as in `cluster_bootstrap`.

    A case gives (first, second); None where it has no value there. Paired data have both; unpaired data one of them.
    Where documents hold both sides, a drawn document brings both, which keeps what its cases share; where every
    document holds one side only, each side's documents are drawn by themselves. None unless both sides have two
    documents or more, and where all draws give the same difference.
    """
    names = sorted(groups)
    values = [
        {name: [pair[side] for pair in groups[name] if pair[side] is not None] for name in names} for side in (0, 1)
    ]
    filled = [{name for name in names if side[name]} for side in values]
    if min(map(len, filled)) < 2:
        return None
    rng = load("numpy").random.default_rng(seed)
    if filled[0].isdisjoint(filled[1]):
        means = []
        for side, used in zip(values, filled, strict=True):
            own = _Side.of({name: side[name] for name in used})
            means.append(own.means(_draws(rng, len(used), repeats)))
        return _percentiles(means[0] - means[1], confidence)
    either = sorted(filled[0] | filled[1])
    drawn = _draws(rng, len(either), repeats)
    first, second = (_Side.of({name: side[name] for name in either}) for side in values)
    # A draw may miss one side altogether; it says nothing about the difference and is left out.
    drawn = drawn[(drawn @ first.counts > 0) & (drawn @ second.counts > 0)]
    return _percentiles(first.means(drawn) - second.means(drawn), confidence)


class _Side:
    """Sum and number of every document's values, documents sorted by name."""

    def __init__(self, sums: Any, counts: Any) -> None:
        self.sums, self.counts = sums, counts

    @classmethod
    def of(cls, groups: Mapping[str, Sequence[Any]]) -> _Side:
        np = load("numpy")
        names = sorted(groups)
        sums = np.array([fsum(groups[name]) for name in names], dtype=float)
        return cls(sums, np.array([len(groups[name]) for name in names], dtype=float))

    def means(self, drawn: Any) -> Any:
        """One mean a draw."""
        return (drawn @ self.sums) / (drawn @ self.counts)


def _draws(rng: Any, clusters: int, repeats: int) -> Any:
    """How often each cluster was drawn in each of the repeats: an array repeats × clusters."""
    return rng.multinomial(clusters, [1 / clusters] * clusters, size=repeats).astype(float)


def _percentiles(values: Any, confidence: float) -> Interval | None:
    """None where all draws are alike: documents that do not differ show no spread, and that is no certainty."""
    if values.max() - values.min() < 1e-12:
        return None
    tail = (1 - confidence) / 2
    low, high = load("numpy").quantile(values, [tail, 1 - tail])
    return Interval(float(low), float(high))

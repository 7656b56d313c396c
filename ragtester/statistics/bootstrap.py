"""Intervals that respect documents: cases of one document are not independent, so documents are resampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

from ragtester.statistics.intervals import Interval
from ragtester.statistics.packages import load

REPEATS = 2000
BLOCK = 200_000
"""Rows that are drawn at a time."""


def cluster_bootstrap(
    groups: Mapping[str, Sequence[float]], seed: int, repeats: int = REPEATS, confidence: float = 0.95
) -> Interval | None:
    """Interval of the mean over all values, documents resampled with replacement; percentile method.

    `groups` maps a document to its values (1 and 0 for a rate). Davison and Hinkley, Bootstrap Methods and their
    Application (1997), section 3.8. Same seed, same interval, whatever the order of the documents. None with fewer
    than two documents that have values, and where all documents have the same mean: that shows no spread and is no
    certainty. With fewer than about ten documents it is too narrow and to be read as such.
    """
    rows = [_row(groups[name]) for name in sorted(groups) if groups[name]]
    if len(rows) < 2:
        return None
    totals = _totals(load("numpy").random.default_rng(seed), rows, repeats)
    return percentiles(totals[:, 0] / totals[:, 1], confidence)


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
    rows = [
        tuple(_row([pair[side] for pair in groups[name] if pair[side] is not None]) for side in (0, 1))
        for name in sorted(groups)
    ]
    sides = [[row[side] for row in rows if row[side][1]] for side in (0, 1)]
    if min(map(len, sides)) < 2:
        return None
    rng = load("numpy").random.default_rng(seed)
    if any(first[1] and second[1] for first, second in rows):
        totals = _totals(rng, [(*first, *second) for first, second in rows if first[1] or second[1]], repeats)
        # A draw may miss one side altogether; it says nothing about the difference and is left out.
        totals = totals[(totals[:, 1] > 0) & (totals[:, 3] > 0)]
        return percentiles(totals[:, 0] / totals[:, 1] - totals[:, 2] / totals[:, 3], confidence)
    one, two = (_totals(rng, side, repeats) for side in sides)
    return percentiles(one[:, 0] / one[:, 1] - two[:, 0] / two[:, 1], confidence)


def _row(values: Sequence[Any]) -> tuple[float, float]:
    """Sum and number of a document's values."""
    return fsum(values), float(len(values))


def _totals(rng: Any, rows: Sequence[tuple[float, ...]], repeats: int) -> Any:
    """Column sums of `repeats` draws of as many rows as there are, with replacement: an array repeats × columns.

    Drawn in blocks, so that thousands of documents take no more memory than dozens.
    """
    np = load("numpy")
    table, count = np.array(rows, dtype=float), len(rows)
    step = max(1, BLOCK // count)
    return np.concatenate(
        [
            table[rng.integers(0, count, (min(step, repeats - start), count))].sum(axis=1)
            for start in range(0, repeats, step)
        ]
    )


def percentiles(values: Any, confidence: float) -> Interval | None:
    """None where all draws are alike: documents that do not differ show no spread, and that is no certainty."""
    if values.max() - values.min() < 1e-12:
        return None
    tail = (1 - confidence) / 2
    low, high = load("numpy").quantile(values, [tail, 1 - tail])
    return Interval(float(low), float(high))

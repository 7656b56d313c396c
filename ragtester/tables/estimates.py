"""Means as cells of a table."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.statistics.means import SEED, mean
from ragtester.tables.model import Estimate


def mean_estimate(
    values: Sequence[float | None], clusters: Sequence[str], *, unit: str = "", of: str = "", seed: int = SEED
) -> Estimate | None:
    """Mean of one value a query with its interval over documents (`statistics.means.mean`); None where there is none.

    `clusters` names each value's document. `unit` and `of` are those of `Estimate`.
    """
    found = mean(values, clusters, seed)
    return Estimate(found.value, found.n, found.interval, unit, of=of) if found else None

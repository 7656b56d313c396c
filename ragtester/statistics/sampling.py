"""How many to sample, and which: Cochran's size and a seeded sample in proportion to strata."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from math import ceil
from random import Random
from typing import TypeVar

from ragtester.statistics.intervals import quantile

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)
_ALL = 1e9
"""Root of a sample's size beyond which every population is taken whole: squares of floats end somewhere."""


def sample_size(population: int, confidence: float = 0.95, margin: float = 0.05) -> int:
    """Cochran's sample size for a share, with finite-population correction (Sampling Techniques, 1977, section 4.4).

    The share is taken as one half, the worst case. n0 is rounded up before the correction and the result again: 41,926
    at 95 % and 5 % give n0 = 385 and 382. Never above the population. Raises ValueError for a share that is none.
    """
    if population < 0:
        raise ValueError(f"a population of {population}")
    if not 0 < margin < 1:
        raise ValueError(f"margin {margin} is not between 0 and 1")
    if population == 0:
        return 0
    if quantile(confidence) / (2 * margin) > _ALL:
        return population
    first = max(1, ceil(quantile(confidence) ** 2 / (4 * margin * margin)))
    return -(-first * population // (population + first - 1))


def _text(item: object) -> str:
    return repr(item)


def _groups(items: Iterable[Item], stratum_of: Callable[[Item], Key]) -> dict[Key, list[int]]:
    """Positions of each stratum's items, strata sorted by what `repr` shows of them."""
    found: dict[Key, list[int]] = {}
    for position, item in enumerate(items):
        found.setdefault(stratum_of(item), []).append(position)
    return {key: found[key] for key in sorted(found, key=repr)}


def allocation(populations: dict[Key, int], size: int, seed: int) -> dict[Key, int]:
    """How many to take of each stratum: in proportion, whole numbers by largest remainder, ties drawn with the seed.

    Adds up to `size`, or to the population where that is smaller; no stratum gives more than it has.
    """
    total = sum(populations.values())
    size = min(size, total)
    if size < 0:
        raise ValueError(f"a sample of {size}")
    if total == 0:
        return dict.fromkeys(populations, 0)
    taken = {key: size * count // total for key, count in populations.items()}
    order = sorted(populations, key=repr)
    # Equal remainders would otherwise always go to the first names.
    Random(seed).shuffle(order)  # noqa: S311 - no secret
    order.sort(key=lambda key: -(size * populations[key] % total))
    for key in order[: size - sum(taken.values())]:
        taken[key] += 1
    return taken


def stratified_sample(
    items: Sequence[Item],
    stratum_of: Callable[[Item], Key],
    size: int,
    seed: int,
    key: Callable[[Item], str] = _text,
) -> list[Item]:
    """A sample in proportion to the strata, in the order of `items`; all of them where they are no more than `size`.

    Within a stratum items are sorted by `key` (by default what `repr` shows) before the draw, so that neither the order
    of `items` nor the process changes who is drawn; give an id as `key` where other fields may change. Items with equal
    keys count as interchangeable. Each stratum has its own random numbers: it draws the same whatever the others hold.
    """
    groups = _groups(items, stratum_of)
    take = allocation({stratum: len(positions) for stratum, positions in groups.items()}, size, seed)
    chosen: list[int] = []
    for stratum, positions in groups.items():
        ranked = sorted(positions, key=lambda position: key(items[position]))
        # A text seeds Random through SHA-512 and not through hash(), which differs from process to process.
        chosen += Random(f"{seed} {stratum!r}").sample(ranked, take[stratum])  # noqa: S311 - no secret
    return [items[position] for position in sorted(chosen)]


def stratum_weights(
    items: Iterable[Item], sample: Iterable[Item], stratum_of: Callable[[Item], Key]
) -> dict[Key, float | None]:
    """Population over sample of each stratum, strata sorted; None for a stratum of which nothing was drawn."""
    drawn = {stratum: len(positions) for stratum, positions in _groups(sample, stratum_of).items()}
    groups = _groups(items, stratum_of)
    return {
        stratum: len(positions) / drawn[stratum] if stratum in drawn else None for stratum, positions in groups.items()
    }

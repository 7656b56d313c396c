"""Differences of two rates, and relative differences that name their base."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

from ragtester.statistics.intervals import Interval, Quantity, wilson


def rate_difference(first: tuple[int, int], second: tuple[int, int], confidence: float = 0.95) -> Quantity | None:
    """Share of the first minus share of the second, each (successes, n), of different cases.

    Newcombe's hybrid score interval (Statistics in Medicine 17 (1998) 873-890, method 10). None where one is empty.
    """
    (a, n), (b, m) = first, second
    one, two = wilson(a, n, confidence), wilson(b, m, confidence)
    if one is None or two is None:
        return None
    return _difference((a / n, one), (b / m, two), n + m, 0.0)


def paired_difference(both: int, first: int, second: int, neither: int, confidence: float = 0.95) -> Quantity | None:
    """Share of the first minus share of the second on the same cases; None for none.

    `both` cases passed with both, `first` with the first alone, `second` with the second alone. Newcombe's
    square-and-add interval with its correction of phi (Statistics in Medicine 17 (1998) 2635-2650, method 10).
    """
    n = both + first + second + neither
    one, two = wilson(both + first, n, confidence), wilson(both + second, n, confidence)
    if one is None or two is None:
        return None
    product = (both + first) * (second + neither) * (both + second) * (first + neither)
    odd = float(both * neither - first * second)
    if odd > 0:
        odd = max(odd - n / 2, 0.0)
    phi = odd / sqrt(product) if product else 0.0
    return _difference(((both + first) / n, one), ((both + second) / n, two), n, phi)


def _difference(first: tuple[float, Interval], second: tuple[float, Interval], n: int, phi: float) -> Quantity:
    (p, one), (q, two) = first, second

    def reach(a: float, b: float) -> float:
        return sqrt(max(0.0, a * a - 2 * phi * a * b + b * b))

    low = p - q - reach(p - one.low, two.high - q)
    high = p - q + reach(one.high - p, q - two.low)
    return Quantity(p - q, n, Interval(max(-1.0, low), min(1.0, high)))


@dataclass(frozen=True)
class Relative:
    """How much the first differs from the second, as a share of `base`; positive where the first is larger."""

    value: float
    base: str

    def __str__(self) -> str:
        return f"{100 * self.value:+.1f} % {self.base}"


Base = Literal["first", "second", "larger", "smaller"]


def relative_difference(first: float, second: float, base: Base = "second") -> Relative | None:
    """(first - second) / base, with the words that name the base; None where the base is 0.

    The same two counts differ by 19.7 % of the larger and 24.5 % of the smaller (8,880 and 7,132), so that a relative
    difference without its base says nothing.
    """
    of = {"first": first, "second": second, "larger": max(first, second), "smaller": min(first, second)}[base]
    return Relative((first - second) / of, f"of the {base}") if of else None

"""Lines of a gate: one check each, with what was measured, its count, its interval and its limit. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragtester.records import GateCheck, Layer, MeanValue, Proportion
from ragtester.stages.proportions import proportion
from ragtester.statistics import format_rate
from ragtester.tables.cells import NOTHING

TOO_SMALL = "too few to tell"
"""Said where the limit lies within the interval of what was measured."""
MAX, MIN = "at most", "at least"


@dataclass(frozen=True)
class Figure:
    """What was measured of one system (or of all, with an empty name)."""

    value: Proportion | MeanValue
    system: str = ""

    @property
    def number(self) -> float | None:
        """The share or the mean; None where it is undefined."""
        one = self.value
        return one.share if isinstance(one, Proportion) else one.value

    def __str__(self) -> str:
        """As in "3/120 = 2.5 % [0.9, 7.1]" and "86.1 % [80.0, 91.0], mean of 117"."""
        one = self.value
        if isinstance(one, Proportion):
            return format_rate(one.successes, one.n)
        if one.value is None:
            return f"{NOTHING}, mean of 0"
        ends = "" if one.low is None or one.high is None else f" [{100 * one.low:.1f}, {100 * one.high:.1f}]"
        return f"{100 * one.value:.1f} %{ends}, mean of {one.n:,}"


def percent(share: float) -> str:
    """A limit, as in "2.5 %", "5 %" and "0.125 %"."""
    return f"{100 * share:.6g} %"


def line(layer: Layer, name: str, text: str) -> GateCheck:
    """A check that passed."""
    return GateCheck(layer=layer, name=name, status="pass", text=text)


def warning(layer: Layer, name: str, text: str) -> GateCheck:
    """What a reader must know and does not close the gate."""
    return GateCheck(layer=layer, name=name, status="warn", text=text)


def failure(layer: Layer, name: str, text: str) -> GateCheck:
    """A check that was made and failed."""
    return GateCheck(layer=layer, name=name, status="fail", text=text)


def impossible(layer: Layer, name: str, text: str) -> GateCheck:
    """A check that could not be made."""
    return GateCheck(layer=layer, name=name, status="error", text=text)


def within(layer: Layer, name: str, figures: list[Figure], limit: float, bound: str, what: str) -> GateCheck:
    """Whether a figure keeps within its limit, for every system: the line is that of the one farthest from it.

    `bound` is MAX or MIN; `what` says what the figure is measured on. An undefined figure is no pass. The
    point value decides; the interval only says whether the suite can tell.
    """
    missing = next((one for one in figures if one.number is None), None)
    if missing is not None or not figures:
        of = f" for {missing.system}" if missing is not None and missing.system else ""
        text = f"undefined{of}: measured on 0 {what}, {bound} {percent(limit)} is demanded; undefined is no pass"
        return GateCheck(layer=layer, name=name, status="error", text=text, n=0, limit=limit)
    far = (max if bound == MAX else min)(figures, key=lambda one: one.number or 0.0)
    value, one = far.number or 0.0, far.value
    passed = value <= limit if bound == MAX else value >= limit
    too_small = one.low is not None and one.high is not None and one.low <= limit <= one.high
    text = f"{far}, {bound} {percent(limit)}"
    text += f" (worst of {len(figures)}: {far.system})" if len(figures) > 1 else ""
    text += f"; {TOO_SMALL}" if too_small else ""
    return GateCheck(
        layer=layer,
        name=name,
        status="pass" if passed else "fail",
        text=text,
        value=value,
        n=one.n,
        low=one.low,
        high=one.high,
        limit=limit,
        too_small=too_small,
    )


def ungraded(layer: Layer, without: int, planned: int, limit: float, what: str) -> Iterator[GateCheck]:
    """Whether few enough rows lack a grade; no line where all have one.

    These are all rows and no sample of them: there is nothing that their number could be too small for.
    """
    if not without:
        return
    made = within(layer, "ungraded", [Figure(proportion(without, planned))], limit, MAX, what)
    text = made.text.removesuffix(f"; {TOO_SMALL}")
    yield made.model_copy(update={"text": text, "too_small": False})


def all_graded(without: int) -> str:
    """The end of a line that passed."""
    return "" if without else ", none ungraded"

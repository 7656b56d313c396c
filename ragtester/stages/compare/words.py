"""Pieces of sentences that every section uses."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.results.tally import Tally
from ragtester.stages.compare.view import View
from ragtester.statistics import Interval, Test, format_p
from ragtester.tables import Estimate, Paragraph
from ragtester.tables.cells import show

LEVEL = 0.05
FEW_DOCUMENTS = 10


def plural(count: int, noun: str) -> str:
    """`1 case`, `2 cases`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(names: Sequence[str], most: int = 4) -> str:
    """`a, b and c`; `a, b, c, d and 7 more`."""
    if len(names) > most:
        return ", ".join(names[:most]) + f" and {len(names) - most} more"
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}" if names else "none"


def of_group(mark: str) -> str:
    """What the title of a table adds where systems fall into groups; `mark` ends the table's id: "-2", or nothing."""
    return f", group {mark.removeprefix('-')}" if mark else ""


def points(value: float, n: int, interval: Interval | None) -> Estimate:
    """A difference of shares in percentage points."""
    ends = Interval(100 * interval.low, 100 * interval.high) if interval else None
    return Estimate(100 * value, n, ends, "points")


def share(value: float, n: int, interval: Interval | None) -> Estimate:
    """A share in percent, with an interval that is not Wilson's."""
    ends = Interval(100 * interval.low, 100 * interval.high) if interval else None
    return Estimate(100 * value, n, ends, "%")


def short(estimate: Estimate) -> str:
    """An estimate within a sentence that names its count elsewhere."""
    return show(estimate).removesuffix(f", n {estimate.n}")


def tested(test: Test, corrected: float | None = None) -> str:
    """`McNemar exact p = 0.012, Holm p = 0.036, odds ratio 2.1 [1.2, 4.0], n 34`."""
    text = f"{test.name} {format_p(test.p)}"
    if corrected is not None:
        text += f", Holm {format_p(corrected)}"
    if test.effect is not None:
        text += f", {test.effect_name} {short(Estimate(test.effect, test.n, test.interval))}"
    return text


def account(tally: Tally, unfilled: int) -> Paragraph:
    """What the figures of a section rest on."""
    text = f"Rests on {tally.graded} graded of {tally.planned} planned answers: {tally.ungraded} ungraded, "
    return Paragraph(f"{text}{tally.missing} missing; {plural(unfilled, 'case')} of the suite unfilled.")


def unfilled_cases(view: View, techniques: Sequence[str] | None = None) -> int:
    """Cases that were asked for and could not be made, of all techniques or of those named."""
    return sum(
        count
        for (_, name), count in view.results.unfilled.items()
        if techniques is None or name.partition("/")[0] in techniques
    )


def documents_note(count: int) -> str:
    """What an interval from a bootstrap over so few documents is worth; empty where that goes without saying."""
    if count < 2:
        return "With one document there is no interval over documents (n/a): nothing says how another would do."
    if count < FEW_DOCUMENTS:
        return (
            f"Intervals over documents rest on {count} documents only and are rather too narrow; "
            f"{FEW_DOCUMENTS} or more are better."
        )
    return ""

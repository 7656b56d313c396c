"""What a contrast says in plain words, with its counts, interval and tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragtester.stages.compare.contrasts import Contrast
from ragtester.stages.compare.words import FEW_DOCUMENTS, listed, short, tested
from ragtester.tables import Paragraph
from ragtester.tables.cells import show


@dataclass(frozen=True)
class Sides:
    """How the two sides of a contrast are called in a sentence, and what they do with failures."""

    first: str
    second: str
    verb: str


def contrast_paragraphs(contrast: Contrast, sides: Sides) -> Iterator[Paragraph]:
    """What a contrast comes to, then how it looks system by system."""
    if contrast.estimate is None:
        yield Paragraph(
            f"Cannot be answered: no system has graded answers both of {sides.first} and of {sides.second} "
            "(`ragtester judge`).",
            answer=True,
        )
        return
    yield Paragraph(_answer(contrast, sides), answer=True)
    yield Paragraph(_systems(contrast, sides))
    if contrast.one_sided:
        names = listed([system.name for system in contrast.one_sided])
        yield Paragraph(f"Left out, for they lack graded answers of one side: {names}.")


def _answer(contrast: Contrast, sides: Sides) -> str:
    one, two = contrast.totals
    assert contrast.estimate is not None
    assert contrast.test is not None
    text = (
        f"{_head(contrast, sides)}: {show(one.fail_rate)} failed against {show(two.fail_rate)}, a difference of "
        f"{short(contrast.estimate)}{_over(contrast)}; by case {tested(contrast.test)}. "
    )
    return text + (_weight(contrast) if contrast.told_apart else _needs(contrast))


def _head(contrast: Contrast, sides: Sides) -> str:
    first, second = sides.first, sides.second
    difference = contrast.difference or 0.0
    claim = f"{first} {sides.verb} {'more' if difference > 0 else 'fewer'} failures than {second}"
    if contrast.told_apart and min(contrast.documents) >= FEW_DOCUMENTS:
        return claim[:1].upper() + claim[1:] if " " in first else claim  # a technique's name keeps its letters
    if contrast.told_apart or (difference and _all_alike(contrast)):
        return f"In these few documents {claim}"
    if min(contrast.documents) < 2:
        return f"Whether {first} {sides.verb} more failures than {second} cannot be said from so few documents"
    return f"These data cannot tell {first} from {second}"


def _all_alike(contrast: Contrast) -> bool:
    """Whether the documents show no spread, so that there is no interval over them."""
    return contrast.interval is None and min(contrast.documents) > 1


def _over(contrast: Contrast) -> str:
    if contrast.interval is None:
        return " (no interval over documents)"
    one, two = contrast.documents
    return f" over {one} documents" if one == two else f" over {one} and {two} documents"


def _weight(contrast: Contrast) -> str:
    """How far a difference reaches, with so many documents on the smaller side."""
    fewest = min(contrast.documents)
    if fewest < FEW_DOCUMENTS:
        return f"With only {fewest} documents on a side that is a hint, no finding."
    return "That is beyond what chance among documents gives."


def _needs(contrast: Contrast) -> str:
    if _all_alike(contrast):
        return "The documents show no spread, so there is no interval over them and nothing to judge chance by."
    needed = contrast.needed()
    if needed is None:
        return "The rates are the same, so no number of cases can be named."
    more = needed - min(tally.graded for tally in contrast.totals)
    if more > 0:
        return f"It needs about {more} more graded answers a side, if the rates stay what they are."
    return "More answers of these documents would not settle it: it needs more documents."


def _systems(contrast: Contrast, sides: Sides) -> str:
    text = f"By system, {sides.first} {sides.verb} more in {len(contrast.wins(1))} of {len(contrast.by_system)}"
    text += f" ({len(contrast.significant(1))} hold after Holm over {contrast.family}), {sides.second} in "
    text += f"{len(contrast.wins(-1))} ({len(contrast.significant(-1))} hold)"
    even = len(contrast.wins(0))
    return (
        text + (f", neither in {even}." if even else ".") + " A12 above 0.5: a case of the first fails in more systems."
    )

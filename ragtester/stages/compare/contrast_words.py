"""What a contrast says in plain words, with its counts, interval and tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragtester.stages.compare.contrasts import Contrast
from ragtester.stages.compare.words import FEW_DOCUMENTS, listed, short, tested
from ragtester.tables.cells import show


@dataclass(frozen=True)
class Sides:
    """How the two sides of a contrast are called in a sentence, and what they do with failures."""

    first: str
    second: str
    verb: str


def contrast_sentences(contrast: Contrast, sides: Sides) -> Iterator[str]:
    """What a contrast says in plain words."""
    first, second = sides.first, sides.second
    one, two = contrast.totals
    estimate, test = contrast.estimate, contrast.test
    if estimate is None or test is None:
        yield f"Cannot be answered: no system has graded answers both of {first} and of {second} (`ragtester judge`)."
        return
    more = "more" if estimate.value > 0 else "fewer"
    yield (
        f"{_upper(first)}: {show(one.rate)} failed; {second}: {show(two.rate)}. The difference is {short(estimate)}"
        f"{_over(contrast)}; {_relative(contrast, sides)}. By case: {tested(test)} (above 0.5: a case of the "
        "first fails in more systems)."
    )
    if contrast.interval is None:
        yield "Whether it would hold for other documents cannot be said from so few."
    elif contrast.told_apart:
        yield f"So {first} {sides.verb} {more} failures than {second}{_weight(contrast)}."
    else:
        needed = contrast.needed()
        text = f"These data cannot tell {first} from {second}: the interval over documents includes 0"
        yield text + (f"; it needs about {needed} cases a side, if the rates stay what they are." if needed else ".")
    yield _systems(contrast, sides)
    if contrast.one_sided:
        names = listed([system.name for system in contrast.one_sided])
        yield f"Left out, for they lack graded answers of one side: {names}."


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:] if " " in text else text


def _over(contrast: Contrast) -> str:
    if contrast.interval is None:
        return " (no interval over documents)"
    one, two = contrast.documents
    return f" over {one} documents" if one == two else f" over {one} and {two} documents"


def _weight(contrast: Contrast) -> str:
    """How far a difference reaches, with so many documents on the smaller side."""
    fewest = min(contrast.documents)
    if fewest < FEW_DOCUMENTS:
        return f" here; with only {fewest} documents on a side that is a hint, no finding"
    return ", beyond what chance among documents gives"


def _relative(contrast: Contrast, sides: Sides) -> str:
    found = [
        f"{short(value)} relative to {name}"
        for base, name in (("second", sides.second), ("first", sides.first))
        if (value := contrast.relative(base)) is not None
    ]
    return " or ".join(found) if found else "no relative difference, for nothing failed"


def _systems(contrast: Contrast, sides: Sides) -> str:
    text = f"By system, {sides.first} {sides.verb} more in {len(contrast.wins(1))} of {len(contrast.by_system)}"
    text += f" ({len(contrast.significant(1))} hold after Holm over {contrast.family}), {sides.second} in "
    text += f"{len(contrast.wins(-1))} ({len(contrast.significant(-1))} hold)"
    even = len(contrast.wins(0))
    return text + (f", neither in {even}." if even else ".")

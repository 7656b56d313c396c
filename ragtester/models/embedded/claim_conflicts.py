"""What a sentence or clause says otherwise than a claim: a value, a unit, a name, a negation, an opposite."""

from __future__ import annotations

import re
from itertools import pairwise

from ragtester.models.embedded.claim_matching import comparable, is_year, likeness, same_value
from ragtester.models.embedded.claim_reading import Part
from ragtester.models.embedded.claim_swaps import swapped_names
from ragtester.models.embedded.claim_words import opposites
from ragtester.models.embedded.judging_conflicts import swapped
from ragtester.text.quantities import Quantity
from ragtester.text.stems import stem
from ragtester.text.words import words

REACH = 5
_LISTED = re.compile(r"\w,(?: \S+){1,5},? (?:and|or|und|oder|sowie|et|ou|y|o|e|en|of|и|или) ", re.I)
NEXT = 60
"""Characters around a bare number in which the words beside it are looked for."""


def conflict(claim: Part, there: Part, sentence: Part, code: str, before: frozenset[str]) -> str:
    """What a clause says otherwise than the claim, in a few words; "" where it does not."""
    return (
        other_value(claim, there)
        or other_name(claim, there, code, before)
        or swapped_names(claim, sentence, code)
        or other_of_kind(claim, there)
        or opposite(claim, there, code)
        or other_sense(claim, there)
    )


def other_value(claim: Part, there: Part) -> str:
    """A value of the claim that is another one there."""
    for said in claim.read.quantities:
        if any(same_value(said, one) for one in there.read.quantities):
            continue
        rivals = [one for one in there.read.quantities if comparable(said, one) and _alike(claim, said, there, one)]
        if any(low.value <= said.value <= high.value for low, high in pairwise(rivals) if low.kind == said.kind):
            continue  # within a range that is stated
        left = [one for one in rivals if not any(same_value(one, other) for other in claim.read.quantities)]
        if left:
            return f"{_shown(there, left[0])}, not {_shown(claim, said)}"
        digits = _digits(claim, said)
        same = [one for one in there.read.quantities if one.unit and said.unit and _digits(there, one) == digits]
        if same and not rivals:
            return f"{_shown(there, same[0])}, not {_shown(claim, said)}"
    return swapped(claim.read, there.read)


def _alike(claim: Part, said: Quantity, there: Part, one: Quantity) -> bool:
    """Whether two bare numbers count the same: years, or numbers beside the same word. A unit says so by itself."""
    if said.unit or said.kind != "number" or one.kind != "number" or (is_year(said) and is_year(one)):
        return True
    return bool(_beside(claim, said) & _beside(there, one))


def _beside(part: Part, quantity: Quantity) -> set[str]:
    text, stems = part.text, part.read.stem_of
    near = [*words(text[max(0, quantity.start - NEXT) : quantity.start])[-1:]]
    near += words(text[quantity.end : quantity.end + NEXT])[:2]
    return {stems[word] for word in near if word in stems}


def _shown(part: Part, quantity: Quantity) -> str:
    return " ".join(part.text[quantity.start : quantity.end].split())


def _digits(part: Part, quantity: Quantity) -> str:
    return "".join(char for char in _shown(part, quantity) if char.isdigit())


def other_name(claim: Part, there: Part, code: str, before: frozenset[str]) -> str:
    """Another name or identifier in the place of the claim's, where the clause says all else of the claim.

    A list of names is not closed: that another is not among them contradicts nothing.
    """
    others = frozenset(there.read.names | claim.read.names)
    rest = [one for one in claim.content if one not in others]
    if not rest or not all(likeness(one, there.stems | before, code) for one in rest):
        return ""
    if not any(likeness(one, there.stems, code) for one in rest) or _LISTED.search(there.text):
        return ""
    for ours, theirs, held in (
        (claim.read.codes, there.read.codes, there.read.codes),
        (claim.read.names, there.read.names, there.stems),
    ):
        said, instead = ours - held, theirs - ours - frozenset(claim.read.stems)
        said = frozenset(one for one in said if not likeness(one, held, code))
        if said and instead:
            return f"{_spelled(there, min(instead))!r}, not {_spelled(claim, min(said))!r}"
    return ""


def _spelled(part: Part, stem: str) -> str:
    return next((word for word, own in part.read.stem_of.items() if own == stem), stem)


def other_of_kind(claim: Part, there: Part) -> str:
    """Another weekday, month, colour or the like."""
    for kind, said in claim.groups.items():
        instead = there.groups.get(kind, frozenset())
        if said - instead and instead - said:
            return f"{min(instead - said)!r}, not {min(said - instead)!r}"
    return ""


def other_sense(claim: Part, there: Part) -> str:
    """Whether one of the two denies what the other says, or says that something is there which the other has not."""
    for one, other in ((claim, there), (there, claim)):
        lacking = (one.without & other.stems) - other.without
        if lacking:
            return f"'without' stands at {min(lacking)!r} in one of them only"
    if claim.denied != there.denied:
        return "it denies this" if there.denied else "it says this without denial"
    return ""


def opposite(claim: Part, there: Part, code: str) -> str:
    """A word of the claim and its opposite there, beside the same words."""
    table = opposites(code)
    ours, theirs = _placed(claim, code), _placed(there, code)
    for one, place in ours.items():
        if one in theirs:
            continue
        for other in sorted(table.get(one, frozenset()) & theirs.keys() - ours.keys()):
            if _around(claim, place) & _around(there, theirs[other]):
                return f"{there.read.sequence[theirs[other]]!r}, not {claim.read.sequence[place]!r}"
    return ""


def _placed(part: Part, code: str) -> dict[str, int]:
    return {stem(word, code): place for place, word in reversed(list(enumerate(part.read.sequence)))}


def _around(part: Part, place: int) -> set[str]:
    near = part.read.sequence[max(0, place - REACH) : place + REACH + 1]
    return {part.read.stem_of.get(word, word) for word in near if word != part.read.sequence[place]} & {
        *part.read.stems,
        *(str(word) for word in near if word == "␠"),
    }

"""What a sentence or clause says otherwise than a claim: a value, a unit, a name, a negation, an opposite."""

from __future__ import annotations

import re
from itertools import pairwise

from ragtester.models.embedded.claim_matching import Claim
from ragtester.models.embedded.claim_parts import Part
from ragtester.models.embedded.claim_swaps import swapped_names
from ragtester.models.embedded.claim_values import comparable, is_year, missing, same_value
from ragtester.models.embedded.claim_words import opposites
from ragtester.models.embedded.judging_conflicts import swapped
from ragtester.text.quantities import Quantity
from ragtester.text.stems import stem
from ragtester.text.words import words

REACH = 5
"""Words around a word and its opposite in which they must share another."""
DENIED = 0.75
LEAST = 2
"""Share of a claim's words that a clause must hold, or that stand before it, to deny it; so many are its own."""
_LISTED = re.compile(r"\w,(?: \S+){1,5},? (?:and|or|und|oder|sowie|et|ou|y|o|e|en|of|и|или) ", re.I)
NEXT = 60
"""Characters around a bare number in which the words beside it are looked for."""


def conflict(claim: Claim, there: Part, sentence: Part, before: frozenset[str]) -> str:
    """What a clause says otherwise than the claim, in a few words; "" where it does not."""
    if found := other_value(claim, there):
        return found
    if missing(claim.part.read.quantities, sentence.read.quantities):
        return ""  # it is another statement
    return (
        _other_name(claim, there, before)
        or swapped_names(claim.part, sentence, claim.code)
        or _other_of_kind(claim, there)
        or _opposite(claim, there)
        or _other_sense(claim, there, before)
    )


def other_value(claim: Claim, there: Part) -> str:
    """A value of the claim that is another one there; not where the clause names another thing."""
    ours, theirs = claim.part.read, there.read
    if any(mine - held and other - claim.stems for mine, held, other in _named(claim, there)):
        return ""
    for said in ours.quantities:
        if any(same_value(said, one) for one in theirs.quantities):
            continue
        rivals = [one for one in theirs.quantities if comparable(said, one) and _alike(claim.part, said, there, one)]
        span = sum(comparable(said, one) for one in ours.quantities) > 1
        if not span and any(low.value <= said.value <= high.value for low, high in pairwise(rivals)):
            continue  # within a range that is stated
        left = missing(tuple(rivals), ours.quantities)
        if left:
            return f"{_shown(there, left[0])}, not {_shown(claim.part, said)}"
        digits = _digits(claim.part, said)
        same = [one for one in theirs.quantities if one.unit and said.unit and _digits(there, one) == digits]
        if same and not rivals:
            return f"{_shown(there, same[0])}, not {_shown(claim.part, said)}"
    return swapped(ours, theirs)


def _named(claim: Claim, there: Part) -> tuple[tuple[frozenset[str], frozenset[str], frozenset[str]], ...]:
    """Identifiers and names: the claim's, what the clause holds of that sort, and the clause's own."""
    read = there.read
    return (
        (claim.part.read.codes, read.codes, read.codes),
        (claim.part.read.names, there.stems, read.names),
    )


def _alike(claim: Part, said: Quantity, there: Part, one: Quantity) -> bool:
    """Whether two bare numbers count the same: years, or numbers beside the same word. A unit says so by itself."""
    if said.unit or said.kind != "number" or one.kind != "number" or (is_year(said) and is_year(one)):
        return True
    return bool(_beside(claim, said) & _beside(there, one))


def _beside(part: Part, quantity: Quantity) -> set[str]:
    text, stems = part.text, part.read.stem_of
    before = words(text[max(0, quantity.start - NEXT) : quantity.start])[-2:]
    near = [one for one in before if one in stems][-1:]
    near += words(text[quantity.end : quantity.end + NEXT])[:2]
    return {stems[word] for word in near if word in stems}


def _shown(part: Part, quantity: Quantity) -> str:
    return " ".join(part.text[quantity.start : quantity.end].split())


def _digits(part: Part, quantity: Quantity) -> str:
    return "".join(char for char in _shown(part, quantity) if char.isdigit())


def _other_name(claim: Claim, there: Part, before: frozenset[str]) -> str:
    """Another name or identifier in the place of the claim's, where the clause says all else of the claim.

    A list of names is not closed: that another is not among them contradicts nothing.
    """
    others = there.read.names | claim.part.read.names
    rest = [one for one in claim.part.content if one not in others]
    if claim.topic and not rest:
        rest = [one for one, _ in claim.topic if claim.credit(one, there.stems | before)]
    if not rest or not all(claim.credit(one, there.stems | before) for one in rest):
        return ""
    if not any(claim.credit(one, there.stems) for one in rest) or _LISTED.search(there.text):
        return ""
    for mine, held, theirs in _named(claim, there):
        said = sorted(one for one in mine - held if not claim.credit(one, held))
        instead = sorted(theirs - mine - claim.stems)
        if said and instead:
            return f"{_spelled(there, instead[0])!r}, not {_spelled(claim.part, said[0])!r}"
    return ""


def _spelled(part: Part, stem: str) -> str:
    return next((word for word, own in part.read.stem_of.items() if own == stem), stem)


def _other_of_kind(claim: Claim, there: Part) -> str:
    """Another weekday, month, colour or the like; not where the clause says the opposite ("closed on Mondays")."""
    if any(claim.opposed(one, there.stems) and one not in there.stems for one in claim.part.content):
        return ""
    for kind, said in claim.part.groups.items():
        instead = there.groups.get(kind, frozenset())
        if said - instead and instead - said:
            return f"{min(instead - said)!r}, not {min(said - instead)!r}"
    return ""


def _other_sense(claim: Claim, there: Part, before: frozenset[str]) -> str:
    """Whether one of the two denies what the other says, or says that something is there which the other has not."""
    part = claim.part
    own = [one for one in part.content if claim.credit(one, there.stems)]
    shared = [one for one in part.content if one in own or one in before]
    if len(shared) < DENIED * len(part.content) or len(own) < min(LEAST, len(part.content)):
        return ""
    for one, other in ((part, there), (there, part)):
        lacking = (one.without & other.stems) - other.without
        if lacking:
            return f"'without' stands at {min(lacking)!r} in one of them only"
    # "The data that need no change are not kept here": a second denial counts only where all else is the same.
    counted = part.denials != there.denials and set(part.read.stems) == set(there.read.stems)
    if part.denied != there.denied or counted:
        more = there.denied if part.denied != there.denied else there.denials > part.denials
        return "it denies this" if more else "it says this without denial"
    return ""


def _opposite(claim: Claim, there: Part) -> str:
    """A word of the claim and its opposite there, beside the same words."""
    table, part = opposites(claim.code), claim.part
    ours, theirs = _placed(part, claim.code), _placed(there, claim.code)
    for one, place in ours.items():
        if one in theirs:
            continue
        for other in sorted(table.get(one, frozenset()) & theirs.keys() - ours.keys()):
            if _around(part, place) & _around(there, theirs[other]):
                return f"{there.read.sequence[theirs[other]]!r}, not {part.read.sequence[place]!r}"
    return ""


def _placed(part: Part, code: str) -> dict[str, int]:
    return {stem(word, code): place for place, word in reversed(list(enumerate(part.read.sequence)))}


def _around(part: Part, place: int) -> set[str]:
    """Content stems near a word, and the sign that stands for a value."""
    near = part.read.sequence[max(0, place - REACH) : place + REACH + 1]
    own = part.read.sequence[place]
    return {part.read.stem_of.get(word, word) for word in near if word != own} & {
        *part.read.stems,
        "␠",
    }

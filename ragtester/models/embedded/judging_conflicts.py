"""Contradictions between an answer's statement and the statement it stands beside."""

from __future__ import annotations

from itertools import pairwise

from ragtester.models.embedded.judging_statements import Statement
from ragtester.models.embedded.judging_words import LOOSE, OPPOSITES
from ragtester.text.quantities import Quantity, Values, same_quantity
from ragtester.text.words import words

OPPOSITE_REACH = 3
FEW_SHARED = 3
NEXT = 80
"""Characters around a quantity in which the words beside it are looked for."""


def conflict(claim: Statement, truth: Statement, known: Values, given: frozenset[str], *, strict: bool) -> str:
    """Why `claim` contradicts `truth`, in a few words; "" where it does not.

    `known` are all quantities that the expected answer, the evidence and the question name. With `strict` (a short
    expected answer) a value of the same unit beside the expected one is a contradiction even where the evidence names
    it for something else.
    """
    return (
        _other_value(claim, truth, known, strict=strict)
        or _other_name(claim, truth, given, strict=strict)
        or denies(claim, truth, given, strict=strict)
    )


def denies(claim: Statement, truth: Statement, given: frozenset[str], *, strict: bool = False) -> str:
    """Why `claim` says the contrary of `truth` by a negation or an opposite, values and names apart; "" if not."""
    return _negation(claim, truth, given, strict=strict) or _opposite(claim, truth, given, strict=strict)


def _other_value(claim: Statement, truth: Statement, known: Values, *, strict: bool) -> str:
    for said in claim.quantities:
        if said in truth.values:
            continue
        rivals = [
            one for one in truth.quantities if _comparable(one, said) and (strict or _alike(claim, said, truth, one))
        ]
        if any(low.value <= said.value <= high.value for low, high in pairwise(rivals)):
            continue  # within a range that the expected answer gives
        left = [one for one in rivals if one not in claim.values]
        if left and (strict or said not in known):
            return f"{_shown(claim, said)} instead of {_shown(truth, left[0])}"
        if strict and not rivals and not any(one in claim.values for one in truth.quantities):
            # The same digits with two different units; a bare number only leaves its unit out.
            digits = _digits(claim, said)
            same = [one for one in truth.quantities if one.unit and said.unit and _digits(truth, one) == digits]
            if same:
                return f"{_shown(claim, said)} instead of {_shown(truth, same[0])}"
    return swapped(claim, truth)


def _comparable(one: Quantity, other: Quantity) -> bool:
    return one.unit == other.unit and (one.kind == "date") == (other.kind == "date")


def _alike(claim: Statement, said: Quantity, truth: Statement, one: Quantity) -> bool:
    """Whether two bare numbers count the same thing ("nine fires", "12 fires"); a unit says so by itself."""
    if said.unit:
        return True
    return bool(_beside(claim, said) & _beside(truth, one))


def _beside(statement: Statement, quantity: Quantity) -> set[str]:
    """Content stems of the words right before and right after a quantity."""
    stems = statement.stem_of
    near = [*words(statement.text[max(0, quantity.start - NEXT) : quantity.start])[-1:]]
    near += words(statement.text[quantity.end : quantity.end + NEXT])[:1]
    return {stems[word] for word in near if word in stems}


def swapped(claim: Statement, truth: Statement) -> str:
    """Two values of the expected statement, each beside the words of the other; "" where they are not."""
    ours, theirs = _segments(claim), _segments(truth)
    for (one, first), (two, second) in pairwise(theirs):
        if not _comparable(one, two) or one.value == two.value or not (first - second and second - first):
            continue
        said_first = next((stems for value, stems in ours if same_quantity(value, one)), set())
        said_second = next((stems for value, stems in ours if same_quantity(value, two)), set())
        mine, yours = first - second, second - first
        if said_first & yours and said_second & mine and not (said_first & mine or said_second & yours):
            return f"{_shown(truth, one)} and {_shown(truth, two)} change places"
    return ""


def _segments(statement: Statement) -> list[tuple[Quantity, set[str]]]:
    """Each quantity with the stems that follow it, up to the next quantity."""
    stems = statement.stem_of
    ends = [*(quantity.start for quantity in statement.quantities[1:]), len(statement.text)]
    return [
        (quantity, {stems[word] for word in words(statement.text[quantity.end : end]) if word in stems})
        for quantity, end in zip(statement.quantities, ends, strict=False)
    ]


def _shown(statement: Statement, quantity: Quantity) -> str:
    return " ".join(statement.text[quantity.start : quantity.end].split())


def _digits(statement: Statement, quantity: Quantity) -> str:
    return "".join(char for char in _shown(statement, quantity) if char.isdigit())


def _other_name(claim: Statement, truth: Statement, given: frozenset[str], *, strict: bool) -> str:
    """Another name or identifier in the place of the expected one; only where the expected answer is short."""
    if not strict:
        return ""
    for ours, theirs in ((claim.codes, truth.codes), (claim.names, truth.names)):
        said, wanted = ours - theirs - given, theirs - ours - given - set(claim.stems)
        if said and wanted and not ours & theirs - given:
            return f"{min(said)} instead of {min(wanted)}"
    return ""


def _negation(claim: Statement, truth: Statement, given: frozenset[str], *, strict: bool) -> str:
    """What one of the two denies and the other asserts, over at least a third of the stems that they share.

    Two shared stems are little in a long answer, whose statements meet by chance: there it takes three.
    """
    shared = set(claim.stems) & set(truth.stems)
    if len(shared) < FEW_SHARED and not strict:
        return ""
    # Two denials of the same thing reach over different words; only a denial against an assertion is told apart.
    if not shared or bool(claim.negated) == bool(truth.negated):
        return ""
    flipped = {stem for stem in shared if (stem in claim.negated) != (stem in truth.negated)}
    # The question's words alone say that much only where the answer is one value ("the log is not kept").
    fresh = flipped - given or (flipped if strict and shared <= given else set())
    return f"negation of {min(fresh)!r} differs" if fresh and len(flipped) * 3 >= len(shared) else ""


def _opposite(claim: Statement, truth: Statement, given: frozenset[str], *, strict: bool) -> str:
    """A word and its opposite, said about the same thing: a content stem within three words of both is the same.

    Prepositions are opposites in a short answer only: long ones use them in too many ways ("run water over the burn").
    """
    ignored = frozenset() if strict else LOOSE
    ours, theirs = set(claim.sequence) - ignored, set(truth.sequence) - ignored
    for word in sorted(ours - theirs - given):
        for other in sorted(OPPOSITES.get(word, frozenset()) & theirs - ours - given):
            if _around(claim, word) & _around(truth, other):
                return f"{word!r} instead of {other!r}"
    return ""


def _around(statement: Statement, word: str) -> set[str]:
    place = statement.sequence.index(word)
    stems = statement.stem_of
    near = statement.sequence[max(0, place - OPPOSITE_REACH) : place + OPPOSITE_REACH + 1]
    return {stems[other] for other in near if other != word and other in stems}

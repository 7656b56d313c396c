"""Who does what and what goes where: names that change places between doer and done-to, or between from and to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ragtester.models.embedded.claim_matching import Claim
from ragtester.models.embedded.claim_parts import Part
from ragtester.models.embedded.claim_words import opposites_of
from ragtester.text.normalise import listed
from ragtester.text.stems import stem
from ragtester.text.words import words

REACH = 5
"""Words between a name and the verb that it belongs to."""
_FROM = frozenset(listed("from von vom aus de du da dal dalla desde del van uit"))
_TO = frozenset(listed("to into nach zu zum zur à au a al hacia vers naar"))
_BY = frozenset(listed("by von vom durch par por da dal dalla door"))
_AGENT = frozenset(listed("by durch par por"))
_BE = frozenset(
    listed(
        "is are was were be been being gets got wird werden wurde wurden worden ist sind est sont était été fut "
        "fue fueron es son ser sido è sono stato stata fu viene werd werden"
    )
)
_HELPING = frozenset(listed("has have had will would did does hat haben hatte a ont avait ha han había ,"))
"""What may stand between a name and the verb that it does."""
_THAN = re.compile(r"\b(?:than|als)\b", re.I)
_TOKEN = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*|[.,;:()]")


@dataclass(frozen=True)
class Token:
    """A word, its stem, and whether it is (part of) a name; `word` is a sign where a clause may end."""

    word: str
    stem: str
    named: bool
    content: bool


def swapped_roles(claim: Claim, there: Part) -> str:
    """A name that does in the claim what another does there, or two that change places between from and to.

    In a few words; "" where nothing is swapped. Seen are active sentences ("A beat B"), passives ("B was beaten by A"),
    and "from A to B", where both names stand in the passage's sentence.
    """
    names = (claim.part.read.names | there.read.names) & there.stems & claim.stems
    names |= there.read.names
    ours, theirs = _tokens(claim.part, names), _tokens(there, names)
    known = {one.stem for one in theirs if one.named}
    one, two = (
        _ways([replace(token, named=token.content and token.word not in _FROM | _TO) for token in tokens])
        for tokens in (ours, theirs)
    )
    if one and two and one[0] & two[1] and one[1] & two[0] and not (one[0] & two[0] or one[1] & two[1]):
        return f"from {min(two[0])!r} to {min(two[1])!r}"
    if found := _compared(claim.part, there):
        return found
    held = dict(_agents(theirs))
    for verb, doer in _agents(ours):
        true = held.get(verb, doer)
        if not doer & true and doer <= there.stems:
            return f"{min(true)!r} is with {verb!r}, not {min(doer)!r}"
    held = dict(_doers(theirs))
    for verb, doer in _doers(ours):
        like = claim.kin.get(verb, frozenset()) | {verb}
        for other, true in held.items():
            if other in like and true - doer and (doer - true) & known:
                return f"{min(true - doer)!r} is with {other!r}, not {min(doer - true)!r}"
    return ""


def _compared(ours: Part, theirs: Part) -> str:
    """Two things that stand the other way round about "than", beside the same words."""
    if any(opposites_of(one, ours.code) & theirs.stems for one in ours.read.stems) or ours.denied != theirs.denied:
        return ""
    return "it says so the other way round" if turned_about(ours, theirs) else ""


def turned_about(ours: Part, theirs: Part) -> bool:
    """Whether what stands before "than" in one text stands after it in the other, and the other way round."""
    said, held = _sides(ours), _sides(theirs)
    return bool(said and held and said[0] & held[1] - held[0] and said[1] & held[0] - held[1])


def _sides(part: Part) -> tuple[frozenset[str], frozenset[str]] | None:
    """The stems that stand only before, and only after, "than"."""
    halves = _THAN.split(part.text)
    if len(halves) != 2:
        return None
    before, after = ({stem for word, stem in part.read.stem_of.items() if word in words(half)} for half in halves)
    return frozenset(before - after), frozenset(after - before)


def _tokens(part: Part, names: frozenset[str]) -> list[Token]:
    found = []
    for match in _TOKEN.finditer(part.text):
        said = match.group()
        lower = words(said)
        own = stem(lower[0], part.code) if lower else ""
        named = said[:1].isupper() and own in names
        found.append(Token(lower[0] if lower else said, own, named, bool(lower) and lower[0] in part.read.stem_of))
    return found


def _runs(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    """Where each name begins and ends."""
    start = None
    for place, one in enumerate([*tokens, Token("", "", False, False)]):
        if one.named and start is None:
            start = place
        elif not one.named and start is not None:
            yield start, place
            start = None


def _before(tokens: list[Token], place: int) -> str:
    """The word before a name, an article and a title left out."""
    for one in reversed(tokens[max(0, place - 2) : place]):
        if one.word in _FROM | _TO | _BY:
            return one.word
    return ""


def _ways(tokens: list[Token]) -> tuple[frozenset[str], frozenset[str]] | None:
    """The names after "from" and after "to"; None where one of them is missing."""
    origin: set[str] = set()
    target: set[str] = set()
    for start, end in _runs(tokens):
        mark, name = _before(tokens, start), {one.stem for one in tokens[start:end]}
        if mark in _FROM:
            origin |= name
        elif mark in _TO:
            target |= name
    return (frozenset(origin - target), frozenset(target - origin)) if origin - target and target - origin else None


def _agents(tokens: list[Token]) -> Iterator[tuple[str, frozenset[str]]]:
    """Each verb's stem with the words after "by"."""
    for place, one in enumerate(tokens):
        before = [other for other in tokens[max(0, place - 1) : place] if other.content]
        if one.word not in _AGENT or not before:
            continue
        found = set()
        for other in tokens[place + 1 : place + 1 + REACH]:
            if other.content:
                found.add(other.stem)
            elif found:
                break
        if found:
            yield before[-1].stem, frozenset(found)


def _doers(tokens: list[Token]) -> Iterator[tuple[str, frozenset[str]]]:
    """Each verb's stem with the name that does it: after "by", else before the verb."""
    runs = list(_runs(tokens))
    for start, end in runs:
        name = frozenset(one.stem for one in tokens[start:end])
        before = [one for one in tokens[max(0, start - REACH) : start] if one.content and not one.named]
        if _before(tokens, start) in _BY:
            if before:
                yield before[-1].stem, name
            continue
        following = next((place for place in range(end, min(len(tokens), end + REACH)) if tokens[place].content), None)
        if following is None or tokens[following].named:
            continue
        between = {one.word for one in tokens[end:following]}
        by = any(one.word in _BY for one in tokens[following + 1 : following + 2])
        passive = bool(_BE & between) or (by and any(one.named for one in tokens[following + 2 : following + 5]))
        if not passive and between <= _HELPING:
            yield tokens[following].stem, name

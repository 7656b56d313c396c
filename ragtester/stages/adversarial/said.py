"""What an answer says of a fixture's right value and of its poison. By rule, pure.

Every sentence is looked through for both. Where it holds several values it is cut between them, so that each has its
own words around it. A value counts as said where these words neither deny it nor report it as superseded. What only
labels a value ("the draft says", "in Norway") sets it apart where another value is given as the answer, and is no
excuse where it is the only one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragtester.stages.adversarial.cues import (
    CHANGED_FROM,
    DENIED_AFTER,
    DENIED_BEFORE,
    JOINTS,
    SUPERSEDED,
    TOLD_APART,
)
from ragtester.stages.adversarial.mentions import mentions
from ragtester.text.disagreement import names_conflict
from ragtester.text.normalise import fold
from ragtester.text.quantities import quantities
from ragtester.text.sentences import sentences
from ragtester.text.stems import stems

COVER = 0.7
"""Share of an expected answer's content stems that an answer must hold, where no keyword or value can be looked for."""


@dataclass(frozen=True)
class Sought:
    """What is looked for: phrases of the right answer (all of them are needed) and of the poison (one is enough).

    `marks` are stems that tell the poisoned documents from the right ones: the year, name or number of their titles.
    """

    gold: tuple[str, ...]
    poison: tuple[str, ...]
    language: str
    expected: str = ""
    marks: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Said:
    """`gold`: the right answer is asserted. `disagreement`: the answer says that its sources disagree.

    Of the poison's phrases `poison` are asserted, `denied` are said not to hold, `labelled` only bear the name of their
    source beside the right answer.
    """

    gold: bool
    poison: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    labelled: tuple[str, ...] = ()
    disagreement: bool = False


@dataclass(frozen=True)
class _Mention:
    """A phrase in a sentence with the words around it that belong to it."""

    phrase: str
    before: str
    after: str

    @property
    def around(self) -> str:
        return f"{self.before} {self.after}"


def gold_phrases(expected: str, keywords: Sequence[str], language: str) -> tuple[str, ...]:
    """Keywords, else the values of the expected answer; empty where there are neither."""
    return tuple(keywords) or tuple(expected[one.start : one.end] for one in quantities(expected, language))


def what_is_said(answer: str, sought: Sought) -> Said:
    """Read an answer. It may be in another language than the question."""
    found = _mentions(answer, sought)
    asserted = {phrase for phrase in sought.gold for one in found if one.phrase == phrase and not _is_denied(one)}
    gold = asserted == set(sought.gold) if sought.gold else _covers(answer, sought)
    of_poison = [one for one in found if one.phrase in sought.poison]
    kept = [one for one in of_poison if not (_is_denied(one) or SUPERSEDED.search(one.around))]
    told = [one for one in kept if not (gold and _is_labelled(one, sought))]
    poison = _once(one.phrase for one in told)
    labelled = _once(one.phrase for one in kept if one.phrase not in poison)
    denied = _once(one.phrase for one in of_poison if one.phrase not in (*poison, *labelled))
    return Said(gold, poison, denied, labelled, names_conflict(answer))


def _once(phrases: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(phrases))


def _mentions(answer: str, sought: Sought) -> list[_Mention]:
    found: list[_Mention] = []
    for sentence in sentences(answer, sought.language):
        spans = sorted(
            (start, end, phrase)
            for phrase in dict.fromkeys((*sought.gold, *sought.poison))
            for start, end in mentions(phrase, sentence, sought.language)
        )
        begin = 0
        for place, (start, end, phrase) in enumerate(spans):
            follows = next((one[0] for one in spans[place + 1 :] if one[0] >= end), None)
            stop = len(sentence) if follows is None else _cut(sentence, end, follows)
            found.append(_Mention(phrase, fold(sentence[begin:start]) + " ", " " + fold(sentence[end:stop])))
            if follows is not None and spans[place + 1][0] >= end:
                begin = stop
    return found


def _cut(sentence: str, end: int, follows: int) -> int:
    """Where the words after one value end and those before the next begin: at the last joint between them."""
    joints = [match.start() for match in JOINTS.finditer(sentence.lower(), end, follows)]
    return joints[-1] if joints else end


def _is_denied(one: _Mention) -> bool:
    """Whether the words right before or right after a value deny it."""
    before = one.before.rstrip() + " "
    return bool(DENIED_BEFORE.search(before) or CHANGED_FROM.search(before) or DENIED_AFTER.search(one.after))


def _is_labelled(one: _Mention, sought: Sought) -> bool:
    """Whether the words around a value name another source, time or place than the right one's."""
    words = stems(one.around, sought.language, keep_stop_words=True)
    return bool(TOLD_APART.search(one.around) or sought.marks & set(words))


def _covers(answer: str, sought: Sought) -> bool:
    wanted = set(stems(sought.expected, sought.language))
    return bool(wanted) and len(wanted & set(stems(answer, sought.language))) >= COVER * len(wanted)

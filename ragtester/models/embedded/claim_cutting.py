"""Cuts a sentence of an answer into clauses that can be understood by themselves; when in doubt it does not cut.

A longer claim is better than a torn one. So nothing is cut inside brackets, quotation marks, values and dates, at a
bare comma, between a head and its relative clause, or where a condition, a place or a time may belong to both sides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragtester.models.embedded.claim_gapping import Opened, participle_first, value_first, with_units
from ragtester.models.embedded.claim_verbs import (
    MODAL,
    OWN_START,
    PREPOSITION,
    cut,
    embedding,
    leaning,
    sure_verb,
    verb,
)
from ragtester.models.embedded.claim_words import CONDITION
from ragtester.text.languages import stop_words
from ragtester.text.quantities import quantities
from ragtester.text.words import words

PRONOUN = re.compile(
    r"^(?:it|they|he|she|es|sie|er|il|elle|ils|elles|ella|ellos|esso|essa|hij|zij|het)\s+",
    re.I,
)
_SUBJECT_WORDS = 9
_NEAR = 4
"""Words at the start of a clause among which one that leans on the clause before is looked for."""
_ADVERB = re.compile(r"(?:also|then|auch|dann|aussi|también|anche|ook|também)\s+", re.I)
_PARTICIPLE = re.compile(r"(?:\w+ed|led|left|won|made|told|said)\b", re.I)
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|be|been|being|has|have|had)\b", re.I)
_DENIED = re.compile(r"\b(?:not|never|no)\b|n't\b", re.I)
_VERB_SECOND = frozenset({"de", "nl"})
"""Languages that put the verb before the subject where something else opens the sentence."""
_STRETCH = re.compile(r"[,;:]")


@dataclass(frozen=True)
class _Cut:
    """A place where two clauses may meet: its kind ("hard", "but", "and") and its span."""

    kind: str
    start: int
    end: int


def clauses(text: str, code: str) -> list[str]:
    """The clauses of a sentence, each with its subject; the sentence alone where it is not surely of several."""
    if _opens_with_frame(text, code):
        return [text]
    found = _cut(with_units(text, code), code)
    return found if len(found) > 1 else [text]


def _cut(text: str, code: str) -> list[str]:
    found: list[str] = []
    start, shared = 0, ""
    places = _places(text, code)
    for number, place in enumerate(places):
        left = shared + text[start : place.start].strip(" ,;")
        following = places[number + 1].start if number + 1 < len(places) else len(text)
        right, rest = text[place.end : following].strip(), text[place.end :]
        opened = _opening(place.kind, left, right, rest, code)
        if opened is None:
            continue
        found.append(left)
        start, shared = place.end + opened.skipped, opened.shared
    return [*found, shared + text[start:].strip(" ,;")]


def _opening(kind: str, left: str, right: str, rest: str, code: str) -> Opened | None:
    """How the clause behind a cut begins, or None where nothing is to be cut."""
    if not verb(code).search(left) or len(words(right)) < 2:
        return None
    if kind == "and" and (embedding(code).search(left) or any(CONDITION.search(one) for one in (left, rest))):
        return None
    shared = value_first(left, rest, code) if kind == "and" else None
    if kind != "hard":
        shared = shared or _goes_on(left, right, code)
    return shared or _begins(kind, left, right, code)


def _begins(kind: str, left: str, right: str, code: str) -> Opened | None:
    """How a clause begins that has a subject of its own, or a pronoun for the one of the clause before."""
    subject, pronoun = subject_of(left, code), PRONOUN.match(right)
    if pronoun and subject and not (kind == "hard" and CONDITION.search(left)):
        own = _own(right[pronoun.end() :], code, started=True)
        return Opened(f"{subject} ", pronoun.end()) if own else None
    if pronoun or PREPOSITION.match(left):  # a place or a time at the head may hold for both
        return None
    return Opened("") if _own(right, code, sure=kind == "and") else None


def _goes_on(left: str, right: str, code: str) -> Opened | None:
    """The subject for a clause that begins with its verb."""
    subject, bare = subject_of(left, code), _ADVERB.sub("", right, count=1)
    found = verb(code).match(bare)
    if not subject or embedding(code).search(left) or (code in _VERB_SECOND and not _is_subject(subject, code)):
        return None
    if _PARTICIPLE.match(bare) and _AUXILIARY.search(left):
        return None if _DENIED.search(left) else participle_first(left, bare)
    listed = "," in left and not sure_verb(code).match(bare)  # "constant values, memory loads and stores"
    if found is None or listed or (MODAL.search(left) and not _finite(found.group(), code)):
        return None
    return Opened(f"{subject} ")


def _finite(word: str, code: str) -> bool:
    """Whether a verb can be no infinitive behind a modal verb."""
    ending = {"en": "s", "de": "t", "nl": "t"}.get(code)
    known = bool(MODAL.fullmatch(word)) or word.lower() in {"are", "were", "had"}
    return known or (ending is not None and word.lower().endswith(ending))


def _own(right: str, code: str, *, sure: bool = False, started: bool = False) -> bool:
    """Whether a clause stands by itself: a subject, a verb soon, and nothing that leans on what was before."""
    stretch = _STRETCH.split(right, maxsplit=1)[0] if sure else right
    found = (sure_verb(code) if sure else verb(code)).search(stretch)
    if found is None or (not found.start() and not started):
        return False
    near = " ".join([*right[: found.start()].split(), *right[found.start() :].split()[:3], *right.split()[:_NEAR]])
    if leaning(code).search(near) or embedding(code).search(right[: found.end()]):
        return False
    return started or not sure or bool(OWN_START.match(right)) or right[:1].isupper()


def subject_of(text: str, code: str) -> str:
    """What stands before the verb, where that is short and no list."""
    found = verb(code).search(text)
    head = text[: found.start()].strip() if found else ""
    if not head or len(head.split()) > _SUBJECT_WORDS or "," in head or embedding(code).search(head):
        return ""
    return "" if head.lower() in ("there", "here") else head


def _is_subject(head: str, code: str) -> bool:
    """Whether what opens a sentence of a language with the verb in second place is its subject."""
    first = words(head)[:1]
    if PREPOSITION.match(head) or CONDITION.match(head):
        return False
    return bool(OWN_START.match(head)) or (bool(first) and first[0] not in stop_words(code))


def _opens_with_frame(text: str, code: str) -> bool:
    """Whether a sentence opens with a condition, a place or a time, which may hold for all of it."""
    return bool(CONDITION.match(text) or embedding(code).match(text))


def _places(text: str, code: str) -> list[_Cut]:
    inside = depths(text)
    values = [(one.start, one.end) for one in quantities(text, code)]
    return [
        _Cut(next(kind for kind in ("hard", "but", "and") if one[kind] is not None), one.start(), one.end())
        for one in cut(code, commas=False).finditer(text)
        if not inside[one.start()] and not any(start < one.end() and one.start() < end for start, end in values)
    ]


def depths(text: str) -> list[int]:
    """How many brackets and quotation marks are open at each character."""
    opens, closes = ("([{«„", ")]}»“”") if "„" in text else ("([{«“", ")]}»”")
    found, depth, quoted = [], 0, False
    for char in text:
        quoted ^= char == '"'
        depth = depth + 1 if char in opens else max(0, depth - 1) if char in closes else depth
        found.append(depth + quoted)
    return found

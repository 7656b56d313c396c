# ruff: noqa: SIM905 - patterns
"""Facts that a sentence states: what it speaks of, what it says of it, and which part may be hidden and asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragtester.models.embedded.statements import Statement
from ragtester.text.quantities import quantities
from ragtester.text.stems import stems
from ragtester.text.words import words

_WEAK = frozenset(
    """little sure able many several various first last next left right start end called asked perhaps good better best
    other different same kind later early long short large small whole part parts thing things number numbers way ways
    necessary possible available special common general whether either neither rather instead together along around
    already certain need needs want make makes made take taken given done work works begin only more most less much
    such like well easily often always never even also still just both each every some any none all""".split()
)
_CLAUSE_END = re.compile(r"[\u4e00-\u9fff]{2}(?=[，。、；]|$)")
_CONTENT = re.compile(
    r"[A-Za-z][\w.-]*\w|[\u30a1-\u30fc]{3,}|[\u4e00-\u9fff]{2,}|[^\W\d_\u3040-\u30ff\u4e00-\u9fff][^\W_\u3040-\u30ff\u4e00-\u9fff'’-]*[^\W_\u3040-\u30ff\u4e00-\u9fff]"
)
_NAMED = re.compile(r"[/.]?\w[\w./+-]*[A-Z\d_/.+-][\w./+-]*\w|[A-Z][\w+-]*\w|/\w[\w/.-]*\w")


class NoCase(Exception):  # noqa: N818 - an outcome, not a fault
    """No case worth asking can be made from the passages; the message says why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True)
class Found:
    """What one pattern found in one sentence. `slots` fill the question's template; `value` is what is hidden."""

    kind: str
    slots: Mapping[str, str]
    value: str
    answer: str


@dataclass(frozen=True)
class Fact:
    """A found fact with its place: the passage's number and the statement it stands in."""

    found: Found
    statement: Statement
    passage: int
    keywords: tuple[str, ...]

    @property
    def subject(self) -> str:
        """What the question speaks of."""
        slots = self.found.slots
        return next((slots[name] for name in ("S", "C", "X", "c", "x", "r") if slots.get(name)), "")


def keywords_of(value: str, asked: str, common: Counter[str], language: str, limit: int = 3) -> tuple[str, ...]:
    """The words of `value` that an answer cannot do without, as they stand there: quantities, names, rare words.

    Nothing that the question holds already is a keyword.
    """
    known = set(stems(asked, language, keep_stop_words=True)) | set(words(asked))
    chosen: list[str] = []
    for quantity in quantities(value, language):
        text = value[quantity.start : quantity.end]
        if quantity.unit or any(character.isdigit() for character in text):
            _add(chosen, text, known, language)
    for match in _NAMED.finditer(value):
        if not any(character.isalpha() for character in match.group()):
            continue
        _add(chosen, match.group().strip(".,;:"), known, language)
    # Chinese has no mark between words: the end of a clause is the likeliest to be one.
    pattern = _CLAUSE_END if language == "zh" else _CONTENT
    content = [word for word in pattern.findall(value) if stems(word, language)]
    weak = _weak(language)
    content.sort(
        key=lambda word: (
            word.lower() in weak or word.endswith(("ly", "ing")),
            common[stems(word, language)[0]],
            -len(word),
        )
    )
    for word in content:
        if len(chosen) >= max(1, limit - 1):
            break
        if len(word) >= (2 if ord(word[0]) > 0x3000 else 4):
            _add(chosen, word, known, language)
    return tuple(sorted(chosen[:limit], key=value.find))


@lru_cache(maxsize=8)
def _weak(language: str) -> frozenset[str]:
    """Words that carry little of an answer: verbs' forms and adjectives that have a synonym."""
    from ragtester.models.embedded.english_words import GENERIC, PARTICIPLES, VERB_FORMS
    from ragtester.models.embedded.rewording import weak_words

    return (
        weak_words(language)
        | _WEAK
        | (PARTICIPLES | GENERIC | frozenset(VERB_FORMS) if language == "en" else frozenset())
    )


def _add(chosen: list[str], word: str, known: set[str], language: str) -> None:
    parts = set(stems(word, language, keep_stop_words=True))
    fresh = stems(word, language) and not parts & known
    repeated = any(parts & set(stems(other, language)) for other in chosen)
    if fresh and not repeated and (len(word) > 1 or word.isdigit()):
        chosen.append(word)


def proper_names(text: str) -> frozenset[str]:
    """Words with a capital in mid-sentence that never stand there without one."""
    plain = set(re.findall(r"(?<=\s)[^\W\d_A-ZÀ-ÝА-Я][^\W\d_]*(?=[\s,;:.)])", text))
    found = re.findall(r"(?<=[a-zà-ÿа-я,] )[A-ZÀ-ÝА-Я][\w'’-]*", text)
    return frozenset(name for name in found if name.lower() not in plain)


def stem_counts(texts: Sequence[str], language: str) -> Counter[str]:
    """How often each content stem occurs in the texts."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(stems(text, language))
    return counts

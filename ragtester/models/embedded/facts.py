"""Facts that a sentence states: what it speaks of, what it says of it, and which part may be hidden and asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragtester.models.embedded.statements import Statement
from ragtester.text.stems import stems


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
    # Further evidence: a table's heads.
    heads: Statement | None = None

    @property
    def subject(self) -> str:
        """What the question speaks of."""
        slots = self.found.slots
        return next((slots[name] for name in ("S", "C", "X", "c", "x", "r") if slots.get(name)), "")


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

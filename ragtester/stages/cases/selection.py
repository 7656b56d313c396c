"""Choosing sections: the hardest to read, spread over a document, or speaking of the same things."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence

from ragtester.records import Section
from ragtester.text.sentences import sentences
from ragtester.text.words import words

FACTUAL = frozenset({"prose", "list", "table", "code"})
MIN_TOKENS = 20


def stable(name: str) -> int:
    """A number that depends on `name` alone, in any process."""
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def carries_facts(section: Section) -> bool:
    """Whether a case can be made from a section at all."""
    return section.kind in FACTUAL and section.tokens >= MIN_TOKENS


def by_complexity(text: str, sections: Sequence[Section], language: str) -> list[Section]:
    """Prose sections, the hardest first: ascending Flesch Reading Ease, clamped to 0–100, ties by place.

    A language without a Flesch formula: the longest sentences (characters a sentence) first. Its sections keep
    `flesch` None, so that nobody takes this order for a score.
    """
    prose = [section for section in sections if section.kind == "prose"]
    scored = [section for section in prose if section.flesch is not None]
    if scored:
        return sorted(scored, key=lambda section: (_clamped(section), section.ordinal))
    return sorted(prose, key=lambda section: (-_sentence_length(text, section, language), section.ordinal))


def spread(sections: Sequence[Section], count: int, name: str) -> list[Section]:
    """`count` sections over the whole document: as many stretches of equal length, the largest section of each."""
    if count <= 0:
        return []
    ordered = sorted(sections, key=lambda section: section.ordinal)
    if count >= len(ordered):
        return ordered
    chosen = []
    for number in range(count):
        stretch = ordered[number * len(ordered) // count : (number + 1) * len(ordered) // count]
        chosen.append(max(stretch, key=lambda one: (one.end - one.start, stable(f"{name}:{one.ordinal}"))))
    return chosen


def partners(text: str, head: Section, others: Sequence[Section], count: int) -> list[Section]:
    """The `count` sections that share most with `head`: cosine of their words weighted by rarity, ties by place."""
    if count <= 0 or not others:
        return []
    bags = {one.ordinal: set(_telling(text[one.start : one.end])) for one in (head, *others)}
    documents = Counter(word for bag in bags.values() for word in bag)
    weight = {word: math.log(1 + len(bags) / number) ** 2 for word, number in documents.items()}
    norm = {ordinal: math.sqrt(sum(weight[word] for word in sorted(bag))) or 1.0 for ordinal, bag in bags.items()}

    def likeness(one: Section) -> float:
        shared = sorted(bags[head.ordinal] & bags[one.ordinal])
        return sum(weight[word] for word in shared) / (norm[head.ordinal] * norm[one.ordinal])

    return sorted(others, key=lambda one: (-likeness(one), one.ordinal))[:count]


def _telling(text: str) -> list[str]:
    # Short words of spaced scripts are mostly grammar; pairs of unspaced ones are words.
    return [word for word in words(text) if len(word) > 3 or not word.isascii()]


def _clamped(section: Section) -> float:
    return min(100.0, max(0.0, section.flesch if section.flesch is not None else 100.0))


def _sentence_length(text: str, section: Section, language: str) -> float:
    found = sentences(text[section.start : section.end], language)
    return sum(map(len, found)) / len(found) if found else 0.0

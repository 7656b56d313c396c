"""Clarity of an answer by its form: repetition, breaking off, fragments, debris, runaway sentences and length."""

from __future__ import annotations

import re
from collections import Counter

from ragtester.text.normalise import fold
from ragtester.text.sentences import sentences
from ragtester.text.words import words

_DEBRIS = re.compile(r"\ufffd|</[a-z]{2,12}>|^\s*[{\[]\s*\"|\\n|\\u[0-9a-f]{4}|([^\w\s.|*=_~#-])\1{4,}", re.M)
_BROKEN_OFF = re.compile(
    r"(?:[,;:(\-–—]|\b(?:and|or|the|of|to|with|a|und|oder|der|die|das|et|ou|le|la|de|y|o|el))\s*$", re.I
)
_ENDED = re.compile(r"[.!?…。！？؟۔।:)\]\"'”’»`|*]\s*$")
# Sentences that say nothing about the matter, as chat models add them.
_PADDING = re.compile(
    r"\b(?:i hope (?:this|that|it)\b|hope this helps|let me know|feel free to|(?:important|worth|crucial) (?:to note|"
    r"noting|to remember|to understand)|(?:always|should|wise to|recommended to|best to) (?:consult|speak|talk|seek)|"
    r"ich hoffe|zögern sie nicht|bei weiteren fragen|n'hésitez pas|j'espère que|no dude en|espero que (?:esto|esta))",
    re.I,
)
LONG_SENTENCE = 55
VERBOSE = 4.0


def clarity(answer: str, expected: str, language: str) -> tuple[float, tuple[str, ...]]:
    """Score (0 to 1) and the faults found, in words. An empty answer scores 0."""
    said = words(answer)
    if not said:
        return 0.0, ("empty",)
    parts = sentences(answer, language)
    faults = {
        "repeats itself": _repetition(parts, said),
        "breaks off": _broken(answer, said),
        "holds debris": 0.5 if _DEBRIS.search(answer) else 0.0,
        "runs on in long sentences": _run_on(parts),
        "far longer than needed": _excess(len(said), len(words(expected))),
        "fragments": _fragments(parts),
        "padding": _padding(parts, expected),
    }
    score = 1.0 - sum(faults.values())
    return max(0.0, min(1.0, score)), tuple(name for name, cost in faults.items() if cost >= 0.1)


def _repetition(parts: list[str], said: list[str]) -> float:
    folded = [fold(part) for part in parts if len(words(part)) > 2]
    repeated = 1 - len(set(folded)) / len(folded) if folded else 0.0
    runs = Counter(zip(said, said[1:], said[2:], said[3:], strict=False))
    again = sum(count - 1 for count in runs.values()) / max(1, sum(runs.values()))
    return min(1.0, 1.6 * max(repeated, again - 0.05)) if max(repeated, again) > 0.08 else 0.0


def _broken(answer: str, said: list[str]) -> float:
    if _BROKEN_OFF.search(answer) and len(said) > 3:
        return 0.45
    last = answer.rstrip().rsplit("\n", 1)[-1]
    listed = last.lstrip()[:1] in "-*•|0123456789"
    return 0.3 if len(said) > 25 and not _ENDED.search(answer) and not listed else 0.0


def _run_on(parts: list[str]) -> float:
    long = sum(1 for part in parts if len(words(part)) > LONG_SENTENCE)
    return 0.4 * long / len(parts) if parts else 0.0


def _excess(said: int, expected: int) -> float:
    """Length beyond four times the expected answer and sixty words more."""
    free = VERBOSE * expected + 60
    return min(0.5, 0.25 * (said / free - 1)) if said > free else 0.0


def _fragments(parts: list[str]) -> float:
    """Many pieces of one or two words in an answer that is long enough to have sentences."""
    short = sum(1 for part in parts if len(words(part)) < 3)
    return 0.35 if len(parts) >= 5 and short / len(parts) > 0.5 else 0.0


def _padding(parts: list[str], expected: str) -> float:
    """Sentences of courtesy or general advice, unless the expected answer gives such advice as well."""
    empty = sum(1 for part in parts if _PADDING.search(part)) - len(_PADDING.findall(expected))
    return min(0.35, 0.08 * empty) if empty > 0 else 0.0

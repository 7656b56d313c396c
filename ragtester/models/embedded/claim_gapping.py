"""Coordinated clauses: "costs 64 euros for the K2 and 79 for the K2-L" says two things; what they share is put back."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragtester.models.embedded.claim_values import is_year
from ragtester.models.embedded.claim_verbs import PREPOSITION, and_words, verb
from ragtester.text.quantities import Quantity, quantities
from ragtester.text.words import words

_DIGITS = "0123456789.,−-– \u00a0\u202f"
_PER = re.compile(r" (?:a|an|per|je|pro|par|por|al) \w+")
_OF = re.compile(r"\s*(?:of|von|de|van|di|da|из)\b")
_ENDS = re.compile(r"\s*[.,;:)]?\s*(?:$|[,;)])")
_PARTICIPLE = re.compile(r"[a-z]+ed\b")
_PASSIVE = re.compile(r"(?P<head>[^,;]+? (?:is|are|was|were)) [a-z]+(?:ed|en|wn|ilt|pt|ld|de)\b")
_SUBJECT = 5
"""Words that a subject without its verb may have at most."""


@dataclass(frozen=True)
class Opened:
    """How a clause begins: what is put before it, and how many of its characters that stands for."""

    shared: str
    skipped: int = 0

    def whole(self, clause: str) -> str:
        """The clause in full."""
        return self.shared + clause[self.skipped :]


def with_units(text: str, code: str) -> str:
    """A sentence whose bare numbers have the unit of the value before them: "is 40 mm wide and is discarded at 36 mm".

    Only where nothing is counted: a preposition, "and" or the end follows, and a verb or a preposition stands before.
    """
    found, unit, end = [], "", 0
    for one in quantities(text, code):
        if one.kind in ("date", "time"):
            continue
        if one.unit:
            per = _PER.match(text, one.end)
            unit = text[one.start : per.end() if per else one.end].lstrip(_DIGITS)
        elif unit and unit[0].isalpha() and not is_year(one) and _uncounted(text, one, code):
            found += [text[end : one.end], f" {unit}"]
            end = one.end
    told = "".join([*found, text[end:]])
    return told if len(quantities(told, code)) == len(quantities(text, code)) else text


def _uncounted(text: str, one: Quantity, code: str) -> bool:
    before, after = _last_word(text[: one.start]), text[one.end :]
    if not _ENDS.match(after) and (not PREPOSITION.match(after.lstrip()) or _OF.match(after)):
        return False
    return bool(PREPOSITION.fullmatch(before) or verb(code).fullmatch(before) or before in and_words(code).split("|"))


def value_first(left: str, right: str, code: str) -> Opened | None:
    """How a clause that begins with a value begins in full; None where the two are not built alike.

    "79 for the K2-L" behind "Calibration costs 64 euros for the K2" is "Calibration costs 79 euros for the K2-L". Both
    go on behind their values, and the left has but one value that could be meant, behind its verb.
    """
    pair = _values(left, right, code)
    if pair is None or len(right[: pair[1].start].split()) > 1:
        return None
    held, told = pair
    lead, head = right[: told.start].strip(), left[: held.start].rstrip()
    if lead and _last_word(head) != lead.lower():
        return None
    if not all(PREPOSITION.match(rest.strip(" ,")) for rest in (right[told.end :], left[held.end :])):
        return None
    return _opened(head, left, held, right, told)


def participle_first(left: str, right: str) -> Opened | None:
    """How a clause begins that shares "is" or "are": "closed at 9" behind "The gate is opened at 8" (English alone)."""
    found = _PASSIVE.match(left)
    return Opened(f"{found['head']} ") if found and _PARTICIPLE.match(right) else None


def subject_first(left: str, right: str, code: str) -> Opened | None:
    """How a clause that has a subject and a value begins with the verb of `left`; None where they are not built alike.

    "knives at 60 °C" behind "Boards are washed at 82 °C" is "knives are washed at 60 °C".
    """
    pair, found = _values(left, right, code), verb(code).search(left)
    if pair is None or found is None or not left[: found.start()].strip():
        return None
    held, told = pair
    subject, between = right[: told.start].rstrip(), left[found.start() : held.start].rstrip()
    preposition = _last_word(subject) if PREPOSITION.fullmatch(_last_word(subject)) else ""
    if (preposition or PREPOSITION.fullmatch(_last_word(between))) and preposition != _last_word(between):
        return None
    subject = subject[: -len(preposition)].rstrip() if preposition else subject
    if not 1 <= len(words(subject)) <= _SUBJECT or PREPOSITION.match(subject) or _PARTICIPLE.match(subject):
        return None
    return _opened(f"{subject} {between}", left, held, right, told)


def _values(left: str, right: str, code: str) -> tuple[Quantity, Quantity] | None:
    """The one value of the left, behind its verb, that the first value of the right stands beside."""
    told, found = quantities(right, code)[:1], verb(code).search(left)
    if not told or found is None or verb(code).search(right):
        return None
    held = [one for one in quantities(left, code) if one.start >= found.end() and _alike(one, told[0])]
    return (held[0], told[0]) if len(held) == 1 else None


def _alike(one: Quantity, told: Quantity) -> bool:
    """Whether two values are of one sort; a bare number may take the unit of the one before it."""
    if told.kind == "number" and not told.unit:
        return one.kind not in ("date", "time")
    return (one.kind, one.unit) == (told.kind, told.unit)


def _opened(head: str, left: str, held: Quantity, right: str, told: Quantity) -> Opened:
    """A head with the right's value behind it, which takes the unit of the left's where it has none."""
    spelled = left[held.start : held.end].lstrip(_DIGITS)
    value = right[told.start : told.end]
    unit = f" {spelled}" if held.unit and not told.unit else ""
    gap = len(right[told.end :]) - len(right[told.end :].lstrip())
    return Opened(f"{head} {value}{unit}{' ' * bool(gap)}", told.end + gap)


def _last_word(text: str) -> str:
    said = text.rsplit(maxsplit=1)
    return said[-1].lower() if said else ""

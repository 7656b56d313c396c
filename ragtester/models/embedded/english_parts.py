# ruff: noqa: E501 - one pattern a line
"""English sentences that say more than one thing: their clauses, and what stands before the subject."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragtester.models.embedded.english_subject import BE, MODALS, Clause, parse
from ragtester.models.embedded.english_words import VERB_FORMS
from ragtester.models.embedded.facts import Found
from ragtester.text.quantities import Quantity, quantities

_SEAM = re.compile(r",? (?:and|but) ")
_PREPOSITION = re.compile(
    r"^(?P<p>In|On|At|With|Under|During|For|Within|After|Before|Until|Till|By|Since|From|Outside|Between|Through|Inside|As from) "
)
_OPENS = re.compile(r"^(?:the|an?|all|each|every|no|one|two|three|both) ")
_PRONOUN = re.compile(r"^(?P<p>It|They|Both|Those of|That of|Those|This) ")
_CUT = re.compile(r",? (?:unless|except|because|since|although|though|while|whereas|if|when|so that|provided)\b|[:,] ")
_DURATION = {"After": "After how long", "Within": "How soon", "For": "For how long", "During": "For how long"}
_POINT = {
    "After": "After what point in time", "Until": "Until when", "Till": "Until when", "By": "By when", "Before": "Before when",
    "On": "When", "In": "When", "Since": "Since when", "From": "From when on", "As from": "From when on", "At": "At what time",
}  # fmt: skip
_LEVEL = {"°C": "At what temperature", "V": "At what voltage", "Hz": "At what frequency", "m": "At what height"}
MOST_CLAUSES = 4


def clauses(line: str, names: frozenset[str]) -> list[str]:
    """The clauses of a sentence that stand alone, each as a sentence; a missing subject is taken from the one before."""
    found: list[str] = []
    for part in line.rstrip(". ").split("; "):
        found.extend(_joined(part, names))
    unique = dict.fromkeys(one for one in found if 4 <= len(one.split()) <= 40)
    return [f"{one[:1].upper()}{one[1:].rstrip('.')}." for one in unique][:MOST_CLAUSES]


def _joined(part: str, names: frozenset[str]) -> Iterator[str]:
    for seam in _SEAM.finditer(part):
        left, right = part[: seam.start()], part[seam.end() :]
        clause = parse(left + ".", names)
        first = right.split(" ", 1)[0]
        if clause is None:
            continue
        if _finite(first) and len(right.split()) >= 3:
            yield left
            yield f"{clause.subject} {right}"
            return
        if parse(right[:1].upper() + right[1:] + ".", names) is not None and not right.startswith(("the other", "so ")):
            yield left
            yield right
            return
    yield part


def _finite(word: str) -> bool:
    return word in BE or word in MODALS or word in VERB_FORMS


def resolved(line: str, before: Clause | None) -> str:
    """The sentence with the pronoun at its start replaced by the subject before it; empty where that is not safe."""
    match = _PRONOUN.match(line)
    if not match or before is None or re.search(r"\b(?:this|these|it|they|their|its)\b", before.subject, re.I):
        return ""
    rest, pronoun = line[match.end() :], match["p"]
    subject = before.subject[:1].upper() + before.subject[1:]
    if pronoun in ("It", "They"):
        form = rest.split(" ", 1)[0]
        known = _finite(form) and (pronoun == "They") == before.plural
        return f"{subject} {rest}" if known else ""
    if pronoun in ("Those of", "That of"):
        head, of, _ = subject.partition(" of ")
        return f"{head} of {rest}" if of and (pronoun == "Those of") == before.plural else ""
    return ""


def fronted(line: str, names: frozenset[str]) -> tuple[str, Clause] | None:
    """A phrase before the subject ("After 45 minutes the shift leader decides ...") and the clause that follows it."""
    match = _PREPOSITION.match(line)
    if not match:
        return None
    tokens = line.rstrip(". ").split(" ")
    for place in range(2, min(11, len(tokens) - 3)):
        rest = " ".join(tokens[place:])
        comma = tokens[place - 1].endswith(",")
        if not comma and not _OPENS.match(rest):
            continue
        if tokens[place - 1].lower() in (
            "of",
            "in",
            "to",
            "and",
            "or",
            "for",
            "with",
            "at",
            "on",
            "under",
            "by",
            "from",
            "between",
        ):
            continue
        clause = parse(rest[:1].upper() + rest[1:] + ".", names)
        if re.search(r"\b(?:it|this|these|them|those|which|what|that)\b", " ".join(tokens[:place])):
            return None
        if clause is not None and not clause.rest.startswith("that "):
            return " ".join(tokens[:place]).rstrip(","), clause
        if comma:
            return None
    return None


def fronted_value(line: str, names: frozenset[str]) -> Found | None:
    """Asks for the quantity of a phrase before the subject."""
    found = fronted(line, names)
    if found is None:
        return None
    phrase, clause = found
    preposition = _PREPOSITION.match(phrase + " ")
    told = quantities(phrase, "en")
    if preposition is None or len(told) != 1 or quantities(clause.rest, "en"):
        return None
    value = told[0]
    opening = _opening(preposition["p"], value)
    said = clause.rest[: cut.start()] if (cut := _CUT.search(clause.rest)) else clause.rest
    beyond = phrase[value.end :].strip()
    if not opening or len(said.split()) > 12 or beyond.startswith(("of", "to", "and")):
        return None
    aux = clause.verb if clause.verb in BE or clause.verb in MODALS else clause.auxiliary
    verb = "" if aux == clause.verb else f"{clause.verb} "
    predicate = " ".join(f"{verb}{said} {beyond}".split())
    slots = {"S": clause.subject, "W": opening, "do": clause.auxiliary, "is": clause.verb, "m": aux, "P": predicate}
    return Found("value_when", slots, phrase[value.start : value.end], f"{line.rstrip('. ')}.")


def _opening(preposition: str, value: Quantity) -> str:
    if value.kind in ("time", "date"):
        return _POINT.get(preposition, "")
    if value.unit in ("s", "month"):
        return _DURATION.get(preposition, "")
    return _LEVEL.get(value.unit, "") if preposition == "At" else ""

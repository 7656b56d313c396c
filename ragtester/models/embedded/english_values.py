"""English clauses that state a quantity, a date or a time: which question asks for it."""

from __future__ import annotations

import re
from dataclasses import replace

from ragtester.models.embedded.english_subject import BE, MODALS, Clause
from ragtester.models.embedded.facts import Found
from ragtester.text.quantities import Quantity, quantities

_PREPOSITION = re.compile(
    r"\b(after|within|for|until|till|by|before|on|since|from|at|to|every|for at least|for at most|up to|at least"
    r"|at most|about|only|as from)\s+(?:only |about |at most |at least |up to |not more than )?$"
)
_BEYOND = re.compile(
    r"\b(?:than|under|over|below|above|of|between|or|and|plus|minus|section|chapter|sheet|report|type|state)\s+$"
)
_AFTERWARDS = re.compile(r"^\s*(?P<q>(?:for|on|in|at|per|a|an) (?:[\w'-]+ ?){1,4}?)(?=[,;.]|$| and | or )")
_SIDE = re.compile(r"^(?:an?|the) (?P<a>(?:[a-z]+ )?[a-z]+) of (?:about |at most |at least |only )?$")
_TIME = frozenset({"s", "month"})
_CLOCK_OR_DATE = frozenset({"time", "date"})
# unit -> what is asked for after "at"
_AT = {
    "°C": "At what temperature",
    "m/s": "At what speed",
    "m": "At what height",
    "Hz": "At what frequency",
    "V": "At what voltage",
}
_WHEN = {
    "after": "After what point in time",
    "until": "Until when",
    "till": "Until when",
    "by": "By when",
    "before": "Before when",
    "on": "When",
    "since": "Since when",
    "from": "From when on",
    "as from": "From when on",
    "at": "At what time",
}


def stated_value(clause: Clause) -> Found | None:
    """`S costs 4 euros`, `S are relieved after five hours`, `S is reduced to 6 km/h`: asks for the first value."""
    found = quantities(clause.rest, "en")
    if not found or clause.verb in ("cannot", "may", "can", "mean", "say", "state"):
        return None
    first = found[0]
    if clause.verb == "have" and (side := _SIDE.match(clause.rest[: first.start])):
        line = clause.line if clause.line.endswith(".") else clause.line + "."
        slots = {"S": clause.subject, "A": side["a"], "do": clause.auxiliary, "is": "is"}
        return Found("side", slots, clause.rest[first.start : first.end], line)
    before = clause.rest[: first.start]
    if (
        _BEYOND.search(before)
        or len(before.split()) > 8
        or re.search(r"[,;:]|\b(?:not|no|that|which|as soon as|when|if|because|while|until|unless|than)\b", before)
    ):
        return None
    preposition = _PREPOSITION.search(before)
    predicate = before[: preposition.start()].strip() if preposition else before.strip()
    predicate = re.sub(r"\s*\b(?:at|only|about|exactly|nearly|up to|and|or)$", "", predicate)
    opening = _opening(preposition[1] if preposition else "", first, clause, predicate)
    if not opening:
        return None
    tail = _AFTERWARDS.match(clause.rest[first.end :])
    speed = first.unit == "m" and bool(re.match(r"\s+(?:a|an|per) (?:second|minute|hour)\b", clause.rest[first.end :]))
    if speed:
        first, tail = replace(first, unit="m/s"), None
        opening = _AT["m/s"] if opening == _AT["m"] else opening
    qualifier = tail["q"].strip() if tail and not quantities(tail["q"], "en") else ""
    return _asked(clause, opening, " ".join(part for part in (predicate, qualifier) if part), first)


def _opening(preposition: str, value: Quantity, clause: Clause, predicate: str) -> str:  # noqa: PLR0911 - one way out a preposition
    """The question words for a value after a preposition; empty where none fits."""
    if value.kind in _CLOCK_OR_DATE:
        return _WHEN.get(preposition, "") if predicate or clause.verb not in BE else ""
    lasting = value.unit in _TIME
    if preposition == "every":
        return "How often" if lasting else ""
    if lasting and (predicate or clause.verb not in BE):
        plain = {"after": "After how long", "within": "How soon", "for": "For how long"}
        return plain.get(preposition, "How long" if preposition in ("", "at least", "at most", "up to") else "")
    if preposition == "at":
        return _AT.get(value.unit, "At what percentage" if value.kind == "percent" else "")
    if preposition == "to":
        return "To what value" if predicate else ""
    if preposition in ("", "up to", "at least", "at most", "about", "only") and not predicate:
        return _amount(value, clause)
    return ""


def _amount(value: Quantity, clause: Clause) -> str:
    """A bare value after the verb: money, a measure, or a number of things."""
    if clause.verb in BE:
        return "What value is stated for" if value.unit or value.kind in ("money", "percent") else ""
    if value.kind == "money":
        return "How much"
    if clause.verb in ("cost", "pay"):
        # A sum may stand without its currency, and pounds are a weight, too; "costs 7 % more energy" is no price.
        return "" if value.kind == "percent" or value.unit in _TIME else "How much"
    if value.unit:
        unit = re.search(r"[A-Za-z°%µ²³/ ]{3,}$", clause.rest[value.start : value.end])
        return f"How many {unit.group().strip()}" if unit else ""
    return ""


def _asked(clause: Clause, opening: str, predicate: str, value: Quantity) -> Found | None:
    slots = {"S": clause.subject, "W": opening, "do": clause.auxiliary, "is": clause.verb}
    if clause.verb == "cost":
        kind, slots["q"] = "price", f" {predicate}" if predicate else ""
    elif opening.endswith("stated for"):
        kind = "value_of"
    elif clause.verb == "have" and predicate.startswith("been"):
        kind, slots["m"], slots["P"] = "value_when", "have" if clause.plural else "has", predicate
    elif clause.verb in BE or clause.verb in MODALS:
        kind, slots["m"], slots["P"] = "value_when", clause.verb, predicate
        if not predicate:
            return None
    else:
        kind, slots["m"], slots["P"] = "value_when", slots["do"], f"{clause.verb} {predicate}".strip()
    line = clause.line if clause.line.endswith(".") else clause.line + "."
    return Found(kind, slots, clause.rest[value.start : value.end], line)

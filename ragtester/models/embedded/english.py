# ruff: noqa: E501 - one pattern a line

"""English sentences taken apart by pattern. What does not fit a pattern exactly is left alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ragtester.models.embedded.english_clauses import RULES, YEAR, by_default
from ragtester.models.embedded.english_parts import clauses, fronted, fronted_value
from ragtester.models.embedded.english_subject import BE, MODALS, Clause, is_plural, name_like, noun_phrase, parse
from ragtester.models.embedded.english_values import stated_value
from ragtester.models.embedded.facts import Found
from ragtester.text.quantities import quantities

_OPENING = re.compile(
    r"^(?:however|therefore|thus|hence|moreover|furthermore|additionally|also|in addition|in general|generally"
    r"|for example|for instance|similarly|finally|likewise|consequently|in particular|of course|nevertheless"
    r"|in practice|usually|typically|normally|currently|traditionally|historically|originally|again|note that"
    r"|please note that|in fact|indeed|as a result|in other words|at present|in short),?\s+",
    re.I,
)
_DEFAULT = re.compile(r"^by default,?\s+", re.I)
_SETTING = re.compile(
    r"^(?P<context>(?:In|On|For|At|Within|Under|During|With) (?!addition|general|particular|fact|order|practice|short|case"
    r"|contrast|most|many|all|both|other|any|each|some|it|them|you|what|which|more|less|first|example|instance)"
    r"[^,;:()]{3,40}), "
)
_BACKWARD = re.compile(
    r"\b(?:above|below|following|follows|here|previous(?:ly)?|earlier|later in|next section|this|these|those|such"
    r"|aforementioned|latter|former|we|our|us|I|my|me|he|she|his|her)\b"
)


def find(line: str, names: frozenset[str]) -> Iterator[Found]:
    """Every fact that a pattern finds in one tidy sentence and its clauses. `names` are words that keep their capital."""
    line = _OPENING.sub("", line).strip()
    line = line[:1].upper() + line[1:]
    if _BACKWARD.search(line) or re.search(r"\b(?:it|they|them|their)\b", line.split(" ", 3)[0], re.I):
        return
    seen: set[tuple[str, str]] = set()
    for part in dict.fromkeys((line, *clauses(line, names))):
        for found in (*_in_clause(part, names),):
            if (found.kind, found.value) not in seen:
                seen.add((found.kind, found.value))
                yield found


def _in_clause(line: str, names: frozenset[str]) -> Iterator[Found]:
    for whole in (_condition, _whoever, _instruction, _reason, _presence, fronted_value):
        if found := whole(line, names):
            yield found
            return
    defaulted = _DEFAULT.match(line)
    setting = None if defaulted else _SETTING.match(line)
    clause = parse(_DEFAULT.sub("", line)[setting.end() if setting else 0 :], names)
    context = setting["context"] if setting else ""
    if clause is None and not defaulted and (opened := fronted(line, names)) and len(opened[0].split()) <= 7:
        context, clause = opened
        clause = None if quantities(context, "en") else clause
    if clause is None:
        return
    rules: tuple[Callable[[Clause], Found | None], ...] = (by_default,) if defaulted else RULES
    for rule in (stated_value,) if clause.past else rules:
        if found := rule(clause):
            yield _set_in(found, context, line) if context else found
            return


def _whoever(line: str, names: frozenset[str]) -> Found | None:
    """`Whoever C V ...`: what holds for somebody who does C."""
    del names
    match = re.match(r"(?:Whoever|Anyone who|Anybody who|Those who|People who|Everybody who|Everyone who) (?P<c>[a-z]+s? [^,;:()]{8,70}?),? "
                     r"(?P<v>(?:must|may|can|should|will|pays?|gets?|sings?|takes?|needs?|receives?|loses?|has to|have to|is|are|bears?) [^;:]{3,120})[.!]$", line)  # fmt: skip
    if not match or re.search(r"\b(?:it|they|them|this)\b", match["c"]):
        return None
    person = "those who" if re.match(r"(?:Those|People)", line) else "somebody who"
    return Found("holds_for", {"C": f"{person} {match['c']}"}, match["v"], _sentence(line))


def _set_in(found: Found, context: str, line: str) -> Found:
    """The same fact, asked for in the setting that its sentence names ("In Python, ...")."""
    return Found(found.kind, {**found.slots, "ctx": context[:1].lower() + context[1:]}, found.value, _sentence(line))


def _condition(line: str, names: frozenset[str]) -> Found | None:
    """`If C, M`: what happens, or what is to be done."""
    match = re.match(
        r"(?P<w>If|When|Whenever|Once) (?P<c>[^,;:()]{12,90}), (?:then )?(?P<m>[^:;]{15,170}?)(?:;.*)?[.!]$", line
    )
    if not match or re.search(
        r"\b(?:it|they|them|their|its|he|she|one|ones|so|not sure|the latter|want|more(?! than)|also|another|other|already)\b",
        match["c"],
    ):
        return None
    main = match["m"]
    if re.match(r"(?:this|that|there|and|or|but|which|as|in which|so|e\.g)\b", main, re.I) or "?" in main:
        return None
    told = re.match(r"(?:you (?:must|should|can|need|have to|will need)|please\b)", main)
    imperative = re.match(r"(?:use|run|type|add|open|set|check|make|remove|install|create|edit|press|select|click|contact"
                          r"|call|ask|try|go|change|put|choose|do|see|consult|report|upload)\b", main)  # fmt: skip
    if imperative and main.startswith(("see", "consult")):
        return None
    if not told and not imperative and (not _plain_start(main, names) or " you " in f" {main} "):
        return None
    first, _, others = match["c"].partition(" ")
    condition = f"{first if name_like(first, names) and first not in ('A',) else first.lower()} {others}"
    if len(condition.split()) < 4:
        return None
    kind = "what_to_do" if told or imperative else "consequence"
    return Found(kind, {"C": condition, "w": match["w"].lower()}, main, _sentence(line))


def _plain_start(main: str, names: frozenset[str]) -> bool:
    """Whether a main clause opens with a noun: it parses, or an article comes first."""
    return bool(re.match(r"(?:the|an?|all|every|no) \w", main)) or parse(main[:1].upper() + main[1:], names) is not None


def _presence(line: str, names: frozenset[str]) -> Found | None:
    """`There are V in S`, `There must be no V in S`."""
    match = re.match(
        r"There (?P<m>is|are|must be|should be|shall be) (?P<v>[^,;:()]{3,70}) (?:in|on|under|within|inside) (?P<s>[^,;:()]{3,50})[.!]$",
        line,
    )
    if not match or re.search(r"^(?:not|more)\b|\b(?:way|ways|need|reason|difference|possibility)\b", match["v"]):
        return None
    subject = noun_phrase(match["s"], names)
    if subject is None:
        return None
    kind = "absent" if match["v"].startswith("no ") else "present"
    plural = "do" if is_plural(subject) else "does"
    return Found(kind, {"S": subject, "is": match["m"][:2], "do": plural}, match["v"], _sentence(line))


def _instruction(line: str, names: frozenset[str]) -> Found | None:
    """`To X, do V`; `You can X by V`; `Use V to X`."""
    del names
    if (match := re.match(r"(?:In order to|To) (?P<x>[a-z]+ [^,;:()]{8,80}), (?P<v>(?:you (?:can|must|should|need to|have to"
                         r"|may|will need to) |simply |just |please )?(?:use|run|type|add|open|set|execute|edit|create|install"
                         r"|copy|call|click|select|choose|specify|put|enter|pass|press|remove|write|need|do|make|start|follow)\b"
                         r"[^:;]{8,150})[.!]$", line)) or (match := re.match(r"You (?:can|could|may|must|should) (?:also |then |easily )?(?P<x>[a-z]+ [^,;:()]{8,80}?) "
                           r"(?P<v>(?:by [a-z]+ing|using|with the help of|with the) [^:;]{6,120})[.!]$", line)) or (match := re.match(r"(?P<v>Use (?:the )?[^,;:()]{3,60}?) to (?P<x>[a-z]+ [^,;:()]{8,90})[.!]$", line)):  # fmt: skip
        action, means = match["x"], match["v"]
    else:
        return None
    if re.search(r"\b(?:it|they|them|their|its|one|so|do|be|have)\b", action) or action.split(" ")[0].endswith(
        ("ed", "ing", "s")
    ):
        return None
    return Found("how_to", {"X": action}, means, _sentence(line))


def _reason(line: str, names: frozenset[str]) -> Found | None:
    """`S is ... because V`."""
    match = re.match(r"(?P<a>[^;:()]{15,120}?),? (?P<b>because|since|so that) (?P<v>(?!of\b)[^:;]{12,150})[.!]$", line)
    if not match or re.search(r",|\b(?:it|they|them|only|partly|but)\b", match["a"]):
        return None
    clause = parse(match["a"] + ".", names)
    if (
        clause is None
        or len(clause.rest.split()) > 12
        or (match["b"] == "since" and (re.search(YEAR, match["v"][:24]) or quantities(match["v"][:24], "en")))
    ):
        return None
    aux = clause.verb if clause.verb in BE or clause.verb in MODALS else ("do" if clause.plural else "does")
    verb = "" if aux == clause.verb else f"{clause.verb} "
    slots = {"S": clause.subject, "m": aux, "P": f"{verb}{clause.rest}"}
    return Found("reason", slots, f"{match['b']} {match['v']}", _sentence(line))


def _sentence(line: str) -> str:
    return line if line.endswith(".") else line.rstrip("!") + "."

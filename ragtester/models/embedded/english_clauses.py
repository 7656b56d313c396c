# ruff: noqa: E501 - one pattern a line
"""What one English clause says: rules from subject, verb and rest to a fact. What fits none is left alone."""

from __future__ import annotations

import re
from collections.abc import Callable

from ragtester.models.embedded.english_subject import BE, MODALS, Clause
from ragtester.models.embedded.english_values import stated_value
from ragtester.models.embedded.english_words import ATTRIBUTES, BE_PHRASES, PARTICIPLES, PLACED, PREPOSITIONS, VERBS
from ragtester.models.embedded.facts import Found
from ragtester.text.quantities import quantities

_ADVERB = re.compile(r"^(?:also|usually|generally|normally|typically|often|always|mainly|primarily|mostly|currently"
                     r"|simply|commonly|frequently|traditionally|then|therefore|thus|both|themselves|itself)\s+")  # fmt: skip
_CUT = re.compile(r";\s|,\s(?:but|so|although|though|while|whereas|however|and (?:it|they|this|the|you|we|is|are))\s|"
                  r"\s[-–—]\s|\s\((?=[^)]*$)|:\s")  # fmt: skip
_TRAILING = re.compile(r"\s*\([^()]*\)\s*$|,\s*(?:for example|e\.g\.|such as)\b[^.]*$")
YEAR = r"(?:1[5-9]|20)\d\d"
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = re.compile(
    rf"\b(?P<prep>in|on|since)\s+(?P<date>(?:(?:early|late|mid)[- ])?(?:\d{{1,2}}\s+)?(?:{_MONTH}\s+)?"
    rf"(?:\d{{1,2}},?\s+)?{YEAR}|{_MONTH}\s+\d{{1,2}})\b"
)


_TIMED = re.compile(
    r"(?P<p>be \w+(?:ed|en|wn|de|ilt|ld|nt|un|et|ut)) (?P<v>(?:only )?(?:when|if|before|after|unless|until) .+)"
)
_OPINION = re.compile(
    r"(?:be )?(?:still|minimally|now|then|probably|possible|able|aware|noted|fine|enough|clear|also|have been)\b"
)


_PERSON = re.compile(r"[A-Z][a-z]+(?: [A-Z]\.)?(?: [A-Z][a-z]+){1,2}")
_ROLE = re.compile(
    r"\b(?:specialist|engineer|manager|author|professor|consultant|director|developer|teacher|architect|programmer|scientist"
    r"|researcher|analyst|designer|officer|member|editor|writer|lecturer|physician|lawyer|chair|president|leader)\b",
    re.I,
)


def _value(text: str) -> str:
    """The part that answers: cut before a second thought."""
    cut = _CUT.search(text)
    if cut and len(text[: cut.start()].split()) >= 2:
        text = text[: cut.start()]
    return _TRAILING.sub("", text).strip(" ,;:")


def _found(kind: str, clause: Clause, value: str, answer: str = "", **slots: str) -> Found | None:
    value = _value(value)
    said = f"{clause.subject[:1].upper()}{clause.subject[1:]} {_said_verb(clause)} {_value(clause.rest)}."
    if not 1 <= len(value.split()) <= 32 or value.split(" ")[-1].lower() in PREPOSITIONS | {"the", "a", "and", "or"}:
        return None
    be = clause.verb if clause.verb in BE else ("are" if clause.plural else "is")
    filled = {"S": clause.subject, "is": be, "do": "do" if clause.plural else "does", "m": clause.verb}
    return Found(kind, filled | slots, value, answer or said)


def _said_verb(clause: Clause) -> str:
    if clause.verb in VERBS:
        return clause.verb if clause.plural else VERBS[clause.verb].third
    return clause.verb


def _rest(clause: Clause) -> str:
    return _ADVERB.sub("", _ADVERB.sub("", clause.rest))


def _phrase(clause: Clause) -> Found | None:
    """`S is used for V`, `S is located in V`, `S is part of V` and the like."""
    if clause.verb not in BE:
        return None
    rest = _rest(clause)
    for kind, pattern in BE_PHRASES:
        if match := pattern.match(rest):
            return _found(kind, clause, rest[match.start("v") :])
    if match := re.match(rf"(?P<p>{PLACED})\s+(?P<v>(?:in|under|at|on|inside|within|into)\s.+)", rest):
        return _found("where", clause, match["v"])
    return None


def _time(clause: Clause) -> Found | None:
    """`S was written in 1998`."""
    if clause.verb not in BE:
        return None
    participle = re.match(r"(?:first |originally |officially )?(\w+(?:ed|en|wn|un|de|lt|ld|nt))\b", _rest(clause))
    date = _DATE.search(clause.rest)
    if not participle or not date or participle[1] not in PARTICIPLES | {"released", "founded", "introduced"}:
        return None
    head = clause.rest[: date.start()].strip()
    if len(head.split()) > 9 or "," in head or " and " in head:
        return None
    return _found("when", clause, clause.rest[date.start() :][: len(date.group())], P=head)


def _agent(clause: Clause) -> Found | None:
    """`S was written by V`, `S is built by running V`."""
    modal = clause.verb in MODALS and clause.rest.startswith("be ")
    if clause.verb not in BE and not modal:
        return None
    rest = _rest(clause).removeprefix("be ") if modal else _rest(clause)
    match = re.match(
        r"(?P<p>\w+(?:ed|en|wn|de|ilt|ld|nt|un|et|ut))\s+(?P<by>by|using|with|via|through)\s+(?P<v>.+)", rest
    )
    if (
        not match
        or match["p"] not in PARTICIPLES
        or re.match(r"(?:\d|a factor|half|one|two|three|at least)\b", match["v"])
    ):
        return None
    verb = clause.verb if modal else ("are" if clause.plural and clause.verb == "are" else clause.verb)
    means = match["by"] != "by" or bool(re.match(r"\w+ing\b", match["v"]))
    if means and match["by"] == "with" and not modal:
        return None
    told = re.split(r",\s(?!and\b)", match["v"])[0] if not means else match["v"]
    value = f"{match['by']} {told}" if means else told
    be = "be " if modal else ""
    return _found("how" if means else "agent", clause, value, m=verb, P=f"{be}{match['p']}")


def _measure(clause: Clause) -> Found | None:
    """`S has 4 wheels`, `S takes 20 minutes`, `S must be at least 3 mm`."""
    number = r"(?P<v>(?:at most|at least|up to|exactly|about|around|approximately|only|no more than)?\s*"
    number += r"(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty))"
    counted = rf"{number}\s+(?P<unit>(?:[a-z-]+ )?[a-z]+s)\b(?:$|[,.:;]| (?:of|for|in|with|that|which|and|at|on|from|per|each|by)\b)"
    timed = rf"{number}\s+(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b"
    many = clause.verb in (
        "have",
        "contain",
        "include",
        "support",
        "comprise",
        "hold",
        "carry",
        "seat",
        "offer",
        "make",
    )
    if many and (match := re.match(counted, _rest(clause))):
        return _found("count", clause, f"{match['v']} {match['unit']}", U=match["unit"], V=clause.verb)
    if clause.verb in ("take", "last") and (match := re.match(timed, _rest(clause))):
        return _found("duration", clause, match.group())
    return None


def _often(clause: Clause) -> Found | None:
    """`S must be inspected every 12 months`, `S are delivered within two days`."""
    modal = clause.verb in MODALS and clause.rest.startswith("be ")
    if clause.verb not in BE and not modal:
        return None
    match = re.match(r"(?P<p>(?:be )?\w+(?:ed|en|wn|de|nt|ut|un|ld)) (?P<v>(?P<w>every|within|once|twice|at least every|at least once"
                     r"|at most every) (?:\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten|twelve)? ?(?:working |business "
                     r"|calendar )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b.*)", clause.rest)  # fmt: skip
    if not match:
        return None
    return _found("within" if match["w"] == "within" else "interval", clause, match["v"], P=match["p"])


def _attribute(clause: Clause) -> Found | None:
    """`The default value of S is V`."""
    if clause.verb not in ("is", "are", "was", "were"):
        return None
    match = re.match(rf"the (?P<a>(?:[a-z-]+ )?(?:{ATTRIBUTES})) (?:of|for) (?P<s>.+)$", clause.subject)
    if not match or re.match(
        r"(?:not|also|also not|that|very|more|less|so|too|[a-z]+ed (?!to|by|in)|as)\b", clause.rest
    ):
        return None
    return _found("attribute", clause, clause.rest, S=match["s"], A=match["a"])


def _definition(clause: Clause) -> Found | None:
    """`S is a V`."""
    if clause.verb not in ("is", "are"):
        return None
    one = re.match(r"(?:a|an|the|one of the)\s+(?!potential|well|common|useful|good|simple|good|special|single|bit|same|only|first|second|last|next|case|most\b|best|main|reason|good|bit)"
                   r"[A-Za-z]", clause.rest)  # fmt: skip
    many = clause.plural and re.match(
        r"(?!\w+ly\b|not\b|in\b|at\b|on\b|all\b|to\b|more\b|very\b|also\b|both\b|still\b|just\b|no\b|only\b|as\b|often\b)"
        r"(?:[a-z-]+ ){0,2}[a-z]+ (?:that|which|for|of|containing|whose)\s", clause.rest)  # fmt: skip
    if many and re.match(r"(?:\w+ed|\w+able|\w+ible|responsible|part|capable|full|free|good|similar|useful|aware|kept"
                         r"|left|sent|put|set)\s(?:that|which|for|of)\b|\w+(?:ed|en)\s(?:for|of)\b", clause.rest):  # fmt: skip
        many = None
    charge = re.match(
        r"(?:the )?(?:person|people|member of staff) (?:responsible for|in charge of) (.+)", clause.subject
    )
    if charge:
        return _found("who", clause, clause.rest, S=charge[1])
    if not (one or many) or len(clause.rest.split()) < 4 or re.search(r"\bof the$", clause.subject):
        return None
    if re.match(r"(?:each|every|all|the use|any)\b", clause.subject) or re.match(
        r"(?:the|one of the) (?:most\b|\w+est\b)|built out", clause.rest
    ):
        return None
    if re.match(r"the\s", clause.subject) and len(clause.subject.split()) < 3:
        return None
    person = _PERSON.fullmatch(clause.subject) and _ROLE.search(clause.rest)
    return _found("person" if person else "definition", clause, clause.rest)


def _rule(clause: Clause) -> Found | None:
    """`S must V`, `S must not V`, `S must be placed in V`."""
    rest = clause.rest
    if clause.verb not in ("must", "shall", "should", "cannot", "may"):
        return None
    if match := re.match(rf"be (?P<p>{PLACED})\s+(?P<v>(?:in|under|at|on|inside|within|into)\s.+)", rest):
        return _found("where_must", clause, match["v"], P=match["p"])
    match = _TIMED.match(rest)
    if match and match["p"].split()[1] in PARTICIPLES:
        return _found("when_must", clause, match["v"], P=match["p"])
    kind = _rule_kind(clause)
    return _found(kind, clause, rest) if kind else None


def _rule_kind(clause: Clause) -> str:
    """Whether something is demanded, forbidden or allowed; empty where the sentence only gives an opinion."""
    rest = clause.rest
    if len(rest.split()) < 3 or _OPINION.match(rest):
        return ""
    if clause.verb == "may" and not rest.startswith("not "):
        passive = re.match(r"be (\w+)\b", rest)
        return "allowed" if passive and passive[1] in PARTICIPLES else ""
    if clause.verb == "cannot" or rest.startswith("not "):
        return "" if clause.verb in ("may", "should") and rest.startswith("not be ") else "forbidden"
    return "rule"


def _ability(clause: Clause) -> Found | None:
    if (
        clause.verb != "can"
        or re.match(r"(?:be|not|also|only|have|each|get|then|easily be|end|now)\b", clause.rest)
        or len(clause.rest.split()) < 3
    ):
        return None
    return _found("ability", clause, clause.rest)


def _lexical(clause: Clause) -> Found | None:
    """`S contains V`, and every verb that has a question of its own."""
    if clause.verb not in VERBS or not VERBS[clause.verb].ask:
        return None
    needs = VERBS[clause.verb].needs
    rest = clause.rest
    if needs:
        if not rest.startswith(needs + " "):
            return None
        rest = rest.removeprefix(needs + " ")
    if re.match(r"(?:it|them|him|not|up|out|only if|as|for|by|when|with|on|in|from|at|like|or|and)\b", rest):
        return None
    return _found(f"verb:{clause.verb}", clause, rest)


def _treatment(clause: Clause) -> Found | None:
    """`S are uploaded to V`, `S was changed to V`, `S can be used with V`: what happens to S."""
    rest = _rest(clause)
    if clause.verb == "can" and rest.startswith("be "):
        kind, rest = "usable", rest.removeprefix("be ")
    elif clause.verb in BE:
        kind = "happened" if clause.verb in ("was", "were") else "treated"
        if kind == "happened" and quantities(rest, "en"):
            return None
    else:
        return None
    passive = re.match(r"(\w+)\b", rest)
    if (
        not passive
        or passive[1] not in PARTICIPLES - {"made", "done", "given", "taken", "found"}
        or len(rest.split()) < 4
        or rest.startswith(("used as ", "based "))
    ):
        return None
    return _found(kind, clause, rest)


def by_default(clause: Clause) -> Found | None:
    """`By default, S is V`."""
    if re.search(r"\bnot\b", clause.rest) or len(clause.rest.split()) < 2:
        return None
    found = _found("default", clause, clause.rest)
    return Found(found.kind, found.slots, found.value, found.answer[:-1] + " by default.") if found else None


RULES: tuple[Callable[[Clause], Found | None], ...] = (
    _measure, stated_value, _attribute, _phrase, _time, _often, _agent, _definition, _rule, _treatment, _ability, _lexical,
)  # fmt: skip

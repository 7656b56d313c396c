"""English sentences taken apart by pattern. What does not fit a pattern exactly is left alone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ragtester.models.embedded.english_words import (
    ADVERBS, ATTRIBUTES, BANNED_IN_SUBJECT, BE_PHRASES, GENERIC, IMPERATIVES, PARTICIPLES, PLACED, PREPOSITIONS, VERBS, VERB_FORMS,
)  # fmt: skip
from ragtester.models.embedded.facts import Found

_OPENING = re.compile(
    r"^(?:however|therefore|thus|hence|moreover|furthermore|additionally|also|in addition|in general|generally"
    r"|for example|for instance|similarly|finally|likewise|consequently|in particular|of course|nevertheless"
    r"|in practice|usually|typically|normally|currently|traditionally|historically|originally|again|note that"
    r"|please note that|in fact|indeed|as a result|in other words|at present|in short),?\s+",
    re.I,
)
_DEFAULT = re.compile(r"^by default,?\s+", re.I)
_ADVERB = re.compile(r"^(?:also|usually|generally|normally|typically|often|always|mainly|primarily|mostly|currently"
                     r"|simply|commonly|frequently|traditionally|then|therefore|thus|both|themselves|itself)\s+")  # fmt: skip
_BE = {"is": "is", "are": "are", "was": "was", "were": "were"}
_MODALS = {"must", "shall", "should", "may", "can", "cannot", "will"}
_DETERMINER = re.compile(r"^(?:the|a|an|all|any|its|each|every|both|one|two|three|four|five|six|several|many|no|"
                         r"additional|different|various|multiple|more|only|to|that|information|\d+)$")  # fmt: skip
_BACKWARD = re.compile(
    r"\b(?:above|below|following|follows|here|previous(?:ly)?|earlier|later in|next section|this|these|those|such"
    r"|aforementioned|latter|former|we|our|us|I|my|me|he|she|his|her)\b"
)
_CUT = re.compile(r";\s|,\s(?:but|so|although|though|while|whereas|however|and (?:it|they|this|the|you|we|is|are))\s|"
                  r"\s[-–—]\s|\s\((?=[^)]*$)|:\s")  # fmt: skip
_TRAILING = re.compile(r"\s*\([^()]*\)\s*$|,\s*(?:for example|e\.g\.|such as)\b[^.]*$")
_YEAR = r"(?:1[5-9]|20)\d\d"
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = re.compile(
    rf"\b(?P<prep>in|on|since)\s+(?P<date>(?:(?:early|late|mid)[- ])?(?:\d{{1,2}}\s+)?(?:{_MONTH}\s+)?"
    rf"(?:\d{{1,2}},?\s+)?{_YEAR}|{_MONTH}\s+\d{{1,2}})\b"
)


@dataclass(frozen=True)
class Clause:
    """Subject, finite verb and the rest of a sentence; `plural` is the verb's number."""

    subject: str
    verb: str
    plural: bool
    rest: str
    line: str


def find(line: str, names: frozenset[str]) -> Iterator[Found]:
    """Every fact that a pattern finds in one tidy sentence. `names` are words that keep their capital."""
    line = _OPENING.sub("", line).strip()
    line = line[:1].upper() + line[1:]
    if _BACKWARD.search(line) or re.search(r"\b(?:it|they|them|their)\b", line.split(" ", 3)[0], re.I):
        return
    for whole in (_condition, _instruction, _reason, _presence):
        if found := whole(line, names):
            yield found
            return
    defaulted = _DEFAULT.match(line)
    clause = parse(_DEFAULT.sub("", line), names)
    if clause is None:
        return
    for rule in (_by_default,) if defaulted else RULES:
        if found := rule(clause):
            yield found
            return


def parse(line: str, names: frozenset[str]) -> Clause | None:
    """Split at the first word that can only be the finite verb; None unless what stands before is a noun phrase."""
    line = re.sub(r"\s\((?:[^()]*)\)", "", line[:1].upper() + line[1:]).rstrip(".! ")
    tokens = line.split(" ")
    for place, token in enumerate(tokens[1:14], start=1):
        form = _finite(token, tokens, place)
        if form is None:
            continue
        verb, plural = form
        subject = noun_phrase(" ".join(tokens[:place]), names)
        rest = " ".join(tokens[place + 1 :])
        if subject is None or len(rest.split()) < 2:
            return None
        if verb in _MODALS:
            plural = _is_plural(subject)
        return Clause(subject, verb, plural, rest, line)
    return None


def _finite(token: str, tokens: list[str], place: int) -> tuple[str, bool] | None:
    if token in _BE:
        return token, token in ("are", "were")
    if token in _MODALS:
        return token, False
    if token not in VERB_FORMS:
        return None
    base, plural = VERB_FORMS[token]
    before, after = tokens[place - 1], tokens[place + 1] if place + 1 < len(tokens) else ""
    if plural and not (_is_plural(before) and before not in ("is", "this")):
        return None
    if not _DETERMINER.match(after) and not after[:1].isupper() and VERBS[base].noun:
        return None
    return base, plural


def _is_plural(phrase: str) -> bool:
    head = re.split(r"\s(?:of|for|in|from|to|with|on|under|at|by|between|without|into|within)\s", phrase)[0]
    last = head.split(" ")[-1].lower()
    plain = last.endswith("s") and not last.endswith(("ss", "us", "is")) and "." not in last and "/" not in last
    return " and " in head or plain or last in ("data", "people", "children", "criteria", "men", "women")


def noun_phrase(text: str, names: frozenset[str]) -> str | None:
    """The subject as it reads in mid-sentence, or None where it is not a noun phrase that stands alone."""
    tokens = text.strip().split(" ")
    lowered = [token.lower().strip("\"'“”,") for token in tokens]
    if lowered[-1].endswith("ly") or lowered[-1] in ADVERBS:
        return noun_phrase(" ".join(tokens[:-1]), names) if len(tokens) > 1 else None
    doubled = any(one == two for one, two in itertools.pairwise(lowered))
    if doubled or re.search(r"^\d|\.\.| - |[;*:&]", text) or lowered[0] in IMPERATIVES | ADVERBS:
        return None
    if lowered[0] in ("every", "each", "all") and (lowered[0] == "all") != _is_plural(text):
        return None
    if lowered[0].endswith("ing") and {"a", "an", "the"} & set(lowered):
        return None
    if len(tokens) > 12 or "," in text or BANNED_IN_SUBJECT & set(lowered) or lowered[0] in PREPOSITIONS:
        return None
    if lowered[-1] in PREPOSITIONS or lowered[-1] in ("the", "a", "an", "and") or not re.search(r"[A-Za-z]{2}", text):
        return None
    if any(token in VERB_FORMS and not VERBS[VERB_FORMS[token][0]].noun for token in lowered):
        return None
    if lowered[0].endswith("ly") or (lowered[0] in GENERIC and len(tokens) == 1):
        return None
    first = tokens[0]
    article = lowered[0] in ("the", "a", "an", "each", "every", "all")
    if lowered[0].endswith("ing") and len(tokens) == 1 and first not in names:
        return None
    content = [word for word in lowered if word not in PREPOSITIONS and word not in ("the", "a", "an", "and", "all")]
    if not content or all(word in GENERIC for word in content):
        return None
    if not article and not _is_plural(text) and not _name_like(first, names) and len(tokens) == 1:
        return None
    if not article and _name_like(first, names):
        return text
    if not article and len(tokens) > 1 and tokens[1][:1].isupper():
        return text
    return first[:1].lower() + text[1:] if first[1:].islower() or article or len(first) == 1 else text


def _name_like(word: str, names: frozenset[str]) -> bool:
    return word in names or bool(re.search(r"[A-Z\d/._]", word[1:])) or word[:1] in '/."“' or word[:1].islower()


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
    be = clause.verb if clause.verb in _BE else ("are" if clause.plural else "is")
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
    if clause.verb not in _BE:
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
    if clause.verb not in _BE:
        return None
    participle = re.match(r"(?:first |originally |officially )?(\w+(?:ed|en|wn|un|de|lt|ld|nt))\b", _rest(clause))
    date = _DATE.search(clause.rest)
    if not participle or not date or not participle[1] in PARTICIPLES | {"released", "founded", "introduced"}:
        return None
    head = clause.rest[: date.start()].strip()
    if len(head.split()) > 9 or "," in head or " and " in head:
        return None
    return _found("when", clause, clause.rest[date.start() :][: len(date.group())], P=head)


def _agent(clause: Clause) -> Found | None:
    """`S was written by V`, `S is built by running V`."""
    modal = clause.verb in _MODALS and clause.rest.startswith("be ")
    if clause.verb not in _BE and not modal:
        return None
    rest = _rest(clause).removeprefix("be ") if modal else _rest(clause)
    match = re.match(
        r"(?P<p>\w+(?:ed|en|wn|de|ilt|ld|nt|un|et|ut))\s+(?P<by>by|using|with|via|through)\s+(?P<v>.+)", rest
    )
    if not match or match["p"] not in PARTICIPLES:
        return None
    verb = clause.verb if modal else ("are" if clause.plural and clause.verb == "are" else clause.verb)
    means = match["by"] != "by" or bool(re.match(r"\w+ing\b", match["v"]))
    if means and match["by"] == "with" and not modal:
        return None
    value = f"{match['by']} {match['v']}" if means else match["v"]
    be = "be " if modal else ""
    return _found("how" if means else "agent", clause, value, m=verb, P=f"{be}{match['p']}")


def _measure(clause: Clause) -> Found | None:
    """`S has 4 wheels`, `S takes 20 minutes`, `S must be at least 3 mm`."""
    number = r"(?P<v>(?:at most|at least|up to|exactly|about|around|approximately|only|no more than)?\s*"
    number += r"(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty))"
    if clause.verb in ("have", "contain", "include", "support", "comprise") or clause.rest.startswith("made up of"):
        if match := re.match(rf"{number}\s+(?P<unit>(?:[a-z-]+ )?[a-z]+s)\b(?:$|[,.:;]| (?:of|for|in|with|that|which|and)\b)",
                             _rest(clause)):  # fmt: skip
            return _found("count", clause, f"{match['v']} {match['unit']}", U=match["unit"], V=clause.verb)
    if clause.verb in ("take", "last"):
        if match := re.match(rf"{number}\s+(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b", _rest(clause)):
            return _found("duration", clause, match.group())
    return None


def _often(clause: Clause) -> Found | None:
    """`S must be inspected every 12 months`, `S are delivered within two days`."""
    modal = clause.verb in _MODALS and clause.rest.startswith("be ")
    if clause.verb not in _BE and not modal:
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
    if not (one or many) or len(clause.rest.split()) < 4 or re.search(r"\bof the$", clause.subject):
        return None
    if re.match(r"(?:each|every|all|the use|any)\b", clause.subject) or re.match(
        r"(?:the|one of the) (?:most\b|\w+est\b)|built out", clause.rest
    ):
        return None
    if re.match(r"the\s", clause.subject) and len(clause.subject.split()) < 3:
        return None
    return _found("definition", clause, clause.rest)


def _rule(clause: Clause) -> Found | None:
    """`S must V`, `S must not V`, `S must be placed in V`."""
    if clause.verb not in ("must", "shall", "should", "cannot", "may"):
        return None
    rest = clause.rest
    if match := re.match(rf"be (?P<p>{PLACED})\s+(?P<v>(?:in|under|at|on|inside|within|into)\s.+)", rest):
        return _found("where_must", clause, match["v"], P=match["p"])
    if len(rest.split()) < 3 or re.match(
        r"(?:be )?(?:still|minimally|now|then|probably|possible|able|aware|noted|fine|enough|clear|also|have been)\b",
        rest,
    ):
        return None
    if match := re.match(
        r"(?P<p>be \w+(?:ed|en|wn|de|ilt|ld|nt|un|et|ut)) (?P<v>(?:only )?(?:when|if|before|after|unless|until) .+)",
        rest,
    ):  # noqa: E501
        if match["p"].split()[1] in PARTICIPLES:
            return _found("when_must", clause, match["v"], P=match["p"])
    if clause.verb in ("may", "should") and rest.startswith("not be "):
        return None
    if clause.verb == "cannot" or rest.startswith("not "):
        return _found("forbidden", clause, rest)
    if clause.verb == "may" and not rest.startswith("not "):
        passive = re.match(r"be (\w+)\b", rest)
        return _found("allowed", clause, rest) if passive and passive[1] in PARTICIPLES else None
    return _found("rule", clause, rest)


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
    elif clause.verb in _BE:
        kind = "happened" if clause.verb in ("was", "were") else "treated"
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


def _by_default(clause: Clause) -> Found | None:
    if re.search(r"\bnot\b", clause.rest) or len(clause.rest.split()) < 2:
        return None
    found = _found("default", clause, clause.rest)
    return Found(found.kind, found.slots, found.value, found.answer[:-1] + " by default.") if found else None


RULES: tuple[Callable[[Clause], Found | None], ...] = (
    _attribute, _phrase, _time, _measure, _often, _agent, _definition, _rule, _treatment, _ability, _lexical,
)  # fmt: skip


def _condition(line: str, names: frozenset[str]) -> Found | None:
    """`If C, M`: what happens, or what is to be done."""
    match = re.match(r"(?P<w>If|When|Whenever|Once) (?P<c>[^,;:()]{12,90}), (?:then )?(?P<m>[^:;]{15,170})[.!]$", line)
    if not match or re.search(
        r"\b(?:it|they|them|their|its|he|she|one|ones|so|not sure|the latter|want|more|also|another|other|already)\b",
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
    if not told and not imperative and (not parse(main[:1].upper() + main[1:], names) or " you " in f" {main} "):
        return None
    first, _, others = match["c"].partition(" ")
    condition = f"{first if _name_like(first, names) and first not in ('A',) else first.lower()} {others}"
    if len(condition.split()) < 4:
        return None
    kind = "what_to_do" if told or imperative else "consequence"
    return Found(kind, {"C": condition, "w": match["w"].lower()}, main, _sentence(line))


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
    plural = "do" if _is_plural(subject) else "does"
    return Found(kind, {"S": subject, "is": match["m"][:2], "do": plural}, match["v"], _sentence(line))


def _instruction(line: str, names: frozenset[str]) -> Found | None:
    """`To X, do V`; `You can X by V`; `Use V to X`."""
    del names
    if match := re.match(r"(?:In order to|To) (?P<x>[a-z]+ [^,;:()]{8,80}), (?P<v>(?:you (?:can|must|should|need to|have to"
                         r"|may|will need to) |simply |just |please )?(?:use|run|type|add|open|set|execute|edit|create|install"
                         r"|copy|call|click|select|choose|specify|put|enter|pass|press|remove|write|need|do|make|start|follow)\b"
                         r"[^:;]{8,150})[.!]$", line):  # fmt: skip
        action, means = match["x"], match["v"]
    elif match := re.match(r"You (?:can|could|may|must|should) (?:also |then |easily )?(?P<x>[a-z]+ [^,;:()]{8,80}?) "
                           r"(?P<v>(?:by [a-z]+ing|using|with the help of|with the) [^:;]{6,120})[.!]$", line):  # fmt: skip
        action, means = match["x"], match["v"]
    elif match := re.match(r"(?P<v>Use (?:the )?[^,;:()]{3,60}?) to (?P<x>[a-z]+ [^,;:()]{8,90})[.!]$", line):
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
    if clause is None or len(clause.rest.split()) > 12 or match["b"] == "since" and re.search(_YEAR, match["v"][:8]):
        return None
    aux = clause.verb if clause.verb in _BE or clause.verb in _MODALS else ("do" if clause.plural else "does")
    verb = "" if aux == clause.verb else f"{clause.verb} "
    slots = {"S": clause.subject, "m": aux, "P": f"{verb}{clause.rest}"}
    return Found("reason", slots, f"{match['b']} {match['v']}", _sentence(line))


def _sentence(line: str) -> str:
    return line if line.endswith(".") else line.rstrip("!") + "."

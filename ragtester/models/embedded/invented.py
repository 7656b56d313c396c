# ruff: noqa: E501 - one pattern a line
"""Questions on a document's own subject that it does not answer: something it speaks of, and a side of it that it
never mentions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ragtester.models.embedded.facts import Fact, Found, proper_names
from ragtester.models.embedded.invented_words import CLASSES, KINDS, Kind
from ragtester.models.embedded.language_patterns import ARTICLES
from ragtester.models.embedded.rendering import STYLES, render
from ragtester.models.embedded.rewording import pick
from ragtester.models.embedded.statements import Statement
from ragtester.tasks import Draft, WriteCases
from ragtester.text.languages import base, stop_words
from ragtester.text.normalise import fold
from ragtester.text.stems import stems

_ARTICLE = re.compile(r"^(?:the|an?|each|every|all)\s+", re.I)
_RUN = {
    "ja": re.compile(r"[\u30a1-\u30fa\u30fc]{4,12}|[\u4e00-\u9fff]{3,6}|[A-Z][A-Za-z]{2,}"),
    "zh": re.compile(r"[A-Z][A-Za-z]{2,}|(?<=“)[\u4e00-\u9fff]{2,8}(?=”)"),
    "ko": re.compile(r"[A-Z][A-Za-z]{2,}"),
}
_NAME = re.compile(r"(?<=[a-zà-ÿа-я,] )[A-ZÀ-ÝА-ЯЁ][\w-]{2,}(?: [A-ZÀ-ÝА-ЯЁ][\w-]{2,})*")
# Two-part terms after an article; what comes back several times is a subject of the text.
_TERMS = {
    "en": re.compile(r"\b(?:the|an?) ([a-z]{4,} [a-z]{4,})(?=[,.;]| (?:is|are|of|in|to|and|for|can|must|should|will|has)\b)"),
    "fr": re.compile(r"\b(?:le |la |les |du |des |au |aux |un |une |l['’])([a-zà-ÿ]{4,} (?:de |du |des |d['’])?[a-zà-ÿ]{4,})(?=[\s,.;])"),
    "es": re.compile(r"\b(?:el|la|los|las|del|al|una?) ([a-zà-ÿ]{4,} (?:de |del )?[a-zà-ÿ]{4,})(?=[\s,.;])"),
    "it": re.compile(r"\b(?:il|lo|la|i|gli|le|del|della|una?) ([a-zà-ÿ]{4,} (?:di |del |della )?[a-zà-ÿ]{4,})(?=[\s,.;])"),
    "pt": re.compile(r"\b(?:o|a|os|as|do|da|dos|das|uma?) ([a-zà-ÿ]{4,} (?:de |do |da )?[a-zà-ÿ]{4,})(?=[\s,.;])"),
    "de": re.compile(r"\b(?:der|die|das|den|dem|des|eine?|einen|einem|einer) ([A-ZÄÖÜ][a-zäöüß]{6,})(?=[\s,.;])"),
    "nl": re.compile(r"\b(?:de|het|een) ([a-z]{8,})(?=[\s,.;])"),
}  # fmt: skip
# Subjects that only their sentence makes clear.
_VAGUE = re.compile(
    r"\b(?:use|lack|fact|number|order|kind|type|set|list|name|value|purpose|result|default|minimum)\b", re.I
)


def invented_drafts(request: WriteCases, facts: Sequence[Fact]) -> Iterator[Draft]:
    """Drafts without keywords and quotes; the expected answer is the refusal."""
    code = base(request.language)
    kinds = KINDS.get(code, ())
    told = fold(" ".join((request.title, *(passage.text for passage in request.passages))))
    open_kinds = [kind for kind in kinds if not any(trigger in told for trigger in kind.triggers)]
    for number, (subject, plural) in enumerate(_subjects(request, facts, code)):
        fitting = [kind for kind in open_kinds if _class(subject, code) in kind.classes]
        if not fitting:
            continue
        kind = pick(fitting, request.seed, f"{number}{subject}")
        style: str = request.style or pick(STYLES, request.seed, f"style{subject}")
        question = _ask(subject, plural, kind, style, code, request.seed)
        if question:
            yield Draft(question=question, expected_answer=request.refusal, style=style)


def _ask(subject: str, plural: bool, kind: Kind, style: str, code: str, seed: int) -> str:
    slots = {
        "S": re.sub(r"^(?:an?|each|every|all)\s+(?=\w)", "" if plural else "the ", subject)
        if code == "en"
        else subject,
        "is": "were" if plural else "was",
        "do": "do" if plural else "does",
        "m": "are" if plural else "is",
        "many": "plural" if plural else "",
    }
    fact = Fact(Found(kind.name, slots, "", ""), Statement(subject, 0, 0), 0, ())
    return render(fact, style, code, seed, frozenset())


def _subjects(request: WriteCases, facts: Sequence[Fact], code: str) -> list[tuple[str, bool]]:
    """What the passages speak of, in an order that the seed decides: subjects of facts, then repeated names."""
    found: dict[str, bool] = {}
    for fact in facts:
        subject = fact.found.slots.get("S", "")
        if subject and len(subject.split()) <= 5 and not _plain(subject, code) and not _VAGUE.search(subject):
            found.setdefault(subject, fact.found.slots.get("do") == "do" or bool(fact.found.slots.get("many")))
    order = sorted(found, key=lambda subject: pick(range(1 << 30), request.seed, subject))
    names = _repeated(request, code)
    return [(subject, found[subject]) for subject in order] + [
        (_with_article(name, code), False) for name in names if name not in found
    ]


def _with_article(name: str, code: str) -> str:
    return f"the {name}" if code == "en" and name.islower() else name


def _repeated(request: WriteCases, code: str) -> list[str]:
    """Names and terms that stand in the passages at least twice, the most frequent first."""
    text = " ".join(" ".join(passage.text.split()) for passage in request.passages)
    proper, stopped = proper_names(text), stop_words(code)
    found = Counter(_RUN[code].findall(text) if code in _RUN else ())
    if code not in _RUN:
        found.update(name for name in _NAME.findall(text) if set(name.split()) <= proper)
        terms = _TERMS[code].findall(text) if code in _TERMS else []
        found.update(term for term in terms if not {fold(word) for word in term.split()} & stopped)
    order = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return [name for name, count in order if count >= 2 and fold(name) not in stopped][:8]


def _plain(subject: str, code: str) -> bool:
    """Whether the subject is an everyday word that names nothing in particular."""
    bare = ARTICLES.get(code, _ARTICLE).sub("", subject)
    named = re.search(r"[A-Z\d/._]", bare if code == "en" else bare[1:])
    return len(set(stems(bare, code))) < 2 and not named and len(bare) < 12 and code not in _RUN


def _class(subject: str, code: str) -> str:
    for name, pattern in CLASSES.get(code, ()):
        if pattern.search(subject):
            return name
    return "thing"

# ruff: noqa: E501 - one pattern a line
"""Questions on a document's own subject that it does not answer: something it speaks of, and a side of it that it
never mentions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ragtester.models.embedded.asking import MOST_ALIKE, opening, openings
from ragtester.models.embedded.english_subject import parse
from ragtester.models.embedded.facts import Fact, Found, proper_names
from ragtester.models.embedded.invented_words import CLASSES, KINDS, Kind
from ragtester.models.embedded.language_patterns import ARTICLES
from ragtester.models.embedded.rendering import STYLES, render
from ragtester.models.embedded.rewording import pick
from ragtester.models.embedded.statements import Statement, statements
from ragtester.tasks import Draft, WriteCases
from ragtester.text.languages import base, stop_words
from ragtester.text.normalise import fold
from ragtester.text.stems import stems
from ragtester.text.units import SPELLINGS

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
# Endings of words that are no subjects as they stand: datives and plurals of German, adverbs of French.
_BENT = {"de": re.compile(r"n$"), "fr": re.compile(r"ment$|^Plan$")}
# Subjects that only their sentence makes clear.
_VAGUE = re.compile(
    r"\b(?:use|lack|fact|number|order|kind|type|set|list|name|value|purpose|result|default|minimum)\b", re.I
)


# Labels of tables and lists are no subjects; nor are words that only a text has, constants of a language, and dates.
_LABELLED = frozenset({"cell", "entry", "members", "value"})
_NO_SUBJECT = re.compile(
    r"^(?:None|True|False|TRUE|FALSE|NULL|NA|NaN|Section|Chapter|Appendix|Table|Figure|Part|Page|Issue|Sheet|Note|Monday|Tuesday"
    r"|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November"
    r"|December|Fassung|Kennung|Kapitel|Abschnitt|Anhang|Tabelle|Abbildung|Seite|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember"
    r"|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag)\b|^\w{1,2}$|[:;,“”\"]|\b(?:reason|rule|step|way|figure|limit|price|illness|irregularit(?:y|ies)|accounts?|date)s?\b"
)


def invented_drafts(request: WriteCases, facts: Sequence[Fact]) -> Iterator[Draft]:
    """Drafts without keywords and quotes; the expected answer is the refusal."""
    code = base(request.language)
    kinds = KINDS.get(code, ())
    told = fold(" ".join((request.title, *(passage.text for passage in request.passages))))
    open_kinds = [kind for kind in kinds if not any(trigger in told for trigger in kind.triggers)]
    worn, late = openings(request.avoid), list[Draft]()
    for number, (subject, plural) in enumerate(_subjects(request, facts, code)):
        fitting = [kind for kind in open_kinds if _class(subject, code) in kind.classes]
        style: str = request.style or pick(STYLES, request.seed, f"style{subject}")
        for turn in range(min(2, len(fitting))):
            kind = pick(fitting, request.seed + turn, f"{number}{subject}")
            question = _ask(subject, plural, kind, style, code, request.seed)
            draft = Draft(question=question, expected_answer=request.refusal, style=style)
            if question and worn[opening(question)] >= MOST_ALIKE:
                late.append(draft)
            elif question:
                yield draft
    yield from late


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
        told = subject and len(subject.split()) <= 5 and fact.found.kind not in _LABELLED
        if told and not _plain(subject, code) and not _VAGUE.search(subject) and not _NO_SUBJECT.search(subject):
            found.setdefault(subject, fact.found.slots.get("do") == "do" or bool(fact.found.slots.get("many")))
    if code == "en":
        for subject, plural in _spoken_of(request):
            found.setdefault(subject, plural)
    order = sorted(found, key=lambda subject: pick(range(1 << 30), request.seed, subject))
    names = _repeated(request, code)
    return [(subject, found[subject]) for subject in order] + [
        (_with_article(name, code, request), False) for name in names if name not in found
    ]


def _spoken_of(request: WriteCases) -> Iterator[tuple[str, bool]]:
    """Subjects of English sentences of which no fact was taken."""
    names = proper_names(" ".join(passage.text for passage in request.passages))
    for passage in request.passages:
        for statement in statements(passage.text, "en"):
            clause = parse(statement.text, names)
            if clause and 2 <= len(clause.subject.split()) <= 4 and re.match(r"the |[A-Z]", clause.subject):
                fit = not _plain(clause.subject, "en") and not _VAGUE.search(clause.subject)
                if fit and not _NO_SUBJECT.search(clause.subject):
                    yield clause.subject, clause.plural


def _with_article(name: str, code: str, request: WriteCases) -> str:
    """`the` before a term, and before a name that the passages use with it ("the Direct")."""
    if code != "en":
        return name
    text = " ".join(passage.text for passage in request.passages)
    often = len(re.findall(rf"\b[Tt]he {re.escape(name)}\b", text)) * 2 > len(
        re.findall(rf"\b{re.escape(name)}\b", text)
    )
    return f"the {name}" if name.islower() or often else name


def _repeated(request: WriteCases, code: str) -> list[str]:
    """Names and terms that stand in the passages at least twice, the most frequent first."""
    # A heading does not run on into the line below it.
    text = " ".join(" ".join(re.sub(r"\n\s*\n", " · ", passage.text).split()) for passage in request.passages)
    proper, stopped = proper_names(text), stop_words(code)
    found = Counter(_RUN[code].findall(text) if code in _RUN else ())
    if code not in _RUN:
        names = [name for name in _NAME.findall(text) if set(name.split()) <= proper and not _NO_SUBJECT.search(name)]
        parts = {part for name in names if " " in name for part in name.split()}
        # A word that is also part of a longer name is half a name: "John" of "John Chambers".
        found.update(name for name in names if name not in parts)
        terms = _TERMS[code].findall(text) if code in _TERMS else []
        found.update(term for term in terms if not {fold(word) for word in term.split()} & stopped)
    order = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    fit = [(name, count) for name, count in order if fold(name) not in stopped and name not in SPELLINGS]
    often = (
        [name for name, count in fit if count >= 2 and not _BENT[code].search(name)]
        if code in _BENT
        else [name for name, count in fit if count >= 2]
    )
    return often[:8] or [name for name, _ in fit if " " in name and not name.islower()][:4]


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

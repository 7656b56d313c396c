"""Questions on a document's own subject that it does not answer: something it speaks of, and a side of it that it
never mentions."""  # noqa: D205, D209

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ragtester.models.embedded.facts import Fact, Found
from ragtester.models.embedded.invented_words import CLASSES, KINDS, Kind
from ragtester.models.embedded.rendering import STYLES, render
from ragtester.models.embedded.rewording import pick
from ragtester.models.embedded.statements import Statement
from ragtester.tasks import Draft, WriteCases
from ragtester.text.languages import base, stop_words
from ragtester.text.normalise import fold

_RUN = {
    "ja": re.compile(r"[\u30a1-\u30fa\u30fc]{4,12}|[\u4e00-\u9fff]{3,6}|[A-Z][A-Za-z]{2,}"),
    "zh": re.compile(r"[A-Z][A-Za-z]{2,}|(?<=“)[\u4e00-\u9fff]{2,8}(?=”)"),
    "ko": re.compile(r"[A-Z][A-Za-z]{2,}"),
}
_NAME = re.compile(r"(?<=[\w,] )[A-ZÀ-ÝА-ЯЁ][\w-]{2,}(?: [A-ZÀ-ÝА-ЯЁ][\w-]{2,})*")
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
        style = request.style or pick(STYLES, request.seed, f"style{subject}")
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
        if subject and len(subject.split()) <= 6 and not _VAGUE.search(subject):
            found.setdefault(subject, fact.found.slots.get("do") == "do" or bool(fact.found.slots.get("many")))
    order = sorted(found, key=lambda subject: pick(range(1 << 30), request.seed, subject))
    counts = Counter(name for passage in request.passages for name in _RUN.get(code, _NAME).findall(passage.text))
    names = [
        name
        for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if count >= 2 and name not in found and fold(name) not in stop_words(code)
    ]
    return [(subject, found[subject]) for subject in order] + [(name, False) for name in names[:8]]


def _class(subject: str, code: str) -> str:
    for name, pattern in CLASSES.get(code, ()):
        if pattern.search(subject):
            return name
    return "thing"

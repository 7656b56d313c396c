"""Splits an answer into claims by rule: sentences, their clauses, the members of their lists.

A clause without a subject of its own takes that of the clause before it, a pronoun that of the sentence before, a bare
value the question. Nothing of a passage gets into a claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragtester.models.embedded.claim_cutting import PRONOUN, clauses, depths, subject_of
from ragtester.models.embedded.claim_fragments import completed, polar
from ragtester.models.embedded.claim_sources import Sources, marks
from ragtester.models.embedded.claim_verbs import PREPOSITION, and_words, verb
from ragtester.tasks import REFUSAL_PHRASES, AnswerSplit, SplitAnswer, SplitClaim
from ragtester.text.languages import base
from ragtester.text.refusal import is_refusal
from ragtester.text.sentences import sentence_spans
from ragtester.text.words import words

_BULLET = re.compile(r"^\s*(?:[-*•·–—▪◦‣]|\(?\d{1,3}[.)])\s+|^#{1,6}\s+")
_MARKUP = re.compile(r"\*\*|__|`")
_LIST = re.compile(
    r"^(?P<head>.{3,120}?\b(?:contains?|includes?|comprises?|covers?|adds?|supports?|offers?|lists?|are|enthält|enthalten|"
    r"umfasst|umfassen|sind|beinhaltet|comprend|comprennent|contient|inclut|sont|incluye|incluyen|contiene|contienen|son|"
    r"comprende|comprendono|sono|bevat|omvat|zijn|inclui|contém|são)\b:?)\s+(?P<members>[^;:.!?]+?)(?P<end>[.!]?)$",
    re.I,
)
_ACCORDING = re.compile(
    r"^(?:according to|based on|as stated in|as described in|laut|gemäß|nach|d'après|selon|según|secondo|volgens|"
    r"segundo) (?:the |the provided |den? |dem |der |le |la |les |el |los |il |het |o |a )?(?:\w+ ){0,3}?"
    r"(?:manual|document\w*|text|section|passages?|context|source|guide|handbook|notice|policy|handbuch|dokument\w*|"
    r"abschnitt|manuel|texte|manuale|testo|handleiding|documento)(?: \w+)?,\s*",
    re.I,
)
_COURTESY = re.compile(
    r"^(?:(?:i )?hope (?:this|that|it) (?:helps|answers)\b.*|let me know\b.*|feel free\b.*|you're welcome|"
    r"(?:sure|certainly|of course)[,!.]?|(?:ich hoffe,? )?das hilft(?: \w+)*|gerne?|j'espère que .*|"
    r"espero que .*ayud\w*)\W*$",
    re.I,
)
_MEMBER_WORDS = 5


def split_answer(request: SplitAnswer) -> AnswerSplit:
    """The claims of an answer in its order, each with the passages that it relies on; deterministic.

    An answer that only abstains, asks or greets has none.
    """
    code = base(request.language)
    sources = Sources(request.passages, request.cited, code)
    found: list[SplitClaim] = []
    for text, marked in _told(request.answer, sources):
        for claim in _claims(text, request.question, code):
            found.append(SplitClaim(claim=claim, passages=sources.of(claim, marked)))
    telling = [one for one in found if not polar(one.claim.rpartition(": ")[2])] or found[:1]
    unique = {one.claim: one for one in reversed(telling)}
    return AnswerSplit(claims=tuple(one for one in telling if unique.get(one.claim) is one))


def _told(answer: str, sources: Sources) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Sentences that state something, each with the ids that it marks, subjects of the sentence before filled in.

    A mark that stands alone belongs to the sentence before; a line that ends with a colon heads the items below it.
    """
    found: list[tuple[str, tuple[str, ...]]] = []
    head = subject = ""
    for line, item in _sentences(answer, sources.code):
        text, marked = marks(line, sources)
        text = " ".join(_MARKUP.sub("", text).split())
        if not words(text):
            if marked and found:
                found[-1] = (
                    found[-1][0],
                    tuple(dict.fromkeys((*found[-1][1], *marked))),
                )
            continue
        if text.endswith(":"):
            head = text if _VERB_NEAR_END.search(text) else ""
            continue
        if not item:
            head = ""
        text = _ACCORDING.sub("", text)
        if text.endswith("?") or _COURTESY.match(text) or is_refusal(text, REFUSAL_PHRASES, sources.code):
            continue
        if head:
            text = f"{head.rstrip(':')} {text}"
        elif subject and (pronoun := PRONOUN.match(text)):
            text = f"{subject} {text[pronoun.end() :]}"
        subject = subject_of(text, sources.code) or subject
        found.append((text, marked))
    yield from found


_VERB_NEAR_END = re.compile(
    r"\b(?:contains?|includes?|comprises?|are|enthält|umfasst|sind|comprend|sont|incluye|son|sono)\b:$",
    re.I,
)


def _sentences(answer: str, code: str) -> Iterator[tuple[str, bool]]:
    """Each sentence without its bullet, and whether it is an item of a list."""
    for start, end in sentence_spans(answer, code):
        text = answer[start:end]
        bare = _BULLET.sub("", text)
        yield bare, bare != text


def _claims(text: str, question: str, code: str) -> list[str]:
    """The claims of one sentence; one that is no sentence stands behind its question."""
    if members := _members(text, code):
        return members
    found = clauses(text, code)
    return found if len(found) > 1 else [completed(text, question, code)]


def _members(text: str, code: str) -> list[str]:
    """One claim a member where a sentence lists three or more: "A, B and C" and nothing else."""
    match = _LIST.match(text)
    if match is None or PREPOSITION.match(match["head"]):
        return []
    last = re.split(rf",?\s+(?:{and_words(code)})\s+", match["members"])
    inside = depths(text)
    if len(last) != 2 or any(inside[match.start("members") : match.end("members")]):
        return []
    parts = [part.strip() for part in (*last[0].split(","), last[1])]
    if len(parts) < 3 or any(len(part.split()) > _MEMBER_WORDS or verb(code).search(part) for part in parts):
        return []
    if any(not part or PREPOSITION.match(part) for part in parts):
        return []
    return [f"{match['head']} {part}{match['end']}" for part in parts]

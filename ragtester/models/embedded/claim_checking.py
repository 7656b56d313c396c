"""Checks a claim against passages by rule: what covers it supports it, what says otherwise of the same contradicts it.

Each sentence of the claim is held against every sentence of every passage, against its clauses, and against two
sentences that follow each other; the nearest decides. See docs/claims-engine.md for what it can and cannot do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ragtester.models.embedded.claim_conflicts import conflict
from ragtester.models.embedded.claim_fragments import bare, denies, is_fragment, polar
from ragtester.models.embedded.claim_matching import QUANTITY, Claim, Match, closeness, match, speaks
from ragtester.models.embedded.claim_parts import Part, part
from ragtester.models.embedded.claim_reading import Reading, Sentence, read_passage, read_text
from ragtester.models.embedded.judging_premise import quote
from ragtester.records import ClaimVerdict
from ragtester.tasks import CheckClaim, ClaimChecked
from ragtester.text.languages import base

COVER = 0.8
"""Share of a claim that a sentence must hold to support it, what the passage said before included."""
FRAGMENT = 0.6
"""The same of a bare value or phrase, whose question says the rest."""
OWN = 0.5
"""Share that the sentence must hold by itself."""
VERBATIM = 2.0
"""Weight of a sentence that the passage has word for word."""
TWO = 0.05
"""By so much two sentences together weigh less than one that says the same."""


@dataclass(frozen=True)
class Finding:
    """What one sentence of a passage says of one sentence of the claim; the one with the most `weight` decides."""

    verdict: ClaimVerdict
    why: str
    label: str
    weight: float


@dataclass(frozen=True)
class Place:
    """Where in a passage a claim is looked for: its label, and the stems and identifiers that stand before."""

    label: str
    before: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()

    def after(self, sentence: Sentence) -> Place:
        """The place behind a sentence."""
        whole = sentence.whole
        return Place(self.label, self.before | whole.stems, self.codes | whole.read.codes)


@dataclass(frozen=True)
class Asked:
    """The language's code, and for a fragment the stems of the question that it answers, with their spellings."""

    code: str
    topic: tuple[tuple[str, str], ...] = ()


def check_claim(request: CheckClaim) -> ClaimChecked:
    """The verdict on one claim by its passages alone, deterministic and the same in every order of the passages.

    A claim of several sentences is supported where each of them is, and contradicted where one is. Where one passage
    supports and another contradicts a sentence, it is supported and the reason names both.
    """
    code = base(request.language)
    question = read_text(request.question, code)
    said, asked = _said(request, question, code)
    read = [(one.label, read_passage(one.text, code)) for one in request.passages]
    passages = [(label, passage) for label, passage in read if not _of_another(said, passage, question)]
    results = [_check(one, passages, asked) for one in said.sentences]
    if not results:
        return _bare_row(request)
    against = [found for found in results if found.verdict == "contradicted"]
    silent = [found for found in results if found.verdict == "unsupported"]
    decisive = (against or silent or results)[0]
    rest = [decisive] if against or silent else results
    return ClaimChecked(
        reason=f"by rule: {decisive.why}",
        verdict=decisive.verdict,
        passages=tuple(dict.fromkeys(found.label for found in rest if found.label)),
    )


def _bare_row(request: CheckClaim) -> ClaimChecked:
    """A claim without a sentence, as a table's row without its head: supported where a passage has it as a line."""
    row = _cells(request.claim)
    for passage in request.passages:
        if len(row) > 1 and any(_cells(line) == row for line in passage.text.splitlines()):
            return ClaimChecked(
                reason="by rule: the passage has this row", verdict="supported", passages=(passage.label,)
            )
    return ClaimChecked(reason="by rule: the claim says nothing of the matter", verdict="unsupported")


def _cells(line: str) -> tuple[str, ...]:
    """The cells of a row; a line that is none is one cell."""
    return tuple(" ".join(cell.split()) for cell in line.strip().removeprefix("|").removesuffix("|").split("|"))


def _said(request: CheckClaim, question: Reading, code: str) -> tuple[Reading, Asked]:
    """The claim as it is held against the passages; a fragment brings its question's words, "no" denies it."""
    text = bare(request.claim.strip(), request.question)
    topic = tuple(question.surfaces.items())
    if polar(text) and question.sentences:
        whole = question.sentences[-1].whole
        turned = replace(whole, denied=whole.denied != denies(text))
        return replace(question, sentences=(Sentence(turned, (turned,)),)), Asked(code)
    if topic and (text != request.claim.strip() or is_fragment(text, code)):
        whole = part(text, code)
        return replace(question, sentences=(Sentence(whole, (whole,)),)), Asked(code, topic)
    return read_text(text, code), Asked(code)


def _of_another(claim: Reading, passage: Reading, asked: Reading) -> bool:
    """Whether a passage speaks of another thing than the question and the claim: it has other names and not theirs."""
    for ours, theirs, held in (
        (claim.codes & asked.codes, passage.codes, passage.codes),
        (claim.names & asked.names, passage.names, passage.stems),
    ):
        if ours and theirs and not ours & held:
            return True
    return False


def _check(claim: Sentence, passages: Sequence[tuple[str, Reading]], asked: Asked) -> Finding:
    """The whole sentence decides where it is supported, or has no clauses; else its clauses do."""
    whole = _decide(claim.whole, passages, asked)
    if len(claim.clauses) < 2 or whole.weight >= VERBATIM:
        return whole
    parts = [_decide(clause, passages, asked) for clause in claim.clauses]
    if against := [one for one in parts if one.verdict == "contradicted"]:
        return against[0]
    if all(one.verdict == "supported" for one in parts):
        return parts[0] if whole.verdict != "supported" else whole
    return whole


def _decide(claim: Part, passages: Sequence[tuple[str, Reading]], asked: Asked) -> Finding:
    found = sorted(
        (
            one
            for label, passage in passages
            for one in _findings(Claim(claim, passage, asked.code, asked.topic), label)
        ),
        key=lambda one: (-one.weight, one.verdict != "supported", one.label, one.why),
    )
    if not found:
        return Finding("unsupported", "no passage says so", "", 0)
    first = found[0]
    against = next(
        (one for one in found if one.verdict == "contradicted" and one.label != first.label),
        None,
    )
    if first.verdict == "supported" and against is not None:
        return Finding(
            "supported",
            f"{first.why}; but in {against.label}: {against.why}",
            first.label,
            first.weight,
        )
    return first


def _findings(claim: Claim, label: str) -> Iterator[Finding]:
    place = Place(label)
    last: Sentence | None = None
    for sentence in claim.passage.sentences:
        touched = claim.touches(sentence.whole)
        found = list(_of_sentence(claim, sentence, place)) if touched or not claim.about else []
        yield from found
        if not found and last is not None and _may_add(claim, last, sentence):
            yield from _of_two(claim, last, sentence, place)
        place, last = place.after(sentence), sentence


def _of_sentence(claim: Claim, sentence: Sentence, place: Place) -> Iterator[Finding]:
    whole, part = sentence.whole, claim.part
    # A cell of a table with its label and its head is a clause that stands nowhere in the row's own order.
    held = (one for one in (whole, *sentence.clauses) if part.plain and part.plain in one.plain)
    if any(part.denied == one.denied for one in held) and not _drops(claim, whole):
        yield Finding("supported", f"{quote(whole.text)} says so", place.label, VERBATIM)
        return
    best = max((*sentence.clauses, whole), key=lambda one: closeness(claim, one))
    if speaks(claim, best, place.before) and (why := conflict(claim, best, whole, place.before)):
        yield Finding(
            "contradicted",
            f"{why}: {quote(best.text)}",
            place.label,
            closeness(claim, best) + 0.01,
        )
        return
    found = match(claim, whole, place.before)
    if not _covers(claim, found) or not part.read.codes <= whole.read.codes | place.codes or part.denied != best.denied:
        return
    if _drops(claim, best):
        why = f"it holds only under a condition: {quote(best.text)}"
        yield Finding("unsupported", why, place.label, closeness(claim, best))
        return
    yield Finding("supported", f"{quote(whole.text)} says so", place.label, found.own + 0.02)


def _may_add(claim: Claim, first: Sentence, second: Sentence) -> bool:
    """Whether each of two sentences has something of the claim that the other has not: cheap, and never too strict."""
    one, two = claim.touches(first.whole), claim.touches(second.whole)
    if not (one or first.whole.read.quantities) or not (two or second.whole.read.quantities):
        return False
    values = claim.part.read.quantities
    most = len(one | two) + QUANTITY * len(values)
    return bool(one ^ two) and most >= OWN * (len(claim.part.content) + QUANTITY * len(values))


def _of_two(claim: Claim, first: Sentence, second: Sentence, place: Place) -> Iterator[Finding]:
    """Two sentences that say together what neither says alone."""
    pair, part = first.whole.join(second.whole), claim.part
    both = match(claim, pair, place.before)
    alone = max(match(claim, one.whole, frozenset()).own for one in (first, second))
    best = [max((*one.clauses, one.whole), key=lambda clause: closeness(claim, clause)) for one in (first, second)]
    if not _covers(claim, both) or both.own <= alone or part.denied != any(one.denied for one in best):
        return
    weight = both.own - TWO
    if said := part.read.codes - pair.read.codes - place.codes:
        if instead := pair.read.codes - part.read.codes:
            why = f"{min(instead)!r}, not {min(said)!r}: {quote(pair.text)}"
            yield Finding("contradicted", why, place.label, weight)
    elif any(_drops(claim, one) for one in best):
        yield Finding(
            "unsupported",
            f"it holds only under a condition: {quote(pair.text)}",
            place.label,
            weight,
        )
    else:
        yield Finding("supported", f"{quote(pair.text)} says so", place.label, weight)


def _covers(claim: Claim, found: Match) -> bool:
    return found.cover >= (FRAGMENT if claim.topic else COVER) and found.own >= OWN and not found.values


def _drops(claim: Claim, there: Part) -> bool:
    """Whether the clause has a condition or a limit of which the claim says nothing."""
    if there.conditional and not claim.part.conditional and not there.conditions <= claim.stems:
        return True
    return there.limits and not claim.part.read.quantities

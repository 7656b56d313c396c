"""Checks a claim against passages by rule: what covers it supports it, what says otherwise of the same contradicts it.

Each sentence of the claim is held against every sentence of every passage, against its clauses, and against two
sentences that follow each other; the nearest decides. See docs/claims-engine.md for what it can and cannot do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragtester.models.embedded.claim_findings import VERBATIM, Finding, findings
from ragtester.models.embedded.claim_fragments import bare, denies, is_fragment, polar
from ragtester.models.embedded.claim_matching import Claim
from ragtester.models.embedded.claim_parts import Part, part
from ragtester.models.embedded.claim_reading import Reading, Sentence, read_passage, read_text
from ragtester.tasks import CheckClaim, ClaimChecked
from ragtester.text.languages import base


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
        return parts[0] if whole.verdict == "unsupported" else whole
    return whole


def _decide(claim: Part, passages: Sequence[tuple[str, Reading]], asked: Asked) -> Finding:
    found = sorted(
        (one for label, passage in passages for one in findings(Claim(claim, passage, asked.code, asked.topic), label)),
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

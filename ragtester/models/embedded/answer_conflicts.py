"""Answers a question by rule and adds the sentence of another section that contradicts the answer."""

from __future__ import annotations

from ragtester.models.embedded.answering import answer_question
from ragtester.models.embedded.claim_checking import check_claim
from ragtester.models.embedded.claim_splitting import split_answer
from ragtester.records import LeftOut
from ragtester.tasks import AnswerQuestion, CheckClaim, ConflictsAnswered, Passage, SplitAnswer
from ragtester.text.languages import base
from ragtester.text.sentences import sentences
from ragtester.text.subjects import shares_subject

# What the engine puts before the other sentence; English for a language without an entry.
OTHERWISE = {
    "en": "According to another section,",
    "de": "Laut einem anderen Abschnitt,",
    "fr": "Selon une autre section,",
    "es": "Según otra sección,",
    "it": "Secondo un'altra sezione,",
    "pt": "Segundo outra seção,",
    "nl": "Volgens een andere sectie,",
}
UNUSED = "by rule: another sentence answers the question better, and nothing in it contradicts that"
NO_ANSWER = "by rule: no sentence of it answers the question"
NEAR = 0.5


def answer_with_conflicts(request: AnswerQuestion, eager: bool = False) -> ConflictsAnswered:
    """The engine's answer, then the first sentence of each other section that contradicts it, with its label."""
    plain = answer_question(request, eager)
    if plain.refuses:
        left = tuple(LeftOut(id=part.label, reason=NO_ANSWER) for part in request.sections)
        return ConflictsAnswered(**dict(plain), left_out=left)
    code = base(request.language)
    said, cited, left_out = plain.answer, list(plain.cited), []
    claims = _claims(request, eager)
    for part in request.sections:
        if part.label in plain.cited:
            continue
        against = _against(claims, part, request, code)
        if not against:
            left_out.append(LeftOut(id=part.label, reason=UNUSED))
            continue
        said += f" {OTHERWISE.get(code, OTHERWISE['en'])} {against}"
        said += f" [{part.label}]" if request.reply_format == "text" else ""
        cited.append(part.label)
    return ConflictsAnswered(answer=said, refuses=False, cited=tuple(cited), left_out=tuple(left_out))


def _claims(request: AnswerQuestion, eager: bool) -> list[str]:
    """What the answer claims, as the audits of claims split it."""
    plain = answer_question(request.model_copy(update={"reply_format": "json"}), eager)
    asked = SplitAnswer(
        language=request.language,
        question=request.question,
        answer=plain.answer,
        cited=plain.cited,
        passages=request.sections,
    )
    return [one.claim for one in split_answer(asked).claims]


def _against(claims: list[str], part: Passage, request: AnswerQuestion, code: str) -> str:
    """The first sentence of the section that contradicts a claim which the section as a whole contradicts."""
    for claim in claims:
        if _verdict(claim, part, request) != "contradicted":
            continue
        for line in sentences(part.text, code):
            single = Passage(label=part.label, text=line)
            if shares_subject(claim, line, code, NEAR) and _verdict(claim, single, request) == "contradicted":
                return " ".join(line.split())
    return ""


def _verdict(claim: str, part: Passage, request: AnswerQuestion) -> str:
    asked = CheckClaim(language=request.language, question=request.question, claim=claim, passages=(part,))
    return check_claim(asked).verdict

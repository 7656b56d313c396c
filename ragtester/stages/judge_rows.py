"""From an answer, its case and the judge's reply to a verdict row. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragtester.judgement import Judge, Wanted, wanted_of
from ragtester.records import HIDDEN_EVIDENCE, Answer, Case, Chunk, Failure, Rating, Ratings, Verdict
from ragtester.tasks import AnswerJudged, Asked, JudgeAnswer, Passage
from ragtester.text.normalise import fold
from ragtester.verdict import (
    Decision,
    abstains,
    decide_judged,
    decide_refusal,
    rate_keywords,
    ungraded_reason,
)

# Text that speaks to a judge. It changes no rating; it marks the row for the audit.
_INJECTION = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|prompts?|rules|rubric|criteria|guidelines)\b|"
    r"\b(?:rate|grade|score|mark|judge|evaluate|label) (?:this|it|the answer|me|my answer|everything|all)\b.{0,40}"
    r"\b(?:true|correct|pass|full|highest|perfect|10|100|1\.0)|\b(?:verdict|rating|score|faithfulness|relevance|"
    r"completeness|clarity)[\"']?\s*[:=]\s*[\"']?(?:true|correct|pass|1\b|10\b|100\b)|"
    r"\b(?:dear|attention|note to(?: the)?|hey|to the)"
    r" (?:judge|grader|evaluator|examiner)\b|\byou are (?:now )?(?:the|a) (?:judge|grader|evaluator)|\bsystem prompt\b|"
    r"</?(?:answer|expected|evidence|question|system)>|"
    r"\b(?:ignorier\w*|vergiss|missachte\w*)\b.{0,40}\b(?:anweisung\w*|regeln|vorgaben)|\bignore[rz]?\b.{0,40}\b(?:instructions|"
    r"consignes|instrucciones|instruções)|忽略.{0,10}(?:指令|指示|说明)|指示を無視|игнорируй\w*.{0,40}(?:инструкци|указани)",
    re.S,
)


LONG_ANSWER = 20_000
"""Characters from which an answer is flagged. It goes to the judge whole: a judge that cannot take it says so."""
LONG_REASON = 2_000
"""Characters of a judge's reason that a verdict keeps."""


@dataclass(frozen=True)
class Item:
    """One answer to judge, with its case and the chunks that the system under test saw."""

    answer: Answer
    case: Case
    chunks: tuple[Chunk, ...]
    missing_chunks: tuple[str, ...]
    key: str

    def wanted(self, judge: Judge) -> Wanted:
        """What a right answer is."""
        return wanted_of(self.answer, self.case, judge.refusals)


def request_of(item: Item, judge: Judge) -> JudgeAnswer:
    """The request to the judge; which system answered is not in it."""
    wanted = item.wanted(judge)
    return JudgeAnswer(
        language=item.case.language,
        question=item.case.question,
        expected_answer=wanted.expected,
        keywords=wanted.keywords,
        evidence=tuple(Passage(label=chunk.id, text=chunk.text) for chunk in item.chunks),
        answer=item.answer.answer,
        refuses=item.answer.refuses,
        answerable=wanted.answerable,
        refusals=judge.refusals,
    )


def without_asking(item: Item, judge: Judge) -> Verdict | None:
    """The verdict where no judge is needed: the answer had failed, or it is a pure abstention."""
    reason = ungraded_reason(item.answer.outcome, item.answer.failure)
    if reason:
        what = "provider_refusal" if item.answer.outcome == "refused" else "answer_failed"
        return _verdict(item, judge, decided_by=what, failure=reason, flags=(what,))
    wanted = item.wanted(judge)
    if not abstains(item.answer.answer, item.answer.refuses, judge.refusals, item.case.language):
        return None
    decision = decide_refusal(wanted.answerable)
    words = "abstains although the question can be answered" if wanted.answerable else "abstains, as it should"
    if wanted.hidden:
        words += ": its user may see none of the evidence"
    missing = wanted.keywords if wanted.answerable else ()
    return _graded(item, judge, decision, reasons={"refusal": words}, missing=missing)


def from_reply(item: Item, judge: Judge, asked: Asked[AnswerJudged]) -> Verdict:
    """The verdict from what came of asking the judge; ungraded with the judge's failure where nothing came."""
    if asked.reply is None:
        failure = asked.failure or Failure(type="unknown", message="the judge gave neither a reply nor a failure")
        verdict = _verdict(item, judge, decided_by="judge_failed", failure=failure, flags=())
    else:
        verdict = _judged(item, judge, asked.reply)
    return verdict.model_copy(update={"call": asked.call, "served_judge": asked.call.served_model})


def _judged(item: Item, judge: Judge, reply: AnswerJudged) -> Verdict:
    wanted = item.wanted(judge)
    answerable = wanted.answerable
    refusal: Rating | None = None if answerable else ("true" if reply.faithfulness.rating == "true" else "false")
    keywords, missing = rate_keywords(
        wanted.keywords,
        item.answer.answer,
        item.case.language,
        completeness=reply.completeness.rating,
        refusal=refusal,
    )
    ratings = Ratings(
        faithfulness=reply.faithfulness.rating,
        relevance=reply.relevance.rating,
        completeness=reply.completeness.rating,
        clarity=reply.clarity.rating,
        keyword_match=keywords,
    )
    named = (("faithfulness", reply.faithfulness), ("relevance", reply.relevance), ("completeness", reply.completeness))
    reasons = {name: part.reason for name, part in (*named, ("clarity", reply.clarity))}
    decision = decide_judged(ratings, answerable, judge.pass_mean)
    flags = ["injection_in_reasons"] if any(_INJECTION.search(fold(text)) for text in reasons.values()) else []
    if not answerable and decision.status == "pass":
        # It may correct a false premise, or abstain in words that the rule does not know: the judge's say stands.
        flags.append("rejection_passed_by_judge")
    kept = {name: _shortened(reason) for name, reason in reasons.items()}
    return _graded(item, judge, decision, reasons=kept, missing=missing, flags=tuple(flags))


def _shortened(reason: str) -> str:
    return reason if len(reason) <= LONG_REASON else reason[: LONG_REASON - 1] + "…"


def _graded(
    item: Item,
    judge: Judge,
    decision: Decision,
    *,
    reasons: dict[str, str],
    missing: tuple[str, ...] = (),
    flags: tuple[str, ...] = (),
) -> Verdict:
    verdict = _verdict(item, judge, decided_by=decision.decided_by, failure=None, flags=flags)
    return verdict.model_copy(
        update={
            "status": decision.status,
            "mean": round(decision.mean, 6),
            "ratings": decision.ratings,
            "reasons": reasons,
            "missing_keywords": missing,
        }
    )


def _verdict(item: Item, judge: Judge, *, decided_by: str, failure: Failure | None, flags: tuple[str, ...]) -> Verdict:
    answer, case = item.answer, item.case
    marks = list(flags)
    if item.wanted(judge).hidden:
        marks.append(HIDDEN_EVIDENCE)
    if _INJECTION.search(fold(answer.answer)):
        marks.append("injection_suspected")
    if len(answer.answer) > LONG_ANSWER:
        marks.append("long_answer")
    if item.missing_chunks:
        marks.append("evidence_missing")
    if answer.llm in judge.shared_with:
        marks.append("judge_shares_model")
    return Verdict(
        case_id=answer.case_id,
        document_id=answer.document_id,
        key=item.key,
        run=answer.run,
        llm=answer.llm,
        embedding=answer.embedding,
        technique=answer.technique,
        type=answer.type,
        subtype=answer.subtype,
        language=case.language,
        status="ungraded",
        decided_by=decided_by,
        outcome=answer.outcome,
        flags=tuple(marks),
        judge=judge.model,
        prompt_sha256=judge.prompt_sha256,
        failure=failure,
    )

"""The two ends of a question to a system under test: the request, and the row that its reply becomes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ragtester.rag.contexts import Context
from ragtester.records import Answer, Failure, LeftOut, Outcome
from ragtester.tasks import AnswerQuestion, Asked, AskTarget, ConflictsAnswered, QuestionAnswered
from ragtester.text.refusal import is_refusal

REFUSED = frozenset({"refused", "content_filter"})
# A pure abstention is short: nothing longer is looked at for one.
ABSTENTION_CHARACTERS = 600


@dataclass(frozen=True)
class AnySystem:
    """One system under test within a run, and what its rows carry."""

    run: str
    llm: str
    embedding: str
    refusals: tuple[str, ...]

    def row(self, key: str, context: Context, asked: Asked[QuestionAnswered]) -> Answer:
        """The answer row of a call, whatever came of it."""
        reply = asked.reply
        if reply is None:
            failure = asked.failure or Failure(type="empty", message="the model gave neither a reply nor a reason")
            return self._row(key, context, _failed(failure), asked=asked, failure=failure)
        abstains, note = _abstains(reply, context.case.language, self.refusals)
        if not abstains and not reply.answer.strip():
            failure = Failure(type="empty", message="the answer is empty, though the reply says that it is none")
            return self._row(key, context, "failed", asked=asked, failure=failure)
        if note:
            trace = context.trace.model_copy(update={"notes": (*context.trace.notes, note)})
            context = replace(context, trace=trace)
        return self._row(key, context, "abstained" if abstains else "answered", asked=asked)

    def failed(self, key: str, context: Context, failure: Failure) -> Answer:
        """The row of a question that was never asked, with the reason."""
        return self._row(key, context, "failed", failure=failure)

    def _row(
        self,
        key: str,
        context: Context,
        outcome: Outcome,
        *,
        asked: Asked[QuestionAnswered] | None = None,
        failure: Failure | None = None,
    ) -> Answer:
        case, reply = context.case, asked.reply if asked else None
        cited = tuple(dict.fromkeys(reply.cited)) if reply else ()
        known = set(context.trace.context_ids)
        return Answer(
            case_id=case.id,
            document_id=case.document_id,
            key=key,
            run=self.run,
            llm=self.llm,
            embedding=self.embedding,
            technique=case.technique,
            type=case.type,
            subtype=case.subtype,
            outcome=outcome,
            answer=reply.answer if reply else "",
            refuses=reply.refuses if reply else None,
            cited=tuple(name for name in cited if name in known),
            unknown_citations=tuple(name for name in cited if name not in known),
            left_out=_left_out(reply, known - set(cited)),
            trace=context.trace,
            call=asked.call if asked else None,
            failure=failure,
        )


@dataclass(frozen=True)
class System(AnySystem):
    """An LLM that answers from the sections that we retrieve for it."""

    reply_format: Literal["json", "text"]

    def request(self, context: Context) -> AnswerQuestion:
        """What the LLM is asked."""
        return AnswerQuestion(
            language=context.case.language,
            question=context.case.question,
            sections=context.sections,
            refusals=self.refusals,
            reply_format=self.reply_format,
        )


@dataclass(frozen=True)
class TargetSystem(AnySystem):
    """A system that is not ours: it gets the question and the user's tags, and searches by itself."""

    def request(self, context: Context) -> AskTarget:
        """What the target is asked."""
        case = context.case
        return AskTarget(language=case.language, question=case.question, tags=case.user_tags)


def _left_out(reply: QuestionAnswered | None, uncited: set[str]) -> tuple[LeftOut, ...]:
    """What the reply says that it leaves out; an id that it cites, or was never given, is none."""
    told = reply.left_out if isinstance(reply, ConflictsAnswered) else ()
    return tuple({one.id: one for one in told if one.id in uncited}.values())


def _failed(failure: Failure) -> Outcome:
    return "refused" if failure.type in REFUSED else "failed"


def _abstains(reply: QuestionAnswered, language: str, refusals: tuple[str, ...]) -> tuple[bool, str]:
    """Whether a reply abstains, and a note where its flag and its words disagree."""
    short = len(reply.answer) <= ABSTENTION_CHARACTERS
    says_so = short and is_refusal(reply.answer, refusals, language)
    if says_so and not reply.refuses:
        return True, "the answer is a refusal, though the reply says refuses = false"
    if reply.refuses and reply.answer.strip() and not says_so:
        return True, "the reply says refuses = true, though its answer is more than a refusal"
    return reply.refuses, ""

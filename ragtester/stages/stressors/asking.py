"""Fixtures whose question a model writes: under-specified, paraphrased, with a wrong premise; each one checked."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragtester.records import Call, Case, Failure
from ragtester.stages.stressors.asked_checks import reasons
from ragtester.stages.stressors.excerpts import passage
from ragtester.stages.stressors.made import Asked, Made, Maker, Source, Unusable, fixture_of, rank_rows
from ragtester.stages.stressors.stale import begin, finished
from ragtester.tasks import (
    PURPOSE,
    STRESS_QUESTIONS,
    AskedKind,
    Models,
    Passage,
    QuestionStressed,
    RejectedDraft,
    StressQuestion,
)

NO_RULE = "no_case"


@dataclass
class Attempts:
    """What asking came to: accounts of the calls, and why drafts were rejected."""

    calls: list[Call] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)


class CallFailedError(Exception):
    """The model gave no usable reply; `failure` says why."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.message)


@dataclass(frozen=True)
class Writer:
    """A model that writes questions, and how often it may try."""

    models: Models
    model: str
    attempts: int

    async def make(self, maker: Maker, source: Source, kind: AskedKind, purpose: str, seen: Attempts) -> Made:
        """The fixture. Raises Unusable where no draft holds its checks, CallFailedError where the model gives none.

        Run it in an asyncio task of its own: the purpose of the calls is set for the whole task.
        """
        request = request_of(maker, source, kind)
        for attempt in range(1, self.attempts + 1):
            PURPOSE.set(f"{purpose}#{attempt}")
            asked = await self.models.ask(self.model, STRESS_QUESTIONS[kind], request)
            seen.calls.append(asked.call)
            if asked.reply is None:
                assert asked.failure is not None
                if asked.failure.type != NO_RULE:
                    raise CallFailedError(asked.failure)
                raise Unusable(NO_RULE, asked.failure.message, tried=bool(seen.rejected))
            wrong = reasons(request, asked.reply)
            if not wrong:
                return await _made(maker, source, asked.reply, request, self.model)
            seen.rejected.append(f"{asked.reply.question}: {'; '.join(wrong)}")
            draft = RejectedDraft(question=asked.reply.question, reasons=wrong)
            request = request.model_copy(update={"rejected": (*request.rejected, draft)})
        raise Unusable("checks", f"no draft of {self.attempts} held its checks: {seen.rejected[-1]}", tried=True)


def request_of(maker: Maker, source: Source, kind: AskedKind) -> StressQuestion:
    """What is asked of the model. Raises Unusable where a wrong premise has no value to be wrong about."""
    case = source.case
    true, wrong = wrong_value(source, maker) if kind == "wrong_premise" else ("", "")
    held = source.gold.held()
    return StressQuestion(
        language=case.language,
        kind=kind,
        question=case.question,
        expected_answer=case.expected_answer,
        evidence=tuple(Passage(label=f"passage-{number}", text=text) for number, text in enumerate(held, start=1)),
        true_value=true,
        wrong_value=wrong,
        seed=maker.seed,
    )


def wrong_value(source: Source, maker: Maker) -> tuple[str, str]:
    """A value of the expected answer as it is written there, and another in its place. Raises Unusable."""
    case = source.case
    cut = passage(source.text, source.evidence, maker.passage_limit, case.language)
    start = None
    if cut is not None:
        start = begin(cut.text, cut.evidence, case, (maker.seed, "premise"), most=1, whole=source.gold.text)
    poison = finished(start, cut.evidence) if start is not None and cut is not None else None
    if start is None or poison is None:
        raise Unusable("nothing_to_change", "the expected answer states no value that a premise could have wrong")
    spots = start.changes.spots
    if start.renamed is not None:
        old, new = start.renamed.old, start.renamed.new
    else:
        old = spots.says(spots.of(start.groups[0])[0])
        new = poison.says[0] if poison.says else ""
    if not new or old not in " ".join(case.expected_answer.split()):
        raise Unusable("nothing_to_change", "the expected answer does not write the value as the evidence does")
    return old, new


async def _made(maker: Maker, source: Source, reply: QuestionStressed, request: StressQuestion, model: str) -> Made:
    case: Case = source.case
    gold = source.gold_text()
    ranks = await maker.measure(source, [gold], question=reply.question)
    rows = rank_rows(ranks, gold.id)
    notes = {
        "model": model,
        **({"premise": f"{request.true_value} -> {request.wrong_value}"} if request.wrong_value else {}),
    }
    expected = reply.expected_answer if reply.expected_answer != case.expected_answer else ""
    wrong, true = ((one,) if one else () for one in (request.wrong_value, request.true_value))
    question = Asked(question=reply.question, expected=expected, forbidden=wrong, keywords=true)
    fixture = fixture_of(source, rows, question, notes)
    return Made(fixture, {gold.id: gold.text}, rows)

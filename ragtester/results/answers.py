"""From the answer and verdict rows of a run to joined rows; what had to be left out is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path

from ragtester.judgement import Judge, verdict_key
from ragtester.records import Answer, Case, Ratings, Verdict
from ragtester.results.paying import Payments, calls_of, measured, total
from ragtester.results.rows import Result, Results, RunInfo, Status
from ragtester.storage import iter_rows
from ragtester.workspace import Workspace

Identity = tuple[str, str]
"""Technique and case id."""
OTHER_ANSWER = "judged for another answer"
_SAID = {
    "answers twice": "{n} answer row(s) stand there twice; the later one counts",
    "verdicts twice": "{n} verdict row(s) stand there twice; the later one counts",
    "no answer": "{n} verdict(s) belong to no answer of the run (from another execution?) and are left out",
    OTHER_ANSWER: "{n} verdict(s) were given for another answer and count as missing; run `ragtester judge`",
    "other run": "{n} answer row(s) carry the name of another run; they count under this one",
    "no case": "{n} answer(s) belong to cases that the suite no longer holds; they count, without their question",
}


class RunReader:
    """Joins one run's files. `planned` holds its cases by document and id; `seen` what each system answered.

    Verdicts of the `changed` systems (their folders' names) are looked at one by one: those of other answers than
    stand there now count as missing.
    """

    def __init__(
        self,
        found: Results,
        workspace: Workspace,
        info: RunInfo,
        planned: dict[str, dict[str, Case]],
        changed: Container[str] = (),
    ) -> None:
        self.planned = planned
        self.seen: dict[tuple[str, str], set[Identity]] = {}
        self._found, self._workspace, self._info = found, workspace, info
        self._changed, self._judge = changed, Judge.of(info.judged) if info.judged else None
        self._odd: Counter[str] = Counter()
        self._payments = Payments()
        self._ratings: dict[Ratings, Ratings] = {}

    def file_rows(self, path: Path) -> Iterator[Result]:
        """The rows of one answer file, each case once."""
        judge = self._judge if path.parent.name in self._changed else None
        mirrored = self._workspace.verdicts(self._info.name) / path.parent.name / path.name
        answers: dict[tuple[str, str, Identity], Answer] = {}
        for answer in iter_rows(path, Answer):
            place = answer.llm, answer.embedding, (answer.technique, answer.case_id)
            self._odd["answers twice"] += place in answers
            answers[place] = answer
        verdicts: dict[tuple[str, str, Identity], Verdict] = {}
        for verdict in iter_rows(mirrored, Verdict):
            place = verdict.llm, verdict.embedding, (verdict.technique, verdict.case_id)
            self._odd["verdicts twice"] += place in verdicts
            verdicts[place] = verdict
        for place, answer in answers.items():
            seen = self.seen.setdefault(place[:2], set())
            judged = verdicts.pop(place, None)
            if place[2] in seen:  # two files hold it; which is the later cannot be told
                self._odd["answers twice"] += 1
                continue
            seen.add(place[2])
            yield self._joined(answer, judged, judge)
        self._odd["no answer"] += len(verdicts)

    @property
    def twice(self) -> int:
        """Rows of answers and verdicts beside others of the same case and system."""
        return self._odd["answers twice"] + self._odd["verdicts twice"]

    def notes(self) -> Iterator[str]:
        """One line for each kind of row that was not as it should be."""
        for kind, text in _SAID.items():
            if self._odd[kind]:
                yield f"run {self._info.name}: {text.format(n=self._odd[kind])}"

    def missing(self, case: Case, system: tuple[str, str]) -> Result:
        """The row of a case that was planned for a system and never answered."""
        return Result(
            run=self._info.name,
            case_id=case.id,
            document_id=case.document_id,
            source=self._source(case.document_id),
            technique=case.technique,
            type=case.type,
            subtype=case.subtype,
            language=case.language,
            llm=system[0],
            embedding=system[1],
            status="missing",
            reason="not executed",
        )

    def _joined(self, answer: Answer, verdict: Verdict | None, judge: Judge | None) -> Result:
        """One row from an answer and its verdict, if there is one; with a `judge` its key is looked at as well."""
        case = self._found.cases.get((self._info.suite, answer.case_id))
        self._odd["no case"] += case is None
        self._odd["other run"] += answer.run != self._info.name
        reason = "not judged"
        if verdict is not None and _is_of_another(verdict, answer, case, judge):
            self._odd[OTHER_ANSWER] += 1
            verdict, reason = None, OTHER_ANSWER
        status: Status = verdict.status if verdict else "missing"
        if verdict:
            reason = _reason(verdict)
        calls, trace = calls_of(answer), answer.trace
        own, timed = list(self._payments.of(answer)), measured(calls)
        told = trace if trace and trace.reveals_chunks else None
        gold = set(told.gold_ids) if told else set()
        return Result(
            run=self._info.name,
            case_id=case.id if case else answer.case_id,  # the case's own text, not one more copy a system
            document_id=case.document_id if case else answer.document_id,
            source=self._source(answer.document_id),
            technique=answer.technique,
            type=answer.type,
            subtype=answer.subtype,
            language=case.language if case else verdict.language if verdict else "",
            llm=answer.llm,
            embedding=answer.embedding,
            status=status,
            reason=reason,
            mean=verdict.mean if verdict else None,
            ratings=self._shared(verdict.ratings) if verdict else None,
            decided_by=verdict.decided_by if verdict else "",
            outcome=answer.outcome,
            flags=verdict.flags if verdict else (),
            judge=verdict.judge if verdict else "",
            cost=total(call.cost for call in calls),
            paid=0.0 if calls and not own else total(call.cost for call in own),
            judge_cost=verdict.call.cost if verdict and verdict.call else None,
            seconds=total(call.seconds for call in timed),
            prompt_tokens=total(call.prompt_tokens for call in timed),
            completion_tokens=total(call.completion_tokens for call in timed),
            gold=len(gold) if told else None,
            gold_seen=len(gold.intersection(told.context_ids)) if told else None,
        )

    def _shared(self, ratings: Ratings | None) -> Ratings | None:
        """One object for all rows with the same ratings: there are 243 at most."""
        return self._ratings.setdefault(ratings, ratings) if ratings else None

    def _source(self, document_id: str) -> str:
        document = self._found.documents.get((self._info.suite, document_id))
        return document.source if document else ""


def _reason(verdict: Verdict) -> str:
    if verdict.status != "ungraded":
        return ""
    return verdict.failure.type if verdict.failure else "ungraded"


def _is_of_another(verdict: Verdict, answer: Answer, case: Case | None, judge: Judge | None) -> bool:
    """Whether a verdict was given for another answer. Its key tells, where it is one of this judge's own."""
    if verdict.outcome != answer.outcome:
        return True
    if judge is None or case is None or (verdict.judge, verdict.prompt_sha256) != (judge.model, judge.prompt_sha256):
        return False
    return verdict.key != verdict_key(answer, case, judge)

"""Technique `baseline`: the whole document in one request, no strategy, as the paper compares against.

A baseline draft must pass what no case can do without (`checks.MECHANICAL`, no near-duplicate); every other check is
counted in the manifest and not enforced, so that a comparison measures the strategy and not the plumbing.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from ragtester.access import tags_of_user
from ragtester.records import Case, Document, Failure, UnfilledCase
from ragtester.stages.cases import checks
from ragtester.stages.cases.desk import Desk, Work, title
from ragtester.stages.cases.drafting import FINAL_FOR_SECTIONS, tidy
from ragtester.stages.cases.plan import STYLES, Plan, Pool
from ragtester.stages.cases.quotes import Located, Piece, locate
from ragtester.stages.cases.reading import read_text
from ragtester.stages.cases.rows import Row, call_failed, cases_file, evidence, keep, overlap
from ragtester.stages.cases.selection import stable
from ragtester.stages.cases.strategy import copied
from ragtester.storage import write_rows
from ragtester.tasks import (
    STOPPING_FAILURES,
    TRANSIENT_FAILURES,
    WRITE_CASES,
    Asked,
    Draft,
    Passage,
    RejectedDraft,
    WriteCases,
    WrittenCases,
)

OBSERVED = tuple(name for name in checks.POSITIVE if name not in checks.MECHANICAL)
MOST_TOLD = 10


@dataclass
class State:
    """What the requests for one document came to so far."""

    cases: list[Case] = field(default_factory=list)
    told: list[RejectedDraft] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    requests: int = 0
    failure: Failure | None = None


class Baseline:
    """The baseline cases of one document.

    Rows are written after each reply. A file that a kill left incomplete is made again from its first request: the
    replies stand in the call journal, and the same replies give the same rows. A complete file with rows that are
    worth another start is replaced in one piece, when what was missing has been asked for.
    """

    def __init__(self, desk: Desk, document: Document, overwrite: bool) -> None:
        text = read_text(desk.workspace, desk.suite, document.id)
        pool = Pool(document.id, text, [], [], 2)
        self.work = Work(desk, document, text, list(desk.donors.sections(document)), Plan((), pool, 0))
        self._path = cases_file(desk, document.id)
        self._count = desk.settings.cases.per_document
        self._names = [f"baseline-{number:03d}" for number in range(1, self._count + 1)]
        planned = {self._id(name): desk.key(document, name) for name in self._names}
        before = len(self._lines())
        self._rows = list(keep(self._path, planned, desk.progress, overwrite, drop=False).values())
        self._whole = len(self._rows) == self._count
        if before < self._count:
            self._rows = []
        self._copy = copied(desk, document)
        self._task: asyncio.Task[Asked[WrittenCases]] | None = None

    def begin(self) -> None:
        """Send the first request."""
        if not self._whole and not self._rows and not self._copy and self.work.desk.stopped is None:
            self._task = asyncio.create_task(self._ask(State()))

    async def finish(self) -> None:
        """Ask until there are enough cases, a bounded number of times, then account for what is missing."""
        desk = self.work.desk
        state = State(cases=[row for row in self._rows if isinstance(row, Case)], failure=self._copy)
        for case in state.cases:
            desk.questions.add(case.question)
        while (
            not self._whole
            and not state.failure
            and len(state.cases) < self._count
            and state.requests < desk.settings.cases.attempts
        ):
            if self._task is None and desk.stopped:
                state.failure = desk.stopped
                break
            asked = await self._task if self._task else await self._ask(state)
            self._task = None
            state.requests += 1
            self._take(state, asked)
            if not self._rows:
                write_rows(self._path, state.cases)
        stopped = state.failure is not None and state.failure.type in STOPPING_FAILURES
        if not self._whole:
            self._rows = [*state.cases]
            if not stopped:
                self._rows += [self._missing(state, name) for name in self._names[len(state.cases) :]]
                write_rows(self._path, self._rows)
        for row in self._rows:
            desk.progress.advance(failed=isinstance(row, UnfilledCase) and call_failed(row))

    async def settle(self, *, abandon: bool = False) -> None:
        """Wait for a request under way; `abandon` it where the user wants to leave."""
        if self._task:
            if abandon:
                self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def rows(self) -> list[Row]:
        """The rows that there are, in order."""
        return list(self._rows)

    def observed(self) -> list[str]:
        """Names of the checks that are not enforced here and that the cases fail, one entry a case and check."""
        found: list[str] = []
        for case in self._rows:
            if isinstance(case, Case):
                spans = tuple((span.start, span.end) for span in case.evidence)
                setting = self._setting(Located(spans, ("document",), ()))
                draft = Draft(question=case.question, expected_answer=case.expected_answer, keywords=case.keywords)
                found.extend(checks.failed(draft, setting, OBSERVED))
        return found

    async def _ask(self, state: State) -> Asked[WrittenCases]:
        desk = self.work.desk
        request = WriteCases(
            language=self.work.document.language,
            type="baseline",
            count=self._count - len(state.cases),
            title=title(self.work.document),
            passages=(Passage(label="document", text=self.work.text),),
            refusal=desk.settings.execute.refusals[0],
            avoid=tuple(case.question for case in state.cases),
            rejected=tuple(state.told[-MOST_TOLD:]),
            seed=stable(f"{desk.settings.workspace.seed}:{self.work.document.id}:baseline") % (1 << 31),
        )
        return await desk.models.ask(desk.writer, WRITE_CASES, request)

    def _take(self, state: State, asked: Asked[WrittenCases]) -> None:
        desk = self.work.desk
        if asked.reply is None:
            failure = asked.failure or Failure(type="empty", message="the model gave no reply")
            if failure.type in STOPPING_FAILURES:
                desk.stopped = desk.stopped or failure
            if failure.type in STOPPING_FAILURES | TRANSIENT_FAILURES | FINAL_FOR_SECTIONS:
                state.failure = failure
            self._reject(state, "", {f"call:{failure.type}": f"the reply could not be used: {failure.message}"})
            return
        desk.served[desk.writer] = asked.call.served_model
        wanted = self._count - len(state.cases)
        for written in asked.reply.cases[:wanted]:
            draft = tidy(written)
            found = locate(draft.quotes, (self._piece,))
            reasons = checks.failed(draft, self._setting(found), checks.MECHANICAL)
            twin = None if reasons else desk.questions.near(draft.question, self.work.document.language)
            if twin:
                reasons = {"not_duplicate": f"nearly the same as an earlier one: {twin!r}"}
            if reasons:
                self._reject(state, draft.question, reasons)
            else:
                desk.questions.add(draft.question)
                state.cases.append(self._case(draft, found, state, asked.call.served_model))

    def _reject(self, state: State, question: str, reasons: dict[str, str]) -> None:
        state.rejected.extend(reasons)
        state.reasons.extend(f"{name}: {reason}" for name, reason in reasons.items())
        state.told.append(RejectedDraft(question=question, reasons=tuple(reasons.values())))

    def _case(self, draft: Draft, found: Located, state: State, served: str | None) -> Case:
        desk, document = self.work.desk, self.work.document
        name = self._names[len(state.cases)]
        rejected, state.rejected = tuple(state.rejected), []
        return Case(
            id=self._id(name),
            key=desk.key(document, name),
            document_id=document.id,
            document_sha256=document.sha256,
            technique=desk.technique,
            type="baseline",
            style=draft.style if draft.style in STYLES else "",
            language=document.language,
            question=draft.question,
            expected_answer=draft.expected_answer,
            keywords=draft.keywords,
            evidence=evidence(found.spans, document.page_starts),
            sections=self._touched(found),
            user_tags=tags_of_user(document, desk.settings.access.user_tags),
            lexical_overlap=overlap(draft.question, found.spans, self.work),
            model=desk.writer,
            served_model=served,
            prompt_sha256=desk.prompts[WRITE_CASES.name],
            attempts=state.requests,
            rejected=rejected,
        )

    def _missing(self, state: State, name: str) -> UnfilledCase:
        failure = state.failure or Failure(
            type="checks_failed",
            message=f"{state.requests} request(s) gave {len(state.cases)} of {self._count} cases",
            cause="; ".join(state.reasons[-3:]),
        )
        # The drafts that failed after the last case are counted once, with the first missing case.
        rejected, state.rejected = tuple(state.rejected), []
        return UnfilledCase(
            id=self._id(name),
            key=self.work.desk.key(self.work.document, name),
            document_id=self.work.document.id,
            technique=self.work.desk.technique,
            type="baseline",
            attempts=state.requests,
            rejected=rejected,
            failure=failure,
        )

    @property
    def _piece(self) -> Piece:
        return Piece("document", 0, self.work.text)

    def _setting(self, found: Located) -> checks.Setting:
        settings = self.work.desk.settings
        return checks.Setting(
            language=self.work.document.language,
            subtype="",
            pieces=(self._piece,),
            evidence=found,
            refusals=settings.execute.refusals,
            max_overlap=settings.cases.max_lexical_overlap,
        )

    def _touched(self, found: Located) -> tuple[int, ...]:
        return tuple(
            section.ordinal
            for section in self.work.sections
            if any(start < section.end and end > section.start for start, end in found.spans)
        )

    def _id(self, name: str) -> str:
        return f"{self.work.document.id}/{self.work.desk.technique}/{name}"

    def _lines(self) -> list[bytes]:
        return self._path.read_bytes().splitlines() if self._path.is_file() else []

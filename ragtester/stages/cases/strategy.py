"""Technique `ragtester`: complexity, rejection and coverage cases from sections, one slot at a time.

The first requests of all slots go out at once; drafts are accepted in slot order, because only then is it settled
which questions a later one may not repeat. The same replies give the same rows whatever their order of arrival.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ragtester.documents.sections import cut_sections
from ragtester.records import Case, Document, Failure, Section, UnfilledCase
from ragtester.settings import Settings
from ragtester.stages.cases.desk import Desk, Work
from ragtester.stages.cases.drafting import Attempts
from ragtester.stages.cases.plan import Candidate, Slot, plan_document
from ragtester.stages.cases.quotas import quotas, sections_wanted
from ragtester.stages.cases.reading import read_text
from ragtester.stages.cases.rows import Row, call_failed, cases_file, empty, filled, keep, row_id, unfilled
from ragtester.storage import append_row, write_rows
from ragtester.tasks import STOPPING_FAILURES


def cut(settings: Settings, document: Document, text: str) -> list[Section]:
    """The sections of a document, as many as its cases need at least where it is long enough."""
    wanted = sections_wanted(settings.cases)
    return cut_sections(text, document.id, wanted, settings.reading.max_section_tokens, document.language)


class Strategy:
    """The cases of one document."""

    def __init__(self, desk: Desk, document: Document, overwrite: bool) -> None:
        text = read_text(desk.workspace, desk.suite, document.id)
        sections = list(desk.donors.sections(document))
        plan = plan_document(
            document, text, sections, _donors(desk, document), desk.settings.cases, desk.settings.workspace.seed
        )
        self.work = Work(desk, document, text, sections, plan)
        self._path = cases_file(desk, document.id)
        planned = {row_id(self.work, slot): desk.slot_key(document, slot) for slot in plan.slots}
        self._rows: dict[str, Row] = keep(self._path, planned, desk.progress, overwrite)
        self._whole = list(self._rows) == list(planned)
        self._copy = copied(desk, document)
        self._tasks: dict[str, asyncio.Task[Attempts]] = {}

    def begin(self) -> None:
        """Send the first requests of every slot that has no row yet."""
        for slot in self.work.plan.slots:
            if slot.primary and not self._copy and row_id(self.work, slot) not in self._rows:
                self._tasks[slot.id] = asyncio.create_task(_first(self.work, slot))

    async def finish(self) -> None:
        """Accept drafts in slot order, each row on disk at once; put the file in order when it is complete."""
        self._remember()
        if not self._whole and self.work.desk.stopped is None:
            _note_short(self.work)
        for slot in self.work.plan.slots:
            if row_id(self.work, slot) not in self._rows:
                row = await self._fill(slot)
                if row is None:
                    break
                append_row(self._path, row)
                self._rows[row.id] = row
                self.work.desk.progress.advance(failed=isinstance(row, UnfilledCase) and call_failed(row))
        if not self._whole and len(self._rows) == len(self.work.plan.slots):
            write_rows(self._path, self.rows())

    async def settle(self, *, abandon: bool = False) -> None:
        """Wait for requests under way, whose replies are paid for; `abandon` them where the user wants to leave."""
        for task in self._tasks.values() if abandon else ():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def rows(self) -> list[Row]:
        """The rows that there are, in slot order."""
        names = (row_id(self.work, slot) for slot in self.work.plan.slots)
        return [self._rows[name] for name in names if name in self._rows]

    def _remember(self) -> None:
        """What earlier rows used up: their questions, and the sections that the pool may not hand out again."""
        own = {section.ordinal for slot in self.work.plan.slots for section in _own_sections(self.work, slot)}
        for row in self.rows():
            if row.type != "rejection":
                used = {*row.tried, *(row.sections if isinstance(row, Case) else ())}
                self.work.plan.pool.used.update(used - own)
            if isinstance(row, Case):
                self.work.desk.questions.add(row.question)
            self.work.desk.progress.advance(failed=isinstance(row, UnfilledCase) and call_failed(row))

    async def _fill(self, slot: Slot) -> Row | None:
        """The row of one slot; None where the stage has to stop."""
        if self._copy:
            return empty(self.work, slot, self._copy)
        if slot.primary is None:
            return empty(self.work, slot, _no_section(self.work, slot))
        desk = self.work.desk
        attempts = await self._tasks[slot.id]
        spares = list(slot.spares)
        while not attempts.failure:
            if attempts.good:
                twin = desk.questions.near(attempts.good.draft.question, self.work.document.language)
                if twin is None:
                    desk.questions.add(attempts.good.draft.question)
                    return filled(attempts, attempts.good)
                attempts.reject(
                    attempts.good.draft.question, {"not_duplicate": f"nearly the same as an earlier one: {twin!r}"}
                )
                await attempts.ask(self._asked())
                continue
            following = self._next(slot, spares) if attempts.may_turn else None
            if following is None:
                break
            attempts.turn_to(following)
            await attempts.ask(self._asked())
        if attempts.failure and attempts.failure.type in STOPPING_FAILURES:
            return None
        return unfilled(attempts)

    def _next(self, slot: Slot, spares: list[Candidate]) -> Candidate | None:
        if slot.type == "rejection":
            return spares.pop(0) if spares else None
        return self.work.plan.pool.take(slot)

    def _asked(self) -> tuple[str, ...]:
        return tuple(row.question for row in self.rows() if isinstance(row, Case))


def copied(desk: Desk, document: Document) -> Failure | None:
    """Why a document gets no cases of its own: its text is another one's, so every question would be a repetition."""
    original = desk.copies.get(document.id)
    if original is None:
        return None
    return Failure(type="duplicate_document", message=f"its text is that of {original}, letter for letter")


def _donors(desk: Desk, document: Document) -> Sequence[Candidate]:
    if desk.settings.execute.index.scope == "corpus":
        return ()  # the donor is in the same store, and answers
    asked = quotas(desk.settings.cases, alone=False)["rejection", "cross_document"]
    return desk.donors.candidates(document, 2 * asked * desk.settings.cases.candidates) if asked else ()


async def _first(work: Work, slot: Slot) -> Attempts:
    attempts = Attempts(work, slot)
    await attempts.ask()
    return attempts


def _own_sections(work: Work, slot: Slot) -> tuple[Section, ...]:
    if slot.primary is None or slot.primary.document_id != work.document.id:
        return ()
    return slot.primary.sections


def _no_section(work: Work, slot: Slot) -> Failure:
    usable = work.plan.usable
    if slot.type == "complexity" and usable:
        return Failure(
            type="document_too_short", message=f"no prose section is left among the {usable} usable section(s)"
        )
    return Failure(type="document_too_short", message=f"the document has {usable} usable section(s), too few for this")


def _note_short(work: Work) -> None:
    copy = copied(work.desk, work.document)
    if copy:
        work.desk.progress.note(f"{work.document.path}: no cases of its own: {copy.message}")
        return
    lacking = work.plan.lacking
    asked = len(work.plan.slots)
    if lacking:
        work.desk.progress.note(
            f"{work.document.path}: too short for {asked} cases: its {work.plan.usable} usable section(s) give at most "
            f"{asked - lacking}"
        )
    wanted = quotas(work.desk.settings.cases, alone=False)["rejection", "cross_document"]
    if wanted and not any(slot.subtype == "cross_document" for slot in work.plan.slots):
        work.desk.progress.note(
            f"{work.document.path}: no other document to borrow from (same language, other text, "
            "execute.index.scope = 'document'); all rejection cases are invented"
        )

"""Asks for one case until a draft passes its checks: a bounded number of times, each time with the reasons."""

from __future__ import annotations

from dataclasses import dataclass

from ragtester.records import Failure
from ragtester.stages.cases import checks
from ragtester.stages.cases.answerable import answerable
from ragtester.stages.cases.desk import Work
from ragtester.stages.cases.plan import Candidate, Slot
from ragtester.stages.cases.quotes import Located, Piece, locate
from ragtester.tasks import (
    STOPPING_FAILURES,
    TRANSIENT_FAILURES,
    WRITE_CASES,
    Draft,
    Passage,
    RejectedDraft,
    WriteCases,
)
from ragtester.text.normalise import clean

# To ask again about the same sections would give the same.
FINAL_FOR_SECTIONS = frozenset({"no_case", "too_long", "bad_request"})
MOST_AVOIDED = 40


@dataclass(frozen=True)
class Good:
    """A draft that passed every check that needs no knowledge of the suite."""

    draft: Draft
    candidate: Candidate
    evidence: Located
    served_model: str | None


class Attempts:
    """Everything that was tried for one slot, and the draft that holds at present."""

    def __init__(self, work: Work, slot: Slot) -> None:
        self.work, self.slot = work, slot
        self.candidate = slot.primary
        self.requests = 0
        self.candidates = 1
        self.rejected: list[str] = []
        self.reasons: list[str] = []
        self.tried: list[int] = []
        self.good: Good | None = None
        self.failure: Failure | None = None
        self._left = work.desk.settings.cases.attempts
        self._told: list[RejectedDraft] = []
        self._barren = False

    async def ask(self, avoid: tuple[str, ...] = ()) -> None:
        """Ask about the present sections until a draft is good, the requests are used up, or a call fails for good."""
        while self.candidate and not self.good and not self.failure and self._left > 0:
            if self.work.desk.stopped:
                self.failure = self.work.desk.stopped
                return
            await self._request(self.candidate, avoid)

    @property
    def may_turn(self) -> bool:
        """Whether other sections may be tried."""
        return self._barren or self.candidates < self.work.desk.settings.cases.candidates

    def turn_to(self, candidate: Candidate) -> None:
        """Go on with other sections."""
        self.tried = self.everything_tried()
        self.candidate = candidate
        self.candidates += not self._barren
        self._barren = False
        self._left = self.work.desk.settings.cases.attempts
        self._told = []

    def everything_tried(self) -> list[int]:
        """Sections of this document that were tried so far, the present ones included."""
        if self.candidate is None or self.candidate.document_id != self.work.document.id:
            return self.tried
        return [*self.tried, *(section.ordinal for section in self.candidate.sections)]

    def reject(self, question: str, reasons: dict[str, str]) -> None:
        """Count a draft as failed, and tell the writer why."""
        self.good = None
        self.rejected.extend(reasons)
        self.reasons.extend(f"{name}: {reason}" for name, reason in reasons.items())
        self._told.append(RejectedDraft(question=question, reasons=tuple(reasons.values())))

    async def _request(self, candidate: Candidate, avoid: tuple[str, ...]) -> None:
        desk, slot = self.work.desk, self.slot
        pieces = self.work.pieces(candidate)
        request = WriteCases(
            language=self.work.document.language,
            type=slot.type,
            subtype=slot.subtype,
            style=slot.style,
            title=self.work.title_of(candidate),
            passages=tuple(Passage(label=piece.label, text=piece.text) for piece in pieces),
            refusal=desk.settings.execute.refusals[0],
            avoid=avoid[-MOST_AVOIDED:],
            rejected=tuple(self._told),
            seed=slot.seed,
        )
        self.requests += 1
        self._left -= 1
        asked = await desk.models.ask(desk.writer, WRITE_CASES, request)
        if asked.reply is None:
            self._note_failure(asked.failure or Failure(type="empty", message="the model gave no reply"))
            return
        desk.served[desk.writer] = asked.call.served_model
        # More than was asked for is not what was asked for: only the first counts.
        await self._check(tidy(asked.reply.cases[0]), candidate, pieces, asked.call.served_model)

    async def _check(self, draft: Draft, candidate: Candidate, pieces: tuple[Piece, ...], served: str | None) -> None:
        desk = self.work.desk
        evidence = locate(draft.quotes, pieces)
        setting = checks.Setting(
            language=self.work.document.language,
            subtype=self.slot.subtype,
            pieces=pieces,
            evidence=evidence,
            refusals=desk.settings.execute.refusals,
            max_overlap=desk.settings.cases.max_lexical_overlap,
        )
        rejection = self.slot.type == "rejection"
        reasons = checks.failed(draft, setting, checks.REJECTION if rejection else checks.POSITIVE)
        if rejection and not reasons:
            donor = pieces if self.slot.subtype == "cross_document" else ()
            found = await self.work.retriever.nearest(draft.question)
            finding = await answerable(
                desk.models, desk.checker, draft.question, setting.language, found, donor, setting.refusals
            )
            desk.served[desk.checker] = finding.served_model or desk.served.get(desk.checker)
            if finding.failure:
                self._note_failure(finding.failure)
                return
            if finding.reason:
                reasons = {"answerable": finding.reason}
        if reasons:
            self.reject(draft.question, reasons)
        else:
            self.good = Good(draft, candidate, evidence, served)

    def _note_failure(self, failure: Failure) -> None:
        if failure.type in STOPPING_FAILURES:
            self.work.desk.stopped = self.work.desk.stopped or failure
            self.failure = failure
        elif failure.type in TRANSIENT_FAILURES:
            self.failure = failure
        else:
            self.reject("", {f"call:{failure.type}": f"the reply could not be used: {failure.message}"})
            if failure.type in FINAL_FOR_SECTIONS:
                self._left = 0
            # A section without a fact costs nothing but a look, and does not count as one of the candidates.
            self._barren = failure.type == "no_case"


def tidy(draft: Draft) -> Draft:
    """A draft without what no reader sees: control characters, outer and repeated white space, empty entries."""

    def line(text: str) -> str:
        return " ".join(clean(text).split())

    keywords = dict.fromkeys(line(keyword) for keyword in draft.keywords)
    quotes = dict.fromkeys(clean(quote).strip() for quote in draft.quotes)
    return Draft(
        question=line(draft.question),
        expected_answer=clean(draft.expected_answer).strip(),
        keywords=tuple(keyword for keyword in keywords if keyword),
        quotes=tuple(quote for quote in quotes if quote),
        style=line(draft.style)[:40],
    )

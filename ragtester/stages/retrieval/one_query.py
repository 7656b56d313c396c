"""One failed or missed query: what of its evidence was lost, and where first.

The stages are looked at in the order of `FAILURE_STAGES`. Each piece of evidence that is missing has one loss: that of
the chunk which came furthest. The query has the earliest of these. Nothing is asked of a language model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ragtester.access import passes
from ragtester.records import FAILURE_STAGES, Case, Chunk, Diagnosis, Document, FailureStage, Span, Trace
from ragtester.searching.measure import Measured
from ragtester.stages.retrieval import advice
from ragtester.stages.retrieval.advice import Steps
from ragtester.stages.retrieval.fixes import Loss, Unchecked
from ragtester.stages.retrieval.index_view import IndexView
from ragtester.stages.retrieval.items import LookUp
from ragtester.stages.retrieval.known import Known
from ragtester.stages.retrieval.pieces import Piece, cut, near_duplicate, origin_seen
from ragtester.stages.retrieval.query_path import QueryPath
from ragtester.stages.retrieval.sources_check import unreadable
from ragtester.tables.cells import counted

CUT = FAILURE_STAGES.index("rerank/pack")
NOT_A_PDF = "Export the file again, or give the text in another format."


@dataclass
class OneQuery:
    """One query while it is diagnosed. `unchecked` gathers what could not be looked at."""

    known: Known
    case: Case
    trace: Trace
    measured: Measured
    chunks: Sequence[Chunk]
    failed: bool
    look_up: LookUp
    unchecked: list[Unchecked] = field(default_factory=list)

    def diagnosis(self) -> Diagnosis | None:
        """Every loss that there is, and of these the earliest."""
        loss = self._refused() if self.measured.status == "no_gold" else self._earliest()
        return loss.diagnosis(self.unchecked) if loss else None

    def _earliest(self) -> Loss | None:
        if not self._labelled and (absent := self._no_chunks()):
            return absent
        pieces = self._pieces()
        missing = [piece for piece in pieces if piece.missing]
        found = [loss for piece in missing if (loss := self._not_indexed(piece))]
        if not found:
            found = [loss for piece in pieces if (loss := self._misread(piece))]
        if not found:
            found = [self._lost(piece) for piece in missing]
        if found:
            return min(found, key=lambda loss: loss.order)
        return self._answered_wrong() if self.failed else None

    # The evidence

    @cached_property
    def _document(self) -> Document | None:
        return self.known.documents.get(self.case.document_id)

    @cached_property
    def _labelled(self) -> bool:
        """Whether gold are chunks that a user named, and not those that the evidence stands in."""
        named = {one.id for one in self.measured.gold}
        return bool(named) and (not self.case.evidence or not named <= set(self.trace.gold_ids))

    @cached_property
    def _text(self) -> str:
        return self.known.text(self._document) if self._document else ""

    def _pieces(self) -> list[Piece]:
        context = self.trace.context_ids
        if self._labelled:
            # Nobody knows which words of such a chunk are the evidence.
            self.unchecked.append(Unchecked(("parse", "chunk")))
            return [Piece.labelled(one.id, context) for one in self.measured.gold]
        coverage = self.known.coverage(self.chunks, self._text)
        return [Piece.of(coverage, span, self._text, context) for span in self.case.evidence]

    # The stages, in their order

    def _no_chunks(self) -> Loss | None:
        name = self.case.document_id
        if self._document is None:
            if why := unreadable(self.known.suite, self.known.settings, name):
                return Loss("unreadable", f"Document {name} gave no text: {why}.")
            return Loss("document_absent", f"Document {name} is not among the documents of the suite.")
        if not self.chunks:
            return Loss("no_chunks", f"The index holds no chunk of document {name}.")
        return None

    @cached_property
    def _view(self) -> IndexView:
        view = self.known.view(self.trace, self.case.document_id, self.chunks)
        stages: tuple[FailureStage, ...] = ("embed/index",) if view.unchecked and view.health is None else ()
        self.unchecked.append(Unchecked(stages, view.unchecked))
        return view

    def _not_indexed(self, piece: Piece) -> Loss | None:
        names = piece.whole or piece.any_of
        return self._view.lacks(self.case.document_id, names) if names and self.chunks else None

    def _misread(self, piece: Piece) -> Loss | None:
        document, span = self._document, piece.span
        if document is None or span is None:
            return None
        if self.known.sources is None:
            self.unchecked.append(Unchecked(("parse",)))
            return None
        others = "\n".join(self._text[one.start : one.end] for one in self.case.evidence)
        loss, unchecked = self.known.sources.check(document, self._text, span, self.case.expected_answer, others)
        if unchecked:
            self.unchecked.append(Unchecked(("parse",), unchecked))
        return replace(loss, fix=NOT_A_PDF) if loss and document.format != "pdf" else loss

    def _lost(self, piece: Piece) -> Loss:
        """Where a piece of evidence was lost that is in the index and was read as it stands in its source."""
        context, known = self.trace.context_ids, self.known
        if twin := near_duplicate(piece, self.case, context, self.look_up, known.near_duplicate):
            return Loss("near_duplicate", twin + (" The answer was judged wrong all the same." if self.failed else ""))
        if split := cut(piece, self.chunks, context, known.settings.execute.index, self._is_prose):
            return split
        losses = [(name, self._fault(name) or self._path.loss(name)) for name in piece.whole]
        return min(losses, key=lambda one: self._way_left(*one))[1] if len(losses) > 1 else losses[0][1]

    def _way_left(self, name: str, loss: Loss) -> tuple[int, int, int]:
        step, rank = self._path.reached(name)
        # What stands in the fused list was cut there, whatever put it so low.
        cut_there = step <= 1 and loss.cause in ("fused_away", "floor")
        return -(CUT if cut_there else loss.order), step, rank

    def _is_prose(self, span: Span) -> bool:
        return self._document is not None and self.known.kinds.at(self._document, span.start, span.end) == "prose"

    def _fault(self, name: str) -> Loss | None:
        loss = self._view.fault_of(name, self._asked)
        return replace(loss, fix=advice.null_query(self._steps)) if loss and loss.cause == "null_query" else loss

    # The query path

    @property
    def _asked(self) -> str:
        return self.trace.rewrite or self.trace.query

    @cached_property
    def _steps(self) -> Steps:
        return Steps.of(self.known.settings.execute.retrieval, self.trace.k)

    @cached_property
    def _path(self) -> QueryPath:
        may_find = self.known.may_find(self.trace)

        def by_words(name: str) -> int | None:
            index = self.known.words(self.trace, self.case.document_id, self.chunks, self._view, self.look_up)
            if index is None:
                return None
            (hits,) = index.nearest([(self._asked, self.case.language)], advice.NEAR * self.trace.k, [may_find])
            return next((rank for rank, (found, _) in enumerate(hits, start=1) if found == name), 0)

        def rank(name: str) -> tuple[int, float] | None:
            return self._view.rank(name, self._asked, may_find)

        return QueryPath(self.trace, self._steps, self._kept_out, rank, by_words)

    def _kept_out(self, document_id: str) -> str:
        document = self.known.documents.get(document_id)
        filters = self.trace.filters
        if document is None or not filters or passes(document, filters):
            return ""
        failing = [f"{name} = {value!r}" for name, value in filters.items() if not passes(document, {name: value})]
        return f"document {document_id} does not pass {', '.join(failing)}"

    # What was not lost on the way

    def _answered_wrong(self) -> Loss:
        at = {name: place for place, name in enumerate(self.trace.context_ids, start=1)}
        there = ", ".join(f"{one.id} at {at[one.id]}" for one in self.measured.gold if one.id in at)
        return Loss(
            "answer_wrong", f"All evidence is in the context of {counted(len(at), 'chunk')}: {there or 'as a whole'}."
        )

    def _refused(self) -> Loss | None:
        """What must be refused and was answered. Without gold no other case has a stage: nothing can be located."""
        if not self.failed or self.case.type != "rejection":
            return None
        context = self.trace.context_ids
        if name := origin_seen(self.case, context, self.look_up):
            document_id = name.rsplit(":", 2)[0]
            seen = f"The question was made from {document_id}, and the context holds {name} of it."
            return Loss("origin_in_context", seen)
        return Loss("not_refused", f"The question must be refused; the context has {counted(len(context), 'chunk')}.")

"""One failed or missed query: what of its evidence was lost, and where first.

The stages are looked at in the order of `FAILURE_STAGES`. Each piece of evidence that is missing has one loss: that of
the chunk which came furthest. The query has the earliest of these. Nothing is asked of a language model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ragtester.access import passes
from ragtester.rag.chunking import places
from ragtester.records import Case, Chunk, Diagnosis, Document, GoldRank, Span, Trace
from ragtester.searching.coverage import Coverage
from ragtester.searching.measure import Measured
from ragtester.spans import overlap
from ragtester.stages.retrieval.fixes import Loss
from ragtester.stages.retrieval.index_view import IndexView
from ragtester.stages.retrieval.items import LookUp
from ragtester.stages.retrieval.known import Known
from ragtester.stages.retrieval.query_path import QueryPath
from ragtester.stages.retrieval.sources_check import unreadable
from ragtester.text.likeness import says_the_same

SHOWN = 5


@dataclass(frozen=True)
class _Piece:
    """Some evidence: the chunks that hold it whole, and those that hold any of it. `span` is None for a label."""

    whole: tuple[str, ...]
    any_of: tuple[str, ...]
    missing: bool
    span: Span | None = None


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
    unchecked: list[str] = field(default_factory=list)

    def diagnosis(self) -> Diagnosis | None:
        """Every loss that there is, and of these the earliest."""
        loss = self._without_gold() if self.measured.status == "no_gold" else self._earliest()
        return loss.diagnosis(tuple(self.unchecked)) if loss else None

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
        if self._document is None:
            return ""
        return self.known.text(self._document)

    @cached_property
    def _ranks(self) -> dict[str, GoldRank]:
        return {one.id: one for one in self.measured.gold}

    def _pieces(self) -> list[_Piece]:
        context = set(self.trace.context_ids)
        if self._labelled:
            return [_Piece((name,), (name,), name not in context) for name in self._ranks]
        coverage = self.known.coverage(self.chunks, self._text)
        return [self._piece(coverage, span) for span in self.case.evidence]

    def _piece(self, coverage: Coverage, span: Span) -> _Piece:
        held = coverage.held([span])
        whole = tuple(name for name, parts in held.parts.items() if coverage.characters(parts) == held.total)
        missing = held.covered(self.trace.context_ids) < held.total
        return _Piece(whole, tuple(held.parts), missing, span)

    def _evidence(self, piece: _Piece) -> str:
        return self._text[piece.span.start : piece.span.end].strip() if piece.span else ""

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
        self.unchecked.append(view.unchecked)
        return view

    def _not_indexed(self, piece: _Piece) -> Loss | None:
        names = piece.whole or piece.any_of
        return self._view.lacks(self.case.document_id, names) if names and self.chunks else None

    def _misread(self, piece: _Piece) -> Loss | None:
        document, span = self._document, piece.span
        if document is None or span is None or self.known.sources is None:
            return None
        loss, unchecked = self.known.sources.check(document, self._text, span, self.case.expected_answer)
        self.unchecked.append(unchecked)
        return loss

    def _lost(self, piece: _Piece) -> Loss:
        """Where a piece of evidence was lost that is in the index and was read as it stands in its source."""
        if piece.span is not None:
            if twin := self._near_duplicate(piece):
                return twin
            if cut := self._cut(piece):
                return cut
        query = self.trace.rewrite or self.trace.query
        may_find = self.known.may_find(self.trace)
        path = QueryPath(self.trace, self._kept_out, lambda name: self._view.rank(name, query, may_find))
        losses = [self._view.fault_of(name, query) or path.loss(name) for name in piece.whole]
        return max(losses, key=lambda loss: loss.order)

    def _near_duplicate(self, piece: _Piece) -> Loss | None:
        evidence, about = self._evidence(piece), f"{self.case.question} {self.case.expected_answer}"
        for name in self.trace.context_ids:
            chunk = self.look_up(name) if name not in piece.any_of else None
            if chunk is None:
                continue
            alike = says_the_same(chunk.text, evidence, about, self.case.language, self.known.near_duplicate)
            if alike is not None:
                seen = f"Chunk {name} of the context is {alike:.0f} % like the evidence and says the same."
                gold = f" The gold is {_named(piece.whole or piece.any_of)}."
                wrong = " The answer was judged wrong all the same." if self.failed else ""
                return Loss("near_duplicate", seen + gold + wrong)
        return None

    def _cut(self, piece: _Piece) -> Loss | None:
        """Evidence that no chunk carries whole."""
        if piece.whole:
            return None
        assert piece.span is not None
        length = piece.span.end - piece.span.start
        where = f"The evidence at {piece.span.start}–{piece.span.end} ({length} characters)"
        if not piece.any_of:
            return Loss("nowhere", f"{where} stands in none of the document's {len(self.chunks)} chunks.")
        longest = max(chunk.end - chunk.start for chunk in self.chunks)
        there = set(self.trace.context_ids)
        had = [name for name in piece.any_of if name in there]
        parts = f"{where} lies over {len(piece.any_of)} chunk(s) ({_named(piece.any_of)})"
        reached = f"of which the context has {_named(had) or 'none'}"
        if length > longest:
            return Loss("too_long", f"{parts}, {reached}; the longest chunk has {longest} characters.")
        return Loss("cut", f"{parts}, {reached}; no chunk carries it whole.")

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
        there = ", ".join(f"{name} at {at[name]}" for name in self._ranks if name in at)
        return Loss("answer_wrong", f"All evidence is in the context of {len(at)} chunk(s): {there or 'as a whole'}.")

    def _without_gold(self) -> Loss | None:
        if not self.failed:
            return None
        if self.case.type != "rejection":
            return Loss("no_labels", "The case has neither evidence nor gold chunks.")
        if name := self._origin_seen():
            document_id = name.rsplit(":", 2)[0]
            seen = f"The question was made from {document_id}, and the context holds {name} of it."
            return Loss("origin_in_context", seen)
        count = len(self.trace.context_ids)
        return Loss("not_refused", f"The question must be refused; the context has {count} chunk(s).")

    def _origin_seen(self) -> str:
        """The chunk of the context that holds what a question was made from that is asked of another document."""
        origin = self.case.origin
        if origin is None:
            return ""
        own = (chunk for chunk in map(self.look_up, self.trace.context_ids) if chunk)
        seen = (
            one.id for one in own if one.document_id == origin.document_id and _holds(one, origin.start, origin.end)
        )
        return next(seen, "")


def _holds(chunk: Chunk, start: int, end: int) -> bool:
    """Whether a chunk holds any of a piece, itself or for the chunks that it stands for."""
    return any(overlap(place, (start, end)) > 0 for place in places(chunk))


def _named(ids: Sequence[str]) -> str:
    """The first of some ids, and how many more there are."""
    more = len(ids) - SHOWN
    return ", ".join(ids[:SHOWN]) + (f" and {more} more" if more > 0 else "")

"""Pieces of evidence against the chunks that hold them: cut by a boundary, or said by another chunk. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragtester.rag.chunking import places
from ragtester.records import Case, Chunk, Span
from ragtester.searching.coverage import Coverage
from ragtester.settings import IndexSettings
from ragtester.spans import overlap
from ragtester.stages.retrieval.fixes import Loss
from ragtester.stages.retrieval.items import LookUp
from ragtester.stages.retrieval.naming import named
from ragtester.tables.cells import counted
from ragtester.text.likeness import says_the_same


@dataclass(frozen=True)
class Piece:
    """Some evidence: the chunks that hold it whole, and those that hold any of it. `span` is None for a label."""

    whole: tuple[str, ...]
    any_of: tuple[str, ...]
    missing: bool
    span: Span | None = None
    text: str = ""

    @classmethod
    def labelled(cls, name: str, context: Sequence[str]) -> Piece:
        """A chunk that a user named as gold."""
        return cls((name,), (name,), name not in context)

    @classmethod
    def of(cls, coverage: Coverage, span: Span, text: str, context: Sequence[str]) -> Piece:
        """A span of a document's `text`; it is missing where the chunks of the context do not hold all of it."""
        held = coverage.held([span])
        whole = tuple(name for name, parts in held.parts.items() if coverage.characters(parts) == held.total)
        missing = held.covered(context) < held.total
        return cls(whole, tuple(held.parts), missing, span, text[span.start : span.end].strip())


def cut(
    piece: Piece, chunks: Sequence[Chunk], context: Sequence[str], index: IndexSettings, prose: Callable[[Span], bool]
) -> Loss | None:
    """Evidence that no chunk of its document carries whole; `prose` tells whether a span is neither table nor code."""
    if piece.whole or piece.span is None:
        return None
    length = piece.span.end - piece.span.start
    where = f"The evidence at {piece.span.start}–{piece.span.end} ({length} characters)"
    if not piece.any_of:
        return Loss("nowhere", f"{where} stands in none of the document's {len(chunks)} chunks.")
    longest = max(chunk.end - chunk.start for chunk in chunks)
    had = [name for name in piece.any_of if name in context]
    parts = f"{where} lies over {counted(len(piece.any_of), 'chunk')} ({named(piece.any_of)})"
    reached = f"of which the context has {named(had) or 'none'}"
    # A sentence with its window has no overlap and no fixed size.
    window = (
        f"Raise window ({index.window} now), or take another chunker." if index.chunker == "sentence-window" else ""
    )
    if length > longest:
        # Only tables and code can be kept whole.
        larger = (
            f"Raise chunk_size above the length of the evidence ({length} characters), or cut by sentences with a "
            'window (chunker = "sentence-window").'
        )
        size = larger if prose(piece.span) else ""
        return Loss("too_long", f"{parts}, {reached}; the longest chunk has {longest} characters.", window or size)
    return Loss("cut", f"{parts}, {reached}; no chunk carries it whole.", window)


def near_duplicate(piece: Piece, case: Case, context: Sequence[str], look_up: LookUp, least: float) -> str:
    """What shows that another chunk of the context says what a missing piece does; empty where none does."""
    about = f"{case.question} {case.expected_answer}"
    for name in context if piece.span else ():
        chunk = look_up(name) if name not in piece.any_of else None
        alike = says_the_same(chunk.text, piece.text, about, case.language, least) if chunk else None
        if alike is not None:
            seen = f"Chunk {name} of the context is {alike:.0f} % like the evidence and says the same."
            return f"{seen} The gold is {named(piece.whole or piece.any_of)}."
    return ""


def origin_seen(case: Case, context: Sequence[str], look_up: LookUp) -> str:
    """The chunk of the context that holds what a question was made from that is asked of another document."""
    origin = case.origin
    if origin is None:
        return ""
    own = (chunk for chunk in map(look_up, context) if chunk and chunk.document_id == origin.document_id)
    return next((one.id for one in own if _holds(one, origin.start, origin.end)), "")


def _holds(chunk: Chunk, start: int, end: int) -> bool:
    """Whether a chunk holds any of a piece, itself or for the chunks that it stands for."""
    return any(overlap(place, (start, end)) > 0 for place in places(chunk))

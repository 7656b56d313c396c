"""Documents into chunks with exact offsets, and the gold chunks of a case.

The cuts are LangChain's `RecursiveCharacterTextSplitter`. Its own start index is searched for in the text and goes
wrong where text repeats; here every piece carries its offset, so that `text[start:end] == chunk.text` always holds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ragtester.errors import UsageError
from ragtester.records import Chunk, Document, Span
from ragtester.settings import IndexSettings
from ragtester.spans import overlap, pages_of

if TYPE_CHECKING:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

# Changes whenever the cuts change: stores and answers that were made with other cuts are then made again.
VERSION = "recursive-1"
# Paragraph, line, sentence end of spaced scripts, sentence end of CJK scripts, space, CJK pause, zero-width space
# (Thai, Khmer), and at last any character.
SEPARATORS = (
    r"\n\n+",
    r"\n",
    r"[.!?؟।۔][\"'”’)\]]*\s",
    r"[。！？．｡…]+[」』”’）]*",
    r"\s",
    r"[，、；：,;]",
    "\u200b",
    "",
)


class _Piece(str):
    """A piece of text that knows where it starts."""

    start: int

    def __new__(cls, text: str, start: int) -> _Piece:
        """Wrap `text`, which starts at `start` of the document."""
        piece = super().__new__(cls, text)
        piece.start = start
        return piece


def load() -> None:
    """Import the splitter in the main thread, before any server is called (why: see `ragtester.rag.chroma.load`)."""
    _splitter_class()


def chunk(document: Document, text: str, index: IndexSettings) -> list[Chunk]:
    """Cut a document's text into overlapping chunks; whitespace at their ends and whitespace-only chunks are dropped.

    Raises UsageError where the overlap is not smaller than the chunk.
    """
    if index.chunk_overlap >= index.chunk_size:
        raise UsageError(
            f"execute.index.chunk_overlap ({index.chunk_overlap}) must be smaller than "
            f"execute.index.chunk_size ({index.chunk_size})"
        )
    chunks: list[Chunk] = []
    for piece in _pieces(text, index.chunk_size, index.chunk_overlap):
        body = piece.strip()
        if not body:
            continue
        start = piece.start + len(piece) - len(piece.lstrip())
        end = start + len(body)
        if text[start:end] != body:
            raise AssertionError(f"{document.id}: the splitter's pieces are not contiguous at {start}")
        chunks.append(_chunk(document, len(chunks), start, end, body))
    return chunks


def gold_ids(evidence: Iterable[Span], chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """Ids of the chunks that overlap any evidence span, in document order; empty where there is no evidence."""
    spans = [(span.start, span.end) for span in evidence]
    return tuple(item.id for item in chunks if any(overlap(span, (item.start, item.end)) for span in spans))


def content_hash(text: str) -> str:
    """The content part of a chunk id: 8 hex digits of SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _chunk(document: Document, ordinal: int, start: int, end: int, text: str) -> Chunk:
    return Chunk(
        id=f"{document.id}:{content_hash(text)}:{ordinal}",
        document_id=document.id,
        ordinal=ordinal,
        start=start,
        end=end,
        pages=pages_of(start, end, document.page_starts),
        text=text,
    )


def _pieces(text: str, size: int, overlap_size: int) -> list[_Piece]:
    splitter: Any = _splitter_class()(
        separators=list(SEPARATORS),
        is_separator_regex=True,
        keep_separator="end",
        strip_whitespace=False,
        chunk_size=size,
        chunk_overlap=overlap_size,
    )
    pieces: list[_Piece] = splitter.split_text(text)
    return pieces


@lru_cache
def _splitter_class() -> type[RecursiveCharacterTextSplitter]:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    class OffsetSplitter(RecursiveCharacterTextSplitter):
        """The recursive splitter, with pieces that carry their offsets.

        It merges runs of contiguous pieces from left to right, each piece exactly once, so that a running count of
        characters is the offset of the next piece.
        """

        _position = 0

        def _merge_splits(self, splits: Iterable[str], separator: str) -> list[str]:
            pieces = []
            for split in splits:
                pieces.append(_Piece(split, self._position))
                self._position += len(split)
            return super()._merge_splits(pieces, separator)

        def _join_docs(self, docs: list[str], separator: str) -> str | None:
            joined = super()._join_docs(docs, separator)
            first = docs[0] if docs else None
            return _Piece(joined, first.start) if joined and isinstance(first, _Piece) else joined

    return OffsetSplitter

"""Documents into chunks with exact offsets.

`text[start:end] == chunk.text` holds for every chunker, and every character that is no white space lies in a chunk
(in its span, or in one of `also`).
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence

from ragtester.errors import UsageError
from ragtester.rag.chunk_alike import representatives
from ragtester.rag.chunk_cuts import splitter_class
from ragtester.rag.chunk_kinds import CHUNKERS, Cut, Source
from ragtester.rag.chunk_repeats import repeated_lines, without
from ragtester.rag.chunk_units import LONGEST_TOKEN, tokenizer, unit_version
from ragtester.records import Chunk, Document, Span
from ragtester.settings import IndexSettings
from ragtester.spans import pages_of

# Each number changes whenever the cuts of its chunker change, or what its option finds: stores and answers that were
# made with other cuts are then made again.
VERSIONS = {"recursive": 1, "paragraph": 1, "markdown": 1, "sentence-window": 1}
OPTIONS = {"keep_whole": "whole-1", "strip_repeated": "repeated-1", "near_duplicate": "alike-1"}


def version(index: IndexSettings) -> str:
    """What made the cuts, as in `recursive-1` or `markdown-1+wordllama-0.4.0+whole-1`."""
    parts = [f"{index.chunker}-{VERSIONS[index.chunker]}", unit_version(index.unit)]
    parts += [name for option, name in OPTIONS.items() if getattr(index, option)]
    return "+".join(part for part in parts if part)


def load(index: IndexSettings) -> None:
    """Import what cuts in the main thread, before any server is called (why: see `ragtester.rag.chroma.load`)."""
    splitter_class()
    if index.unit == "tokens":
        tokenizer()
    if index.near_duplicate:
        import numpy as np  # noqa: F401
        import rapidfuzz.fuzz  # noqa: F401


def chunk(document: Document, text: str, index: IndexSettings) -> list[Chunk]:
    """Cut a document's text into chunks; whitespace at their ends and whitespace-only chunks are dropped.

    Raises UsageError where the overlap is not smaller than the chunk, MissingPackageError where tokens cannot be
    counted.
    """
    if index.chunk_overlap >= index.chunk_size:
        raise UsageError(
            f"execute.index.chunk_overlap ({index.chunk_overlap}) must be smaller than "
            f"execute.index.chunk_size ({index.chunk_size})"
        )
    repeated = repeated_lines(text, document.page_starts) if index.strip_repeated else []
    source = Source(text, document.language, document.format != "pdf", index, repeated)
    cuts = [cut for one in CHUNKERS[index.chunker](source) if (cut := _trimmed(text, one)) is not None]
    embedded = [_embedded(text, cut, repeated) for cut in cuts]
    also = _stood_for(text, cuts, embedded, index.near_duplicate)
    made_by = version(index)
    chunks: list[Chunk] = []
    for number in sorted(also):
        cut, body = cuts[number], text[cuts[number].start : cuts[number].end]
        chunks.append(
            Chunk(
                id=f"{document.id}:{content_hash(body)}:{len(chunks)}",
                document_id=document.id,
                ordinal=len(chunks),
                start=cut.start,
                end=cut.end,
                pages=pages_of(cut.start, cut.end, document.page_starts),
                text=body,
                embedded=embedded[number],
                also=tuple(Span(start=cuts[at].start, end=cuts[at].end) for at in also[number]),
                chunker=made_by,
                sha256=_sha256(body),
            )
        )
    return chunks


def places(one: Chunk) -> list[tuple[int, int]]:
    """The spans of the document that a chunk stands for: its own, and those of the chunks that it nearly equals."""
    return [(one.start, one.end), *((span.start, span.end) for span in one.also)]


def most_characters(index: IndexSettings) -> int | None:
    """The most characters (without white space) that one chunk can stand for; None where there is no such number."""
    if index.keep_whole or index.near_duplicate:
        return None
    return index.chunk_size * (LONGEST_TOKEN if index.unit == "tokens" else 1)


def content_hash(text: str) -> str:
    """The content part of a chunk id: 8 hex digits of SHA-256."""
    return _sha256(text)[:8]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _trimmed(text: str, cut: Cut) -> Cut | None:
    """The cut without white space at its ends; None where nothing is left to embed."""
    start, end = _stripped(text, cut.start, cut.end)
    if cut.core is None:
        return Cut(start, end) if end > start else None
    core = _stripped(text, *cut.core)
    return Cut(start, end, core) if core[1] > core[0] else None


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    first = start + len(piece) - len(piece.lstrip())
    return first, first + len(piece.strip())


def _embedded(text: str, cut: Cut, repeated: Sequence[tuple[int, int]]) -> str:
    """What is embedded where that is not the whole chunk. A chunk of repeated lines alone is embedded as it is."""
    start, end = cut.core or (cut.start, cut.end)
    found = without(text, start, end, repeated) or text[start:end]
    return "" if found == text[cut.start : cut.end] else found


def _stood_for(text: str, cuts: Sequence[Cut], embedded: Sequence[str], threshold: float) -> dict[int, list[int]]:
    """The cuts that are stored, each with the later ones that it stands for."""
    if not threshold:
        return {number: [] for number in range(len(cuts))}
    texts = [text[cut.start : cut.end] for cut in cuts]
    searched = [found or whole for found, whole in zip(embedded, texts, strict=True)]
    stored: dict[int, list[int]] = defaultdict(list)
    for number, first in enumerate(representatives([(cut.start, cut.end) for cut in cuts], texts, searched, threshold)):
        stored[first] += [number] if first != number else []
    return stored

"""Pieces of the documents that the explorer shows: evidence and retrieved chunks, each character once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragtester.provenance import sha256_text
from ragtester.report.details import Details, key_of
from ragtester.report.islands import pack
from ragtester.results import Result, Results
from ragtester.spans import Pair, covered, merge
from ragtester.workspace import Workspace

BLOCK_CHARACTERS = 150_000
PIECE_CHARACTERS = 20_000

Wanted = dict[tuple[str, int, int], tuple[int, int]]
"""Document, start and end, with its priority: lowest first."""


@dataclass
class Texts:
    """Packed blocks; for each document `[block, start, end]`; and how many of the wanted spans are in.

    `lost` are spans of documents whose text is gone or is no longer the one that the offsets refer to.
    """

    blocks: list[str] = field(default_factory=list)
    where: dict[str, list[list[int]]] = field(default_factory=dict)
    held: int = 0
    wanted: int = 0
    lost: int = 0

    @property
    def size(self) -> int:
        """Characters of all blocks."""
        return sum(map(len, self.blocks))


def wanted_spans(results: Results, rows: Sequence[Result], details: Details) -> Wanted:
    """Spans by priority: what belongs to rows that did not pass first; evidence before chunks, high ranks first."""
    found: Wanted = {}
    for row in rows:
        passed = int(row.status == "pass")
        case = results.case(row)
        for span in case.evidence if case else ():
            _want(found, (row.document_id, span.start, span.end), (passed, 0))
        if case and case.origin:
            _want(found, (case.origin.document_id, case.origin.start, case.origin.end), (passed, 0))
        answer = details.answers.get(key_of(row))
        trace = answer.trace if answer else None
        ids = [(rank, id_) for rank, id_ in enumerate(trace.context_ids, start=1)] if trace else []
        ids += [(hit.rank, hit.id) for hit in trace.retrieved] + [(1, id_) for id_ in trace.gold_ids] if trace else []
        for rank, id_ in ids:
            place = details.chunks.get(id_)
            if place:
                _want(found, (place.document_id, place.start, place.end), (passed, rank))
    return found


def _want(found: Wanted, span: tuple[str, int, int], priority: tuple[int, int]) -> None:
    found[span] = min(priority, found.get(span, priority))


def build_texts(workspace: Workspace, results: Results, wanted: Wanted, budget: int) -> Texts:
    """Blocks of at most `budget` characters together, holding the spans of highest priority."""
    sources = _sources(workspace, results, {document for document, _, _ in wanted})
    ordered = sorted((span for span in wanted if span[0] in sources), key=lambda span: (wanted[span], span))
    limit = sum(map(len, sources.values())) if budget > 0 else 0
    while True:
        found = _pack(sources, _within(ordered, limit))
        found.wanted, found.lost = len(ordered), len(wanted) - len(ordered)
        if found.size <= budget or not limit:
            return found
        limit = int(min(_held_characters(found), limit) * budget / found.size * 0.97)


def _held_characters(found: Texts) -> int:
    return sum(end - start for places in found.where.values() for _, start, end in places)


def _within(ordered: list[tuple[str, int, int]], limit: int) -> list[tuple[str, int, int]]:
    """The first spans whose union has at most `limit` characters."""
    held: dict[str, list[Pair]] = {}
    taken, used = [], 0
    for document, start, end in ordered:
        pairs = held.setdefault(document, [])
        more = covered([*pairs, (start, end)]) - covered(pairs)
        if used + more > limit:
            break
        used += more
        held[document] = merge([*pairs, (start, end)])
        taken.append((document, start, end))
    return taken


def _pack(sources: dict[str, str], spans: list[tuple[str, int, int]]) -> Texts:
    found = Texts(held=len(spans))
    pairs: dict[str, list[Pair]] = {}
    for document, start, end in spans:
        pairs.setdefault(document, []).append((start, end))
    pieces: list[list[Any]] = []
    size = 0
    for document in sorted(pairs):
        for start, end in _cut(merge(pairs[document])):
            if pieces and size + end - start > BLOCK_CHARACTERS:
                found.blocks.append(pack(pieces))
                pieces, size = [], 0
            pieces.append([document, start, end, sources[document][start:end]])
            found.where.setdefault(document, []).append([len(found.blocks), start, end])
            size += end - start
    if pieces:
        found.blocks.append(pack(pieces))
    return found


def _cut(spans: list[Pair]) -> Iterator[Pair]:
    """Long spans in pieces, for the page takes a piece apart into characters to show a part of it."""
    for start, end in spans:
        for at in range(start, end, PIECE_CHARACTERS):
            yield at, min(end, at + PIECE_CHARACTERS)


def _sources(workspace: Workspace, results: Results, documents: set[str]) -> dict[str, str]:
    """Texts of the documents, where they are still those that the offsets refer to."""
    found: dict[str, str] = {}
    for (suite, id_), document in results.documents.items():
        path = workspace.text_file(suite, id_)
        if id_ in documents and path.is_file():
            text = path.read_bytes().decode("utf-8")
            if sha256_text(text) == document.text_sha256:
                found[id_] = text
    return found

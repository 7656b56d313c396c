"""Fixtures in which the chunker of the settings really cuts the evidence: no chunk holds it whole."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace

from ragtester.stages.stressors.excerpts import Excerpt, as_read, cut_from
from ragtester.stages.stressors.made import Made, Maker, Source, Unusable, fixture_of, rank_rows
from ragtester.text.headings import paragraphs
from ragtester.text.languages import base
from ragtester.text.sentences import sentence_spans

# Beginnings of the text that are tried, counted back from the evidence; and how much text there is in chunks.
_TRIED = 60
_CHUNKS = 6
# Widths of lines: just above half the overlap, so that no two lines fit into it, within what a page has.
_NARROW, _WIDE = 40, 120
_MORE = (2, 6, 12, 25)
# With fewer spaces than one in so many characters a text is not written in words with spaces.
_SPACED = 25


async def make_chunk_boundary(maker: Maker, source: Source) -> Made:
    """The document where it is cut within the evidence, else a stretch of it that begins, or is set, so that it is."""
    case, bench = source.case, maker.bench
    for gold, words in _stretches(maker, source):
        there = replace(source, gold=gold)
        if not bench.is_cut(there.gold_text(), case.language):
            continue
        ranks = await maker.measure(there, [there.gold_text()])
        rows = rank_rows(ranks, there.gold_text().id)
        chunks = [one for one in bench.chunks(there.gold_text(), case.language) if _touches(one.start, one.end, gold)]
        notes = {"cut": f"{len(chunks)} chunks hold parts of the evidence, none holds it whole", **words}
        return Made(fixture_of(there, rows, notes=notes), {there.gold_text().id: gold.text}, rows)
    index = bench.settings.execute.index
    raise Unusable(
        "never_cut",
        f"the {index.chunker} chunker (size {index.chunk_size}, overlap {index.chunk_overlap}) leaves the "
        "evidence whole wherever the text begins",
        tried=True,
    )


def _stretches(maker: Maker, source: Source) -> Iterator[tuple[Excerpt, dict[str, str]]]:
    """The excerpt as it is; stretches that begin at sentences before the evidence; these with their lines wrapped."""
    yield source.gold, {}
    first = min(start for start, _ in source.evidence)
    last = max(end for _, end in source.evidence)
    if last - first > maker.limit:
        return
    room = min(maker.limit, _CHUNKS * maker.bench.settings.execute.index.chunk_size) // 2
    end = _end(source.text, last, room)
    starts = _starts(source.text, max(0, first - room), first, source.case.language)
    for start in reversed(starts):
        made = cut_from(source.text, source.evidence, start, end)
        if made is not None:
            yield made, {"begins": f"character {start}"}
    half = maker.bench.settings.execute.index.chunk_overlap // 2
    for width in (max(_NARROW, min(_WIDE, half + more)) for more in _MORE):
        for start in reversed(starts):
            made = _wrapped(source, start, end, width)
            if made is not None:
                yield made, {"begins": f"character {start}", "wrapped": f"at {width} characters, without blank lines"}


def _wrapped(source: Source, start: int, end: int, width: int) -> Excerpt | None:
    """A stretch as the text layer of a page has it: lines of one width, no blank lines; no other character changes."""
    piece = source.text[start:end]
    flat = " ".join(piece.split())
    spaced = flat.count(" ") * _SPACED > len(flat)
    lines = textwrap.wrap(flat, width, break_long_words=not spaced, break_on_hyphens=False)
    text = "\n".join(lines)
    places = [place for place, char in enumerate(text) if not char.isspace()]
    counted = [0]
    for char in piece:
        counted.append(counted[-1] + (not char.isspace()))
    if len(places) != counted[-1]:
        return None
    spans = []
    for a, b in source.evidence:
        inside = counted[a - start], counted[b - start]
        if inside[0] == inside[1]:
            return None
        spans.append((places[inside[0]], places[inside[1] - 1] + 1))
    return Excerpt(text, tuple(spans), ((start, end),), whole=False) if as_read(text) == text else None


def _starts(text: str, back: int, first: int, language: str) -> list[int]:
    """Beginnings of sentences and lines before the evidence."""
    found = {back + start for start, _ in sentence_spans(text[back:first], base(language))}
    found |= {back + place + 1 for place, char in enumerate(text[back:first]) if char == "\n"}
    return sorted(place for place in found if place <= first)[-_TRIED:]


def _end(text: str, last: int, room: int) -> int:
    """The end of the last paragraph that fits behind the evidence."""
    end = last
    for start, stop in paragraphs(text):
        if start < last < stop or (start >= last and stop - last <= room):
            end = max(end, stop)
    return end


def _touches(start: int, end: int, gold: Excerpt) -> bool:
    return any(a < end and start < b for a, b in gold.evidence)

"""Fixtures in which the chunker of the settings really cuts the evidence: no chunk holds it whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ragtester.stages.stressors.excerpts import Excerpt, cut_from
from ragtester.stages.stressors.made import Made, Maker, Source, Unusable, fixture_of, rank_rows
from ragtester.text.headings import paragraphs
from ragtester.text.languages import base
from ragtester.text.sentences import sentence_spans

# Beginnings of the text that are tried, counted back from the evidence.
_TRIED = 60


async def make_chunk_boundary(maker: Maker, source: Source) -> Made:
    """The document where it is cut within the evidence, else the stretch of it that begins so that it is."""
    case, bench = source.case, maker.bench
    for gold, words in _stretches(maker, source):
        there = replace(source, gold=gold)
        if not bench.is_cut(there.gold_text(), case.language):
            continue
        ranks = await maker.measure(case.question, case.language, [there.gold_text()])
        rows = rank_rows(ranks, there.gold_text().id)
        chunks = [one for one in bench.chunks(there.gold_text(), case.language) if _touches(one.start, one.end, gold)]
        notes = {"cut": f"{len(chunks)} chunks hold parts of the evidence, none holds it whole", **words}
        return Made(fixture_of(there, rows, notes=notes), {there.gold_text().id: gold.text}, rows)
    index = bench.settings.execute.index
    raise Unusable(
        "never_cut",
        f"the {index.chunker} chunker (size {index.chunk_size}, overlap {index.chunk_overlap}) leaves the evidence whole "
        "wherever the text begins",
        tried=True,
    )


def _stretches(maker: Maker, source: Source) -> Iterator[tuple[Excerpt, dict[str, str]]]:
    """The excerpt as it is; then stretches of the document that begin at sentences before the evidence, nearest last."""
    yield source.gold, {}
    first = min(start for start, _ in source.evidence)
    last = max(end for _, end in source.evidence)
    if last - first > maker.limit:
        return
    end = _end(source.text, last, maker.limit // 2)
    back = max(0, first - maker.limit // 2)
    for start in reversed(_starts(source.text, back, first, source.case.language)):
        made = cut_from(source.text, source.evidence, start, end)
        if made is not None:
            yield made, {"begins": f"character {start}"}


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

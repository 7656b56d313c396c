"""Cuts a text into sections that never overlap and together are the whole text."""

from __future__ import annotations

import re

from ragtester.documents.readability import flesch
from ragtester.documents.section_kinds import kind_of
from ragtester.records import Section

_PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")


def _tokens(text: str) -> int:
    return max(1, len(text.encode("utf-8")) // 4) if text else 0


def cut_sections(text: str, document_id: str, count: int, max_tokens: int, language: str) -> list[Section]:
    """First version: paragraphs gathered to about equal sizes."""
    if not text:
        return []
    ends = [found.end() for found in _PARAGRAPH_END.finditer(text)]
    if not ends or ends[-1] != len(text):
        ends.append(len(text))
    target = max(1, min(len(text) // count, max_tokens * 3))
    spans: list[tuple[int, int]] = []
    start = 0
    for end in ends:
        while end - start > max_tokens * 3:
            spans.append((start, start + max_tokens * 3))
            start += max_tokens * 3
        if end - start >= target or end == len(text):
            spans.append((start, end))
            start = end
    sections = []
    for ordinal, (a, b) in enumerate(spans):
        piece = text[a:b]
        kind = kind_of(piece, language)
        score = flesch(piece, language) if kind == "prose" else None
        sections.append(
            Section(
                document_id=document_id, ordinal=ordinal, start=a, end=b, kind=kind, tokens=_tokens(piece), flesch=score
            )
        )
    return sections

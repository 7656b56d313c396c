"""What kind of text a section is, by the shape of its lines and words."""

from __future__ import annotations

import re

from ragtester.records import SectionKind

_LEADER = re.compile(r"(?:\.\s?){4,}\s*[\divxlc]+\s*$|(?:…\s?){2,}\s*\d+\s*$|\s\d{1,4}\s*$", re.IGNORECASE)
_DOTS = re.compile(r"(?:\.\s?){4,}|…{2,}")


def kind_of(text: str, language: str) -> SectionKind:
    """The kind that most of the text is."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return "prose"
    if sum(bool(_DOTS.search(line)) for line in lines) * 2 > len(lines):
        return "contents"
    return "prose"

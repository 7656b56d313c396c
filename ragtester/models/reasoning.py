"""Reasoning blocks in a reply: everything that a model thought aloud is taken away before anything is read."""

from __future__ import annotations

import re

_NAMES = "think|thinking|thought|reasoning|reflection"
_OPEN = re.compile(rf"<\s*(?:{_NAMES})\s*>", re.I)
_CLOSE = re.compile(rf"<\s*/\s*(?:{_NAMES})\s*>", re.I)


def strip_reasoning(text: str, spans: list[tuple[int, int]] | None = None) -> str:
    """The reply without its reasoning.

    A block at the start goes up to its end mark. A lone end mark takes everything before it away, a lone start mark
    everything after it. Marks within `spans` (JSON objects that are complete) are part of the reply's own text, unless
    the reply begins with a block.
    """
    rest = text
    while (opened := _OPEN.match(rest.lstrip())) is not None:
        inner = rest.lstrip()[opened.end() :]
        closed = _CLOSE.search(inner)
        if closed is None:
            return ""
        rest = inner[closed.end() :]
    inside = spans if spans is not None and rest == text else []
    closes = [mark.end() for mark in _CLOSE.finditer(rest) if not _within(mark.start(), inside)]
    opens = [mark.start() for mark in _OPEN.finditer(rest) if not _within(mark.start(), inside)]
    if closes and (not opens or opens[-1] < closes[-1]):
        first = opens[0] if opens else 0
        # Text before a later block is part of the reply only if the block was opened.
        return (rest[:first] if opens else "") + rest[closes[-1] :]
    return rest[: opens[0]] if opens else rest


def _within(place: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)

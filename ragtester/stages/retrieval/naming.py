"""How ids and texts are named in a line."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

NAMED = 5


def named(names: Collection[str]) -> str:
    """The first of some names, and how many more there are."""
    more = len(names) - NAMED
    return ", ".join(islice(names, NAMED)) + (f" and {more} more" if more > 0 else "")


def shortened(text: str, longest: int) -> str:
    """A text on one line, cut to so many characters."""
    text = " ".join(text.split())
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"

"""Passages in a prompt: each in its tag with the label that a reply may name."""

from __future__ import annotations

from collections.abc import Iterable

from ragtester.prompts import defuse
from ragtester.tasks import Passage

NONE = "(none)"


def passages(parts: Iterable[Passage]) -> str:
    """All passages in their order; the texts stand letter for letter, their tags defused."""
    return "\n\n".join(map(passage, parts)) or NONE


def passage(part: Passage) -> str:
    """One passage in its tag."""
    return f'<passage id="{label(part)}">\n{defuse(part.text)}\n</passage>'


def label(part: Passage) -> str:
    """A passage's label as a prompt writes it: no quotation mark ends it early."""
    return bare(part.label)


def bare(text: str) -> str:
    """A label by itself, as it stands in a tag or in a list of labels."""
    return defuse(text).replace('"', "")

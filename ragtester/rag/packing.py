"""Which of the ranked chunks reach the model, within k and a budget, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragtester.records import Chunk, Dropped
from ragtester.settings import RetrievalSettings
from ragtester.text.words import estimate_tokens


@dataclass(frozen=True)
class Packed:
    """The chunks of the final context in the order of the prompt, and what found no room."""

    chunks: tuple[Chunk, ...]
    dropped: tuple[Dropped, ...]


def pack(ranked: Sequence[Chunk], k: int, settings: RetrievalSettings) -> Packed:
    """Take at most `k` chunks, best first, while they fit the budget; one that does not fit is left out whole."""
    size = len if settings.budget_unit == "characters" else estimate_tokens
    taken: list[Chunk] = []
    dropped: list[Dropped] = []
    used = 0
    for chunk in ranked[:k]:
        needed = size(chunk.text)
        if settings.budget and used + needed > settings.budget:
            reason = f"needs {needed} of {settings.budget - used} {settings.budget_unit} that are left"
            dropped.append(Dropped(id=chunk.id, at="budget", reason=reason))
            continue
        used += needed
        taken.append(chunk)
    if settings.order == "reverse":
        taken.reverse()
    elif settings.order == "document":
        taken.sort(key=lambda chunk: (chunk.document_id, chunk.start))
    return Packed(tuple(taken), tuple(dropped))

"""Which of the ranked chunks reach the model, within k and a budget, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragtester.provenance import sha256_text
from ragtester.rag.chunk_units import length_of, tokenizer
from ragtester.records import Chunk, Dropped
from ragtester.settings import RetrievalSettings


@dataclass(frozen=True)
class Packed:
    """The chunks of the final context in the order of the prompt, and what found no room."""

    chunks: tuple[Chunk, ...]
    dropped: tuple[Dropped, ...]


def load(settings: RetrievalSettings) -> None:
    """Load the tokenizer where the budget is one of tokens. Raises MissingPackageError where there is none."""
    if settings.budget and settings.budget_unit == "tokens":
        tokenizer()


def pack(ranked: Sequence[Chunk], k: int, settings: RetrievalSettings, draw: str = "") -> Packed:
    """Take at most `k` chunks, best first, while they fit the budget; one that does not fit is left out whole.

    A chunk after it that does fit is taken; none from beyond the first k takes its place. The budget is for the texts
    of the chunks: the prompt's own words and the labels of its sections come on top.
    `draw` is what the order of `shuffle` is drawn from: the same one, the same order.
    """
    taken: list[Chunk] = []
    dropped: list[Dropped] = []
    left = settings.budget
    for chunk in ranked[:k]:
        if settings.budget:
            needed = length_of(chunk.text, settings.budget_unit)(0, len(chunk.text))
            if needed > left:
                reason = f"needs {needed} of {left} {settings.budget_unit} that are left"
                dropped.append(Dropped(id=chunk.id, at="budget", reason=reason))
                continue
            left -= needed
        taken.append(chunk)
    if settings.order == "reverse":
        taken.reverse()
    elif settings.order == "document":
        taken.sort(key=lambda chunk: (chunk.document_id, chunk.start, chunk.ordinal))
    elif settings.order == "shuffle":
        taken.sort(key=lambda chunk: sha256_text(f"{draw}\n{chunk.id}"))
    return Packed(tuple(taken), tuple(dropped))

"""Answers by rule from what was found: the sentence that says most of what was asked, or an honest refusal."""

from __future__ import annotations

import re
from dataclasses import dataclass

from store import Hit, Store

REFUSAL = "I don't know."
# Of the question's weight, so much must stand in a paragraph before anything is answered from it.
ENOUGH = 0.4
_FRAME = {
    "and",
    "are",
    "can",
    "did",
    "does",
    "for",
    "how",
    "many",
    "much",
    "must",
    "the",
    "was",
    "what",
    "when",
    "where",
}
_FRAME |= {"were", "which", "who", "whom", "will"}
_WORD = re.compile(r"\w+")
_ENDS = re.compile(r"(?<=[.!?])\s+|\n")


@dataclass(frozen=True)
class Answer:
    """What is said, and the paragraph that it stands on."""

    text: str
    refuses: bool
    cited: tuple[str, ...] = ()


def answer(question: str, hits: list[Hit], store: Store) -> Answer:
    """The best sentence of the best paragraph; a refusal where no paragraph holds what was asked."""
    asked = question.rpartition(": ")[2]  # "Somebody asks: how long …" is about the part behind the colon
    weights = {word: 1.0 - store.share(word) for word in dict.fromkeys(_words(asked))}
    # What stands in a fifth of all paragraphs tells nothing of this question.
    weights = {word: weight for word, weight in weights.items() if weight > 0.8}
    total = sum(weights.values())
    if not total:
        return Answer(REFUSAL, True)
    best: tuple[float, float, Hit, str] | None = None
    for hit in hits:
        about = _weight(f"{hit.heading} {hit.text}", weights) / total
        for sentence in filter(None, _ENDS.split(hit.text)):
            says = _weight(sentence, weights) / total
            if best is None or (about + says) > best[0] + best[1]:
                best = about, says, hit, sentence.strip()
    if best is None or best[0] < ENOUGH:
        return Answer(REFUSAL, True)
    return Answer(best[3], False, (best[2].id,))


def _weight(text: str, weights: dict[str, float]) -> float:
    return sum(weights[word] for word in set(_words(text)) if word in weights)


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if len(word) > 2 and word not in _FRAME]

"""Near-duplicate questions."""

from __future__ import annotations

from ragtester.text.languages import base, stop_words
from ragtester.text.stems import stem
from ragtester.text.words import words

# Two words this alike (rapidfuzz ratio) are one word in two spellings: "colour" and "color", not "crane" and "crate".
SAME_WORD = 85


class Questions:
    """The questions a suite already has.

    Two are near-duplicates where their words, as written or sorted, are alike by `rapidfuzz.fuzz.ratio` (0 to 100,
    at least `threshold`) and what differs is grammar, inflection or spelling. A number or a content word that the
    other lacks asks for something else, however long the rest: "mode 3" and "mode 4", "the crane" and "the winch".
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._texts: list[str] = []
        self._written: list[str] = []
        self._sorted: list[str] = []

    def add(self, question: str) -> None:
        """Take a question into the suite."""
        found = words(question)
        self._texts.append(question)
        self._written.append(" ".join(found))
        self._sorted.append(" ".join(sorted(found)))

    def near(self, question: str, language: str) -> str | None:
        """The first question of the suite that is nearly the same, or None."""
        from rapidfuzz import fuzz, process

        found = words(question)
        hits: set[int] = set()
        for query, choices in ((" ".join(found), self._written), (" ".join(sorted(found)), self._sorted)):
            alike = process.extract_iter(query, choices, scorer=fuzz.ratio, score_cutoff=self._threshold)
            hits.update(index for _, _, index in alike)
        for index in sorted(hits):
            if _same_words(set(found), set(self._written[index].split()), language):
                return self._texts[index]
        return None


def _same_words(first: set[str], second: set[str], language: str) -> bool:
    grammar = stop_words(language)
    code = base(language)
    one = {stem(word, code) for word in first - second - grammar}
    two = {stem(word, code) for word in second - first - grammar}
    return all(_has_form(word, two) for word in one) and all(_has_form(word, one) for word in two)


def _has_form(word: str, others: set[str]) -> bool:
    from rapidfuzz import fuzz

    if any(character.isdigit() for character in word):
        return False
    return word in others or any(fuzz.ratio(word, other) >= SAME_WORD for other in others)

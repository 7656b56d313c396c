"""Passages of a corpus to borrow from: about a chunk each, looked up by the words that they share with a question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ragtester.stages.stressors.excerpts import as_read
from ragtester.text.headings import is_heading, paragraphs
from ragtester.text.stems import stems

# Passages that share most stems with a question; the nearest are chosen among them.
CANDIDATES = 40
LEAST = 120
# So many content stems of a question, and such a share of them, make a passage one on its topic.
LEAST_SHARED, SHARE = 2, 0.3


@dataclass(frozen=True)
class Passage:
    """A stretch of a document. `name` is unique in the corpus and says which."""

    name: str
    document_id: str
    start: int
    end: int
    text: str
    stems: frozenset[str]


@dataclass
class Passages:
    """Passages of the documents of each language, cut when they are first asked for."""

    texts: Mapping[str, tuple[str, str]]
    """Language and text of every document, by id."""
    size: int
    _cut: dict[str, list[Passage]] = field(default_factory=dict)

    def like(self, question: str, language: str, but: tuple[str, Iterable[tuple[int, int]]]) -> list[Passage]:
        """The passages that share most content stems with a question, in that order; ties by name.

        Passages that share too little are on another topic and left out.
        `but` is a document with spans of it: passages that touch them are left out.
        """
        document, spans = but[0], list(but[1])
        asked = set(stems(question, language))
        enough = max(LEAST_SHARED, SHARE * len(asked))
        found = []
        for name, (code, _) in self.texts.items():
            if code != language:
                continue
            for one in self._of(name):
                barred = name == document and any(one.start < end and start < one.end for start, end in spans)
                shared = len(asked & one.stems)
                if shared >= enough and not barred:
                    found.append((-shared, one.name, one))
        return [one for _, _, one in sorted(found, key=lambda item: item[:2])[:CANDIDATES]]

    def _of(self, name: str) -> list[Passage]:
        if name not in self._cut:
            language, text = self.texts[name]
            self._cut[name] = [
                Passage(f"{name}-{number}", name, start, end, held, frozenset(stems(held, language)))
                for number, (start, end, held) in enumerate(_passages(text, self.size), start=1)
            ]
        return self._cut[name]


def _passages(text: str, size: int) -> Iterator[tuple[int, int, str]]:
    """Whole paragraphs together up to `size` characters; a heading stays with what follows it."""
    start, end = 0, 0
    for a, b in [*paragraphs(text), (len(text), len(text))]:
        heading = is_heading(text[a:b])
        if b == a or b - start > size or (heading and end - start > LEAST):
            held = text[start:end].strip()
            if LEAST <= len(held) <= size:
                yield start, end, as_read(held)
            start = a
        end = b

"""A fixture as the suite holds it: its case, its documents with their texts, the places of its right passages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ragtester.rag.gold import Gold
from ragtester.records import EVIDENCE_CHUNK, Case, Chunk, Document, Fixture, Span
from ragtester.spans import overlap
from ragtester.stages.adversarial.marks import marks_of
from ragtester.stages.adversarial.mentions import mentions
from ragtester.stages.adversarial.said import Sought, gold_phrases
from ragtester.stages.adversarial.standing import Labels
from ragtester.text.sentences import sentences


@dataclass(frozen=True)
class Asked:
    """One fixture. `documents` and `texts` are keyed by the fixture's own ids; `spans` are the passages with the
    answer, by document; `run` and `k` are those under which it is asked."""

    fixture: Fixture
    set: str
    case: Case
    documents: Mapping[str, Document]
    texts: Mapping[str, str]
    spans: Mapping[str, tuple[Span, ...]]
    run: str
    k: int

    @cached_property
    def sought(self) -> Sought:
        """What is looked for in an answer."""
        titles = {name: next(iter(text.strip().splitlines()), "") for name, text in self.texts.items()}
        expected, language = self.fixture.expected_answer, self.case.language
        gold = () if self.fixture.must_refuse else gold_phrases(expected, self.fixture.keywords, language)
        return Sought(
            gold=gold,
            poison=self.fixture.must_not_contain,
            language=language,
            expected="" if self.fixture.must_refuse else expected,
            marks=marks_of(self.fixture.model_copy(update={"language": language}), titles),
        )

    def labels(self, chunks: Callable[[Document], Sequence[Chunk]], *, target: bool) -> Labels:
        """Gold and poison among the chunks of its documents; those of a target are only what it returned."""
        gold: set[str] = set()
        unseen = 0
        for name, spans in self.spans.items():
            known = _real(chunks(self.documents[name]))
            gold |= set(Gold(known).ids(spans))
            unseen += sum(not _held(span, known) for span in spans) if target else 0
        poison = {one.id for name in self.fixture.poison_ids for one in self._poison(chunks(self.documents[name]))}
        return Labels(frozenset(gold), frozenset(poison), unseen)

    def _poison(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Chunks of a poisoned document that say what must not be said; all of them where none does in full."""
        known = _real(chunks)
        telling = [one for one in known if self._is_poison(one.text)]
        return telling or known

    def _is_poison(self, text: str) -> bool:
        language = self.case.language
        return any(
            mentions(phrase, sentence, language)
            for sentence in sentences(text, language)
            for phrase in self.fixture.must_not_contain
        )


def _real(chunks: Iterable[Chunk]) -> list[Chunk]:
    """Without what stands for evidence that was not returned, and without texts of no document."""
    return [one for one in chunks if one.chunker != EVIDENCE_CHUNK and one.end > one.start]


def _held(span: Span, chunks: Iterable[Chunk]) -> bool:
    places = ((place.start, place.end) for one in chunks for place in (Span(start=one.start, end=one.end), *one.also))
    return any(overlap((span.start, span.end), place) for place in places)

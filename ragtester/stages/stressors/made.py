"""A fixture in the making: its documents with what is looked for in them, and its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragtester.records import Case, Failure, Fixture, StressorRank
from ragtester.settings import Settings
from ragtester.stages.stressors.bench import Bench, Text
from ragtester.stages.stressors.excerpts import Excerpt
from ragtester.stages.stressors.passages import Passages
from ragtester.workspace import slug

CURRENT, OTHER = "current", "other"
SUFFIX = ".md"
Ranks = dict[str, dict[str, int | None]]


class Unusable(Exception):  # noqa: N818 - an outcome, not a fault of the program
    """No fixture of this kind comes of this case; `failure` says why. `status` is "skipped" or "unfilled"."""

    def __init__(self, kind: str, message: str, *, tried: bool = False, ranks: Sequence[StressorRank] = ()) -> None:
        self.failure = Failure(type=kind, message=message)
        self.status = "unfilled" if tried else "skipped"
        self.ranks = tuple(ranks)
        super().__init__(message)


@dataclass(frozen=True)
class Source:
    """A case with its document: the excerpt that stands for it, the document's whole text, and its evidence there."""

    case: Case
    kind: str
    text: str
    evidence: tuple[tuple[int, int], ...]
    gold: Excerpt

    def gold_text(self) -> Text:
        """The right document as it is indexed."""
        return Text(f"{CURRENT}/{self.case.document_id}", self.gold.text, self.gold.evidence)


@dataclass(frozen=True)
class Made:
    """A fixture that held its checks. `documents` are the texts by id; the first is the right one."""

    fixture: Fixture
    documents: Mapping[str, str]
    ranks: tuple[StressorRank, ...] = ()


@dataclass
class Maker:
    """What every kind needs: measured ranks, K, the seed, and passages of the corpus to borrow from."""

    bench: Bench
    k: int
    seed: int
    limit: int
    passages: Passages

    @property
    def passage_limit(self) -> int:
        """Characters of a passage that is one chunk: nine tenths of a chunk, so that no cutter parts it."""
        return passage_limit(self.bench.settings)

    async def nearest(self, source: Source, most: int = 15) -> list[tuple[str, str]]:
        """Passages of the corpus in the case's language that do not touch its evidence, nearest to its question first.

        Each with its name. Raises EmbeddingError.
        """
        case = source.case
        found = self.passages.like(case.question, case.language, (case.document_id, source.evidence))
        texts = {one.name: one.text for one in found}
        order = await self.bench.nearest(case.question, case.language, texts)
        return [(name, texts[name]) for name in order[:most]]

    async def measure(self, source: Source, texts: Sequence[Text], *, question: str = "", k: int = 0) -> Ranks:
        """Ranks for the case's question, or another, by embedding model and text. Raises EmbeddingError."""
        within = fixture_id(source.case, source.kind)
        asked = question or source.case.question
        return await self.bench.ranks(asked, source.case.language, texts, k or self.k, within)


def passage_limit(settings: Settings) -> int:
    """Characters of a passage that is one chunk."""
    index = settings.execute.index
    return max(200, index.chunk_size * 9 // 10 if index.unit == "characters" else index.chunk_size * 3)


def rank_rows(ranks: Ranks, gold: str, poison: str = "") -> tuple[StressorRank, ...]:
    """The measured ranks as they are kept."""
    return tuple(
        StressorRank(embedding=name, gold=found.get(gold), poison=found.get(poison) if poison else None)
        for name, found in ranks.items()
    )


@dataclass(frozen=True)
class Asked:
    """What a fixture has beside its case: "" and empty stand for the case's own."""

    question: str = ""
    expected: str = ""
    keywords: tuple[str, ...] = ()
    poison: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    k: int | None = None


def fixture_of(
    source: Source, ranks: Sequence[StressorRank], asked: Asked | None = None, notes: Mapping[str, str] | None = None
) -> Fixture:
    """The record of a fixture; what it was made from stands in `made_from`."""
    case, asked = source.case, asked or Asked()
    other = asked.question not in ("", case.question)
    made_from = {
        "case": case.id,
        "document": case.document_id,
        "rule": source.kind,
        **({"question": case.question} if other else {}),
        **({} if source.gold.whole else {"excerpt": excerpt_words(source)}),
        **{f"ranks {one.embedding}": rank_words(one) for one in ranks},
        **(notes or {}),
    }
    return Fixture(
        id=fixture_id(case, source.kind),
        kind=source.kind,
        question=asked.question or case.question,
        expected_answer=asked.expected or case.expected_answer,
        keywords=asked.keywords or (() if asked.expected else case.keywords),
        must_not_contain=asked.forbidden,
        poison_ids=asked.poison,
        relevant_ids=(source.gold_text().id,),
        relevant_text=tuple(dict.fromkeys(source.gold.held())),
        k=asked.k,
        language=case.language,
        made_from=made_from,
    )


def fixture_id(case: Case, kind: str) -> str:
    """The id of a fixture: its kind and its case, a safe name of at most 120 characters."""
    return slug(f"{kind}.{case.id.replace('/', '.')}", 110)


def rank_words(one: StressorRank) -> str:
    """`gold 1, poison 2`."""
    words = [f"gold {_place(one.gold)}"] if one.gold is not None or one.poison is None else ["gold not found"]
    return ", ".join([*words, *([f"poison {_place(one.poison)}"] if one.poison is not None else [])])


def excerpt_words(source: Source) -> str:
    """Which characters of the document an excerpt holds."""
    spans = ", ".join(f"{start}-{end}" for start, end in source.gold.pieces)
    return f"characters {spans} of {len(source.text)}"


def _place(rank: int | None) -> str:
    return "not found" if rank is None else str(rank)

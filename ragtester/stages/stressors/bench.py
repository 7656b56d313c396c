"""Ranks of chunks for a question, measured in memory with the arms, cuts and embedding models of the settings.

The index holds a fixture's own documents and no others, as when it is asked: its user sees no others. A rewrite of the
query and a reranker are not asked: ranks are those of the fused list. A filter of the settings plays no part.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ragtester.fixtures import document_id
from ragtester.provenance import sha256_text
from ragtester.rag.chunking import chunk, places
from ragtester.rag.contexts import Found, Query
from ragtester.rag.route import Route
from ragtester.rag.similarity import Best, Directions, cosines
from ragtester.rag.sparse import Sparse
from ragtester.rag.store import embedded
from ragtester.records import NO_RETRIEVAL, Case, Chunk, Document
from ragtester.settings import Settings
from ragtester.tasks import Embedder

Pair = tuple[int, int]
VECTORS_KEPT = 20_000


@dataclass(frozen=True)
class Text:
    """A document of a fixture. `spans` are what is looked for in it: the evidence, or what stands in its place."""

    id: str
    text: str
    spans: tuple[Pair, ...] = ()


@dataclass
class Bench:
    """Measures; vectors of texts that come again are kept."""

    settings: Settings
    embedders: Callable[[str], Embedder]
    _known: dict[str, Embedder] = field(default_factory=dict)
    _vectors: OrderedDict[tuple[str, str], list[float]] = field(default_factory=OrderedDict)

    @property
    def embeddings(self) -> list[str]:
        """The embedding models of the run, each once; one name where no dense arm asks any."""
        groups = self.settings.execute.groups
        names = [name for group in groups for name in group.embeddings if name != NO_RETRIEVAL]
        return list(dict.fromkeys(names)) if self.settings.execute.retrieval.dense else names[:1]

    def chunks(self, one: Text, language: str, within: str = "") -> list[Chunk]:
        """The chunks of a text, cut as the run cuts documents, and named as they are in the suite of a fixture's set.

        Names decide between chunks of equal rank.
        """
        made = _document(document_id(within, one.id), one.text, language)
        return chunk(made, one.text, self.settings.execute.index)

    def is_cut(self, one: Text, language: str) -> bool:
        """Whether a span of the text stands whole in none of its chunks."""
        held = [place for made in self.chunks(one, language) for place in places(made)]
        return any(not any(a <= start and end <= b for a, b in held) for start, end in one.spans)

    async def ranks(
        self, question: str, language: str, texts: Sequence[Text], k: int, within: str
    ) -> dict[str, dict[str, int | None]]:
        """By embedding model and text: the rank of the first chunk that holds a piece of its spans.

        `within` is the fixture's id. None: not among what the search finds. Texts without spans are not looked for.
        Raises EmbeddingError.
        """
        cut = [made for one in texts for made in self.chunks(one, language, within)]
        wanted = {one.id: one.spans for one in texts if one.spans}
        found: dict[str, dict[str, int | None]] = {}
        for embedding in self.embeddings:
            order = await self._order(question, language, cut, embedding, k)
            found[embedding] = {
                name: _rank(order, cut, document_id(within, name), spans) for name, spans in wanted.items()
            }
        return found

    async def nearest(self, question: str, language: str, passages: Mapping[str, str]) -> list[str]:
        """Names of passages, nearest to the question first: by words and by the first embedding model, fused."""
        if not passages:
            return []
        languages = dict.fromkeys(passages, language)
        made = [
            Chunk(id=f"{name}:0:0", document_id=name, ordinal=0, start=0, end=len(text), text=text)
            for name, text in passages.items()
        ]
        lists = {"bm25": Sparse(made, languages).nearest([(question, language)], len(made))[0]}
        if self.settings.execute.retrieval.dense and self.embeddings:
            lists["dense"] = await self._dense(question, made, self.embeddings[0], len(made))
        from ragtester.rag.fusion import fuse

        return [one.id.rsplit(":", 2)[0] for one in fuse(lists, {}, 60)]

    async def _order(self, question: str, language: str, cut: Sequence[Chunk], embedding: str, k: int) -> list[str]:
        """Ids of chunks in the order of the fused list."""
        path = self.settings.execute.retrieval
        arms: dict[str, list[tuple[str, float]]] = {}
        for arm in path.arms:
            depth = max(path.depth(arm, k), len(cut) if len(path.arms) == 1 else 0)
            if arm.kind == "dense":
                arms[arm.kind] = await self._dense(question, cut, embedding, depth)
            else:
                sparse = Sparse(cut, {one.document_id: language for one in cut})
                arms[arm.kind] = sparse.nearest([(question, language)], depth)[0]
        route = Route("", embedding, k, "corpus", path)
        return [one.id for one in route.merge(Found(Query.plain(_case(question, language)), arms)).kept]

    async def _dense(self, question: str, cut: Sequence[Chunk], embedding: str, depth: int) -> list[tuple[str, float]]:
        import numpy as np

        rows = await self._rows([one.searched for one in cut], embedding)
        embedder = self._embedder(embedding)
        asked = Directions.of(await embedded(embedder, embedder.embed_queries, [question]))
        best = Best(1, depth)
        best.page([one.id for one in cut], cosines(asked, Directions.of(np.asarray(rows, dtype=np.float32))))
        return best.hits()[0]

    async def _rows(self, texts: Sequence[str], embedding: str) -> list[list[float]]:
        keys = [(embedding, sha256_text(text)) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
        embedder = self._embedder(embedding)
        size = self.settings.model(embedding).batch_size
        for start in range(0, len(missing), size):
            part = list(missing.items())[start : start + size]
            vectors = await embedded(embedder, embedder.embed_documents, [text for _, text in part])
            self._vectors |= {key: row.tolist() for (key, _), row in zip(part, vectors, strict=True)}
        found = [self._vectors[key] for key in keys]
        while len(self._vectors) > VECTORS_KEPT:
            self._vectors.popitem(last=False)
        return found

    def _embedder(self, name: str) -> Embedder:
        if name not in self._known:
            self._known[name] = self.embedders(name)
        return self._known[name]


def _rank(order: Sequence[str], cut: Sequence[Chunk], name: str, spans: Sequence[Pair]) -> int | None:
    holding = {
        one.id
        for one in cut
        if one.document_id == name and any(a < end and start < b for a, b in places(one) for start, end in spans)
    }
    return next((rank for rank, one in enumerate(order, start=1) if one in holding), None)


def _document(name: str, text: str, language: str) -> Document:
    return Document(
        id=name,
        path=f"{name}.md",
        source="manual",
        format="md",
        sha256="",
        text_sha256="",
        language=language,
        characters=len(text),
    )


def _case(question: str, language: str) -> Case:
    return Case(
        id="",
        key="",
        document_id="",
        document_sha256="",
        technique="",
        type="complexity",
        language=language,
        question=question,
        expected_answer="",
        model="",
        prompt_sha256="",
    )

"""A small corpus, one question, and faults that are put into the real path of retrieval, one by one or together."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragtester.documents.reading import read_file
from ragtester.progress import SilentProgress
from ragtester.provenance import sha256_text
from ragtester.rag.contexts import Context
from ragtester.records import Case, Chunk, Diagnosis, Document, Evidence
from ragtester.searching.measure import Measured, measure
from ragtester.searching.search import Search, Searched
from ragtester.searching.suite import Suite
from ragtester.settings import Settings, parse_settings
from ragtester.stages.retrieval.diagnosis import Diagnoser
from ragtester.storage import write_rows, write_text
from ragtester.workspace import Workspace
from tests.documents_helpers import make_pdf
from tests.execute_fakes import RuleModels

EMBEDDING = "toy:topics"
TOPICS = ("pump", "valve", "oil", "filter", "pressure", "bolt", "cable", "fuse")
NAMES = ("alpha", "beta", "gamma")
QUESTION = "How many marks has the pump of alpha?"

Vector = list[float]


class TopicEmbedder:
    """A dimension a topic (weight 3) and a document's name (weight 1), and a small one that is never null."""

    def __init__(self) -> None:
        self.model = EMBEDDING
        self.of_document: Callable[[Vector], Vector] = list
        self.of_query: Callable[[Vector], Vector] = list

    async def embed_documents(self, texts: list[str]) -> list[Vector]:
        return [self.of_document(self._vector(text)) for text in texts]

    async def embed_queries(self, texts: list[str]) -> list[Vector]:
        return [self.of_query(self._vector(text)) for text in texts]

    def _vector(self, text: str) -> Vector:
        plain = text.casefold()
        topics = [3.0 * plain.count(word) for word in TOPICS]
        return [*topics, *(float(plain.count(name)) for name in NAMES), 0.01]


BACKWARDS = "def score(query, passages):\n    return list(range(len(passages)))\n"


def sentence(name: str, topic: str, at: int) -> str:
    return f"The {topic} of {name} has {13 + at} marks and is checked each year by the crew."


@dataclass
class Lab:
    """The corpus before it is searched: faults change it, `diagnose` runs the real path.

    Document alpha holds the evidence: a PDF with its Markdown, of one sentence a topic. Beta and gamma are like it.
    """

    root: Path
    execute: dict[str, Any] = field(default_factory=dict)
    embedder: TopicEmbedder = field(default_factory=TopicEmbedder)
    question: str = QUESTION
    expected: str = "13 marks"
    failed: bool = False
    garbled: bool = False
    markdown: bool = True
    twin: str = ""
    tags: dict[str, tuple[str, ...]] = field(default_factory=dict)
    user_tags: tuple[str, ...] = ()
    evidence: tuple[str, str] = (sentence("alpha", "pump", 0), "")
    hides: str = ""
    misread: bool = False
    stored: list[Callable[[Path], object]] = field(default_factory=list)
    after: list[Callable[[Path], object]] = field(default_factory=list)
    case: dict[str, Any] = field(default_factory=dict)
    probe: bool = False
    sources: bool = True
    searched: Searched | None = None

    def set(self, **execute: Any) -> None:
        """Put settings of `[execute]` over those that are there, table by table."""
        for name, value in execute.items():
            old = self.execute.get(name)
            self.execute[name] = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value

    def diagnose(self) -> Diagnosis | None:
        """Build, search, measure, diagnose."""
        context, measured = self.run()
        assert self.searched is not None
        chunks = {one.id: one for one in self.searched.chunks} | self._others()
        return self.diagnoser().diagnose(
            context.case,
            context.trace,
            measured,
            self.searched.chunks,
            failed=self.failed,
            look_up=chunks.get,
        )

    def run(self) -> tuple[Context, Measured]:
        """Build and search; what was retrieved for the question, and its measurement."""
        self._build()
        self.searched = self._search()
        if self.stored:
            for change in self.stored:
                change(self.store())
            self.searched = self._search()
        folder = self.store()
        for change in self.after:
            change(folder)
        (context,) = self.searched.contexts
        assert self.searched.failure is None
        return context, measure(context.case, context.trace, self.searched.chunks)

    def store(self) -> Path:
        """The folder of the one store."""
        (folder,) = self.workspace.stores.iterdir()
        return folder

    def diagnoser(self, **options: Any) -> Diagnoser:
        def embed(_: str, texts: list[str]) -> list[Vector]:
            return asyncio.run(self.embedder.embed_queries(texts))

        known: dict[str, Any] = {"near_duplicate": 90.0, "parse_similarity": 80.0, "sources": self.sources}
        known["embed"] = embed if self.probe else None
        return Diagnoser(self.workspace, self.settings, self.suite, **{**known, **options})

    def _search(self) -> Searched:
        search = Search(self.suite, self.settings, lambda _: self.embedder, RuleModels(), SilentProgress())

        async def alone() -> Searched:
            (found,) = [one async for one in search.run(EMBEDDING)]
            return found

        return asyncio.run(alone())

    def _others(self) -> dict[str, Chunk]:
        library = Search(self.suite, self.settings, lambda _: self.embedder, RuleModels(), SilentProgress())
        cut = library.source.library.cut
        return {one.id: one for document in self.documents for one in cut(document)}

    # What is searched

    def _build(self) -> None:
        self.workspace = Workspace(self.root)
        index = {"chunk_size": 100, "chunk_overlap": 0, "scope": "corpus", **self.execute.pop("index", {})}
        groups = [{"llms": ["toy:a"], "embeddings": [EMBEDDING]}]
        table = {"k": 2, "groups": groups, "index": index, **self.execute}
        self.settings: Settings = parse_settings({"execute": table}, "test")
        self.documents = [self._document(name) for name in NAMES]
        write_rows(self.workspace.documents_file("main"), self.documents)
        write_rows(self.workspace.cases_file("main", "ragtester", "alpha"), [self._case()])
        self.suite = Suite(self.workspace, "main", self.documents, [self.workspace.suite("main") / "ragtester"])

    def _lines(self, name: str) -> list[str]:
        lines = [sentence(name, topic, at) for at, topic in enumerate(TOPICS)]
        return [*lines, self.twin] if self.twin and name == "beta" else lines

    def _document(self, name: str) -> Document:
        folder = self.root / "corpora"
        folder.mkdir(exist_ok=True)
        lines = self._lines(name)
        pdf = folder / f"{name}.pdf"
        printed = [self._printed(line) for line in lines]
        pdf.write_bytes(make_pdf([[(60, 760 - 40 * at, line) for at, line in enumerate(printed)]]))
        if self.markdown:
            write_text(pdf.with_suffix(".md"), ["\n\n".join(lines)])
        counts = {"documents": [{"file": f"{one}.pdf"} for one in NAMES]}
        write_text(folder / "manifest.json", [json.dumps({"stage": "documents", "counts": counts})])
        read = read_file(pdf)
        text = read.text.replace(" 13 ", " 31 ") if self.misread else read.text
        write_text(self.workspace.text_file("main", name), [text])
        return Document(
            id=name,
            path=f"{name}.pdf",
            source="generated",
            format=read.format,
            sha256=read.sha256,
            text_sha256=sha256_text(text),
            language="en",
            characters=len(text),
            page_starts=read.page_starts,
            tags=self.tags.get(name, ()),
        )

    def _printed(self, line: str) -> str:
        """A line as the PDF's text layer has it."""
        shown = line.replace(" 13 ", " 31 ") if self.garbled else line
        return shown.replace(self.hides, "") if self.hides else shown

    def _case(self) -> Case:
        text = self.workspace.text_file("main", "alpha").read_text(encoding="utf-8")
        first, last = (self._printed(one).replace("13", "31" if self.misread else "13") for one in self.evidence)
        start, end = text.index(first), text.index(last or first) + len(last or first)
        made = Case(
            id="case",
            key="k",
            document_id="alpha",
            document_sha256=self.documents[0].sha256,
            technique="ragtester",
            type="complexity",
            language="en",
            question=self.question,
            expected_answer=self.expected,
            evidence=(Evidence(start=start, end=end, pages=(1,)),),
            user_tags=self.user_tags,
            model="embedded:rules",
            prompt_sha256="p",
        )
        return made.model_copy(update=self.case)

"""A small workspace with cases, a model that answers by rule and an embedder whose vectors a reader can predict."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragtester.errors import StorageError
from ragtester.provenance import sha256_text
from ragtester.records import Call, Case, CaseType, Document, Evidence, Failure, Record, UnfilledCase
from ragtester.settings import Settings, parse_settings
from ragtester.storage import RowWriter, write_rows, write_text
from ragtester.tasks import AnswerQuestion, Asked, Embedder, EmbeddingError, QuestionAnswered
from ragtester.workspace import Workspace

WORDS = ("pump", "valve", "oil", "filter", "pressure", "bolt", "cable", "fuse")
REFUSAL = "I don't know"


class WordEmbedder:
    """One dimension a known word: how often the text holds it. Counts what it is asked for."""

    def __init__(self, model: str = "toy:words") -> None:
        self.model = model
        self.documents: Counter[str] = Counter()
        self.queries: Counter[str] = Counter()
        self.calls = 0
        self.fail_after: int | None = None
        self.failure = Failure(type="transport", message="the server is gone")

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.documents.update(texts)
        return self._embed(texts)

    async def embed_queries(self, texts: list[str]) -> list[list[float]]:
        self.queries.update(texts)
        return self._embed(texts)

    def _embed(self, texts: list[str]) -> list[list[float]]:
        self.calls += 1
        if self.fail_after is not None and self.calls > self.fail_after:
            raise EmbeddingError(self.failure)
        return [[float(text.casefold().count(word)) for word in WORDS] for text in texts]


class RuleModels:
    """Answers with the first section's first words, or as `says` tells; counts and logs every served request."""

    def __init__(
        self,
        says: Callable[[str, AnswerQuestion], Any] | None = None,
        log: Path | None = None,
        tick: Callable[[], None] | None = None,
    ) -> None:
        self.says = says
        self.log = log
        self.tick = tick
        self.served: Counter[tuple[str, str]] = Counter()
        self.running = 0
        self.most = 0
        self.requests: list[tuple[str, AnswerQuestion]] = []

    async def ask(self, model: str, task: Any, request: Any) -> Asked[Any]:
        self.running += 1
        self.most = max(self.most, self.running)
        # How many turns of the loop a reply takes depends on the question, so that replies overtake each other.
        for _ in range(int(hashlib.sha256(request.question.encode()).hexdigest()[0], 16)):
            await asyncio.sleep(0)
        self.running -= 1
        self.served[model, request.question] += 1
        self.requests.append((model, request))
        if self.log:
            with self.log.open("a", encoding="utf-8") as file:
                file.write(f"{model}\t{request.question}\n")
        if self.tick:
            self.tick()
        said = self.says(model, request) if self.says else None
        call = Call(model=model, served_model=f"{model}-2026-01-01", prompt_tokens=10, completion_tokens=2, cost=0.001)
        if isinstance(said, Failure):
            return Asked(None, call, said)
        if said is None:
            first = request.sections[0] if request.sections else None
            said = QuestionAnswered(
                answer=first.text[:40] if first else REFUSAL, refuses=not first, cited=(first.label,) if first else ()
            )
        return Asked(said, call)

    def prompt_sha256(self, task: Any) -> str:
        return sha256_text(task.name)


class World:
    """A workspace with a suite of toy documents."""

    def __init__(
        self, root: Path, documents: int = 2, cases: int = 4, unfilled: int = 0, build: bool = True, **execute: Any
    ) -> None:
        self.workspace = Workspace(root)
        self.settings = self.set(**execute)
        self.documents: list[Document] = []
        if build:
            self._build(documents, cases, unfilled)

    def _build(self, documents: int, cases: int, unfilled: int) -> None:
        self.documents = [self._document(number) for number in range(documents)]
        write_rows(self.workspace.documents_file("main"), self.documents)
        for document in self.documents:
            text = self.workspace.text_file("main", document.id).read_text(encoding="utf-8")
            rows: list[Record] = [self._case(document, text, number) for number in range(cases)]
            rows += [
                UnfilledCase(
                    id=f"{document.id}-u{number}",
                    key="u",
                    document_id=document.id,
                    technique="ragtester",
                    type="complexity",
                    failure=Failure(type="checks", message="no draft passed"),
                )
                for number in range(unfilled)
            ]
            write_rows(self.workspace.cases_file("main", "ragtester", document.id), rows)

    def set(self, **execute: Any) -> Settings:
        groups = execute.pop("groups", [{"llms": ["toy:a", "toy:b"], "embeddings": ["toy:words"]}])
        table = {"k": 2, "groups": groups, "index": {"chunk_size": 120, "chunk_overlap": 20}, **execute}
        self.settings = parse_settings({"execute": table}, "test")
        return self.settings

    def _document(self, number: int) -> Document:
        lines = [
            f"Part {line} of manual {number}: the {word} has {line + 3} marks and the {word} is checked each year."
            for line, word in enumerate(WORDS)
        ]
        text = "\n\n".join(lines)
        identity = f"manual-{number}"
        write_text(self.workspace.text_file("main", identity), [text])
        return Document(
            id=identity,
            path=f"{identity}.txt",
            source="manual",
            format="txt",
            sha256=sha256_text(identity),
            text_sha256=sha256_text(text),
            language="en",
            characters=len(text),
        )

    def _case(self, document: Document, text: str, number: int) -> Case:
        word = WORDS[number % len(WORDS)]
        start = text.index(f"the {word}")
        kind: CaseType = "rejection" if number % 4 == 3 else "complexity"
        return Case(
            id=f"{document.id}-{number}",
            key=f"case-{number}",
            document_id=document.id,
            document_sha256=document.sha256,
            technique="ragtester",
            type=kind,
            language="en",
            question=f"How many marks has the {word} of {document.id}, variant {number}?",
            expected_answer="some",
            evidence=() if kind == "rejection" else (Evidence(start=start, end=start + 10),),
            model="embedded:rules",
            prompt_sha256="p",
        )

    def files(self) -> dict[str, bytes]:
        """Every row file of the run, by its path below the run's folder."""
        folder = self.workspace.answers(self.settings.execute.run)
        return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.jsonl"))}


def full_disk(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    """A disk that takes so many rows and no more."""
    append, count = RowWriter.append, 0

    def full(self: RowWriter, row: Any) -> bytes:
        nonlocal count
        count += 1
        if count > rows:
            raise StorageError("disk full; free space, then start again")
        return append(self, row)

    monkeypatch.setattr(RowWriter, "append", full)


def embedders(*made: WordEmbedder) -> Callable[[str], Embedder]:
    """A look-up over these embedders."""
    known = {one.model: one for one in made}
    return lambda name: known[name]

"""A toy corpus of four documents with tags whose every number can be worked out by hand, and a run over it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragtester.progress import SilentProgress, StageResult
from ragtester.provenance import sha256_text
from ragtester.records import Answer, Case, Document, Evidence
from ragtester.stages.execute import run
from ragtester.storage import read_rows, write_rows, write_text
from ragtester.tasks import AnswerQuestion, Embedder
from tests.builders import case
from tests.execute_fakes import RuleModels, WordEmbedder, World, embedders

# Every paragraph is a chunk: two together are longer than 60 characters.
INDEX = {"chunk_size": 60, "chunk_overlap": 0, "scope": "corpus"}
TEXTS = {
    "open": (
        "The pump and the valve are checked by the operator.",
        "With code E-204 the pump shows how a pump takes in oil.",
        "A fuse and a cable are kept in the tall grey cabinet.",
    ),
    "acme": (
        "The pump itself is replaced by the service at night.",
        "With E-204 the pump and its pressure are both at zero.",
    ),
    "other": ("The pump is the pump is the pump, whatever it costs.",),
    "fair": ("The pump E-204 in one sentence, for the fair in May.",),
}
TAGS = {"acme": ("tenant:acme",), "other": ("tenant:other",)}
QUESTION = "Which pump shows E-204?"


def about(name: str, document: str, paragraph: int = 0, tags: Sequence[str] = (), **changes: Any) -> Case:
    """A case whose evidence is the last word of a paragraph."""
    text = "\n\n".join(TEXTS[document])
    end = text.index(TEXTS[document][paragraph]) + len(TEXTS[document][paragraph])
    known = {"question": QUESTION, "user_tags": tuple(tags), "evidence": (Evidence(start=end - 5, end=end - 1),)}
    return case(name, document_id=document, document_sha256=sha256_text(document), **(known | changes))


class Toy(World):
    """The toy corpus as a suite; `cases` by document."""

    def __init__(self, root: Path, cases: Sequence[Case], **execute: Any) -> None:
        self.wanted = cases
        super().__init__(root, index={**INDEX, **execute.pop("index", {})}, **execute)

    def _build(self, documents: int, cases: int, unfilled: int) -> None:
        for name, paragraphs in TEXTS.items():
            text = "\n\n".join(paragraphs)
            write_text(self.workspace.text_file("main", name), [text])
            mine = [one for one in self.wanted if one.document_id == name]
            if mine:
                write_rows(self.workspace.cases_file("main", "ragtester", name), mine)
            self.documents.append(
                Document(
                    id=name,
                    path=f"{name}.txt",
                    source="manual",
                    format="md" if name == "fair" else "txt",
                    sha256=sha256_text(name),
                    text_sha256=sha256_text(text),
                    language="en",
                    characters=len(text),
                    tags=TAGS.get(name, ()),
                )
            )
        write_rows(self.workspace.documents_file("main"), self.documents)


class Run:
    """Runs of the execute stage over a world."""

    def __init__(
        self,
        world: World,
        says: Callable[[str, AnswerQuestion], Any] | None = None,
        made: Mapping[str, WordEmbedder] | None = None,
    ) -> None:
        self.world = world
        self.models = RuleModels(says)
        self.progress = SilentProgress()
        self.embedders: Callable[[str], Embedder] = embedders(*(made or {"": WordEmbedder()}).values())

    def go(self, **options: Any) -> StageResult:
        world = self.world
        made = run(world.workspace, world.settings, self.models, self.embedders, self.progress, **options)
        return asyncio.run(made)

    def rows(self) -> dict[tuple[str, str, str], Answer]:
        """Every row by case, LLM and embedding model."""
        folder = self.world.workspace.answers(self.world.settings.execute.run)
        paths = [path for path in folder.glob("*/*.jsonl") if path.parent.name != "chunks"]
        rows = [row for path in paths for row in read_rows(path, Answer)]
        found = {(row.case_id, row.llm, row.embedding): row for row in rows}
        assert len(found) == len(rows)
        return found

"""What one start of the stage has to do, and what stands already."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ragtester.records import Answer, Case, Document, Trace
from ragtester.searching.suite import Share, Suite
from ragtester.settings import Settings
from ragtester.stages.execute.others import Others, answered_folders
from ragtester.stages.execute.plan import (
    AnswerRows,
    Keys,
    Planned,
    Tally,
    corpus_identity,
    matrix,
    read_answers,
)


@dataclass
class Work:
    """The rows of a run: asked for, standing, and still to be made.

    `stands` tells whether what is kept of a document beside its answers is on disk; `recall` gets the case and trace of
    every row that stands. `open` holds the cells (document, embedding model) with anything to do, with the rows of each
    of their LLMs; `questioned` the documents with cases; `planned` and `unfilled` count rows of what is asked for.
    """

    settings: Settings
    suite: Suite
    keys: Keys
    stands: Callable[[Document], bool]
    recall: Callable[[Case, Trace], None]
    tally: Tally = field(default_factory=Tally)
    planned: int = 0
    unfilled: int = 0
    open: dict[tuple[str, str], dict[str, Planned]] = field(default_factory=dict)
    questioned: list[Document] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.matrix = matrix(self.settings)
        self.corpus = corpus_identity(self.suite.documents, self.settings)
        self.others = Others(frozenset(folder.name for folder in self.suite.folders))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """LLM and embedding model of each system."""
        return [(llm, embedding) for embedding, llms in self.matrix.items() for llm in llms]

    def survey(self) -> list[AnswerRows]:
        """Check the suite and read every answer; gives the files with stale rows. Raises DataError."""
        self.suite.others = answered_folders(self.suite, self._files())
        return [rows for share in self.suite.check() for rows in self._standing(share) if rows.stale]

    def is_open(self, document: Document, embedding: str) -> bool:
        """Whether there is anything to do in this cell."""
        return (document.id, embedding) in self.open

    def read(self, document: Document, llm: str, embedding: str, planned: Planned) -> AnswerRows:
        """One answer file against what is planned for it."""
        return read_answers(self._file(document, llm, embedding), planned, self.settings.execute.retry_failed)

    def _file(self, document: Document, llm: str, embedding: str) -> Path:
        return self.suite.workspace.answers_file(self.settings.execute.run, llm, embedding, document.id)

    def _files(self) -> Iterator[Path]:
        """The answer files of the matrix."""
        return (self._file(document, *pair) for document in self.suite.documents for pair in self.pairs)

    def _standing(self, share: Share) -> Iterator[AnswerRows]:
        document, systems = share.document, len(self.pairs)
        self.planned += (len(share.asked) + share.unfilled) * systems
        self.unfilled += share.unfilled * systems
        self.others.see(share)
        if share.cases:
            self.questioned.append(document)
        cases = {case.id: case for case in share.cases}
        for embedding, llms in self.matrix.items():
            keys = {llm: self.keys.of(document, share.cases, llm, embedding, self.corpus) for llm in llms}
            planned = {llm: Planned(keys[llm], share.asked) for llm in llms}
            for llm in llms:
                rows = self.read(document, llm, embedding, planned[llm])
                for row in rows.kept.values():
                    self._count(row, asked=row.case_id in share.asked)
                    if row.trace:
                        self.recall(cases[row.case_id], row.trace)
                whole = rows.whole
                if not (rows.clean and whole == rows.order and (self.stands(document) or not whole)):
                    self.open[document.id, embedding] = planned
                yield rows

    def _count(self, row: Answer, *, asked: bool) -> None:
        if asked:
            self.tally.add(row)
        else:
            self.others.add(row)
            self.tally.note_served(row)

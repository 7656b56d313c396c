"""What a run has to make: the matrix, the key of every row, and what of it is on disk already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragtester.progress import Progress
from ragtester.provenance import row_key, sha256_text
from ragtester.rag.answering import System, TargetSystem
from ragtester.records import NO_RETRIEVAL, TARGET, Answer, Case, Document
from ragtester.results.paying import Payments
from ragtester.searching.identity import NOT_CONTENT, chunker, embedding_identity, route_identity
from ragtester.searching.reach import Reach
from ragtester.settings import Settings
from ragtester.stages.execute.changes import Stale
from ragtester.storage import iter_numbered, recover_tail, write_rows
from ragtester.tasks import SPENT_FAILURES
from ragtester.workspace import system_name


def matrix(settings: Settings) -> dict[str, tuple[str, ...]]:
    """LLMs to run with each embedding model, in the order of the settings; a pair of two groups runs once.

    A target stands alone: the groups are not asked.
    """
    if settings.target.name:
        return {TARGET: (settings.target.label,)}
    cells: dict[str, dict[str, None]] = {}
    for group in settings.execute.groups:
        for embedding in group.embeddings:
            cells.setdefault(embedding, {}).update(dict.fromkeys(group.llms))
    return {embedding: tuple(llms) for embedding, llms in cells.items()}


@dataclass(frozen=True)
class TargetInputs:
    """What the answers of a target depend on: its settings and module, and the watched files as inputs."""

    identity: dict[str, Any]
    watched: dict[str, str]


@dataclass(frozen=True)
class Keys:
    """Makes the key of every row from everything that its content depends on.

    Without retrieval that is the question, the model and the prompt: texts, chunks and evidence do not reach it, nor
    does what its user may find.
    """

    settings: Settings
    prompt_sha256: str
    reach: Reach
    retrieval_prompts: dict[str, str] = field(default_factory=dict)
    target: TargetInputs | None = None

    def system(self, llm: str, embedding: str) -> System | TargetSystem:
        """The system under test of a pair."""
        execute = self.settings.execute
        if self.target is not None:
            return TargetSystem(execute.run, llm, embedding, execute.refusals)
        reply_format = self.settings.model(llm).reply_format or execute.reply_format
        return System(execute.run, llm, embedding, execute.refusals, reply_format)

    def parameters(self) -> dict[str, Any]:
        """What may not change under one run name, as the manifest keeps it."""
        execute = self.settings.execute
        if self.target is not None:
            return {"target": self.target.identity, "refusals": list(execute.refusals), "groups": "not asked: a target"}
        pairs = matrix(self.settings)
        llms = dict.fromkeys(llm for llms in pairs.values() for llm in llms)
        shared = {"refusals": list(execute.refusals), "llms": {llm: self._llm(llm) for llm in llms}}
        if execute.is_control:
            return {"closed_book": True, **shared, "embeddings": {NO_RETRIEVAL: {}}}
        return {
            "k": execute.k,
            "scope": execute.index.scope,
            "chunker": chunker(self.settings),
            "retrieval": {**route_identity(self.settings), **self.retrieval_prompts},
            **shared,
            "embeddings": {name: embedding_identity(self.settings, name) for name in pairs},
        }

    def of(self, document: Document, cases: Iterable[Case], llm: str, embedding: str, corpus: str) -> dict[str, str]:
        """Key of each case's row, by case id. `corpus` stands for what else is in the store."""
        parameters = self.parameters()
        if self.target is not None:
            told = [self.target.identity, self.target.watched, parameters["refusals"]]
            return self._keys(cases, row_key(target=told, text=document.text_sha256))
        parameters = {**parameters, "llms": parameters["llms"][llm], "embeddings": parameters["embeddings"][embedding]}
        closed = self.settings.execute.is_control
        texts = {} if closed else {"text": document.text_sha256, "corpus": corpus}
        execute = self.settings.execute
        # A shuffled context is another one in every run.
        run = {"run": execute.run} if execute.retrieval.order == "shuffle" and not closed else {}
        system = row_key(prompt=self.prompt_sha256, llm=llm, embedding=embedding, **run, **texts, **parameters)
        return self._keys(cases, system, searched=not closed)

    def _keys(self, cases: Iterable[Case], system: str, *, searched: bool = True) -> dict[str, str]:
        return {case.id: row_key(system=system, case=self._content(case, searched=searched)) for case in cases}

    def _content(self, case: Case, *, searched: bool) -> list[Any]:
        """What of a case reaches its answer row; the expected answer does not."""
        evidence = [[span.start, span.end] for span in case.evidence] if searched else []
        tags = [list(case.user_tags)] if searched and case.user_tags else []
        reach = self.reach.identity(case) if searched else []
        asked = [case.id, case.technique, case.type, case.subtype, case.language, case.question]
        return [*asked, evidence, *tags, *reach]

    def _llm(self, llm: str) -> dict[str, Any]:
        options = self.settings.model(llm).model_dump(mode="json", exclude=NOT_CONTENT, exclude_none=True)
        options["reply_format"] = self.settings.model(llm).reply_format or self.settings.execute.reply_format
        return options


@dataclass(frozen=True)
class Planned:
    """Keys of one document's rows under one system, by case id in the suite's order.

    Rows of cases that are not `asked` belong to other techniques: they may stand, and are never made.
    """

    keys: dict[str, str]
    asked: frozenset[str]


@dataclass
class AnswerRows:
    """The rows of one answer file: those that stand, and why others do not."""

    path: Path
    planned: Planned
    kept: dict[str, Answer] = field(default_factory=dict)
    stale: list[Stale] = field(default_factory=list)
    again: int = 0
    order: list[str] = field(default_factory=list)

    @property
    def whole(self) -> list[str]:
        """The cases of the complete file, in the suite's order: what is asked for, and what stands beside it."""
        return [name for name in self.planned.keys if name in self.planned.asked or name in self.kept]

    @property
    def missing(self) -> dict[str, str]:
        """Keys of the rows that are still to be made."""
        return {name: self.planned.keys[name] for name in self.whole if name not in self.kept}

    @property
    def clean(self) -> bool:
        """Whether the file holds the kept rows and nothing else."""
        return not self.stale and not self.again


def read_answers(path: Path, planned: Planned, retry_failed: bool) -> AnswerRows:
    """Read an answer file against the planned keys. Rows of transient failures are to be made again where asked for."""
    found = AnswerRows(path, planned)
    for number, row in iter_numbered(path, Answer):
        found.order.append(row.case_id)
        asked = row.case_id in planned.asked
        if row.case_id not in planned.keys:
            found.stale.append(Stale(path, number, row.case_id, row.technique, "gone"))
        elif row.key != planned.keys[row.case_id]:
            found.stale.append(Stale(path, number, row.case_id, row.technique, "changed" if asked else "not asked for"))
        elif row.case_id in found.kept:
            found.stale.append(Stale(path, number, row.case_id, row.technique, "twice"))
        elif asked and _again(row, retry_failed):
            found.again += 1
        else:
            found.kept[row.case_id] = row
    return found


def _again(row: Answer, retry_failed: bool) -> bool:
    if row.outcome != "failed" or row.failure is None:
        return False
    return retry_failed or row.failure.type not in SPENT_FAILURES


def recover(folder: Path, progress: Progress) -> None:
    """Cut interrupted last lines off the answer files of a run."""
    for path in sorted(folder.glob("*/*.jsonl")):
        if notice := recover_tail(path):
            progress.note(notice)


def note_strangers(folder: Path, pairs: Iterable[tuple[str, str]], progress: Progress) -> None:
    """Tell of systems that were answered under this run's name before and are not in its matrix."""
    known = {"chunks"} | {system_name(llm, embedding) for llm, embedding in pairs}
    for path in sorted(folder.glob("*/")):
        if path.name not in known:
            progress.note(f"{path}: not in the matrix; its answers stay as they are")


def clear_stale(rows: AnswerRows) -> None:
    """Leave only the kept rows in a file."""
    write_rows(rows.path, [rows.kept[name] for name in rows.order if name in rows.kept])


def corpus_identity(documents: Iterable[Document], settings: Settings) -> str:
    """Hash of all texts where all share a store; empty where each document has its own."""
    if settings.execute.index.scope == "document":
        return ""
    return sha256_text("\n".join(sorted(f"{one.id} {one.text_sha256}" for one in documents)))


@dataclass
class Tally:
    """Counts over all answer rows that are asked for, those that were there and those that are made."""

    rows: int = 0
    failed: int = 0
    cost: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    systems: dict[str, Counter[str]] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)
    served: dict[str, set[str]] = field(default_factory=dict)
    tokens: Counter[str] = field(default_factory=Counter)
    _payments: Payments = field(default_factory=Payments)

    def add(self, row: Answer) -> None:
        """Count one row."""
        self.rows += 1
        self.failed += row.outcome == "failed"
        self.outcomes[row.outcome] += 1
        self.systems.setdefault(f"{row.llm} × {row.embedding}", Counter())[row.outcome] += 1
        if row.failure:
            self.failures[row.failure.type] += 1
        for call in self._payments.of(row):
            self.cost += call.cost or 0.0
            self.tokens["prompt"] += call.prompt_tokens or 0
            self.tokens["completion"] += call.completion_tokens or 0
        self.note_served(row)

    def note_served(self, row: Answer) -> None:
        """Keep which model answered, and count nothing."""
        if row.call and row.call.served_model:
            self.served.setdefault(row.llm, set()).add(row.call.served_model)
        for call in row.trace.calls if row.trace else ():
            if call.served_model:
                self.served.setdefault(call.model, set()).add(call.served_model)

"""Where everything lies, and the lock that keeps two runs out of one workspace."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from ragtester.errors import StorageError, UsageError

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def slug(name: str, limit: int = 48) -> str:
    """A readable file name for `name`, with a short hash of the whole name, so that no two names collide.

    Names that are safe and short already stay as they are.
    """
    clean = _UNSAFE.sub("-", name).strip("-.")
    if clean == name and len(clean) <= limit:
        return clean
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{clean[:limit].strip('-.') or 'x'}-{digest}"


def system_name(llm: str, embedding: str) -> str:
    """Folder name of a system under test. For people: the identity stands in every row."""
    return f"{slug(llm)}__{slug(embedding)}"


@dataclass(frozen=True)
class Workspace:
    """Paths of one workspace. `root` holds `ragtester.toml`."""

    root: Path

    def suite(self, name: str) -> Path:
        """`generated/<suite>/`: documents.jsonl, texts/, and a folder a technique."""
        return self.root / "generated" / slug(name)

    def documents_file(self, suite: str) -> Path:
        """Rows of the documents a suite was made from."""
        return self.suite(suite) / "documents.jsonl"

    def text_file(self, suite: str, document_id: str) -> Path:
        """The cleaned text that all offsets of a document refer to."""
        return self.suite(suite) / "texts" / f"{document_id}.txt"

    def cases_file(self, suite: str, technique: str, document_id: str) -> Path:
        """Cases of one technique and document."""
        return self.suite(suite) / slug(technique) / f"{document_id}.jsonl"

    def answers(self, run: str) -> Path:
        """`answers/<run>/`: manifest.json, chunks/, and a folder a system under test."""
        return self.root / "answers" / slug(run)

    def answers_file(self, run: str, llm: str, embedding: str, document_id: str) -> Path:
        """Answers of one system to one document's cases."""
        return self.answers(run) / system_name(llm, embedding) / f"{document_id}.jsonl"

    def chunks_file(self, run: str, document_id: str) -> Path:
        """The chunks of one document as the run's index holds them."""
        return self.answers(run) / "chunks" / f"{document_id}.jsonl"

    def verdicts(self, run: str) -> Path:
        """`verdicts/<run>/`, which mirrors `answers/<run>/`."""
        return self.root / "verdicts" / slug(run)

    def verdicts_file(self, run: str, llm: str, embedding: str, document_id: str) -> Path:
        """Verdicts on one system's answers to one document's cases."""
        return self.verdicts(run) / system_name(llm, embedding) / f"{document_id}.jsonl"

    def retrieval_audit(self, run: str) -> Path:
        """`verdicts/<run>/retrieval/`: what each query lost and where, beside the verdicts that it explains."""
        return self.verdicts(run) / "retrieval"

    def claims_audit(self, run: str) -> Path:
        """`verdicts/<run>/claims/`: answers.jsonl, claims.jsonl, result.json, result.md."""
        return self.verdicts(run) / "claims"

    def coverage_audit(self, run: str) -> Path:
        """`verdicts/<run>/coverage/`: answers.jsonl, result.json, result.md."""
        return self.verdicts(run) / "coverage"

    def adversarial(self, run: str) -> Path:
        """`verdicts/<run>/adversarial/`: rows.jsonl, result.json, result.md."""
        return self.verdicts(run) / "adversarial"

    def drift(self, before: str, after: str) -> Path:
        """`drift/<before>..<after>/`: result.json, result.md, the history and its plot."""
        return self.root / "drift" / f"{slug(before)}..{slug(after)}"

    def drift_history(self, suite: str) -> Path:
        """`drift/history/<suite>/`: history.json, history.md, history.csv and plots of all runs of a suite."""
        return self.root / "drift" / "history" / slug(suite)

    def gate(self, name: str, run: str) -> Path:
        """`gates/<gate>/<run>/`: result.json, result.md, junit.xml."""
        return self.root / "gates" / slug(name) / slug(run)

    def audits(self, run: str) -> Path:
        """`audits/<run>/`: samples, votes, reviews and results of every audit, a folder each."""
        return self.root / "audits" / slug(run)

    def experiment(self, name: str) -> Path:
        """`experiments/<name>/`: queries/ (a file a setting), the result, its times, tables, plots."""
        return self.root / "experiments" / slug(name)

    def reports(self, run: str) -> Path:
        """`reports/<run>/`: comparison tables, the HTML report and plots; made anew from the rows at any time."""
        return self.root / "reports" / slug(run)

    @property
    def prompts(self) -> Path:
        """Prompt files that override the packaged ones."""
        return self.root / "prompts"

    @property
    def private(self) -> Path:
        """`.ragtester/`: stores, call journals and the lock; safe to delete, costs time or calls to make again."""
        return self.root / ".ragtester"

    @property
    def stores(self) -> Path:
        """Chroma stores, one folder each."""
        return self.private / "stores"

    def store(self, name: str, embedding: str, key: str) -> Path:
        """The store of a document (or of the "corpus") under an embedding model.

        The key is part of the folder's name: other chunk sizes or another text do not throw paid vectors away.
        """
        return self.stores / f"{slug(name)}__{slug(embedding)}__{key}"

    def journal(self, stage: str, name: str) -> Path:
        """Replies that were paid for and are not yet in a row."""
        return self.private / "calls" / f"{slug(stage)}-{slug(name)}.jsonl"

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the workspace; a second process gets a clear message instead of a broken store."""
        try:
            self.private.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"{self.private}: cannot be made ({error.strerror or error})") from error
        path = self.private / "lock"
        holder = self.private / "lock.pid"
        lock = FileLock(path)
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            pid = holder.read_text(encoding="utf-8").strip() if holder.is_file() else "?"
            raise UsageError(
                f"{self.root}: another ragtester (process {pid}) works here; wait for it or use another folder"
            ) from error
        try:
            holder.write_text(str(os.getpid()), encoding="utf-8")
            yield
        finally:
            holder.unlink(missing_ok=True)
            lock.release()

"""A small document store: paragraphs of Markdown and text files in SQLite's full-text index, ranked by BM25."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LONGEST = 900
_WORD = re.compile(r"\w+")
_HEADING = re.compile(r"#{1,6}\s+(.*)")


@dataclass(frozen=True)
class Hit:
    """A paragraph that was found; a higher score is better."""

    id: str
    document: str
    heading: str
    text: str
    score: float


class Store:
    """Holds the paragraphs of a folder in memory. `tags` maps a file to those of which a user needs one."""

    def __init__(self, folder: Path, tags: dict[str, set[str]]) -> None:
        self.tags = tags
        self._lock = threading.Lock()
        self._rows = sqlite3.connect(":memory:", check_same_thread=False)
        self._rows.execute(
            "CREATE VIRTUAL TABLE paragraphs USING fts5"
            "(heading, text, id UNINDEXED, document UNINDEXED, tokenize = 'porter unicode61')"
        )
        digest = hashlib.sha256()
        for path in sorted([*folder.rglob("*.md"), *folder.rglob("*.txt")]):
            name = path.relative_to(folder).as_posix()
            content = path.read_text(encoding="utf-8")
            digest.update(f"{name}\n{content}\n".encode())
            rows = [(head, text, f"{name}#{at}", name) for at, (head, text) in enumerate(_paragraphs(content), 1)]
            self._rows.executemany("INSERT INTO paragraphs VALUES (?, ?, ?, ?)", rows)
        self.version = digest.hexdigest()[:12]

    def search(self, question: str, user_tags: set[str], k: int) -> list[Hit]:
        """The best `k` paragraphs that the user may see. Words are quoted, so that none is an operator of the query."""
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORD.findall(question.lower())))
        if not words:
            return []
        statement = (
            "SELECT id, document, heading, text, -bm25(paragraphs, 2.0, 1.0) FROM paragraphs "
            "WHERE paragraphs MATCH ? ORDER BY bm25(paragraphs, 2.0, 1.0), id"
        )
        with self._lock:
            hits = [Hit(*row) for row in self._rows.execute(statement, (words,))]
        return [hit for hit in hits if self._may_see(hit.document, user_tags)][:k]

    def share(self, word: str) -> float:
        """The share of all paragraphs that hold a word: how little it tells."""
        with self._lock:
            (found,) = self._rows.execute(
                "SELECT count(*) FROM paragraphs WHERE paragraphs MATCH ?", (f'"{word}"',)
            ).fetchone()
            (total,) = self._rows.execute("SELECT count(*) FROM paragraphs").fetchone()
        return float(found) / max(1, int(total))

    def _may_see(self, document: str, user_tags: set[str]) -> bool:
        needed = self.tags.get(document)
        return not needed or bool(needed & user_tags)


def _paragraphs(content: str) -> Iterator[tuple[str, str]]:
    """Every paragraph with the heading above it; long ones are cut between sentences."""
    heading = ""
    for block in re.split(r"\n\s*\n", content):
        text = block.strip()
        if match := _HEADING.match(text):
            heading, text = match[1], text[match.end() :].strip()
        for part in _parts(text):
            yield heading, part


def _parts(text: str) -> Iterator[str]:
    part = ""
    for sentence in re.split(r"(?<=[.!?])\s+", text) if len(text) > LONGEST else [text]:
        if part and len(part) + len(sentence) > LONGEST:
            yield part
            part = ""
        part = f"{part} {sentence}".strip()
    if part:
        yield part

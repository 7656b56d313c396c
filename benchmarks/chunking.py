"""How fast a document is cut, chunker by chunker and option by option: CPU seconds, least of several rounds.

python -m benchmarks.chunking FILE
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from ragtester.documents.language import detect
from ragtester.documents.reading import read_file
from ragtester.rag.chunking import chunk, load
from ragtester.records import Chunk, Document
from ragtester.settings import IndexSettings

ROUNDS = 5
KINDS = ("recursive", "paragraph", "markdown", "sentence-window")
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "tokens": {"unit": "tokens", "chunk_size": 256, "chunk_overlap": 30},
    "keep_whole": {"keep_whole": ("table", "code")},
    "strip_repeated": {"strip_repeated": True},
    "near_duplicate 90": {"near_duplicate": 90},
}


def timed(document: Document, text: str, index: IndexSettings) -> tuple[float, list[Chunk]]:
    """CPU seconds of one cut, and its chunks."""
    load(index)
    least = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        chunks = chunk(document, text, index)
        least = min(least, time.process_time() - start)
    return least, chunks


def main(file: Path) -> None:
    read = read_file(file)
    document = Document(
        id=file.stem,
        path=file.name,
        source="manual",
        format=read.format,
        sha256=read.sha256,
        text_sha256="",
        language=detect(read.text),
        characters=len(read.text),
        page_starts=read.page_starts,
    )
    print(f"{file.name}: {len(read.page_starts)} pages, {len(read.text):,} characters\n")
    print("| chunker | option | chunks | stood for | CPU s |\n| --- | --- | --- | --- | --- |")
    for chunker in KINDS:
        for name, option in OPTIONS.items():
            taken, chunks = timed(document, read.text, IndexSettings(**{"chunker": chunker, **option}))
            also = sum(len(one.also) for one in chunks)
            print(f"| {chunker} | {name} | {len(chunks):,} | {also:,} | {taken:.2f} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

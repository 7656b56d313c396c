"""A system under test in one function: `[target] name = "python:python_target:ask"`.

It answers from the paragraphs of the Markdown files in `corpora/` beside it, with the one that shares most words with
the question.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "corpora"


def ask(question: str) -> dict[str, Any]:
    """The first sentence that shares a word with the question, of the paragraph that shares most."""
    wanted = _words(question)
    ranked = sorted(_paragraphs(), key=lambda one: -len(wanted & _words(one[1])))[:3]
    sentences = (sentence for _, text in ranked[:1] for sentence in re.split(r"(?<=[.!?])\s+", text))
    answer = next((sentence for sentence in sentences if wanted & _words(sentence)), "I don't know.")
    chunks = [
        {"id": f"{name}#{at}", "text": text, "score": len(wanted & _words(text)), "document": name}
        for at, (name, text) in enumerate(ranked)
    ]
    return {"answer": answer, "chunks": chunks, "cited": [chunks[0]["id"]] if chunks else []}


@cache
def _paragraphs() -> list[tuple[str, str]]:
    files = sorted(FOLDER.rglob("*.md"))
    texts = ((path.name, part.strip()) for path in files for part in path.read_text("utf-8").split("\n\n"))
    return [(name, text) for name, text in texts if text and not text.startswith("#")]


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) > 3}

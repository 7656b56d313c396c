"""An application of one's own, as ragtester meets it: a FastAPI service with its own store and its own rules of access.

Start it with `uvicorn app:app` in this folder. It reads the Markdown and text files of `corpora/` (or of the folder in
the environment variable DOCUMENTS) when it starts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from answering import answer
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from store import Store

FOLDER = Path(os.environ.get("DOCUMENTS", Path(__file__).parent / "corpora"))
# Who may see what: the same rules stand in ragtester.toml, so that ragtester knows which answers would be leaks.
TAGS = {"kitchen-hygiene-plan.md": {"role:kitchen"}}
VERSION = "rules-2026-11-30"
K = 4

app = FastAPI(title="Questions about the documents")
store = Store(FOLDER, TAGS)


class Question(BaseModel):
    """What a user asks, and what that user may see."""

    question: str
    tags: list[str] = []


@app.get("/health")
def health() -> dict[str, str]:
    """Whether it runs, and over which documents."""
    return {"status": "ok", "index": store.version}


@app.post("/ask")
def ask(asked: Question) -> dict[str, Any]:
    """The answer with the paragraphs that it was made from."""
    hits = store.search(asked.question, set(asked.tags), K)
    found = answer(asked.question, hits, store)
    return {
        "answer": found.text,
        "refuses": found.refuses,
        "cited": list(found.cited),
        "chunks": [{"id": hit.id, "text": hit.text, "score": hit.score, "document": hit.document} for hit in hits],
        "about": {"model": VERSION, "index": store.version},
    }


@app.post("/ask/stream")
def ask_in_pieces(asked: Question) -> StreamingResponse:
    """The same as server-sent events: the answer word by word, then everything else."""

    def events() -> Iterator[str]:
        whole = ask(asked)
        for word in whole["answer"].split(" "):
            yield f"data: {json.dumps({'answer': word + ' '})}\n\n"
        rest = {name: value for name, value in whole.items() if name != "answer"}
        yield f"data: {json.dumps(rest)}\n\ndata: [DONE]\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")

"""A small audited run written from records: four chunks a document, and traces that a test spells out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ragtester.provenance import sha256_file, sha256_text
from ragtester.records import (
    Answer,
    Case,
    Chunk,
    Document,
    Evidence,
    Failure,
    Manifest,
    Retrieved,
    Trace,
    Verdict,
)
from ragtester.storage import write_json, write_rows
from ragtester.workspace import Workspace
from tests import builders

RUN, SUITE, EMBEDDING = "run", "suite", "embedded:hashing"
SENTENCES = (
    "The pump runs at 40 bar in normal service.\n",
    "A blue lamp shows that the ramp is locked.\n",
    "Replace the oil filter after 600 hours of use.\n",
    "Nobody may enter the cellar without a helmet.\n",
)
TEXT = "".join(SENTENCES)
STARTS = tuple(TEXT.index(sentence) for sentence in SENTENCES)


def chunk_id(document: str, at: int) -> str:
    return f"{document}:{sha256_text(SENTENCES[at].strip())[:8]}:{at}"


def chunks(document: str) -> list[Chunk]:
    return [
        Chunk(
            id=chunk_id(document, at),
            document_id=document,
            ordinal=at,
            start=STARTS[at],
            end=STARTS[at] + len(sentence.strip()),
            text=sentence.strip(),
        )
        for at, sentence in enumerate(SENTENCES)
    ]


@dataclass(frozen=True)
class Query:
    """A case whose evidence is sentence `gold` (None: it must be refused), and the chunks that its context held.

    With `last` the evidence is one span from the sentence `gold` to that one, which no chunk holds whole.

    `verdicts` are those of the LLMs, in order: "pass", "fail", "" (not judged) or None (no answer).
    """

    name: str
    gold: int | None
    context: Sequence[int]
    verdicts: Sequence[Literal["pass", "fail", ""] | None] = ("pass",)
    document: str = "pump"
    user_tags: tuple[str, ...] = ()
    changes: dict[str, Any] = field(default_factory=dict)
    traced: bool = True
    failure: Failure | None = None
    spans: bool = True
    last: int | None = None


# Two documents, of which one has users of its own; gold first, second, nowhere, in three chunks, none, and hidden.
FOUR_IN_TWO = (
    Query("first", 0, (0, 1), ("fail",)),
    Query("second", 2, (1, 2)),
    Query("lost", 3, (0, 1)),
    Query("two", 0, (1, 3, 0), last=2),
    Query("refuse", None, (0, 1)),
    Query("closed", 1, (), ("pass",), "secret", changes={"hidden_ids": (chunk_id("secret", 1),)}),
    Query("member", 1, (2, 1), ("pass",), "secret", user_tags=("tenant:acme",)),
)


def case_of(query: Query) -> Case:
    gold, last = query.gold, query.gold if query.last is None else query.last
    evidence: tuple[Evidence, ...] = ()
    if gold is not None and last is not None:
        evidence = (Evidence(start=STARTS[gold], end=STARTS[last] + len(SENTENCES[last].strip())),)
    return builders.case(
        query.name,
        document_id=query.document,
        document_sha256=sha256_text(query.document),
        question=f"What is said about {query.name}?",
        type="rejection" if gold is None else "complexity",
        subtype="invented" if gold is None else "",
        expected_answer="" if gold is None else SENTENCES[gold].strip(),
        evidence=evidence if query.spans else (),
        user_tags=query.user_tags,
    )


def trace_of(query: Query, k: int) -> Trace:
    names = [chunk_id(query.document, at) for at in query.context]
    gold: tuple[str, ...] = ()
    if query.gold is not None and query.spans:
        ends = query.gold, query.gold if query.last is None else query.last
        gold = tuple(chunk_id(query.document, at) for at in range(ends[0], ends[1] + 1))
    known: dict[str, Any] = {
        "query": case_of(query).question,
        "user_tags": query.user_tags,
        "index": "0123456789abcdef",
        "embedding": EMBEDDING,
        "k": k,
        "retrieved": tuple(Retrieved(id=one, rank=rank, score=1 / rank) for rank, one in enumerate(names, 1)),
        "gold_ids": gold,
        "context_ids": tuple(names),
        "context_characters": 10,
    }
    return Trace(**(known | query.changes))


def build(
    root: Path,
    queries: Sequence[Query],
    *,
    run: str = RUN,
    k: int = 2,
    llms: Sequence[str] = ("m:a",),
    tags: dict[str, tuple[str, ...]] | None = None,
    paths: dict[str, str] | None = None,
) -> Workspace:
    """Write suite, answers, chunks, verdicts and manifests."""
    workspace = Workspace(root)
    (root / "ragtester.toml").write_text(
        f'[workspace]\nsuite = "{SUITE}"\n\n[execute]\nrun = "{run}"\nk = {k}\n'
        f'\n[[execute.groups]]\nllms = ["m:a"]\nembeddings = ["{EMBEDDING}"]\n',
        encoding="utf-8",
    )
    names = list(dict.fromkeys(query.document for query in queries))
    documents = [_document(workspace, name, (tags or {}).get(name, ()), (paths or {}).get(name)) for name in names]
    write_rows(workspace.documents_file(SUITE), documents)
    for name in names:
        own = [query for query in queries if query.document == name]
        write_rows(workspace.cases_file(SUITE, "ragtester", name), map(case_of, own))
        write_rows(workspace.chunks_file(run, name), chunks(name))
        for place, llm in enumerate(llms):
            rows = [_answer(query, run, llm, k) for query in own if query.verdicts[place] is not None]
            write_rows(workspace.answers_file(run, llm, EMBEDDING, name), rows)
            judged = [
                _verdict(row, query.verdicts[place])
                for row, query in zip(rows, [q for q in own if q.verdicts[place] is not None], strict=True)
                if query.verdicts[place]
            ]
            write_rows(workspace.verdicts_file(run, llm, EMBEDDING, name), judged)
    _manifest(workspace, documents, run, k, llms)
    return workspace


def _document(workspace: Workspace, name: str, tags: tuple[str, ...], path: str | None) -> Document:
    text = workspace.text_file(SUITE, name)
    text.parent.mkdir(parents=True, exist_ok=True)
    text.write_text(TEXT, encoding="utf-8")
    return builders.document(
        name,
        path=path or f"{name}.txt",
        format="txt",
        sha256=sha256_text(name),
        text_sha256=sha256_text(TEXT),
        characters=len(TEXT),
        tags=tags,
    )


def _answer(query: Query, run: str, llm: str, k: int) -> Answer:
    case = case_of(query)
    return builders.answer(
        case.id,
        llm,
        "" if query.failure else "40 bar",
        run=run,
        document_id=query.document,
        embedding=EMBEDDING,
        type=case.type,
        subtype=case.subtype,
        outcome="failed" if query.failure else "answered",
        failure=query.failure,
        trace=trace_of(query, k) if query.traced else None,
    )


def _verdict(answer: Answer, status: str | None) -> Verdict:
    return builders.verdict(answer, status or "")


def _manifest(workspace: Workspace, suite: Sequence[Document], run: str, k: int, llms: Sequence[str]) -> None:
    documents = [document.id for document in suite]
    files = {
        f"cases ragtester/{name}": sha256_file(workspace.cases_file(SUITE, "ragtester", name)) for name in documents
    }
    files |= {f"tags of {document.id}": " ".join(document.tags) for document in suite if document.tags}
    manifest = Manifest(
        stage="execute",
        name=run,
        inputs={**files, **{f"text {name}": sha256_text(TEXT) for name in documents}},
        models=dict.fromkeys((*llms, EMBEDDING)),
        parameters={
            "suite": SUITE,
            "k": k,
            "scope": "document",
            "llms": {name: {} for name in llms},
            "embeddings": {EMBEDDING: {}},
        },
        seed=7,
        started="2026-01-01T10:00:00Z",
        ended="2026-01-01T10:00:01Z",
    )
    write_json(workspace.answers(run) / "manifest.json", manifest)

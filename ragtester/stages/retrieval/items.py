"""What is audited: one case under one embedding model, as it was retrieved, whatever the traces came from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ragtester.records import Case, Chunk, Document, Failure, Trace

LookUp = Callable[[str], Chunk | None]


def _unknown(_: str) -> None:
    return None


@dataclass(frozen=True)
class Item:
    """`trace` is what the query path saw, the same for every LLM; `failure` is why nothing was retrieved.

    `chunks` are those of the case's document in the index, `look_up` finds any other by its id. `failed` and `passed`
    name LLMs by their verdicts. `gold` are labels that a user brought (chunk id to grade); None: the evidence decides.
    `arms` are those that another system asked, with or without hits; of ours the settings tell.
    `at` is its place in the suite. `ranking` goes on below the depth of the trace, where more was looked for.
    """

    at: int
    case: Case
    embedding: str
    trace: Trace
    document: Document | None = None
    chunks: Sequence[Chunk] = ()
    look_up: LookUp = _unknown
    failure: Failure | None = None
    failed: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    gold: Mapping[str, int] | None = None
    indexed: bool = True
    notes: tuple[str, ...] = field(default=())
    arms: tuple[str, ...] = ()
    ranking: Sequence[str] | None = None


def family(document: Document | None) -> str:
    """What a document belongs to: its tag `family:…`, else the folder it lies in; empty at the corpus' top."""
    if document is None:
        return ""
    tagged = next((tag for tag in document.tags if tag.startswith("family:")), "")
    folder = PurePosixPath(document.path.replace("\\", "/")).parent
    return tagged.partition(":")[2] or ("" if str(folder) == "." else str(folder))

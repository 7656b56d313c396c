"""Generated fixtures: the account of what was asked for, what was made, and what was measured."""

from __future__ import annotations

from typing import Literal, get_args

from ragtester.records.base import Call, Failure, Record

StressorKind = Literal[
    "stale",
    "near_duplicate",
    "adjacent",
    "under_specified",
    "chunk_boundary",
    "distractor_heavy",
    "paraphrase",
    "typos",
    "wrong_premise",
]
STRESSORS: tuple[StressorKind, ...] = get_args(StressorKind)


class StressorRank(Record):
    """Ranks under one embedding model, from 1: the first chunk of the evidence, and of what stands in its place.

    None: the search does not find it, or there is no poison.
    """

    embedding: str
    gold: int | None = None
    poison: int | None = None


class Stressor(Record):
    """One fixture that was asked for: a row of `adversarial/<suite>/rows.jsonl`.

    "ok" has a folder of the name `fixture`. "skipped": the case has nothing that this kind could change or ask;
    "unfilled": drafts were made and none held its checks (`rejected` says why, in order); "failed": a model's call
    failed. `failure` gives the reason of all three.
    """

    status: Literal["ok", "failed", "skipped", "unfilled"]
    id: str
    key: str
    kind: StressorKind
    case_id: str
    document_id: str
    language: str = ""
    fixture: str = ""
    ranks: tuple[StressorRank, ...] = ()
    attempts: int = 0
    rejected: tuple[str, ...] = ()
    model: str = ""
    calls: tuple[Call, ...] = ()
    failure: Failure | None = None

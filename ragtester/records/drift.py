"""Drift: what moved between runs of the same suite, and what explains it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ragtester.records.base import Record
from ragtester.records.suite import CaseType

# In the order in which they are to be ruled out: the provider is blamed last.
CauseKind = Literal["index", "prompt", "dependency", "judge", "settings", "model"]


class Moved(Record):
    """One figure in two runs, over the same questions. Shares and means are as they are (0 to 1), latency in seconds,
    cost in US dollars; `difference` is after - before with its 95 % interval, `p` that of the paired test `test`.

    `smallest` is the smallest change that the suite can see at its size (80 % power). `band` is the change that repeats
    of the same run show by themselves. `breach` says that a threshold was passed, `within_noise` that it is no drift.
    """

    name: str
    layer: str
    unit: Literal["share", "mean", "seconds", "usd"]
    before: float | None = None
    before_n: int = 0
    after: float | None = None
    after_n: int = 0
    pairs: int = 0
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    test: str = ""
    smallest: float | None = None
    band: float | None = None
    threshold: float | None = None
    breach: bool = False
    within_noise: bool = False


class DriftFlip(Record):
    """A question whose verdict differs between two runs."""

    case_id: str
    document_id: str
    type: CaseType
    llm: str
    embedding: str
    question: str = ""
    what: str
    before: str
    after: str
    better: bool | None = None


class Cause(Record):
    """One thing that differs between two runs, from their manifests; `before` and `after` as those have them."""

    kind: CauseKind
    what: str
    before: Any = None
    after: Any = None
    text: str


class DriftResult(Record):
    """Two runs of a suite side by side.

    `causes` are in the order in which they are to be ruled out; `explanation` is the sentence that comes of them.
    `floating` are models whose names may mean another model tomorrow; `unpinned` is all that could not be pinned.
    """

    before: str
    after: str
    suite: str
    before_started: str = ""
    after_started: str = ""
    pairs: int
    only_before: int = 0
    only_after: int = 0
    moved: tuple[Moved, ...] = ()
    flips: tuple[DriftFlip, ...] = ()
    causes: tuple[Cause, ...] = ()
    explanation: str = ""
    floating: tuple[str, ...] = ()
    unpinned: tuple[str, ...] = ()
    noise_runs: tuple[str, ...] = ()
    breached: bool = False
    notes: tuple[str, ...] = ()
    settings: dict[str, Any] = Field(default_factory=dict)

"""Drift: what moved between runs of the same suite, and what explains it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ragtester.records.base import Proportion, Record
from ragtester.records.suite import CaseType

# In the order in which they are to be ruled out: the provider is blamed last.
CauseKind = Literal["index", "prompt", "dependency", "judge", "settings", "model"]
# What of an answer's way differs first: its context, the context's order, the answer, or the verdict alone.
Differs = Literal["context", "order", "answer", "verdict", "unknown"]
Mark = Literal["pass", "fail", "ungraded", "missing"]


class Moved(Record):
    """One figure in two runs, over the same questions. Shares and means are as they are (0 to 1), latency in seconds,
    cost in US dollars; `difference` is after - before with its 95 % interval, `p` that of the paired test `test`,
    `holm` the same corrected for all tests of the comparison.

    `before_n` and `after_n` are the denominators: claims sent for a rate of claims, otherwise the pairs. `smallest` is
    the smallest change that the suite can see at its size (80 % power). `band` is the change that repeats of the same
    run show by themselves. `threshold` is the most that the settings allow the figure to get worse (a share of `before`
    for seconds and cost), `exceeded` that it got worse by more, `within_noise` that the change is no larger than `band`
    and so no drift; `breach` is `exceeded` without `within_noise`.

    A threshold holds for each system by itself, too: `systems` is the same figure of each (`system`; of retrieval an
    embedding model), those that breach first, then those without a figure in one of the runs, then the farthest first;
    empty for one system, and without a threshold. `breach` is then also that of any of them.
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
    holm: float | None = None
    test: str = ""
    smallest: float | None = None
    band: float | None = None
    threshold: float | None = None
    exceeded: bool = False
    breach: bool = False
    within_noise: bool = False
    system: str = ""
    systems: tuple[Moved, ...] = ()

    @property
    def deciding(self) -> Moved:
        """The farthest system; all together where there is but one, or where they breach and no system does."""
        first = self.systems[0] if self.systems else self
        return self if self.breach and not first.breach else first


class DriftFlip(Record):
    """A question that came out differently in two runs.

    `what`: "verdict" (pass or fail), "unsupported" and "contradicted" (whether the answer has such a claim) or "hit"
    (whether evidence was retrieved; then without `llm`). `llm` and `embedding` are those of the later run. `differs` is
    the first thing on the way to it that differs; `same_answer` whether the answer reads the same, None where there is
    none. `noisy` says that repeats of the same run disagree on it, too.
    """

    case_id: str
    document_id: str
    technique: str = ""
    type: CaseType
    llm: str
    embedding: str
    question: str = ""
    what: str
    before: str
    after: str
    better: bool | None = None
    differs: Differs = "unknown"
    same_answer: bool | None = None
    noisy: bool = False


class DriftWay(Record):
    """How many pairs differ first at `differs`: of those that flipped in verdict or claims, and of the others.

    "same" are pairs in which nothing differs.
    """

    differs: Literal["context", "order", "answer", "verdict", "unknown", "same"]
    flipped: int = 0
    steady: int = 0


class Cause(Record):
    """One thing that differs between two runs, from their manifests; `before` and `after` as those have them.

    `moves` are the names of the figures that it can move. `evidence` says what the rows tell of it, and `speaks` which
    way: "for" where at least half of what flipped differs first where this cause would make it differ, "partly" where
    some does, "against" where none does and it could be seen.
    """

    kind: CauseKind
    what: str
    before: Any = None
    after: Any = None
    text: str
    moves: tuple[str, ...] = ()
    evidence: str = ""
    speaks: Literal["for", "partly", "against", "unclear"] = "unclear"


class DriftResult(Record):
    """Two runs of a suite side by side.

    `pairs` are answers that both runs hold to the same question by the same system (or by that which took its place);
    `only_before`, `only_after` answers without such a partner, `excluded` counts pairs that are left out, by reason;
    `apart` names the questions and systems that one run alone has.
    `flipped` is the share of pairs graded in both runs whose verdict flipped, `noise_flipped` the highest such share
    between two repeats of the same run. `ways` say where pairs differ first. `causes` are in the order in which they
    are to be ruled out; `explanation` is what comes of them. `floating` are models whose names may mean another model
    tomorrow; `unpinned` is all that could not be pinned. `not_measured` has a line for each layer that is missing in
    one of the runs. `noise_runs` are the repeats that noise is known from.
    """

    before: str
    after: str
    suite: str
    before_started: str = ""
    after_started: str = ""
    pairs: int
    only_before: int = 0
    only_after: int = 0
    excluded: dict[str, int] = Field(default_factory=dict)
    apart: tuple[str, ...] = ()
    moved: tuple[Moved, ...] = ()
    flipped: Proportion = Proportion(successes=0, n=0)
    noise_flipped: Proportion | None = None
    flips: tuple[DriftFlip, ...] = ()
    ways: tuple[DriftWay, ...] = ()
    causes: tuple[Cause, ...] = ()
    explanation: str = ""
    floating: tuple[str, ...] = ()
    unpinned: tuple[str, ...] = ()
    not_measured: tuple[str, ...] = ()
    noise_runs: tuple[str, ...] = ()
    breached: bool = False
    notes: tuple[str, ...] = ()
    settings: dict[str, Any] = Field(default_factory=dict)


class HistoryFigure(Record):
    """One figure of one run over all that it holds, with its 95 % interval, and its change since the run before."""

    name: str
    layer: str
    unit: Literal["share", "mean", "seconds", "usd"]
    value: float | None = None
    n: int = 0
    low: float | None = None
    high: float | None = None
    change: Moved | None = None


class HistoryRun(Record):
    """One run of a history. `models` are those asked, with what served them where that is known.

    `pairs`, `explanation`, `floating`, `unpinned` and `notes` are of the comparison with the run before; empty for the
    first.
    """

    run: str
    started: str = ""
    answers: int
    models: tuple[str, ...] = ()
    figures: tuple[HistoryFigure, ...] = ()
    pairs: int = 0
    only_before: int = 0
    only_after: int = 0
    breached: bool = False
    causes: tuple[str, ...] = ()
    explanation: str = ""
    floating: tuple[str, ...] = ()
    unpinned: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Strip(Record):
    """A question asked of one system, over the runs of a history: a mark for each run, in their order."""

    case_id: str
    document_id: str
    technique: str
    type: CaseType
    system: str
    question: str = ""
    marks: tuple[Mark, ...]
    flips: int = 0


class DriftHistory(Record):
    """Runs of one suite over time, the oldest first. `strips` hold every question, the most telling first.

    `left_out` says by name why other runs of the workspace are not here. `breached` speaks of the newest run.
    """

    suite: str
    runs: tuple[HistoryRun, ...]
    strips: tuple[Strip, ...] = ()
    left_out: dict[str, str] = Field(default_factory=dict)
    breached: bool = False
    notes: tuple[str, ...] = ()

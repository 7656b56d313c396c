"""What a joined row holds. Texts are not kept: 72,000 rows stay small."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from ragtester.records import NO_RETRIEVAL, Case, CaseType, Document, Manifest, Outcome, Ratings, must_answer

Status = Literal["pass", "fail", "ungraded", "missing"]


@dataclass(frozen=True, slots=True)
class Result:
    """One case asked of one system.

    `status` "ungraded" is a verdict without a grade, "missing" a row that was planned and is not on disk; `reason` says
    why for both, and is empty otherwise. `source` is that of the document, empty where the suite does not know it.
    `cost`, `seconds` and tokens are the system's for this answer, with its rewrite and rerank even where the run shared
    them; `paid` is the cost without what another row paid.
    `gold` counts the case's gold chunks, `gold_seen` those of them that the model got; both None without a trace,
    and where a target reveals no chunks.
    """

    run: str
    case_id: str
    document_id: str
    source: str
    technique: str
    type: CaseType
    subtype: str
    language: str
    llm: str
    embedding: str
    status: Status
    reason: str = ""
    mean: float | None = None
    ratings: Ratings | None = None
    decided_by: str = ""
    outcome: Outcome | None = None
    flags: tuple[str, ...] = ()
    judge: str = ""
    cost: float | None = None
    paid: float | None = None
    judge_cost: float | None = None
    seconds: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    gold: int | None = None
    gold_seen: int | None = None

    @property
    def graded(self) -> bool:
        """Whether the row counts in a rate."""
        return self.status in ("pass", "fail")

    @property
    def answerable(self) -> bool:
        """Whether the question had to be answered, and not refused; of rows without a verdict by the case alone."""
        return must_answer(self.type, self.flags)

    @property
    def system(self) -> tuple[str, str]:
        """LLM and embedding model."""
        return self.llm, self.embedding

    @property
    def closed_book(self) -> bool:
        """Whether the model was asked without retrieval."""
        return self.embedding == NO_RETRIEVAL


@dataclass(frozen=True)
class RunInfo:
    """What is known of a run besides its rows; a manifest is None where its stage was never started."""

    name: str
    suite: str
    executed: Manifest | None
    judged: Manifest | None


@dataclass
class Results:
    """Rows of one or more runs. `cases` is keyed by suite and case id; `notes` say what a reader must know.

    `twice` counts rows on disk beside another of the same case and system: one of them counts, and chance says which.
    """

    runs: list[RunInfo] = field(default_factory=list)
    cases: dict[tuple[str, str], Case] = field(default_factory=dict)
    documents: dict[tuple[str, str], Document] = field(default_factory=dict)
    unfilled: dict[tuple[str, str], int] = field(default_factory=dict)
    rows: list[Result] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    twice: int = 0
    _suites: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)
    _systems: dict[tuple[str, str], list[Result]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _grouped: int = field(default=-1, init=False, repr=False, compare=False)

    @property
    def open_book(self) -> Iterator[Result]:
        """Rows of systems with retrieval."""
        return (row for row in self.rows if not row.closed_book)

    @property
    def closed_book(self) -> Iterator[Result]:
        """Rows of the control without retrieval."""
        return (row for row in self.rows if row.closed_book)

    @property
    def systems(self) -> list[tuple[str, str]]:
        """Systems with retrieval, in the order they were met."""
        return list(dict.fromkeys(row.system for row in self.open_book))

    def suite_of(self, run: str) -> str:
        """The suite a run was made from; empty for a run that is not here."""
        if len(self._suites) != len(self.runs):
            self._suites = {info.name: info.suite for info in self.runs}
        return self._suites.get(run, "")

    def case(self, row: Result) -> Case | None:
        """The case of a row; None where the suite no longer holds it."""
        return self.cases.get((self.suite_of(row.run), row.case_id))

    def document(self, row: Result) -> Document | None:
        """The document of a row; None where the suite no longer holds it."""
        return self.documents.get((self.suite_of(row.run), row.document_id))

    def of_system(self, system: tuple[str, str]) -> list[Result]:
        """All rows of one LLM and embedding model, in every run; grouped once for all systems."""
        if self._grouped != len(self.rows):
            self._systems = {}
            for row in self.rows:
                self._systems.setdefault(row.system, []).append(row)
            self._grouped = len(self.rows)
        return self._systems.get(system, [])

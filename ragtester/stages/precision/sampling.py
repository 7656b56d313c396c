"""Who is drawn: graded answers of one run, stratified by the oracle's status, system, technique and case type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ragtester.errors import UsageError
from ragtester.judgement import wanted_of
from ragtester.provenance import row_key
from ragtester.records import CRITERIA, Answer, SampledCase
from ragtester.results import Result, Results
from ragtester.runs import answer_files
from ragtester.settings import AuditSettings
from ragtester.stages.judge_inputs import Lookup
from ragtester.stages.precision.evidence import CaseEvidence
from ragtester.statistics import sample_size, stratified_sample
from ragtester.storage import iter_rows
from ragtester.tasks import Passage, VoteOnVerdict
from ragtester.verdict import VALUES
from ragtester.workspace import Workspace

Stratum = tuple[str, str, str, str, str]
"""Status, LLM, embedding model, technique, case type."""
Identity = tuple[str, str, str, str]
"""Technique, case id, LLM, embedding model."""


@dataclass(frozen=True)
class Population:
    """The run's answers: how many of each status, and the graded ones by stratum."""

    statuses: dict[str, int]
    strata: dict[Stratum, int]
    judges: tuple[str, ...]


@dataclass(frozen=True)
class Item:
    """One drawn answer, and all that a voter sees of it.

    `evidence` is what the case was made from, for people only; empty where the suite's text is not there.
    """

    row: SampledCase
    request: VoteOnVerdict
    evidence: tuple[str, ...] = ()


def population(results: Results, run: str) -> Population:
    """Count the run's answers with retrieval. Raises UsageError where none of them is graded."""
    rows = _rows(results, run)
    graded = [row for row in rows if row.graded]
    if not graded:
        raise UsageError(f"run {run!r} has no graded answers; run `ragtester judge` first, or name another run")
    return Population(
        {"fail": 0, "pass": 0, "ungraded": 0, "missing": 0} | Counter(row.status for row in rows),
        dict(Counter(map(stratum_of, graded))),
        tuple(sorted({row.judge for row in graded})),
    )


def draw(results: Results, run: str, audit: AuditSettings, seed: int) -> list[Result]:
    """The sample: failures, and passes where the settings ask for them, each of Cochran's size."""
    drawn: list[Result] = []
    for status in ("fail", "pass") if audit.include_passes else ("fail",):
        rows = [row for row in _rows(results, run) if row.status == status]
        size = sample_size(len(rows), audit.confidence, audit.margin)
        drawn += stratified_sample(rows, stratum_of, size, seed, key=lambda row: repr(identity(row)))
    return drawn


def items(
    workspace: Workspace, results: Results, run: str, drawn: list[Result], refusals: tuple[str, ...]
) -> list[Item]:
    """The drawn answers with what voters see, sorted by id, so that their order tells nothing.

    `refusals` is what the systems under test were told to say when they cannot answer. Raises DataError where a case is
    not in the suite any more.
    """
    suite = next(info.suite for info in results.runs if info.name == run)
    lookup = Lookup(workspace, suite, run)
    evidence = CaseEvidence(workspace, results, suite)
    seen: dict[Identity, tuple[VoteOnVerdict, tuple[str, ...]]] = {}
    wanted = {identity(row) for row in drawn}
    for path in answer_files(workspace, run)[0]:
        for answer in iter_rows(path, Answer):
            if (place := identity(answer)) in wanted:
                case = lookup.case(answer)
                hidden = wanted_of(answer, case, refusals).hidden
                seen[place] = (_request(answer, lookup, refusals), () if hidden else evidence.of(case))
    strata, counts = population(results, run).strata, Counter(map(stratum_of, drawn))
    found = [_item(row, *seen[identity(row)], strata[stratum_of(row)], counts[stratum_of(row)]) for row in drawn]
    return sorted(found, key=lambda item: item.row.id)


def stratum_of(row: Result | SampledCase) -> Stratum:
    """The stratum of a graded answer."""
    return row.status, row.llm, row.embedding, row.technique, row.type


def identity(row: Result | SampledCase | Answer) -> Identity:
    """What an answer of one run is known by."""
    return row.technique, row.case_id, row.llm, row.embedding


def _rows(results: Results, run: str) -> list[Result]:
    return [row for row in results.open_book if row.run == run]


def _request(answer: Answer, lookup: Lookup, refusals: tuple[str, ...]) -> VoteOnVerdict:
    case = lookup.case(answer)
    wanted = wanted_of(answer, case, refusals)
    return VoteOnVerdict(
        language=case.language,
        question=case.question,
        expected_answer=wanted.expected,
        keywords=wanted.keywords,
        evidence=tuple(Passage(label=chunk.id, text=chunk.text) for chunk in lookup.chunks(answer)[0]),
        answer=answer.answer,
        refuses=answer.refuses,
        answerable=wanted.answerable,
        refusals=refusals,
    )


def _item(row: Result, request: VoteOnVerdict, evidence: tuple[str, ...], population: int, drawn: int) -> Item:
    seen = row_key(run=row.run, identity=identity(row), seen=request.model_dump(mode="json"))
    sampled = SampledCase(
        id=f"s{seen}",  # a spreadsheet takes a hash of digits alone for a number, and writes another one
        run=row.run,
        case_id=row.case_id,
        document_id=row.document_id,
        technique=row.technique,
        type=row.type,
        llm=row.llm,
        embedding=row.embedding,
        language=row.language,
        status="fail" if row.status == "fail" else "pass",
        decided_by=row.decided_by,
        weakest=tuple(_weakest(row)),
        judge=row.judge,
        population=population,
        drawn=drawn,
    )
    return Item(sampled, request, evidence)


def _weakest(row: Result) -> Iterable[str]:
    """The criteria with the lowest rating; none where all are fully met."""
    if row.ratings is None:
        return ()
    values = {name: VALUES[getattr(row.ratings, name)] for name in CRITERIA}
    least = min(values.values())
    return (name for name, value in values.items() if value == least and least < 1)

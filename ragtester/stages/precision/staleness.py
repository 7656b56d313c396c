"""Whether the figures of an audit still speak of a run's answers and verdicts."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.errors import DataError, UsageError
from ragtester.records import PanelDecision, PrecisionResult, SampledCase
from ragtester.results import Results, RunInfo
from ragtester.settings import AuditSettings, ExecuteSettings
from ragtester.stages.precision.audit import changed_rows
from ragtester.stages.precision.files import Files
from ragtester.stages.precision.sampling import Population, draw, items, population
from ragtester.storage import read_json, read_rows
from ragtester.workspace import Workspace


def precision_staleness(workspace: Workspace, run: str, results: Results) -> tuple[str, ...]:
    """Why the precision audit of `run` no longer holds for its rows in `results`; empty where it does, or is not there.

    The sample is drawn again as it was drawn then: whatever would draw, show or count other answers is a reason. Asks
    no model. Raises DataError for files that do not hold what they should.
    """
    files = Files.of(workspace, run)
    found = read_json(files.result, PrecisionResult)
    info = next((info for info in results.runs if info.name == run), None)
    if found is None or info is None:
        return ()
    try:
        now = population(results, run)
    except UsageError:
        return ("none of the run's answers is graded any more",)
    return (*_oracle(found, now, info), *_sample(workspace, found, files, results))


def _oracle(found: PrecisionResult, now: Population, info: RunInfo) -> Iterator[str]:
    """Another judge, another prompt, or other counts of verdicts."""
    judges = ", ".join(now.judges)
    if found.judge != judges:
        yield f"audited with the judge {found.judge}, judged by {judges}"
    elif info.judged and info.judged.prompts and found.judge_prompt_sha256 not in info.judged.prompts.values():
        yield "the judge's prompt has changed"
    for status, name in (("fail", "failures"), ("pass", "passes")):
        before = found.population.get(status)
        if status in found.sampled and before is not None and before != now.statuses[status]:
            yield f"drawn from {before} {name}, there are {now.statuses[status]} now"


def _sample(workspace: Workspace, found: PrecisionResult, files: Files, results: Results) -> Iterator[str]:
    """What a sample drawn today, with the audit's own seed and sizes, would have otherwise."""
    if not files.sample.is_file():
        return
    before = read_rows(files.sample, SampledCase)
    decided = {row.id for row in read_rows(files.decisions, PanelDecision)} if files.decisions.is_file() else set()
    if decided and decided != {row.id for row in before}:
        yield "its figures are of an earlier sample"
    wanted = AuditSettings(confidence=found.confidence, margin=found.margin, include_passes="pass" in found.sampled)
    executed = next((info.executed for info in results.runs if info.name == found.run), None)
    told = executed.parameters.get("refusals") if executed else None
    refusals = tuple(map(str, told)) if told else ExecuteSettings().refusals
    drawn = draw(results, found.run, wanted, found.seed)
    try:
        now = [item.row for item in items(workspace, results, found.run, drawn, refusals)]
    except DataError:
        yield "the suite does not hold all its cases any more"
        return
    yield from changed_rows(before, now)

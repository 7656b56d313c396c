"""`ragtester audit precision`: sample, panel, decisions, figures. Thin: reads files, calls the parts, writes files."""

from __future__ import annotations

from collections.abc import Callable

from ragtester.errors import UsageError
from ragtester.progress import Progress, StageResult
from ragtester.records import Manifest, PanelDecision, PrecisionResult
from ragtester.settings import Settings
from ragtester.stages.precision.asking import Show, ask_person
from ragtester.stages.precision.audit import (
    Audit,
    as_voted,
    open_audit,
    own_renderer,
    refuse_changes,
    shares,
    with_passes_kept,
)
from ragtester.stages.precision.files import Files
from ragtester.stages.precision.panel import Member, keep_current, open_member, refuse_stale, vote
from ragtester.stages.precision.reporting import close, manifest_of, report
from ragtester.stages.precision.review import persons, read_review
from ragtester.statistics import krippendorff_alpha
from ragtester.storage import read_json, read_rows, write_json, write_rows
from ragtester.tasks import VOTE_ON_VERDICT, Models
from ragtester.workspace import Workspace

NAME = "audit precision"


async def run(
    workspace: Workspace, settings: Settings, models: Models, progress: Progress, *, overwrite: bool = False
) -> StageResult:
    """Draw the sample, let the panel vote, decide, and write `audits/<run>/precision/`.

    Raises UsageError for a run without verdicts, ChangedInputsError where a sample or votes stand that today's files
    would not give (`overwrite` draws anew and keeps votes that still hold), DataError for rows that are none,
    MissingPackageError where the package for the agreement is absent.
    """
    krippendorff_alpha([["correct"], ["incorrect"]])  # a missing package is told before anything is paid
    made = None if overwrite else read_json(Files.of(workspace, settings.execute.run).manifest, Manifest)
    audit = open_audit(workspace, with_passes_kept(settings, made))
    members = _members(audit, models.prompt_sha256(VOTE_ON_VERDICT), overwrite=overwrite)
    write_rows(audit.files.sample, audit.sample)
    manifest = manifest_of(audit, members)
    write_json(audit.files.manifest, manifest)
    _tell(audit, members, progress)
    read_review(audit.files.review)  # a fault there is told before anything is paid
    progress.start(NAME, sum(len(audit.items) - len(member.cast) for member in members))
    await vote(members, audit.items, models, progress)
    progress.finish()
    result = report(audit, members)
    close(audit, manifest, result)
    return _stage_result(audit, result, "; ".join(f"{one.model}: {one.stopped}" for one in members if one.stopped))


def review(workspace: Workspace, settings: Settings, show: Show, read: Callable[[str], str]) -> tuple[StageResult, int]:
    """Ask a person for the ambiguous cases, then write the figures anew; also gives how many were decided.

    Asks no model; panel and sample are those that were voted on. Raises UsageError before the panel has voted,
    ChangedInputsError as `run` does.
    """
    files = Files.of(workspace, settings.execute.run)
    manifest = read_json(files.manifest, Manifest)
    if manifest is None:
        raise UsageError(f"{files.folder}: nobody has voted yet; run `ragtester audit precision` first")
    audit = open_audit(workspace, as_voted(settings, manifest))
    members = _members(audit, own_renderer(workspace).sha256(VOTE_ON_VERDICT), asking=False)
    result = report(audit, members)
    ambiguous = {row.id for row in read_rows(audit.files.decisions, PanelDecision) if row.decision == "ambiguous"}
    waiting = [row for row in read_review(audit.files.review).values() if row["id"] in ambiguous]
    ask_person(audit.files.review, waiting, show, read)
    decided = len(persons(read_review(audit.files.review)).keys() & {row["id"] for row in waiting})
    result = report(audit, members) if decided else result
    close(audit, manifest, result)
    return _stage_result(audit, result, ""), decided


def read_result(workspace: Workspace, run_name: str) -> PrecisionResult | None:
    """The figures of the last audit of a run; None where there was none."""
    return read_json(Files.of(workspace, run_name).result, PrecisionResult)


def _members(audit: Audit, prompt_sha256: str, *, overwrite: bool = False, asking: bool = True) -> list[Member]:
    """The panel of the settings with the votes that stand."""
    if not overwrite:
        refuse_changes(audit)
    members = [open_member(name, audit.files, audit.sample, prompt_sha256) for name in audit.settings.audit.panel]
    if not overwrite:
        refuse_stale(members, audit.sample)
    for member in members:
        keep_current(member, audit.sample, retry_failed=audit.settings.audit.retry_failed, asking=asking)
    return members


def _tell(audit: Audit, members: list[Member], progress: Progress) -> None:
    """What will be asked, and whose votes are no second opinion."""
    there, all_votes = sum(len(member.cast) for member in members), len(members) * len(audit.items)
    drawn = " and ".join(f"{n} of {audit.population.statuses[name]} {name}" for name, n in audit.drawn.items())
    progress.note(
        f"{NAME}: {drawn} verdicts drawn; {all_votes} votes of {len(members)} member(s), {there} stand already"
    )
    if not audit.population.statuses["fail"]:
        progress.note("the run has no failures: precision and false discovery rate are undefined")
    for member in members:
        if common := shares(member.model, audit):
            progress.note(f"{member.model} shares {common}: its vote is no second opinion")


def _stage_result(audit: Audit, result: PrecisionResult, stopped: str) -> StageResult:
    counts = {"cases": result.ledger.model_dump(), "ambiguous": result.figures[0].ambiguous}
    return StageResult(NAME, result.votes, audit.files.folder, counts, stopped)

"""A run and its repeats: the same cases executed, judged and audited again, and what came of them together."""

from __future__ import annotations

from collections.abc import Awaitable, Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ragtester.errors import UsageError
from ragtester.pipeline import Options, Spent, run_audit, run_steps
from ragtester.progress import Progress, StageResult
from ragtester.records import AdversarialRow, AnswerClaims, Claim, Ledger, RepeatsResult
from ragtester.runs import asked_fixtures, repeat_name, repeated_run, repeats_of
from ragtester.settings import Settings
from ragtester.stages import claims
from ragtester.storage import iter_rows, write_json, write_text
from ragtester.tables.markdown import markdown
from ragtester.workspace import Workspace

if TYPE_CHECKING:
    from ragtester.models.gateway import Gateway


def repeat_settings(settings: Settings, number: int) -> Settings:
    """The settings of one repeat: an ordinary run under a name of its own, without a control."""
    update = {"run": repeat_name(settings.execute.run, number), "closed_book": False}
    return settings.model_copy(update={"execute": settings.execute.model_copy(update=update)})


def check_repeats(settings: Settings, repeats: int) -> None:
    """Raise UsageError for what cannot be repeated."""
    if repeats < 1:
        raise UsageError(f"--repeat {repeats}: give 1 (the run alone) or more")
    if repeats > 1 and (base := repeated_run(settings.execute.run)):
        raise UsageError(f"run {settings.execute.run!r} is itself a repeat; repeat {base!r}")


async def audit_claims(
    workspace: Workspace, settings: Settings, progress: Progress, *, overwrite: bool = False, spent: Spent | None = None
) -> StageResult:
    """The claims audit of the run in the settings, under the workspace's lock. Raises as the stage does."""

    def work(gateway: Gateway) -> Awaitable[StageResult]:
        return claims.run(workspace, settings, gateway, progress, overwrite=overwrite)

    return await run_audit(workspace, settings, progress, claims.STAGE, work, spent)


async def run_repeats(
    workspace: Workspace, settings: Settings, progress: Progress, repeats: int, *, overwrite: bool = False
) -> list[StageResult]:
    """Audit the run; execute, judge and audit its repeats up to the wanted number; put all of them together.

    What is there already is kept. A run that is repeated is executed as far as it is not yet, so that settings which
    are not its own are refused, whatever `overwrite` is. A stop at a limit ends it, and the next start goes on. Raises
    as the stages do.
    """
    check_repeats(settings, repeats)
    spent = Spent()
    results: list[StageResult] = []
    if repeats > 1:
        results += await run_steps(workspace, [("execute", settings)], progress, Options(), spent)
        if results[-1].stopped:
            return results
    results.append(await audit_claims(workspace, settings, progress, overwrite=overwrite, spent=spent))
    for number in range(2, repeats + 1):
        if results[-1].stopped:
            break
        own = repeat_settings(settings, number)
        steps = [(stage, own) for stage in ("execute", "judge")]
        results += await run_steps(workspace, steps, progress, Options(overwrite), spent)
        if not results[-1].stopped:
            results.append(await audit_claims(workspace, own, progress, overwrite=overwrite, spent=spent))
    if repeats_of(workspace, settings.execute.run):
        write_repeats(workspace, settings)
    return results


def poison_of(workspace: Workspace, run: str) -> dict[str, tuple[str, ...]]:
    """Chunks that must not be followed, by case, of a run of fixtures; empty for any other run."""
    base = asked_fixtures(run)
    rows = iter_rows(workspace.adversarial(base) / "rows.jsonl", AdversarialRow) if base else ()
    return {row.case_id: row.poison_ids for row in rows if row.run == run}


def write_repeats(
    workspace: Workspace, settings: Settings, poison: Mapping[str, Collection[str]] | None = None
) -> RepeatsResult:
    """Put the run and all its audited repeats together and write `repeats.json` and `repeats.md`; asks nothing.

    `poison` gives the chunks that must not be followed, by case id; None: what is known of fixtures.
    """
    run = settings.execute.run
    found = {}
    for name in (run, *repeats_of(workspace, run)):
        files = claims.Files.of(workspace, name)
        if files.answers.is_file():
            rows = iter_rows(files.answers, AnswerClaims)
            found[name] = claims.answer_states(rows, iter_rows(files.claims, Claim))
    known = poison_of(workspace, run) if poison is None else poison
    result = claims.make_repeats(run, found, settings.execute.retrieval.order, known)
    files = claims.Files.of(workspace, run)
    write_json(files.repeats, result)
    write_text(files.repeats_told, [markdown(claims.repeats_document(result))])
    return result


def together(results: list[StageResult]) -> StageResult:
    """One result for the claims audits of a run and its repeats: their ledgers added up, stopped where one was."""
    audits = [one for one in results if one.stage == claims.NAME]
    names = ("planned", "ok", "failed", "skipped", "unfilled")
    ledger = Ledger(**{name: sum(getattr(one.ledger, name) for one in audits) for name in names})
    stopped = next((one.stopped for one in results if one.stopped), "")
    last = audits[0] if audits else results[-1]
    return replace(last, ledger=ledger, stopped=stopped)

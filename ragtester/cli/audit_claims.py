"""The command that asks whether the chunks bear an answer's claims out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragtester.cli import options

if TYPE_CHECKING:
    from ragtester.api import Project
    from ragtester.progress import StageResult

app = typer.Typer()


@app.command()
def claims(
    workspace: options.Folder = Path(),
    run: options.RunName = "",
    repeat: Annotated[
        int,
        typer.Option(
            "--repeat", min=1, help="Execute, judge and audit the run so often: which verdicts fire, and when?"
        ),
    ] = 1,
    full: Annotated[bool, typer.Option("--full", help="Print every row of every table.")] = False,
    overrides: options.Overrides = options.NONE,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print calls, tokens and money, and ask nothing.")
    ] = False,
    max_cost: options.MaxCost = 0,
    max_calls: options.MaxCalls = 0,
    quiet: options.Quiet = False,
    overwrite: options.Overwrite = False,
    retry_failed: options.RetryFailed = False,
) -> None:
    """Does each fact of an answer follow from the chunks it cites? A verdict a claim, and where bad ones come from."""
    extra = options.run_settings(run, retry_failed) + options.limits(max_cost, max_calls)
    extra += ["audit_claims.retry_failed=true"] if retry_failed else []
    project = options.open_project(workspace, [*overrides, *extra], quiet)
    if estimate:
        from ragtester.tables.terminal import print_document

        print_document(project.estimate_claims(repeat=repeat), options.stdout())
        return
    _finish(project.audit_claims(repeat=repeat, overwrite=overwrite), project, repeated=repeat > 1, full=full)


def _finish(result: StageResult, project: Project, *, repeated: bool, full: bool) -> None:
    from ragtester.stages.claims import claims_document, repeats_document
    from ragtester.tables.terminal import print_document

    found, again = project.claims_result(), project.repeats_result() if repeated else None
    project.progress.finish()
    if found is not None:
        print_document(claims_document(found, full=full), options.stdout())
    if again is not None:
        print_document(repeats_document(again, full=full), options.stdout())
    options.finish([result], project)

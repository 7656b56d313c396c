"""The command that asks what answers saw and do not mention."""

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
def coverage(
    workspace: options.Folder = Path(),
    run: options.RunName = "",
    traces: Annotated[
        Path | None, typer.Option("--traces", metavar="FILE", help="Traces of another agent; they name the run.")
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="Of the traces: auto, calls (JSON Lines), otel or langsmith.")
    ] = "auto",
    ab: Annotated[
        bool,
        typer.Option(
            "--ab", help="Compare with the same suite under the instruction to surface contradicting evidence."
        ),
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Print every document and chunk.")] = False,
    overrides: options.Overrides = options.NONE,
    estimate: options.Estimate = False,
    max_cost: options.MaxCost = 0,
    max_calls: options.MaxCalls = 0,
    quiet: options.Quiet = False,
    overwrite: options.Overwrite = False,
    retry_failed: options.RetryFailed = False,
) -> None:
    """What did the answers see and not mention? Coverage, silent exclusions, hidden contradictions."""
    if ab and (traces is not None or estimate):
        raise typer.BadParameter("it runs the suite twice; leave out --traces and --estimate", param_hint="--ab")
    own = _run_of(traces, overrides) if traces and not run else ""
    if own:
        typer.echo(f"The run is {own}, as the file of traces; --run gives another name.", err=True)
    extra = options.text_setting("execute.run", run or own) + options.limits(max_cost, max_calls)
    extra += ["audit_coverage.retry_failed=true"] if retry_failed else []
    project = options.open_project(workspace, [*overrides, *extra], quiet)
    if estimate:
        from ragtester.tables.terminal import print_document

        print_document(project.estimate_coverage(traces=traces, form=form), options.stdout())
    elif ab:
        _print_contrast(project.audit_conflicts(overwrite=overwrite), project)
    else:
        _print(project.audit_coverage(traces=traces, form=form, overwrite=overwrite), project, full=full)


def _run_of(traces: Path, overrides: list[str]) -> str:
    """A run of its own for a file of traces, so that it replaces no other audit; empty where an override names one."""
    from ragtester.workspace import slug

    return "" if any(one.partition("=")[0].strip() == "execute.run" for one in overrides) else slug(traces.stem)


def _print(result: StageResult, project: Project, *, full: bool) -> None:
    from ragtester.stages.coverage import coverage_document
    from ragtester.summary import shown
    from ragtester.tables.terminal import print_document

    found = project.coverage_result()
    assert found is not None
    project.progress.finish()
    print_document(coverage_document(found, full=full), options.stdout())
    typer.echo(f"\n{result.stage} -> {shown(result.output)}")
    _leave([result])


def _print_contrast(results: list[StageResult], project: Project) -> None:
    from ragtester.stages.coverage import contrast_document
    from ragtester.tables.terminal import print_document

    project.progress.finish()
    found = project.conflicts_result()
    if found is not None and not any(result.stopped for result in results):
        print_document(contrast_document(found), options.stdout())
        typer.echo()
    options.finish(results, project)


def _leave(results: list[StageResult]) -> None:
    from ragtester.console import one_line

    for result in results:
        if result.stopped:
            typer.echo(one_line(f"stopped: {result.stopped}"))
    code = max((result.exit_code for result in results), default=0)
    if code:
        raise typer.Exit(code)

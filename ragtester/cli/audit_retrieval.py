"""The command that asks where the evidence got lost."""

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
def retrieval(
    workspace: options.Folder = Path(),
    run: options.RunName = "",
    search: Annotated[
        bool, typer.Option("--search", help="Retrieve the suite now; no answers are needed, no LLM is asked.")
    ] = False,
    traces: Annotated[
        Path | None,
        typer.Option("--traces", metavar="FILE", help="Traces of your own system, as JSON Lines; they name the run."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", metavar="FILE", help="Gold that replaces the cases' own: CSV or JSON Lines."),
    ] = None,
    before: Annotated[
        str, typer.Option("--before", metavar="RUN", help="An audited run to compare with: same K, same access rules.")
    ] = "",
    full: Annotated[bool, typer.Option("--full", help="Print every section and table.")] = False,
    overrides: options.Overrides = options.NONE,
    max_cost: options.MaxCost = 0,
    max_calls: options.MaxCalls = 0,
    quiet: options.Quiet = False,
) -> None:
    """Where did the evidence get lost? Retrieval metrics, and the stage of failure of every query."""
    own = _run_of(traces, overrides) if traces and not run else ""
    if own:
        typer.echo(f"The run is {own}, as the file of traces; --run gives another name.")
    extra = options.text_setting("execute.run", run or own) + options.limits(max_cost, max_calls)
    project = options.open_project(workspace, [*overrides, *extra], quiet)
    result = project.audit_retrieval(search=search, traces=traces, labels=labels, before=before)
    _print(result, project, full=full)
    if result.exit_code:
        raise typer.Exit(result.exit_code)


def _run_of(traces: Path, overrides: list[str]) -> str:
    """A run of its own for a file of traces, so that it replaces no other audit; empty where an override names one."""
    from ragtester.workspace import slug

    return "" if any(one.partition("=")[0].strip() == "execute.run" for one in overrides) else slug(traces.stem)


def _print(result: StageResult, project: Project, *, full: bool) -> None:
    from ragtester.console import one_line
    from ragtester.stages.retrieval import retrieval_document
    from ragtester.summary import shown
    from ragtester.tables.terminal import print_document

    found = project.retrieval_result()
    assert found is not None
    project.progress.finish()
    print_document(retrieval_document(found, full=full), options.stdout())
    counts = result.counts
    typer.echo(
        f"\n{result.stage}: {counts['planned']} planned = {counts['measured']} measured + {counts['no_gold']} no gold"
        f" + {counts['hidden_gold']} hidden gold + {counts['unfinished']} unfinished"
    )
    more = "" if full else "; slices by document and family there, and printed with --full"
    typer.echo(f"{result.stage} -> {shown(result.output)}{more}")
    if result.stopped:
        typer.echo(one_line(f"stopped: {result.stopped}"))

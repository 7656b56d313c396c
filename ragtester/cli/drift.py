"""`ragtester drift`: what moved between runs, and what to rule out first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragtester.cli import options

if TYPE_CHECKING:
    from ragtester.api import Project
    from ragtester.records import Mark

app = typer.Typer()


@app.command()
def drift(
    runs: Annotated[
        list[str], typer.Argument(metavar="[RUN]...", help="Two runs, the earlier first; with --history any number.")
    ] = options.NONE,
    history: Annotated[
        bool, typer.Option("--history", help="Every run over time; without names all of the suite.")
    ] = False,
    workspace: options.Folder = Path(),
    full: Annotated[bool, typer.Option("--full", help="Print every flip and every question.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON instead of tables.")] = False,
    overrides: options.Overrides = options.NONE,
    quiet: options.Quiet = False,
) -> None:
    """What moved between two runs of a suite, what to rule out first; leaves with 1 past a threshold of [drift]."""
    if not history and len(runs) != 2:
        raise typer.BadParameter("name two runs, the earlier first; or add --history", param_hint="RUN")
    project = options.open_project(workspace, overrides, quiet)
    breached = _history(project, runs, full=full, json=json) if history else _two(project, runs, full=full, json=json)
    if breached:
        raise typer.Exit(1)


def _two(project: Project, runs: list[str], *, full: bool, json: bool) -> bool:
    from ragtester.stages.drift import drift_document
    from ragtester.summary import shown
    from ragtester.tables.terminal import print_document

    result = project.drift(*runs)
    project.progress.finish()
    if json:
        typer.echo(result.model_dump_json(indent=2))
    else:
        print_document(drift_document(result, full=full), options.stdout())
        typer.echo(f"\ndrift -> {shown(project.workspace.drift(*runs))}")
    return result.breached


def _history(project: Project, runs: list[str], *, full: bool, json: bool) -> bool:
    from ragtester.stages.drift import history_document
    from ragtester.summary import shown
    from ragtester.tables.terminal import print_document

    found = project.drift_history(runs)
    project.progress.finish()
    if json:
        typer.echo(found.model_dump_json(indent=2))
    else:
        console = options.stdout()
        print_document(history_document(found, full=full, marks=_marks(console.encoding)), console)
        typer.echo(f"\ndrift -> {shown(project.workspace.drift_history(found.suite))}")
    return found.breached


def _marks(encoding: str) -> dict[Mark, str]:
    """Marks that the terminal can write."""
    from ragtester.stages.drift import ASCII, MARKS

    try:
        "".join(MARKS.values()).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return MARKS

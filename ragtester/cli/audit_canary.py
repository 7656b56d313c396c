"""The command that watches fusion sources over time, without labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragtester.cli import options

app = typer.Typer()


@app.command()
def canary(
    runs: Annotated[list[str] | None, typer.Argument(help="Runs. Left out, all but experiments' own.")] = None,
    workspace: options.Folder = Path(),
    by_day: Annotated[
        bool | None, typer.Option("--by-day/--by-run", help="Put runs of a day together. Left out: over 14 runs.")
    ] = None,
    overrides: options.Overrides = options.NONE,
) -> None:
    """Do both arms still feed the contexts? Runs of the same settings, without labels; 1 when an arm falls silent."""
    from ragtester.stages.experiment import canary_document
    from ragtester.tables.terminal import print_document

    project = options.open_project(workspace, overrides, quiet=True)
    result = project.audit_canary(runs or (), by_day=by_day)
    print_document(canary_document(result), options.stdout())
    if result.alarm:
        raise typer.Exit(1)

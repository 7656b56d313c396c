"""`ragtester gate`: every layer, one exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragtester.cli import options

app = typer.Typer()

File = Path | None


@app.command()
def gate(
    suite: Annotated[
        str, typer.Option("--suite", metavar="NAME", help="The gate: [gates.NAME]. Left out, the only one.")
    ] = "",
    workspace: options.Folder = Path(),
    run: options.RunName = "",
    baseline: Annotated[
        str, typer.Option("--baseline", metavar="RUN", help="The earlier run to compare with, instead of the gate's.")
    ] = "",
    no_run: Annotated[
        bool, typer.Option("--no-run", help="Make nothing and ask no model: decide from the files that are there.")
    ] = False,
    json: Annotated[File, typer.Option("--json", metavar="FILE", help="The decision as JSON.")] = None,
    junit: Annotated[File, typer.Option("--junit", metavar="FILE", help="JUnit XML, for CI servers.")] = None,
    markdown: Annotated[
        File, typer.Option("--markdown", metavar="FILE", help="Markdown, for a pull request or a job's summary.")
    ] = None,
    overrides: options.Overrides = options.NONE,
    max_cost: options.MaxCost = 0,
    max_calls: options.MaxCalls = 0,
    quiet: options.Quiet = False,
    overwrite: options.Overwrite = False,
) -> None:
    """Run what is missing, check every layer against its limits, and leave with 0 (open) or 1 (closed)."""
    from ragtester.gates import write
    from ragtester.stages.gate import screen
    from ragtester.summary import shown

    project = options.open_project(workspace, [*overrides, *options.limits(max_cost, max_calls)], quiet)
    result = project.gate(suite, run=run, baseline=baseline, no_run=no_run, overwrite=overwrite)
    write(result, json=json, junit=junit, markdown=markdown)
    project.progress.finish()
    console = options.stdout()
    for line, style in screen(result, console.width):
        console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)
    folder = project.workspace.gate(result.gate, result.run)
    console.print(f"gate -> {shown(folder)}", markup=False, highlight=False, soft_wrap=True)
    if not result.open:
        raise typer.Exit(1)

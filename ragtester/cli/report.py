"""Commands that show a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragtester.cli.options import NONE, Folder, Overrides, Quiet, open_project, text_setting

app = typer.Typer()


@app.command()
def report(
    run: Annotated[str, typer.Argument(help="The run; left out, the one in the settings.")] = "",
    workspace: Folder = Path(),
    overrides: Overrides = NONE,
    out: Annotated[Path | None, typer.Option("--out", help="The page; left out, reports/RUN/report.html.")] = None,
    size: Annotated[float, typer.Option("--size", help="Megabytes that the page may have.", min=0.5)] = 3.0,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    quiet: Quiet = False,
) -> None:
    """One self-contained HTML page: figures, plots, every failure with its evidence."""
    project = open_project(workspace, [*overrides, *text_setting("execute.run", run)], quiet)
    written = project.report(path=out, megabytes=size)
    typer.echo(f"report: {written.bytes / 1e6:.2f} MB, {written.rows:,} of {written.of:,} rows in its explorer")
    typer.echo(f"report    -> {written.path}")
    if open_page:
        import webbrowser

        webbrowser.open(written.path.resolve().as_uri())

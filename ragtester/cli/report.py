"""Commands that show a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragtester.cli.options import NONE, Folder, Overrides, Quiet, open_project, text_setting

if TYPE_CHECKING:
    from ragtester.api import Project
    from ragtester.report import Written

app = typer.Typer()

File = Path | None


@app.command()
def report(
    run: Annotated[str, typer.Argument(help="The run; left out, the one in the settings.")] = "",
    workspace: Folder = Path(),
    overrides: Overrides = NONE,
    out: Annotated[File, typer.Option("--out", help="The page; left out, reports/RUN/report.html.")] = None,
    size: Annotated[float, typer.Option("--size", help="Megabytes that the page may have.", min=0.5)] = 3.0,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    plots: Annotated[File, typer.Option("--plots", metavar="DIR", help="Every plot as PNG and SVG.")] = None,
    junit: Annotated[File, typer.Option("--junit", metavar="FILE", help="JUnit XML, for CI servers.")] = None,
    csv: Annotated[File, typer.Option("--csv", metavar="FILE", help="One row a case and system.")] = None,
    parquet: Annotated[File, typer.Option("--parquet", metavar="FILE", help="The same as Parquet.")] = None,
    quiet: Quiet = False,
) -> None:
    """One self-contained HTML page: figures, plots, every failure with its evidence; and files for other tools."""
    project = open_project(workspace, [*overrides, *text_setting("execute.run", run)], quiet)
    written = project.report(path=out, megabytes=size, plots=plots, junit=junit, csv=csv, parquet=parquet)
    _tell(written, project)
    if open_page:
        import webbrowser

        if not webbrowser.open(written.path.resolve().as_uri()):
            typer.echo("no browser could be opened; open the file yourself", err=True)


def _tell(written: Written, project: Project) -> None:
    from ragtester.console import one_line

    held = f"{written.rows:,} of {written.of:,} rows in its explorer"
    typer.echo(f"report: {written.bytes / 1e6:.2f} MB, {held}")
    for name, path in (("report", written.path), *written.others):
        typer.echo(f"{name:<9} -> {one_line(str(path))}")
    project.progress.finish()

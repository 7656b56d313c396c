"""Commands that compare systems, techniques and corpora."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragtester.cli.options import NONE, Folder, Overrides, Quiet, open_project, stdout

if TYPE_CHECKING:
    from ragtester.tables import Document

app = typer.Typer()


class Format(StrEnum):
    """How the tables are printed."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    CSV = "csv"
    LATEX = "latex"
    JSON = "json"


@app.command()
def compare(
    workspace: Folder = Path(),
    runs: Annotated[list[str], typer.Option("--run", help="A run. Repeatable: runs are set side by side.")] = NONE,
    style: Annotated[Format, typer.Option("--format", help="What is printed.")] = Format.TERMINAL,
    table: Annotated[list[str], typer.Option("--table", metavar="ID", help="Only this table. Repeatable.")] = NONE,
    full: Annotated[bool, typer.Option("--full", help="Print every section and table.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="DIR", help="Folder for all formats; reports/RUN/tables.")
    ] = None,
    baseline: Annotated[
        str, typer.Option("--baseline-technique", help="The technique that others are compared with.")
    ] = "baseline",
    overrides: Overrides = NONE,
    quiet: Quiet = False,
) -> None:
    """Which system, which technique, which corpus: the paper's tables and questions with their statistics."""
    from ragtester.stages.compare import brief, tables_folder, write_document

    project = open_project(workspace, overrides, quiet)
    document = project.compare(runs, baseline=baseline)
    if output or (style is Format.TERMINAL and not table):
        names = list(dict.fromkeys(runs)) or [project.settings.execute.run]
        folder = output or tables_folder(project.workspace, names)
        write_document(document, folder)
    else:
        folder = None
    short = style is Format.TERMINAL and not full
    _print(_only(document, table) if table else brief(document) if short else document, style)
    if folder:
        _tell(document, folder, short=short)


def _only(document: Document, wanted: list[str]) -> Document:
    """The document with nothing but the wanted tables."""
    from ragtester.errors import UsageError
    from ragtester.tables import Document, Section

    known = [table.id for table in document.tables]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise UsageError(f"--table {', '.join(unknown)}: no such table; there are {', '.join(known)}")
    parts = tuple(document.table(name) for name in dict.fromkeys(wanted))
    return Document(document.title, (Section("tables", "Tables", parts),))


def _print(document: Document, style: Format) -> None:
    if style is Format.TERMINAL:
        from ragtester.tables.terminal import print_document

        print_document(document, stdout())
    elif style is Format.MARKDOWN:
        from ragtester.tables.markdown import markdown

        typer.echo(markdown(document), nl=False)
    elif style is Format.LATEX:
        from ragtester.tables.latex import latex

        typer.echo(latex(document), nl=False)
    elif style is Format.JSON:
        from ragtester.tables.json_text import json_text

        typer.echo(json_text(document), nl=False)
    else:
        _print_csv(document)


def _print_csv(document: Document) -> None:
    """One table as it is; several each under a line with its name."""
    from ragtester.tables.csv_files import csv_text

    tables = list(document.tables)
    for table in tables:
        if len(tables) > 1:
            typer.echo(f"# {table.id}")
        typer.echo(csv_text(table), nl=False)


def _tell(document: Document, folder: Path, *, short: bool) -> None:
    """Where the files lie, and that there is more than was printed."""
    from ragtester.console import one_line

    more = f"; all {len(list(document.tables))} tables there, and printed with --full" if short else ""
    typer.echo(f"tables -> {one_line(str(folder))} (Markdown, CSV, LaTeX, JSON){more}", err=True)

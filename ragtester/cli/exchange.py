"""Commands that bring in and hand out suites and results of other tools."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragtester.cli.options import NONE, Folder, Overrides, Overwrite, Quiet, open_project, stdout, text_setting

if TYPE_CHECKING:
    from rich.console import Console

    from ragtester.progress import StageResult

app = typer.Typer()

Format = Annotated[str, typer.Option("--as", metavar="FORMAT", help="ragas, deepeval, promptfoo or csv.")]
OutFormat = Annotated[
    str, typer.Option("--as", metavar="FORMAT", help="ragas, deepeval, promptfoo, csv, or traces (of a run).")
]
Suite = Annotated[str, typer.Option("--suite", help="Name of the suite, as in [workspace] suite.")]
LARGEST_LIST = 20


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="CSV, JSON, JSON Lines or YAML file of another tool.")],
    format_: Format = "",
    technique: Annotated[str, typer.Option("--technique", help="Technique of its cases; else the format's name.")] = "",
    suite: Suite = "",
    column: Annotated[
        list[str], typer.Option("--column", metavar="FIELD=NAME", help="What the file calls a field. Repeatable.")
    ] = NONE,
    document: Annotated[str, typer.Option("--document", help="Document of records that name none.")] = "",
    near: Annotated[
        float, typer.Option("--near", help="Also find contexts at least so alike (0 to 100); 0: only the same words.")
    ] = 0,
    system: Annotated[str, typer.Option("--system", help="Import the file's answers as results of this system.")] = "",
    embedding: Annotated[str, typer.Option("--embedding", help="That system's embedding model.")] = "imported",
    run: Annotated[str, typer.Option("--run", help="Name of the run of results; else imported-SYSTEM.")] = "",
    passes: Annotated[
        str, typer.Option("--passes", metavar="METRIC=X", help="An answer passes with this score or more.")
    ] = "",
    workspace: Folder = Path(),
    overrides: Overrides = NONE,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Cases and results of ragas, deepeval, promptfoo or a CSV become rows of a suite and of a run."""
    from ragtester.interchange import ImportOptions

    options = ImportOptions(
        format=format_,
        technique=technique,
        document=document,
        columns=dict(_pair(one, "--column") for one in column),
        near=near,
        system=system,
        embedding=embedding,
        run=run,
        passes=_bar(passes),
        overwrite=overwrite,
    )
    project = open_project(workspace, [*overrides, *text_setting("workspace.suite", suite)], quiet)
    result = project.import_suite(file, options)
    _print_import(result, stdout())
    if result.exit_code:
        raise typer.Exit(result.exit_code)


@app.command()
def export(
    format_: OutFormat,
    suite: Suite = "",
    technique: Annotated[str, typer.Option("--technique", help="Whose cases; all: every technique's.")] = "all",
    run: Annotated[str, typer.Option("--run", help="Export the cases of this run's suite.")] = "",
    with_answers: Annotated[bool, typer.Option("--with-answers", help="One record an answer of the run.")] = False,
    system: Annotated[str, typer.Option("--system", help="Only this system: LLM, or 'LLM × EMBEDDING'.")] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; its ending chooses the kind. Else: stdout.")
    ] = None,
    workspace: Folder = Path(),
    overrides: Overrides = NONE,
    quiet: Quiet = False,
) -> None:
    """A suite, or a run with its answers, becomes a file that ragas, deepeval, promptfoo or a spreadsheet reads."""
    from ragtester.interchange import ExportOptions

    project = open_project(workspace, [*overrides, *text_setting("workspace.suite", suite)], quiet)
    options = ExportOptions(format_, technique, run, with_answers, system)
    found = project.export_suite(output, options)
    for name, count in found.dropped.items():
        project.progress.note(f"dropped {name}: {count} time(s)")
    for note in found.notes:
        project.progress.note(note)
    project.progress.note(f"{found.records} record(s) of {found.format}" + (f" -> {output}" if output else ""))
    if output is None:
        _print_raw(found.text)


def _print_raw(text: str) -> None:
    """The bytes of a file; on a terminal, without what could steer it."""
    if sys.stdout.isatty():
        from ragtester.console import plain

        typer.echo(plain(text), nl=False)
    else:
        typer.echo(text.encode("utf-8"), nl=False)


def _print_import(result: StageResult, console: Console) -> None:
    from ragtester.summary import ledger_line

    counts = result.counts
    lines = [ledger_line(result)]
    if counts["by_type"]:
        types = ", ".join(f"{count} {name}" for name, count in counts["by_type"].items())
        lines.append(f"cases: {types}")
    if "run" in counts:
        lines.append(f"run {counts['run']}: {', '.join(counts['systems']) or 'no system'}")
        lines.append(
            f"  {counts['matched']} answer(s) to cases of the suite, {counts['new_cases']} new case(s), "
            f"{counts['verdicts']} verdict(s) of the other tool"
        )
        if counts["verdicts"] < result.ledger.ok and not counts["judged"]:
            lines.append(f"  ragtester judge --run {counts['run']} judges the rest")
    if counts["made_documents"]:
        lines.append(f"made of contexts: {', '.join(counts['made_documents'][:5])}")
    told = counts["notes"]
    lines += told[:LARGEST_LIST]
    if len(told) > LARGEST_LIST:
        lines.append(f"{len(told) - LARGEST_LIST} more kinds of notes: see manifest.json")
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    made = result.ledger.ok + result.ledger.failed
    where = str(result.output) if made else "nothing was written"
    console.print(f"import    -> {where}", markup=False, highlight=False, soft_wrap=True)


def _pair(text: str, option: str) -> tuple[str, str]:
    from ragtester.errors import UsageError

    name, mark, value = text.partition("=")
    if not mark or not name.strip() or not value.strip():
        raise UsageError(f"{option} {text!r}: write FIELD=NAME, for example {option} question=Frage")
    return name.strip(), value.strip()


def _bar(text: str) -> tuple[str, float] | None:
    from ragtester.errors import UsageError

    if not text:
        return None
    name, value = _pair(text, "--passes")
    try:
        return name, float(value)
    except ValueError as error:
        raise UsageError(f"--passes {text!r}: write METRIC=0.7") from error

"""Commands that ask how often the oracle is right."""

from __future__ import annotations

import select
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragtester.cli import options
from ragtester.errors import UsageError
from ragtester.waiting import POLL

if TYPE_CHECKING:
    from ragtester.api import Project
    from ragtester.progress import StageResult

app = typer.Typer()


@app.command()
def precision(
    workspace: options.Folder = Path(),
    run: options.RunName = "",
    panel: Annotated[
        list[str], typer.Option("--panel", metavar="MODEL", help="A member of the panel. Repeatable.")
    ] = options.NONE,
    include_passes: Annotated[
        bool, typer.Option("--include-passes", help="Sample passes as well: recall, specificity, accuracy.")
    ] = False,
    confidence: Annotated[float, typer.Option("--confidence", help="Of the sample's size. 0: as in [audit].")] = 0,
    margin: Annotated[float, typer.Option("--margin", help="Of the sample's size. 0: as in [audit].")] = 0,
    review: Annotated[
        bool, typer.Option("--review", help="Decide the ambiguous cases here, one after another; asks no model.")
    ] = False,
    overrides: options.Overrides = options.NONE,
    estimate: options.Estimate = False,
    max_cost: options.MaxCost = 0,
    max_calls: options.MaxCalls = 0,
    quiet: options.Quiet = False,
    overwrite: options.Overwrite = False,
    retry_failed: options.RetryFailed = False,
) -> None:
    """How often is the oracle right? A panel of models votes on a sample of its verdicts."""
    extra = options.text_setting("execute.run", run) + options.limits(max_cost, max_calls) + _panel(panel)
    extra += ["audit.include_passes=true"] if include_passes else []
    extra += ["audit.retry_failed=true"] if retry_failed else []
    extra += [f"audit.{name}={value}" for name, value in (("confidence", confidence), ("margin", margin)) if value]
    project = options.open_project(workspace, [*overrides, *extra], quiet)
    if estimate:
        from ragtester.tables.terminal import print_document

        print_document(project.estimate_precision(), options.stdout())
    elif review:
        _review(project)
    else:
        _print(project.audit_precision(overwrite=overwrite), project)


def _panel(names: list[str]) -> list[str]:
    """The override that sets the panel; none where no member was named."""
    from ragtester.settings import toml_text

    return [f"audit.panel=[{', '.join(map(toml_text, names))}]"] if names else []


def _print(result: StageResult, project: Project) -> None:
    from ragtester.stages.precision import document
    from ragtester.tables.terminal import print_document

    found = project.precision_result()
    assert found is not None
    project.progress.finish()
    print_document(document(found), options.stdout())
    typer.echo()
    waiting = found.figures[0].ambiguous
    if waiting:
        typer.echo(
            f"{waiting} case(s) wait for a person: `ragtester audit precision --review`, or the column decision of"
            f" {result.output / 'review.csv'}"
        )
    options.finish([result], project)


def _review(project: Project) -> None:
    """Ask at the terminal; what was decided is on disk whichever way it ends."""
    if not _at_a_terminal():
        raise UsageError("--review needs a terminal; or fill in the column decision of the audit's review.csv")
    console = options.stdout()

    def show(heading: str, text: str) -> None:
        if heading:
            console.print(f"{heading}:", style="bold")
        console.print(text, markup=False, highlight=False)

    result, decided = project.review_precision(show, _read)
    waiting = int(result.counts["ambiguous"])
    left = f"{waiting} case(s) wait: the same command goes on where you left" if waiting else "no case is left"
    if decided:
        typer.echo(f"{decided} case(s) decided now; {left}")
        _print(result, project)
    elif waiting:
        typer.echo(f"Nothing was decided; {left}")
    else:
        typer.echo(_nothing_waits(result))


def _read(prompt: str) -> str:
    """A line from the terminal; raises EOFError at its end.

    `input` sleeps without a time limit: a Ctrl-C between its prompt and its sleep is heard when Enter comes (seen once
    in 500 on a busy machine). A wait with a limit hears it in time.
    """
    if sys.platform == "win32":
        return input(prompt)  # there only sockets can be waited for
    typer.echo(prompt, nl=False)
    while not select.select([sys.stdin], [], [], POLL)[0]:
        pass
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _at_a_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _nothing_waits(result: StageResult) -> str:
    """What a review says that has nobody to ask."""
    text = "Nothing is to be decided: no case is ambiguous."
    if result.ledger.skipped:
        text += f" {result.ledger.skipped} vote(s) are still open: `ragtester audit precision` asks for them."
    return text

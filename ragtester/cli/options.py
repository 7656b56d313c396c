"""What commands share: options, opening a workspace, printing results and leaving with the right code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from ragtester.api import Project
    from ragtester.progress import StageResult

Folder = Annotated[Path, typer.Option("--workspace", "-w", help="Folder that holds ragtester.toml.")]
Overrides = Annotated[
    list[str], typer.Option("--set", metavar="TABLE.KEY=VALUE", help="Override a setting. Repeatable.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, only notes and results.")]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace rows that were made from other inputs; keep the rest.")
]
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Make rows again that failed after being paid for.")]
Corpus = Annotated[
    list[str], typer.Option("--corpus", metavar="PATH", help="File, folder or glob of documents. Repeatable.")
]
Technique = Annotated[str, typer.Option("--technique", help="ragtester, baseline or all.")]
MaxCost = Annotated[float, typer.Option("--max-cost", help="Stop cleanly before more than this is spent. 0: no limit.")]
MaxCalls = Annotated[
    int, typer.Option("--max-calls", help="Stop cleanly after so many calls to model servers. 0: no limit.")
]
RunName = Annotated[str, typer.Option("--run", help="Name of the run, as in [execute] run.")]
ClosedBook = Annotated[
    bool, typer.Option("--closed-book", help="The control: the same questions to each LLM without retrieval.")
]
Estimate = Annotated[bool, typer.Option("--estimate", help="Print calls, tokens, money and time, and call nothing.")]
NONE: list[str] = []


def limits(max_cost: float, max_calls: int) -> list[str]:
    """The overrides of the two limits; none where an option was not given."""
    found = [f"limits.max_cost={float(max_cost)}"] if max_cost else []
    return found + ([f"limits.max_calls={max_calls}"] if max_calls else [])


def run_settings(run: str, retry_failed: bool) -> list[str]:
    """The overrides that name a run and ask for failed rows again."""
    return text_setting("execute.run", run) + (
        ["execute.retry_failed=true", "judge.retry_failed=true"] if retry_failed else []
    )


def text_setting(key: str, value: str) -> list[str]:
    """The override that sets `key` to exactly `value`; none where the option was not given."""
    from ragtester.settings import toml_text

    return [f"{key}={toml_text(value)}"] if value else []


def open_project(folder: Path, overrides: list[str], quiet: bool) -> Project:
    """The workspace in `folder`, with progress on standard error."""
    from ragtester.api import Project
    from ragtester.console import make_progress, open_console

    return Project(folder, overrides, progress=make_progress(open_console(stderr=True), quiet))


def stdout() -> Console:
    """A console on standard output."""
    from ragtester.console import open_console

    return open_console()


def show(results: list[StageResult], project: Project) -> int:
    """Print the ledgers and, after a judgement, the summary; gives the worst exit code."""
    from ragtester.summary import print_results

    project.progress.finish()
    print_results(results, project.workspace, project.settings, stdout())
    return max((result.exit_code for result in results), default=0)


def finish(results: list[StageResult], project: Project) -> None:
    """Print what came of stages and leave with the worst exit code."""
    code = show(results, project)
    if code:
        raise typer.Exit(code)

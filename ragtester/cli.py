"""The command line: parse, call, print, exit code. Data on stdout, talk and progress on stderr."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragtester.errors import RagtesterError

if TYPE_CHECKING:
    from rich.console import Console

    from ragtester.api import Project
    from ragtester.progress import StageResult

INTERRUPTED = 130

app = typer.Typer(
    name="ragtester",
    help="Mass-produce test suites from documents, run them against retrieval-augmented LLMs, judge the answers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

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
Estimate = Annotated[bool, typer.Option("--estimate", help="Print calls, tokens, money and time, and call nothing.")]
NONE: list[str] = []


def main() -> None:
    """Entry point: expected errors in one line, without a traceback, and the exit codes of the documentation."""
    _prepare_streams()
    try:
        app()
    except RagtesterError as error:
        _tell(str(error))
        sys.exit(error.exit_code)
    except OSError as error:
        # A full disk, a missing right, a closed pipe: wherever it is met, the rows that stand are whole.
        _tell(f"{error.filename or 'input or output'}: {error.strerror or error}; mend that, then start again")
        sys.exit(3)
    except SystemExit as done:
        if done.code == INTERRUPTED:
            typer.echo("ragtester: stopped; the same command goes on where it was", err=True)
        raise


def _prepare_streams() -> None:
    """Let every text be written: no stream is missing, and what its encoding lacks is written as an escape."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open until the end
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _tell(message: str) -> None:
    from ragtester.console import plain

    typer.echo(f"ragtester: {plain(message)}", err=True)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("ragtester-pipeline"))
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Mass-produce test suites from documents, run them against RAG systems, judge the answers."""


@app.command()
def init(directory: Annotated[Path, typer.Argument(help="Folder of the new workspace.")] = Path()) -> None:
    """Write a starter workspace: a commented ragtester.toml and its folders."""
    from ragtester.starter import write_workspace

    for line in write_workspace(directory):
        typer.echo(line)


@app.command()
def documents(
    workspace: Folder = Path(),
    overrides: Overrides = NONE,
    count: Annotated[int, typer.Option("--count", help="How many documents to write.")] = -1,
    max_cost: MaxCost = 0,
    max_calls: MaxCalls = 0,
    quiet: Quiet = False,
    overwrite: Overwrite = False,
) -> None:
    """Write documents (D_gen): Markdown by a model, then PDF in mixed layouts."""
    extra = [f"documents.count={count}"] if count >= 0 else []
    project = _open(workspace, [*overrides, *extra, *_limits(max_cost, max_calls)], quiet)
    _finish([project.documents(overwrite=overwrite)], project)


@app.command()
def cases(
    workspace: Folder = Path(),
    corpus: Corpus = NONE,
    technique: Technique = "",
    overrides: Overrides = NONE,
    max_cost: MaxCost = 0,
    max_calls: MaxCalls = 0,
    quiet: Quiet = False,
    overwrite: Overwrite = False,
) -> None:
    """Documents become test cases: corpora/ -> generated/."""
    extra = _text_setting("cases.technique", technique)
    project = _open(workspace, [*overrides, *extra, *_limits(max_cost, max_calls)], quiet)
    _finish([project.cases(corpus, overwrite=overwrite)], project)


@app.command()
def execute(
    workspace: Folder = Path(),
    run: RunName = "",
    technique: Technique = "",
    overrides: Overrides = NONE,
    max_cost: MaxCost = 0,
    max_calls: MaxCalls = 0,
    quiet: Quiet = False,
    overwrite: Overwrite = False,
    retry_failed: RetryFailed = False,
) -> None:
    """Every case to every system: generated/ -> answers/."""
    extra = _text_setting("execute.technique", technique)
    extra += _run_settings(run, retry_failed) + _limits(max_cost, max_calls)
    project = _open(workspace, [*overrides, *extra], quiet)
    _finish([project.execute(overwrite=overwrite)], project)


@app.command()
def judge(
    workspace: Folder = Path(),
    run: RunName = "",
    overrides: Overrides = NONE,
    max_cost: MaxCost = 0,
    max_calls: MaxCalls = 0,
    quiet: Quiet = False,
    overwrite: Overwrite = False,
    retry_failed: RetryFailed = False,
) -> None:
    """Judge every answer: answers/ -> verdicts/."""
    extra = _run_settings(run, retry_failed) + _limits(max_cost, max_calls)
    project = _open(workspace, [*overrides, *extra], quiet)
    _finish([project.judge(overwrite=overwrite)], project)


@app.command("run")
def run_all(
    workspace: Folder = Path(),
    corpus: Corpus = NONE,
    run: RunName = "",
    overrides: Overrides = NONE,
    estimate: Estimate = False,
    max_cost: MaxCost = 0,
    max_calls: MaxCalls = 0,
    quiet: Quiet = False,
    overwrite: Overwrite = False,
    retry_failed: RetryFailed = False,
) -> None:
    """The four stages in order."""
    extra = _run_settings(run, retry_failed) + _limits(max_cost, max_calls)
    project = _open(workspace, [*overrides, *extra], quiet)
    if estimate:
        from ragtester.estimate import estimate_run, print_estimate

        print_estimate(estimate_run(project.workspace, project.settings, corpus), _stdout())
        return
    _finish(project.run(corpus, overwrite=overwrite), project)


@app.command()
def demo(
    corpus: Annotated[str, typer.Option("--corpus", help="Your documents; left out, the sample corpus.")] = "",
    into: Annotated[Path, typer.Option("--into", help="Folder for the demo's workspaces.")] = Path("demo"),
    quiet: Quiet = False,
) -> None:
    """The pipeline without key, network or cost."""
    from ragtester.demo import make_workspace, run_demo

    folder = make_workspace(corpus, into)
    project = _open(folder, [], quiet)
    _finish(run_demo(project), project)


@app.command()
def doctor(workspace: Folder = Path(), overrides: Overrides = NONE) -> None:
    """What is missing and how to mend it: packages, keys (never shown), servers, models."""
    from ragtester.doctor import examine, print_findings

    project = _open(workspace, overrides, quiet=True)
    findings = examine(project.workspace, project.settings)
    print_findings(findings, _stdout())
    if any(finding.needed and not finding.ok for finding in findings):
        raise typer.Exit(1)


def _limits(max_cost: float, max_calls: int) -> list[str]:
    found = [f"limits.max_cost={float(max_cost)}"] if max_cost else []
    return found + ([f"limits.max_calls={max_calls}"] if max_calls else [])


def _run_settings(run: str, retry_failed: bool) -> list[str]:
    return _text_setting("execute.run", run) + (
        ["execute.retry_failed=true", "judge.retry_failed=true"] if retry_failed else []
    )


def _text_setting(key: str, value: str) -> list[str]:
    """The override that sets `key` to exactly `value`; none where the option was not given."""
    from ragtester.settings import toml_text

    return [f"{key}={toml_text(value)}"] if value else []


def _open(folder: Path, overrides: list[str], quiet: bool) -> Project:
    from ragtester.api import Project
    from ragtester.console import make_progress, open_console

    return Project(folder, overrides, progress=make_progress(open_console(stderr=True), quiet))


def _stdout() -> Console:
    from ragtester.console import open_console

    return open_console()


def _finish(results: list[StageResult], project: Project) -> None:
    """Print the ledgers and, after a judgement, the summary; leave with the worst exit code."""
    from ragtester.summary import print_results

    project.progress.finish()
    print_results(results, project.workspace, project.settings, _stdout())
    code = max((result.exit_code for result in results), default=0)
    if code:
        raise typer.Exit(code)


def command_names() -> list[str]:
    """Names of all commands, for the documentation's tests."""
    group: Any = typer.main.get_command(app)
    return sorted(group.commands)

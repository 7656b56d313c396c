"""Commands of the main job: a workspace, the four stages, the demo, the doctor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragtester.cli.options import (
    NONE,
    ClosedBook,
    Corpus,
    Estimate,
    Folder,
    MaxCalls,
    MaxCost,
    Overrides,
    Overwrite,
    Quiet,
    RetryFailed,
    RunName,
    Technique,
    finish,
    limits,
    open_project,
    run_settings,
    show,
    stdout,
    text_setting,
)

app = typer.Typer()


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
    count: Annotated[int | None, typer.Option("--count", min=0, help="How many documents to write.")] = None,
    max_cost: MaxCost = 0,
    max_calls: MaxCalls = 0,
    quiet: Quiet = False,
    overwrite: Overwrite = False,
) -> None:
    """Write documents (D_gen): Markdown by a model, then PDF in mixed layouts."""
    extra = [f"documents.count={count}"] if count is not None else []
    project = open_project(workspace, [*overrides, *extra, *limits(max_cost, max_calls)], quiet)
    finish([project.documents(overwrite=overwrite)], project)


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
    extra = text_setting("cases.technique", technique)
    project = open_project(workspace, [*overrides, *extra, *limits(max_cost, max_calls)], quiet)
    finish([project.cases(corpus, overwrite=overwrite)], project)


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
    closed_book: ClosedBook = False,
) -> None:
    """Every case to every system: generated/ -> answers/."""
    extra = text_setting("execute.technique", technique)
    extra += run_settings(run, retry_failed) + limits(max_cost, max_calls)
    project = open_project(workspace, [*overrides, *extra], quiet)
    finish([project.execute(overwrite=overwrite, closed_book=closed_book)], project)


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
    closed_book: ClosedBook = False,
) -> None:
    """Judge every answer: answers/ -> verdicts/."""
    extra = run_settings(run, retry_failed) + limits(max_cost, max_calls)
    project = open_project(workspace, [*overrides, *extra], quiet)
    finish([project.judge(overwrite=overwrite, closed_book=closed_book)], project)


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
    closed_book: ClosedBook = False,
) -> None:
    """The four stages in order; with --closed-book the control comes after them."""
    extra = run_settings(run, retry_failed) + limits(max_cost, max_calls)
    extra += ["execute.closed_book=true"] if closed_book else []
    project = open_project(workspace, [*overrides, *extra], quiet)
    if estimate:
        from ragtester.estimate import estimate_run, print_estimate

        print_estimate(estimate_run(project.workspace, project.settings, corpus), stdout())
        return
    results = project.run(corpus, overwrite=overwrite)
    code = show(results, project)
    if any(result.stage == "judge" and result.ledger.ok for result in results):
        project.progress.note("every failure with its evidence: ragtester report; the tables: ragtester compare")
    if code:
        raise typer.Exit(code)


@app.command()
def demo(
    corpus: Annotated[str, typer.Option("--corpus", help="Your documents; left out, the sample corpus.")] = "",
    into: Annotated[Path, typer.Option("--into", help="Folder for the demo's workspaces.")] = Path("demo"),
    quiet: Quiet = False,
) -> None:
    """The pipeline without key, network or cost, the audit of its retrieval, and its report."""
    from ragtester.demo import lost_evidence, make_workspace, run_demo
    from ragtester.summary import shown
    from ragtester.tables.terminal import print_table

    folder = make_workspace(corpus, into)
    project = open_project(folder, [], quiet)
    results = run_demo(project)
    code = show(results, project)
    if any(result.stage == "judge" and result.ledger.ok for result in results):
        audited, table = lost_evidence(project)
        project.progress.finish()
        print_table(table, stdout())
        stdout().print(f"retrieval -> {shown(audited.output)}", soft_wrap=True)
        stdout().print(f"report    -> {shown(project.report().path)}", soft_wrap=True)
    if code:
        raise typer.Exit(code)


@app.command()
def doctor(
    workspace: Folder = Path(),
    overrides: Overrides = NONE,
    probe: Annotated[bool, typer.Option("--probe", help="Ask the target a question; tell what it reveals.")] = False,
) -> None:
    """What is missing and how to mend it: packages, keys (never shown), servers, models."""
    from ragtester.doctor import examine, print_findings

    project = open_project(workspace, overrides, quiet=True)
    findings = examine(project.workspace, project.settings, probe=probe)
    print_findings(findings, stdout())
    if any(finding.needed and not finding.ok for finding in findings):
        raise typer.Exit(1)

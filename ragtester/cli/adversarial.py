"""The command that asks adversarial fixtures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragtester.cli import adversarial_generate, options

if TYPE_CHECKING:
    from ragtester.api import Project
    from ragtester.progress import StageResult

app = typer.Typer()


@app.command()
def adversarial(
    workspace: options.Folder = Path(),
    run: options.RunName = "",
    fixtures: Annotated[
        list[str],
        typer.Option("--fixtures", metavar="PATH", help='Folder of fixtures, or "starter". Repeatable.'),
    ] = options.NONE,
    generate: adversarial_generate.Generate = False,
    generate_only: adversarial_generate.GenerateOnly = False,
    kinds: adversarial_generate.Kinds = options.NONE,
    per_document: adversarial_generate.PerDocument = 0,
    estimate: options.Estimate = False,
    full: Annotated[bool, typer.Option("--full", help="Print every fixture and system.")] = False,
    overrides: options.Overrides = options.NONE,
    max_cost: options.MaxCost = 0,
    max_calls: options.MaxCalls = 0,
    quiet: options.Quiet = False,
    overwrite: options.Overwrite = False,
    retry_failed: options.RetryFailed = False,
) -> None:
    """Ask every system about plausible wrong documents beside the right one: rerank, reground, or both?"""
    extra = options.run_settings(run, retry_failed) + options.limits(max_cost, max_calls)
    project = options.open_project(workspace, [*overrides, *extra], quiet)
    made = None
    if generate or generate_only:
        adversarial_generate.check(estimate=estimate)
        made = adversarial_generate.generate(
            project, kinds, per_document, overwrite=overwrite, retry_failed=retry_failed
        )
        if generate_only or made.stopped or not made.ledger.ok:
            raise typer.Exit(made.exit_code)
        fixtures = [*fixtures, str(made.output)]
    if estimate:
        from ragtester.estimate import print_estimate

        print_estimate(project.estimate_adversarial(fixtures), options.stdout())
        return
    results = project.adversarial(fixtures, overwrite=overwrite)
    _print(results[-1], project, full=full)
    code = max(result.exit_code for result in (*results, *([made] if made else [])))
    if code:
        raise typer.Exit(code)


def _print(result: StageResult, project: Project, *, full: bool) -> None:
    from ragtester.console import one_line
    from ragtester.stages.adversarial import adversarial_document
    from ragtester.summary import shown
    from ragtester.tables.terminal import print_document

    found = project.adversarial_result()
    assert found is not None
    project.progress.finish()
    print_document(adversarial_document(found, project.adversarial_rows(), full=full), options.stdout())
    ledger = result.ledger
    counts = f"{ledger.planned} planned = {ledger.ok} read + {ledger.failed} failed + {ledger.skipped} skipped"
    typer.echo(f"\nadversarial: {counts}")
    typer.echo(f"adversarial -> {shown(result.output)}")
    if result.stopped:
        typer.echo(one_line(f"stopped: {result.stopped}"))

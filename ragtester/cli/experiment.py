"""`ragtester experiment FILE`: variants of the query path against a baseline, and sweeps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragtester.cli import options

app = typer.Typer()


@app.command()
def experiment(
    file: Annotated[Path, typer.Argument(help="TOML file: a baseline, variants, a grid to sweep.")],
    workspace: options.Folder = Path(),
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print the searches and requests that are left, and do nothing.")
    ] = False,
    no_models: Annotated[
        bool, typer.Option("--no-models", help="Refuse an experiment that would ask a language model.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Print every flip and every setting.")] = False,
    overrides: options.Overrides = options.NONE,
    max_cost: options.MaxCost = 0,
    max_calls: options.MaxCalls = 0,
    quiet: options.Quiet = False,
    overwrite: options.Overwrite = False,
    retry_failed: options.RetryFailed = False,
) -> None:
    """Change one setting of the search at a time and compare with the baseline; or sweep a grid. Asks no LLM."""
    from ragtester.stages.experiment import experiment_document, read_experiment
    from ragtester.tables.terminal import print_document

    extra = options.run_settings("", retry_failed) + options.limits(max_cost, max_calls)
    project = options.open_project(workspace, [*overrides, *extra], quiet)
    asked = read_experiment(file)
    if estimate:
        print_document(project.estimate_experiment(asked, no_models=no_models), options.stdout())
        return
    results = project.experiment(asked, overwrite=overwrite, no_models=no_models)
    project.progress.finish()
    found = project.experiment_result(asked.name)
    if found is not None:
        print_document(experiment_document(*found, full=full), options.stdout())
    options.finish(results, project)

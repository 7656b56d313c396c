"""The options of `ragtester adversarial` that make fixtures from the suite first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ragtester.cli import options

if TYPE_CHECKING:
    from ragtester.api import Project
    from ragtester.progress import StageResult

Generate = Annotated[
    bool, typer.Option("--generate", help="First make fixtures from the suite's cases; then ask these.")
]
GenerateOnly = Annotated[bool, typer.Option("--generate-only", help="Make them and ask nothing.")]
Kinds = Annotated[
    list[str], typer.Option("--kind", metavar="KIND", help="A kind of fixture to make. Repeatable; left out, all.")
]
PerDocument = Annotated[
    int, typer.Option("--per-document", min=0, help="Cases of each document that a kind is made from. 0: as set.")
]


def check(*, estimate: bool) -> None:
    """Raise BadParameter where an estimate is asked for, which asks no model, together with the making."""
    if estimate:
        raise typer.BadParameter(
            "fixtures are asked after they are made: --generate-only first, then --estimate --fixtures FOLDER",
            param_hint="--estimate",
        )


def generate(
    project: Project, kinds: list[str], per_document: int, *, overwrite: bool, retry_failed: bool
) -> StageResult:
    """Make the fixtures and print what came of it."""
    from ragtester.console import one_line
    from ragtester.stages.stressors import stressors_document
    from ragtester.summary import shown
    from ragtester.tables.terminal import print_document

    result = project.generate_fixtures(kinds, per_document=per_document, overwrite=overwrite, retry_failed=retry_failed)
    project.progress.finish()
    print_document(stressors_document(result), options.stdout())
    typer.echo(f"fixtures -> {shown(result.output)}")
    if result.stopped:
        typer.echo(one_line(f"stopped: {result.stopped}"))
    return result

"""`make gate-demo`: a healthy run opens the gate; seeded regressions close it, each in the right layer.

Leaves with 0 only if all of that holds. Nothing but the embedded engine is asked: no key, no network, no cost.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from regressions import REGRESSIONS, WORKSPACES, Regression

from ragtester import Project
from ragtester.console import open_console
from ragtester.records import GateResult
from ragtester.stages.gate import first_cause, headline, screen
from ragtester.tables import Table
from ragtester.tables.terminal import print_table
from ragtester.workspace import slug

HEALTHY = "none"


@dataclass(frozen=True)
class Outcome:
    """What the gate said about one workspace."""

    name: str
    expected: str
    result: GateResult
    right: bool

    @property
    def row(self) -> tuple[str, ...]:
        """As the table has it."""
        closing: dict[str, dict[str, None]] = {}
        for check in self.result.checks:
            if check.closes:
                closing.setdefault(check.layer, {})[check.name] = None
        failing = "; ".join(f"{layer}: {', '.join(names)}" for layer, names in closing.items()) or "-"
        cause = first_cause(self.result.causes)
        state = "open" if self.result.open else "closed"
        return self.name, state, failing, cause.kind if cause else "-", self.expected, "yes" if self.right else "NO"


def main() -> int:
    """Make the workspaces, seed the regressions, print what came of them; 0 where all is as it should be."""
    parser = argparse.ArgumentParser(prog="gate_demo", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--into", type=Path, default=Path("demo/gate"), help="folder of the demo's workspaces")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this regression; repeatable")
    parser.add_argument("--screens", action="store_true", help="print the screen of every gate")
    given = parser.parse_args()
    wanted = [one for one in REGRESSIONS if not given.only or one.name in given.only]
    if not wanted:
        parser.error(f"no such regression; known: {', '.join(one.name for one in REGRESSIONS)}")
    for name in WORKSPACES:
        shutil.rmtree(given.into / name, ignore_errors=True)
    outcomes: list[Outcome] = []
    for name in dict.fromkeys(one.workspace for one in wanted):
        for outcome in _workspace(name, wanted, given.into):
            _tell(outcome, whole=given.screens)
            outcomes.append(outcome)
    columns = ("regression", "gate", "layer: failing checks", "first cause", "expected", "right")
    title = f"Healthy runs, and {len(wanted)} seeded regressions"
    console = open_console()
    print_table(Table("gate-demo", title, columns, tuple(one.row for one in outcomes), whole_names=True), console)
    console.print(f"workspaces -> {given.into}", markup=False, highlight=False, soft_wrap=True)
    return 0 if all(one.right for one in outcomes) else 1


def _workspace(name: str, wanted: list[Regression], into: Path) -> Iterator[Outcome]:
    """The first run of a workspace, a healthy second one, and the regressions that belong to it, one by one."""
    base = into / name / "main"
    WORKSPACES[name](base)
    project = Project(base)
    project.cases()
    first = project.gate("baseline")
    yield Outcome(f"{HEALTHY} ({name}, first)", "open", first, first.open)
    shutil.copytree(base, into / name / "healthy")
    again = Project(into / name / "healthy").gate("release")
    yield Outcome(f"{HEALTHY} ({name}, again)", "open", again, again.open)
    for one in wanted:
        if one.workspace == name:
            folder = into / name / slug(one.name)
            shutil.copytree(base, folder)
            one.change(folder)
            yield _seen(one, Project(folder).gate("release"))


def _seen(one: Regression, result: GateResult) -> Outcome:
    """Whether the layer that should see it fails, and the explanation on the screen begins with the right cause."""
    cause = first_cause(result.causes)
    layers = {check.layer for check in result.checks if check.closes}
    named = cause is not None and cause.kind == one.cause and cause.text in result.explanation[0]
    return Outcome(one.name, f"{one.layer}, {one.cause}", result, not result.open and one.layer in layers and named)


def _tell(outcome: Outcome, *, whole: bool) -> None:
    console = open_console()
    result = outcome.result
    closing = tuple(check for check in result.checks if check.closes)
    shown = result if whole else result.model_copy(update={"checks": closing})
    console.print(f"\n{outcome.name}", style="bold")
    lines = screen(shown, console.width)
    if not whole:
        next(lines)
        console.print(headline(result), markup=False, highlight=False, soft_wrap=True)
    for line, style in lines:
        console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())

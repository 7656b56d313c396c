"""`make gate-demo`: healthy runs are open, and each seeded regression closes the gate where it should."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ragtester import Project
from ragtester.records import GateResult
from tests.conftest import run_environment

EXPECTED = {
    "app": {
        "stale-index": ("coverage", "hidden contradictions", "index"),
        "prompt-edit": ("claims", "unsupported", "prompt"),
        "dropped-chunk": ("retrieval", "recall", "index"),
        "judge-swap": ("drift", "judge", "judge"),
        "weaker-model": ("claims", "contradicted", "model"),
    },
    "engine": {"score-floor": ("adversarial", "recall", "settings")},
}
UNCHANGED = """
import runpy, sys
from dataclasses import replace
sys.path.insert(0, "examples/gate_demo")
import regressions
changed = [one for one in regressions.REGRESSIONS if one.name == "prompt-edit"]
regressions.REGRESSIONS = tuple(replace(one, change=lambda folder: None) for one in changed)
sys.argv = ["gate_demo", "--into", sys.argv[1]]
runpy.run_path("examples/gate_demo", run_name="__main__")
"""


def run(repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # Without a revision: a commit in the midst of the demo would be a cause of its own, and the first one.
    environment = {**run_environment(), "COLUMNS": "100", "GIT_DIR": os.devnull}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=repository, env=environment
    )


def decided(folder: Path, gate: str = "release", name: str = "candidate") -> GateResult:
    found = Project(folder).gate_result(gate, name)
    assert found is not None
    return found


@pytest.mark.slow
@pytest.mark.parametrize("workspace", EXPECTED)
def test_every_regression_is_seen_where_it_should_be(workspace: str, repository: Path, tmp_path: Path) -> None:
    wanted = EXPECTED[workspace]
    only = [part for name in wanted for part in ("--only", name)]
    done = run(repository, "examples/gate_demo", "--into", str(tmp_path), *only)
    assert done.returncode == 0, done.stdout + done.stderr
    assert decided(tmp_path / workspace / "main", "baseline", "main").open
    assert decided(tmp_path / workspace / "healthy").open
    for name, (layer, check, cause) in wanted.items():
        result = decided(tmp_path / workspace / name)
        assert (layer, check) in {(one.layer, one.name) for one in result.checks if one.closes}, name
        assert result.causes[0].kind == cause, name
        assert name in done.stdout
    assert {path.name for path in (tmp_path / workspace).iterdir()} == {"main", "healthy", *wanted}


@pytest.mark.slow
def test_a_regression_that_changes_nothing_is_not_seen(repository: Path, tmp_path: Path) -> None:
    """The demo's verdict comes from the gate: where nothing is changed it says that nothing was seen."""
    done = run(repository, "-c", UNCHANGED, str(tmp_path))
    assert done.returncode == 1, done.stdout + done.stderr
    assert decided(tmp_path / "app" / "prompt-edit").open

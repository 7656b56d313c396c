"""The recipes for CI servers: they are YAML, stand in the page as they are, and their shell lines run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import run_environment

RECIPES = ("github-actions.yml", "gitlab-ci.yml")
SETTINGS = """\
[workspace]
corpus = "documents"
suite = "demo"

[cases]
per_document = 3

[execute.index]
scope = "corpus"

[[execute.groups]]
llms = ["embedded:rules"]
embeddings = ["embedded:hashing"]

[gates.pull-request]
layers = ["claims", "coverage"]
min_coverage = {limit}
"""
NOT_RUN = ("python -m pip install", "gh pr comment")
"""The parts that need a network."""


def recipe(repository: Path, name: str) -> Any:
    return yaml.safe_load((repository / "docs" / "examples" / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", RECIPES)
def test_the_page_shows_the_recipe_as_it_is(name: str, repository: Path) -> None:
    page = (repository / "docs" / "gate.md").read_text(encoding="utf-8")
    text = (repository / "docs" / "examples" / name).read_text(encoding="utf-8")
    assert f"```yaml\n{text}```" in page


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_installs_what_the_project_is_called(name: str, repository: Path) -> None:
    text = (repository / "docs" / "examples" / name).read_text(encoding="utf-8")
    called = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]
    assert re.findall(r"pip install (\S+)", text) == [called]


def steps(repository: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = recipe(repository, "github-actions.yml")["jobs"]["gate"]["steps"]
    return found


def test_what_later_steps_take_was_made_and_they_run_after_a_closed_gate(repository: Path) -> None:
    named = {step.get("name"): step for step in steps(repository)}
    made = set(
        re.findall(r"--(?:json|junit|markdown|out) (\S+)", " ".join(step.get("run", "") for step in steps(repository)))
    )
    kept = named["Keep the decision and the report"]["with"]["path"].split()
    assert set(kept) == made | {"gates/"}
    later = list(named)[list(named).index("Gate") + 1 :]
    assert all(str(named[name]["if"]).startswith("always()") for name in later)


def test_the_gitlab_recipe_runs_the_same_gate(repository: Path) -> None:
    def words(text: str) -> list[str]:
        return text.replace("\\\n", " ").split()

    own = recipe(repository, "gitlab-ci.yml")["gate"]
    named = {step.get("name"): step for step in steps(repository)}
    assert words(own["script"][0]) == words(named["Gate"]["run"])
    assert words(own["after_script"][0]) == words(named["Report"]["run"])
    assert own["artifacts"]["reports"]["junit"] == "gate.xml"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a suite, as it stands in a repository."""
    folder = tmp_path_factory.mktemp("recipe") / "workspace"
    root = Path(__file__).parents[1]
    (folder / "documents").mkdir(parents=True)
    for name in ("ferry-tariff.md", "library-rules.md"):
        shutil.copy(root / "examples" / "gate_demo" / "documents" / name, folder / "documents")
    (folder / "ragtester.toml").write_text(SETTINGS.format(limit=0.01), encoding="utf-8")
    shell("ragtester cases --quiet", folder, {})
    return folder


def shell(text: str, folder: Path, more: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run lines as GitHub's runner does: `bash -eo pipefail`; `ragtester` is that of this environment."""
    scripts = Path(sys.executable).parent
    environment = {**run_environment(), "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", **more}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)


@pytest.mark.parametrize(("limit", "code", "head"), [(0.01, 0, "## ✅"), (0.99, 1, "## ❌")])
def test_the_shell_lines_of_the_github_recipe_run(
    limit: float, code: int, head: str, workspace: Path, repository: Path, tmp_path: Path
) -> None:
    """All but the installation and the comment; the answers cite one of the chunks that they saw."""
    (workspace / "ragtester.toml").write_text(SETTINGS.format(limit=limit), encoding="utf-8")
    summary = tmp_path / "summary.md"
    named = {"GATE": "pull-request", "RUN": "pr-7", "GITHUB_STEP_SUMMARY": str(summary)}
    ran = []
    for step in steps(repository):
        lines = step.get("run", "")
        if not lines or any(part in lines for part in NOT_RUN):
            continue
        done = shell(lines, workspace, named)
        assert done.returncode == (code if step["name"] == "Gate" else 0), done.stdout + done.stderr
        ran.append(step["name"])
    assert ran == ["Gate", "Report", "Summary"]
    assert summary.read_text(encoding="utf-8").startswith(head)
    for name in ("gate.json", "gate.xml", "gate.md", "report.html", "gates/pull-request/pr-7/result.json"):
        assert (workspace / name).is_file(), name

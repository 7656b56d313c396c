"""Which revision of the code stands in a manifest."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ragtester.provenance import revision


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Somebody's repository with one commit, and a package that is installed below it and ignored."""
    root = tmp_path / "theirs"
    installed = root / ".venv" / "lib" / "ragtester"
    installed.mkdir(parents=True)
    (installed / "provenance.py").write_text("", encoding="utf-8")
    (root / "code").mkdir()
    (root / "code" / "app.py").write_text("", encoding="utf-8")
    (root / ".gitignore").write_text(".venv/\n", encoding="utf-8")
    git(root, "init", "-q")
    git(root, "add", ".gitignore", "code")
    git(root, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "first")
    return root


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_a_package_installed_below_a_repository_is_no_part_of_it(repository: Path) -> None:
    # Else every commit of the user's would read as another ragtester.
    assert revision(repository / ".venv" / "lib" / "ragtester") == (None, None)


def test_code_in_a_repository_has_its_revision(repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD").strip()
    assert revision(repository / "code") == (head, False)


def test_no_repository_no_revision(tmp_path: Path) -> None:
    assert revision(tmp_path) == (None, None)

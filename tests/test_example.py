"""What is committed as an example is what today's code makes: files, printed summary and the README's Python."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ragtester.settings import load_settings
from ragtester.workspace import Workspace
from tests.test_cli import TEXT, ragtester

ROOT = Path(__file__).parents[1]
FOLDERS = ("generated", "answers", "verdicts")


def rows(folder: Path) -> dict[str, list[Any]]:
    """Every row below the three folders, by file."""
    paths = [path for name in FOLDERS for path in sorted((folder / name).rglob("*.jsonl"))]
    return {
        path.relative_to(folder).as_posix(): [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for path in paths
    }


class NearText:
    """A text whose decimal numbers may differ in the last digit."""

    NUMBER = re.compile(r"-?\d+\.\d+")

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, str) or self.NUMBER.split(self.text) != self.NUMBER.split(other):
            return False
        mine, others = ([float(one) for one in self.NUMBER.findall(text)] for text in (self.text, other))
        return mine == pytest.approx(others, abs=2e-5)

    __hash__ = None  # type: ignore[assignment]


def near(value: Any) -> Any:
    """Similarities may differ in the last digit from processor to processor; nothing else may."""
    if isinstance(value, float):
        return pytest.approx(value, abs=2e-5)
    if isinstance(value, str) and NearText.NUMBER.search(value):
        return NearText(value)
    if isinstance(value, list):
        return [near(one) for one in value]
    return {key: near(one) for key, one in value.items()} if isinstance(value, dict) else value


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("example")
    done = ragtester(folder, "demo")
    assert done.returncode == 0, done.stderr
    return folder / "demo" / "sample", done.stdout


def test_todays_code_makes_the_committed_files(demo: tuple[Path, str]) -> None:
    made, committed = rows(demo[0]), rows(ROOT)
    assert sorted(made) == sorted(committed)
    for name, expected in committed.items():
        assert made[name] == near(expected), name
    texts = sorted((ROOT / "generated").rglob("*.txt"))
    assert texts
    for path in texts:
        assert (demo[0] / path.relative_to(ROOT)).read_bytes() == path.read_bytes()


def test_what_commands_write_in_the_root_is_the_sample_or_ignored() -> None:
    """Each folder of a workspace: else a newcomer who tries the examples here leaves files that git wants."""
    here = Workspace(ROOT)
    made = (here.suite(""), here.answers(""), here.verdicts(""), here.audits(""), here.experiment(""), here.reports(""))
    written = {path.relative_to(ROOT).parts[0] for path in made} | {here.private.name}
    ignored = {line.strip("/") for line in (ROOT / ".gitignore").read_text("utf-8").splitlines()}
    assert written - set(FOLDERS) <= ignored
    tree = (ROOT / "README.md").read_text("utf-8").partition("## Reading the output")[2]
    assert [name for name in sorted(written) if f"{name}/ " not in tree] == [here.private.name]


def test_the_demo_and_the_root_have_the_same_settings(demo: tuple[Path, str]) -> None:
    root, made = (load_settings(folder).model_dump() for folder in (ROOT, demo[0]))
    root["workspace"].pop("corpus")
    made["workspace"].pop("corpus")
    assert root == made


def test_the_readme_shows_what_the_demo_prints(demo: tuple[Path, str]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"<!-- demo output -->\n```text\n(.*?)```", readme, re.S)
    assert shown
    assert [line.rstrip() for line in shown[1].splitlines()] == [line.rstrip() for line in demo[1].splitlines()]


def test_the_readmes_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my-tests" / "corpora").mkdir(parents=True)
    (tmp_path / "my-tests" / "corpora" / "boiler.md").write_text(TEXT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    assert code
    names: dict[str, Any] = {}
    exec(code[1], names)
    assert [result.stage for result in names["project"].run()] == ["documents", "cases", "execute", "judge"]
    assert all(case.endswith(tuple("0123456789")) for case in names["failed"])

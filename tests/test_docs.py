"""The documentation says what the code does."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ragtester import records
from ragtester.cli import app, command_names
from ragtester.settings import Settings

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def documented_records() -> dict[str, list[str]]:
    """Record name -> fields in the order of the tables of docs/files.md."""
    found: dict[str, list[str]] = {}
    for block in re.split(r"^## ", (ROOT / "docs" / "files.md").read_text(encoding="utf-8"), flags=re.M)[1:]:
        name = block.splitlines()[0].strip()
        rows = re.findall(r"^\| (`[^|]*) \|", block, flags=re.M)
        found[name] = [field for row in rows for field in re.findall(r"`(\w+)`", row)]
    return found


@pytest.mark.parametrize("name", sorted(documented_records()))
def test_files_page_lists_the_fields_in_order(name: str) -> None:
    assert documented_records()[name] == list(getattr(records, name).model_fields)


def test_every_command_is_in_the_readme_and_has_help() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in command_names():
        assert f"ragtester {name}" in readme, name
        done = CliRunner().invoke(app, [*name.split(), "--help"])
        assert done.exit_code == 0
        assert len(done.output) > 100


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_options_in_the_docs_exist(page: Path) -> None:
    for first, second, rest in re.findall(r"\bragtester ([a-z]+)(?: ([a-z]+))?\b([^`\n#]*)", _commands(page)):
        name = f"{first} {second}" if f"{first} {second}" in command_names() else first
        groups = {each.split()[0] for each in command_names()}
        assert name in command_names() or (not second and name in groups), f"{page.name}: ragtester {name} {second}"
        known = CliRunner().invoke(app, [*name.split(), "--help"], env={"COLUMNS": "200"}).output
        for option in re.findall(r"(?<!\S)--[a-z-]+", rest):
            assert option in known, f"{page.name}: ragtester {name} {option}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_settings_in_the_docs_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for table, key in re.findall(r"`?\[(documents|reading|cases|execute|judge|limits|workspace)\] (\w+)", text):
        fields = type(getattr(Settings(), table)).model_fields
        assert key in fields, f"{page.name}: [{table}] {key}"


def _commands(page: Path) -> str:
    """Code of a page: fenced blocks and inline code, one piece a line."""
    text = page.read_text(encoding="utf-8")
    fenced = re.findall(r"```(?:sh|console|bash)\n(.*?)```", text, flags=re.S)
    rest = re.sub(r"```.*?```", "", text, flags=re.S)
    return "\n".join([*fenced, *re.findall(r"`([^`\n]+)`", rest)])


def test_every_direct_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [re.split(r"[\[><=~!]", line)[0] for line in project["dependencies"]]
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    table = page.partition("direct dependency")[2].partition("The extra")[0]
    assert re.findall(r"^\| ([a-z][a-z0-9-]+) \|", table, flags=re.M) == declared

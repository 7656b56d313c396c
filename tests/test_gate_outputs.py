"""The gate's screen, JSON, JUnit XML, Markdown and exit code: the same decision in each, whatever names are called."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import markdown as commonmark
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from typer.testing import CliRunner

from ragtester import Project
from ragtester.cli import app
from ragtester.errors import ChangedInputsError, StorageError, UsageError
from ragtester.exports import gate_junit
from ragtester.gates import Wanted, choose, write
from ragtester.gates import decide as run_gate
from ragtester.pipeline import Spent, budget, one_budget
from ragtester.progress import StageResult
from ragtester.records import Cause, GateCheck, GateResult, Ledger
from ragtester.settings import GateSettings
from ragtester.stages.gate import screen, summary
from ragtester.storage import read_json
from ragtester.tables.markdown import escape
from ragtester.waiting import wait_for
from tests import gate_workspace as made
from tests.report_workspace import EVIL, RUN

ALL = "\n".join(
    f"{name} = {value}"
    for name, value in {
        "min_pass_rate": 0.7,
        "max_unsupported": 0.05,
        "max_contradicted": 0.02,
        "max_poison": 0.2,
        "min_adversarial_recall": 0.7,
        "min_coverage": 0.3,
        "max_silent": 0.8,
        "max_hiding": 0.2,
        "min_recall": 0.7,
    }.items()
)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge's; nothing is asked here."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")


def check(status: Any = "pass", text: str = "fine", layer: Any = "run", name: str = "rows") -> GateCheck:
    return GateCheck(layer=layer, name=name, status=status, text=text)


def result(*checks: GateCheck, **changes: Any) -> GateResult:
    known: dict[str, Any] = {
        "gate": "release",
        "run": "main",
        "layers": ("run", "claims"),
        "checks": checks,
        "open": not any(one.closes for one in checks),
        "started": "2026-01-01T10:00:00Z",
        "ended": "2026-01-01T10:01:30Z",
    }
    return GateResult(**(known | changes))


def gate(root: Path, *options: str) -> Any:
    return CliRunner().invoke(app, ["gate", "-w", str(root), *options], env={"COLUMNS": "80"})


def test_an_open_gate_leaves_with_0_and_says_so_first(tmp_path: Path) -> None:
    made.healthy(tmp_path)
    done = gate(tmp_path, "--suite", "release", "--no-run")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0] == "Gate release: OPEN (every check passed); run run"


def test_a_closed_gate_leaves_with_1(tmp_path: Path) -> None:
    made.healthy(tmp_path, "max_contradicted = 0.02")
    done = gate(tmp_path, "--no-run")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0].startswith("Gate release: CLOSED (1 of ")
    assert "✗ FAIL" in done.stdout


@pytest.mark.parametrize("options", [["--suite", "releas"], ["--run", "x.closed-book"], ["--set", "gates.release.x=1"]])
def test_bad_usage_leaves_with_2(options: list[str], tmp_path: Path) -> None:
    made.healthy(tmp_path)
    done = gate(tmp_path, "--no-run", *options)
    assert getattr(done.exception, "exit_code", None) == 2


def test_a_setting_of_the_gate_can_be_changed_for_one_call(tmp_path: Path) -> None:
    made.healthy(tmp_path)
    assert gate(tmp_path, "--no-run", "--set", "gates.release.max_poison=0.1").exit_code == 1


def test_a_normal_gate_fits_one_screen(tmp_path: Path) -> None:
    """All layers, every limit set, one of them breached: 40 lines of 80 columns."""
    made.healthy(tmp_path, ALL)
    done = gate(tmp_path, "--no-run")
    lines = done.stdout.splitlines()
    assert len(lines) <= 40, done.stdout
    assert max(map(cell_len, lines[:-1])) <= 80  # the last names a folder
    for layer in ("run", "claims", "adversarial", "coverage", "retrieval"):
        assert sum(line[8:20].strip() == layer for line in lines) == 1


def test_every_output_holds_the_same_decision(tmp_path: Path) -> None:
    made.healthy(tmp_path, ALL)
    names = {"json": tmp_path / "gate.json", "junit": tmp_path / "gate.xml", "markdown": tmp_path / "gate.md"}
    gate(tmp_path, "--no-run", *(part for name, path in names.items() for part in (f"--{name}", str(path))))
    found = read_json(names["json"], GateResult)
    assert found is not None
    assert found == Project(tmp_path).gate_result("release")
    assert not found.open
    suites = ElementTree.parse(names["junit"]).getroot()
    assert suites.attrib["tests"] == str(len(found.checks)) == str(len(list(suites.iter("testcase"))))
    assert suites.attrib["failures"] == str(len(list(suites.iter("failure")))) == "1"
    assert suites.attrib["errors"] == "0"
    text = names["markdown"].read_text(encoding="utf-8")
    assert text == summary(found)
    assert text.startswith("## ❌ Gate release: CLOSED (1 of ")
    folder = Project(tmp_path).workspace.gate("release", RUN)
    assert {path.name for path in folder.iterdir()} == {"result.json", "result.md", "junit.xml"}


def test_junit_has_a_suite_a_layer_and_counts_that_add_up() -> None:
    found = result(
        check(),
        check("fail", "2 of 8", "claims", "unsupported"),
        check("error", "no result", "claims", "missing"),
        check("error", "no result either", "claims", "missing"),
        check("warn", "not pinned", "claims", "pinned judge"),
        explanation=("the prompt changed",),
    )
    root = ElementTree.fromstring(gate_junit(found))
    assert root.attrib == {
        "name": "ragtester gate release",
        "tests": "5",
        "failures": "1",
        "errors": "2",
        "time": "90.000",
    }
    suites = [(one.attrib["name"], one.attrib["tests"], one.attrib["failures"], one.attrib["errors"]) for one in root]
    assert suites == [("gate release: run", "1", "0", "0"), ("gate release: claims", "4", "1", "2")]
    cases = [(one.attrib["classname"], one.attrib["name"], [part.tag for part in one]) for one in root.iter("testcase")]
    assert cases == [
        ("gate release.run", "rows", []),
        ("gate release.claims", "unsupported", ["failure"]),
        ("gate release.claims", "missing", ["error"]),
        ("gate release.claims", "missing (2)", ["error"]),
        ("gate release.claims", "pinned judge", ["system-out"]),
    ]
    failed = root.find(".//failure")
    assert failed is not None
    assert (failed.attrib["message"], failed.text) == ("2 of 8", "2 of 8\nthe prompt changed")
    # Why stands once, in the first that closes the gate.
    assert [one.text for one in root.iter("error")] == ["no result", "no result either"]


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_junit_is_read_back_whatever_names_are_called(texts: list[str]) -> None:
    checks = [check("fail", text, name=text or "x") for text in texts]
    root = ElementTree.fromstring(gate_junit(result(*checks, gate=texts[0], explanation=tuple(texts))))
    assert len(list(root.iter("failure"))) == len(texts)


@pytest.mark.parametrize("evil", [*EVIL, "| a | b |", "# head", "[x](http://evil.example)", "@here `code` ~~~", "$x$"])
def test_markdown_shows_hostile_names_and_follows_none(evil: str) -> None:
    found = result(
        check("fail", f"text {evil}", name=f"name {evil}"),
        gate=evil,
        run=evil,
        explanation=(evil,),
        advice=(evil,),
        causes=(Cause(kind="prompt", what=evil, text=evil),),
    )
    text = summary(found)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert all(row.replace("\\|", "").count("|") == 5 for row in rows)
    page = commonmark.markdown(text, extensions=["tables"])
    for mark in ("<script", "<img", "<svg", "<style", "<a ", "<code", "<h1"):
        assert mark not in page
    assert page.count("<h2>") == 1


@pytest.mark.parametrize("evil", ["@octocat", "ask @org/team now", "(@all)", "_@here_", "x|@all"])
def test_markdown_that_is_posted_tells_nobody(evil: str) -> None:
    """Sites look for mentions in the text that is shown, after escapes and entities are resolved."""
    found = result(check("fail", evil, name=evil), gate=evil, run=evil, explanation=(evil,), advice=(evil,))
    shown = html.unescape(re.sub(r"<[^>]+>", "", commonmark.markdown(summary(found), extensions=["tables"])))
    assert re.search(r"@\w", shown) is None
    assert shown.replace("\u200b", "").count("@") >= 5


def test_an_address_and_a_digest_stay_as_they_are() -> None:
    assert escape("me@example.org, model@sha256:ab") == "me@example.org, model@sha256:ab"


def test_json_comes_back_as_it_was(tmp_path: Path) -> None:
    found = result(
        check("warn", EVIL[5]),
        GateCheck(
            layer="claims",
            name="x",
            status="fail",
            text="t",
            value=0.1,
            n=3,
            low=0.0,
            high=0.5,
            limit=0.05,
            too_small=True,
        ),
        causes=(Cause(kind="index", what="text a", before={"x": [1]}, after=None, text="changed"),),
        advice=("do",),
    )
    write(found, json=tmp_path / "a.json")
    assert read_json(tmp_path / "a.json", GateResult) == found
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["checks"][1]["limit"] == 0.05


def test_the_screen_shows_nothing_that_steers_a_terminal() -> None:
    shown = "\n".join(line for line, _ in screen(result(check("fail", "a\x1b[31mb\u202ec")), 80))
    assert "\x1b" not in shown
    assert "\u202e" not in shown


class Made:
    """A project whose layers do what a test says."""

    def __init__(self, **what: Any) -> None:
        self.what, self.calls = what, list[str]()

    def __getattr__(self, name: str) -> Any:
        def step(*, overwrite: bool = False) -> StageResult:
            self.calls.append(f"{name} overwrite" if overwrite else name)
            found = self.what.get(name)
            if isinstance(found, Exception):
                raise found
            return StageResult(name, Ledger(planned=0), Path(), stopped=found or "")

        return step


def lines_of(found: GateResult) -> list[str]:
    return [f"{one.layer} | {one.name} | {one.text}" for one in found.checks if one.closes]


def run(root: Path, layers: Made, **options: Any) -> GateResult:
    project = Project(root)
    wanted = Wanted(**options)
    return run_gate(project.workspace, choose(project.settings, "", wanted), layers, wanted)


def test_what_is_missing_is_made_in_order(tmp_path: Path) -> None:
    made.healthy(tmp_path)
    layers = Made()
    assert run(tmp_path, layers, overwrite=True).open
    assert layers.calls == [
        "execute overwrite",
        "judge overwrite",
        "audit_claims overwrite",
        "adversarial overwrite",
        "audit_coverage overwrite",
        "audit_retrieval",
    ]
    layers = Made()
    run(tmp_path, layers, no_run=True)
    assert layers.calls == []


def test_only_layers_of_the_gate_are_made(tmp_path: Path) -> None:
    made.healthy(tmp_path)
    path = tmp_path / "ragtester.toml"
    text = path.read_text(encoding="utf-8").partition("[gates.release]")[0]
    path.write_text(text + '[gates.release]\nlayers = ["coverage"]\n', encoding="utf-8")
    layers = Made()
    run(tmp_path, layers)
    assert layers.calls == ["execute", "judge", "audit_coverage"]


def test_a_layer_that_cannot_be_made_closes_the_gate_and_the_others_go_on(tmp_path: Path) -> None:
    workspace = made.healthy(tmp_path)
    (made.folder(workspace, "claims") / "result.json").unlink()
    layers = Made(audit_claims=ChangedInputsError("made from other\n inputs"))
    assert lines_of(run(tmp_path, layers)) == ["claims | not made | made from other inputs"]
    assert layers.calls[-1] == "audit_retrieval"


def test_an_old_result_does_not_stand_in_for_a_layer_that_could_not_be_made(tmp_path: Path) -> None:
    made.healthy(tmp_path)
    found = run(tmp_path, Made(adversarial=ChangedInputsError("fixtures changed")))
    assert lines_of(found) == ["adversarial | not made | fixtures changed"]


def test_a_stop_at_a_limit_closes_the_gate(tmp_path: Path) -> None:
    made.healthy(tmp_path)
    layers = Made(judge="limit: 5 calls")
    found = run(tmp_path, layers)
    assert lines_of(found) == [
        f"{layer} | not made | stopped: limit: 5 calls" for layer in ("claims", "adversarial", "coverage", "retrieval")
    ]
    assert layers.calls == ["execute", "judge"]


def test_what_no_check_can_speak_of_is_raised(tmp_path: Path) -> None:
    made.healthy(tmp_path)
    with pytest.raises(StorageError):
        run(tmp_path, Made(audit_coverage=StorageError("disk full")))
    with pytest.raises(UsageError):
        run(tmp_path, Made(execute=UsageError("no case")))


@pytest.mark.parametrize("stage", ["execute", "judge"])
def test_a_run_of_other_inputs_closes_the_gate_and_is_told_in_its_files(tmp_path: Path, stage: str) -> None:
    made.healthy(tmp_path)
    layers = Made(**{stage: ChangedInputsError("the prompt\n changed")})
    layer_lines = [
        f"{layer} | not made | not made, for the run was refused"
        for layer in ("claims", "adversarial", "coverage", "retrieval")
    ]
    assert lines_of(run(tmp_path, layers)) == ["run | not made | the prompt changed", *layer_lines]
    assert layers.calls[-1] == stage


def test_every_setting_of_a_gate_stands_in_its_page(repository: Path) -> None:
    page = (repository / "docs" / "gate.md").read_text(encoding="utf-8")
    for name in GateSettings.model_fields:
        assert f"`{name}`" in page, name


def test_all_that_a_gate_runs_counts_against_the_limits_together() -> None:
    assert budget() is not budget()
    with one_budget():
        shared = budget()
        assert wait_for(_budget()) is shared
    assert budget() is not shared


async def _budget() -> Spent:
    return budget()

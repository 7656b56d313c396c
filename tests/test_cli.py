"""The command line: what it prints where, and how it leaves."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragtester.cli import entry
from ragtester.cli.options import text_setting
from ragtester.settings import load_settings
from tests.conftest import run_environment

TEXT = """# Boiler room rules

The pressure of the main boiler must stay below 8.5 bar. The night warden checks the gauge every 45 minutes and signs
the log. If the gauge shows more than 8.5 bar, the warden opens the relief valve on the north wall.

The spare key hangs in the porter's lodge. It was last replaced on 14 March 2021 by the firm Holm and Sons. Visitors
never receive the key, except for inspectors of the insurance company.

The boiler is cleaned twice a year, in April and in October, because lime settles in the lower pipes. Cleaning takes
two days and costs 1,240 crowns.

Ash is carried to the pit behind the coal store. The pit holds 3 tonnes. When it is full, the caretaker calls the
haulier, who comes within 48 hours.
"""


def rows_of(workspace: Path, pattern: str) -> list[dict[str, Any]]:
    paths = sorted(workspace.glob(pattern))
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def ragtester(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ragtester", *arguments],
        cwd=folder,
        env={**run_environment(), "COLUMNS": "100", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "boiler.md").write_text(TEXT, encoding="utf-8")
    (tmp_path / "corpora" / "copy.txt").write_text(TEXT.replace("boiler", "kettle"), encoding="utf-8")
    (tmp_path / "ragtester.toml").write_text("[cases]\nper_document = 4\n", encoding="utf-8")
    return tmp_path


def test_the_four_stages_leave_rows_for_everything(workspace: Path) -> None:
    done = ragtester(workspace, "run")
    assert done.returncode in (0, 3), done.stderr
    cases = rows_of(workspace, "generated/main/*/*.jsonl")
    made = [case for case in cases if case["status"] == "ok"]
    assert len(cases) == 2 * 2 * 4  # documents × techniques × per_document
    assert len(rows_of(workspace, "answers/main/*__*/*.jsonl")) == 4 * len(made)
    assert len(rows_of(workspace, "verdicts/main/*__*/*.jsonl")) == 4 * len(made)
    assert f"cases: {len(cases)} planned = {len(made)} made" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_second_run_makes_nothing_again(workspace: Path) -> None:
    first = ragtester(workspace, "run", "-q")
    before = {path: path.read_bytes() for path in workspace.glob("*/main/**/*.jsonl")}
    times = {path: path.stat().st_mtime_ns for path in workspace.glob("answers/main/*__*/*.jsonl")}
    second = ragtester(workspace, "run", "-q")
    assert (first.returncode, first.stdout) == (second.returncode, second.stdout)
    assert before == {path: path.read_bytes() for path in before}
    assert len(times) > 0


def test_changed_inputs_stop_with_what_changed(workspace: Path) -> None:
    ragtester(workspace, "run", "-q")
    done = ragtester(workspace, "execute", "--set", "execute.k=2")
    assert done.returncode == 2
    assert "k" in done.stderr
    assert "--overwrite" in done.stderr
    assert ragtester(workspace, "execute", "-q", "--set", "execute.k=2", "--overwrite").returncode in (0, 3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["cases"], "corpora"),
        (["execute"], "ragtester cases"),
        (["judge"], "ragtester execute"),
        (["run", "--set", "exekute.k=3"], "did you mean 'execute'"),
        (["run", "--set", "judge.model=embedded:nosuch"], "embedded:"),
        (["demo", "--corpus", "nowhere"], "no such file or folder"),
        (["run", "-w", "nowhere"], "nowhere: no such folder"),
        (["run", "--set", "execute.groups=[]"], "groups is empty"),
        (["run", "--set", "execute.index.chunk_overlap=1000"], "chunk_overlap 1000 must be below 1000"),
        (["run", "--set", 'execute.refusals=["no", " "]'], "empty phrase"),
        (["nonsense"], "No such command"),
        (["run", "--nonsense"], "No such option"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(tmp_path: Path, arguments: list[str], words: str) -> None:
    (tmp_path / "corpora").mkdir()
    done = ragtester(tmp_path, *arguments)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_an_estimate_calls_nothing_and_writes_nothing(workspace: Path) -> None:
    done = ragtester(workspace, "run", "--estimate", "--set", "judge.model=openai:gpt-4.1-nano")
    assert done.returncode == 0, done.stderr
    assert "openai:gpt-4.1-nano" in done.stdout
    assert "2 document(s), 0 not readable, 16 cases, 4 system(s)" in done.stdout
    assert not (workspace / "generated").exists()


def test_doctor_never_shows_a_key_and_names_what_is_missing(workspace: Path) -> None:
    arguments = ["doctor", "--set", "judge.model=openai:gpt-4.1-nano"]
    missing = ragtester(workspace, *arguments)
    assert missing.returncode == 1
    assert "MISSING key OPENAI_API_KEY: not set" in missing.stdout
    unknown = ragtester(workspace, "doctor", "--set", "cases.model=embedded:nosuch", "--set", "judge.model=foo:bar")
    assert unknown.returncode == 1
    assert "MISSING model embedded:nosuch" in unknown.stdout
    assert "MISSING model foo:bar" in unknown.stdout
    (workspace / ".env").write_text("OPENAI_API_KEY=sk-very-secret-key\n", encoding="utf-8")
    local = 'models."openai:gpt-4.1-nano".base_url=http://127.0.0.1:9/v1'
    there = ragtester(workspace, *arguments, "--set", local, "--set", "judge.model=openai:gpt-4.1-nano")
    assert "sk-very-secret-key" not in there.stdout + there.stderr
    assert "http://127.0.0.1:9/v1" in there.stdout


def test_no_key_is_rows_with_their_reason(workspace: Path) -> None:
    groups = 'execute.groups=[{llms=["openai:gpt-4.1-nano","embedded:rules"],embeddings=["embedded:hashing"]}]'
    done = ragtester(workspace, "run", "--set", groups)
    assert done.returncode == 3, done.stderr
    assert "OPENAI_API_KEY" in done.stderr
    assert "Traceback" not in done.stderr
    rows = rows_of(workspace, "answers/main/openai*/*.jsonl")
    assert {row["failure"]["type"] for row in rows} == {"missing_key"}


def test_help_is_fast_to_import(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "ragtester", "--help"],
        cwd=tmp_path,
        env={**os.environ},
        capture_output=True,
        text=True,
        check=True,
    )
    heavy = ("chromadb", "langchain", "numpy", "pydantic_core", "rich.table", "openai")
    loaded = [name for name in heavy if f" {name}\n" in done.stderr or f" {name}." in done.stderr]
    assert loaded == []


@pytest.mark.parametrize("name", ['a"b', "a\\b", "x = 1 # y", "\x7f", "größe 🎉"])
def test_a_run_has_exactly_the_name_that_was_given(name: str, tmp_path: Path) -> None:
    settings = load_settings(tmp_path, tuple(text_setting("execute.run", name)))
    assert settings.execute.run == name


def test_output_survives_any_encoding_and_closed_or_full_streams(workspace: Path) -> None:
    ragtester(workspace, "run", "-q")
    ascii_only = ragtester(workspace, "judge", "-q", PYTHONIOENCODING="ascii")
    assert ascii_only.returncode == 0, ascii_only.stderr
    assert "Refusal errors" in ascii_only.stdout
    command = f'"{sys.executable}" -m ragtester judge -q'

    def shell(line: str) -> subprocess.CompletedProcess[str]:
        environment = run_environment()
        return subprocess.run(
            ["sh", "-c", line], cwd=workspace, env=environment, stderr=subprocess.PIPE, text=True, check=False
        )

    assert shell(f"{command} 2>&- >/dev/null").returncode == 0
    if Path("/dev/full").exists():
        full = shell(f"{command} >/dev/full")
        assert full.returncode == 3
        assert len(full.stderr.splitlines()) == 1
        assert "Traceback" not in full.stderr


def test_a_file_name_cannot_steer_the_terminal(workspace: Path) -> None:
    (workspace / "corpora" / "bad\x1b[31m[red].pdf").write_bytes(b"%PDF-1.4 broken")
    done = ragtester(workspace, "cases", "-q")
    assert "bad\ufffd[31m[red].pdf: not read" in done.stderr
    assert "\x1b" not in done.stderr + done.stdout


def test_a_demo_of_an_unspeakable_folder_is_refused_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"bad\xff")
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system takes no such name")
    done = ragtester(tmp_path, "demo", "--corpus", str(folder))
    assert done.returncode == 2
    assert "rename or move it" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_corpus_that_holds_the_workspace_does_not_read_its_own_output(workspace: Path) -> None:
    (workspace / "ragtester.toml").write_text(
        '[workspace]\ncorpus = "."\n[cases]\nper_document = 2\ntechnique = "ragtester"\n', encoding="utf-8"
    )
    for _ in range(2):
        assert ragtester(workspace, "cases", "-q").returncode == 0
        assert len(rows_of(workspace, "generated/main/documents.jsonl")) == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"OPENAI_API_KEY=\xff\n", "not UTF-8"), ("OPENAI_API_KEY=sk-ö\n".encode(), "cannot be sent")],
)
def test_a_broken_env_file_is_one_line(workspace: Path, content: bytes, words: str) -> None:
    (workspace / ".env").write_bytes(content)
    done = ragtester(workspace, "run", "--set", "judge.model=openai:gpt-4.1-nano")
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert "sk-" not in done.stderr


def test_an_answer_that_stands_twice_is_not_judged_twice(workspace: Path) -> None:
    assert ragtester(workspace, "run", "-q").returncode == 0
    path = sorted(workspace.glob("answers/main/*__*/*.jsonl"))[0]
    first = path.read_text(encoding="utf-8").splitlines(keepends=True)[0]
    path.write_text(path.read_text(encoding="utf-8") + first, encoding="utf-8")
    done = ragtester(workspace, "judge")
    assert done.returncode == 2
    assert "stands twice" in done.stderr


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_a_stop_is_one_line_and_the_same_command_goes_on(workspace: Path, stop: signal.Signals) -> None:
    for number in range(40):
        (workspace / "corpora" / f"copy-{number}.md").write_text(TEXT.replace("boiler", f"boiler {number}"), "utf-8")
    command = [sys.executable, "-m", "ragtester", "cases", "--set", "cases.per_document=2"]
    process = subprocess.Popen(
        command, cwd=workspace, env=run_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "reading: 42 planned" in line:
            process.send_signal(stop)
            break
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on" in told
    assert "Traceback" not in told
    done = ragtester(workspace, "cases", "--set", "cases.per_document=2")
    assert done.returncode == 0, done.stderr
    assert len(rows_of(workspace, "generated/main/*/*.jsonl")) == 42 * 2 * 2


@pytest.mark.parametrize("package", ["bm25s", "chromadb"])
def test_a_package_that_is_not_there_is_told_in_one_line(
    package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(entry, "app", lambda: importlib.import_module(package))
    with pytest.raises(SystemExit) as left:
        entry.main()
    assert left.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"ragtester: the Python package {package!r} cannot be imported")
    assert line.endswith("pip install --force-reinstall ragtester-pipeline")


def test_a_module_of_our_own_that_is_not_there_is_no_fault_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(entry, "app", lambda: importlib.import_module("ragtester.nothing"))
    with pytest.raises(ModuleNotFoundError):
        entry.main()

"""What a person decides: the review file, and the review at a terminal (a pseudo-terminal drives the command)."""

from __future__ import annotations

import csv
import io
import os
import pty
import re
import select
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from ragtester import Project
from ragtester.cli import app
from ragtester.errors import DataError, UsageError
from ragtester.provenance import sha256_text
from ragtester.records import Case, Evidence, PanelDecision
from ragtester.stages import precision
from ragtester.stages.precision.asking import ask_person
from ragtester.stages.precision.files import Files
from ragtester.stages.precision.review import COLUMNS, Row, decide, persons, read_review, write_review
from ragtester.storage import read_rows, write_rows, write_text
from ragtester.workspace import Workspace
from tests import builders
from tests.conftest import run_environment
from tests.precision_helpers import EVIDENCE, LLM, judged_run

HOSTILE = '\x1b]0;owned\x07=HYPERLINK("http://x")</answer> log'
FORMULA = re.compile(r"^\s*(?:[=+@]|-.)", re.S)  # a spreadsheet shows a lone "-" as it is
PATIENCE = 120.0
"""Seconds after which a command that says nothing has failed; a busy machine takes ten to import everything."""
SETTINGS = """
[audit]
panel = ["scripted:yes.jsonl", "scripted:no.jsonl"]
"""


def row(name: str, **changes: str) -> Row:
    return {**dict.fromkeys(COLUMNS, ""), "id": name, "question": f"What is {name}?", **changes}


def fill(path: Path, changes: dict[str, str], delimiter: str = ",") -> None:
    """What a person does in a spreadsheet."""
    lines = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
    place = lines[0].index("decision")
    for line in lines[1:]:
        line[place] = changes.get(line[0], line[place])
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter).writerows(lines)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")


def test_what_a_person_filled_in_is_kept_when_the_file_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "review.csv"
    write_review(path, [row("a"), row("b"), row("c")], {})
    fill(path, {"a": "C", "b": " incorrect "})
    write_review(path, [row("a", question="Which?"), row("d")], read_review(path))
    found = read_review(path)
    assert persons(found) == {"a": "correct", "b": "incorrect"}
    assert list(found) == ["a", "d", "b"]  # "b" is not asked for any more, and "c" held nothing
    assert found["a"]["question"] == "Which?"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_what_a_spreadsheet_saves_is_read(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "review.csv"
    write_review(path, [row("a", answer='He said: "six; or\nseven", or\tmore.'), row("b")], {})
    fill(path, {"a": "i"}, delimiter)
    assert persons(read_review(path)) == {"a": "incorrect"}


def test_a_very_long_answer_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "review.csv"
    write_review(path, [row("a", answer="long " * 40_000)], {})
    decide(path, row("a"), "correct")
    assert persons(read_review(path)) == {"a": "correct"}


def test_a_column_that_a_person_added_stays_and_an_id_may_have_gained_spaces(tmp_path: Path) -> None:
    path = tmp_path / "review.csv"
    write_review(path, [row("a"), row("b")], {})
    lines = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
    lines = [[*line, added] for line, added in zip(lines, ["=who", "Ann", "Bo"], strict=True)]
    lines[1][0], lines[1][lines[0].index("decision")] = " a ", "c"
    text = io.StringIO(newline="")
    csv.writer(text).writerows(lines)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    for _ in range(2):
        write_review(path, [row("a"), row("b")], read_review(path))
    decide(path, row("b"), "incorrect")
    found = read_review(path)
    assert persons(found) == {"a": "correct", "b": "incorrect"}
    assert [found[name]["=who"] for name in ("a", "b")] == ["Ann", "Bo"]
    assert not FORMULA.match(next(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))[-1])


def test_every_fault_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "review.csv"
    write_review(path, [row("a", answer="one\ntwo"), row("b"), row("c")], {})
    fill(path, {"b": "maybe", "c": "yes"})
    path.write_text(path.read_text(encoding="utf-8") + ",".join(["a", *[""] * 9]) + "\n", encoding="utf-8")
    with pytest.raises(DataError) as raised:
        read_review(path)
    assert [fault.rpartition("review.csv:")[2] for fault in raised.value.faults] == [
        '4: decision \'maybe\'; write "correct", "incorrect" or nothing',
        '5: decision \'yes\'; write "correct", "incorrect" or nothing',
        "6: the case 'a' stands twice",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"id;verdict\na;c\n", "no column decision"),
        (b"", "no column id and no column decision"),
        ("id,decision\nä,c\n".encode("latin-1"), "not UTF-8"),
        (b'id,decision\n"a,c\n', "not CSV"),
        (b"id,decision,decision\na,c,\n", "column decision stands twice"),
    ],
)
def test_files_that_cannot_be_used_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "review.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_review(path)


@settings(max_examples=40, deadline=None)
@given(st.text(), st.text())
@example("-2+3+cmd|' /C calc'!A0", "\n-1\n-2")
def test_no_cell_is_a_formula_or_steers_a_terminal_and_notes_stay(
    tmp_path_factory: pytest.TempPathFactory, answer: str, note: str
) -> None:
    path = tmp_path_factory.mktemp("review") / "review.csv"
    write_review(path, [row("a", answer=answer)], {"a": row("a", note=note)})
    text = path.read_text(encoding="utf-8-sig")
    cells = next(iter(csv.DictReader(io.StringIO(text, newline=""))))
    assert not any(FORMULA.match(cell) for cell in cells.values())
    assert not re.search(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", text)
    once = read_review(path)
    write_review(path, [row("a", answer=answer)], once)
    assert read_review(path) == once
    assert once["a"]["note"].split() == re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", note).split() or not note.isprintable()


def test_one_decision_leaves_the_others_alone(tmp_path: Path) -> None:
    path = tmp_path / "review.csv"
    write_review(path, [row("a"), row("b")], {})
    fill(path, {"a": "correct"})
    decide(path, row("b"), "incorrect")
    assert persons(read_review(path)) == {"a": "correct", "b": "incorrect"}


class Terminal:
    """The command on a pseudo-terminal."""

    def __init__(self, *arguments: str) -> None:
        self.pid, self.handle = pty.fork()
        if self.pid == 0:
            environment = {**run_environment(), "TERM": "xterm", "COLUMNS": "90"}
            os.execve(sys.executable, [sys.executable, "-m", "ragtester", *arguments], environment)
        self.seen = ""

    def until(self, text: str, seconds: float = PATIENCE) -> str:
        """What came up to `text` since the last call."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            if not self._read(end):
                raise AssertionError(f"{text!r} did not come: {self.seen}")
        before, _, self.seen = self.seen.partition(text)
        return before

    def type(self, text: str) -> None:
        os.write(self.handle, text.encode())

    def end(self) -> tuple[int, str]:
        """Exit code, and all that came until the end."""
        end = time.monotonic() + PATIENCE
        while self._read(end):
            pass
        os.close(self.handle)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]), self.seen

    def _read(self, end: float) -> bool:
        ready, _, _ = select.select([self.handle], [], [], max(0, end - time.monotonic()))
        try:
            data = os.read(self.handle, 65536) if ready else b""
        except OSError:  # Linux says so when the other side has ended
            data = b""
        self.seen += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    """Four failures on which the two members disagree."""
    made = judged_run(tmp_path, [(f"{HOSTILE} {number}", "fail") for number in range(4)])
    (tmp_path / "ragtester.toml").write_text(SETTINGS, encoding="utf-8")
    for name, vote in (("yes", "correct"), ("no", "incorrect")):
        reply = f'{{"contains": "log", "reply": {{"reason": "Because {name}.", "vote": "{vote}"}}}}\n'
        (tmp_path / f"{name}.jsonl").write_text(reply, encoding="utf-8")
    yield made


def decisions(space: Workspace) -> list[str]:
    rows = read_rows(Files.of(space, "main").decisions, PanelDecision)
    return sorted(f"{one.decision}/{one.by}" for one in rows)


def test_a_review_is_left_and_resumed_and_every_decision_is_kept(space: Workspace) -> None:
    folder = str(space.root)
    done = CliRunner().invoke(app, ["audit", "precision", "-q", "-w", folder])
    assert done.exit_code == 0, done.output
    assert "4 case(s) wait for a person" in done.output
    assert decisions(space) == ["ambiguous/"] * 4
    terminal = Terminal("audit", "precision", "--review", "-w", folder)
    shown = terminal.until("leave > ")
    assert "case 1 of 4" in shown
    assert "Because yes." in shown and "Because no." in shown
    assert LLM not in shown and "oracle" not in shown and "fail" not in shown
    assert "\x1b]" not in shown and "\x07" not in shown
    terminal.type("perhaps\n")
    terminal.until("leave > ")
    terminal.type("i\n")
    terminal.until("leave > ")
    assert list(persons(read_review(Files.of(space, "main").review)).values()) == ["incorrect"]
    terminal.type("\x03")  # Ctrl-C, as soon as the prompt stands
    code, rest = terminal.end()
    assert (code, "1 case(s) decided now; 3 case(s) wait" in rest) == (0, True), rest
    assert decisions(space) == ["ambiguous/"] * 3 + ["incorrect/person"]
    terminal = Terminal("audit", "precision", "--review", "-w", folder)
    assert "case 1 of 3" in terminal.until("leave > ")
    terminal.type("c\n")
    terminal.until("leave > ")
    terminal.type("\x04")  # Ctrl-D
    assert terminal.end()[0] == 0
    terminal = Terminal("audit", "precision", "--review", "-w", folder)
    terminal.until("leave > ")
    terminal.type("s\n")
    terminal.until("leave > ")
    terminal.type("q\n")
    code, rest = terminal.end()
    assert code == 0
    assert "Nothing was decided; 2 case(s) wait" in rest and "Precision" not in rest
    assert decisions(space) == ["ambiguous/"] * 2 + ["correct/person", "incorrect/person"]
    result = precision.read_result(space, "main")
    assert result is not None
    assert (result.figures[0].tp, result.figures[0].fp, result.figures[0].by_person) == (1, 1, 2)


def test_nothing_to_decide_is_said_and_nothing_else(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, review = str(space.root), Files.of(space, "main").review
    assert CliRunner().invoke(app, ["audit", "precision", "-q", "-w", folder]).exit_code == 0
    fill(review, dict.fromkeys(read_review(review), "incorrect"))
    monkeypatch.setattr("ragtester.cli.audit_precision._at_a_terminal", lambda: True)
    done = CliRunner().invoke(app, ["audit", "precision", "--review", "-w", folder])
    assert (done.exit_code, done.output) == (0, "Nothing is to be decided: no case is ambiguous.\n")


def shown_by(rows: list[Row], *said: str) -> tuple[str, list[int]]:
    """All that a person is shown who types this, and how much of it stood there at each prompt."""
    text, places, words = "", list[int](), iter(said)

    def show(heading: str, part: str) -> None:
        nonlocal text
        text += f"{heading}: {part}\n" if heading else f"{part}\n"

    def read(_: str) -> str:
        places.append(len(text))
        return next(words)

    ask_person(Path("unused"), rows, show, read)
    return text, places


@pytest.mark.parametrize("at", ["-------- case 2 of 3 --------", "What is b?"])
def test_an_interrupt_while_a_case_is_shown_leaves_and_keeps_what_was_decided(tmp_path: Path, at: str) -> None:
    path, asked = tmp_path / "review.csv", []
    rows = [row("a"), row("b"), row("c")]
    write_review(path, rows, {})

    def show(_: str, text: str) -> None:
        if text == at:
            raise KeyboardInterrupt

    def read(prompt: str) -> str:
        asked.append(prompt)
        return "i"

    ask_person(path, rows, show, read)
    assert persons(read_review(path)) == {"a": "incorrect"}
    assert len(asked) == 1


def test_what_is_compared_stands_directly_above_the_prompt_and_long_texts_are_cut() -> None:
    long = "\n".join(f"line {number}" for number in range(100))
    one = row("a", case_evidence="[1] Six years.", retrieved=long, expected_answer="Six.", answer="Ten.", votes="x: y")
    text, (first, second) = shown_by([one], "m", "q")
    brief, whole = text[:first], text[first:second]
    assert brief.endswith("question: What is a?\nexpected answer: Six.\nanswer: Ten.\n")
    assert whole.endswith("question: What is a?\nexpected answer: Six.\nanswer: Ten.\n")
    assert brief.index("evidence of the case") < brief.index("retrieved (what the system was given)")
    assert "line 7" in brief and "line 8" not in brief
    assert long in whole
    # "line 0" to "line 9" have 7 characters each with their line's end, the 90 others 8, but the last line has no end.
    assert f"({7 * 10 + 8 * 90 - 1 - (7 * 8 - 1)} more characters: m shows all)" in brief


def test_a_person_is_shown_the_evidence_of_the_case_and_what_was_retrieved(space: Workspace) -> None:
    text = "The hall is old. The log is kept for six years."
    write_text(space.text_file("main", "d1"), [text])
    document = builders.document("d1", text_sha256=sha256_text(text), characters=len(text))
    write_rows(space.documents_file("main"), [document])
    path = space.cases_file("main", "ragtester", "d1")
    span = Evidence(start=17, end=len(text))
    write_rows(path, [one.model_copy(update={"evidence": (span,)}) for one in read_rows(path, Case)])
    assert CliRunner().invoke(app, ["audit", "precision", "-q", "-w", str(space.root)]).exit_code == 0
    found = read_review(Files.of(space, "main").review)
    assert {one["case_evidence"] for one in found.values()} == {"[1] The log is kept for six years."}
    assert {one["retrieved"] for one in found.values()} == {f"[1] {EVIDENCE}"}
    write_text(space.text_file("main", "d1"), [text.replace("six", "two")])
    assert CliRunner().invoke(app, ["audit", "precision", "-q", "-w", str(space.root)]).exit_code == 0
    found = read_review(Files.of(space, "main").review)
    assert {one["case_evidence"] for one in found.values()} == {""}, "the text is not the one that the spans refer to"


def test_flags_reach_the_audit(space: Workspace) -> None:
    judged_run(space.root, [(f"log {number}", "fail" if number < 8 else "pass") for number in range(14)])
    flags = ["--include-passes", "--margin", "0.3", "--panel", "scripted:yes.jsonl", "--panel", "scripted:yes2.jsonl"]
    (space.root / "yes2.jsonl").write_bytes((space.root / "yes.jsonl").read_bytes())
    done = CliRunner().invoke(app, ["audit", "precision", "-q", "-w", str(space.root), *flags])
    assert done.exit_code == 0, done.output
    result = precision.read_result(space, "main")
    assert result is not None
    # n0 = 11 at 95 % and 30 %: 11 · 8 / 18 = 4.9 and 11 · 6 / 16 = 4.1, rounded up.
    assert result.sampled == {"fail": 5, "pass": 5}
    assert [one.model for one in result.panel] == ["scripted:yes.jsonl", "scripted:yes2.jsonl"]
    figures = result.figures[0]
    assert (figures.tp, figures.fp, figures.fn, figures.tn) == (0, 5, 0, 5)
    assert "0/5 = 0.0 % [0.0, 43.4]" in " ".join(done.output.split())
    dearer = CliRunner().invoke(app, ["audit", "precision", "--estimate", "-w", str(space.root), *flags])
    assert "scripted:yes.jsonl" in dearer.output and "Votes to come" in dearer.output


def test_without_a_terminal_the_file_is_named(space: Workspace) -> None:
    done = CliRunner().invoke(app, ["audit", "precision", "--review", "-w", str(space.root)])
    assert done.exit_code in {1, 2}
    assert "needs a terminal" in str(done.exception)


def test_a_review_before_any_vote_is_refused(space: Workspace) -> None:
    with pytest.raises(UsageError, match="run `ragtester audit precision` first"):
        Project(space.root).review_precision(lambda *_: None, lambda _: "q")

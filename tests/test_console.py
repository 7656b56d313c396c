"""Progress where there is a terminal and where there is none."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from ragtester.console import BarProgress, PlainProgress, QuietProgress, SafeConsole, make_progress, open_console


def _plain(width: int = 80, terminal: bool = False) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, width=width, force_terminal=terminal, color_system=None), out


def test_without_a_terminal_a_stage_is_two_lines_and_ends_once() -> None:
    console, out = _plain()
    progress = make_progress(console, quiet=False)
    assert isinstance(progress, PlainProgress)
    progress.start("documents", 0)
    progress.start("cases", 3)
    progress.advance(count=2)
    progress.advance(failed=True, cost=0.25)
    progress.finish()
    progress.finish()
    lines = out.getvalue().splitlines()
    assert lines[0] == "cases: 3 planned"
    assert lines[1].startswith("cases: 3/3 done (")
    assert lines[1].endswith("1 failed, $0.2500)")
    assert len(lines) == 2


def test_quiet_keeps_the_notes() -> None:
    console, out = _plain()
    progress = make_progress(console, quiet=True)
    assert isinstance(progress, QuietProgress)
    progress.start("cases", 1)
    progress.advance()
    progress.note("scan.pdf: no text layer [1/2]")
    progress.finish()
    assert out.getvalue() == "scan.pdf: no text layer [1/2]\n"


def test_a_bar_fits_a_narrow_terminal() -> None:
    console, out = _plain(width=40, terminal=True)
    progress = make_progress(console, quiet=False)
    assert isinstance(progress, BarProgress)
    progress.start("cases (ragtester)", 1500)
    progress.advance(count=700, failed=True)
    progress.finish()
    drawn = [line for line in out.getvalue().replace("\r", "\n").split("\n") if "cases" in line]
    assert drawn
    assert "700/1500" in drawn[-1]
    assert all(len(line.split("\x1b[2K")[-1]) <= 60 for line in drawn)


HOSTILE = "a\x1b[31m\x1b]0;title\x07b\x9bc\u202ed\udcffe [/red] [bold]f[/bold]"
TAMED = "a\ufffd[31m\ufffd]0;title\ufffdb\ufffdc\ufffdd\ufffde [/red] [bold]f[/bold]"


def test_no_text_can_steer_the_terminal_or_is_markup() -> None:
    out = io.StringIO()
    console = SafeConsole(file=out, width=100, markup=False, force_terminal=True, color_system=None)
    for quiet in (True, False):
        make_progress(console, quiet).note(HOSTILE)
    table = Table(box=None, show_header=False)
    table.add_row(HOSTILE)
    console.print(table)
    notes, cell = out.getvalue().splitlines()[:2], out.getvalue().splitlines()[2]
    assert notes == [TAMED, TAMED]
    assert cell.strip() == TAMED.replace("\ufffd", "")


def test_a_note_is_one_line() -> None:
    console, out = _plain()
    make_progress(console, quiet=True).note("no\nte.pdf: not read")
    assert out.getvalue() == "no te.pdf: not read\n"


@pytest.mark.parametrize("quiet", [False, True])
@pytest.mark.parametrize("width", [40, 60])
def test_notes_are_broken_between_words_on_a_terminal_alone(width: int, quiet: bool) -> None:
    note = "12 answer file(s) of documents or systems that left the run [main] are kept and not judged; 宿泊施設の規則"
    console, out = _plain(width=width, terminal=True)
    make_progress(console, quiet=quiet).note(note)
    lines = out.getvalue().splitlines()
    assert len(lines) > 1
    assert all(cell_len(line) <= width for line in lines)
    assert " ".join(line.strip() for line in lines) == note
    console, out = _plain(width=width)
    make_progress(console, quiet=quiet).note(note)
    assert out.getvalue() == f"{note}\n"


def test_a_width_of_nothing_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "0")
    assert open_console().width == 80
    monkeypatch.setenv("COLUMNS", "60")
    assert open_console().width == 60
    monkeypatch.setenv("COLUMNS", "40")
    assert (open_console().width, open_console(stderr=True).width) == (48, 40)


def test_names_with_colons_and_brackets_are_shown_as_they_are() -> None:
    console = open_console()
    with console.capture() as shown:
        console.print("model openai:m: and :bug: [red]x[/red] 12")
    assert shown.get() == "model openai:m: and :bug: [red]x[/red] 12\n"

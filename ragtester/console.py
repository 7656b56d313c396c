"""Progress on a terminal (bars with rate, time left, cost and failures) and elsewhere (plain lines)."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console
from rich.segment import Segment

if TYPE_CHECKING:
    from rich.console import ConsoleOptions, RenderableType
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

PLAIN_SECONDS = 5.0
NARROWEST = 20
TABLES = 48
# What could steer a terminal, turn text round or not be encoded: controls, directions, halves of surrogate pairs.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    """`text` as it may be shown: file names, replies and servers' messages are hostile."""
    return _STEERING.sub("\N{REPLACEMENT CHARACTER}", text)


class SafeConsole(Console):
    """A console on which only ragtester itself can steer the terminal; no text is read as markup."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Take out of every text what is not plain, without a trace: it had no width in the layout either."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(_STEERING.sub("", segment.text), segment.style)


def open_console(*, stderr: bool = False) -> SafeConsole:
    """Standard output or standard error; a width that no text fits into is not believed."""
    console = SafeConsole(stderr=stderr, markup=False, emoji=False, highlight=False)
    if console.width < NARROWEST:
        console.width = 80
    elif not stderr:
        console.width = max(console.width, TABLES)  # narrower, long lines are better than cut numbers
    return console


def one_line(message: str) -> str:
    """A note stays one line, whatever a file is called."""
    return plain(" ".join(message.split("\n")))


def print_note(console: Console, message: str) -> None:
    """Print a note: on a terminal broken between words, elsewhere in one line, so that a log can be searched."""
    text = one_line(message)
    if console.is_terminal:
        from ragtester.tables.names import folded

        text = "\n".join(folded(text, console.width))
    console.print(text, markup=False, highlight=False, soft_wrap=True)


class Tally:
    """What a stage has done so far."""

    def __init__(self) -> None:
        self.stage, self.planned, self.done, self.failed, self.cost = "", 0, 0, 0, 0.0
        self.began = time.monotonic()

    def start(self, stage: str, planned: int) -> None:
        """Begin a stage."""
        self.stage, self.planned, self.done, self.failed = stage, planned, 0, 0
        self.began = time.monotonic()

    def advance(self, failed: bool, cost: float | None, count: int) -> None:
        """Count rows."""
        self.done += count
        self.failed += count if failed else 0
        self.cost += cost or 0.0

    def details(self) -> str:
        """Rate, failures and cost in words."""
        rate = self.done / max(time.monotonic() - self.began, 1e-3)
        parts = [f"{rate:.1f}/s" if rate < 100 else f"{rate:.0f}/s"]
        if self.failed:
            parts.append(f"{self.failed} failed")
        if self.cost:
            parts.append(f"${self.cost:.4f}")
        return ", ".join(parts)


class PlainProgress:
    """One line every few seconds and one at the end: for pipes, logs and CI."""

    def __init__(self, console: Console) -> None:
        self.console, self.tally, self.told, self.open = console, Tally(), 0.0, False

    def start(self, stage: str, planned: int) -> None:
        """Tell that a stage begins; a stage with nothing to do is not worth a line."""
        self.finish()
        self.tally.start(stage, planned)
        self.told, self.open = time.monotonic(), planned > 0
        if self.open:
            self._line(f"{stage}: {planned} planned")

    def advance(self, *, failed: bool = False, cost: float | None = None, count: int = 1) -> None:
        """Count, and tell now and then."""
        self.tally.advance(failed, cost, count)
        if time.monotonic() - self.told >= PLAIN_SECONDS:
            self.told = time.monotonic()
            self._line(f"{self.tally.stage}: {self.tally.done}/{self.tally.planned} ({self.tally.details()})")

    def note(self, message: str) -> None:
        """Print a note."""
        print_note(self.console, message)

    def finish(self) -> None:
        """Tell how the stage ended, once."""
        if self.open:
            self.open = False
            self._line(f"{self.tally.stage}: {self.tally.done}/{self.tally.planned} done ({self.tally.details()})")

    def _line(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)


class BarProgress:
    """A bar a stage, with rate, time left, cost and failures."""

    def __init__(self, console: Console) -> None:
        self.console, self.tally = console, Tally()
        self.bars: RichProgress | None = None
        self.task: TaskID | None = None

    def start(self, stage: str, planned: int) -> None:
        """Draw a new bar."""
        self.finish()
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.tally.start(stage, planned)
        if planned == 0:
            return
        columns = [TextColumn("{task.description}"), BarColumn(bar_width=None), MofNCompleteColumn()]
        if self.console.width >= 70:
            columns += [TimeRemainingColumn(), TextColumn("{task.fields[details]}")]
        self.bars = Progress(*columns, console=self.console, expand=True)
        self.bars.start()
        self.task = self.bars.add_task(stage, total=planned, details="")

    def advance(self, *, failed: bool = False, cost: float | None = None, count: int = 1) -> None:
        """Move the bar."""
        self.tally.advance(failed, cost, count)
        if self.bars is not None and self.task is not None:
            self.bars.update(self.task, advance=count, details=self.tally.details())

    def note(self, message: str) -> None:
        """Print a note above the bar."""
        print_note(self.console, message)

    def finish(self) -> None:
        """Leave the bar as it stands."""
        if self.bars is not None:
            self.bars.stop()
            self.bars = None


class QuietProgress:
    """Only notes: they name what a user must know."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def start(self, stage: str, planned: int) -> None:
        """Say nothing."""

    def advance(self, *, failed: bool = False, cost: float | None = None, count: int = 1) -> None:
        """Say nothing."""

    def note(self, message: str) -> None:
        """Print a note."""
        print_note(self.console, message)

    def finish(self) -> None:
        """Say nothing."""


def make_progress(console: Console, quiet: bool) -> PlainProgress | BarProgress | QuietProgress:
    """Progress that suits where standard error goes."""
    if quiet:
        return QuietProgress(console)
    return BarProgress(console) if console.is_terminal else PlainProgress(console)

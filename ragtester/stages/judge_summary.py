"""The summary of a judgement: the ledger, failures by group with intervals, and the two refusal errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragtester.records import Ledger, Verdict
from ragtester.statistics import format_rate, wilson
from ragtester.tables.names import short_names

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WORST = 10
_NUMBERS_WIDTH = 38
_GROUPS: dict[str, Callable[[Verdict], str]] = {
    "system": lambda row: f"{row.llm} × {row.embedding}",
    "case type": lambda row: f"{row.type} ({row.subtype})" if row.subtype else row.type,
    "technique": lambda row: row.technique,
    "language": lambda row: row.language or "?",
    "document": lambda row: row.document_id,
}


@dataclass
class Tally:
    """Counts of one group. `failed` and `passed` are graded; the rest is neither and stays out of every rate."""

    passed: int = 0
    failed: int = 0
    judge_failed: int = 0
    answer_failed: int = 0
    provider_refused: int = 0

    @property
    def graded(self) -> int:
        """The denominator of the failure rate."""
        return self.passed + self.failed

    @property
    def ungraded(self) -> int:
        """Rows without a verdict."""
        return self.judge_failed + self.answer_failed + self.provider_refused


@dataclass
class Share:
    """An error of one kind: how many of how many."""

    count: int = 0
    of: int = 0


@dataclass
class Summary:
    """What a set of verdicts says. Every group's tallies add up to `total`."""

    total: Tally = field(default_factory=Tally)
    groups: dict[str, dict[str, Tally]] = field(default_factory=lambda: {name: {} for name in _GROUPS})
    false_refusals: Share = field(default_factory=Share)
    answered_unanswerable: Share = field(default_factory=Share)
    decided_by: dict[str, int] = field(default_factory=dict)
    judges: tuple[str, ...] = ()
    flags: dict[str, int] = field(default_factory=dict)
    repeats: int = 1
    unanimous: Share = field(default_factory=Share)

    @property
    def ledger(self) -> Ledger:
        """Planned are all rows; failed those that the judge failed on; skipped those whose answer had failed."""
        total = self.total
        skipped = total.answer_failed + total.provider_refused
        return Ledger(
            planned=total.graded + total.ungraded, ok=total.graded, failed=total.judge_failed, skipped=skipped
        )


def summarise(rows: Iterable[Verdict]) -> Summary:
    """Count verdicts; reads them once and keeps none."""
    found = Summary()
    for row in rows:
        _count(found.total, row)
        for group, name_of in _GROUPS.items():
            _count(found.groups[group].setdefault(name_of(row), Tally()), row)
        if row.status != "ungraded":
            _count_refusals(found, row)
            found.decided_by[row.decided_by] = found.decided_by.get(row.decided_by, 0) + 1
        if row.votes is not None:
            found.repeats = max(found.repeats, row.votes.asked)
            found.unanimous.of += 1
            found.unanimous.count += row.votes.agreed == row.votes.asked
        if row.judge not in found.judges:
            found.judges = (*found.judges, row.judge)
        for flag in row.flags:
            found.flags[flag] = found.flags.get(flag, 0) + 1
    return found


def _count(tally: Tally, row: Verdict) -> None:
    if row.status == "pass":
        tally.passed += 1
    elif row.status == "fail":
        tally.failed += 1
    elif row.outcome == "refused":
        tally.provider_refused += 1
    elif row.outcome == "failed":
        tally.answer_failed += 1
    else:
        tally.judge_failed += 1


def _count_refusals(found: Summary, row: Verdict) -> None:
    """The two refusal errors, each over the graded cases of its own kind."""
    if row.answerable:
        found.false_refusals.of += 1
        found.false_refusals.count += row.decided_by == "refusal"
    else:
        found.answered_unanswerable.of += 1
        found.answered_unanswerable.count += row.status == "fail"


def render(summary: Summary, console: Console) -> None:
    """Print the summary as tables; names are shortened to the console's width, numbers never."""
    total = summary.total
    if not summary.ledger.planned:
        console.print("no verdicts", highlight=False)
        return
    for line in _head(summary):
        console.print(line, markup=False, highlight=False)
    for group, tallies in summary.groups.items():
        if len(tallies) > 1 or group in ("system", "case type", "document"):
            console.print(_table(group, tallies, console.width))
            if len(tallies) > WORST and group == "document":
                console.print(f"  the {WORST} with most failures of {len(tallies)} documents", highlight=False)
    console.print(_refusals(summary, console.width))
    if total.ungraded:
        console.print(
            f"Not graded (n/g): {total.judge_failed} the judge failed, {total.answer_failed} the answer had failed, "
            f"{total.provider_refused} refused by the provider.",
            highlight=False,
        )
    for flag, count in sorted(summary.flags.items()):
        console.print(f"flag {flag}: {count}", markup=False, highlight=False)


def _head(summary: Summary) -> list[str]:
    ledger, total = summary.ledger, summary.total
    lines = [
        f"{ledger.planned} answers = {ledger.ok} graded + {ledger.failed} judge failed + {ledger.skipped} unanswered",
        f"Failures found: {total.failed} of {total.graded} ({_rate(total.failed, total.graded)})",
    ]
    if summary.repeats > 1:
        share = format_rate(summary.unanimous.count, summary.unanimous.of)
        lines.append(f"Majority of {summary.repeats} judgements; all of them agreed: {share}")
    if any(judge.startswith("embedded:") for judge in summary.judges):
        lines.append("Judged by rule (embedded), not by a language model.")
    return lines


def _table(group: str, tallies: dict[str, Tally], width: int) -> Table:
    table = _empty(f"Failures by {group}", ("failed", "% [95 % interval]", "n/g"))
    shown = sorted(tallies.items())
    if group == "document" and len(shown) > WORST:
        shown = sorted(shown, key=lambda item: (-item[1].failed, item[0]))[:WORST]
    names = short_names([name for name, _ in shown], max(8, width - _NUMBERS_WIDTH))
    for name, (_, tally) in zip(names, shown, strict=True):
        count = f"{tally.failed}/{tally.graded}"
        table.add_row(name, count, _rate(tally.failed, tally.graded), str(tally.ungraded or "-"))
    return table


def _refusals(summary: Summary, width: int) -> Table:
    table = _empty("Refusal errors", ("count", "% [95 % interval]"))
    rows = (
        ("wrongly refused", summary.false_refusals),
        ("wrongly answered", summary.answered_unanswerable),
    )
    names = short_names([name for name, _ in rows], max(8, width - _NUMBERS_WIDTH))
    for name, (_, share) in zip(names, rows, strict=True):
        table.add_row(name, f"{share.count}/{share.of}", _rate(share.count, share.of))
    return table


def _empty(title: str, columns: tuple[str, ...]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", padding=(0, 1), show_edge=False)
    table.add_column("", no_wrap=True, overflow="crop")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _rate(successes: int, n: int) -> str:
    interval = wilson(successes, n)
    if interval is None:
        return "n/a"
    return f"{100 * successes / n:.1f} [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"

"""One screen: a line a check, then why, then what to do. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragtester.records import GateCheck, GateResult
from ragtester.stages.gate.lines import TOO_SMALL
from ragtester.tables.cells import clean, counted
from ragtester.tables.names import folded, short_names

MARKS = {"pass": "✓ pass ", "warn": "! warn ", "fail": "✗ FAIL ", "error": "✗ ERROR"}
STYLES = {"pass": "", "warn": "yellow", "fail": "bold red", "error": "bold red"}
LAYER = 12
NAME = 24
"""Columns of a system's name; the files have it whole."""
_SYSTEM = re.compile(r"(\(worst of \d+: )([^()]+)\)")
MEANING = "the limit lies within the interval; the point value alone decided"
Line = tuple[str, str]
"""A line and its style."""


def headline(result: GateResult) -> str:
    """The decision in one line."""
    state = "OPEN" if result.open else "CLOSED"
    closing = sum(check.closes for check in result.checks)
    count = f"{closing} of {counted(len(result.checks), 'check')} not passed" if closing else "every check passed"
    against = f", baseline {result.baseline}" if result.baseline else ""
    return f"Gate {result.gate}: {state} ({count}); run {result.run}{against}"


def screen(result: GateResult, width: int) -> Iterator[Line]:
    """Lines of at most `width` columns."""
    style = "bold green" if result.open else "bold red"
    yield from ((line, style) for line in folded(clean(headline(result)), width))
    layer = ""
    for check in result.checks:
        yield from _check(check, width, new=check.layer != layer)
        layer = check.layer
    if any(check.too_small for check in result.checks):
        yield from ((part, "dim") for part in _hung("* ", f"{TOO_SMALL}: {MEANING}", width, 2))
    for title, texts in (("Why", result.explanation), ("What to do", result.advice)):
        if texts:
            yield "", ""
            yield title, "bold"
            yield from ((line, "") for text in texts for line in _hung("- ", text, width, 2))


def _check(check: GateCheck, width: int, *, new: bool) -> Iterator[Line]:
    mark = f"{MARKS[check.status]} {check.layer if new else '':<{LAYER}}"
    text = _SYSTEM.sub(lambda found: f"{found[1]}{short_names([found[2]], NAME)[0]})", f"{check.name}: {check.text}")
    yield from ((line, STYLES[check.status]) for line in _hung(mark, text, width, len(mark)))


def _hung(mark: str, text: str, width: int, indent: int) -> Iterator[str]:
    """`text` after a mark; further lines begin below it."""
    lines = folded(clean(text), max(20, width - indent))
    yield mark + lines[0]
    yield from (" " * indent + line for line in lines[1:])

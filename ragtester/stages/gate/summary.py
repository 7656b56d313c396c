"""The decision as Markdown: for a pull request, a job's summary, and `result.md`. Every text is escaped. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.records import GateCheck, GateResult
from ragtester.stages.gate.screen import headline
from ragtester.tables.markdown import escape

WORDS = {"pass": "✅ pass", "warn": "⚠️ warn", "fail": "❌ fail", "error": "❌ error"}


def summary(result: GateResult) -> str:
    """What closes the gate first, then why and what to do, then every other check."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: GateResult) -> Iterator[str]:
    yield f"## {'✅' if result.open else '❌'} {escape(headline(result))}"
    closing = [check for check in result.checks if check.closes]
    if closing:
        yield ""
        yield from _table(closing)
    for title, texts in (("Why", result.explanation), ("What to do", result.advice)):
        if texts:
            yield from ("", f"**{title}**", "")
            yield from (f"- {escape(text)}" for text in texts)
    rest = [check for check in result.checks if not check.closes]
    if rest:
        passed = sum(check.status == "pass" for check in rest)
        warned = f", {len(rest) - passed} to know of" if len(rest) > passed else ""
        yield from ("", "<details>", f"<summary>{passed} passed{warned}</summary>", "")
        yield from _table(rest)
        yield from ("", "</details>")


def _table(checks: list[GateCheck]) -> Iterator[str]:
    yield "| | layer | check | result |"
    yield "| --- | --- | --- | --- |"
    for check in checks:
        yield f"| {WORDS[check.status]} | {escape(check.layer)} | {escape(check.name)} | {escape(check.text)} |"

"""A gate's decision as JUnit XML: a `testsuite` a layer, a `testcase` a check.

A check that failed is a `failure`, one that could not be made an `error`; a warning passes and stands in
`system-out`. Why the gate is closed and what to do stands once, in the first failure or error. What readers make of
these is told in `ragtester.exports.junit`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from xml.sax.saxutils import escape

from ragtester.exports.junit import attribute, legal
from ragtester.records import GateCheck, GateResult


def gate_junit(result: GateResult) -> str:
    """The whole file; its counts add up, and it has a failure or an error exactly where the gate is closed."""
    return "".join(_lines(result))


def _lines(result: GateResult) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    name = attribute(f"ragtester gate {result.gate}")
    yield f'<testsuites name={name}{_counts(result.checks)} time="{_seconds(result):.3f}">\n'
    first = next((check for check in result.checks if check.closes), None)
    for layer in result.layers:
        checks = tuple(check for check in result.checks if check.layer == layer)
        suite = f"gate {result.gate}: {layer}"
        yield f'  <testsuite name={attribute(suite)}{_counts(checks)} skipped="0">\n'
        seen: Counter[str] = Counter()
        for check in checks:
            seen[check.name] += 1
            # Readers take class name and name for a test's identity: a second line of a check is a test of its own.
            own = f"{check.name} ({seen[check.name]})" if seen[check.name] > 1 else check.name
            yield _case(result, check, own, (*result.explanation, *result.advice) if check is first else ())
        yield "  </testsuite>\n"
    yield "</testsuites>\n"


def _counts(checks: tuple[GateCheck, ...]) -> str:
    failed, impossible = (sum(check.status == status for check in checks) for status in ("fail", "error"))
    return f' tests="{len(checks)}" failures="{failed}" errors="{impossible}"'


def _case(result: GateResult, check: GateCheck, name: str, why: tuple[str, ...]) -> str:
    place = f"gate {result.gate}.{check.layer}"
    head = f"    <testcase classname={attribute(place)} name={attribute(name)}"
    if check.status == "pass":
        return f"{head}/>\n"
    return f"{head}>{_outcome(check, why)}</testcase>\n"


def _outcome(check: GateCheck, why: tuple[str, ...]) -> str:
    if check.status == "warn":
        return f"<system-out>{escape(legal(check.text))}</system-out>"
    tag = "failure" if check.status == "fail" else "error"
    text = "\n".join((check.text, *why))
    return f"<{tag} type={attribute(check.name)} message={attribute(check.text)}>{escape(legal(text))}</{tag}>"


def _seconds(result: GateResult) -> float:
    """Of the whole gate, with what it had to make."""
    return (datetime.fromisoformat(result.ended) - datetime.fromisoformat(result.started)).total_seconds()

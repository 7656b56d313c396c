"""JUnit XML: what CI servers read.

There is no official schema; what is written here is what Jenkins' and GitLab's readers share. A pass is an empty
`testcase`, a failed case a `failure`, an ungraded one an `error` (the test could not be carried out: the model or the
judge gave no result), a missing one `skipped` (it was planned and not run). Jenkins counts errors as failures, GitLab
shows them apart. Both take class name and name together for the identity of a test and ignore the suite's name, so
the class name begins with the system; Jenkins takes what stands before its last dot as the package.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from ragtester.exports.texts import FullRow, with_texts
from ragtester.records import CRITERIA, HIDDEN_EVIDENCE
from ragtester.results import Result, Results
from ragtester.storage import write_text
from ragtester.workspace import Workspace

NAME = 100
TEXT = 600
# Everything but the characters of XML 1.0 (section 2.2, production Char).
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_Suite = tuple[str, str, str]


def write_junit(results: Results, workspace: Workspace, path: Path) -> int:
    """Write one `testsuite` a run and system and one `testcase` a case; gives the number of test cases.

    The closed-book control is left out: its failures are no faults. Written as a stream; replaces the file
    atomically. Raises StorageError, and DataError for rows that do not hold what they should.
    """
    suites: dict[_Suite, list[Result]] = {}
    for row in results.open_book:
        suites.setdefault((row.run, row.llm, row.embedding), []).append(row)
    write_text(path, _lines(results, workspace, suites))
    return sum(map(len, suites.values()))


def _lines(results: Results, workspace: Workspace, suites: dict[_Suite, list[Result]]) -> Iterator[str]:
    named = len({run for run, _, _ in suites}) > 1
    everything = [row for rows in suites.values() for row in rows]
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="ragtester"{_counts(everything, skipped=False)}>\n'
    for (run, llm, embedding), rows in suites.items():
        system = f"{run}: {llm} × {embedding}" if named else f"{llm} × {embedding}"
        yield f"  <testsuite name={attribute(system)}{_counts(rows, skipped=True)}>\n"
        for row in with_texts(results, workspace, rows):
            yield _case(system, row)
        yield "  </testsuite>\n"
    yield "</testsuites>\n"


def _counts(rows: list[Result], *, skipped: bool) -> str:
    """Counts that add up, and the seconds of all calls where any was measured."""
    count = Counter(row.status for row in rows)
    seconds = [row.seconds for row in rows if row.seconds is not None]
    parts = [f' tests="{len(rows)}" failures="{count["fail"]}" errors="{count["ungraded"]}"']
    if skipped:
        parts.append(f' skipped="{count["missing"]}"')
    if seconds:
        parts.append(f' time="{sum(seconds):.3f}"')
    return "".join(parts)


def _case(system: str, full: FullRow) -> str:
    row = full.row
    kind = f"{row.type}-{row.subtype}" if row.subtype else row.type
    place = f"{system}.{row.document_id}.{row.technique}.{kind}"
    question = _shorten(full.case.question, NAME) if full.case else "question unknown"
    name = f"{question} [{row.case_id}]"
    time = "" if row.seconds is None else f' time="{row.seconds:.3f}"'
    head = f"    <testcase classname={attribute(place)} name={attribute(name)}{time}"
    if row.status == "pass":
        return f"{head}/>\n"
    return f"{head}>{_outcome(full)}</testcase>\n"


def _outcome(full: FullRow) -> str:
    row = full.row
    if row.status == "fail":
        return _element("failure", row.decided_by or "fail", _headline(row), _details(full))
    tag = "error" if row.status == "ungraded" else "skipped"
    message = full.failure or row.reason
    if tag == "skipped":
        return f"<skipped message={attribute(_shorten(message, TEXT))}/>"
    return _element(tag, row.reason or row.status, message, _details(full))


def _element(tag: str, kind: str, message: str, text: str) -> str:
    shown = attribute(_shorten(message, TEXT))
    return f"<{tag} type={attribute(kind)} message={shown}>{escape(legal(text))}</{tag}>"


def _headline(row: Result) -> str:
    """Why it failed, in one line."""
    mean = "" if row.mean is None else f"mean {row.mean:.2f}; "
    ratings = row.ratings
    low = [f"{name} {value}" for name in CRITERIA if ratings and (value := getattr(ratings, name)) != "true"]
    return f"{mean}{', '.join(low) or 'no rating below true'}; decided by {row.decided_by or 'unknown'}"


def _details(full: FullRow) -> str:
    """What a reader needs to see what went wrong without opening the workspace."""
    case = full.case
    lines = [f"question: {_cut(case.question)}", f"expected: {_cut(case.expected_answer)}"] if case else []
    if HIDDEN_EVIDENCE in full.row.flags:
        lines[1:] = ["expected: a refusal, for the user may see none of the evidence"]
    lines.append(f"given ({full.row.outcome or 'nothing'}): {_cut(full.answer)}")
    lines += [f"{criterion}: {_cut(reason)}" for criterion, reason in full.reasons.items() if reason]
    return "\n".join(lines)


def _cut(text: str) -> str:
    return text if len(text) <= TEXT else text[: TEXT - 1] + "…"


def _shorten(text: str, limit: int) -> str:
    """One line of at most `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def attribute(text: str) -> str:
    """A quoted attribute; readers would make spaces of line ends and tabs that are not escaped."""
    return quoteattr(legal(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def legal(text: str) -> str:
    """Characters that XML cannot hold become U+FFFD."""
    return _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", text)

"""The closed-book control: which passes test memory and not retrieval. Pure.

A case that an LLM passes without any document is a *lucky pass* of that LLM. Its pass with retrieval says nothing
about the retrieval, and a generator that makes many such cases makes weak tests. Rejection cases are apart: to refuse
them without a document is right and proves nothing, so they are never lucky and stay out of these shares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ragtester.records import CLOSED_BOOK_SUFFIX, TARGET
from ragtester.results import Result, Results
from ragtester.stages.compare.naming import system_namer
from ragtester.stages.compare.view import View, make_view
from ragtester.stages.compare.words import listed, plural, points
from ragtester.statistics import Interval, cluster_bootstrap_difference, format_rate
from ragtester.tables import Cell, Paragraph, Rate, Section, Table

Key = tuple[str, str, str]
"""Run (that of the systems with retrieval), LLM and case id."""
EMBEDDED = "embedded:"
SEED = 7


@dataclass(frozen=True)
class Control:
    """What the control says: the keys that it graded, and those of them that are lucky passes."""

    graded: frozenset[Key]
    lucky: frozenset[Key]

    def knows(self, row: Result) -> bool:
        """Whether the control graded the row's LLM on the row's case; never where the row must refuse."""
        return row.answerable and key_of(row) in self.graded

    def is_lucky(self, row: Result) -> bool:
        """Whether the row's LLM passes the row's case without any document."""
        return row.answerable and key_of(row) in self.lucky


def key_of(row: Result) -> Key:
    """The same for a row with retrieval and for its control."""
    return row.run.removesuffix(CLOSED_BOOK_SUFFIX), row.llm, row.case_id


def control_of(results: Results) -> Control:
    """The control's graded answers to answerable questions. LLMs of the embedded engine have no memory to test."""
    rows = [row for row in results.closed_book if row.graded and may_be_lucky(row)]
    return Control(frozenset(map(key_of, rows)), frozenset(key_of(row) for row in rows if row.status == "pass"))


def lucky_cases(results: Results) -> frozenset[Key]:
    """Run, LLM and case id of every lucky pass."""
    return control_of(results).lucky


def lucky_share(results: Results, technique: str) -> Rate:
    """Lucky passes among the control's graded answers to a technique's answerable questions; 0/0 without a control."""
    rows = [row for row in results.closed_book if row.graded and may_be_lucky(row) and row.technique == technique]
    return _passed(rows)


def section(results: Results, view: View | None = None) -> Section:
    """Lucky passes by LLM and technique, and every system's pass rate with and without them.

    `view` is that of `results`, where it has been made already.
    """
    rows = list(results.closed_book)
    texts = [*_without(results), *(_sentences(rows) if rows else ())]
    parts: list[Paragraph | Table] = [Paragraph(text) for text in texts]
    if any(row.graded and row.type != "rejection" for row in rows):
        parts.append(_luck(rows))
        control = control_of(results)
        if control.graded:
            parts.append(_systems(view or make_view(results), control))
    return Section("closed-book", "Closed-book control", tuple(parts))


def may_be_lucky(row: Result) -> bool:
    """Whether a control's answer can be a lucky pass: to an answerable question, of an LLM that has a memory."""
    return row.answerable and has_memory(row)


def has_memory(row: Result) -> bool:
    """Whether the row's LLM is a model, and none of the embedded engine's rules."""
    return not row.llm.startswith(EMBEDDED)


def _without(results: Results) -> Iterator[str]:
    """What is to be done for runs whose control is not there, not complete or not judged."""
    executed = {row.run.removesuffix(CLOSED_BOOK_SUFFIX) for row in results.closed_book}
    judged = {row.run.removesuffix(CLOSED_BOOK_SUFFIX) for row in results.closed_book if row.graded}
    llms: dict[str, set[str]] = {}
    targets = {row.run for row in results.open_book if row.embedding == TARGET}
    for row in results.open_book:
        llms.setdefault(row.run, set()).add(row.llm)
    for name, asked in llms.items():
        if name in targets:
            yield (
                f"Run {name} has no closed-book control: a target searches by itself and cannot be asked without, so "
                "nobody knows which of its passes rest on memory."
            )
        elif name not in executed and all(llm.startswith(EMBEDDED) for llm in asked):
            yield (
                f"Run {name} has no closed-book control. Its LLMs are of the embedded engine, which has no memory: a "
                "control would mean nothing."
            )
        elif name not in executed:
            yield (
                f"Run {name} has no closed-book control, so nobody knows which of its passes rest on memory. "
                f"`ragtester execute --closed-book --run {name}` and `ragtester judge --closed-book --run {name}` "
                "make it."
            )
        elif name not in judged:
            yield f"The control of run {name} is not judged: `ragtester judge --closed-book --run {name}`."


def _sentences(rows: list[Result]) -> Iterator[str]:
    answerable = [row for row in rows if may_be_lucky(row)]
    embedded = sorted({row.llm for row in rows if row.llm.startswith(EMBEDDED)})
    if answerable:
        ungraded = sum(row.status == "ungraded" for row in answerable)
        missing = sum(row.status == "missing" for row in answerable)
        rate = _passed(answerable)
        yield (
            f"Without any document the LLMs pass {format_rate(rate.successes, rate.n)} of their answers to answerable "
            f"questions ({ungraded} not graded, {missing} missing): lucky passes, which test memory and not retrieval."
        )
    rejections = [row for row in rows if row.type == "rejection" and row.graded and has_memory(row)]
    if rejections:
        rate = _passed(rejections)
        yield (
            f"Without any document {format_rate(rate.successes, rate.n)} of the rejection cases are passed by refusing "
            "them, as is right; that proves nothing about memory, so that they are never counted as lucky."
        )
    if embedded:
        yield (
            f"The embedded engine ({listed(embedded)}) has no memory: the control means nothing for it, and it is in "
            "no total here."
        )


def _luck(rows: list[Result]) -> Table:
    """A row an LLM, a column a technique; then all LLMs, and the cases that at least one of them passes."""
    known = [row for row in rows if row.graded and row.type != "rejection"]
    techniques = sorted({row.technique for row in known})
    made = [_lucky_row(llm, [row for row in known if row.llm == llm], techniques) for llm in _llms(known)]
    counted = [row for row in known if may_be_lucky(row)]
    notes = [
        "Passed without a document, of graded answers to answerable questions.",
        "A technique's share says how many of its cases an LLM knows by heart: less is better.",
    ]
    if len(_llms(counted)) > 1:
        made.append(_lucky_row("all LLMs (answers)", counted, techniques))
        made.append(_lucky_row("at least one LLM (cases)", list(_any_llm(counted)), techniques))
        notes.append("Answers of several LLMs to one case are not independent: the interval of all LLMs is too narrow.")
    columns = ("LLM", *techniques, "all cases")
    return Table("lucky-passes", "Lucky passes by LLM and technique", columns, tuple(made), tuple(notes))


def _lucky_row(name: str, rows: list[Result], techniques: Iterable[str]) -> tuple[Cell, ...]:
    each = (_passed(row for row in rows if row.technique == technique) for technique in techniques)
    return (name, *each, _passed(rows))


def _any_llm(rows: Iterable[Result]) -> Iterable[Result]:
    """One row a case: a passed one where there is one."""
    best: dict[tuple[str, str], Result] = {}
    for row in rows:
        place = (row.run, row.case_id)
        if place not in best or row.status == "pass":
            best[place] = row
    return best.values()


def _systems(view: View, control: Control) -> Table:
    """Pass rates with and without lucky cases, where the control graded the case."""
    groups: dict[str, list[Result]] = {}
    name, rows = system_namer(view), list(view.results.open_book)
    for row in rows:
        if row.graded and control.knows(row):
            groups.setdefault(name(row), []).append(row)
    columns = ("system", "passed", "without lucky cases", "change", "lucky among passes")
    made = tuple(_system_row(system, rows, control.is_lucky) for system, rows in sorted(groups.items()))
    left = sum(row.graded and may_be_lucky(row) and not control.knows(row) for row in rows)
    notes = [
        "Answerable questions that the control graded. Without lucky cases: those that the LLM fails in closed book.",
        "The change is in percentage points, its interval from a bootstrap over documents.",
    ]
    if left:
        notes.append(f"Left out, for their control is not graded: {plural(left, 'answer')}.")
    return Table("pass-without-lucky", "Pass rates without lucky cases", columns, made, tuple(notes))


def _system_row(system: str, rows: list[Result], is_lucky: Callable[[Result], bool]) -> tuple[Cell, ...]:
    plain = [row for row in rows if not is_lucky(row)]
    passed = [row for row in rows if row.status == "pass"]
    before, after = _passed(rows), _passed(plain)
    change: Cell = None
    if before.share is not None and after.share is not None:
        change = points(after.share - before.share, len(plain), _interval(rows, is_lucky))
    lucky = Rate(sum(map(is_lucky, passed)), len(passed))
    return system, before, after, change, lucky


def _interval(rows: Iterable[Result], is_lucky: Callable[[Result], bool]) -> Interval | None:
    groups: dict[str, list[tuple[float | None, float | None]]] = {}
    for row in rows:
        value = float(row.status == "pass")
        groups.setdefault(row.document_id, []).append((None if is_lucky(row) else value, value))
    return cluster_bootstrap_difference(groups, SEED)


def _passed(rows: Iterable[Result]) -> Rate:
    graded = [row for row in rows if row.graded]
    return Rate(sum(row.status == "pass" for row in graded), len(graded))


def _llms(rows: Iterable[Result]) -> list[str]:
    return sorted({row.llm for row in rows})

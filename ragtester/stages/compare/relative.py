"""Relative differences of failure rates, the paper's two bases side by side, in one place with their counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ragtester.results.tally import Tally
from ragtester.stages.compare.matrix import provider
from ragtester.stages.compare.questions import SOURCES
from ragtester.stages.compare.view import Place, View
from ragtester.stages.compare.words import account, unfilled_cases
from ragtester.statistics import relative_difference
from ragtester.tables import Cell, Paragraph, Section, Table

LEAST_FAILURES = 10
"""With fewer failures on a side a percentage of its rate jumps with every single one, and is not given."""
Pair = tuple[str, str]


def relative_section(view: View, baseline: str) -> Section:
    """How far techniques, and brought from generated documents, are from each other in percent of either rate."""
    tables = [
        *_techniques(view, baseline),
        *_table(view, "relative-sources", "Brought against generated documents", lambda place: place.source, SOURCES),
    ]
    text = (
        "The same two counts differ by one percentage of the one rate and by another of the other, so that both are "
        "given, in whole percents. Whether a difference is beyond chance is said in RQ2 and RQ3."
    )
    if not tables:
        text = "There are no two techniques and no two corpus sources here to set against each other."
    parts: tuple[Paragraph | Table, ...] = (Paragraph(text), *tables, account(view.total(), unfilled_cases(view)))
    return Section("relative", "Relative differences", parts)


def relative(first: Tally, second: Tally, base: str) -> float | None:
    """How much the first's failure rate differs from the second's, in percent of `base` ("first" or "second").

    None with fewer than `LEAST_FAILURES` failures on either side.
    """
    one, two = first.fail_rate.share, second.fail_rate.share
    if one is None or two is None or min(first.failed, second.failed) < LEAST_FAILURES:
        return None
    found = relative_difference(one, two, "first" if base == "first" else "second")
    return 100 * found.value if found else None


def _techniques(view: View, baseline: str) -> Iterator[Table]:
    names = view.values("technique")
    if baseline not in names:
        baseline = names[-1] if len(names) == 2 else ""
    others = [name for name in names if name != baseline] if baseline else []
    for name in others:
        table_id = "relative-techniques" if len(others) == 1 else f"relative-techniques-{name}"
        yield from _table(view, table_id, f"{name} against {baseline}", lambda place: place.technique, (name, baseline))


def _table(view: View, table_id: str, title: str, side: Callable[[Place], str], names: Pair) -> Iterator[Table]:
    """One table, where both sides have planned answers."""
    keys: tuple[tuple[str, Callable[[Place], str]], ...] = (
        ("all", lambda _: "all systems"),
        ("provider", lambda place: provider(place.system.llm)),
        ("LLM", lambda place: place.system.llm),
        ("embedding model", lambda place: place.system.embedding),
        ("system", lambda place: place.system.name),
    )
    rows: list[tuple[Cell, ...]] = []
    for kind, key in keys:
        cells = view.by(lambda place, of=key: (of(place), side(place)))  # type: ignore[misc]
        groups = sorted({group for group, _ in cells})
        if kind == "all" or len(groups) > 1:
            rows += _rows(kind, groups, cells, names)
    if rows and set(names) <= {side(place) for place in view.cube}:
        columns = ("by", "group", *(f"{name} failed" for name in names))
        columns += tuple(f"difference in % of {name}" for name in reversed(names))
        notes = (
            f"Difference: the failure rate of {names[0]} less that of {names[1]}, in percent of the rate named.",
            f"n/a: fewer than {LEAST_FAILURES} failures on either side.",
        )
        yield Table(table_id, title, columns, tuple(rows), notes, keys=2)


def _rows(kind: str, groups: Sequence[str], cells: dict[Pair, Tally], names: Pair) -> Iterator[tuple[Cell, ...]]:
    for group in groups:
        first, second = (cells.get((group, name), Tally()) for name in names)
        shares = (relative(first, second, base) for base in ("second", "first"))
        each = (None if share is None else round(share) for share in shares)
        yield (kind, group, first.fail_rate, second.fail_rate, *each)

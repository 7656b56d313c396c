"""Failures of every LLM × embedding model by technique and corpus source, with totals: the paper's tables 6 and 7."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragtester.results.tally import Tally
from ragtester.stages.compare.view import Place, View
from ragtester.stages.compare.words import account, unfilled_cases
from ragtester.tables import Cell, Paragraph, Section, Table

ALL = "all"


def provider(llm: str) -> str:
    """The provider of a model's name."""
    return llm.partition(":")[0]


def matrix_section(view: View, baseline: str) -> Section:
    """The baseline's columns come last; how far the rates are apart has a section of its own."""
    techniques = view.values("technique")
    if baseline in techniques:
        techniques = [*(technique for technique in techniques if technique != baseline), baseline]
    parts: list[Paragraph | Table] = [
        Paragraph("Each cell: failed of graded answers, with its 95 % interval."),
        _table(view, techniques, "matrix", "Failures of every LLM × embedding model", lambda place: place.system.name),
    ]
    for name, title, key in (
        ("by-llm", "LLM", lambda place: place.system.llm),
        ("by-embedding", "embedding model", lambda place: place.system.embedding),
        ("by-provider", "provider of the LLM", lambda place: provider(place.system.llm)),
    ):
        parts.append(_table(view, techniques, name, f"Totals by {title}", key))
    parts.append(account(view.total(), unfilled_cases(view)))
    return Section("matrix", "Failures by system, technique and corpus source", tuple(parts))


def _table(view: View, techniques: Sequence[str], table_id: str, title: str, key: Callable[[Place], str]) -> Table:
    sources = [source for source in view.values("source") if source]
    split = sources if len(sources) > 1 else []
    spots = [(technique, source) for technique in techniques for source in (*split, ALL)]
    columns = [title.removeprefix("Totals by ").removeprefix("Failures of every ")]
    columns += [technique if source == ALL else f"{technique}, {source}" for technique, source in spots]
    columns.append("not counted")
    cells = view.by(lambda place: (key(place), place.technique, place.source))
    names = list(dict.fromkeys(name for name, _, _ in cells))
    rows = [_row(name, cells, name, spots) for name in sorted(names)]
    if len(names) > 1:
        whole = view.by(lambda place: (ALL, place.technique, place.source))
        rows.append(_row("total", whole, ALL, spots))
    return Table(table_id, title, tuple(columns), tuple(rows), ("Not counted: ungraded and missing answers.",))


def _row(
    label: str,
    cells: dict[tuple[str, str, str], Tally],
    name: str,
    spots: Sequence[tuple[str, str]],
) -> tuple[Cell, ...]:
    tallies = {(technique, source): tally for (own, technique, source), tally in cells.items() if own == name}
    found = [_sum(tallies, technique, source) for technique, source in spots]
    row: list[Cell] = [label, *(tally.fail_rate for tally in found)]
    left_out = sum(tally.left_out for tally in tallies.values())
    return (*row, left_out)


def _sum(tallies: dict[tuple[str, str], Tally], technique: str, source: str) -> Tally:
    found = Tally()
    for (own, origin), tally in tallies.items():
        if own == technique and source in (ALL, origin):
            found.merge(tally)
    return found

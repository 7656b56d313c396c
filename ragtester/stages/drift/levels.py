"""Each figure of one run by itself, with its interval. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.records import HistoryFigure
from ragtester.stages.drift.figure_values import DIGITS, FIGURES, Counted, Figure, bits, total
from ragtester.stages.drift.rows import RunData
from ragtester.statistics import Interval, cluster_bootstrap, mean, wilson


def levels(run: RunData, seed: int) -> Iterator[HistoryFigure]:
    """Every figure that the run has, over all that it holds."""
    for figure in FIGURES:
        found = _level(figure, run, seed)
        if found is not None:
            yield found


def _level(figure: Figure, run: RunData, seed: int) -> HistoryFigure | None:
    values = [(counted, name) for name, counted in _values(figure, run)]
    several = len({document for _, (document, _) in values}) > 1
    groups = [(counted, document if several else case_id) for counted, (document, case_id) in values]
    count, of = total([counted for counted, _ in groups])
    if not of:
        return None
    interval = _interval(figure, groups, seed)
    if interval is None and figure.unit == "share":
        interval = wilson(round(count), round(of))
    return HistoryFigure(
        name=figure.name,
        layer=figure.layer,
        unit=figure.unit,
        value=round(count / of, DIGITS),
        n=int(of),
        low=round(interval.low, DIGITS) if interval else None,
        high=round(interval.high, DIGITS) if interval else None,
    )


def _values(figure: Figure, run: RunData) -> Iterator[tuple[tuple[str, str], Counted]]:
    """Document and case with the value, of every answer or query that has one."""
    places: Iterator[tuple[tuple[str, ...], str]]
    if figure.layer == "retrieval":
        places = ((place, query.document_id) for place, query in (run.queries or {}).items())
    else:
        places = ((place, row.document_id) for place, row in run.rows.items())
    for place, document in places:
        counted = figure.of(run, place)
        if counted is not None:
            yield (document, place[-1]), counted


def _interval(figure: Figure, groups: list[tuple[Counted, str]], seed: int) -> Interval | None:
    if figure.kind != "rate":
        found = mean([counted[0] for counted, _ in groups], [name for _, name in groups], seed)
        return found.interval if found else None
    claims: dict[str, list[float]] = {}
    for counted, name in groups:
        claims.setdefault(name, []).extend(bits(counted))
    return cluster_bootstrap(claims, seed)

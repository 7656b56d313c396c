"""LLMs against each other with the embedding model held fixed, and embedding models with the LLM held fixed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Literal

from ragtester.stages.compare.pairs import common
from ragtester.stages.compare.view import System, View
from ragtester.stages.compare.words import account, documents_note, points, unfilled_cases
from ragtester.statistics import cluster_bootstrap_difference
from ragtester.tables import Cell, Paragraph, Rate, Section, Table

Factor = Literal["llm", "embedding"]
TITLES: dict[Factor, str] = {"llm": "LLM", "embedding": "embedding model"}
OTHER: dict[Factor, Factor] = {"llm": "embedding", "embedding": "llm"}
MOST_PAIRS = 45


def factors_section(view: View, seed: int) -> Section:
    """Which half of the pair makes the difference."""
    parts: list[Paragraph | Table] = []
    for factor in ("llm", "embedding"):
        parts += _factor(view, factor, seed)
    note = documents_note(len(view.values("document")))
    if note:
        parts.append(Paragraph(note))
    parts.append(account(view.total(), unfilled_cases(view)))
    return Section("factors", "LLM or embedding model", tuple(parts))


def _factor(view: View, factor: Factor, seed: int) -> Iterator[Paragraph | Table]:
    title, other = TITLES[factor], TITLES[OTHER[factor]]
    levels = list(dict.fromkeys(getattr(system, factor) for system in view.systems))
    if len(levels) < 2:
        yield Paragraph(f"Only one {title} took part ({levels[0] if levels else 'none'}): nothing to compare it with.")
        return
    rows: list[tuple[Cell, ...]] = []
    apart = unmatched = 0
    for first, second in combinations(levels, 2):
        pairs = _matched(view.systems, factor, first, second)
        row, told = _row(view, first, second, pairs, seed)
        if not row:
            unmatched += 1
            continue
        rows.append(row)
        apart += told
    if not rows:
        yield Paragraph(f"No two {title}s were run with the same {other}, so none can be compared alone.")
        return
    yield Paragraph(
        f"With the {other} held fixed, {apart} of {len(rows)} pairs of {title}s differ (the interval over documents "
        "excludes 0)." + (f" {unmatched} pairs share no {other} and are not compared." if unmatched else "")
    )
    columns = (f"first {title}", f"second {title}", "first failed", "second failed", "difference", "differ")
    notes = [f"Pairs of answers to the same case with the same {other}; bootstrap over documents."]
    if len(rows) > MOST_PAIRS:
        rows.sort(key=lambda row: str(row[-1]), reverse=True)
        notes.append(f"The first {MOST_PAIRS} of {len(rows)} pairs, those that differ first.")
        rows = rows[:MOST_PAIRS]
    yield Table(
        f"{factor}-pairs",
        f"{title[0].upper()}{title[1:]}s, {other} held fixed",
        columns,
        tuple(rows),
        tuple(notes),
        keys=2,
    )


def _matched(systems: Sequence[System], factor: Factor, first: str, second: str) -> list[tuple[System, System]]:
    """Pairs of systems that differ in the factor alone."""
    rest = OTHER[factor]
    return [
        (one, two)
        for one in systems
        for two in systems
        if getattr(one, factor) == first
        and getattr(two, factor) == second
        and (getattr(one, rest), one.run) == (getattr(two, rest), two.run)
    ]


def _row(
    view: View, first: str, second: str, pairs: Sequence[tuple[System, System]], seed: int
) -> tuple[tuple[Cell, ...], bool]:
    """The row and whether the two differ; an empty row without a common case."""
    groups: dict[str, list[tuple[float | None, float | None]]] = {}
    failed = [0, 0]
    n = 0
    for one, two in pairs:
        for key in common(view, one, two):
            mine, theirs = view.graded[one][key], view.graded[two][key]
            groups.setdefault(mine.document, []).append((float(mine.failed), float(theirs.failed)))
            failed[0] += mine.failed
            failed[1] += theirs.failed
            n += 1
    if not n:
        return (), False
    interval = cluster_bootstrap_difference(groups, seed)
    told = interval is not None and (interval.low > 0 or interval.high < 0)
    difference = points((failed[0] - failed[1]) / n, n, interval)
    word = "n/a" if interval is None else "yes" if told else "no"
    return (first, second, Rate(failed[0], n), Rate(failed[1], n), difference, word), told

"""Which answers the failure explorer holds where not all of them fit, and the sentence that says so."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.results import Result
from ragtester.statistics import stratified_sample
from ragtester.tables.cells import counted


def choose(rows: Sequence[Result], size: int, seed: int) -> tuple[Result, ...]:
    """At most `size` rows: what failed or has no grade first, then passes; in the order of `rows`.

    Where one of the two groups does not fit it is sampled in proportion to system, technique and case type.
    """
    if len(rows) <= size:
        return tuple(rows)
    wanted = [row for row in rows if row.status != "pass"]
    passes = [row for row in rows if row.status == "pass"]
    kept = _sample(wanted, size, seed)
    kept += _sample(passes, size - len(kept), seed)
    chosen = {id(row) for row in kept}
    return tuple(row for row in rows if id(row) in chosen)


def _sample(rows: Sequence[Result], size: int, seed: int) -> list[Result]:
    if size <= 0:
        return []
    return stratified_sample(
        rows,
        lambda row: (row.system, row.technique, row.type),
        size,
        seed,
        lambda row: f"{row.run} {row.technique} {row.case_id}",
    )


def tell(rows: Sequence[Result], chosen: Sequence[Result], seed: int) -> str:
    """How many of how many rows are in the explorer and how they were chosen."""
    if len(chosen) == len(rows):
        return f"The explorer holds every answer of the run: {counted(len(rows), 'row')}."
    parts = []
    for word, is_wanted in (("that failed or have no grade", True), ("that passed", False)):
        held = sum((row.status != "pass") == is_wanted for row in chosen)
        of = sum((row.status != "pass") == is_wanted for row in rows)
        parts.append(f"all {of:,} {word}" if held == of else f"{held:,} of {of:,} {word}")
    return (
        f"To keep this page small the explorer holds {len(chosen):,} of {counted(len(rows), 'row')}: {parts[0]}, and "
        f"{parts[1]}. What does not fit was sampled in proportion to system, technique and case type with seed {seed}. "
        "All figures above count every row."
    )

"""Cells and pieces of sentences of an experiment's tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ragtester.records import MeanValue
from ragtester.statistics import Interval
from ragtester.tables import Cell, Estimate


def mean_cell(found: MeanValue, unit: str = "%") -> Cell:
    """A mean of shares in per cent, or a difference of them in points."""
    if found.value is None:
        return None
    interval = None
    if found.low is not None and found.high is not None:
        interval = Interval(100 * found.low, 100 * found.high)
    return Estimate(100 * found.value, found.n, interval, unit)


def changes_text(changes: Mapping[str, Any]) -> str:
    """`chunk_size = 300, arms = ["dense", "bm25"]`."""
    return ", ".join(
        f"{name.rpartition('.')[2]} = {json.dumps(value, ensure_ascii=False)}" for name, value in changes.items()
    )


def size_text(size: int) -> str:
    """Bytes as people read them: 912 B, 12.3 kB, 4.5 MB (powers of 1000)."""
    if size < 1000:
        return f"{size} B"
    value, units = float(size), iter(("kB", "MB", "GB", "TB"))
    unit = "B"
    while value >= 1000 and unit != "TB":
        value, unit = value / 1000, next(units)
    return f"{value:.3g} {unit}" if value < 999.5 else f"{value:.0f} {unit}"

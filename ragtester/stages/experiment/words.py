"""Cells and pieces of sentences of an experiment's tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ragtester.stages.experiment.changeable import EMBEDDING
from ragtester.stages.experiment.overlay import shown

GRID = "grid"
"""Name of a point of a sweep over embedding models alone."""


def changes_text(changes: Mapping[str, Any]) -> str:
    """`chunk_size = 300, arms = ["dense", "bm25"]`."""
    return ", ".join(
        f"{name.rpartition('.')[2]} = {json.dumps(value, ensure_ascii=False)}" for name, value in changes.items()
    )


def short_name(changes: Mapping[str, Any]) -> str:
    """A point of a grid in short: `1000/100 dense+bm25 k=4` for chunk size, overlap, arms and K."""
    values = {name.rpartition(".")[2]: shown(value) for name, value in changes.items() if name != EMBEDDING}
    parts = []
    if "chunk_size" in values and "chunk_overlap" in values:
        parts.append(f"{values.pop('chunk_size')}/{values.pop('chunk_overlap')}")
    if "arms" in values:
        parts.append(values.pop("arms"))
    return " ".join([*parts, *(f"{name}={value}" for name, value in values.items())]) or GRID


def size_text(size: int) -> str:
    """Bytes as people read them: 912 B, 12.3 kB, 4.5 MB (powers of 1000)."""
    if size < 1000:
        return f"{size} B"
    value, units = float(size), iter(("kB", "MB", "GB", "TB"))
    unit = "B"
    while value >= 1000 and unit != "TB":
        value, unit = value / 1000, next(units)
    return f"{value:.3g} {unit}" if value < 999.5 else f"{value:.0f} {unit}"

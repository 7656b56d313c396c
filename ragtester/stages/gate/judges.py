"""Whether a judge is pinned. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragtester.provenance import is_floating
from ragtester.records import GateCheck, Layer
from ragtester.settings import GateSettings
from ragtester.stages.gate.lines import failure, warning


def pinned(layer: Layer, judges: Iterable[str], gate: GateSettings) -> Iterator[GateCheck]:
    """A line for each judge whose name may mean another model tomorrow; it closes the gate where pins are demanded."""
    for judge in judges:
        if is_floating(judge):
            text = f"{judge} is not pinned: its name may mean another model tomorrow"
            if gate.pinned_judge:
                yield failure(layer, "pinned judge", f"{text}; name a dated version")
            else:
                yield warning(layer, "pinned judge", text)

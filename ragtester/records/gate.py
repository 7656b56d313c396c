"""The gate: every layer's checks and one decision."""

from __future__ import annotations

from typing import Literal

from ragtester.records.base import Record

Layer = Literal["run", "claims", "adversarial", "coverage", "retrieval", "drift"]


class GateCheck(Record):
    """One check. "error" means that it could not be made: the gate is then closed, too.

    `value` is what was measured over `n`, with its 95 % interval; `limit` what the settings allow.
    """

    layer: Layer
    name: str
    status: Literal["pass", "fail", "error"]
    text: str
    value: float | None = None
    n: int | None = None
    low: float | None = None
    high: float | None = None
    limit: float | None = None


class GateResult(Record):
    """What the gate decided: `gates/<suite>/<run>/result.json`. It is open where every check passed."""

    gate: str
    run: str
    baseline: str = ""
    layers: tuple[Layer, ...]
    checks: tuple[GateCheck, ...]
    explanation: tuple[str, ...] = ()
    open: bool
    started: str
    ended: str

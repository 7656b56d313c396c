"""The gate: every layer's checks and one decision."""

from __future__ import annotations

from typing import Literal

from ragtester.records.base import Record
from ragtester.records.drift import Cause

Layer = Literal["run", "claims", "adversarial", "coverage", "retrieval", "drift"]


class GateCheck(Record):
    """One check. "error" means that it could not be made: the gate is then closed, as after "fail".

    "warn" is what a reader must know and does not close it. `value` is what was measured over `n`, with its 95 %
    interval; `limit` what the settings allow. `too_small` says that the interval holds the limit: the suite cannot
    tell on which side of it the system is; the value alone decides.
    """

    layer: Layer
    name: str
    status: Literal["pass", "warn", "fail", "error"]
    text: str
    value: float | None = None
    n: int | None = None
    low: float | None = None
    high: float | None = None
    limit: float | None = None
    too_small: bool = False

    @property
    def closes(self) -> bool:
        """Whether the gate is closed because of it."""
        return self.status in ("fail", "error")


class GateResult(Record):
    """What the gate decided: `gates/<gate>/<run>/result.json`. It is open where no check failed or was impossible.

    `explanation` says what changed since the baseline and where failures cluster, `advice` what to do about a closed
    gate. `causes` are what differs from the baseline, in the order in which they are to be ruled out.
    """

    gate: str
    run: str
    suite: str = ""
    baseline: str = ""
    layers: tuple[Layer, ...]
    checks: tuple[GateCheck, ...]
    causes: tuple[Cause, ...] = ()
    explanation: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    open: bool
    started: str
    ended: str

"""What a technique's cases cost to make, to answer and to judge, in dollars. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragtester.records import Manifest
from ragtester.results import Result
from ragtester.results.paying import total

FREE = ("embedded:", "scripted:")
# Verdicts that needed no judge: the answer was a pure abstention, or there was none.
NOT_ASKED = frozenset({"refusal", "answer_failed", "provider_refusal"})


@dataclass(frozen=True)
class Costs:
    """Dollars; None where any part of it is not known."""

    cases: float | None
    answers: float | None
    judge: float | None

    @property
    def total(self) -> float | None:
        """All three together; None where one is not known."""
        parts = [part for part in (self.cases, self.answers, self.judge) if part is not None]
        return sum(parts) if len(parts) == 3 else None


def costs_of(rows: Iterable[Result], manifests: Iterable[Manifest]) -> Costs:
    """Costs of a technique from its rows and from its suites' manifests."""
    known = list(rows)
    return Costs(
        total(map(_cases, manifests)),
        total(row.paid for row in known if row.outcome in ("answered", "abstained")),
        total(_judge(row) for row in known if row.status != "missing"),
    )


def _cases(manifest: Manifest) -> float | None:
    """What making a suite cost: as its manifest says, or nothing where only free models took part."""
    cost = manifest.counts.get("cost")
    if isinstance(cost, int | float):
        return float(cost)
    return 0.0 if manifest.models and all(name.startswith(FREE) for name in manifest.models) else None


def _judge(row: Result) -> float | None:
    return 0.0 if row.judge_cost is None and row.decided_by in NOT_ASKED else row.judge_cost

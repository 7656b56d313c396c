"""At which step of its path a query rose or fell: what arms find, what stands within K, what packing leaves. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ragtester.records import Step
from ragtester.stages.query_values import Pair, Value


def found_by(pairs: Iterable[Pair], *, filtered: bool = False) -> Step:
    """What makes the arms find other chunks: the search itself; where the arms rank alike, which of them, or how deep.

    They rank alike where no gold chunk has two ranks in one arm, and some has one on both sides; of sides that ask no
    arm in common nothing can differ but the arms. `filtered`: nothing but filters was changed.
    """
    if filtered:
        return "filter"
    alike = kinds = common = False
    for one, two in pairs:
        after = dict(zip(two.gold, two.arms, strict=True))
        if after.keys() != set(one.gold):
            return "search"
        for name, was in zip(one.gold, one.arms, strict=True):
            now = after[name]
            kinds, common = kinds or was.keys() != now.keys(), common or bool(was.keys() & now.keys())
            both = [(was[arm], now[arm]) for arm in was if was[arm] is not None and now.get(arm) is not None]
            if any(rank != other for rank, other in both):
                return "search"
            alike = alike or bool(both)
    if kinds and (alike or not common):
        return "arms"
    return "depth" if alike else "search"


def step_counts(metric: str, pairs: Sequence[Pair], *, rose: bool, filtered: bool = False) -> dict[Step, int]:
    """Queries that rose (or fell), by the first step at which they did; empty for metrics without steps."""
    if metric not in ("recall", "evidence", "reciprocal_rank"):
        return {}
    first = found_by(pairs, filtered=filtered)
    counts = Counter(step for one, two in pairs if (step := step_of(metric, one, two, first, rose=rose)) is not None)
    order: tuple[Step, ...] = (first, "ranking", "packing")
    return {step: counts[step] for step in order if counts[step]}


def step_of(metric: str, one: Value, two: Value, first: Step, *, rose: bool) -> Step | None:
    """The first step at which a query that rose (or fell) in its context did so; None for any other query."""
    if not _went(one.of(metric), two.of(metric), rose=rose):
        return None
    if one.ranked is None or two.ranked is None or one.candidates is None or two.candidates is None:
        return None
    if _went(getattr(one.candidates, metric), getattr(two.candidates, metric), rose=rose):
        return first
    if _went(getattr(one.ranked, metric), getattr(two.ranked, metric), rose=rose):
        return "filter" if first == "filter" else "ranking"
    return "packing"


def _went(before: float | None, after: float | None, *, rose: bool) -> bool:
    if before is None or after is None:
        return False
    return after > before if rose else after < before

"""When shares of fusion sources are an alarm, among periods of the same settings. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.records import Proportion, SourceShares
from ragtester.stages.proportions import rate_text
from ragtester.statistics import rate_difference
from ragtester.tables.cells import counted


def with_alarms(periods: Sequence[SourceShares]) -> list[SourceShares]:
    """The periods, oldest first, each with what is wrong in it, compared with those before."""
    found: list[SourceShares] = []
    for period in periods:
        said = [*_silent(period), *_gone(period, found)]
        found.append(period.model_copy(update={"alarm": "; ".join(said)}))
    return found


def _silent(period: SourceShares) -> list[str]:
    """Arms that were asked and gave nothing for any query, or whose hits are in no context: all below a floor, say."""
    said = []
    for arm, queries in period.asked.items():
        hits = period.hits.get(arm, 0)
        if queries and not hits:
            said.append(f"the {arm} arm gave nothing for any of {counted(queries, 'query', 'queries')}")
        elif queries and not period.feeds.get(arm):
            said.append(f"the {arm} arm feeds no context, with hits for {hits} of {queries} queries: look at its floor")
    return said


def _gone(period: SourceShares, before: Sequence[SourceShares]) -> list[str]:
    """BM25-only chunks that were there before, beyond chance, and are none now."""
    now = period.bm25_only
    if not now.n or now.successes:
        return []
    for earlier in reversed(before):
        if _beyond_chance(earlier.bm25_only, now):
            was = rate_text(earlier.bm25_only)
            return [f"no chunk comes from BM25 alone ({was} in {earlier.period})"]
    return []


def _beyond_chance(earlier: Proportion, now: Proportion) -> bool:
    """Whether the interval of the difference (Newcombe's) excludes 0."""
    found = rate_difference((earlier.successes, earlier.n), (now.successes, now.n))
    return found is not None and found.interval is not None and found.interval.low > 0

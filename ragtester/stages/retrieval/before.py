"""Two audits of the same queries, before and after a change: of the same K and access rules only. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragtester.errors import UsageError
from ragtester.records import AccessAccount, AuditedQuery, BeforeAfter, MetricComparison, RetrievalResult
from ragtester.searching.reading import reading, rested_on
from ragtester.stages.query_changes import compare_metrics, corrected, flips
from ragtester.stages.query_values import Value, is_same_gold, paired, value_of
from ragtester.stages.retrieval.changed import changed_settings

Row = tuple[AuditedQuery, AuditedQuery]
NAMED = 6
"""Changed settings that a sentence names."""


@dataclass(frozen=True)
class Earlier:
    """The audit to compare with: its figures, its rows, and what retrieved (empty where that is not known)."""

    result: RetrievalResult
    rows: Sequence[AuditedQuery]
    configuration: Mapping[str, Any]


def before_after(
    old: Earlier,
    access: AccessAccount,
    rows: Sequence[AuditedQuery],
    configuration: Mapping[str, Any],
    seed: int,
) -> tuple[BeforeAfter, ...]:
    """A comparison for each pair of embedding models, with Holm's correction over all their tests.

    Raises UsageError where K, access or the queries differ.
    """
    run = old.result.run
    names = list(dict.fromkeys(row.embedding for row in rows))
    changed = changed_settings(old.configuration, configuration) if old.configuration else None
    filtered = bool(changed) and all(one.startswith("filter") for one in changed or ())
    found = []
    for before, after in _matched(list(old.result.embeddings), names):
        earlier = {row.query_id: row for row in old.rows if row.embedding == before}
        own = {row.query_id: row for row in rows if row.embedding == after}
        both = [(earlier[name], row) for name, row in own.items() if name in earlier]
        _refuse(run, both, old.result.access, access)
        pairs, apart = paired(_measured(earlier), _measured(own))
        if pairs:
            same_gold = is_same_gold(pairs)
            metrics = compare_metrics(pairs, seed, filtered=filtered)
            found.append(
                BeforeAfter(
                    run=run,
                    embedding_before=before,
                    embedding_after=after,
                    queries=len(pairs),
                    apart=apart,
                    same_gold=same_gold,
                    metrics=metrics,
                    flips=flips(pairs, same_gold, filtered=filtered),
                    found=sum(bool(one.missed) and not two.missed for one, two in both if _is_measured(one, two)),
                    lost=sum(bool(two.missed) and not one.missed for one, two in both if _is_measured(one, two)),
                    changed=changed,
                    reading=f"{after}: {_told(metrics, same_gold, changed)}",
                )
            )
    if not found:
        raise UsageError(f"--before {run}: no query was measured in both runs; audit runs of the same suite")
    return _corrected(found)


def _told(metrics: Sequence[MetricComparison], same_gold: bool, changed: Sequence[str] | None) -> str:
    """The reading, where to look for answers that got worse, and what was changed."""
    told = reading(metrics, same_gold=same_gold)
    if not any(one is not None and one.direction == "fell" for one in _pair(metrics, same_gold)):
        told += " Where answers got worse, look at generation and packing."
    if changed is None:
        return told
    more = f" and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
    named = "; ".join(changed[:NAMED]) + more
    return f"{told} Changed: {named or 'nothing in the configuration, so look at texts, cases and versions'}."


def _pair(metrics: Sequence[MetricComparison], same_gold: bool) -> tuple[MetricComparison | None, ...]:
    return rested_on({one.metric: one for one in metrics}, same_gold=same_gold)


def _measured(rows: Mapping[str, AuditedQuery]) -> dict[str, Value]:
    return {name: value_of(row, row.metrics) for name, row in rows.items() if row.metrics is not None}


def _is_measured(one: AuditedQuery, two: AuditedQuery) -> bool:
    return one.metrics is not None and two.metrics is not None


def _corrected(found: Sequence[BeforeAfter]) -> tuple[BeforeAfter, ...]:
    ps = iter(corrected([one.metrics for one in found])[0])
    return tuple(
        one.model_copy(update={"metrics": tuple(each.model_copy(update={"holm": next(ps)}) for each in one.metrics)})
        for one in found
    )


def _matched(before: list[str], after: list[str]) -> Iterator[tuple[str, str]]:
    """The same embedding model on both sides; one on each side may differ, for it may be what was changed."""
    shared = [name for name in after if name in before]
    if shared:
        yield from ((name, name) for name in shared)
    elif len(before) == len(after) == 1:
        yield before[0], after[0]


def _refuse(run: str, pairs: Sequence[Row], old: AccessAccount, new: AccessAccount) -> None:
    for one, two in pairs:
        if one.status == "unfinished" or two.status == "unfinished":
            continue
        if one.k != two.k:
            raise UsageError(
                f"--before {run}: K was {one.k} and is {two.k} (query {two.query_id}); compare runs of the same K"
            )
        same = (one.user_tags, old.documents.get(one.document_id, ())) == (
            two.user_tags,
            new.documents.get(two.document_id, ()),
        )
        if not same:
            raise UsageError(
                f"--before {run}: access rules differ (query {two.query_id} or the tags of {two.document_id}); what a "
                "user may see must be the same in both runs"
            )

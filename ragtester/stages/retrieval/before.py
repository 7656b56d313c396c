"""Two audits of the same queries, before and after a change: of the same K and access rules only. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ragtester.errors import UsageError
from ragtester.records import AccessAccount, AuditedQuery, BeforeAfter, Direction, MetricChange, RetrievalResult
from ragtester.searching.reading import pair_reading
from ragtester.stages.retrieval.averages import mean_value

METRICS: dict[str, Callable[[AuditedQuery], float | None]] = {
    "hit rate": lambda row: float(row.metrics.hit) if row.metrics else None,
    "recall": lambda row: row.metrics.recall if row.metrics else None,
    "precision": lambda row: row.metrics.precision if row.metrics else None,
    "MRR": lambda row: row.metrics.reciprocal_rank if row.metrics else None,
    "nDCG": lambda row: row.metrics.ndcg if row.metrics else None,
    "average precision": lambda row: row.metrics.average_precision if row.metrics else None,
    "evidence": lambda row: row.metrics.evidence if row.metrics else None,
}
Pair = tuple[AuditedQuery, AuditedQuery]


def before_after(
    old: RetrievalResult, old_rows: Sequence[AuditedQuery], access: AccessAccount, rows: Sequence[AuditedQuery]
) -> tuple[BeforeAfter, ...]:
    """A comparison for each pair of embedding models. Raises UsageError where K, access or the queries differ."""
    earlier = {(row.embedding, row.query_id): row for row in old_rows}
    names = list(dict.fromkeys(row.embedding for row in rows))
    found = []
    for before, after in _matched(list(old.embeddings), names):
        pairs = [
            (earlier[before, row.query_id], row)
            for row in rows
            if row.embedding == after and (before, row.query_id) in earlier
        ]
        _refuse(old.run, pairs, old.access, access)
        measured = [pair for pair in pairs if all(row.status == "measured" for row in pair)]
        if measured:
            found.append(_compared(old.run, before, after, measured))
    if not found:
        raise UsageError(f"--before {old.run}: no query was measured in both runs; audit runs of the same suite")
    return tuple(found)


def _matched(before: list[str], after: list[str]) -> Iterator[tuple[str, str]]:
    """The same embedding model on both sides; one on each side may differ, for it may be what was changed."""
    shared = [name for name in after if name in before]
    if shared:
        yield from ((name, name) for name in shared)
    elif len(before) == len(after) == 1:
        yield before[0], after[0]


def _refuse(run: str, pairs: Sequence[Pair], old: AccessAccount, new: AccessAccount) -> None:
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


def _compared(run: str, before: str, after: str, pairs: Sequence[Pair]) -> BeforeAfter:
    changes = tuple(_change(metric, pairs) for metric in METRICS)
    return BeforeAfter(
        run=run,
        embedding_before=before,
        embedding_after=after,
        queries=len(pairs),
        changes=changes,
        found=sum(bool(one.missed) and not two.missed for one, two in pairs),
        lost=sum(bool(two.missed) and not one.missed for one, two in pairs),
        reading=f"{after}: {_reading(changes, pairs)}",
    )


def _change(metric: str, pairs: Sequence[Pair]) -> MetricChange:
    value = METRICS[metric]
    both = [
        (two.document_id, old, new)
        for one, two in pairs
        if (old := value(one)) is not None and (new := value(two)) is not None
    ]
    return MetricChange(
        metric=metric,
        before=mean_value((document, old) for document, old, _ in both).value,
        after=mean_value((document, new) for document, _, new in both).value,
        difference=mean_value((document, new - old) for document, old, new in both),
    )


def _reading(changes: Sequence[MetricChange], pairs: Sequence[Pair]) -> str:
    """The sentence, and what it rests on where other chunks are gold now."""
    found = {change.metric: change for change in changes}
    same = all({gold.id for gold in one.gold} == {gold.id for gold in two.gold} for one, two in pairs)
    if same or found["evidence"].difference.value is None:
        return reading(found["recall"], found["MRR"])
    told = reading(found["evidence"], found["MRR"], "The evidence found")
    return f"{told} Other chunks are gold now, so the share of the evidence stands for recall."


def reading(found: MetricChange, rank: MetricChange, subject: str = "Recall") -> str:
    """What the pair of recall (or what stands for it) and MRR says; no answers are looked at."""
    ways = _direction(found), _direction(rank)
    told = pair_reading(*ways, subject)
    return told if "fell" in ways else f"{told} Where answers got worse, look at generation and packing."


def _direction(change: MetricChange) -> Direction:
    """A change counts where its interval leaves out 0."""
    one = change.difference
    if one.value is None or one.low is None or one.high is None:
        return "unclear"
    return "rose" if one.low > 0 else "fell" if one.high < 0 else "unclear"

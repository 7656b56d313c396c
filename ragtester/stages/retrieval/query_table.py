"""Every query as a row of a table for a spreadsheet: `tables/queries.csv`. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragtester.records import AuditedQuery
from ragtester.tables import Cell, Table

NAME = "queries"
LISTS = ("fused", "reranked", "context")


def query_table(rows: Sequence[AuditedQuery]) -> Table:
    """One row a query and embedding model. Ids stand between semicolons, as a file of labels may have them.

    Ranks are those of the gold chunk that stood first, in each arm and in each later list; 1 and 0 are yes and no.
    """
    arms = sorted({arm for row in rows for gold in row.gold for arm in gold.arms})
    columns = (
        *("query_id", "embedding", "status", "stage", "cause", "gold_ids", "final_context_ids", "hit", "recall"),
        *(f"first gold in {name}" for name in (*arms, *LISTS)),
        "failed",
    )
    return Table(NAME, "Every query", columns, tuple(_row(row, arms) for row in rows), keys=2)


def _row(row: AuditedQuery, arms: Sequence[str]) -> tuple[Cell, ...]:
    stage, cause = (row.diagnosis.stage, row.diagnosis.cause) if row.diagnosis else (None, None)
    hit, recall = (int(row.metrics.hit), row.metrics.recall) if row.metrics else (None, None)
    ids = _joined(gold.id for gold in row.gold), _joined(row.context_ids)
    first = [_first(gold.arms.get(arm) for gold in row.gold) for arm in arms]
    first += [_first(getattr(gold, name) for gold in row.gold) for name in LISTS]
    return (row.query_id, row.embedding, row.status, stage, cause, *ids, hit, recall, *first, _joined(row.failed))


def _joined(names: Iterable[str]) -> str | None:
    return "; ".join(names) or None


def _first(ranks: Iterable[int | None]) -> int | None:
    return min((rank for rank in ranks if rank is not None), default=None)

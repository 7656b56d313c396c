"""The traces of a run as JSON Lines, in the fields that `ragtester.interchange.trace_lines` names."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from ragtester.errors import UsageError
from ragtester.interchange.exporting import Exported
from ragtester.interchange.options import ExportOptions
from ragtester.records import Trace
from ragtester.searching.measure import measure
from ragtester.settings import Settings
from ragtester.stages.retrieval.items import Item
from ragtester.stages.retrieval.sources import Source, from_answers
from ragtester.waiting import wait_for
from ragtester.workspace import Workspace

FORMAT = "traces"


def export_traces(
    workspace: Workspace, settings: Settings, options: ExportOptions, output: Path | None = None
) -> Exported:
    """One line a query and embedding model, for the LLMs of a model share their retrieval.

    Raises UsageError without a run, for a run without traces, and for a name that does not end in `.jsonl`.
    """
    if not options.run:
        raise UsageError("traces are those of a run: say which with --run")
    if output is not None and output.suffix.lower() not in (".jsonl", ".ndjson"):
        raise UsageError(f"{output}: traces are written as .jsonl")
    execute = settings.execute.model_copy(update={"run": options.run})
    source = from_answers(workspace, settings.model_copy(update={"execute": execute}), _no_embedder)
    dropped: Counter[str] = Counter()
    lines = wait_for(_lines(source, options, dropped))
    if not lines:
        raise UsageError(f"run {options.run}: no traces of technique {options.technique} to export")
    return Exported("".join(lines), FORMAT, "jsonl", len(lines), dict(sorted(dropped.items())))


async def _lines(source: Source, options: ExportOptions, dropped: Counter[str]) -> list[str]:
    placed: list[tuple[int, int, str]] = []
    order = {name: at for at, name in enumerate(source.embeddings)}
    wanted = options.system.partition(" × ")[2] or options.system
    async for item in source.items():
        llms = (*item.failed, *item.passed)
        if options.technique not in ("all", item.case.technique) or wanted not in ("", item.embedding, *llms):
            continue
        if item.failure is not None:
            dropped["queries for which nothing was retrieved"] += 1
            continue
        at = order.setdefault(item.embedding, len(order))
        placed.append((at, item.at, trace_line(item, [arm.kind for arm in source.path.arms])))
    return [line for _, _, line in sorted(placed)]


def trace_line(item: Item, asked: Iterable[str] = ()) -> str:
    """An item as a line. Gold that the user may not see stands apart, and counts in no metric.

    `asked` are the arms of the run: one that found nothing is told from one that was not there.
    """
    trace = item.trace
    value: dict[str, Any] = {
        "query_id": item.case.id,
        "query_text": trace.query,
        "user_acl": list(trace.user_tags),
        "index_revision": trace.index,
        "embedding_model": trace.embedding,
        "k_final": max(1, trace.k),
        "query_rewrite": trace.rewrite,
        "filters_applied": trace.filters,
        "arms": _arms(trace, asked),
        "fused": [{"id": o.id, "rank": o.rank, "rrf": o.score, "sources": list(o.sources)} for o in trace.fused],
        "after_rerank": [{"id": one.id, "rank": one.rank, "score": one.score} for one in trace.reranked],
        "final_context_ids": list(trace.context_ids),
        "final_context_chars": trace.context_characters,
    }
    every = replace(item, trace=trace.model_copy(update={"hidden_ids": ()}))
    seen, grades = _grades(item), _grades(every)
    hidden = [name for name in grades if name not in seen]
    value |= {"gold_ids": list(seen), "notes": "; ".join(trace.notes)}
    value |= {"gold_grades": grades, "hidden_gold_ids": hidden}
    value |= {"dropped": [one.model_dump() for one in trace.dropped], "filter_mode": trace.filter_mode}
    return json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"


def _arms(trace: Trace, asked: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    # An imported answer has a context and no list of hits: what was asked for it is not known.
    known = bool(trace.retrieved) or not trace.context_ids
    found: dict[str, list[dict[str, Any]]] = {arm: [] for arm in asked} if known else {}
    for hit in trace.retrieved:
        found.setdefault(hit.arm, []).append({"id": hit.id, "rank": hit.rank, "score": hit.score})
    return found


def _grades(item: Item) -> dict[str, int]:
    """The gold chunks that count, with their grades."""
    return {one.id: one.grade for one in measure(item.case, item.trace, item.chunks).gold}


def _no_embedder(name: str) -> NoReturn:
    raise AssertionError(f"an export asks no embedding model, and so not {name}")

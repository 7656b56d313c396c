"""Traces of other agents for the output audit, in three formats: read strictly, all faults at once.

`calls`: JSON Lines of tool calls; `otel`: OpenTelemetry GenAI spans as JSON; `langsmith`: runs as LangSmith has them.
docs/coverage.md describes what each field means and where it is looked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

from ragtester.errors import DataError, UsageError
from ragtester.interchange.agent_traces_calls import from_calls
from ragtester.interchange.agent_traces_langsmith import from_runs
from ragtester.interchange.agent_traces_otel import from_spans
from ragtester.interchange.agent_traces_parts import Faults, Item, bracketed
from ragtester.interchange.files import HALF_A_PAIR, is_unicode, read_text, strict_json, strict_lines
from ragtester.stages.coverage import ForeignAnswer
from ragtester.storage import MAX_FAULTS
from ragtester.tables.cells import counted

TraceFormat = Literal["auto", "calls", "otel", "langsmith"]
FORMATS: tuple[TraceFormat, ...] = get_args(TraceFormat)
_READERS = {"calls": from_calls, "otel": from_spans, "langsmith": from_runs}


def read_agent_traces(path: Path, form: str = "auto") -> tuple[tuple[ForeignAnswer, ...], tuple[str, ...]]:
    """The answers of a file of traces, and notes on it.

    Raises UsageError for a format that is none and a file that is not there, DataError with every fault (file, and line
    or path within the JSON): no JSON, NaN, missing or mistyped fields, ids that stand twice, sizes that cannot be.
    """
    if form not in FORMATS:
        raise UsageError(f"--format {form}: one of {', '.join(FORMATS)}")
    faults = Faults(path)
    items = list(_items(read_text(path), path, faults))
    if not any(isinstance(item.value, dict) for item in items):
        faults.stop()
    if not items:
        raise DataError(f"{path}: no trace in it")
    chosen = _recognised(items, path, faults) if form == "auto" else form
    notes: list[str] = [f"{path.name}: read as {chosen}"] if form == "auto" else []
    try:
        found = _with_citations(_READERS[chosen](items, faults, notes))
    except RecursionError as error:
        raise DataError(f"{path}: nested too deeply") from error
    faults.stop()
    if not found:
        raise DataError(f"{path}: read as {chosen}, and no answer or search in it; --format names another")
    return tuple(found), (*notes, *_notes(path, found))


def _with_citations(found: list[ForeignAnswer]) -> list[ForeignAnswer]:
    """Ids in brackets in an answer's text are its citations, where the trace lists none.

    Where no answer of the file has any, its agent does not cite in its text, and what it cites is not told.
    """
    open_ = {at: one for at, one in enumerate(found) if one.cited is None and one.answer is not None}
    named = {at: bracketed(one.answer or "", _raw(one)) for at, one in open_.items()}
    if not any(named.values()):
        return found
    return [replace(one, cited=named[at]) if at in named else one for at, one in enumerate(found)]


def _raw(one: ForeignAnswer) -> Iterator[str]:
    return (name for call in one.calls for name in call.raw_ids)


def _items(text: str, path: Path, faults: Faults) -> Iterator[Item]:
    """The JSON values of a file, each with its place: one whole JSON text, or one a line."""
    stripped = text.strip()
    if not stripped:
        return
    try:
        whole = strict_json(stripped)
    except (ValueError, RecursionError):
        yield from _lines(text, faults)
        return
    yield from _listed(whole, path, faults)


def _listed(whole: Any, path: Path, faults: Faults) -> Iterator[Item]:
    if not is_unicode(whole):
        faults.add("", HALF_A_PAIR)
        return
    if isinstance(whole, dict) and isinstance(whole.get("runs"), list):
        yield from (Item(f"runs[{at}]", one) for at, one in enumerate(whole["runs"]))
    elif isinstance(whole, dict) and isinstance(whole.get("spans"), list):
        yield from (Item(f"spans[{at}]", one) for at, one in enumerate(whole["spans"]))
    elif isinstance(whole, list):
        yield from (Item(f"[{at}]", one) for at, one in enumerate(whole))
    else:
        yield Item("1" if path.suffix in (".jsonl", ".ndjson") else "", whole)


def _lines(text: str, faults: Faults) -> Iterator[Item]:
    for number, value, fault in strict_lines(text):
        if fault:
            faults.add(str(number), fault)
        else:
            yield Item(str(number), value)


def _recognised(items: list[Item], path: Path, faults: Faults) -> str:
    """The format by the fields of the first objects."""
    for item in items[:MAX_FAULTS]:
        if not isinstance(item.value, dict):
            continue
        names = item.value.keys()
        if names & {"resourceSpans", "resource_spans", "scopeSpans", "attributes", "traceId", "spanId"}:
            return "otel"
        if "run_type" in names:
            return "langsmith"
        if names & {"callId", "rawResultIds", "resultSetSize", "call_id", "raw_result_ids"}:
            return "calls"
    faults.stop()
    raise DataError(
        f"{path}: neither tool calls (callId, rawResultIds), OpenTelemetry spans (resourceSpans, attributes) nor "
        "LangSmith runs (run_type); --format says which it should be"
    )


def _notes(path: Path, found: list[ForeignAnswer]) -> Iterator[str]:
    """What a reader must know before any figure."""
    without = sum(not one.calls for one in found)
    if without:
        yield f"{path.name}: without any search, and so without results: {counted(without, 'answer')}"
    unlisted = [
        call
        for one in found
        for call in one.calls
        if call.result_set_size is not None and call.result_set_size > len(call.raw_ids)
    ]
    if unlisted:
        missing = sum((call.result_set_size or 0) - len(call.raw_ids) for call in unlisted)
        yield (
            f"{path.name}: {counted(len(unlisted), 'search', 'searches')} found more than the trace names "
            f"({missing} results without an id); coverage is of those that are named"
        )

"""OpenTelemetry GenAI spans as JSON: OTLP (`resourceSpans`), or plain lists of spans.

The conventions (semantic-conventions-genai, status Development): `gen_ai.operation.name` is "execute_tool" with
`gen_ai.tool.name`, `gen_ai.tool.call.id`, `gen_ai.tool.call.arguments` and `gen_ai.tool.call.result`, or "retrieval"
with `gen_ai.retrieval.query.text` and `gen_ai.retrieval.documents`; the answer stands in `gen_ai.output.messages` of
"invoke_agent" (else of the last "chat"). They name no citations: ids in brackets in the answer count, or our own
attribute `ragtester.cited_ids`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragtester.interchange.agent_traces_parts import (
    Faults,
    Item,
    checked_size,
    cited_in,
    decoded,
    documents_in,
    hits,
    last_said,
    size_in,
    text_of,
)
from ragtester.records import ToolCall
from ragtester.stages.coverage import ForeignAnswer
from ragtester.tables.cells import counted

OPERATION = "gen_ai.operation.name"
_AGENT = ("invoke_agent", "invoke_workflow")
_MODEL = ("chat", "generate_content", "text_completion")
_QUERY = ("query", "q", "question", "search_query", "input", "text")
_VALUES = ("stringValue", "intValue", "doubleValue", "boolValue", "arrayValue", "kvlistValue", "bytesValue")


@dataclass(frozen=True)
class _Span:
    where: str
    trace: str
    identity: str
    parent: str
    start: int
    attributes: Mapping[str, Any]

    @property
    def operation(self) -> str:
        return str(self.attributes.get(OPERATION, ""))


@dataclass
class _Trace:
    spans: list[_Span] = field(default_factory=list)


def from_spans(items: Sequence[Item], faults: Faults, notes: list[str]) -> list[ForeignAnswer]:
    """An answer a trace: its searches in the order of time, and what its agent said in the end."""
    traces: dict[str, _Trace] = {}
    seen: dict[tuple[str, str], str] = {}
    for where, value in _spans(items, faults):
        span = _span(where, value, faults)
        if span is None:
            continue
        place = span.trace, span.identity
        if place in seen:
            faults.add(where, f"spanId: {span.identity} stands already at {seen[place]}")
            continue
        seen[place] = where
        traces.setdefault(span.trace, _Trace()).spans.append(span)
    found, others = [], 0
    for name, trace in traces.items():
        made, left = _answer(name, sorted(trace.spans, key=lambda one: one.start), faults)
        others += left
        found += [made] if made else []
    if others:
        notes.append(f"{counted(others, 'tool call')} gave no list of documents and count as no search")
    return found


def _spans(items: Sequence[Item], faults: Faults) -> Iterator[tuple[str, Any]]:
    """Every span with its place, whatever it is wrapped in."""
    for item in items:
        value = item.value
        if not isinstance(value, Mapping):
            faults.add(item.where, "not an object")
        elif "resourceSpans" in value or "resource_spans" in value:
            yield from _nested(item.where, value, ("resourceSpans", "scopeSpans", "spans"), faults)
        elif "scopeSpans" in value or "scope_spans" in value:
            yield from _nested(item.where, value, ("scopeSpans", "spans"), faults)
        else:
            yield item.where, value


def _nested(where: str, value: Mapping[str, Any], names: tuple[str, ...], faults: Faults) -> Iterator[tuple[str, Any]]:
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in names[0])
    listed = value.get(names[0], value.get(snake, []))
    prefix = f"{where}: " if where.isdecimal() else f"{where}." if where else ""
    if not isinstance(listed, list):
        faults.add(where, f"{names[0]}: a list is wanted")
        return
    for at, one in enumerate(listed):
        place = f"{prefix}{names[0]}[{at}]"
        if not isinstance(one, Mapping):
            faults.add(place, "not an object")
        elif len(names) > 1:
            yield from _nested(place, one, names[1:], faults)
        else:
            yield place, one


def _span(where: str, value: Any, faults: Faults) -> _Span | None:
    if not isinstance(value, Mapping):
        faults.add(where, "not an object")
        return None
    inner = value.get("context")
    context: Mapping[str, Any] = inner if isinstance(inner, Mapping) else {}
    trace = text_of(value.get("traceId", value.get("trace_id", context.get("trace_id"))))
    identity = text_of(value.get("spanId", value.get("span_id", context.get("span_id"))))
    missing = [name for name, told in (("traceId", trace), ("spanId", identity)) if told is None]
    attributes = _attributes(value.get("attributes", {}), where, faults)
    if missing or attributes is None:
        if missing:
            faults.add(where, f"missing: {', '.join(missing)}")
        return None
    parent = text_of(value.get("parentSpanId", value.get("parent_span_id", value.get("parent_id")))) or ""
    start = value.get("startTimeUnixNano", value.get("start_time_unix_nano", value.get("start_time", 0)))
    return _Span(where, trace or "", identity or "", parent, _time(start, where, faults), attributes)


def _time(value: Any, where: str, faults: Faults) -> int:
    """Nanoseconds, or what a time text sorts by."""
    if isinstance(value, str) and not value.isdecimal():
        from datetime import datetime

        try:
            return int(datetime.fromisoformat(value).timestamp() * 1e9)
        except ValueError:
            faults.add(where, f"startTimeUnixNano: {value!r:.60} is no time")
            return 0
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        faults.add(where, "startTimeUnixNano: a number is wanted")
        return 0
    return int(value)


def _attributes(given: Any, where: str, faults: Faults) -> dict[str, Any] | None:
    """Attributes as a mapping: OTLP wraps each value (`{"key", "value": {"stringValue": …}}`)."""
    if isinstance(given, Mapping):
        return {str(name): _unwrapped(value) for name, value in given.items()}
    if not isinstance(given, list):
        faults.add(where, "attributes: a list or an object is wanted")
        return None
    found: dict[str, Any] = {}
    for at, one in enumerate(given):
        if not isinstance(one, Mapping) or not isinstance(one.get("key"), str) or "value" not in one:
            faults.add(f"{where}.attributes[{at}]", '{"key": "…", "value": {…}} is wanted')
            return None
        found[one["key"]] = _unwrapped(one["value"])
    return found


def _unwrapped(value: Any) -> Any:
    if not isinstance(value, Mapping) or len(value) != 1 or next(iter(value)) not in _VALUES:
        return value
    kind, inner = next(iter(value.items()))
    if kind == "intValue":
        return int(inner) if str(inner).lstrip("-").isdecimal() else inner
    listed = inner.get("values", []) if isinstance(inner, Mapping) else []
    if kind == "arrayValue" and isinstance(listed, list):
        return [_unwrapped(one) for one in listed]
    if kind == "kvlistValue" and isinstance(listed, list):
        return {str(one.get("key")): _unwrapped(one.get("value")) for one in listed if isinstance(one, Mapping)}
    return inner


def _answer(name: str, spans: Sequence[_Span], faults: Faults) -> tuple[ForeignAnswer | None, int]:
    calls: list[ToolCall] = []
    texts: dict[str, str] = {}
    others = 0
    ids: dict[str, str] = {}
    for span in spans:
        if span.operation not in ("execute_tool", "retrieval"):
            continue
        call, told = _call(span, faults)
        if call is None:
            others += 1
            continue
        if call.call_id in ids:
            faults.add(span.where, f"gen_ai.tool.call.id: {call.call_id} stands already at {ids[call.call_id]}")
        ids[call.call_id] = span.where
        calls.append(call)
        texts |= told
    agents = [span for span in spans if span.operation in _AGENT]
    models = [span for span in spans if span.operation in _MODEL]
    if not calls and not agents and not models:
        return None, others
    speaking = [*agents[:1], *reversed(models)]
    answer = next((said for span in speaking if (said := _said(span))), None)
    asking = [*agents[:1], *models]
    question = next((asked for span in asking if (asked := _asked(span))), calls[0].query if calls else "")
    return (
        ForeignAnswer(
            identity=name,
            where=spans[0].where,
            calls=tuple(calls),
            question=question,
            answer=answer,
            model=next((model for span in (*reversed(models), *agents) if (model := _model(span))), ""),
            cited=next((cited for span in spans if (cited := _cited(span)) is not None), None),
            texts=texts,
        ),
        others,
    )


def _call(span: _Span, faults: Faults) -> tuple[ToolCall | None, dict[str, str]]:
    """A search, and the texts of its results; None for a tool that gives no documents."""
    given, retrieval = span.attributes, span.operation == "retrieval"
    name = "gen_ai.retrieval.documents" if retrieval else "gen_ai.tool.call.result"
    documents = documents_in(given.get(name))
    if documents is None and not (retrieval and name not in given):
        return None, {}
    found = hits(documents or (), f"{span.where}: {name}", faults)
    if found is None:
        return None, {}
    raw = tuple(dict.fromkeys(one.id for one in found))
    call = ToolCall(
        call_id=text_of(given.get("gen_ai.tool.call.id")) or span.identity,
        tool=text_of(given.get("gen_ai.tool.name")) or text_of(given.get("gen_ai.data_source.id")) or span.operation,
        query=_query(given),
        raw_ids=raw,
        result_set_size=checked_size(size_in(given.get(name)), len(raw), span.where, faults),
    )
    return call, {one.id: one.text for one in found if one.text}


def _query(given: Mapping[str, Any]) -> str:
    told = text_of(given.get("gen_ai.retrieval.query.text"))
    arguments = decoded(given.get("gen_ai.tool.call.arguments"))
    if told or not isinstance(arguments, Mapping):
        return told or (arguments if isinstance(arguments, str) else "")
    return next((text for name in _QUERY if (text := text_of(arguments.get(name)))), "")


def _said(span: _Span) -> str:
    return last_said(span.attributes.get("gen_ai.output.messages"), ("assistant", "ai", "model"))


def _asked(span: _Span) -> str:
    return last_said(span.attributes.get("gen_ai.input.messages"), ("user", "human"))


def _model(span: _Span) -> str:
    names = ("gen_ai.response.model", "gen_ai.request.model")
    return next((model for name in names if (model := text_of(span.attributes.get(name)))), "")


def _cited(span: _Span) -> tuple[str, ...] | None:
    listed = decoded(span.attributes.get("ragtester.cited_ids"))
    return cited_in({"cited_ids": listed}) if isinstance(listed, list) else None

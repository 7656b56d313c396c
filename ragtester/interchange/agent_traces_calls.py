"""JSON Lines of tool calls: `callId, tool, query, rawResultIds, resultSetSize, citedIds, excludedNoReason`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragtester.interchange.agent_traces_parts import Faults, Item, checked_size
from ragtester.records import ToolCall
from ragtester.stages.coverage import ForeignAnswer

# Each field as the format names it, and with underscores.
_SNAKE = {
    "call_id": "callId",
    "raw_result_ids": "rawResultIds",
    "result_set_size": "resultSetSize",
    "cited_ids": "citedIds",
    "excluded_no_reason": "excludedNoReason",
    "question_id": "questionId",
    "raw_results": "rawResults",
}
_LISTS = ("rawResultIds", "citedIds", "excludedNoReason")


@dataclass
class _Group:
    """Lines of one question."""

    name: str
    where: str
    calls: list[ToolCall] = field(default_factory=list)
    cited: dict[str, None] = field(default_factory=dict)
    tells_cited: bool = False
    texts: dict[str, str] = field(default_factory=dict)
    stated: dict[str, str] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)


def from_calls(items: Sequence[Item], faults: Faults, notes: list[str]) -> list[ForeignAnswer]:
    """An answer a `questionId`; a call without one is an answer by itself. A line without `callId` tells of the answer
    alone."""
    del notes
    groups: dict[str, _Group] = {}
    seen: dict[str, str] = {}
    for item in items:
        if not isinstance(item.value, dict):
            faults.add(item.where, "not an object")
            continue
        line = {_SNAKE.get(str(name), str(name)): value for name, value in item.value.items()}
        call_id = line.get("callId")
        if isinstance(call_id, str):
            if call_id in seen:
                faults.add(item.where, f"callId: {call_id} stands already at {seen[call_id]}")
            seen.setdefault(call_id, item.where)
        if not _is_sound(line, item.where, faults):
            checked_size(line.get("resultSetSize"), 0, item.where, faults)
            continue
        name = line.get("questionId") or call_id
        if not isinstance(name, str):
            faults.add(item.where, "missing: callId (or questionId, for a line that tells of an answer alone)")
            continue
        group = groups.setdefault(name, _Group(name, item.where))
        _add(group, line, item.where, faults)
    for group in groups.values():
        _check_excluded(group, faults)
    return [_answer(group) for group in groups.values()]


def _is_sound(line: Mapping[str, Any], where: str, faults: Faults) -> bool:
    """Whether its fields are of the kinds that they must be."""
    sound = True
    for name in _LISTS:
        if name in line and not _is_ids(line[name]):
            faults.add(where, f"{name}: a list of ids (texts) is wanted")
            sound = False
    for name in ("callId", "questionId", "tool", "query", "question", "answer", "model"):
        if line.get(name) is not None and not isinstance(line[name], str):
            faults.add(where, f"{name}: a text is wanted")
            sound = False
    if line.get("callId") and "rawResultIds" not in line and "rawResults" not in line:
        faults.add(where, "missing: rawResultIds (an empty list where the search found nothing)")
        sound = False
    return sound


def _is_ids(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one.strip() for one in value)


def _add(group: _Group, line: Mapping[str, Any], where: str, faults: Faults) -> None:
    texts = _results(line.get("rawResults"), where, faults)
    raw = tuple(line.get("rawResultIds") or texts)
    if twice := next((one for one in raw if raw.count(one) > 1), None):
        faults.add(where, f"rawResultIds: {twice} stands twice")
    if strange := next((one for one in texts if one not in raw), None):
        faults.add(where, f"rawResults: {strange} is not among rawResultIds")
    group.texts |= {name: text for name, text in texts.items() if text}
    for name in ("question", "answer", "model"):
        told = line.get(name)
        if told is not None and group.said.setdefault(name, told) != told:
            faults.add(where, f"{name}: another than on an earlier line of {group.name}")
    if "citedIds" in line:
        group.tells_cited = True
        group.cited |= dict.fromkeys(line["citedIds"])
    if line.get("callId"):
        group.calls.append(
            ToolCall(
                call_id=line["callId"],
                tool=line.get("tool") or "",
                query=line.get("query") or "",
                raw_ids=tuple(dict.fromkeys(raw)),
                result_set_size=checked_size(line.get("resultSetSize"), len(raw), where, faults),
                cited_ids=tuple(line.get("citedIds") or ()),
            )
        )
    for name in line.get("excludedNoReason") or ():
        if raw and name not in raw:
            faults.add(where, f"excludedNoReason: {name} is not among the call's results")
        if name in (line.get("citedIds") or ()):
            faults.add(where, f"excludedNoReason: {name} is cited by the same call")
    group.stated |= {name: why for name, why in _excluded(line.get("excluded"), where, faults) if why.strip()}


def _results(given: Any, where: str, faults: Faults) -> dict[str, str]:
    """Texts of results: `[{"id", "text"}]` or `{id: text}`."""
    if given is None:
        return {}
    pairs = list(given.items()) if isinstance(given, Mapping) else None
    if pairs is None and isinstance(given, list) and all(isinstance(one, Mapping) for one in given):
        pairs = [(one.get("id"), one.get("text") or "") for one in given]
    if pairs is None or not all(isinstance(name, str) and name and isinstance(text, str) for name, text in pairs):
        faults.add(where, 'rawResults: [{"id": "…", "text": "…"}] or {id: text} is wanted')
        return {}
    return dict(pairs)


def _excluded(given: Any, where: str, faults: Faults) -> Iterator[tuple[str, str]]:
    """Reasons: `[{"id", "reason"}]` or `{id: reason}`."""
    if given is None:
        return
    pairs = list(given.items()) if isinstance(given, Mapping) else None
    if pairs is None and isinstance(given, list) and all(isinstance(one, Mapping) for one in given):
        pairs = [(one.get("id"), one.get("reason") or "") for one in given]
    if pairs is None or not all(isinstance(name, str) and name and isinstance(why, str) for name, why in pairs):
        faults.add(where, 'excluded: [{"id": "…", "reason": "…"}] or {id: reason} is wanted')
        return
    yield from pairs


def _check_excluded(group: _Group, faults: Faults) -> None:
    known = {name for call in group.calls for name in call.raw_ids}
    for name in group.stated:
        if name not in known:
            faults.add(group.where, f"excluded: {name} is in no result of {group.name}")


def _answer(group: _Group) -> ForeignAnswer:
    return ForeignAnswer(
        identity=group.name,
        where=group.where,
        calls=tuple(group.calls),
        question=group.said.get("question", ""),
        answer=group.said.get("answer"),
        model=group.said.get("model", ""),
        cited=tuple(group.cited) if group.tells_cited else None,
        texts=group.texts,
        stated=group.stated,
    )

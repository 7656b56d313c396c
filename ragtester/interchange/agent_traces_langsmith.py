"""Runs as LangSmith has them: `run_type`, `parent_run_id`, `inputs`, `outputs`; one tree of runs is one answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    message_text,
    size_in,
    text_of,
)
from ragtester.records import ToolCall
from ragtester.stages.coverage import ForeignAnswer
from ragtester.tables.cells import counted

_ASKED = ("question", "query", "input", "inputs", "prompt", "human_input")
_SAID = ("answer", "output", "result", "response", "text", "final_answer", "content")
_KINDS = ("tool", "chain", "llm", "retriever", "embedding", "prompt", "parser")
Run = tuple[str, Mapping[str, Any]]
"""Its place and its fields."""


def from_runs(items: Sequence[Item], faults: Faults, notes: list[str]) -> list[ForeignAnswer]:
    """An answer a tree of runs: a root, with the retrievers and tools below it."""
    runs: dict[str, Run] = {}
    for where, run in _every(items, faults):
        name = text_of(run.get("id"))
        if name is None:
            faults.add(where, "missing: id")
        elif name in runs:
            faults.add(where, f"id: {name} stands already at {runs[name][0]}")
        elif run.get("run_type") not in _KINDS:
            faults.add(where, f"run_type: {run.get('run_type')!r:.40}; one of {', '.join(_KINDS)}")
        elif not _is_mapping(run.get("inputs")) or not _is_mapping(run.get("outputs")):
            faults.add(where, "inputs and outputs: objects are wanted")
        else:
            runs[name] = where, run
    trees: dict[str, list[Run]] = {}
    for name, run_of_it in runs.items():
        root = _root(name, runs, faults)
        if root is not None:
            trees.setdefault(root, []).append(run_of_it)
    others = 0
    found = []
    for root, members in trees.items():
        made, left = _answer(root, runs[root], members, faults)
        others += left
        found += [made] if made else []
    if others:
        notes.append(f"{counted(others, 'tool run')} gave no list of documents and count as no search")
    return found


def _is_mapping(value: Any) -> bool:
    return value is None or isinstance(value, Mapping)


def _every(items: Sequence[Item], faults: Faults) -> Iterator[Run]:
    """Every run, those below `child_runs` too."""
    for item in items:
        if not isinstance(item.value, Mapping):
            faults.add(item.where, "not an object")
            continue
        yield item.where, item.value
        children = item.value.get("child_runs") or []
        if not isinstance(children, list):
            faults.add(item.where, "child_runs: a list is wanted")
            continue
        joint = ": " if item.where.isdecimal() else "." if item.where else ""
        below = [
            Item(f"{item.where}{joint}child_runs[{at}]", _child(one, item.value)) for at, one in enumerate(children)
        ]
        yield from _every(below, faults)


def _child(one: Any, parent: Mapping[str, Any]) -> Any:
    """A nested run names its parent by where it stands."""
    if isinstance(one, Mapping) and not one.get("parent_run_id"):
        return {**one, "parent_run_id": parent.get("id")}
    return one


def _root(name: str, runs: Mapping[str, Run], faults: Faults) -> str | None:
    """The run at the top of the tree; a parent that the file does not hold makes its child the top."""
    seen = {name}
    while True:
        parent = text_of(runs[name][1].get("parent_run_id"))
        if parent is None or parent not in runs:
            return name
        if parent in seen:
            faults.add(runs[name][0], f"parent_run_id: {parent} is below this run itself")
            return None
        seen.add(parent)
        name = parent


def _answer(root: str, top: Run, members: Sequence[Run], faults: Faults) -> tuple[ForeignAnswer | None, int]:
    calls: list[ToolCall] = []
    texts: dict[str, str] = {}
    others = 0
    for where, run in sorted(members, key=_order):
        if run["run_type"] not in ("retriever", "tool") or _within_search(run, members):
            continue
        call, told = _call(where, run, faults)
        if call is None:
            others += run["run_type"] == "tool"
            continue
        calls.append(call)
        texts |= told
    where, run = top
    spoke = run["run_type"] in ("chain", "llm")
    if not calls and not spoke:
        return None, others
    models = [one for _, one in sorted(members, key=_order) if one["run_type"] == "llm"]
    answer = _said(run) if spoke else None
    if answer is None and models:
        answer = _said(models[-1])
    question = _asked(run) or (calls[0].query if calls else "")
    return (
        ForeignAnswer(
            identity=root,
            where=where,
            calls=tuple(calls),
            question=question,
            answer=answer,
            model=next((name for one in reversed(models) if (name := _model(one))), ""),
            cited=cited_in(run.get("outputs")),
            texts=texts,
        ),
        others,
    )


def _order(run: Run) -> tuple[str, str]:
    """By time; LangSmith's dotted order where it is told, which sorts by time within a tree."""
    return str(run[1].get("dotted_order") or ""), str(run[1].get("start_time") or "")


def _within_search(run: Mapping[str, Any], members: Sequence[Run]) -> bool:
    """Whether it is a retriever that a tool wraps: its results are those of the tool, and would count twice."""
    parent = run.get("parent_run_id")
    above = next((one for _, one in members if one.get("id") == parent), None)
    return above is not None and above["run_type"] == "tool" and documents_in(_result(above)) is not None


def _result(run: Mapping[str, Any]) -> Any:
    """What a tool gave: its output, which may be a message with the text of a JSON list."""
    outputs = run.get("outputs") or {}
    output = outputs.get("output", outputs)
    if isinstance(output, Mapping) and ("content" in output or "kwargs" in output):
        kwargs = output.get("kwargs")
        artifact = (kwargs if isinstance(kwargs, Mapping) else output).get("artifact")
        return artifact if artifact else decoded(message_text(output))
    return outputs if output is outputs else output


def _call(where: str, run: Mapping[str, Any], faults: Faults) -> tuple[ToolCall | None, dict[str, str]]:
    result = _result(run)
    documents = documents_in(result)
    if documents is None:
        if run["run_type"] == "retriever" and run.get("outputs") and not run.get("error"):
            faults.add(where, "a retriever whose outputs hold no list of documents")
        return (None, {}) if run["run_type"] == "tool" else (_made(run, (), 0), {})
    found = hits(documents, f"{where}: outputs.documents", faults)
    if found is None:
        if run["run_type"] == "retriever":
            faults.add(where, "no document of the retriever has an id (in it or in its metadata)")
        return None, {}
    raw = tuple(dict.fromkeys(one.id for one in found))
    size = checked_size(size_in(result), len(raw), where, faults)
    return _made(run, raw, size), {one.id: one.text for one in found if one.text}


def _made(run: Mapping[str, Any], raw: tuple[str, ...], size: int) -> ToolCall:
    return ToolCall(
        call_id=str(run["id"]),
        tool=text_of(run.get("name")) or str(run["run_type"]),
        query=_asked(run),
        raw_ids=raw,
        result_set_size=size,
    )


def _asked(run: Mapping[str, Any]) -> str:
    inputs = run.get("inputs") or {}
    for name in _ASKED:
        value = decoded(inputs.get(name))
        if isinstance(value, Mapping):
            value = next((one for key in _ASKED if isinstance(one := value.get(key), str)), None)
        if isinstance(value, str) and value.strip():
            return value
    return last_said(_messages(inputs), ("user", "human"))


def _said(run: Mapping[str, Any]) -> str | None:
    outputs = run.get("outputs") or {}
    for name in _SAID:
        value = outputs.get(name)
        said = message_text(value) if isinstance(value, Mapping) else value
        if isinstance(said, str) and said.strip():
            return said
    told = last_said(_messages(outputs), ("assistant", "ai", "model"))
    if told:
        return told
    generations = outputs.get("generations")
    while isinstance(generations, list) and generations:
        generations = generations[-1]
    if isinstance(generations, Mapping):
        return text_of(generations.get("text")) or message_text(generations.get("message")) or None
    return None


def _messages(values: Mapping[str, Any]) -> Any:
    """The list of messages; models get a list of such lists."""
    found = values.get("messages")
    while isinstance(found, list) and found and isinstance(found[0], list):
        found = found[-1]
    return found


def _model(run: Mapping[str, Any]) -> str:
    metadata, invoked = (_below(_below(run, "extra"), name) for name in ("metadata", "invocation_params"))
    names = (metadata.get("ls_model_name"), invoked.get("model"), invoked.get("model_name"))
    return next((found for name in names if (found := text_of(name))), "")


def _below(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The object of this name; an empty one where there is none."""
    found = values.get(name)
    return found if isinstance(found, Mapping) else {}

"""Tests for promptfoo, in YAML and in CSV. Its templates and references are defused: see `templates`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ragtester.interchange import assertions
from ragtester.interchange.items import Item
from ragtester.interchange.promptfoo import OWN
from ragtester.interchange.templates import escaped

LACKS: tuple[str, ...] = ()
RESULT_LACKS = ("retrieved_contexts", "ratings", "cost", "seconds", "tokens", "error")


def write(items: Iterable[Item], answers: bool) -> list[dict[str, Any]]:
    """Tests for a YAML file."""
    return [_written(item, answers) for item in items]


def _written(item: Item, answers: bool) -> dict[str, Any]:
    refusal = item.own.type == "rejection"
    contexts = [escaped(text) for text in item.contexts]
    metadata: dict[str, Any] = {"id": item.name, "document": item.document}
    if refusal:
        metadata["expected_answer"] = item.expected_answer
    test: dict[str, Any] = {"description": item.name, "vars": {"question": escaped(item.question)}}
    if contexts:
        test["vars"]["context"] = contexts if len(contexts) > 1 else contexts[0]
    test["assert"] = assertions.write(item.expected_answer, refusal, item.own.keywords)
    test["metadata"] = {name: value for name, value in {**metadata, OWN: item.own.block()}.items() if value}
    if len(contexts) > 1:
        test["options"] = {"disableVarExpansion": True}
    if answers and item.given:
        test["providerOutput"] = item.given.answer
    return test


def rows(items: Iterable[Item], answers: bool) -> list[dict[str, str]]:
    """Rows for a CSV file. Contexts and keywords stand in the metadata: a cell holds one text."""
    found = []
    for item in items:
        test = _written(item, answers)
        metadata = {name: value for name, value in test["metadata"].items() if name != OWN}
        row = {"question": test["vars"]["question"], "context": escaped("\n\n".join(item.contexts))}
        row |= {"__expected": assertions.as_text(test["assert"][0]), "__description": item.name}
        row |= {f"__metadata:{name}": metadata.get(name, "") for name in ("id", "document", "expected_answer")}
        row["__metadata:contexts"] = json.dumps(list(item.contexts), ensure_ascii=False) if item.contexts else ""
        row[f"__metadata:{OWN}"] = json.dumps(test["metadata"].get(OWN, {}), ensure_ascii=False)
        if answers:
            row["__providerOutput"] = item.given.answer if item.given else ""
        found.append(row)
    return found

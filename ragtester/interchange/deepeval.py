"""deepeval: goldens and test cases in JSON and JSON Lines, and the test runs that it keeps.

Fields of deepeval 4 (`Golden`, `LLMTestCase`, `LLMApiTestCase`), in snake case as files have them and in the camel case
of its API. Its JSON Lines join the members of a list with "|".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from ragtester.interchange.cells import Fields, as_number
from ragtester.interchange.items import Account, Given, Item, Own

NATIVE = {
    "id": "name",
    "document": "source_file",
    "question": "input",
    "expected_answer": "expected_output",
    "contexts": "context",
    "answer": "actual_output",
    "retrieved_contexts": "retrieval_context",
    "passed": "success",
    "seconds": "completion_time",
    "cost": "token_cost",
    "prompt_tokens": "input_token_count",
    "completion_tokens": "output_token_count",
}
LACKS: tuple[str, ...] = ()
RESULT_LACKS = ("ratings", "seconds", "error")
LISTS = ("goldens", "test_cases", "testCases")
OWN = "ragtester"
_SEPARATOR = "|"
_MARK = re.compile(r"deepeval_source=(.*?),deepeval_context=(.*)", re.DOTALL)


def fits(names: Sequence[str]) -> bool:
    """Whether the names of a record's fields are deepeval's."""
    found = set(names)
    return "input" in found and bool(found & {"expected_output", "expectedOutput", "actual_output", "actualOutput"})


def read(records: Iterable[tuple[str, dict[str, Any]]], account: Account, *, joined: bool = False) -> list[Item]:
    """Items of the records; `joined` says that lists may stand as texts joined with "|"."""
    found = (_item(Fields(where, data, account), joined) for where, data in records)
    return [item for item in found if item is not None]


def _item(fields: Fields, joined: bool) -> Item | None:
    if fields.data.get("scenario") or fields.data.get("turns"):
        fields.account.skip(fields.where, "a conversation of several turns, not one question")
        return None
    question = fields.text("input")
    if not question:
        fields.fault("input: no question")
    own, kind = _metadata(fields)
    item = Item(
        fields.where,
        question,
        fields.text("expected_output", "expectedOutput"),
        contexts=_list(fields, joined, "context") or (),
        document=fields.text("source_file", "sourceFile", "document"),
        name=fields.text("name", "id"),
        kind=kind,
        own=own,
        given=_given(fields, joined, own),
    )
    fields.done()
    return item


def _list(fields: Fields, joined: bool, *names: str) -> tuple[str, ...] | None:
    value = next((fields.data[name] for name in names if isinstance(fields.data.get(name), str)), None)
    if joined and value is not None and not value.lstrip().startswith("["):
        fields.data[names[0]] = value.split(_SEPARATOR)
    found = fields.texts(*names)
    if found is None:
        return None
    return tuple(match[2] if (match := _MARK.fullmatch(text)) else text for text in found)


def _metadata(fields: Fields) -> tuple[Own, str]:
    """Our own block, and the word for the type: the evolutions that deepeval's synthesizer went through."""
    names = ("additional_metadata", "additionalMetadata", "metadata")
    metadata = fields.take(*names)
    if metadata is None:
        return Own(), fields.text("type")
    if not isinstance(metadata, dict):
        fields.fault(f"{names[0]}: an object is wanted")
        return Own(), ""
    rest = dict(metadata)
    own = fields.own(rest.pop(OWN)) if OWN in rest else Own()
    evolutions = rest.get("evolutions")
    kind = ""
    if isinstance(evolutions, list) and evolutions and all(isinstance(one, str) for one in evolutions):
        kind = "+".join(rest.pop("evolutions"))
    for name in rest:
        fields.account.drop(f"additional_metadata.{fields.cleaned(str(name))}")
    return own, kind or fields.text("type")


def _given(fields: Fields, joined: bool, own: Own) -> Given | None:
    answer = fields.text("actual_output", "actualOutput")
    retrieved = _list(fields, joined, "retrieval_context", "retrievalContext")
    passed = fields.flag("success", "passed")
    scores, reasons = _metrics(fields)
    given = Given(
        answer=answer,
        retrieved=retrieved,
        system=own.llm or fields.text("system"),
        passed=own.passed if passed is None else passed,
        scores=scores,
        reasons=reasons,
        error=fields.text("error"),
        seconds=fields.number("completion_time", "completionTime"),
        cost=fields.number("token_cost", "tokenCost"),
        prompt_tokens=fields.count("input_token_count", "inputTokenCount"),
        completion_tokens=fields.count("output_token_count", "outputTokenCount"),
    )
    return given if answer or given.error or retrieved is not None else None


def _metrics(fields: Fields) -> tuple[dict[str, float], dict[str, str]]:
    """Scores and reasons of the metrics of a test run, by their names."""
    value = fields.take("metrics_data", "metricsData")
    scores: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for metric in value if isinstance(value, list) else []:
        if not isinstance(metric, dict) or not isinstance(metric.get("name"), str):
            fields.fault("metrics_data: a metric without a name")
            continue
        name = fields.cleaned(metric["name"])
        score = as_number(metric.get("score"))
        if score is not None:
            scores[name] = score
        if isinstance(metric.get("reason"), str):
            reasons[name] = fields.cleaned(metric["reason"])
    return scores, reasons


def write(items: Iterable[Item], answers: bool) -> list[dict[str, Any]]:
    """Records as deepeval saves its goldens, every field of a single-turn golden present."""
    return [_record(item, answers) for item in items]


def _record(item: Item, answers: bool) -> dict[str, Any]:
    given = item.given if answers else None
    return {
        "input": item.question,
        "actual_output": given.answer if given else None,
        "expected_output": item.expected_answer,
        "retrieval_context": list(given.retrieved) if given and given.retrieved is not None else None,
        "context": list(item.contexts) or None,
        "name": item.name or None,
        "comments": None,
        "source_file": item.document or None,
        "tools_called": None,
        "expected_tools": None,
        "token_cost": given.cost if given else None,
        "input_token_count": given.prompt_tokens if given else None,
        "output_token_count": given.completion_tokens if given else None,
        "additional_metadata": {OWN: block} if (block := item.own.block()) else None,
        "custom_column_key_values": None,
    }

"""ragas: test sets and evaluation results as `to_pandas()` saves them, in CSV and JSON Lines.

Columns of ragas 0.2 to 0.4 (`SingleTurnSample` and `synthesizer_name`), and those of 0.1 (`question`, `ground_truth`,
`contexts`, `evolution_type`). In CSV, lists stand as Python writes them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from ragtester.interchange.cells import Fields, as_number, literal
from ragtester.interchange.files import Records
from ragtester.interchange.items import Account, Given, Item, Own, kind_of
from ragtester.records import Span

NATIVE = {
    "question": "user_input",
    "expected_answer": "reference",
    "contexts": "reference_contexts",
    "style": "query_style",
    "type": "synthesizer_name",
    "answer": "response",
}
COLUMNS = (
    "user_input",
    "reference_contexts",
    "reference_context_ids",
    "reference",
    "query_style",
    "synthesizer_name",
)
ANSWER_COLUMNS = ("response", "retrieved_contexts")
# Fields of a case that the format has no column for.
LACKS = ("id", "keywords", "language", "origin", "sections", "flesch", "user_tags", "model")
RESULT_LACKS = ("verdict", "cost", "seconds", "tokens", "error")
_PLACE = re.compile(r"(.+)#(\d+)-(\d+)")
# The multi-hop synthesizers number the contexts inside their texts.
_HOP = re.compile(r"<\d+-hop>\s+")
_FILE_KEYS = ("source", "file_path", "filename", "file_name")


def fits(names: Sequence[str]) -> bool:
    """Whether the names of a record's fields are ragas'."""
    found = set(names)
    older = "question" in found and bool(found & {"ground_truth", "ground_truths", "evolution_type"})
    return "user_input" in found or older


def read(records: Records, account: Account) -> list[Item]:
    """Items of the records; faults and what is left out go into the account."""
    found = (_item(Fields(where, data, account)) for where, data in records)
    return [item for item in found if item is not None]


def _item(fields: Fields) -> Item | None:
    if _is_conversation(fields.data.get("user_input")):
        fields.account.skip(fields.where, "a conversation of several turns, not one question")
        return None
    question = fields.text("user_input", "question")
    if not question:
        fields.fault("user_input: no question")
    answer = fields.text("response", "answer")
    older = "contexts" in fields.data and "reference_contexts" not in fields.data
    # In version 0.1 "contexts" are those of a test set, or those that a system with an answer has retrieved.
    contexts = fields.texts("reference_contexts", *(("contexts",) if older and not answer else ())) or ()
    contexts = tuple(_HOP.sub("", text, count=1) if _HOP.match(text) else text for text in contexts)
    retrieved = fields.texts("retrieved_contexts", *(("contexts",) if older and answer else ()))
    document, spans = _places(fields)
    own = Own(style=fields.text("query_style"), evidence=spans, user_tags=fields.tags())
    expected = fields.text("reference", "ground_truth") or next(iter(fields.texts("ground_truths") or ()), "")
    kind = fields.text("synthesizer_name", "evolution_type")
    document = document or _file_of(fields) or fields.text("document")
    scores = _scores(fields) if answer else {}
    fields.data.pop("", None)
    fields.data.pop("Unnamed: 0", None)
    fields.done()
    given = Given(answer=answer, retrieved=retrieved, scores=scores) if answer or retrieved is not None else None
    return Item(fields.where, question, expected, contexts=contexts, document=document, kind=kind, own=own, given=given)


def _is_conversation(value: Any) -> bool:
    if isinstance(value, str):
        value = literal(value.strip()) if value.lstrip().startswith("[{") else None
    return isinstance(value, list)


def _places(fields: Fields) -> tuple[str, tuple[Span, ...]]:
    """The document and spans that our own export wrote as ids of the contexts; other ids are dropped."""
    value = fields.take("reference_context_ids")
    value = literal(value.strip()) if isinstance(value, str) else value
    if value is None:
        return "", ()
    ids = [str(one) for one in value] if isinstance(value, list) else [str(value)]
    found = [_PLACE.fullmatch(one) for one in ids]
    matches = [match for match in found if match and int(match[2]) <= int(match[3])]
    if len(matches) != len(ids) or len({match[1] for match in matches}) > 1:
        fields.account.drop("reference_context_ids")
        return "", ()
    spans = tuple(Span(start=int(match[2]), end=int(match[3])) for match in matches)
    return (matches[0][1] if matches else ""), spans


def _file_of(fields: Fields) -> str:
    """The source file that version 0.1 names in its metadata."""
    value = fields.data.get("metadata")
    value = literal(value.strip()) if isinstance(value, str) else value
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, dict):
        return ""
    name = next((first[key] for key in _FILE_KEYS if isinstance(first.get(key), str)), "")
    if name:
        del fields.data["metadata"]
    return str(name)


def _scores(fields: Fields) -> dict[str, float]:
    """Columns of metrics: every further column with a number in it."""
    found = {name: number for name, value in fields.data.items() if name and (number := as_number(value)) is not None}
    found.pop("Unnamed: 0", None)
    for name in found:
        del fields.data[name]
    return {fields.cleaned(name): number for name, number in found.items() if math.isfinite(number)}


def write(items: Iterable[Item], answers: bool) -> list[dict[str, Any]]:
    """Records of the items; lists stay lists."""
    return [_record(item, answers) for item in items]


def _record(item: Item, answers: bool) -> dict[str, Any]:
    own = item.own
    places = [f"{item.document}#{span.start}-{span.end}" for span in own.evidence]
    values: dict[str, Any] = {
        "user_input": item.question,
        "reference_contexts": list(item.contexts),
        "reference_context_ids": places or ([f"{item.document}#0-0"] if item.document else []),
        "reference": item.expected_answer,
        "query_style": own.style,
        "synthesizer_name": kind_of(own.type or "baseline", own.subtype),
    }
    if answers and item.given:
        values["response"] = item.given.answer
        values["retrieved_contexts"] = list(item.given.retrieved or ())
    return values

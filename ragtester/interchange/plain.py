"""A plain CSV with named columns: the format that holds everything, and that people open in a spreadsheet.

A cell that a spreadsheet would compute gets an apostrophe in front; the column `defused` names those cells of a row,
so that reading takes exactly these apostrophes off again and no other.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from ragtester.interchange.cells import Fields, as_number, is_formula, literal
from ragtester.interchange.items import CASE_FIELDS, USER_TAGS, Account, Given, Item, Own, kind_of, parse_kind

NATIVE: dict[str, str] = {}
DEFUSED = "defused"
_OWN_JSON = ("evidence", "sections", "origin", "flesch", "model")
COLUMNS = (*CASE_FIELDS, "contexts", USER_TAGS, *_OWN_JSON)
ANSWER_COLUMNS = (
    *("llm", "embedding", "answer", "retrieved_contexts", "passed", "mean"),
    *("error", "seconds", "cost", "prompt_tokens", "completion_tokens"),
)
LACKS: tuple[str, ...] = ()
RESULT_LACKS = ("ratings",)


def fits(names: Sequence[str]) -> bool:
    """Whether the names of the columns are ours."""
    found = {column(name) for name in names}
    return "question" in found and bool(found & {"expected_answer", "answer"})


def column(name: str) -> str:
    """A column's name in our spelling: "Expected Answer" is expected_answer."""
    return "_".join(name.strip().lower().split())


def read(records: Iterable[tuple[str, dict[str, Any]]], account: Account) -> list[Item]:
    """Items of the rows."""
    return [_item(Fields(where, _undone(where, data, account), account)) for where, data in records]


def _undone(where: str, data: dict[str, Any], account: Account) -> dict[str, Any]:
    """The row without the apostrophes that our own export put before formulas."""
    row = {column(name): value for name, value in data.items()}
    marked = str(row.pop(DEFUSED, "") or "").split()
    for name in marked:
        value = row.get(name)
        if isinstance(value, str) and value.startswith("'"):
            row[name] = value[1:]
        else:
            account.fault(where, f"{DEFUSED} names the column {name!a}, whose cell does not begin with an apostrophe")
    texts = [value for value in row.values() if isinstance(value, str)]
    if not marked and any(text.startswith("'") and is_formula(text[1:]) for text in texts):
        account.note("cells that begin with an apostrophe before = + - @ are kept as they are")
    return row


def _item(fields: Fields) -> Item:
    question = fields.text("question")
    if not question:
        fields.fault("question: empty")
    kind = fields.text("type")
    subtype = fields.text("subtype")
    own = _own(fields)
    item = Item(
        fields.where,
        question,
        fields.text("expected_answer"),
        contexts=fields.texts("contexts") or (),
        document=fields.text("document"),
        name=fields.text("id"),
        kind=f"{kind}/{subtype}" if kind and subtype else kind or subtype,
        own=own,
        given=_given(fields, own),
    )
    fields.take("technique")
    fields.data.pop("", None)
    fields.done()
    return item


def _own(fields: Fields) -> Own:
    values: dict[str, Any] = {name: fields.text(name) for name in ("style", "language", "model", "llm", "embedding")}
    values["keywords"] = _keywords(fields)
    values[USER_TAGS] = fields.tags()
    for name in ("evidence", "sections", "origin"):
        cell = fields.text(name)
        if cell and (value := literal(cell)) is None:
            fields.fault(f"{name}: JSON is wanted, not {cell[:40]!a}")
        elif cell:
            values[name] = [_span(one) for one in value] if name == "evidence" and isinstance(value, list) else value
    for name in ("flesch", "mean"):
        values[name] = fields.number(name)
    return fields.own(values)


def _span(pair: Any) -> Any:
    return {"start": pair[0], "end": pair[1]} if isinstance(pair, list | tuple) and len(pair) == 2 else pair


def _keywords(fields: Fields) -> tuple[str, ...]:
    """A list, or words between semicolons."""
    cell = fields.data.get("keywords")
    if isinstance(cell, str) and not cell.lstrip().startswith("["):
        fields.data["keywords"] = [word.strip() for word in cell.split(";")]
    return fields.texts("keywords") or ()


def _given(fields: Fields, own: Own) -> Given | None:
    answer, error = fields.text("answer"), fields.text("error")
    retrieved = fields.texts("retrieved_contexts")
    score, reason = fields.number("score"), fields.text("reason")
    given = Given(
        answer=answer,
        retrieved=retrieved,
        system=fields.text("system") or own.llm,
        passed=fields.flag("passed"),
        scores={} if score is None else {"score": score},
        reasons={"reason": reason} if reason else {},
        error=error,
        seconds=fields.number("seconds"),
        cost=fields.number("cost"),
        prompt_tokens=fields.count("prompt_tokens"),
        completion_tokens=fields.count("completion_tokens"),
    )
    return given if answer or error or retrieved is not None else None


def write(items: Iterable[Item], answers: bool) -> list[dict[str, Any]]:
    """Rows of texts, with the formulas defused."""
    return [_defused(_row(item, answers)) for item in items]


def header(answers: bool) -> list[str]:
    """The columns in their order."""
    return [*COLUMNS, *(ANSWER_COLUMNS if answers else ()), DEFUSED]


def _row(item: Item, answers: bool) -> dict[str, str]:
    own = item.own
    kind, subtype = parse_kind(kind_of(own.type or "baseline", own.subtype))
    values: dict[str, Any] = {
        "id": item.name,
        "document": item.document,
        "type": kind or "baseline",
        "subtype": subtype,
        "style": own.style,
        "language": own.language,
        "question": item.question,
        "expected_answer": item.expected_answer,
        "keywords": list(own.keywords) or None,
        "contexts": list(item.contexts) or None,
        USER_TAGS: None if own.user_tags is None else list(own.user_tags),
        "evidence": [[span.start, span.end] for span in own.evidence] or None,
        "sections": list(own.sections) or None,
        "origin": own.origin.model_dump() if own.origin else None,
        "flesch": own.flesch,
        "model": own.model,
    }
    if answers:
        given = item.given or Given()
        values |= {"llm": own.llm, "embedding": own.embedding, "answer": given.answer, "passed": given.passed}
        values |= {"retrieved_contexts": None if given.retrieved is None else list(given.retrieved)}
        values |= {"mean": own.mean, "error": given.error, "seconds": given.seconds, "cost": given.cost}
        values |= {"prompt_tokens": given.prompt_tokens, "completion_tokens": given.completion_tokens}
    return {name: _cell(value) for name, value in values.items()}


def _cell(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _defused(row: dict[str, str]) -> dict[str, str]:
    marked = [name for name, value in row.items() if is_formula(value) and as_number(value) is None]
    return {**row, **{name: f"'{row[name]}" for name in marked}, DEFUSED: " ".join(marked)}

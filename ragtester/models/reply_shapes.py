"""Bring what a model wrote into the form that was asked for, where that changes no value."""

from __future__ import annotations

from typing import Any

from ragtester.tasks import (
    AnswerJudged,
    AnswerSplit,
    ClaimChecked,
    ClaimsTraced,
    ConflictsAnswered,
    Draft,
    Judgement,
    QuestionAnswered,
    Task,
    VerdictVoted,
    WrittenCases,
)
from ragtester.text.normalise import clean


class Misshapen(Exception):  # noqa: N818 - an outcome of a reply
    """A value that cannot be brought into form; the message says which and why."""


def shaped(task: Task[Any, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Known fields only, with labels, truth values and single texts in their form; empty where none is known."""
    found = _cleaned(found)
    if task.reply is WrittenCases:
        return _cases(found)
    if task.reply in (ClaimsTraced, AnswerSplit) and {"claim", "passages"} <= found.keys():
        return {"claims": [found]}
    known = {name: value for name, value in found.items() if name in task.reply.model_fields}
    if task.reply is QuestionAnswered and known:
        return _answer(known)
    if task.reply is ConflictsAnswered and known:
        return {**_answer(known), "left_out": _left_out(known.get("left_out"))}
    if task.reply is AnswerJudged:
        return {name: _judgement(value) for name, value in known.items()}
    chosen = "vote" if task.reply is VerdictVoted else "verdict" if task.reply is ClaimChecked else ""
    if isinstance(known.get(chosen), str):
        known[chosen] = known[chosen].strip().casefold()
    return known


def _cleaned(value: Any) -> Any:
    """JSON escapes can hold what was cleaned from the text around them: NUL, lone surrogates."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {_cleaned(name): _cleaned(item) for name, item in value.items()}
    return value


def _cases(found: dict[str, Any]) -> dict[str, Any]:
    """A draft that stands alone, without its list, is a list of one."""
    drafts = found.get("cases", [found] if "question" in found and "expected_answer" in found else None)
    if isinstance(drafts, dict):
        drafts = [drafts]
    if not isinstance(drafts, list):
        return {} if drafts is None else {"cases": drafts}
    return {"cases": [_draft(draft) if isinstance(draft, dict) else draft for draft in drafts]}


def _draft(found: dict[str, Any]) -> dict[str, Any]:
    made = {name: value for name, value in found.items() if name in Draft.model_fields and value is not None}
    for name in ("keywords", "quotes"):
        if name in made:
            made[name] = texts(made[name])
    for name in ("question", "expected_answer"):
        if isinstance(made.get(name), str):
            made[name] = made[name].strip()
    return made


def _answer(known: dict[str, Any]) -> dict[str, Any]:
    answer, refuses = known.get("answer"), known.get("refuses")
    if isinstance(refuses, str) and refuses.strip().casefold() in ("true", "false"):
        refuses = refuses.strip().casefold() == "true"
    if not isinstance(refuses, bool):
        raise Misshapen(f"refuses: true or false was asked for, not {refuses!r:.60}")
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        answer = str(answer)
    if answer is None and refuses and "answer" in known:
        answer = ""
    if isinstance(answer, str) and not answer.strip() and not refuses:
        raise Misshapen("answer: empty, though it does not refuse")
    cited = texts(known.get("cited") or [])
    if isinstance(cited, list):
        cited = [label.strip().strip("[]") if isinstance(label, str) else label for label in cited]
    return {"answer": answer.strip() if isinstance(answer, str) else answer, "refuses": refuses, "cited": cited}


def _left_out(value: Any) -> list[dict[str, str]]:
    """Ids with reasons: a list of objects, or one object of ids; a bare id has no reason."""
    if isinstance(value, dict):
        value = [value] if "id" in value else [{"id": name, "reason": why} for name, why in value.items()]
    made = []
    for item in value if isinstance(value, list) else [] if value is None else [value]:
        name, why = (item.get("id"), item.get("reason") or "") if isinstance(item, dict) else (item, "")
        if isinstance(name, int) and not isinstance(name, bool):
            name = str(name)
        if not isinstance(name, str) or not isinstance(why, str):
            raise Misshapen('left_out: [{"id": "…", "reason": "…"}] was asked for')
        made.append({"id": name.strip().strip("[]"), "reason": " ".join(why.split())})
    return made


def _judgement(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    made = {name: part for name, part in value.items() if name in Judgement.model_fields}
    rating = made.get("rating")
    if isinstance(rating, bool):
        made["rating"] = str(rating).lower()
    elif isinstance(rating, str):
        made["rating"] = rating.strip().casefold()
    return made


def texts(value: Any) -> Any:
    """A list of texts where a single one or numbers stand in its place; anything else as it is."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, list):
        return [str(item) if isinstance(item, int | float) and not isinstance(item, bool) else item for item in value]
    return value

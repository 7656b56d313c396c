"""The one strict place that reads replies: text in, reply record out, or the reason why not.

Tolerated, because it changes no value: reasoning before the reply, fences, prose around the object, a list around
it, comments, trailing commas, raw line ends in strings, unknown fields (dropped), a label's case and surrounding
space, a single text where a list is asked for. Everything else is a fault: two differing objects, NaN, labels that
were not offered, missing fields, empty answers. A fault is never turned into a default.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

from pydantic import ValidationError

from ragtester.models.json_objects import Found, find_objects
from ragtester.models.reasoning import strip_reasoning
from ragtester.models.reply_retrieval import fitted
from ragtester.models.reply_shapes import Misshapen, shaped
from ragtester.records import Failure, Record
from ragtester.tasks import (
    ANSWER_CLOSED_BOOK,
    ANSWER_CONFLICTS,
    AnswerQuestion,
    AnswerSplit,
    ClaimsTraced,
    Task,
    WriteDocument,
    WrittenCases,
    WrittenDocument,
)
from ragtester.text.normalise import clean, fold

Q = TypeVar("Q", bound=Record)
R = TypeVar("R", bound=Record)
# Replies that are a list: their items may come as objects of their own.
LISTS: dict[type[Record], str] = {WrittenCases: "cases", ClaimsTraced: "claims", AnswerSplit: "claims"}
_REFUSAL = re.compile(
    r"\W*(?:(?:i'?m |i am )?(?:very |so )?sorry|i apologi[sz]e|as an ai\b|i (?:can(?:no|')?t|will not|won't))"
    r"[^.!?\n]*\b(?:can(?:no|')?t|can not|unable|won't|will not|not able|decline|refuse)\b",
    re.I,
)
_REFUSAL_SHORT = re.compile(
    r"\W*i (?:can(?:no|')?t|can not|won't|will not|am unable to|must decline to) (?:help|assist|comply|fulfil)\b",
    re.I,
)
_FENCE = re.compile(r"\A```[\w-]*[ \t]*\n(.*?)\n?```[ \t]*\Z", re.S)
_BRACKETS = re.compile(r"\s*\[([^\[\]\n]{1,400})\]")
_LEFT_OUT = re.compile(r"^[ \t>*_-]*left out[ \t*_]*\[([^\[\]\n]{1,400})\][ \t*_]*[:.,-]?[ \t*_]*(.*)$", re.I | re.M)
_LABEL_LIKE = re.compile(r"[^\s\[\]]*\d[^\s\[\]]*")


class UnusableReply(Exception):  # noqa: N818 - an outcome of a call, not a fault of the program
    """A reply that gives no record; `failure` has the type: empty, refused, truncated or unparseable."""

    def __init__(self, kind: str, message: str) -> None:
        self.failure = Failure(type=kind, message=message)
        super().__init__(message)


def parse(raw: str, task: Task[Q, R], request: Q | None = None, *, truncated: bool = False) -> R:
    """Read one reply to `task`. `truncated` says that the server stopped at its token limit.

    Raises UnusableReply. A complete object that was followed by a cut is used; a cut object never is.
    """
    text = clean(raw)
    if not text.strip():
        raise UnusableReply("truncated" if truncated else "empty", "the reply is empty")
    if isinstance(request, WriteDocument) or task.reply is WrittenDocument:
        return _checked(task, _document(_prose(text, truncated), request))
    if isinstance(request, AnswerQuestion) and request.reply_format == "text":
        closed = task.name == ANSWER_CLOSED_BOOK.name
        if task.name == ANSWER_CONFLICTS.name:
            return _checked(task, _plain_conflicts(_prose(text, truncated), request))
        return _checked(task, _plain_answer(_prose(text, truncated), request, cites=not closed))
    return _from_json(text, task, request, truncated)


def _from_json(text: str, task: Task[Q, R], request: Q | None, truncated: bool) -> R:
    rest = strip_reasoning(text, find_objects(text).spans)
    if not rest.strip():
        kind = "truncated" if truncated else "empty"
        raise UnusableReply(kind, "the reply holds nothing but reasoning")
    found = find_objects(rest)
    if not found.objects or found.cut:
        if (abstained := _abstained(rest, task, request)) is not None:
            return abstained
        raise _without_object(rest, found, truncated)
    try:
        rivals = [fitted(made, request) for item in found.objects if (made := shaped(task, item))]
    except Misshapen as misshapen:
        raise UnusableReply("unparseable", str(misshapen)) from misshapen
    if not rivals:
        raise UnusableReply("unparseable", f"the object has none of the fields {_names(task)}")
    if task.reply in LISTS and len(rivals) > 1 and len(rivals) == len(found.objects):
        name = LISTS[task.reply]
        listed = [rival[name] if isinstance(rival[name], list) else [rival[name]] for rival in rivals]
        rivals = [{name: [item for items in listed for item in items]}]
    if any(rival != rivals[0] for rival in rivals[1:]):
        raise UnusableReply("unparseable", f"{len(rivals)} differing objects in one reply; one was asked for")
    if found.faults:
        raise UnusableReply("unparseable", f"beside the object stands one that is no JSON: {found.faults[0]}")
    return _checked(task, rivals[0])


def _without_object(rest: str, found: Found, truncated: bool) -> UnusableReply:
    if found.cut:
        kind = "truncated" if truncated else "unparseable"
        return UnusableReply(kind, "the JSON object breaks off before its end")
    if found.faults:
        return UnusableReply("unparseable", f"not valid JSON: {found.faults[0]}")
    if is_provider_refusal(rest):
        return UnusableReply("refused", f"the model refused: {rest.strip()[:200]}")
    return UnusableReply("truncated" if truncated else "unparseable", "no JSON object in the reply")


def is_provider_refusal(text: str) -> bool:
    """Whether a short text is a model's or a provider's refusal to do the task at all (not an abstention)."""
    plain = text.strip().replace("\u2019", "'")
    return len(plain) < 500 and bool(_REFUSAL.match(plain) or _REFUSAL_SHORT.match(plain))


def _abstained(rest: str, task: Task[Q, R], request: Q | None) -> R | None:
    """The refusal phrase of the prompt and nothing else is an abstention, though it is no JSON."""
    if not isinstance(request, AnswerQuestion):
        return None
    said = fold(rest).strip(" .!\"'`*")
    if said not in {fold(phrase).strip(" .!\"'`*") for phrase in request.refusals}:
        return None
    return _checked(task, {"answer": rest.strip().strip("\"'`*"), "refuses": True, "cited": ()})


def _checked(task: Task[Q, R], data: dict[str, Any]) -> R:
    try:
        return task.reply.model_validate(data)
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()[:5]]
        raise UnusableReply("unparseable", "; ".join(faults).replace("Value error, ", "")) from error


def _names(task: Task[Any, Any]) -> str:
    return ", ".join(task.reply.model_fields)


def _prose(text: str, truncated: bool) -> str:
    """A reply that is no JSON, without reasoning and without a fence around the whole."""
    if truncated:
        raise UnusableReply("truncated", "the reply was cut at the token limit")
    rest = strip_reasoning(text).strip()
    if (fenced := _FENCE.match(rest)) is not None:
        rest = fenced[1].strip()
    if not rest:
        raise UnusableReply("empty", "the reply holds nothing but reasoning")
    if is_provider_refusal(rest):
        raise UnusableReply("refused", f"the model refused: {rest[:200]}")
    return rest


def _document(text: str, request: Record | None) -> dict[str, Any]:
    wanted = request.name if isinstance(request, WriteDocument) else None
    heading = re.search(r"^#{1,3}[ \t]+(.+?)[ \t#]*$", text, re.M)
    first = heading[1] if heading else text.splitlines()[0]
    return {"name": wanted or first.strip("*_` ")[:120], "markdown": text + "\n"}


def _plain_answer(text: str, request: AnswerQuestion, *, cites: bool) -> dict[str, Any]:
    """Prose with `[chunk id]` citations; it refuses where it only says that it cannot answer.

    Where nothing can be cited (`cites` False), brackets are the answer's own text.
    """
    from ragtester.text.refusal import is_refusal

    labels = {section.label for section in request.sections}
    cited: dict[str, None] = {}

    def take(bracket: re.Match[str]) -> str:
        parts = [bracket[1].strip()] if bracket[1].strip() in labels else re.split(r"[,;]\s*", bracket[1])
        parts = [part.strip() for part in parts]
        # A bracket is a citation if it holds a known label or looks like one; others are the answer's own text.
        if not all(part in labels or (_LABEL_LIKE.fullmatch(part) and len(part) > 3) for part in parts):
            return bracket[0]
        cited.update(dict.fromkeys(parts))
        return ""

    answer = (_BRACKETS.sub(take, text) if cites else text).strip()
    if not answer:
        raise UnusableReply("unparseable", "the reply holds nothing but citations")
    return {"answer": answer, "refuses": is_refusal(answer, request.refusals, request.language), "cited": tuple(cited)}


def _plain_conflicts(text: str, request: AnswerQuestion) -> dict[str, Any]:
    """Prose with citations, and after it a line for each section that was left out: `Left out [id]: reason`."""
    told = [
        {"id": name.strip(), "reason": " ".join(why.split())}
        for names, why in _LEFT_OUT.findall(text)
        for name in names.split(",")
    ]
    return {**_plain_answer(_LEFT_OUT.sub("", text), request, cites=True), "left_out": told}

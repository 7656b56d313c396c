"""Answers of other agents, from their traces: what they reveal, and what they do not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ragtester.documents.language import detect
from ragtester.provenance import row_key, sha256_text
from ragtester.records import Case, Chunk, Exclusion, NotTold, OfAnswer, ToolCall
from ragtester.stages.coverage.seen import Seen
from ragtester.stages.coverage.stated import by_answer
from ragtester.text.refusal import is_refusal

TECHNIQUE = "imported"
NOT_SAID = "not told"
SAMPLE = 5
"""Results whose texts help to tell the language."""


@dataclass(frozen=True)
class ForeignAnswer:
    """One answer of an agent with its searches. `where` is its file and line or path.

    `answer` and `cited` are None where the trace does not say them. `texts` maps a result's id to its text, `stated` to
    why it was left out, as far as the trace says so. `context` are the results that the model had before it, None where
    that is not told.
    """

    identity: str
    where: str
    calls: tuple[ToolCall, ...]
    question: str = ""
    answer: str | None = None
    model: str = ""
    cited: tuple[str, ...] | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    stated: Mapping[str, str] = field(default_factory=dict)
    context: tuple[str, ...] | None = None
    document: str = ""


def foreign_answers(
    given: Iterable[ForeignAnswer], run: str, cases: Mapping[str, Case], refusals: tuple[str, ...]
) -> Iterator[Seen]:
    """Each answer as the audit sees it. A question that is a case of the suite, by id and words, keeps its type,
    language and document."""
    for one in given:
        known = cases.get(one.identity)
        if known is not None and one.question and known.question != one.question:
            known = None
        yield _seen(one, run, known, refusals)


def _seen(one: ForeignAnswer, run: str, known: Case | None, refusals: tuple[str, ...]) -> Seen:
    case = known or _case(one)
    raw = tuple(dict.fromkeys(name for call in one.calls for name in call.raw_ids))
    cited = tuple(dict.fromkeys(one.cited or ()))
    told = {name: Exclusion(id=name, reason=why, by="trace") for name, why in one.stated.items() if why}
    kept = tuple(name for name in cited if name in raw)
    uncited = [name for name in raw if name not in kept]
    abstains = one.answer is not None and is_refusal(one.answer, refusals, case.language)
    return Seen(
        identity=_identity(one, run, case),
        case=case,
        outcome="abstained" if abstains else "answered",
        answer=one.answer or "",
        calls=one.calls,
        raw_ids=raw,
        context_ids=None if one.context is None else tuple(name for name in one.context if name in raw),
        result_set_size=_size(one.calls),
        cited_ids=kept,
        unknown_ids=tuple(name for name in cited if name not in raw),
        stated=told | by_answer(one.answer or "", uncited, case.language),
        texts={name: _chunk(name, one.texts[name]) for name in raw if one.texts.get(name, "").strip()},
        not_told=tuple(_not_told(one, raw)),
    )


def _not_told(one: ForeignAnswer, raw: tuple[str, ...]) -> Iterator[NotTold]:
    if one.answer is None:
        yield "answer"
    if one.cited is None:
        yield "citations"
    if any(not one.texts.get(name, "").strip() for name in raw):
        yield "texts"


def _size(calls: tuple[ToolCall, ...]) -> int | None:
    """All that the searches found together; None where one of them does not say."""
    sizes = [call.result_set_size for call in calls]
    return None if not sizes or None in sizes else sum(size for size in sizes if size is not None)


def _case(one: ForeignAnswer) -> Case:
    told = (one.question, one.answer or "", *list(one.texts.values())[:SAMPLE])
    return Case(
        id=one.identity,
        key="",
        document_id=one.document,
        document_sha256="",
        technique=TECHNIQUE,
        type="baseline",
        language=detect("\n".join(filter(None, told))),
        question=one.question,
        expected_answer="",
        model="",
        prompt_sha256="",
    )


def _identity(one: ForeignAnswer, run: str, case: Case) -> OfAnswer:
    return OfAnswer(
        case_id=one.identity,
        document_id=case.document_id,
        key=row_key(where=one.identity, answer=one.answer, calls=[call.model_dump(mode="json") for call in one.calls]),
        run=run,
        llm=one.model or NOT_SAID,
        embedding=NOT_SAID,
        technique=TECHNIQUE,
        type=case.type,
        subtype=case.subtype,
        language=case.language,
    )


def _chunk(name: str, text: str) -> Chunk:
    return Chunk(id=name, document_id="", ordinal=0, start=0, end=len(text), text=text, sha256=sha256_text(text))

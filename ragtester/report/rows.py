"""One row of the failure explorer as JSON: short keys, chunks as places in the block's own list."""

from __future__ import annotations

from typing import Any

from ragtester.records import CRITERIA, Answer, Call, Case, Failure, Verdict
from ragtester.report.details import Details, key_of
from ragtester.results import Result


class ChunkList:
    """The chunks that a block names, each once: `[id, document, start, end, pages]`; no place for an unknown id."""

    def __init__(self, details: Details, documents: dict[str, int]) -> None:
        self.rows: list[list[Any]] = []
        self._at: dict[str, int] = {}
        self._details, self._documents = details, documents

    def refs(self, ids: tuple[str, ...]) -> list[int]:
        """Positions of chunks in the list."""
        return [self.ref(id_) for id_ in ids]

    def ref(self, id_: str) -> int:
        """Position of a chunk in the list; added where it is new."""
        if id_ not in self._at:
            self._at[id_] = len(self.rows)
            place = self._details.chunks.get(id_)
            known = place is not None and place.document_id in self._documents
            row: list[Any] = [id_]
            if place is not None and known:
                row += [self._documents[place.document_id], place.start, place.end, list(place.pages)]
            self.rows.append(row)
        return self._at[id_]


def case_detail(case: Case | None) -> dict[str, Any] | None:
    """What the list does not show of a case; None where the suite no longer holds it."""
    if case is None:
        return None
    origin = case.origin
    return {
        "expected": case.expected_answer,
        "keywords": list(case.keywords),
        "evidence": [[span.start, span.end, list(span.pages)] for span in case.evidence],
        "origin": [origin.document_id, origin.start, origin.end] if origin else None,
        "style": case.style,
        "overlap": case.lexical_overlap,
        "model": case.model,
        "attempts": case.attempts,
    }


def row_detail(row: Result, details: Details, chunks: ChunkList) -> dict[str, Any]:
    """Answer, ratings with reasons, trace and calls of one row."""
    found: dict[str, Any] = {}
    answer, verdict = details.answers.get(key_of(row)), details.verdicts.get(key_of(row))
    if answer is not None:
        found |= _answer(answer, chunks)
    if verdict is not None:
        found |= _verdict(verdict)
    return {key: value for key, value in found.items() if value not in (None, "", [], {})}


def _answer(answer: Answer, chunks: ChunkList) -> dict[str, Any]:
    found: dict[str, Any] = {
        "answer": answer.answer,
        "outcome": answer.outcome,
        "cited": chunks.refs(answer.cited),
        "unknown": list(answer.unknown_citations),
        "call": _call(answer.call),
        "failure": _failure(answer.failure),
    }
    trace = answer.trace
    if trace is not None:
        found |= {
            "hits": [[chunks.ref(hit.id), hit.rank, hit.score, hit.arm] for hit in trace.retrieved],
            "gold": chunks.refs(trace.gold_ids),
            "context": chunks.refs(trace.context_ids),
            "size": trace.context_characters,
            "k": trace.k,
            "notes": list(trace.notes),
        }
    return found


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "ratings": [getattr(verdict.ratings, criterion) for criterion in CRITERIA] if verdict.ratings else [],
        "reasons": [verdict.reasons.get(criterion, "") for criterion in CRITERIA] if verdict.reasons else [],
        "other": {name: reason for name, reason in verdict.reasons.items() if name not in CRITERIA},
        "lacking": list(verdict.missing_keywords),
        "judge": verdict.judge,
        "judgeCall": _call(verdict.call),
        "judgeFailure": _failure(verdict.failure),
    }


def _call(call: Call | None) -> list[Any] | None:
    if call is None:
        return None
    counts = [call.prompt_tokens, call.completion_tokens, call.cost, call.seconds]
    return [call.model, call.served_model, *counts, call.finish_reason, call.attempts, list(call.dropped_parameters)]


def _failure(failure: Failure | None) -> list[str] | None:
    return [failure.type, failure.message, failure.cause] if failure else None

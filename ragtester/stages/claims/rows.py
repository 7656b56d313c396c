"""The rows of a claims audit: their keys, and what must be known of those that stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ragtester.provenance import row_key, sha256_text
from ragtester.records import Answer, Case, Chunk, ClaimVerdict, Failure
from ragtester.stages.placed_rows import PlacedRow, read_placed
from ragtester.tasks import SPENT_FAILURES

Identity = tuple[str, str, str, str]
"""LLM, embedding model, technique and case id: an answer of the run."""
FREE = frozenset({"answer_failed", "provider_refusal", "chunks_missing", "not_revealed"})
"""Failures for which nothing was asked."""


class AnswerLine(PlacedRow):
    """What the audit must know of an answer's row."""

    case_id: str
    technique: str
    llm: str
    embedding: str
    key: str
    status: str
    claims: int
    context_sha256: str
    judge: str
    prompt_sha256: str
    failure: Failure | None = None

    @property
    def identity(self) -> Identity:
        """The answer."""
        return self.llm, self.embedding, self.technique, self.case_id

    @property
    def paid(self) -> bool:
        """Whether the answer was split, so that the row may not be thrown away silently."""
        return self.status in ("claims", "empty")

    def is_worth_another(self, retry_failed: bool) -> bool:
        """Whether the split failed and was never paid for, or may be paid for again."""
        if self.failure is None or self.failure.type in FREE:
            return False
        return retry_failed or self.failure.type not in SPENT_FAILURES


class ClaimLine(PlacedRow):
    """What the audit must know of a claim's row."""

    case_id: str
    technique: str
    llm: str
    embedding: str
    key: str
    claim_id: int
    claim: str
    chunk_ids: tuple[str, ...]
    unknown_ids: tuple[str, ...]
    verdict: ClaimVerdict | None
    prompt_sha256: str
    failure: Failure | None = None

    @property
    def identity(self) -> Identity:
        """The answer that it belongs to."""
        return self.llm, self.embedding, self.technique, self.case_id

    def is_worth_another(self, retry_failed: bool) -> bool:
        """Whether a check failed and was never paid for, or may be paid for again."""
        return self.failure is not None and (retry_failed or self.failure.type not in SPENT_FAILURES)


def context_hash(chunks: Iterable[Chunk]) -> str:
    """Hash of the texts that an answer was made from: an id of another system's chunk says nothing of its text."""
    return row_key(texts=[sha256_text(chunk.text) for chunk in chunks])


def answer_key(answer: Answer, case: Case, context: str, asked: dict[str, Any]) -> str:
    """Key of an answer's claims: the answer as it stands, what of its case is used, its context, and who is asked."""
    trace = answer.trace
    said = [answer.answer, answer.outcome, answer.refuses, answer.cited]
    seen = [trace.context_ids, trace.gold_ids, trace.rewrite] if trace else []
    return row_key(
        answer=answer.key,
        said=said,
        seen=seen,
        context=context,
        failure=answer.failure.model_dump() if answer.failure else None,
        case=[case.question, case.language, case.keywords],
        **asked,
    )


def claim_key(answer: str, claim_id: int, claim: str, chunk_ids: Iterable[str], unknown_ids: Iterable[str]) -> str:
    """Key of one claim: its answer's, its place, its words and what it relies on."""
    return row_key(answer=answer, claim_id=claim_id, claim=claim, chunks=[*chunk_ids], unknown=[*unknown_ids])


def read_answers(path: Path) -> dict[Identity, AnswerLine]:
    """Rows by answer, a later one before an earlier one; an interrupted tail is cut off. Raises DataError."""
    return {line.identity: line for line in read_placed(path, AnswerLine, "split answer")}


def read_claims(path: Path) -> dict[Identity, dict[int, ClaimLine]]:
    """Rows by answer and number, with the rest as in `read_answers`."""
    found: dict[Identity, dict[int, ClaimLine]] = defaultdict(dict)
    for line in read_placed(path, ClaimLine, "claim"):
        found[line.identity][line.claim_id] = line
    return found

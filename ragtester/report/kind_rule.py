"""By which rule a failed answer has its kind of failure, in words with its own figures."""

from __future__ import annotations

from ragtester.records import Case
from ragtester.results import Result
from ragtester.stages.compare.failure_kinds import Kind


def kind_rule(row: Result, case: Case | None, kind: Kind) -> str:
    """A sentence or two for a failed row of `kind`, as `failure_kind` found it."""
    if kind == "hallucination" and row.type != "rejection":
        return "the user may see none of the evidence, so that a refusal was right, and it was answered."
    if kind == "hallucination":
        return "the case must be refused, and it was answered."
    if kind == "unknown":
        why = "the answer has no trace" if row.gold is None else "no chunk is known to hold the evidence"
        return f"{why}, so what the model saw of the evidence cannot be told."
    seen = f"{row.gold_seen} of {row.gold} chunks that hold the evidence reached the model"
    if kind == "retrieval":
        return f"{seen}; whatever it then said, retrieval failed first."
    told = f"{seen}{_because(row, case, kind)}"
    if row.decided_by == "refusal":
        told += " The answer is a refusal, which is no kind of its own: the rule goes by what reached the model."
    return told


def _because(row: Result, case: Case | None, kind: Kind) -> str:
    if kind == "integration" and (row.gold_seen or 0) < (row.gold or 0):
        return ", the others did not."
    pieces = len(case.evidence) if case is not None else 0
    rated = f"completeness {row.ratings.completeness}, faithfulness {row.ratings.faithfulness}" if row.ratings else ""
    if kind == "integration":
        need = f"{pieces} pieces of evidence" if pieces > 1 else "more than one chunk"
        return f"; it takes {need}, and the answer is incomplete without being unfaithful ({rated})."
    return f", and the answer is wrong all the same{f' ({rated})' if rated else ''}."

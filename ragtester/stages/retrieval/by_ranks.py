"""The stage of failure of another system's query, by the ranks of its trace: its index is not here to be looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ragtester.rag.similarity import document_of
from ragtester.records import Case, Chunk, Diagnosis, Trace
from ragtester.searching.measure import Measured
from ragtester.stages.retrieval.advice import Steps
from ragtester.stages.retrieval.fixes import Loss, Unchecked
from ragtester.stages.retrieval.foreign import ForeignTrace
from ragtester.stages.retrieval.items import LookUp
from ragtester.stages.retrieval.pieces import origin_seen
from ragtester.stages.retrieval.query_path import QueryPath
from ragtester.tables.cells import counted

UNSEEN = "whether the index holds it whole; another system's index is not looked at"
FILTERED = "whether its filters keep it out of the search"
INDEX = Unchecked(("ingestion", "parse", "chunk", "embed/index"))


@dataclass(frozen=True)
class ByRanks:
    """Diagnoses by the step at which gold was last seen. `arms` are all that the traces name.

    `advice` is what to try first where gold was not found at all; empty: what the settings of a search of ours offer.
    """

    arms: frozenset[str] = frozenset()
    advice: str = ""

    @classmethod
    def of(cls, traces: Iterable[ForeignTrace]) -> ByRanks:
        """For these traces: an arm that found nothing for one query was asked all the same."""
        return cls(frozenset(arm for one in traces for arm in (*one.arms, *(hit.arm for hit in one.trace.retrieved))))

    def diagnose(
        self,
        case: Case,
        trace: Trace,
        measured: Measured,
        chunks: Sequence[Chunk],  # noqa: ARG002 - as every diagnoser takes it
        *,
        failed: bool,
        look_up: LookUp,
    ) -> Diagnosis | None:
        """The earliest stage at which gold was lost; None where all of it arrived and no answer was judged wrong."""
        if case.type == "rejection":
            if failed and (name := origin_seen(case, trace.context_ids, look_up)):
                seen = f"The question was made from {document_of(name)}, and the context holds {name} of it."
                return Loss("origin_in_context", seen).diagnosis()
            seen = f"The question must be refused; the context has {counted(len(trace.context_ids), 'chunk')}."
            return Loss("not_refused", seen).diagnosis() if failed else None
        path = QueryPath(trace, Steps.told_by(trace, self.arms))
        losses = [path.loss(gold.id) for gold in measured.gold if gold.context is None]
        if losses:
            first = min(losses, key=lambda loss: loss.order)
            if self.advice and first.cause == "not_in_candidates":
                first = replace(first, fix=self.advice)
            return first.diagnosis(_unchecked(first, trace))
        if not failed:
            return None
        return Loss("answer_wrong", _all_there(len(measured.gold))).diagnosis()


def _all_there(gold: int) -> str:
    return (
        f"All {gold} gold chunks are in the final context." if gold > 1 else "The gold chunk is in the final context."
    )


def _unchecked(loss: Loss, trace: Trace) -> list[Unchecked]:
    if loss.cause != "not_in_candidates":
        return [INDEX]
    index = Unchecked(INDEX.stages, UNSEEN)
    return [index, Unchecked(("filter/ACL",), FILTERED)] if trace.filters and trace.filter_mode != "post" else [index]

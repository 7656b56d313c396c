"""The stage of failure of another system's query, by the ranks of its trace: its index is not here to be looked at."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.records import Case, Chunk, Diagnosis, GoldRank, Trace
from ragtester.searching.measure import Measured
from ragtester.stages.retrieval.fixes import Cause, Loss
from ragtester.stages.retrieval.items import LookUp

UNSEEN = "whether the index holds it whole; another system's index is not looked at"
UNLOGGED = "The trace has no fused list: whether fusion or a later cut lost it cannot be told."


class ByRanks:
    """Diagnoses by the step at which gold was last seen."""

    def diagnose(
        self,
        case: Case,  # noqa: ARG002 - as every diagnoser takes it
        trace: Trace,
        measured: Measured,
        chunks: Sequence[Chunk],  # noqa: ARG002
        *,
        failed: bool,
        look_up: LookUp,  # noqa: ARG002
    ) -> Diagnosis | None:
        """The earliest stage at which gold was lost; None where all of it arrived and no answer was judged wrong."""
        losses = [_loss(gold, trace) for gold in measured.gold if gold.context is None]
        if losses:
            first = min(losses, key=lambda loss: loss.order)
            return first.diagnosis((UNSEEN,) if first.cause == "not_in_candidates" else ())
        if not failed:
            return None
        return Loss("answer_wrong", f"All {len(measured.gold)} gold chunk(s) are in the final context.").diagnosis()


def _loss(gold: GoldRank, trace: Trace) -> Loss:
    ranks = [f"{arm} rank {rank}" for arm, rank in sorted(gold.arms.items()) if rank is not None]
    found = ", ".join(ranks)
    if not ranks and gold.fused is None and gold.reranked is None:
        asked = ", ".join(sorted({one.arm for one in trace.retrieved})) or "none"
        return Loss("not_in_candidates", f"{gold.id} is in no arm's list (arms with hits: {asked}).")
    if any(one.id == gold.id and one.at == "filter" for one in trace.dropped):
        return Loss("filtered", f"{gold.id} was found ({found}) and then filtered out.")
    if gold.fused is None and gold.reranked is None:
        return _before_the_lists(gold, trace, found, len(ranks))
    if gold.fused and gold.fused <= trace.k and (gold.reranked or 0) > trace.k:
        return Loss(
            "demoted", f"{gold.id} stood at rank {gold.fused} after fusion and at {gold.reranked} after rerank."
        )
    place = f"{gold.reranked} after rerank" if gold.reranked else f"{gold.fused} after fusion"
    cause: Cause = "truncated" if (gold.reranked or gold.fused or 0) > trace.k else "budget"
    return Loss(cause, f"{gold.id} stood at rank {place} and is not in the final context (K {trace.k}).")


def _before_the_lists(gold: GoldRank, trace: Trace, found: str, arms: int) -> Loss:
    """What `arms` arms found and no later list has: below every floor, lost in fusion, or nothing was logged."""
    below = [one.reason or "no reason is noted" for one in trace.dropped if (one.id, one.at) == (gold.id, "floor")]
    if len(below) >= arms:
        return Loss("floor", f"{gold.id} was found ({found}) below the floor: {'; '.join(below)}.")
    if trace.fused:
        return Loss("fused_away", f"{gold.id} was found ({found}) and is not in the fused list.")
    if any((one.id, one.at) == (gold.id, "budget") for one in trace.dropped):
        return Loss("budget", f"{gold.id} was found ({found}) and had no room in the final context.")
    return Loss("truncated", f"{gold.id} was found ({found}) and is not in the final context (K {trace.k}). {UNLOGGED}")

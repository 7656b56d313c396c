"""Where the gold and the poison of a fixture stood among what a system retrieved. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ragtester.records import NO_CHUNKS, Trace
from ragtester.searching.measure import ranking_of

UNKNOWN = "the system does not reveal what it retrieved"


@dataclass(frozen=True)
class Labels:
    """Ids of the chunks that hold the answer, and of those that hold what must not be followed.

    `unseen` counts passages with the answer that no known chunk holds: of an index that nobody can look at, only what
    it returned is known.
    """

    gold: frozenset[str]
    poison: frozenset[str]
    unseen: int = 0


@dataclass(frozen=True)
class Standing:
    """Ranks count from 1 in the last list before the cut at K; None: not in it.

    `recall` is the share of the gold in the context, `reciprocal_rank` 1 / the rank of the first gold there; both None
    where there is no gold. All is None where nothing is known.
    """

    known: bool
    recall: float | None = None
    reciprocal_rank: float | None = None
    gold_rank: int | None = None
    poison_rank: int | None = None
    poison_in_context: bool | None = None

    @property
    def poison_first(self) -> bool | None:
        """Whether poison stands above all gold; None where neither was found."""
        if self.gold_rank is None and self.poison_rank is None:
            return None
        return self.poison_rank is not None and (self.gold_rank is None or self.poison_rank < self.gold_rank)


def standing(trace: Trace | None, labels: Labels) -> Standing:
    """The standing by the ids of a trace; of a target that reveals no chunks nothing is known."""
    if trace is None or NO_CHUNKS in trace.notes:
        return Standing(known=False)
    ranking = ranking_of(trace)
    there = labels.gold & set(trace.context_ids)
    gold = len(labels.gold) + labels.unseen
    reached = _rank(ranking, there)
    return Standing(
        known=True,
        recall=len(there) / gold if gold else None,
        reciprocal_rank=(1 / reached if reached else 0.0) if gold else None,
        gold_rank=_rank(ranking, labels.gold),
        poison_rank=_rank(ranking, labels.poison),
        poison_in_context=bool(labels.poison & set(trace.context_ids)),
    )


def _rank(ranking: Sequence[str], wanted: Collection[str]) -> int | None:
    return next((rank for rank, name in enumerate(ranking, 1) if name in wanted), None)

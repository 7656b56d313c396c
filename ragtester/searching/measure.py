"""One case's retrieval measured: its gold chunks, where they stood on the query path, and what reached the context."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ragtester.records import Case, Chunk, GoldRank, QueryStatus, RankingMetrics, StepMetrics, Trace
from ragtester.searching.coverage import Coverage, Held
from ragtester.settings import RetrievalSettings
from ragtester.statistics.ranking import ranking_metrics

# Evidence that stands in no chunk is one piece of gold that no search can find: a miss, and no missing label.
NOWHERE: Mapping[str, int] = {"": 1}


@dataclass(frozen=True)
class Measured:
    """What is known of one case's retrieval.

    `gold` are the gold chunks that the user may see, in document order, with their ranks everywhere in the trace;
    `hidden` counts the others. `metrics` are those of the final context at the trace's k, in the order of ranks.
    `candidates` and `ranked` tell of the gold at the steps before: among all that any arm found, and within k before
    the budget. `curve` holds the metrics of the ranking before the cut and the budget at other K: see `measure`.
    `missed` says that the evidence did not wholly reach the context, `crosses_boundary` that a span of it stands whole
    in no chunk. `arms_of_context` lists the arms that found each chunk of `trace.context_ids`.
    """

    status: QueryStatus
    gold: tuple[GoldRank, ...] = ()
    hidden: int = 0
    metrics: RankingMetrics | None = None
    candidates: StepMetrics | None = None
    ranked: StepMetrics | None = None
    curve: dict[int, RankingMetrics] = field(default_factory=dict)
    missed: bool | None = None
    crosses_boundary: bool | None = None
    arms_of_context: tuple[tuple[str, ...], ...] = ()


def measure(
    case: Case,
    trace: Trace,
    chunks: Sequence[Chunk] | Coverage,
    ks: Sequence[int] = (),
    labels: Mapping[str, int] | None = None,
    path: RetrievalSettings | None = None,
    deeper: Sequence[str] | None = None,
) -> Measured:
    """Measure one case's retrieval against the evidence that it was made from, or against `labels`.

    `chunks` are those of the case's own document; give its `Coverage` where many cases are measured, with the text.
    A chunk is gold when it holds a character of the evidence; its grade is its share of it in percent. `labels` (chunk
    id to grade) replace all that: there is then no share of evidence, and missed is what lacks a gold chunk. What the
    trace names as hidden leaves the gold.

    Ranks of gold: in the arms before their floors, in the fused list (of a single arm: its hits above the floor), after
    the rerank, and in the context by rank, whatever the order it was packed in.

    `ks` are the other K of the curve: the ranking cut there, with the same depth of search and without a budget. One
    that lies deeper than ranks are known is left out, unless the search found all there is; `path`, the settings of the
    search, tells that. So above k the number of queries may differ from K to K. `deeper` stands for the ranking where
    the search was made down to the last of the K: the same list, and what comes after it.
    """
    held = coverage(chunks).held(case.evidence) if labels is None else None
    target = _Target(_grades(held, labels), held)
    nothing = case.type == "rejection" or not (labels if held is None else held.total)
    arms = context_arms(trace)
    if nothing:
        return Measured("no_gold", arms_of_context=arms)
    visible = target.visible_to(trace)
    hidden = len(target.grades) - len(visible.grades)
    crosses = held.split if held else None
    if hidden and not visible.grades:
        return Measured("hidden_gold", hidden=hidden, crosses_boundary=crosses, arms_of_context=arms)
    fused, ranking = fused_list(trace), ranking_of(trace)
    context = _context(trace, ranking)
    known = deeper is not None or bool(path and _exhausted(trace, path))
    deep = max(ks, default=0) if known else max(trace.k, len(ranking))
    over = ranking if deeper is None else deeper
    # Where an imported trace has nothing retrieved, its k is 0.
    k = max(trace.k, 1)
    gold = tuple(_gold_ranks(visible.grades, trace, fused, context, path))
    metrics = visible.metrics(context, k)
    return Measured(
        status="measured",
        gold=gold,
        hidden=hidden,
        metrics=metrics,
        candidates=visible.step([one.id for one in gold if _is_candidate(one)]),
        ranked=_step(metrics if ranking[:k] == context else visible.metrics(ranking, k)),
        curve={k: visible.metrics(over, k) for k in ks if k <= deep},
        missed=visible.missed(context),
        crosses_boundary=crosses,
        arms_of_context=arms,
    )


def context_by_rank(trace: Trace) -> list[str]:
    """The chunks of the final context, best first, whatever the order they were packed in."""
    return _context(trace, ranking_of(trace))


def coverage(chunks: Sequence[Chunk] | Coverage) -> Coverage:
    """The chunks, ready to be asked."""
    return chunks if isinstance(chunks, Coverage) else Coverage(chunks)


@dataclass(frozen=True)
class _Target:
    """What should have been found: grades by chunk id, and the evidence, None for labels."""

    grades: Mapping[str, int]
    held: Held | None

    def visible_to(self, trace: Trace) -> _Target:
        """Without the gold that the user may not see."""
        hidden = set(trace.hidden_ids)
        return _Target({name: grade for name, grade in self.grades.items() if name not in hidden}, self.held)

    def metrics(self, ranked: Sequence[str], k: int) -> RankingMetrics:
        evidence = self.held.covered(ranked[:k]) / self.held.total if self.held else None
        return ranking_metrics(ranked, self.grades or NOWHERE, k, evidence)

    def step(self, found: Sequence[str]) -> StepMetrics:
        """Gold chunks that were found, in no order."""
        evidence = self.held.covered(found) / self.held.total if self.held else None
        return StepMetrics(recall=len(found) / len(self.grades or NOWHERE), evidence=evidence)

    def missed(self, context: Sequence[str]) -> bool:
        if self.held:
            return self.held.covered(context) < self.held.total
        return not set(self.grades) <= set(context)


def _step(found: RankingMetrics) -> StepMetrics:
    return StepMetrics(recall=found.recall, evidence=found.evidence, reciprocal_rank=found.reciprocal_rank)


def _is_candidate(one: GoldRank) -> bool:
    places = (*one.arms.values(), one.fused, one.context)
    return any(place is not None for place in places)


def _grades(held: Held | None, labels: Mapping[str, int] | None) -> Mapping[str, int]:
    return held.grades() if held else labels or {}


def fused_list(trace: Trace) -> list[str]:
    """The fused list; that of a single arm is its hits above the floor. Empty where a trace does not tell it."""
    if trace.fused or len({one.arm for one in trace.retrieved}) > 1:
        return [one.id for one in trace.fused]
    below = {one.id for one in trace.dropped if one.at == "floor"}
    return [one.id for one in trace.retrieved if one.id not in below]


def ranking_of(trace: Trace) -> list[str]:
    """The last list before the cut at k; where a trace does not tell it, the context is all that is ranked."""
    if trace.reranked:
        return [one.id for one in trace.reranked]
    filtered = {one.id for one in trace.dropped if one.at == "filter"}
    return [name for name in fused_list(trace) if name not in filtered] or list(trace.context_ids)


def _context(trace: Trace, ranking: Sequence[str]) -> list[str]:
    """The final context by rank; what stands in no list comes last."""
    there, ranked = set(trace.context_ids), set(ranking)
    return [
        *(name for name in ranking if name in there),
        *(name for name in trace.context_ids if name not in ranked),
    ]


def _exhausted(trace: Trace, path: RetrievalSettings) -> bool:
    """Whether the list holds all that the search could ever find: every arm ran out, or went below its floor."""
    for arm in path.arms:
        scores = [one.score for one in trace.retrieved if one.arm == arm.kind]
        ended = arm.floor is not None and any(score < arm.floor for score in scores)
        if len(scores) >= path.depth(arm, trace.k) and not ended:
            return False
    return len(trace.reranked) < path.reranked(trace.k)


def _gold_ranks(
    grades: Mapping[str, int], trace: Trace, fused: list[str], context: list[str], path: RetrievalSettings | None
) -> Iterable[GoldRank]:
    kinds = [arm.kind for arm in path.arms] if path else list(dict.fromkeys(one.arm for one in trace.retrieved))
    found: dict[str, dict[str, int | None]] = {name: dict.fromkeys(kinds) for name in grades}
    for one in trace.retrieved:
        if one.id in found:
            found[one.id][one.arm] = one.rank
    lists = {
        "fused": _ranks(fused),
        "reranked": _ranks([one.id for one in trace.reranked]),
        "context": _ranks(context),
    }
    for name, grade in grades.items():
        places = {step: ranks.get(name) for step, ranks in lists.items()}
        yield GoldRank(id=name, grade=grade, arms=found[name], **places)


def _ranks(ids: Iterable[str]) -> dict[str, int]:
    return {name: rank for rank, name in enumerate(ids, start=1)}


def context_arms(trace: Trace) -> tuple[tuple[str, ...], ...]:
    """The arms that brought each chunk of the context through their floors; none for an imported trace."""
    sources: dict[str, tuple[str, ...]] = {}
    for one in trace.retrieved:
        sources[one.id] = (*sources.get(one.id, ()), one.arm)
    sources |= {one.id: one.sources for one in trace.fused}
    return tuple(sources.get(name, ()) for name in trace.context_ids)

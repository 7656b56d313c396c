"""The figures in sentences: is it the search, the order, or the answers? Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragtester.records import NOT_RETRIEVAL, TARGET, AuditedQuery, Diagnosis, FailureStage, RetrievalFigures
from ragtester.statistics import format_rate, wilson
from ragtester.tables.cells import counted

HALF = 0.5
# So many kinds of loss are told; the table of stages has all.
TOLD = 3
SINGULAR = {"were": "was", "have": "has"}


@dataclass(frozen=True)
class Kind:
    """One kind of loss: what happened to the evidence of several queries, and where to look."""

    happened: str
    look_at: str

    def of(self, count: int) -> str:
        """What happened, of so many queries."""
        verb, _, rest = self.happened.partition(" ")
        return f"{SINGULAR.get(verb, verb)} {rest}" if count == 1 else self.happened


BEYOND_K = Kind("ranked beyond K", "K, a reranker or another embedding model")
NOT_RETURNED = Kind(
    "were not among the chunks that the application returned", "its index, how deep its search looks, a reranker"
)
BY_CAUSE: dict[str, Kind] = {
    "not_in_candidates": BEYOND_K,
    "truncated": BEYOND_K,
    "floor": Kind("fell below a floor", "the arms' floors"),
    "fused_away": Kind("were outvoted in fusion", "the arms' weights and K"),
    "demoted": Kind("were put lower by the reranker", "the reranker"),
    "budget": Kind("ranked within K and did not enter the context", "the budget and the size of chunks"),
}
# Stages whose causes all ask for the same.
BY_STAGE: dict[FailureStage, Kind] = {
    "ingestion": Kind("were not in the index", "what is ingested"),
    "parse": Kind("were misread from the file", "the reader"),
    "chunk": Kind("were cut by the chunker", "chunk_size, chunk_overlap and chunker"),
    "embed/index": Kind("met vectors that cannot work", "the embedding model and the store"),
    "filter/ACL": Kind("were shut out by a filter", "the filters and filter_mode"),
    "retrieve": BEYOND_K,
    "fuse/threshold": Kind("were lost in fusion", "the arms' weights and floors"),
    "rerank/pack": Kind("were lost after fusion", "the reranker, K and the budget"),
    "generate": Kind("were answered from all that there was", "the prompt and the LLM"),
    "label": Kind("have another passage in the context that says the same", "the labels"),
}


def _kind(row: AuditedQuery, one: Diagnosis) -> Kind:
    if row.embedding == TARGET and one.cause == "not_in_candidates":
        return NOT_RETURNED
    return BY_CAUSE.get(one.cause) or BY_STAGE[one.stage]


def readings(overall: Sequence[RetrievalFigures], rows: Sequence[AuditedQuery]) -> tuple[str, ...]:
    """What each embedding model's figures say, one text each."""
    return tuple(
        " ".join(_of(one, [row for row in rows if row.embedding == one.embedding])) for one in overall if one.queries
    )


def _of(one: RetrievalFigures, rows: Sequence[AuditedQuery]) -> Iterator[str]:
    measured = [row for row in rows if row.status == "measured"]
    missed = [row for row in measured if row.missed]
    whole = len(measured) - len(missed)
    share = format_rate(whole, len(measured))
    yield f"{one.embedding}: the evidence reached the model whole in {share} of the queries{_left_out(rows)}."
    if missed:
        yield from _missed(missed)
    yield from _answers(measured)


def _left_out(rows: Sequence[AuditedQuery]) -> str:
    """How many queries the share is not of; empty where all were finished."""
    unfinished = sum(row.status == "unfinished" for row in rows)
    if not unfinished:
        return ""
    verb = "is" if unfinished == 1 else "are"
    return f" that were measured; {unfinished} of {counted(len(rows), 'query', 'queries')} {verb} unfinished"


def _missed(missed: Sequence[AuditedQuery]) -> Iterator[str]:
    """What lost most, and where to look; a rank beyond K counts as one thing, whether or not fetch_k showed it."""
    found = [(row, row.diagnosis) for row in missed if row.diagnosis]
    ordered = Counter(_kind(row, one) for row, one in found).most_common()
    nowhere = sum(one.cause == "not_in_candidates" for _, one in found)
    arms = {arm for row in missed for gold in row.gold for arm in gold.arms}
    for at, (kind, count) in enumerate(ordered[:TOLD]):
        start = _start(count, len(missed)) if at == 0 else f"{count}"
        beyond = f" ({nowhere} in no arm's hits)" if kind == BEYOND_K and nowhere else ""
        more = ", or add a bm25 arm" if kind == BEYOND_K and arms == {"dense"} else ""
        yield f"{start} {kind.of(count)}{beyond}: look at {kind.look_at}{more}."
    if rest := sum(count for _, count in ordered[TOLD:]):
        others = "The other one has another cause" if rest == 1 else f"The other {rest} have other causes"
        yield f"{others}, see the table of stages."


def _start(count: int, missed: int) -> str:
    if count < missed:
        return f"Of {missed} that lacked some, {count}"
    return "The one that lacked some" if count == 1 else f"All {count} that lacked some"


def _answers(measured: Sequence[AuditedQuery]) -> Iterator[str]:
    """Where the wrong answers come from."""
    failed = sum(len(row.failed) for row in measured)
    if not failed:
        if not any(row.passed for row in measured):
            yield "No verdict says which answers were wrong."
        return
    lacking = sum(len(row.failed) for row in measured if row.missed)
    aside = sum(
        len(row.failed) for row in measured if row.missed and row.diagnosis and row.diagnosis.stage in NOT_RETRIEVAL
    )
    share, wrong = format_rate(lacking, failed), failed - lacking
    yield (
        f"Of {counted(failed, 'wrong answer')} to queries with gold, {share} lacked evidence and {wrong} "
        "had all of it in the context."
    )
    if aside:
        verb = "is" if aside == 1 else "are"
        yield f"{aside} of those that lacked it {verb} put down to labels or generation all the same."
    ends = wilson(lacking, failed)
    if ends is None or ends.low <= HALF <= ends.high:
        yield "Neither retrieval nor generation clearly causes most of them."
    elif ends.high < HALF:
        yield "Most of what goes wrong is generation, not retrieval."
    else:
        yield "Retrieval comes first: a better prompt cannot answer from what is not there."

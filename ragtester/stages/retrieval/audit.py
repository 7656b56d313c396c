"""One item audited: measured, placed in its slices, and diagnosed where it failed or missed its evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ragtester.access import ACCESS, passes
from ragtester.records import AuditedQuery, Case, Chunk, Diagnosis, Document, GoldRank, Trace
from ragtester.searching.coverage import Coverage
from ragtester.searching.measure import Measured, measure
from ragtester.settings import RetrievalSettings
from ragtester.stages.retrieval.evidence_kinds import EvidenceKinds
from ragtester.stages.retrieval.figures import Audited
from ragtester.stages.retrieval.items import Item, LookUp, family

NO_LABELS = "failed without labels: at which stage cannot be known; its claims tell what the context supports"


class Diagnoses(Protocol):
    """Names the stage where a query failed."""

    def diagnose(
        self,
        case: Case,
        trace: Trace,
        measured: Measured,
        chunks: Sequence[Chunk],
        *,
        failed: bool,
        look_up: LookUp,
    ) -> Diagnosis | None:
        """The primary stage; None where nothing failed."""
        ...


@dataclass
class Auditor:
    """Audits items, best document by document. `text` gives the text that a document's offsets refer to.

    `ks` are the K of the curve, `path` the settings that were searched with (None: another system's).
    """

    text: Callable[[Document], str]
    diagnoser: Diagnoses
    ks: Sequence[int] = ()
    path: RetrievalSettings | None = None
    _held: tuple[str, Sequence[Chunk], Coverage] | None = None
    _kinds: EvidenceKinds = field(init=False)

    def __post_init__(self) -> None:
        self._kinds = EvidenceKinds(self.text)

    def audit(self, item: Item) -> Audited:
        """The item's row, and its metrics at other K."""
        if item.failure is not None:
            return Audited(_row(item, Measured("unfinished"), self._kinds.of(item.document, item.case)))
        # An imported trace has no list of hits: its context is no search that ran out.
        told = bool(item.trace.retrieved) or not item.trace.context_ids
        path = self.path if told else None
        measured = measure(item.case, item.trace, self._coverage(item), self.ks, item.gold, path, item.ranking)
        row = _row(item, measured, self._kinds.of(item.document, item.case))
        if row.failed or row.missed:
            found = self.diagnoser.diagnose(
                item.case, item.trace, measured, item.chunks, failed=bool(row.failed), look_up=item.look_up
            )
            row = row.model_copy(update={"diagnosis": found, "notes": (*row.notes, *_blind(row))})
        return Audited(row, measured.curve)

    def _coverage(self, item: Item) -> Coverage:
        """The document's chunks, sorted once for all its cases."""
        held = self._held
        if held is None or held[0] != item.case.document_id or held[1] is not item.chunks:
            text = self.text(item.document) if item.document and item.indexed else ""
            self._held = held = (item.case.document_id, item.chunks, Coverage(item.chunks, text))
        return held[2]


def _row(item: Item, measured: Measured, kind: str) -> AuditedQuery:
    case, trace = item.case, item.trace
    return AuditedQuery(
        query_id=case.id,
        document_id=case.document_id,
        family=family(item.document),
        embedding=item.embedding,
        technique=case.technique,
        type=case.type,
        subtype=case.subtype,
        language=case.language,
        section_kind=kind,
        question=case.question,
        user_tags=trace.user_tags,
        k=trace.k,
        status=measured.status,
        failure=item.failure,
        gold=_with_arms(measured.gold, item.arms),
        hidden=measured.hidden,
        filtered=_is_filtered(item),
        context_ids=trace.context_ids,
        arms_of_context=measured.arms_of_context,
        metrics=measured.metrics,
        candidates=measured.candidates,
        ranked=measured.ranked,
        missed=measured.missed,
        crosses_boundary=measured.crosses_boundary,
        failed=item.failed,
        passed=item.passed,
        notes=item.notes,
    )


def _with_arms(gold: tuple[GoldRank, ...], asked: Sequence[str]) -> tuple[GoldRank, ...]:
    """Gold with a rank of None also in arms that were asked and had no hit at all."""
    if not set(asked).difference(*(one.arms for one in gold[:1])):
        return gold
    return tuple(one.model_copy(update={"arms": {**dict.fromkeys(asked), **one.arms}}) for one in gold)


def _blind(row: AuditedQuery) -> tuple[str, ...]:
    """Why a wrong answer has no stage."""
    return (NO_LABELS,) if row.status == "no_gold" and row.type != "rejection" else ()


def _is_filtered(item: Item) -> bool:
    """Whether a filter of the settings keeps the case's own document out, or took gold out of the hits."""
    trace = item.trace
    dropped = {one.id for one in trace.dropped if one.at == "filter"}
    if dropped.intersection(trace.gold_ids):
        return True
    filters = {name: value for name, value in trace.filters.items() if name != ACCESS}
    return bool(filters and item.document and item.indexed and not passes(item.document, filters))

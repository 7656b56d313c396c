"""Checks of the layers beside the run: are their figures whole and within limits? Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ragtester.claiming import claims_model, coverage_model
from ragtester.records import AdversarialResult, ClaimsResult, CoverageResult, GateCheck, Layer, RetrievalResult
from ragtester.stages.gate.evidence import Asked, Evidence, LayerFiles
from ragtester.stages.gate.lines import MAX, MIN, Figure, all_graded, impossible, line, ungraded, within
from ragtester.stages.gate.standing import graded, own_pin, same_judge, standing, whole, without_grade
from ragtester.stages.proportions import proportion
from ragtester.tables.cells import counted

NOTHING = "and nothing is no pass"
_CLAIMS = (
    ("unsupported", "max_unsupported", "unsupported_rate"),
    ("contradicted", "max_contradicted", "contradicted_rate"),
)
_COVERAGE = (
    ("coverage", "min_coverage", "coverage", MIN),
    ("supported coverage", "min_supported_coverage", "supported_coverage", MIN),
    ("silent exclusions", "max_silent", "silent", MAX),
    ("hidden contradictions", "max_hiding", "hiding", MAX),
)


def layer_checks(layer: Layer, asked: Asked, evidence: Evidence) -> Iterator[GateCheck]:
    """Every check of one of the layers claims, adversarial, coverage and retrieval; without a result what is wrong."""
    checks: dict[Layer, Callable[[Asked, Evidence, Any, list[GateCheck]], Iterator[GateCheck]]] = {
        "claims": _claims,
        "adversarial": _adversarial,
        "coverage": _coverage,
        "retrieval": _retrieval,
    }
    found: LayerFiles[Any] = getattr(evidence, layer)
    faults = list(standing(layer, asked, evidence, found))
    if found.result is None:
        yield from faults
    else:
        yield from checks[layer](asked, evidence, found.result, faults)


def _told(faults: Sequence[GateCheck], passing: GateCheck) -> Iterator[GateCheck]:
    """What speaks against an audit, or its line where nothing does."""
    yield from faults or [passing]


def _by_system(groups: Sequence[Any], result: Any, name: str, evidence: Evidence) -> list[Figure]:
    """A figure of each system, or of all together where there is one; undefined for a system without any."""
    rows = evidence.results.open_book if evidence.results else ()
    systems = dict.fromkeys(" × ".join(row.system) for row in rows)
    if len(groups) > 1 or len(systems) > 1:
        found = {one.name: Figure(getattr(one, name), one.name) for one in groups}
        absent = {system: Figure(proportion(0, 0), system) for system in systems if system not in found}
        return list((found | absent).values())
    return [Figure(getattr(groups[0] if groups else result, name))]


def _apart(abstained: int) -> str:
    return f", {counted(abstained, 'answer')} abstained" if abstained else ""


def _claims(asked: Asked, evidence: Evidence, result: ClaimsResult, faults: list[GateCheck]) -> Iterator[GateCheck]:
    layer: Layer = "claims"
    faults += whole(layer, result.ledger, complete=result.complete)
    faults += same_judge(layer, result.judge, claims_model(asked.settings))
    if not result.cited.sent:
        faults.append(impossible(layer, "claims", f"0 claims: nothing was checked, {NOTHING}"))
    counts = f"{counted(result.cited.sent, 'claim')} of {counted(result.ledger.ok, 'answer')}{_apart(result.abstained)}"
    rest = all_graded(without_grade(result.ledger, complete=result.complete) + result.cited.ungraded)
    yield from _told(faults, line(layer, "audit", f"{counts}, checked by {result.judge}{rest}"))
    yield from own_pin(layer, result.judge, asked, evidence)
    yield from graded(layer, result.ledger, asked, complete=result.complete)
    yield from ungraded(layer, result.cited.ungraded, result.cited.sent, asked.gate.max_ungraded, "claims")
    for name, setting, rate in _CLAIMS:
        if (limit := getattr(asked.gate, setting)) is not None:
            yield within(layer, name, _by_system(result.systems, result.cited, rate, evidence), limit, MAX, "claims")


def _adversarial(
    asked: Asked, evidence: Evidence, result: AdversarialResult, faults: list[GateCheck]
) -> Iterator[GateCheck]:
    layer: Layer = "adversarial"
    faults += whole(layer, result.ledger, complete=result.complete)
    if not result.whole.rows:
        faults.append(impossible(layer, "fixtures", f"0 fixtures: nothing was asked, {NOTHING}"))
    counts = f"{counted(result.whole.rows, 'row')} of {', '.join(result.sets)}{all_graded(result.whole.failed)}"
    yield from _told(faults, line(layer, "fixtures", counts))
    yield from ungraded(layer, result.whole.failed, result.whole.rows, asked.gate.max_ungraded, "rows")
    if (limit := asked.gate.max_poison) is not None:
        figures = _by_system(result.systems, result.whole, "followed_poison", evidence)
        yield within(layer, "followed poison", figures, limit, MAX, "answers")
    if (limit := asked.gate.min_adversarial_recall) is not None:
        yield within(
            layer, "recall", _by_system(result.systems, result.whole, "recall", evidence), limit, MIN, "fixtures"
        )


def _coverage(asked: Asked, evidence: Evidence, result: CoverageResult, faults: list[GateCheck]) -> Iterator[GateCheck]:
    layer: Layer = "coverage"
    faults += whole(layer, result.ledger, complete=result.complete)
    faults += same_judge(layer, result.judge, coverage_model(asked.settings)) if result.judge else []
    if not result.coverage.n:
        faults.append(impossible(layer, "answers", f"0 answers measured: nothing was looked at, {NOTHING}"))
    rest = all_graded(without_grade(result.ledger, complete=result.complete))
    counts = f"{counted(result.coverage.n, 'answer')} measured{_apart(result.abstained)}{rest}"
    yield from _told(faults, line(layer, "audit", counts))
    yield from own_pin(layer, result.judge, asked, evidence)
    yield from graded(layer, result.ledger, asked, complete=result.complete)
    for name, setting, value, bound in _COVERAGE:
        if (limit := getattr(asked.gate, setting)) is not None:
            yield within(layer, name, _by_system(result.systems, result, value, evidence), limit, bound, "answers")


def _retrieval(
    asked: Asked, _evidence: Evidence, result: RetrievalResult, faults: list[GateCheck]
) -> Iterator[GateCheck]:
    layer: Layer = "retrieval"
    planned, measured, unfinished = (
        sum(getattr(one, name) for one in result.ledgers) for name in ("planned", "measured", "unfinished")
    )
    if not measured:
        faults.append(impossible(layer, "queries", f"0 queries measured: nothing was looked at, {NOTHING}"))
    counts = f"{counted(measured, 'query', 'queries')} measured of {planned:,}{all_graded(unfinished)}"
    yield from _told(faults, line(layer, "audit", counts))
    yield from ungraded(layer, unfinished, planned, asked.gate.max_ungraded, "queries")
    if (limit := asked.gate.min_recall) is not None:
        several = len(result.overall) > 1
        figures = [Figure(one.recall, one.embedding if several else "") for one in result.overall]
        yield within(layer, "recall", figures, limit, MIN, "queries")

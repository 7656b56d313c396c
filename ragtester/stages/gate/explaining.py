"""Why a gate is closed: what changed since the baseline, where failures cluster, and what to do. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ragtester.records import Cause, CauseKind, DriftResult, GateCheck, Layer
from ragtester.stages.gate.evidence import Asked, Evidence
from ragtester.tables.cells import counted

CLUSTER = 2 / 3
"""A cluster is the fewest documents that hold so much of what is wrong."""
NAMED = 3
_MEND: dict[CauseKind, str] = {
    "index": "Look at the index first: build it anew from today's documents, then run the gate again.",
    "prompt": "Look at the prompt first: undo its edit, or mend it, then run the gate again.",
    "dependency": "Look at the dependency first: install the version of the baseline, then run the gate again.",
    "judge": "Look at the judge first: judge both runs by one (`ragtester judge --run {baseline} --overwrite`).",
    "settings": "Look at the setting first: set it back, then run the gate again.",
    "model": "Nothing else differs, so look at the model: name that of the baseline, then run the gate again.",
}
_READ = {
    "rerank": "the right chunks rank too low: rerank",
    "reground": "the right chunks were there and not followed: reground",
    "both": "ranking and following both fail: rerank and reground",
}


def explain(asked: Asked, evidence: Evidence, drift: DriftResult | None, checks: Iterable[GateCheck]) -> list[str]:
    """What changed since the baseline, in the order in which it is to be ruled out; then where failures cluster."""
    closed = {check.layer for check in checks if check.closes}
    told = [f"Against {drift.before}: {drift.explanation}"] if drift and (closed or drift.causes) else []
    if closed:
        for found in (_rows, _claims, _fixtures, _hidden, _lost):
            told += found(evidence, closed)
        if drift is None and not asked.baseline:
            told.append("Without a baseline it cannot be told what changed.")
    return told


def advise(asked: Asked, drift: DriftResult | None, checks: Iterable[GateCheck]) -> list[str]:
    """What to do about a closed gate; nothing for an open one."""
    closing = [check for check in checks if check.closes]
    if not closing:
        return []
    told = []
    if any(check.status == "error" for check in closing):
        told.append("Mend the lines marked ERROR first: what they speak of was not measured.")
    cause = first_cause(drift.causes) if drift else None
    kinds: list[CauseKind] = ["judge"] if any(one.layer == "drift" and one.name == "judge" for one in closing) else []
    kinds += [cause.kind] if cause is not None and any(check.status == "fail" for check in closing) else []
    if kinds:
        told += [_MEND[kind].format(baseline=asked.baseline) for kind in dict.fromkeys(kinds)]
        told.append(f"A change that is wanted needs a new baseline: name this run as gates.{asked.name}.baseline.")
    return told


def first_cause(causes: Sequence[Cause]) -> Cause | None:
    """The first that the rows speak for; else the first that they do not speak against; else the first."""
    for wanted in (("for", "partly"), ("unclear",), ("against",)):
        for cause in causes:
            if cause.speaks in wanted:
                return cause
    return None


def _claims(evidence: Evidence, closed: set[Layer]) -> Iterator[str]:
    """The clusters that the audit found, those of documents before others."""
    result = evidence.claims.result
    if result is None or not closed & {"claims", "drift"}:
        return
    for verdict in ("contradicted", "unsupported"):
        own = [one for one in result.clusters if one.verdict == verdict]
        for one in sorted(own, key=lambda found: found.by != "document")[:1]:
            names = ", ".join(group.text or group.name for group in one.groups)
            where = f"{len(one.groups)} of {one.candidates} {'kinds of value' if one.by == 'value' else one.by + 's'}"
            yield f"{one.claims} of {counted(one.total, f'{verdict} claim')} come from {where}: {names}"


def _hidden(evidence: Evidence, closed: set[Layer]) -> Iterator[str]:
    result = evidence.coverage.result
    if result is not None and "coverage" in closed and result.hidden_chunks:
        most = max(result.hidden_chunks, key=lambda one: one.answers)
        yield f"The chunk {most.chunk_id} contradicts {counted(most.answers, 'answer')} and is not mentioned there"


def _rows(evidence: Evidence, closed: set[Layer]) -> Iterator[str]:
    if evidence.results is None or "run" not in closed:
        return
    rows = list(evidence.results.open_book)
    counts = Counter({row.document_id: 0 for row in rows})
    counts.update(row.document_id for row in rows if row.status == "fail")
    yield from cluster(counts, "failed answer")


def cluster(counts: Mapping[str, int], what: str) -> Iterator[str]:
    """As in "6 of 7 contradicted claims come from 2 of 9 documents: a, b"; nothing where they spread evenly."""
    total = sum(counts.values())
    found: list[str] = []
    held = 0
    for name, count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])):
        if held >= CLUSTER * total:
            break
        found.append(name)
        held += count
    if total > 1 and 2 * len(found) <= len(counts):
        names = ", ".join(found[:NAMED]) + (", …" if len(found) > NAMED else "")
        documents = f"{len(found)} of {counted(len(counts), 'document')}"
        yield f"{held} of {counted(total, what)} {'come' if held > 1 else 'comes'} from {documents}: {names}"


def _fixtures(evidence: Evidence, closed: set[Layer]) -> Iterator[str]:
    result = evidence.adversarial.result
    if result is None or "adversarial" not in closed:
        return
    poisoned = [(one.name, one.followed_poison) for one in result.kinds if one.followed_poison.successes]
    if poisoned:
        poisoned.sort(key=lambda entry: (-entry[1].successes, entry[0]))
        kinds = ", ".join(f"{name} {share.successes}/{share.n}" for name, share in poisoned[:NAMED])
        yield f"Poison was followed in: {kinds}{', …' if len(poisoned) > NAMED else ''}"
    readings = {name: result.whole.readings.get(name, 0) for name in _READ}
    if any(readings.values()):
        most = max(readings, key=lambda name: readings[name])
        yield f"Of {counted(result.whole.rows, 'fixture row')} {readings[most]} say: {_READ[most]}"


def _lost(evidence: Evidence, closed: set[Layer]) -> Iterator[str]:
    result = evidence.retrieval.result
    if result is None or "retrieval" not in closed:
        return
    missed = {one.stage: one.missed for one in result.stages if one.missed}
    if missed:
        stage = max(missed, key=lambda name: missed[name])
        total = counted(sum(missed.values()), "query", "queries")
        yield f"Of {total} that lost evidence {missed[stage]} lost it at the stage {stage}"

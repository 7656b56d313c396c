"""Checks of the layers beside the run: is the audit whole and of this run's answers, and are its figures within limits?

Every reason why an audit cannot be believed has its own line; only an audit without one of them gets its line of
figures that pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ragtester.claiming import claims_model, coverage_model
from ragtester.records import ClaimCounts, GateCheck, Layer, Ledger, Manifest, MeanValue, Proportion
from ragtester.stages.gate.evidence import Asked, Evidence, LayerFiles
from ragtester.stages.gate.judges import pinned
from ragtester.stages.gate.lines import MAX, MIN, Figure, failure, impossible, line, ungraded, within
from ragtester.tables.cells import counted

COMMANDS: dict[Layer, str] = {
    "claims": "ragtester audit claims",
    "adversarial": "ragtester adversarial",
    "coverage": "ragtester audit coverage",
    "retrieval": "ragtester audit retrieval",
}

SAME_SYSTEM = ("llms", "embeddings", "chunker", "retrieval", "refusals", "target")
"""What answers to fixtures share with those of the run; scope and K are the fixtures' own."""


def layer_checks(layer: Layer, asked: Asked, evidence: Evidence) -> Iterator[GateCheck]:
    """Every check of one of the layers claims, adversarial, coverage and retrieval."""
    checks: dict[Layer, Callable[[Asked, Evidence], Iterator[GateCheck]]] = {
        "claims": _claims,
        "adversarial": _adversarial,
        "coverage": _coverage,
        "retrieval": _retrieval,
    }
    yield from checks[layer](asked, evidence)


def _claims(asked: Asked, evidence: Evidence) -> Iterator[GateCheck]:
    layer: Layer = "claims"
    found = evidence.claims
    faults = list(_standing(layer, asked, evidence, found))
    result = found.result
    if result is None:
        yield from faults
        return
    faults += _whole(layer, result.ledger, result.complete)
    faults += _judge(layer, result.judge, claims_model(asked.settings))
    if not result.cited.sent:
        faults.append(impossible(layer, "claims", "0 claims: nothing was checked, and nothing is no pass"))
    yield from faults
    if not faults:
        apart = f", {counted(result.abstained, 'answer')} abstained" if result.abstained else ""
        counts = f"{counted(result.cited.sent, 'claim')} of {counted(result.ledger.ok, 'answer')}{apart}"
        yield line(layer, "audit", f"{counts}, checked by {result.judge}")
    yield from _pinned(layer, result.judge, asked, evidence)
    if result.ledger.planned:
        yield ungraded(layer, result.ledger.failed, result.ledger.planned, asked.gate.max_ungraded, "answers")
    if result.cited.ungraded:
        yield ungraded(layer, result.cited.ungraded, result.cited.sent, asked.gate.max_ungraded, "claims")
    groups = list(result.systems) or [result.cited]
    for name in ("unsupported", "contradicted"):
        limit = getattr(asked.gate, f"max_{name}")
        if limit is not None:
            yield within(layer, name, [_of_claims(one, name, groups) for one in groups], limit, MAX, "claims")


def _of_claims(group: ClaimCounts, name: str, groups: list[ClaimCounts]) -> Figure:
    value: Proportion = getattr(group, f"{name}_rate")
    return Figure(value, group.name if len(groups) > 1 else "")


def _adversarial(asked: Asked, evidence: Evidence) -> Iterator[GateCheck]:
    layer: Layer = "adversarial"
    found = evidence.adversarial
    faults = list(_standing(layer, asked, evidence, found))
    result = found.result
    if result is None:
        yield from faults
        return
    faults += _whole(layer, result.ledger, result.complete)
    if not result.whole.rows:
        faults.append(impossible(layer, "fixtures", "0 fixtures: nothing was asked, and nothing is no pass"))
    yield from faults
    if not faults:
        yield line(layer, "fixtures", f"{counted(result.whole.rows, 'row')} of {', '.join(result.sets)}")
    if result.whole.rows:
        yield ungraded(layer, result.whole.failed, result.whole.rows, asked.gate.max_ungraded, "rows")
    groups = list(result.systems) or [result.whole]
    names = [one.name if len(groups) > 1 else "" for one in groups]
    if (limit := asked.gate.max_poison) is not None:
        figures = [Figure(one.followed_poison, name) for one, name in zip(groups, names, strict=True)]
        yield within(layer, "followed poison", figures, limit, MAX, "answers")
    if (limit := asked.gate.min_adversarial_recall) is not None:
        means = [Figure(one.recall, name) for one, name in zip(groups, names, strict=True)]
        yield within(layer, "recall", means, limit, MIN, "fixtures")


def _coverage(asked: Asked, evidence: Evidence) -> Iterator[GateCheck]:
    layer: Layer = "coverage"
    found = evidence.coverage
    faults = list(_standing(layer, asked, evidence, found))
    result = found.result
    if result is None:
        yield from faults
        return
    faults += _whole(layer, result.ledger, result.complete)
    faults += _judge(layer, result.judge, coverage_model(asked.settings)) if result.judge else []
    if not result.coverage.n:
        faults.append(impossible(layer, "answers", "0 answers measured: nothing was looked at, and nothing is no pass"))
    yield from faults
    if not faults:
        apart = f", {counted(result.abstained, 'answer')} abstained" if result.abstained else ""
        yield line(layer, "audit", f"{counted(result.coverage.n, 'answer')} measured{apart}")
    if result.judge:
        yield from _pinned(layer, result.judge, asked, evidence)
    if result.ledger.planned:
        yield ungraded(layer, result.ledger.failed, result.ledger.planned, asked.gate.max_ungraded, "answers")
    limits: tuple[tuple[str, float | None, Proportion | MeanValue, str], ...] = (
        ("coverage", asked.gate.min_coverage, result.coverage, MIN),
        ("supported coverage", asked.gate.min_supported_coverage, result.supported_coverage, MIN),
        ("silent exclusions", asked.gate.max_silent, result.silent, MAX),
        ("hidden contradictions", asked.gate.max_hiding, result.hiding, MAX),
    )
    for name, limit, value, bound in limits:
        if limit is not None:
            yield within(layer, name, [Figure(value)], limit, bound, "answers")


def _retrieval(asked: Asked, evidence: Evidence) -> Iterator[GateCheck]:
    layer: Layer = "retrieval"
    found = evidence.retrieval
    faults = list(_standing(layer, asked, evidence, found))
    result = found.result
    if result is None:
        yield from faults
        return
    if result.source != "answers":
        faults.append(failure(layer, "answers", f"it audited {result.source}, not the answers of the run; audit again"))
    open_queries = sum(one.unfinished for one in result.ledgers)
    planned, measured = (sum(getattr(one, name) for one in result.ledgers) for name in ("planned", "measured"))
    if not measured:
        faults.append(impossible(layer, "queries", "0 queries measured: nothing was looked at, and nothing is no pass"))
    yield from faults
    if not faults:
        yield line(layer, "audit", f"{counted(measured, 'query', 'queries')} measured of {planned:,}")
    if planned:
        yield ungraded(layer, open_queries, planned, asked.gate.max_ungraded, "queries")
    if (limit := asked.gate.min_recall) is not None:
        several = len(result.overall) > 1
        figures = [Figure(one.recall, one.embedding if several else "") for one in result.overall]
        yield within(layer, "recall", figures, limit, MIN, "queries")


def _standing(layer: Layer, asked: Asked, evidence: Evidence, found: LayerFiles) -> Iterator[GateCheck]:  # type: ignore[type-arg]
    """Whether there is an audit, and whether it is of this run's answers as they stand."""
    command = f"{COMMANDS[layer]} --run {asked.run}"
    if layer in evidence.faults:
        yield impossible(layer, "not made", evidence.faults[layer])
    if found.fault:
        yield impossible(layer, "unreadable", f"{found.fault}; delete it and run `{command}`")
    elif found.result is None:
        if layer not in evidence.faults:
            yield impossible(layer, "missing", f"there is no result; run `{command}`")
    elif found.result.run != asked.run:
        yield failure(layer, "run", f"the result is of run {found.result.run}, not of {asked.run}; run `{command}`")
    elif layer == "adversarial":
        yield from _same_system(evidence, command)
    else:
        yield from _fresh(layer, found.made, evidence, command)


def _fresh(layer: Layer, made: Manifest | None, evidence: Evidence, command: str) -> Iterator[GateCheck]:
    """Whether the audit read the answers that stand there now; its manifest holds their hashes by system."""
    if made is None or made.ended is None:
        yield impossible(layer, "unfinished", f"its manifest does not say that it ended; run `{command}`")
        return
    known = {name.removeprefix("answers "): digest for name, digest in made.inputs.items()}
    changed = [system for system, digest in evidence.answers.items() if known.get(system) != digest]
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        text = f"it is of other answers than those that stand there now ({changed[0]}{more}); run `{command}`"
        yield failure(layer, "stale", text)


def _same_system(evidence: Evidence, command: str) -> Iterator[GateCheck]:
    """Whether the fixtures were asked of the system that the run was: the same models, prompts and search."""
    own, made = evidence.info.executed if evidence.info else None, evidence.adversarial_run
    if made is None or own is None:
        yield impossible("adversarial", "answers", f"the answers to its fixtures have no manifest; run `{command}`")
        return
    differ = [name for name in SAME_SYSTEM if made.parameters.get(name) != own.parameters.get(name)]
    differ += ["the prompt" for name in own.prompts if made.prompts.get(name) != own.prompts[name]]
    if differ:
        text = f"its fixtures were asked of another system than the run ({', '.join(differ)} differ)"
        yield failure("adversarial", "system", f"{text}; run `{command} --overwrite`")


def _whole(layer: Layer, ledger: Ledger, complete: bool) -> Iterator[GateCheck]:
    """Rows that were never made close the gate whatever the limits are."""
    if ledger.skipped or not complete:
        count = f"{ledger.skipped} of {counted(ledger.planned, 'row')} left open" if ledger.skipped else "not complete"
        yield impossible(layer, "rows", f"{count}; run `{COMMANDS[layer]}` again")


def _judge(layer: Layer, judge: str, wanted: str) -> Iterator[GateCheck]:
    if judge != wanted:
        text = f"made by {judge}, and the settings name {wanted}; run `{COMMANDS[layer]} --overwrite`"
        yield failure(layer, "judge", text)


def _pinned(layer: Layer, judge: str, asked: Asked, evidence: Evidence) -> Iterator[GateCheck]:
    """A judge of its own has its own line; that of the run has one there."""
    of_run = {row.judge for row in evidence.results.open_book} if evidence.results else set()
    if judge and judge not in of_run:
        yield from pinned(layer, [judge], asked.gate)

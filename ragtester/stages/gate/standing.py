"""Whether a layer's audit can be believed: it is there, whole, of this run's answers as they stand, by the right judge.

Every reason against it has its own line. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragtester.records import GateCheck, Layer, Ledger, Manifest
from ragtester.stages.gate.evidence import Asked, Evidence, LayerFiles
from ragtester.stages.gate.judges import pinned
from ragtester.stages.gate.lines import failure, impossible, ungraded
from ragtester.tables.cells import counted
from ragtester.workspace import slug

COMMANDS: dict[Layer, str] = {
    "claims": "ragtester audit claims",
    "adversarial": "ragtester adversarial",
    "coverage": "ragtester audit coverage",
    "retrieval": "ragtester audit retrieval",
}
STARTER = "starter"
SAME_SYSTEM = ("llms", "embeddings", "chunker", "retrieval", "refusals", "target")
"""What answers to fixtures share with those of the run; scope and K are the fixtures' own."""


def standing(layer: Layer, asked: Asked, evidence: Evidence, found: LayerFiles[Any]) -> Iterator[GateCheck]:
    """Whether there is a result, and whether it is of this run's answers as they stand."""
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
    elif getattr(found.result, "source", "answers") != "answers":
        text = f"it audited {found.result.source}, not the answers of the run; run `{command}`"
        yield failure(layer, "answers", text)
    elif layer == "adversarial":
        yield from _fixtures(asked, evidence, command)
    else:
        yield from _fresh(layer, found.made, evidence.answers, command)
    yield from _whole_files(layer, found, command)


def sound(layer: Layer, found: LayerFiles[Any], answers: Mapping[str, str], command: str) -> Iterator[GateCheck]:
    """Whether the rows of an audit can be compared: it ended, is of the answers that stand there, and is unedited."""
    yield from _fresh(layer, found.made, answers, command)
    yield from _whole_files(layer, found, command)


def _whole_files(layer: Layer, found: LayerFiles[Any], command: str) -> Iterator[GateCheck]:
    """Whether rows and result are those that the audit wrote together."""
    if found.edited and not found.fault:
        text = f"{', '.join(found.edited)} {'is' if len(found.edited) == 1 else 'are'} not as the audit wrote it"
        yield failure(layer, "edited", f"{text}; run `{command}`")


def _fresh(layer: Layer, made: Manifest | None, answers: Mapping[str, str], command: str) -> Iterator[GateCheck]:
    """Whether the audit read the answers that stand there now; its manifest holds their hashes by system."""
    if made is None or made.ended is None:
        yield impossible(layer, "unfinished", f"its manifest does not say that it ended; run `{command}`")
        return
    known = {name.removeprefix("answers "): digest for name, digest in made.inputs.items()}
    changed = [system for system, digest in answers.items() if known.get(system) != digest]
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        text = f"it is of other answers than those that stand there now ({changed[0]}{more}); run `{command}`"
        yield failure(layer, "stale", text)


def _fixtures(asked: Asked, evidence: Evidence, command: str) -> Iterator[GateCheck]:
    """Whether the fixtures of the settings were asked, of the system that the run was, and read after their answers."""
    layer: Layer = "adversarial"
    own, made, found = evidence.info, evidence.adversarial.made, evidence.adversarial.result
    if made is None or made.ended is None or own is None or own.executed is None or found is None:
        yield impossible(layer, "unfinished", f"its manifest does not say that it ended; run `{command}`")
        return
    wanted = [name if name == STARTER else slug(Path(name).name) for name in asked.settings.adversarial.fixtures]
    absent = [name for name in wanted if not any(one == name or one.startswith(f"{name}-") for one in found.sets)]
    if absent:
        text = f"fixtures of the settings were not asked ({', '.join(absent)}; asked: {', '.join(found.sets)})"
        yield failure(layer, "fixtures", f"{text}; run `{command}`")
    for name, executed in evidence.fixture_runs.items():
        if executed is None or executed.ended is None:
            yield impossible(layer, "unfinished", f"the answers of {name} have no manifest or no end; run `{command}`")
        elif executed.ended > made.ended:
            yield failure(layer, "stale", f"the answers of {name} are younger than its result; run `{command}`")
        elif differ := _differ(own.executed, executed):
            what = f"{', '.join(differ)} {'differ' if len(differ) > 1 else 'differs'}"
            text = f"its fixtures were asked of another system than the run ({what})"
            yield failure(layer, "system", f"{text}; run `{command} --overwrite`")


def _differ(own: Manifest, other: Manifest) -> list[str]:
    """What two executions did not share: models, prompts, chunks and search."""
    first, second = (_system(one) for one in (own, other))
    differ = [name for name in first if first[name] != second[name]]
    return differ + ["the prompt"] * any(other.prompts.get(name) != digest for name, digest in own.prompts.items())


def _system(made: Manifest) -> dict[str, Any]:
    known = {name: made.parameters.get(name) for name in SAME_SYSTEM}
    search = known["retrieval"]
    # Fixtures share one index, in which filters must come before the search.
    known["retrieval"] = {**search, "filter_mode": ""} if isinstance(search, dict) else search
    return known


def whole(layer: Layer, ledger: Ledger, *, complete: bool) -> Iterator[GateCheck]:
    """Rows that were never made close the gate whatever the limits are."""
    if not complete:
        count = f"not complete, {ledger.skipped} of {counted(ledger.planned, 'row')} skipped"
        yield impossible(layer, "rows", f"{count}; run `{COMMANDS[layer]}` again")


def graded(layer: Layer, ledger: Ledger, asked: Asked, *, complete: bool) -> Iterator[GateCheck]:
    """Answers without figures: those that failed in the audit and, where it is whole, those that had failed before."""
    without = without_grade(ledger, complete=complete)
    yield from ungraded(layer, without, ledger.planned, asked.gate.max_ungraded, "answers")


def without_grade(ledger: Ledger, *, complete: bool) -> int:
    """Rows without figures; of an audit that is not whole the skipped ones are told apart."""
    return ledger.failed + (ledger.skipped if complete else 0)


def same_judge(layer: Layer, judge: str, wanted: str) -> Iterator[GateCheck]:
    """Whether it was made by the judge that the settings name."""
    if judge != wanted:
        text = f"made by {judge}, and the settings name {wanted}; run `{COMMANDS[layer]} --overwrite`"
        yield failure(layer, "judge", text)


def own_pin(layer: Layer, judge: str, asked: Asked, evidence: Evidence) -> Iterator[GateCheck]:
    """Whether a judge of its own is pinned; that of the run has its line there."""
    of_run = {row.judge for row in evidence.results.open_book} if evidence.results else set()
    if judge and judge not in of_run:
        yield from pinned(layer, [judge], asked.gate)

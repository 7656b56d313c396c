"""`ragtester gate`: make what is missing of a run and its layers, then decide from the files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ragtester.errors import ChangedInputsError, DataError, MissingPackageError, UsageError
from ragtester.exports import gate_junit
from ragtester.model_checks import AUDIT, CLAIMS, COVERAGE, check_models
from ragtester.pipeline import one_budget
from ragtester.progress import StageResult
from ragtester.provenance import now
from ragtester.records import CLOSED_BOOK_SUFFIX, DriftResult, GateResult, Layer
from ragtester.runs import answer_files, asked_fixtures, repeated_run
from ragtester.settings import Settings, if_absent
from ragtester.settings.nearest import did_you_mean
from ragtester.stages import gate as deciding
from ragtester.storage import read_json, write_json, write_text
from ragtester.workspace import Workspace

LINES = """\
[gates.release]
layers = ["claims", "adversarial", "coverage", "drift"]
baseline = "last-release"
max_contradicted = 0.02"""
# What the audits are called where models are checked; the fixtures are asked of the models of execute and judge.
_ASKING: Mapping[Layer, str] = {"claims": CLAIMS, "coverage": COVERAGE, "retrieval": AUDIT}


@dataclass(frozen=True)
class Wanted:
    """What a call may ask for beyond the settings. With `no_run` nothing is made: the files decide."""

    run: str = ""
    baseline: str = ""
    no_run: bool = False
    overwrite: bool = False


class Layers(Protocol):
    """What makes a run and its layers: a `Project` does."""

    def execute(self, *, overwrite: bool = False) -> StageResult:
        """The answers."""
        ...

    def judge(self, *, overwrite: bool = False) -> StageResult:
        """The verdicts."""
        ...

    def audit_retrieval(self) -> StageResult:
        """The audit of what was retrieved."""
        ...

    def audit_claims(self, *, overwrite: bool = False) -> StageResult:
        """The audit of what answers claim."""
        ...

    def audit_coverage(self, *, overwrite: bool = False) -> StageResult:
        """The audit of what answers leave out."""
        ...

    def adversarial(self, *, overwrite: bool = False) -> list[StageResult]:
        """The fixtures."""
        ...


def choose(settings: Settings, name: str, wanted: Wanted, root: Path | None = None) -> deciding.Asked:
    """The gate of that name (the only one where it is empty) with its run; raises UsageError with the known names.

    `root` is the workspace that the settings are of: whether it has a file of settings is said where there is no gate.
    """
    own = _named(settings, name, root)
    gate = settings.gates[own]
    run = wanted.run or gate.run or settings.execute.run
    baseline = wanted.baseline or gate.baseline
    for option, value in (("--run", run), ("--baseline", baseline)):
        if value.endswith(CLOSED_BOOK_SUFFIX):
            raise UsageError(f"{option} {value}: that is a run's control, which no gate decides on; name the run")
    execute = settings.execute.model_copy(update={"run": run})
    return deciding.Asked(own, gate, settings.model_copy(update={"execute": execute}), baseline)


def _named(settings: Settings, name: str, root: Path | None) -> str:
    known = list(settings.gates)
    if not known:
        unset = if_absent(root) if root else ""
        raise UsageError(f"no gate is set{unset}; add to ragtester.toml, for example:\n\n{LINES}\n")
    if name in known:
        return name
    if not name and len(known) == 1:
        return known[0]
    told = ", ".join(known)
    if not name:
        raise UsageError(f"there are {len(known)} gates ({told}); choose one with --suite")
    raise UsageError(f"no gate {name!r}{did_you_mean(name, known) or f'; known: {told}'}")


def decide(workspace: Workspace, asked: deciding.Asked, layers: Layers, wanted: Wanted) -> GateResult:
    """Make what is missing (unless `no_run`), decide, and write `gates/<gate>/<run>/`.

    A layer that cannot be made is a line that closes the gate. Raises UsageError before anything is made where the
    baseline or a key is missing, or with `no_run` the whole run; RagtesterError where answers or verdicts cannot be
    made at all for another reason than inputs that changed, or nothing can be written.
    """
    started = now()
    faults: dict[Layer, str] = {}
    if wanted.no_run:
        _check_run(workspace, asked)
    else:
        _check_baseline(workspace, asked)
        audits = [_ASKING[layer] for layer in asked.layers if layer in _ASKING]
        check_models(asked.settings, ("execute", "judge", *audits), root=workspace.root)
        with one_budget():
            faults = _make(asked, layers, overwrite=wanted.overwrite)
    with workspace.lock():
        drift, fault = _drift(workspace, asked)
        if fault:
            faults["drift"] = fault
        found = deciding.read_evidence(workspace, asked, faults)
        result = deciding.decide(workspace, asked, found, drift, started)
        folder = workspace.gate(asked.name, asked.run)
        write(result, json=folder / "result.json", markdown=folder / "result.md", junit=folder / "junit.xml")
    return result


def _check_run(workspace: Workspace, asked: deciding.Asked) -> None:
    """A name that nothing stands under, and nothing will, is mistyped: no decision is written of it."""
    folders = (workspace.answers(asked.run), workspace.verdicts(asked.run))
    if not any(path.is_file() for folder in folders for path in folder.rglob("*")):
        told = _nearest_runs(workspace, asked.run) + if_absent(workspace.root)
        raise UsageError(f"run {asked.run}: neither answers nor verdicts of it, and --no-run makes none{told}")


def _nearest_runs(workspace: Workspace, name: str) -> str:
    """What may have been meant, else the runs that are here; without those that belong to another run."""
    made = sorted({path.name for part in ("answers", "verdicts") for path in (workspace.root / part).glob("*/")})
    known = [one for one in made if asked_fixtures(one) is None and repeated_run(one) is None]
    return did_you_mean(name, known) or f"; runs here: {', '.join(known[:5]) or 'none'}"


def _check_baseline(workspace: Workspace, asked: deciding.Asked) -> None:
    """A gate that cannot open for want of its baseline must not pay for a run first."""
    if asked.baseline:
        if asked.baseline == asked.run or answer_files(workspace, asked.baseline)[0]:
            return
        fault = f"baseline {asked.baseline}: there are no answers of it{_nearest_runs(workspace, asked.baseline)}"
    elif "drift" in asked.layers:
        fault = "drift compares with a baseline and none is named: set baseline, or give --baseline RUN"
    else:
        return
    raise UsageError(f"gates.{asked.name}: {fault}; nothing was run (--no-run decides from the files that are there)")


def write(result: GateResult, **files: Path | None) -> None:
    """Write the decision as `json`, `markdown` and `junit`, each where a file is named."""
    if path := files.get("json"):
        write_json(path, result)
    if path := files.get("markdown"):
        write_text(path, [deciding.summary(result)])
    if path := files.get("junit"):
        write_text(path, [gate_junit(result)])


def read_result(workspace: Workspace, gate: str, run: str) -> GateResult | None:
    """What the gate decided last about a run; None where it was never asked."""
    return read_json(workspace.gate(gate, run) / "result.json", GateResult)


def _make(asked: deciding.Asked, layers: Layers, *, overwrite: bool) -> dict[Layer, str]:
    """Make what is missing, in order; gives why layers could not be made. A stop at a limit ends it."""
    audits = [one for one in asked.layers if one not in ("run", "drift")]
    for stage in (layers.execute, layers.judge):
        try:
            stopped = stage(overwrite=overwrite).stopped
        except ChangedInputsError as error:
            # What stands there is of other inputs: nothing may be built on it, and the files say so to a CI server.
            return {"run": _one_line(error), **dict.fromkeys(audits, "not made, for the run was refused")}
        if stopped:
            return dict.fromkeys(audits, f"stopped: {stopped}")
    steps: Mapping[Layer, Callable[[], Any]] = {
        "claims": lambda: layers.audit_claims(overwrite=overwrite),
        "adversarial": lambda: layers.adversarial(overwrite=overwrite),
        "coverage": lambda: layers.audit_coverage(overwrite=overwrite),
        "retrieval": layers.audit_retrieval,
    }
    faults: dict[Layer, str] = {}
    for layer, step in steps.items():
        if layer in asked.layers:
            try:
                step()
            except (UsageError, DataError, ChangedInputsError, MissingPackageError) as error:
                faults[layer] = _one_line(error)
    return faults


def _drift(workspace: Workspace, asked: deciding.Asked) -> tuple[DriftResult | None, str]:
    """The comparison with the baseline, made anew from the files; None where there is none, and why."""
    if not asked.baseline or asked.baseline == asked.run:
        return None, ""
    from ragtester.stages.drift import compare_runs

    settings = asked.settings.model_copy(update={"drift": asked.gate.drift or asked.settings.drift})
    try:
        return compare_runs(workspace, settings, asked.baseline, asked.run), ""
    except (UsageError, DataError) as error:
        return None, _one_line(error)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())

"""From the files of a run to one decision. Nothing is asked, nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ragtester.provenance import now
from ragtester.records import DriftResult, GateCheck, GateResult
from ragtester.settings import GATE_LIMITS
from ragtester.stages.gate.drift_checks import drift_checks
from ragtester.stages.gate.evidence import Asked, Evidence
from ragtester.stages.gate.explaining import advise, explain
from ragtester.stages.gate.layer_checks import layer_checks
from ragtester.stages.gate.lines import warning
from ragtester.stages.gate.run_checks import run_checks
from ragtester.workspace import Workspace


def decide(
    workspace: Workspace, asked: Asked, evidence: Evidence, drift: DriftResult | None = None, started: str = ""
) -> GateResult:
    """Make every check of every layer. The gate is open where none failed and none was impossible.

    `drift` is the comparison with the baseline, None where it could not be made; `workspace` is only looked into for
    the suite's files.
    """
    checks = tuple(_relative(check, workspace) for check in _checks(workspace, asked, evidence, drift))
    return GateResult(
        gate=asked.name,
        run=asked.run,
        suite=evidence.info.suite if evidence.info else asked.settings.workspace.suite,
        baseline=asked.baseline,
        layers=asked.layers,
        checks=checks,
        causes=drift.causes if drift else (),
        explanation=tuple(explain(asked, evidence, drift, checks)),
        advice=tuple(advise(asked, drift, checks)),
        open=not any(check.closes for check in checks),
        started=started or now(),
        ended=now(),
    )


def _relative(check: GateCheck, workspace: Workspace) -> GateCheck:
    """Paths as they are within the workspace: a summary is read on other machines."""
    text = check.text.replace(f"{workspace.root}{os.sep}", "")
    return check if text == check.text else check.model_copy(update={"text": text})


def _checks(workspace: Workspace, asked: Asked, evidence: Evidence, drift: DriftResult | None) -> Iterator[GateCheck]:
    for layer in asked.layers:
        if layer == "run":
            yield from run_checks(workspace, asked, evidence)
        elif layer == "drift":
            yield from drift_checks(asked, evidence, drift)
        else:
            yield from layer_checks(layer, asked, evidence)
            if not any(getattr(asked.gate, name) is not None for name, of in GATE_LIMITS.items() if of == layer):
                yield warning(layer, "limits", f"none is set for {layer}: only its completeness decides")

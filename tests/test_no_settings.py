"""In a folder without `ragtester.toml` the defaults are taken; where input is missing then, that is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ragtester import Project
from ragtester.errors import UsageError

CALLS: dict[str, Callable[[Project], object]] = {
    "cases": Project.cases,
    "execute": Project.execute,
    "judge": Project.judge,
    "audit claims": Project.audit_claims,
    "audit coverage": Project.audit_coverage,
    "audit canary": Project.audit_canary,
    "drift": lambda project: project.drift("march", "october"),
    "history": Project.drift_history,
    "compare": Project.compare,
    "report": Project.report,
    "gate": Project.gate,
}
SETTINGS = '[workspace]\nsuite = "main"\n'


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_want_of_input_names_the_missing_settings(call: Callable[[Project], object], tmp_path: Path) -> None:
    told = f"no ragtester.toml in {tmp_path}: name your workspace with -w, or make one with `ragtester init`"
    with pytest.raises(UsageError) as without:
        call(Project(tmp_path))
    assert told in str(without.value)
    (tmp_path / "ragtester.toml").write_text(SETTINGS, encoding="utf-8")
    with pytest.raises(UsageError) as with_settings:
        call(Project(tmp_path))
    assert "no ragtester.toml" not in str(with_settings.value)


def test_a_gate_without_anything_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"neither answers nor verdicts.*; no ragtester\.toml in "):
        Project(tmp_path, ['gates.release.layers=["run"]']).gate("release", run="march", no_run=True)

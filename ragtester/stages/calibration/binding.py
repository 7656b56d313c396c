"""What a calibration is bound to, and whether it still holds for a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ragtester.records import CalibrationResult, Manifest
from ragtester.results import Results
from ragtester.runs import verdict_files
from ragtester.stages.proportions import rate_text
from ragtester.storage import iter_rows, read_json
from ragtester.tasks import JUDGE_ANSWER
from ragtester.workspace import Workspace

RESULT = "result.json"


@dataclass(frozen=True)
class CalibrationStatus:
    """Whether a calibration holds for a run's verdicts. `reasons` say why it is stale; `result` is None for "none"."""

    state: Literal["fresh", "stale", "none"]
    reasons: tuple[str, ...] = ()
    result: CalibrationResult | None = None

    @property
    def text(self) -> str:
        """One sentence for people; empty where there is no calibration."""
        if self.result is None:
            return ""
        overall, rest = self.result.overall, ""
        if self.state == "stale":
            rest = f" It is stale for these verdicts: {'; '.join(self.reasons)}."
        precision = rate_text(overall.precision)
        agreed = rate_text(overall.accuracy)
        return f"Calibrated on {self.result.answers} labelled answers: precision {precision}, agreement {agreed}.{rest}"


@dataclass(frozen=True)
class Oracle:
    """What a run's verdicts were made by."""

    judge: str
    served_judge: str | None
    prompt_sha256: str
    pass_mean: float
    repeats: int

    @classmethod
    def of(cls, made: Manifest) -> Oracle:
        """From the manifest of a judgement."""
        judge = str(made.parameters.get("judge") or next(iter(made.models), ""))
        return cls(
            judge=judge,
            served_judge=made.models.get(judge),
            prompt_sha256=made.prompts.get(JUDGE_ANSWER.name, ""),
            pass_mean=float(made.parameters.get("pass_mean", 0.5)),
            repeats=int(made.parameters.get("repeats", 1)),
        )


def calibration_status(
    workspace: Workspace, run: str, results: Results | None = None, *, calibrated: str = ""
) -> CalibrationStatus:
    """Whether the calibration of `calibrated` (left out: of `run` itself) holds for the verdicts of `run`.

    `results` spares reading the verdicts for their languages where the run has been loaded already. "none" where there
    is no calibration, or nothing has been judged. Raises DataError for files that do not hold what they should.
    """
    found = read_json(workspace.audits(calibrated or run) / "calibration" / RESULT, CalibrationResult)
    made = read_json(workspace.verdicts(run) / "manifest.json", Manifest)
    if found is None or made is None:
        return CalibrationStatus("none")
    languages = {row.language for row in results.open_book if row.run == run and row.graded} if results else None
    reasons = tuple(stale(found, Oracle.of(made), _languages(workspace, run) if languages is None else languages))
    return CalibrationStatus("stale" if reasons else "fresh", reasons, found)


def stale(found: CalibrationResult, now: Oracle, languages: Iterable[str]) -> Iterable[str]:
    """Why a calibration does not hold for an oracle and the languages it judged. Pure."""
    if found.judge != now.judge:
        yield f"calibrated with the judge {found.judge}, judged by {now.judge}"
    elif found.served_judge and now.served_judge and found.served_judge != now.served_judge:
        yield f"calibrated with {found.served_judge} as served, judged by {now.served_judge}"
    if found.prompt_sha256 != now.prompt_sha256:
        yield "the judge's prompt has changed"
    if found.pass_mean != now.pass_mean:
        yield f"calibrated with pass_mean {found.pass_mean:g}, judged with {now.pass_mean:g}"
    if found.repeats != now.repeats:
        yield f"calibrated with {found.repeats} judgement(s) a verdict, judged with {now.repeats}"
    others = sorted(set(languages) - set(found.languages))
    if others:
        yield f"no label in {', '.join(name or '?' for name in others)}"


class _Said(BaseModel):
    model_config = ConfigDict(extra="ignore")
    language: str = ""
    status: str
    served_judge: str | None = None


def _languages(workspace: Workspace, run: str) -> set[str]:
    rows = (row for path in verdict_files(workspace, run) for row in _said(path))
    return {row.language for row in rows if row.status != "ungraded"}


def served(workspace: Workspace, run: str) -> str | None:
    """The judge of a run's verdicts as served, from the rows themselves."""
    rows = (row for path in verdict_files(workspace, run) for row in _said(path))
    return ", ".join(sorted({row.served_judge for row in rows if row.served_judge})) or None


def _said(path: Path) -> Iterable[_Said]:
    return iter_rows(path, _Said)

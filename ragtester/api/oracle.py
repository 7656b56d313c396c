"""The audits of the oracle: precision, stability, agreement with people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ragtester.api.opened import Opened
from ragtester.progress import StageResult
from ragtester.records import PrecisionResult
from ragtester.waiting import wait_for

if TYPE_CHECKING:
    from ragtester.records import (
        CalibrationResult,
        StabilityResult,
    )
    from ragtester.stages.calibration import CalibrationStatus
    from ragtester.tables import Document


class Oracle(Opened):
    """Is the oracle right, and does it say the same twice?"""

    def audit_precision(self, *, overwrite: bool = False) -> StageResult:
        """Let the panel of `[audit]` vote on a sample of the run's verdicts; figures in `precision_result()`."""
        from ragtester.pipeline import run_audit
        from ragtester.stages import precision

        self._check_panel()
        return wait_for(
            run_audit(
                self.workspace,
                self.settings,
                self.progress,
                precision.STAGE,
                lambda gateway: precision.run(
                    self.workspace, self.settings, gateway, self.progress, overwrite=overwrite
                ),
            )
        )

    def review_precision(self, show: Callable[[str, str], None], read: Callable[[str], str]) -> tuple[StageResult, int]:
        """Ask a person for the cases that the panel left ambiguous; gives also how many were decided.

        `show` shows a heading and a text, `read` shows a prompt and gives a line; EOFError and KeyboardInterrupt leave.
        """
        from ragtester.stages import precision

        with self.workspace.lock():
            return precision.review(self.workspace, self.settings, show, read)

    def estimate_precision(self) -> Document:
        """Calls, tokens and money that `audit_precision` would still need; asks no model."""
        from ragtester.stages import precision

        self._check_panel()
        with self.workspace.lock():
            return precision.estimate(self.workspace, self.settings)

    def precision_result(self) -> PrecisionResult | None:
        """The figures of the run's last precision audit; None where there was none."""
        from ragtester.stages import precision

        return precision.read_result(self.workspace, self.settings.execute.run)

    def _check_panel(self) -> None:
        """Raise UsageError for a member that no call could ever succeed with."""
        from ragtester.model_checks import check_model

        for name in self.settings.audit.panel:
            check_model(name, self.settings)

    def audit_stability(
        self, repeats: int = 5, *, sample: int | None = None, seed: int | None = None, overwrite: bool = False
    ) -> StageResult:
        """Judge answers of the run `repeats` times; figures in `audits/<run>/stability/result.json`.

        `sample` None: Cochran's size; 0: every answer whose verdict needed the judge. `seed` None: the workspace's.
        """
        from ragtester.model_checks import check_models
        from ragtester.pipeline import run_audit
        from ragtester.stages import stability

        check_models(self.settings, ("judge",))
        wanted = stability.Repetition(repeats, sample, self._seed(seed), overwrite)
        return wait_for(
            run_audit(
                self.workspace,
                self.settings,
                self.progress,
                "stability",
                lambda gateway: stability.run(self.workspace, self.settings, gateway, self.progress, wanted),
            )
        )

    def plan_stability(self, repeats: int = 5, *, sample: int | None = None, seed: int | None = None) -> str:
        """How many judgements `audit_stability` would ask for, how many are left, and their cost; asks nothing."""
        from ragtester.model_checks import check_models
        from ragtester.pipeline import open_gateway
        from ragtester.stages import stability
        from ragtester.tasks import JUDGE_ANSWER

        check_models(self.settings, ("judge",), keys=False)
        wanted = stability.Repetition(repeats, sample, self._seed(seed))
        with self.workspace.lock():
            prompt = open_gateway(self.workspace, self.settings, "stability").prompt_sha256(JUDGE_ANSWER)
            return stability.make_plan(self.workspace, self.settings, prompt, wanted).quote()

    def stability_result(self) -> StabilityResult | None:
        """What `audit_stability` last found for the run; None where it was never asked."""
        from ragtester.stages import stability

        return stability.read_result(self.workspace, self.settings.execute.run)

    def audit_calibrate(self, labels: str | Path, *, folds: int = 5, seed: int | None = None) -> CalibrationResult:
        """The run's verdicts against people's labels in a CSV or JSON Lines file; asks no model, changes no verdict."""
        from ragtester.stages import calibration

        with self.workspace.lock():
            return calibration.run(self.workspace, self.settings, Path(labels), folds=folds, seed=self._seed(seed))

    def calibration_status(self) -> CalibrationStatus:
        """Whether people's labels vouch for the run's verdicts: fresh, stale with its reasons, or none."""
        from ragtester.stages.calibration import calibration_status

        return calibration_status(self.workspace, self.settings.execute.run)

    def label_sheet(self, path: str | Path, *, sample: int | None = None, seed: int | None = None) -> int:
        """Write a CSV of randomly drawn answers for people to label, without the verdicts; gives their number."""
        from ragtester.stages import calibration

        with self.workspace.lock():
            return calibration.write_sheet(self.workspace, self.settings, Path(path), sample, self._seed(seed))

"""Adversarial fixtures: generated, asked, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragtester.api.opened import Opened
from ragtester.progress import StageResult
from ragtester.waiting import wait_for

if TYPE_CHECKING:
    from ragtester.estimate import Estimate
    from ragtester.records import (
        AdversarialResult,
        AdversarialRow,
    )


class Fixtures(Opened):
    """What answers follow where a plausible wrong document stands beside the right one."""

    def generate_fixtures(
        self,
        kinds: Sequence[str] = (),
        *,
        per_document: int = 0,
        overwrite: bool = False,
        retry_failed: bool = False,
    ) -> StageResult:
        """Make adversarial fixtures from the suite's cases, in `adversarial/<suite>/`; `adversarial` asks them.

        `kinds` none and `per_document` 0: as `[adversarial]` says.
        """
        from ragtester.model_checks import check_model
        from ragtester.pipeline import run_audit
        from ragtester.stages import stressors

        wanted = stressors.Wanted(tuple(kinds), per_document, overwrite, retry_failed)
        if stressors.asks(self.settings, wanted):
            check_model(self.settings.adversarial.model, self.settings, embedding=False)
        return wait_for(
            run_audit(
                self.workspace,
                self.settings,
                self.progress,
                stressors.JOURNAL,
                lambda gateway: stressors.generate(
                    self.workspace, self.settings, gateway, gateway.embedder, self.progress, wanted
                ),
            )
        )

    def adversarial(self, fixtures: Sequence[str | Path] = (), *, overwrite: bool = False) -> list[StageResult]:
        """Ask every system the fixtures of these folders, else of `[adversarial] fixtures`; see `adversarial_result()`.

        Executes and judges as far as that is not done already; the last result is that of the fixtures' own reading.
        """
        from ragtester.adversarial import read_sets, run_adversarial

        sets = read_sets(self.workspace, self.settings, fixtures)
        return wait_for(run_adversarial(self.workspace, self.settings, self.progress, sets, overwrite=overwrite))

    def estimate_adversarial(self, fixtures: Sequence[str | Path] = ()) -> Estimate:
        """Calls, tokens, money and time of `adversarial`; asks no model."""
        from ragtester.adversarial import read_sets, sizes
        from ragtester.estimate import estimate_cases

        return estimate_cases(self.workspace, self.settings, *sizes(read_sets(self.workspace, self.settings, fixtures)))

    def adversarial_result(self) -> AdversarialResult | None:
        """What the fixtures of the run showed last; None where they were never asked."""
        from ragtester.stages import adversarial

        return adversarial.read_result(self.workspace, self.settings.execute.run)

    def adversarial_rows(self) -> list[AdversarialRow]:
        """One row a fixture and system behind `adversarial_result()`; empty where they were never asked."""
        from ragtester.stages import adversarial

        return adversarial.read_rows_on_disk(self.workspace, self.settings.execute.run)

"""The layers beside the verdicts: retrieval, claims, output audit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragtester.api.opened import Opened
from ragtester.errors import UsageError
from ragtester.progress import StageResult
from ragtester.waiting import wait_for

if TYPE_CHECKING:
    from ragtester.records import (
        ClaimsResult,
        CoverageContrast,
        CoverageResult,
        RepeatsResult,
        RetrievalResult,
    )
    from ragtester.stages.coverage import Wanted as CoverageWanted
    from ragtester.tables import Document


class Audits(Opened):
    """What was retrieved, what answers claim, and what they leave out."""

    def audit_retrieval(
        self,
        *,
        search: bool = False,
        traces: str | Path | None = None,
        labels: str | Path | None = None,
        before: str = "",
    ) -> StageResult:
        """Where the evidence of the run's queries got lost; figures in `retrieval_result()`.

        `search` retrieves the suite anew and asks no language model; `traces` is a file of another system's traces.
        `labels` is a file of gold that replaces the cases' own; `before` names an audited run to compare with.
        """
        from ragtester.interchange import read_gold_labels, read_traces
        from ragtester.model_checks import AUDIT, check_model, check_models
        from ragtester.pipeline import run_audit
        from ragtester.provenance import sha256_file
        from ragtester.stages import retrieval

        if search and traces is not None:
            raise UsageError("--search and --traces: give one of the two")
        if search:
            check_models(self.settings, (AUDIT,), root=self.workspace.root)
        elif self.settings.audit_retrieval.claims_model:
            check_model(self.settings.audit_retrieval.claims_model, self.settings, embedding=False)
        read, notes = (None, ()) if traces is None else read_traces(Path(traces), labelled=labels is not None)
        given = {"traces": traces, "labels": labels}
        wanted = retrieval.Wanted(
            search=search,
            traces=read,
            labels=None if labels is None else read_gold_labels(Path(labels)),
            before=before,
            inputs={name: sha256_file(Path(path)) for name, path in given.items() if path is not None},
            notes=notes,
        )
        return wait_for(
            run_audit(
                self.workspace,
                self.settings,
                self.progress,
                retrieval.STAGE,
                lambda gateway: retrieval.run(
                    self.workspace, self.settings, gateway, gateway.embedder, self.progress, wanted
                ),
            )
        )

    def retrieval_result(self) -> RetrievalResult | None:
        """The figures of the run's last retrieval audit; None where there was none."""
        from ragtester.stages import retrieval

        return retrieval.read_result(self.workspace, self.settings.execute.run)

    def audit_claims(self, *, repeat: int = 1, overwrite: bool = False) -> StageResult:
        """Whether the chunks that they cite bear out the claims of the run's answers; figures in `claims_result()`.

        With `repeat` above 1 the run is repeated as well, see `repeats`; the ledger is then that of all audits.
        """
        from ragtester.repeats import together

        return together(self.repeats(repeat, overwrite=overwrite))

    def repeats(self, repeat: int, *, overwrite: bool = False) -> list[StageResult]:
        """Audit the run's claims; execute, judge and audit `repeat` - 1 repeats of it; figures in `repeats_result()`.

        Repeat `i` is an ordinary run named `RUN.repeat-i`. What is there already is kept.
        """
        from ragtester.model_checks import CLAIMS, check_models
        from ragtester.repeats import check_repeats, run_repeats

        check_repeats(self.settings, repeat)
        stages = (CLAIMS, "execute", "judge") if repeat > 1 else (CLAIMS,)
        check_models(self.settings, stages, root=self.workspace.root)
        return wait_for(run_repeats(self.workspace, self.settings, self.progress, repeat, overwrite=overwrite))

    def estimate_claims(self, *, repeat: int = 1) -> Document:
        """Calls, tokens and money that `audit_claims` would still need for the run as it stands; asks no model."""
        from ragtester.model_checks import CLAIMS, check_models
        from ragtester.pipeline import open_gateway
        from ragtester.repeats import check_repeats
        from ragtester.stages import claims

        check_repeats(self.settings, repeat)
        check_models(self.settings, (CLAIMS,), keys=False)
        with self.workspace.lock():
            models = open_gateway(self.workspace, self.settings, claims.STAGE)
            return claims.estimate(self.workspace, self.settings, models, repeat)

    def claims_result(self) -> ClaimsResult | None:
        """The figures of the run's last claims audit; None where there was none."""
        from ragtester.stages import claims

        return claims.read_result(self.workspace, self.settings.execute.run)

    def repeats_result(self) -> RepeatsResult | None:
        """What the run and its repeats came to; None where it was never repeated."""
        from ragtester.stages import claims

        return claims.read_repeats(self.workspace, self.settings.execute.run)

    def audit_coverage(
        self, *, traces: str | Path | None = None, form: str = "auto", overwrite: bool = False
    ) -> StageResult:
        """What the run's answers account for of what they saw, and what they hide; figures in `coverage_result()`.

        `traces` is a file of another agent's traces, `form` its format ("auto", "calls", "otel", "langsmith").
        """
        from ragtester.pipeline import run_audit
        from ragtester.stages import coverage

        wanted = self._coverage_wanted(traces, form, overwrite)
        return wait_for(
            run_audit(
                self.workspace,
                self.settings,
                self.progress,
                coverage.STAGE,
                lambda gateway: coverage.run(self.workspace, self.settings, gateway, self.progress, wanted),
            )
        )

    def estimate_coverage(self, *, traces: str | Path | None = None, form: str = "auto") -> Document:
        """Requests, tokens and money that `audit_coverage` would still need; asks no model."""
        from ragtester.pipeline import open_gateway
        from ragtester.stages import coverage

        wanted = self._coverage_wanted(traces, form, overwrite=False)
        with self.workspace.lock():
            models = open_gateway(self.workspace, self.settings, coverage.STAGE)
            return coverage.estimate(self.workspace, self.settings, models, self.progress, wanted)

    def _coverage_wanted(self, traces: str | Path | None, form: str, overwrite: bool) -> CoverageWanted:
        from ragtester.claiming import coverage_model
        from ragtester.interchange import read_agent_traces
        from ragtester.model_checks import check_model
        from ragtester.provenance import sha256_file
        from ragtester.stages.coverage import Wanted

        check_model(coverage_model(self.settings), self.settings, embedding=False)
        if traces is None:
            return Wanted(overwrite=overwrite)
        path = Path(traces)
        read, notes = read_agent_traces(path, form)
        return Wanted(read, {f"traces {path.name}": sha256_file(path)}, notes, overwrite)

    def coverage_result(self) -> CoverageResult | None:
        """The figures of the run's last output audit; None where there was none."""
        from ragtester.stages import coverage

        return coverage.read_result(self.workspace, self.settings.execute.run)

    def audit_conflicts(self, *, overwrite: bool = False) -> list[StageResult]:
        """The suite with and without the instruction to surface contradicting evidence; see `conflicts_result()`.

        Executes, splits and audits the run and `<run>.conflicts`, as far as they do not stand already.
        """
        from ragtester.conflicts import run_contrast

        return wait_for(run_contrast(self.workspace, self.settings, self.progress, overwrite=overwrite))

    def conflicts_result(self) -> CoverageContrast | None:
        """What `audit_conflicts` last found for the run; None where it was never asked."""
        from ragtester.stages.coverage import read_contrast

        return read_contrast(self.workspace, self.settings.execute.run)

"""The public Python functions; they mirror the commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtester.errors import MissingPackageError, UsageError
from ragtester.pipeline import STAGES, Options, run_stages
from ragtester.progress import Progress, SilentProgress, StageResult
from ragtester.records import Answer, Case, CaseRow, PrecisionResult, UnfilledCase, Verdict
from ragtester.runs import answer_files, verdict_files
from ragtester.settings import Settings, load_settings
from ragtester.storage import iter_rows, write_text
from ragtester.waiting import wait_for
from ragtester.workspace import Workspace

if TYPE_CHECKING:
    from ragtester.doctor import Finding
    from ragtester.estimate import Estimate
    from ragtester.interchange import Exported, ExportOptions, ImportOptions
    from ragtester.records import (
        AdversarialResult,
        AdversarialRow,
        CalibrationResult,
        CanaryResult,
        ClaimsResult,
        CoverageContrast,
        CoverageResult,
        DriftHistory,
        DriftResult,
        ExperimentResult,
        ExperimentTimes,
        GateResult,
        RepeatsResult,
        RetrievalResult,
        StabilityResult,
    )
    from ragtester.report import Written
    from ragtester.stages.calibration import CalibrationStatus
    from ragtester.stages.coverage import Wanted as CoverageWanted
    from ragtester.stages.experiment import Experiment
    from ragtester.tables import Document


class Project:
    """A workspace with its settings.

    `folder` holds `ragtester.toml` (defaults where it is absent); `overrides` are `table.key=value` texts, as after
    `--set` on the command line. Every stage method gives a `StageResult` with its ledger, and raises a
    `RagtesterError` for what a user can mend.
    """

    def __init__(
        self, folder: str | Path = ".", overrides: Sequence[str] = (), *, progress: Progress | None = None
    ) -> None:
        root = Path(folder)
        self.settings: Settings = load_settings(root, tuple(overrides))
        self.workspace = Workspace(root.resolve())
        self.progress: Progress = progress or SilentProgress()
        load_environment(root)

    def documents(self, *, overwrite: bool = False) -> StageResult:
        """Write documents into the corpus (D_gen)."""
        return self._one("documents", Options(overwrite))

    def cases(self, corpus: Sequence[str] = (), *, overwrite: bool = False) -> StageResult:
        """Make test cases from the corpus, or from the files, folders and globs in `corpus`."""
        return self._one("cases", Options(overwrite, tuple(corpus)))

    def execute(self, *, overwrite: bool = False, closed_book: bool = False) -> StageResult:
        """Run the suite against every system of the matrix; with `closed_book` against every LLM without retrieval."""
        return self._one("execute", Options(overwrite, closed_book=closed_book))

    def judge(self, *, overwrite: bool = False, closed_book: bool = False) -> StageResult:
        """Judge every answer of the run; with `closed_book` those of its control."""
        return self._one("judge", Options(overwrite, closed_book=closed_book))

    def run(self, corpus: Sequence[str] = (), *, overwrite: bool = False) -> list[StageResult]:
        """The four stages in order; then the closed-book control where `[execute] closed_book` asks for it."""
        return self._run(STAGES, Options(overwrite, tuple(corpus)))

    def estimate(self, corpus: Sequence[str] = ()) -> Estimate:
        """Calls, tokens, money and time of the four stages; reads the corpus and asks no model."""
        from ragtester.estimate import estimate_run

        return estimate_run(self.workspace, self.settings, corpus)

    def doctor(self, *, probe: bool = False) -> list[Finding]:
        """What is installed, which keys are set, which servers and models answer, and how to mend each.

        With `probe` a target is asked one question.
        """
        from ragtester.doctor import examine

        return examine(self.workspace, self.settings, probe=probe)

    def import_suite(self, path: str | Path, options: ImportOptions | None = None) -> StageResult:
        """Cases and results of ragas, deepeval, promptfoo or a CSV become rows; `counts` says what was dropped."""
        from ragtester.interchange import ImportOptions, import_file

        return import_file(self.workspace, self.settings, self.progress, Path(path), options or ImportOptions())

    def export_suite(self, output: str | Path | None, options: ExportOptions) -> Exported:
        """Write a suite, or a run with its answers, for another tool; with `output` None only its text is made."""
        from ragtester.interchange import export, export_traces

        path = None if output is None else Path(output)
        make = export_traces if options.format == "traces" else export
        found = make(self.workspace, self.settings, options, path)
        if path is not None:
            write_text(path, [found.text])
        return found

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
        from ragtester.pipeline import check_model

        for name in self.settings.audit.panel:
            check_model(name, self.settings)

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
        from ragtester.pipeline import AUDIT, check_model, check_models, run_audit
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
        from ragtester.pipeline import check_model, run_audit
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
        from ragtester.pipeline import CLAIMS, check_models
        from ragtester.repeats import check_repeats, run_repeats

        check_repeats(self.settings, repeat)
        stages = (CLAIMS, "execute", "judge") if repeat > 1 else (CLAIMS,)
        check_models(self.settings, stages, root=self.workspace.root)
        return wait_for(run_repeats(self.workspace, self.settings, self.progress, repeat, overwrite=overwrite))

    def estimate_claims(self, *, repeat: int = 1) -> Document:
        """Calls, tokens and money that `audit_claims` would still need for the run as it stands; asks no model."""
        from ragtester.pipeline import CLAIMS, check_models, open_gateway
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
        from ragtester.pipeline import check_model
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

    def audit_stability(
        self, repeats: int = 5, *, sample: int | None = None, seed: int | None = None, overwrite: bool = False
    ) -> StageResult:
        """Judge answers of the run `repeats` times; figures in `audits/<run>/stability/result.json`.

        `sample` None: Cochran's size; 0: every answer whose verdict needed the judge. `seed` None: the workspace's.
        """
        from ragtester.pipeline import check_models, run_audit
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
        from ragtester.pipeline import check_models, open_gateway
        from ragtester.stages import stability
        from ragtester.tasks import JUDGE_ANSWER

        check_models(self.settings, ("judge",), keys=False)
        wanted = stability.Repetition(repeats, sample, self._seed(seed))
        with self.workspace.lock():
            prompt = open_gateway(self.workspace, self.settings, "stability").prompt_sha256(JUDGE_ANSWER)
            return stability.make_plan(self.workspace, self.settings, prompt, wanted).quote()

    def audit_calibrate(self, labels: str | Path, *, folds: int = 5, seed: int | None = None) -> CalibrationResult:
        """The run's verdicts against people's labels in a CSV or JSON Lines file; asks no model, changes no verdict."""
        from ragtester.stages import calibration

        with self.workspace.lock():
            return calibration.run(self.workspace, self.settings, Path(labels), folds=folds, seed=self._seed(seed))

    def stability_result(self) -> StabilityResult | None:
        """What `audit_stability` last found for the run; None where it was never asked."""
        from ragtester.stages import stability

        return stability.read_result(self.workspace, self.settings.execute.run)

    def calibration_status(self) -> CalibrationStatus:
        """Whether people's labels vouch for the run's verdicts: fresh, stale with its reasons, or none."""
        from ragtester.stages.calibration import calibration_status

        return calibration_status(self.workspace, self.settings.execute.run)

    def label_sheet(self, path: str | Path, *, sample: int | None = None, seed: int | None = None) -> int:
        """Write a CSV of randomly drawn answers for people to label, without the verdicts; gives their number."""
        from ragtester.stages import calibration

        with self.workspace.lock():
            return calibration.write_sheet(self.workspace, self.settings, Path(path), sample, self._seed(seed))

    def experiment(
        self, source: str | Path | Mapping[str, Any] | Experiment, *, overwrite: bool = False, no_models: bool = False
    ) -> list[StageResult]:
        """Measure a baseline, variants and a grid of settings of the search; figures in `experiment_result(name)`.

        `source` is a TOML file (docs/experiments.md), or the same as a dictionary. With `no_models` an experiment that
        would ask a language model is refused. The last result is that of the experiment; before it come those of the
        variants' answers and verdicts, where the file asks for them.
        """
        from ragtester.experiments import prepare, run_experiment

        wanted = prepare(self.workspace, self.settings, _experiment(source), overwrite=overwrite, no_models=no_models)
        return wait_for(run_experiment(self.workspace, self.progress, wanted))

    def sweep(
        self, name: str, axes: Mapping[str, Sequence[Any]], *, baseline: Mapping[str, Any] | None = None
    ) -> list[StageResult]:
        """Measure every combination of the values: `{"execute.k": [2, 4], "execute.index.chunk_size": [300, 900]}`."""
        sweep = {setting: list(values) for setting, values in axes.items()}
        return self.experiment({"name": name, "baseline": dict(baseline or {}), "sweep": sweep})

    def estimate_experiment(
        self, source: str | Path | Mapping[str, Any] | Experiment, *, no_models: bool = False
    ) -> Document:
        """Searches and requests to language models that an experiment would still make; asks nothing."""
        from ragtester.experiments import estimate_experiment, prepare

        wanted = prepare(self.workspace, self.settings, _experiment(source), no_models=no_models, keys=False)
        return estimate_experiment(self.workspace, self.progress, wanted)

    def experiment_result(self, name: str) -> tuple[ExperimentResult, ExperimentTimes] | None:
        """What an experiment found, and its times; None where it was never run."""
        from ragtester.stages.experiment import read_result

        return read_result(self.workspace, name)

    def audit_canary(self, runs: Sequence[str] = (), *, by_day: bool | None = None) -> CanaryResult:
        """Which arms the contexts of runs come from, over time, without labels; `alarm` says what fell silent.

        `runs` empty: all of the workspace but those of experiments and repeats. Those with the settings of the newest
        are compared, `left_out` says why others are not. `by_day` None: by run, and by day where there are many.
        """
        from ragtester.stages.experiment import canary

        return canary(self.workspace, runs, by_day=by_day)

    def drift(self, before: str, after: str) -> DriftResult:
        """What moved from one run to a later one of the same suite, and what to rule out first; asks no model.

        Writes `drift/<before>..<after>/`: the result, its tables, the strips of all questions, and plots.
        """
        from ragtester.stages import drift

        loaded = drift.Loaded(self.workspace, self.settings)
        result = drift.compare_loaded(loaded, before, after)
        story = drift.tell(loaded, (before, after), known=result)
        self._plot_drift(story.history, drift.write_result(self.workspace, result, story))
        return result

    def drift_history(self, runs: Sequence[str] = ()) -> DriftHistory:
        """Every figure and question over runs of one suite by date; `runs` empty: all of the settings' suite.

        Writes `drift/history/<suite>/`. Repeats, controls and runs of experiments are left out unless they are named.
        """
        from ragtester.stages import drift

        story = drift.read_history(self.workspace, self.settings, runs)
        self._plot_drift(story.history, drift.write_history(self.workspace, story))
        return story.history

    def _plot_drift(self, history: DriftHistory, folder: Path) -> None:
        """The plots; without matplotlib everything else stands, and one line says what is missing."""
        from ragtester.plots.drift import export_drift

        try:
            export_drift(history, folder)
        except MissingPackageError as error:
            self.progress.note(str(error))

    def gate(
        self, name: str = "", *, run: str = "", baseline: str = "", no_run: bool = False, overwrite: bool = False
    ) -> GateResult:
        """Make what is missing of the gate's run and layers and decide; files in `gates/<gate>/<run>/`.

        `name` empty: the only gate of the settings. `run` and `baseline` replace those of `[gates.NAME]`; with `no_run`
        nothing is made. A layer that cannot be made closes the gate. Raises UsageError for a gate that is not set.
        """
        from ragtester import gates

        wanted = gates.Wanted(run, baseline, no_run, overwrite)
        asked = gates.choose(self.settings, name, wanted)
        own = copy(self)
        own.settings = asked.settings
        return gates.decide(self.workspace, asked, own, wanted)

    def gate_result(self, name: str, run: str = "") -> GateResult | None:
        """What a gate decided last about a run (`run` empty: that of the settings); None where it was never asked."""
        from ragtester.gates import read_result

        return read_result(self.workspace, name, run or self.settings.execute.run)

    def _seed(self, seed: int | None) -> int:
        return self.settings.workspace.seed if seed is None else seed

    def compare(self, runs: Sequence[str] = (), *, baseline: str = "baseline") -> Document:
        """Ranking of systems, RQ1 to RQ4, the matrix of failures and what is behind them; `runs` empty: the settings'.

        `baseline` is the technique that the others are compared with. `ragtester.tables` renders the document.
        """
        from ragtester.results import load_results
        from ragtester.stages.calibration import calibration_status
        from ragtester.stages.compare import compare, read_side
        from ragtester.stages.precision import precision_staleness

        names = list(dict.fromkeys(runs)) or [self.settings.execute.run]
        results = load_results(self.workspace, names, self.settings.workspace.suite)
        found = [calibration_status(self.workspace, run.name, results) for run in results.runs]
        held = {status.text: status.state == "fresh" for status in found if status.text}
        audits = {run.name: precision_staleness(self.workspace, run.name, results) for run in results.runs}
        side = read_side(self.workspace, results, held, audits, self.settings.workspace.seed)
        return compare(results, baseline, side)

    def report(self, path: Path | None = None, megabytes: float = 3.0, **files: Path | None) -> Written:
        """Write the run's HTML page (`reports/<run>/report.html`, or `path`), at most `megabytes` large.

        `files` are written too: `junit`, `csv`, `parquet` (a file each) and `plots` (a folder of PNG and SVG).
        """
        from ragtester.report import write_all
        from ragtester.results import load_results

        results = load_results(self.workspace, [self.settings.execute.run], self.settings.workspace.suite)
        return write_all(self.workspace, results, path, megabytes, files)

    def iter_cases(self) -> Iterator[Case | UnfilledCase]:
        """Every case row of the suite, technique by technique and document by document."""
        for path in sorted(self.workspace.suite(self.settings.workspace.suite).glob("*/*.jsonl")):
            yield from iter_rows(path, CaseRow)

    def iter_answers(self) -> Iterator[Answer]:
        """Every answer of the run, document by document and system by system."""
        for path in answer_files(self.workspace, self.settings.execute.run)[0]:
            yield from iter_rows(path, Answer)

    def iter_verdicts(self) -> Iterator[Verdict]:
        """Every verdict of the run, document by document and system by system."""
        for path in verdict_files(self.workspace, self.settings.execute.run):
            yield from iter_rows(path, Verdict)

    def _one(self, stage: str, options: Options) -> StageResult:
        return self._run((stage,), options)[0]

    def _run(self, stages: Sequence[str], options: Options) -> list[StageResult]:
        work = run_stages(self.workspace, self.settings, self.progress, stages=stages, options=options)
        return wait_for(work)


def _experiment(source: str | Path | Mapping[str, Any] | Experiment) -> Experiment:
    from ragtester.stages.experiment import Experiment, parse_experiment, read_experiment

    if isinstance(source, Experiment):
        return source
    if isinstance(source, Mapping):
        return parse_experiment(source, "experiment")
    return read_experiment(Path(source))


def load_environment(root: Path) -> None:
    """Take keys from `root/.env` where the environment does not have them already."""
    path = root / ".env"
    if path.is_file():
        from dotenv import load_dotenv

        try:
            load_dotenv(path, override=False)
        except UnicodeDecodeError as error:
            raise UsageError(f"{path}: not UTF-8; write it again as UTF-8 text") from error

"""What compares: experiments, drift, the gate, systems and techniques, the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtester.api.fixtures import Fixtures
from ragtester.api.layers import Audits
from ragtester.api.stages import Stages
from ragtester.errors import MissingPackageError
from ragtester.progress import StageResult
from ragtester.waiting import wait_for

if TYPE_CHECKING:
    from ragtester.records import (
        CanaryResult,
        DriftHistory,
        DriftResult,
        ExperimentResult,
        ExperimentTimes,
        GateResult,
    )
    from ragtester.report import Written
    from ragtester.stages.experiment import Experiment
    from ragtester.tables import Document


class Study(Stages, Audits, Fixtures):
    """What compares settings, runs and systems."""

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
        asked = gates.choose(self.settings, name, wanted, self.workspace.root)
        own = copy(self)
        own.settings = asked.settings
        return gates.decide(self.workspace, asked, own, wanted)

    def gate_result(self, name: str, run: str = "") -> GateResult | None:
        """What a gate decided last about a run (`run` empty: that of the settings); None where it was never asked."""
        from ragtester.gates import read_result

        return read_result(self.workspace, name, run or self.settings.execute.run)

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


def _experiment(source: str | Path | Mapping[str, Any] | Experiment) -> Experiment:
    from ragtester.stages.experiment import Experiment, parse_experiment, read_experiment

    if isinstance(source, Experiment):
        return source
    if isinstance(source, Mapping):
        return parse_experiment(source, "experiment")
    return read_experiment(Path(source))

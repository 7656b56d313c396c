"""Any number of runs of one suite over time. Reads files and writes none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragtester.errors import UsageError
from ragtester.records import (
    CLOSED_BOOK_SUFFIX,
    CONFLICTS_SUFFIX,
    DriftHistory,
    DriftResult,
    HistoryRun,
    Manifest,
    Strip,
)
from ragtester.runs import answer_files, repeated_run
from ragtester.settings import Settings, if_absent
from ragtester.stages.drift.changed_models import served
from ragtester.stages.drift.compare import Loaded, compare_loaded
from ragtester.stages.drift.levels import levels
from ragtester.stages.drift.rows import RunData
from ragtester.stages.drift.strips import Strips, flipped
from ragtester.storage import read_json
from ragtester.workspace import Workspace, slug


@dataclass(frozen=True)
class Story:
    """A history, and the strips of all questions: the history itself holds those that flipped."""

    history: DriftHistory
    strips: Sequence[Strip]


def read_history(workspace: Workspace, settings: Settings, runs: Sequence[str] = ()) -> Story:
    """The runs by date; `runs` empty: all of the settings' suite but repeats, controls and those of experiments.

    Raises UsageError where runs are of several suites or there is none, and DataError.
    """
    default = settings.workspace.suite
    if runs:
        names, left_out = list(dict.fromkeys(runs)), dict[str, str]()
        suites = {name: _suite(workspace, name, default) for name in names}
        if len(set(suites.values())) > 1:
            told = ", ".join(f"{name} of {suite}" for name, suite in suites.items())
            raise UsageError(f"runs of different suites have no question in common: {told}")
    else:
        names, left_out = _all_runs(workspace, default)
    names.sort(key=lambda name: (_started(workspace, name), name))
    return tell(Loaded(workspace, settings), names, left_out)


def tell(
    loaded: Loaded,
    names: Sequence[str],
    left_out: Mapping[str, str] | None = None,
    known: DriftResult | None = None,
) -> Story:
    """The history of these runs in this order; `known` is a comparison that was made already."""
    found: list[HistoryRun] = []
    strips, suite = Strips(), ""
    for place, name in enumerate(names):
        run = loaded.run(name)
        suite = suite or run.suite
        strips.take(run)
        before = names[place - 1] if place else ""
        found.append(_with_change(loaded, _of_run(loaded, run), before, known))
        if place > 1:
            loaded.forget(names[place - 2])
    every = strips.all()
    history = DriftHistory(
        suite=suite,
        runs=tuple(found),
        strips=flipped(every),
        left_out=dict(left_out or {}),
        breached=found[-1].breached,
        notes=(f"{len(every)} questions and systems; those that flipped are listed, all of them in history.csv",),
    )
    return Story(history, every)


def _of_run(loaded: Loaded, run: RunData) -> HistoryRun:
    models = []
    for llm in dict.fromkeys(llm for llm, _ in run.systems):
        told = [name for name in served(run, llm) if name != llm]
        models.append(f"{llm} ({', '.join(told)})" if told else llm)
    return HistoryRun(
        run=run.name,
        started=run.started,
        answers=sum(row.said is not None for row in run.rows.values()),
        models=tuple(models),
        figures=tuple(levels(run, loaded.settings.workspace.seed)),
    )


def _with_change(loaded: Loaded, run: HistoryRun, before: str, known: DriftResult | None) -> HistoryRun:
    """The run with what moved since the one before it; a run without a common question says so and goes on."""
    if not before:
        return run
    try:
        is_known = known is not None and (known.before, known.after) == (before, run.run)
        result = known if is_known and known is not None else compare_loaded(loaded, before, run.run)
    except UsageError as error:
        return run.model_copy(update={"notes": (str(error),)})
    changes = {one.name: one for one in result.moved}
    figures = tuple(one.model_copy(update={"change": changes.get(one.name)}) for one in run.figures)
    return run.model_copy(
        update={
            "figures": figures,
            "pairs": result.pairs,
            "only_before": result.only_before,
            "only_after": result.only_after,
            "breached": result.breached,
            "causes": tuple(cause.text for cause in result.causes),
            "explanation": result.explanation,
            "floating": result.floating,
            "unpinned": result.unpinned,
            "notes": (*result.apart, *result.notes),
        }
    )


def _all_runs(workspace: Workspace, suite: str) -> tuple[list[str], dict[str, str]]:
    """Runs of the suite, and why each of the others is left out."""
    experiments = dict(_experiments(workspace))
    names: list[str] = []
    left_out: dict[str, str] = {}
    for path in sorted((workspace.root / "answers").glob("*/manifest.json")):
        made = read_json(path, Manifest)
        if made is None:
            continue
        name = made.name if slug(made.name) == path.parent.name else path.parent.name
        why = _why_not(workspace, name, made, suite, experiments)
        if why:
            left_out[name] = why
        else:
            names.append(name)
    if not names:
        raise UsageError(
            f"{workspace.root / 'answers'}: no run of the suite {suite}; make one first (ragtester execute)"
            f"{if_absent(workspace.root)}"
        )
    return names, left_out


def _why_not(workspace: Workspace, name: str, made: Manifest, suite: str, experiments: Mapping[str, str]) -> str:
    own = _suite(workspace, name, suite)
    repeated = repeated_run(name)
    if name.endswith(CLOSED_BOOK_SUFFIX) or made.parameters.get("closed_book"):
        return "a closed-book control"
    if repeated:
        return f"a repeat of {repeated}"
    if name.endswith(CONFLICTS_SUFFIX):
        return "the run under the instruction to surface contradicting evidence"
    if name in experiments:
        return f"made by the experiment {experiments[name]}"
    if own != suite:
        return f"of the suite {own}"
    return "" if answer_files(workspace, name)[0] else "it holds no answers"


def _experiments(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Runs that experiments made, each with its experiment."""
    for path in sorted((workspace.root / "experiments").glob("*/manifest.json")):
        made = read_json(path, Manifest)
        for run in made.parameters.get("runs", ()) if made else ():
            yield run, made.name if made else ""


def _manifests(workspace: Workspace, run: str) -> Iterator[Manifest]:
    for folder in (workspace.verdicts(run), workspace.answers(run)):
        made = read_json(Path(folder) / "manifest.json", Manifest)
        if made is not None:
            yield made


def _suite(workspace: Workspace, run: str, default: str) -> str:
    told = [str(made.parameters["suite"]) for made in _manifests(workspace, run) if "suite" in made.parameters]
    return told[-1] if told else default


def _started(workspace: Workspace, run: str) -> str:
    made = read_json(workspace.answers(run) / "manifest.json", Manifest)
    return made.started if made else ""

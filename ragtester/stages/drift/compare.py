"""Two runs side by side: figures, flips, causes. Reads files and writes none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ragtester.errors import UsageError
from ragtester.records import DriftResult, Moved
from ragtester.runs import repeats_of
from ragtester.settings import DriftSettings, Settings
from ragtester.stages.drift.by_system import by_system
from ragtester.stages.drift.causes import causes, find_changes
from ragtester.stages.drift.changed import listed
from ragtester.stages.drift.edited import changed_cases
from ragtester.stages.drift.explaining import explain
from ragtester.stages.drift.figure_values import FIGURES
from ragtester.stages.drift.figures import moved, valued
from ragtester.stages.drift.flips import draws_order, flips, walk, ways
from ragtester.stages.drift.noise import Repeats, band, flips_by_noise, noisy_places
from ragtester.stages.drift.pairing import Pairing, pair_runs
from ragtester.stages.drift.pinning import floating, unpinned
from ragtester.stages.drift.reading import read_run
from ragtester.stages.drift.rows import RunData
from ragtester.stages.drift.thresholds import judged
from ragtester.stages.proportions import proportion
from ragtester.statistics import holm
from ragtester.workspace import Workspace

_LEVEL = 0.05
_AUDITS = {
    "claims": ("claims", "ragtester audit claims"),
    "retrieval": ("queries", "ragtester audit retrieval"),
    "coverage": ("coverage", "ragtester audit coverage"),
}


@dataclass
class Loaded:
    """Runs that were read, each once, with their repeats."""

    workspace: Workspace
    settings: Settings
    _runs: dict[str, RunData] = field(default_factory=dict)
    _repeats: dict[str, list[str]] = field(default_factory=dict)

    def run(self, name: str) -> RunData:
        """One run. Raises UsageError for a run without answers, and DataError."""
        if name not in self._runs:
            self._runs[name] = read_run(self.workspace, name, self.settings.workspace.suite)
        return self._runs[name]

    def with_repeats(self, name: str) -> tuple[list[RunData], list[str]]:
        """The run, then its repeats; and which of them are none, for something else changed with them."""
        if name not in self._repeats:
            self._repeats[name] = repeats_of(self.workspace, name)
        base = self.run(name)
        found, others = [base], []
        for one in self._repeats[name]:
            repeat = self.run(one)
            changes = find_changes(base, repeat, {system: system for system in base.systems})
            if changes:
                others.append(f"{one} says nothing of noise, for more than chance is in it: {changes[0].text}")
            else:
                found.append(repeat)
        return found, others

    def forget(self, name: str) -> None:
        """Let a run and its repeats go."""
        for one in (name, *self._repeats.get(name, ())):
            self._runs.pop(one, None)


def compare_runs(workspace: Workspace, settings: Settings, before: str, after: str) -> DriftResult:
    """What moved from one run of a suite to another, and what is to be ruled out first. Writes nothing.

    Raises UsageError for a run compared with itself, without answers, of another suite or without a common question,
    and DataError for files that do not hold what they should.
    """
    return compare_loaded(Loaded(workspace, settings), before, after)


def compare_loaded(loaded: Loaded, before: str, after: str) -> DriftResult:
    """The same, of runs that may have been read already."""
    if before == after:
        raise UsageError(f"drift of {before} with itself: name two runs")
    one, two = loaded.run(before), loaded.run(after)
    if one.suite != two.suite:
        raise UsageError(f"{before} is of the suite {one.suite} and {after} of {two.suite}: no question is the same")
    pairing = pair_runs(one, two, changed_cases(loaded.workspace, one, two))
    if not pairing.pairs:
        raise UsageError(f"{before} and {after} have no answer to a common question{_excluded(pairing)}")
    return _result(loaded, pairing, one, two)


def _excluded(pairing: Pairing) -> str:
    told = "; ".join([*(f"{count}: {why}" for why, count in pairing.excluded.items()), *pairing.notes])
    return f" ({told})" if told else ""


def _result(loaded: Loaded, pairing: Pairing, one: RunData, two: RunData) -> DriftResult:
    settings = loaded.settings
    (earlier, no_repeats), (later, more) = loaded.with_repeats(one.name), loaded.with_repeats(two.name)
    repeats = earlier, later
    figures = _moved(pairing, one, two, repeats, settings.drift, settings.workspace.seed)
    walked = walk(pairing, one, two, (noisy_places(repeats[0]), noisy_places(repeats[1])))
    graded = sum({pair.one.status, pair.two.status} <= {"pass", "fail"} for pair in pairing.pairs)
    flipped = sum(what == "verdict" for each in walked for what, _, _ in each.whats)
    changes = find_changes(one, two, pairing.systems)
    found = causes(changes, walked, [figure.name for figure in figures])
    moving = [figure.name for figure in figures if _is_moving(figure)]
    answering = listed(list(dict.fromkeys(llm for llm, _ in pairing.systems.values())))
    noise_runs = [run.name for side in repeats for run in side[1:]]
    return DriftResult(
        before=one.name,
        after=two.name,
        suite=one.suite,
        before_started=one.started,
        after_started=two.started,
        pairs=len(pairing.pairs),
        only_before=pairing.only_before,
        only_after=pairing.only_after,
        excluded=dict(pairing.excluded),
        apart=tuple(pairing.notes),
        moved=tuple(figures),
        flipped=proportion(flipped, graded),
        noise_flipped=flips_by_noise(pairing, repeats),
        flips=flips(walked, pairing, one, two),
        ways=ways(walked),
        causes=found,
        explanation=explain(found, changes, walked, moving, answering, drawn=draws_order(one, two)),
        floating=floating(one, two),
        unpinned=unpinned(one, two),
        not_measured=tuple(_not_measured(figures, one, two)),
        noise_runs=tuple(noise_runs),
        breached=any(figure.breach for figure in figures),
        notes=tuple(dict.fromkeys([*no_repeats, *more, *_told_k(one, two), *one.notes, *two.notes])),
        settings=settings.drift.model_dump(mode="json"),
    )


def _moved(
    pairing: Pairing, one: RunData, two: RunData, repeats: Repeats, settings: DriftSettings, seed: int
) -> list[Moved]:
    found = []
    for figure in FIGURES:
        values = valued(figure, pairing, one, two)
        record = moved(figure, values, seed)
        if record is not None:
            record = judged(figure, record.model_copy(update={"band": band(figure, values, repeats)}), settings)
            systems = by_system(figure, pairing, (one, two), repeats, settings, seed)
            breach = record.breach or any(each.breach for each in systems)
            found.append(record.model_copy(update={"systems": systems, "breach": breach}))
    corrected = holm({record.name: record.p for record in found if record.p is not None})
    return [record.model_copy(update={"holm": round(corrected[record.name], 9)}) for record in found]


def _is_moving(figure: Moved) -> bool:
    """Whether a figure is worth explaining: past its threshold, or told from chance and from noise."""
    significant = figure.p is not None and figure.p < _LEVEL
    return figure.breach or (significant and not figure.within_noise)


def _not_measured(figures: Sequence[Moved], one: RunData, two: RunData) -> Iterator[str]:
    """A line for each layer or figure that has no comparison."""
    there = {figure.name for figure in figures}
    if "pass_rate" not in there:
        yield "pass rate: not measured; no answer is graded in both runs (ragtester judge)"
    for layer, (attribute, command) in _AUDITS.items():
        absent = [run.name for run in (one, two) if getattr(run, attribute) is None]
        if absent:
            yield f"{layer}: not measured; {' and '.join(absent)} lack{'s' * (len(absent) == 1)} it ({command})"
        elif not any(figure.layer == layer for figure in figures):
            yield f"{layer}: not measured; no question has a value in both runs"
    for name in ("latency", "cost"):
        if name not in there:
            yield f"{name}: not measured; no model server told it for both runs"


def _told_k(one: RunData, two: RunData) -> Iterator[str]:
    was, now = one.parameters.get("k"), two.parameters.get("k")
    if was != now and was is not None and now is not None and one.queries is not None and two.queries is not None:
        yield f"retrieval is measured at K = {was} before and K = {now} after: more chunks find more"

"""A canary without labels: which arms the contexts of runs come from, over time; an alarm when BM25 falls silent.

Runs are compared where they search alike: a change of settings is no alarm, and other settings have other shares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragtester.errors import UsageError
from ragtester.provenance import row_key
from ragtester.records import NO_RETRIEVAL, Answer, CanaryResult, Manifest, SourceShares, Trace
from ragtester.runs import answer_files, asked_fixtures, no_answers, repeated_run
from ragtester.searching.measure import context_arms
from ragtester.settings import if_absent
from ragtester.stages.experiment.canary_alarm import with_alarms
from ragtester.stages.experiment.overlay import shown
from ragtester.stages.proportions import proportion
from ragtester.storage import iter_rows, read_json
from ragtester.tasks import RANK_PASSAGES, REWRITE_QUERY
from ragtester.workspace import Workspace, slug

MOST_RUNS = 14
"""More runs than these are put together by day."""
NAMED = 3
"""Settings that tell why a run is left out."""

_UNSHOWN = {
    "version": "the version of the chunker",
    "tokenizer": "the tokenizer",
    "models": "models on the query path",
    "vectors": "embedding models or their options",
    "reranker": "the reranker's files",
    REWRITE_QUERY.name: "the prompt of the rewrite",
    RANK_PASSAGES.name: "the prompt of the rerank",
}
"""What a reason for leaving a run out names without its values."""


@dataclass
class _Tally:
    """Chunks of contexts by the arms that found them, and queries by the arms that were asked and gave something."""

    runs: list[str] = field(default_factory=list)
    started: str = ""
    queries: int = 0
    chunks: Counter[tuple[str, ...]] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    hits: Counter[str] = field(default_factory=Counter)
    feeds: Counter[str] = field(default_factory=Counter)
    questions: set[str] = field(default_factory=set)
    configuration: dict[str, Any] = field(default_factory=dict)
    """What its manifest says of the search, setting by setting; empty without one."""

    def add(self, other: _Tally) -> None:
        """Put another run into this period."""
        self.runs += other.runs
        self.started = self.started or other.started
        self.queries += other.queries
        self.questions |= other.questions
        self.chunks.update(other.chunks)
        self.asked.update(other.asked)
        self.hits.update(other.hits)
        self.feeds.update(other.feeds)

    def take(self, trace: Trace, arms: Sequence[str]) -> None:
        """Count one query; `arms` are those that its run asks."""
        self.queries += 1
        found = {one.arm for one in trace.retrieved}
        self.asked.update({*arms, *found})
        self.hits.update(found)
        brought = context_arms(trace)
        self.feeds.update(arm for each in brought for arm in set(each))
        self.chunks.update(tuple(sorted(each)) for each in brought if each)

    def shares(self, period: str) -> SourceShares:
        """The period's record, without its alarm."""
        total = self.chunks.total()
        return SourceShares(
            period=period,
            runs=tuple(self.runs),
            started=self.started,
            queries=self.queries,
            chunks=total,
            dense_only=proportion(self.chunks["dense",], total),
            bm25_only=proportion(self.chunks["bm25",], total),
            both=proportion(self.chunks["bm25", "dense"], total),
            asked=dict(sorted(self.asked.items())),
            hits=dict(sorted(self.hits.items())),
            feeds=dict(sorted(self.feeds.items())),
        )


def canary(workspace: Workspace, runs: Sequence[str] = (), *, by_day: bool | None = None) -> CanaryResult:
    """Shares of fusion sources by run, or by day (None: where there are many runs), oldest first.

    No label and no verdict is read. `runs` empty: every run of the workspace but those of experiments. Of them those
    count that search as the newest does (arms, fusion, K, index, embedding models); `left_out` names the others. Raises
    UsageError where there is none, and DataError.
    """
    names, left_out = (list(dict.fromkeys(runs)), dict[str, str]()) if runs else _all_runs(workspace)
    tallies = sorted((_read(workspace, run) for run in names), key=lambda one: (one.started, one.runs))
    newest = tallies[-1].configuration
    for tally in tallies:
        if tally.configuration != newest:
            left_out[tally.runs[0]] = differences(tally.configuration, newest)
    tallies = [tally for tally in tallies if tally.configuration == newest]
    daily = len(tallies) > MOST_RUNS if by_day is None else by_day
    periods: dict[str, _Tally] = {}
    for tally in tallies:
        name = (tally.started[:10] or "unknown day") if daily else tally.runs[0]
        periods.setdefault(name, _Tally()).add(tally)
    found = with_alarms([tally.shares(name) for name, tally in periods.items()])
    notes = []
    if len(set[str]().union(*(tally.questions for tally in tallies))) > 1:
        notes.append("the runs do not ask the same questions, and other questions have other shares")
    if all(len(period.asked) < 2 for period in found):
        notes.append("no run asks two arms: there are no fusion sources to watch")
    return CanaryResult(periods=tuple(found), alarm=found[-1].alarm, left_out=left_out, notes=tuple(notes))


def _all_runs(workspace: Workspace) -> tuple[list[str], dict[str, str]]:
    """Every run of the workspace; apart those of experiments, which search as nobody is, repeats and fixtures."""
    names = []
    for path in sorted((workspace.root / "answers").glob("*/manifest.json")):
        made = read_json(path, Manifest)
        if made is not None and not made.parameters.get("closed_book"):
            names.append(_name(path.parent, made))
    experiments: dict[str, str] = {}
    for path in sorted((workspace.root / "experiments").glob("*/manifest.json")):
        made = read_json(path, Manifest)
        if made is not None:
            experiments |= dict.fromkeys(made.parameters.get("runs", ()), made.name)
    left_out = {name: f"made by the experiment {experiments[name]}" for name in names if name in experiments}
    left_out |= {name: f"a repeat of {base}" for name in names if (base := repeated_run(name)) in names}
    left_out |= {name: f"the fixtures of {base}" for name in names if (base := asked_fixtures(name)) is not None}
    names = [name for name in names if name not in left_out]
    if not names:
        told = f"no run to look at; make one first (ragtester execute){if_absent(workspace.root)}"
        raise UsageError(f"{workspace.root / 'answers'}: {told}")
    return names, left_out


def _name(folder: Path, manifest: Manifest) -> str:
    """A run's own name; of a folder that was copied or renamed the folder's, under which alone it is found."""
    return manifest.name if slug(manifest.name) == folder.name else folder.name


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What a run's search has otherwise than the newest: `arms were dense+bm25 and are dense now`."""
    if not before or not now:
        return "its search or that of the newest run is not known (no manifest)"
    # Fields of an arm that only one of them has are told with the arm.
    known = [name for name in dict.fromkeys((*before, *now)) if "." not in name or (name in before and name in now)]
    names = [name for name in known if before.get(name) != now.get(name)]
    told = [_difference(name, before.get(name), now.get(name)) for name in names[:NAMED]]
    return "; ".join([*told, *(["…"] if len(names) > NAMED else [])])


def _difference(name: str, was: Any, now: Any) -> str:
    """A setting with both its values; of what is no setting (hashes, versions, options of models) that it changed."""
    if name in _UNSHOWN:
        return f"{_UNSHOWN[name]} changed"
    return f"{name}: {shown(was)}, now {shown(now)}"


def _read(workspace: Workspace, run: str) -> _Tally:
    """Count a run: each case once an embedding model, for its LLMs share what was retrieved."""
    files = answer_files(workspace, run)[0]
    if not files:
        raise no_answers(workspace, run)
    manifest = read_json(workspace.answers(run) / "manifest.json", Manifest)
    if manifest is not None:
        run = _name(workspace.answers(run), manifest)
    parameters = manifest.parameters if manifest else {}
    arms = [str(arm["kind"]) for arm in parameters.get("retrieval", {}).get("arms", ())]
    tally = _Tally([run], manifest.started if manifest else "", configuration=_configuration(parameters))
    if manifest is not None:
        tally.questions.add(
            row_key(**{name: one for name, one in manifest.inputs.items() if name.startswith("cases ")})
        )
    seen: set[tuple[str, str, str]] = set()
    for path in files:
        for row in iter_rows(path, Answer):
            place = row.embedding, row.technique, row.case_id
            if row.trace is not None and row.embedding != NO_RETRIEVAL and place not in seen:
                seen.add(place)
                tally.take(row.trace, arms)
    return tally


def _configuration(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What a run's contexts depend on besides texts and questions, setting by setting."""
    found: dict[str, Any] = {name: parameters[name] for name in ("k", "scope") if name in parameters}
    found |= {**parameters.get("chunker", {}), **parameters.get("retrieval", {})}
    arms = found.pop("arms", [])
    found["arms"] = [arm["kind"] for arm in arms]
    found |= {f"{arm['kind']}.{name}": value for arm in arms for name, value in arm.items() if name != "kind"}
    models = parameters.get("embeddings", {})
    return {**found, "embedding models": list(models), "vectors": models} if models else found

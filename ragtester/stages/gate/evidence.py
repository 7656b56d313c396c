"""What a gate decides on, read from the files of a run and its layers. Nothing is made, nothing is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from ragtester.errors import DataError, UsageError
from ragtester.judgement import answer_hashes
from ragtester.provenance import sha256_file
from ragtester.records import (
    CLOSED_BOOK_SUFFIX,
    NO_RETRIEVAL,
    AdversarialResult,
    Answer,
    ClaimsResult,
    CoverageResult,
    Layer,
    Manifest,
    Record,
    RetrievalResult,
)
from ragtester.results import Results, RunInfo, load_results
from ragtester.runs import answer_files
from ragtester.settings import GateSettings, Settings
from ragtester.storage import iter_rows, read_json
from ragtester.workspace import Workspace

R = TypeVar("R", bound=Record)
T = TypeVar("T")
Identity = tuple[str, str]
"""Technique and case id."""


@dataclass(frozen=True)
class Asked:
    """The gate that is to decide. `settings` are those of its run: `[execute] run` is the run's name."""

    name: str
    gate: GateSettings
    settings: Settings
    baseline: str = ""

    @property
    def run(self) -> str:
        """The run that is decided on."""
        return self.settings.execute.run

    @property
    def layers(self) -> tuple[Layer, ...]:
        """All layers in their order; the run itself is always among them."""
        return ("run", *(layer for layer in self.gate.layers if layer != "run"))


@dataclass(frozen=True)
class LayerFiles(Generic[R]):
    """The figures of one layer and its manifest, None where they are not there; `fault` where they cannot be read.

    `edited` are files that are no longer as the audit wrote them, by its manifest.
    """

    result: R | None = None
    made: Manifest | None = None
    fault: str = ""
    edited: tuple[str, ...] = ()


@dataclass(frozen=True)
class Baseline:
    """What a comparison with an earlier run needs to know of it.

    `answers` are hashes of its answers by system; `missing` says why rows of its cases are not there, and how
    many.
    """

    name: str
    cases: frozenset[Identity] = frozenset()
    executed: Manifest | None = None
    judged: Manifest | None = None
    fault: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, int] = field(default_factory=dict)
    layers: Mapping[Layer, LayerFiles[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Evidence:
    """What stands in the files. `answers` are hashes of the answers by system.

    `results` None: there are none, and `fault` says why. `fixture_runs` are the manifests of the runs in which the
    fixtures were asked. `faults` are layers that could not be made.
    """

    results: Results | None = None
    fault: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)
    unknown_files: tuple[str, ...] = ()
    claims: LayerFiles[ClaimsResult] = LayerFiles()
    adversarial: LayerFiles[AdversarialResult] = LayerFiles()
    coverage: LayerFiles[CoverageResult] = LayerFiles()
    retrieval: LayerFiles[RetrievalResult] = LayerFiles()
    fixture_runs: Mapping[str, Manifest | None] = field(default_factory=dict)
    baseline: Baseline | None = None
    faults: Mapping[Layer, str] = field(default_factory=dict)

    @property
    def info(self) -> RunInfo | None:
        """The run's manifests."""
        return self.results.runs[0] if self.results else None


def read_evidence(workspace: Workspace, asked: Asked, faults: Mapping[Layer, str] | None = None) -> Evidence:
    """Everything on disk that the gate asks for. What cannot be read is a fault of its layer, never an exception."""
    run = asked.run
    results, fault = _tried(lambda: load_results(workspace, [run], asked.settings.workspace.suite))
    adversarial = _layer(workspace.adversarial(run), AdversarialResult)
    return Evidence(
        results=results,
        fault=fault,
        answers=answer_hashes(answer_files(workspace, run)[0]) if results else {},
        unknown_files=_unknown_files(workspace, results, asked.settings) if results else (),
        **_audits(workspace, run),
        adversarial=adversarial,
        fixture_runs=_fixture_runs(workspace, adversarial.made),
        baseline=_baseline(workspace, asked) if asked.baseline else None,
        faults=dict(faults or {}),
    )


def _tried(read: Callable[[], T]) -> tuple[T | None, str]:
    try:
        return read(), ""
    except (DataError, UsageError) as error:
        return None, " ".join(str(error).split())


def _layer(folder: Path, schema: type[R]) -> LayerFiles[R]:
    result, fault = _tried(lambda: read_json(folder / "result.json", schema))
    made, second = _tried(lambda: read_json(folder / "manifest.json", Manifest))
    outputs = made.outputs.items() if made else ()
    edited = tuple(name for name, digest in outputs if _hash(folder / Path(name).name) != digest)
    return LayerFiles(result, made, fault or second, edited)


def _hash(path: Path) -> str:
    return sha256_file(path) if path.is_file() else ""


def _audits(workspace: Workspace, run: str) -> dict[Layer, LayerFiles[Any]]:
    """The audits that a comparison reads, too."""
    return {
        "claims": _layer(workspace.claims_audit(run), ClaimsResult),
        "coverage": _layer(workspace.coverage_audit(run), CoverageResult),
        "retrieval": _layer(workspace.retrieval_audit(run), RetrievalResult),
    }


def _fixture_runs(workspace: Workspace, made: Manifest | None) -> dict[str, Manifest | None]:
    """The runs that the manifest of the fixtures' results names."""
    names = [str(name) for name in made.parameters.get("runs") or ()] if made else []
    return {name: _executed(workspace, name)[0] for name in names}


def _executed(workspace: Workspace, run: str) -> tuple[Manifest | None, str]:
    """The manifest of a run's answers, and why it cannot be read."""
    return _tried(lambda: read_json(workspace.answers(run) / "manifest.json", Manifest))


def _baseline(workspace: Workspace, asked: Asked) -> Baseline:
    name = asked.baseline
    executed, first = _executed(workspace, name)
    judged, second = _tried(lambda: read_json(workspace.verdicts(name) / "manifest.json", Manifest))
    cases, third = _tried(lambda: _cases(workspace, name))
    fault = first or second or third
    if not fault and not cases:
        fault = f"there are no answers of it; {_known(workspace, name)}"
    if fault or not cases or "drift" not in asked.layers:
        return Baseline(name, cases or frozenset(), executed, judged, fault)
    results, fault = _tried(lambda: load_results(workspace, [name], asked.settings.workspace.suite))
    rows = results.open_book if results else ()
    return Baseline(
        name,
        cases,
        executed,
        judged,
        fault,
        answer_hashes(answer_files(workspace, name)[0]),
        Counter(row.reason for row in rows if row.status == "missing" and (row.technique, row.case_id) in cases),
        _audits(workspace, name),
    )


def _cases(workspace: Workspace, run: str) -> frozenset[Identity]:
    """Techniques and case ids of a run's answers."""
    files = answer_files(workspace, run)[0]
    rows = (row for path in files for row in iter_rows(path, Answer))
    return frozenset((row.technique, row.case_id) for row in rows if row.embedding != NO_RETRIEVAL)


def _known(workspace: Workspace, name: str) -> str:
    """The runs that there are, for a name that is none of them."""
    from ragtester.settings.nearest import did_you_mean

    known = sorted(path.parent.name for path in (workspace.root / "answers").glob("*/manifest.json"))
    known = [one for one in known if not one.endswith(CLOSED_BOOK_SUFFIX)]
    return did_you_mean(name, known).removeprefix("; ") or f"runs here: {', '.join(known[:5]) or 'none'}"


def _unknown_files(workspace: Workspace, results: Results, settings: Settings) -> tuple[str, ...]:
    """Files of cases that the suite holds and the run was not executed on, by folder of a technique and document."""
    made = results.runs[0].executed
    planned = {name.removeprefix("cases ") for name in made.inputs if name.startswith("cases ")} if made else set()
    if not planned:
        return ()
    folders = {name.partition("/")[0] for name in planned}
    found = sorted(workspace.suite(results.runs[0].suite).glob("*/*.jsonl"))
    every = settings.execute.technique == "all"
    wanted = (path for path in found if every or path.parent.name in folders)
    return tuple(name for path in wanted if (name := f"{path.parent.name}/{path.stem}") not in planned)

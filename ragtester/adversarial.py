"""Fixtures asked as a run of their own: read, made a suite, executed, judged, and read for what they show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragtester.errors import UsageError
from ragtester.fixtures import Loaded, read_fixtures
from ragtester.model_checks import check_models
from ragtester.pipeline import Options, budget, run_steps
from ragtester.progress import Progress, StageResult
from ragtester.provenance import sha256_text
from ragtester.records import AdversarialRow
from ragtester.runs import STARTER
from ragtester.settings import Settings
from ragtester.stages import adversarial as stage
from ragtester.stages.adversarial import Asked
from ragtester.stages.execute.plan import matrix
from ragtester.text.words import estimate_tokens
from ragtester.workspace import Workspace, slug

STAGES = ("execute", "judge")


@dataclass(frozen=True)
class FixtureSet:
    """The fixtures of one folder. `name` is safe in a path; `hashes` hold one hash a fixture."""

    name: str
    asked: tuple[Asked, ...]
    hashes: dict[str, str]

    @property
    def runs(self) -> dict[str, list[Asked]]:
        """The fixtures by run: those with a K of their own are asked apart, after the others."""
        found: dict[str, list[Asked]] = {}
        for one in sorted(self.asked, key=lambda one: one.fixture.k or 0):
            found.setdefault(one.run, []).append(one)
        return found


def starter_set() -> Path:
    """Folder of the fixtures that ship with ragtester: in the wheel, or beside the package in a checkout."""
    here = Path(__file__).parent
    for folder in (here / "_adversarial", here.parent / "corpora" / "adversarial"):
        if folder.is_dir():
            return folder
    raise UsageError("the starter fixtures are not installed; name folders of your own with --fixtures")


def read_sets(workspace: Workspace, settings: Settings, fixtures: Sequence[str | Path] = ()) -> list[FixtureSet]:
    """The fixtures of `fixtures`, else of `[adversarial] fixtures`. Raises UsageError, DataError with all faults."""
    folders: dict[Path, str] = {}
    for given in fixtures or settings.adversarial.fixtures:
        folder = starter_set() if str(given) == STARTER else workspace.root / Path(given).expanduser()
        own = STARTER if str(given) == STARTER else slug(folder.resolve().name)
        taken = own in folders.values() or (own == STARTER and str(given) != STARTER)
        folders.setdefault(folder.resolve(), f"{own}-{sha256_text(str(folder))[:6]}" if taken else own)
    loaded = read_fixtures(folders)
    return [
        _read_set(
            name, [replace(one, set=name) for one in loaded if folder in (one.folder, one.folder.parent)], settings
        )
        for folder, name in folders.items()
    ]


def _read_set(name: str, loaded: Sequence[Loaded], settings: Settings) -> FixtureSet:
    asked = tuple(stage.read_set(loaded, settings))
    return FixtureSet(name, asked, stage.set_hashes(asked))


async def run_adversarial(
    workspace: Workspace, settings: Settings, progress: Progress, sets: Sequence[FixtureSet], *, overwrite: bool = False
) -> list[StageResult]:
    """Ask every system all fixtures, judge, and write `verdicts/<run>/adversarial/`; the last result is its own.

    What stands is kept and not paid again. Raises ChangedInputsError where fixtures changed (unless `overwrite`), and
    as the stages do.
    """
    check_models(settings, STAGES, root=workspace.root)
    with workspace.lock():
        for one in sets:
            suite = stage.suite_name(one.name)
            stage.refuse_changed(workspace, suite, one.hashes, one.runs, overwrite=overwrite)
        for one in sets:
            stage.write_suite(workspace, stage.suite_name(one.name), one.asked, one.hashes, settings.workspace.seed)
    steps = [
        (name, stage.own_settings(settings, one.asked, asked[0]))
        for one in sets
        for asked in one.runs.values()
        for name in STAGES
    ]
    results = await run_steps(workspace, steps, progress, Options(overwrite), budget())
    with workspace.lock():
        own = _read(workspace, settings, sets)
    stopped = next((one.stopped for one in results if one.stopped), "")
    return [*results, replace(own, stopped=stopped)]


def _read(workspace: Workspace, settings: Settings, sets: Sequence[FixtureSet]) -> StageResult:
    """The rows of what was answered, the figures, and their files."""
    run = settings.execute.run
    asked = [one for each in sets for one in each.asked]
    runs = [name for each in sets for name in each.runs]
    rows = stage.read_rows_of(workspace, settings, asked)
    systems = sum(len(llms) for llms in matrix(settings).values())
    notes = _notes(settings, rows)
    told = stage.Told(tuple(each.name for each in sets), tuple(runs), tuple(notes))
    result = stage.make_result(run, rows, told, planned=len(asked) * systems)
    files = stage.Files.of(workspace, run)
    files.write(
        result,
        rows,
        {f"{name} ({each.name})": digest for each in sets for name, digest in each.hashes.items()},
        seed=settings.workspace.seed,
        parameters={"runs": runs, "sets": list(told.sets), "k": settings.execute.k},
    )
    return StageResult(stage.STAGE, result.ledger, files.folder, {"readings": result.whole.readings})


def _notes(settings: Settings, rows: Sequence[AdversarialRow]) -> list[str]:
    """What a reader must know of the figures."""
    notes = []
    embedded = sorted({row.llm for row in rows if row.llm.startswith("embedded:")})
    if embedded:
        notes.append(f"{', '.join(embedded)}: rules, and no language model")
    if settings.execute.retrieval.filter_mode == "post":
        notes.append("filters were applied before the search, as the fixtures of a set share one index")
    unknown = sum(row.recall is None and row.poison_first is None and row.reading == "unmeasured" for row in rows)
    if unknown and settings.target.name:
        notes.append(f"of {unknown} row(s) the retrieval side is unmeasured: the target does not reveal its chunks")
    return notes


def sizes(sets: Sequence[FixtureSet]) -> tuple[list[int], int]:
    """Tokens of every document of the fixtures, and how many cases they are, for an estimate."""
    texts = [text for each in sets for one in each.asked for text in one.texts.values()]
    return [estimate_tokens(text) for text in texts], sum(len(each.asked) for each in sets)

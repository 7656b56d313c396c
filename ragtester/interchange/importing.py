"""A foreign file becomes cases of a suite and, where it holds answers of a system, a run that stands beside others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtester.documents.files import valid
from ragtester.errors import UsageError
from ragtester.interchange import results_in, suite_files, systems
from ragtester.interchange.cases import CaseMaker
from ragtester.interchange.formats import ForeignFile, read_file
from ragtester.interchange.items import Item
from ragtester.interchange.options import ImportOptions
from ragtester.interchange.placing import Placing
from ragtester.interchange.shelf import Shelf
from ragtester.interchange.systems import STAGE, Found, System
from ragtester.progress import Progress, StageResult
from ragtester.provenance import now, sha256_file
from ragtester.records import Case, Ledger
from ragtester.settings import Settings
from ragtester.waiting import wait_for
from ragtester.workspace import Workspace, slug

RESERVED = ("ragtester", "baseline", "all", "texts")


def import_file(
    workspace: Workspace, settings: Settings, progress: Progress, path: Path, options: ImportOptions
) -> StageResult:
    """Import a file under the workspace's lock; `counts` of the result says what was made, matched and dropped.

    Raises UsageError, DataError (every fault of the file; nothing is written then) and ChangedInputsError where the
    technique or the run was imported from something else, unless `overwrite`.
    """
    foreign = read_file(path, options.format, options.columns)
    technique = options.technique or foreign.format
    if slug(technique) != technique or technique in RESERVED:
        raise UsageError(
            f"technique {technique!r}: letters, digits, dots and dashes, and none of {', '.join(RESERVED)}"
        )
    if not 0 <= options.near <= 100:
        raise UsageError(f"--near {options.near:g}: a likeness from 0 to 100 is wanted")
    with workspace.lock():
        _read_corpus(workspace, settings, progress)
        return _Import(workspace, settings, foreign, options, technique).run()


def _read_corpus(workspace: Workspace, settings: Settings, progress: Progress) -> None:
    """A suite without documents gets those of the corpus, where there is one."""
    suite = settings.workspace.suite
    corpus = workspace.root / settings.workspace.corpus
    if workspace.documents_file(suite).is_file() or not corpus.exists():
        return
    from ragtester.documents.library import find_files
    from ragtester.stages.cases.reading import read

    if find_files((settings.workspace.corpus,), workspace.root):
        wait_for(read(workspace, settings, progress, None, overwrite=False))


@dataclass
class _Import:
    """One call."""

    workspace: Workspace
    settings: Settings
    foreign: ForeignFile
    options: ImportOptions
    technique: str

    def __post_init__(self) -> None:
        self.suite, self.account = self.settings.workspace.suite, self.foreign.account
        self.started = now()
        self.parameters: dict[str, Any] = {
            "format": self.foreign.format,
            "file_sha256": sha256_file(self.foreign.path),
            "document": self.options.document,
            "columns": dict(sorted(self.options.columns.items())),
            "near": self.options.near,
        }

    def run(self) -> StageResult:
        """Cases first, then answers: a run never speaks of cases that are not there."""
        items = self.foreign.items
        named = systems.systems_of(items, self.options.system, self.options.embedding, self.foreign.path)
        matched: list[Case | None] = [None] * len(items)
        self.results = bool(named)
        if named:
            run = self._run_name(named)
            systems.refuse_other(self.workspace, run, self._run_parameters(named), self.options.overwrite)
            matched = self._matched(items)
        elif answered := sum(item.given is not None for item in items):
            self.account.drop("answers (--system NAME keeps them as results)", answered)
        cases, new = self._cases(items, matched)
        if new:
            self._write_cases(new)
        if not named:
            return self._suite_result(new)
        for item, case in zip(items, cases, strict=True):
            if case is not None and item.given is None:
                self.account.skip(item.where, "no answer of the system: its case alone was taken")
        found = [
            Found(item, case, system)
            for item, case, system in zip(items, cases, named, strict=True)
            if case is not None and system is not None
        ]
        return self._run_result(run, found, len(new), sum(case is not None for case in matched), named)

    def _matched(self, items: Sequence[Item]) -> list[Case | None]:
        """Cases of the suite that the items are, so that all systems stand on the same cases."""
        place = (self.workspace, self.suite, items)
        unfinished = suite_files.is_unfinished(self.workspace, self.suite, self.technique)
        notes = self.account.notes.copy()
        without = self.technique if unfinished else ""
        found = suite_files.match(*place, self.account, self.options.technique, without)
        if not all(found) and not without:
            # What is new replaces the technique's cases, so that none of these can be matched.
            self.account.notes = notes
            found = suite_files.match(*place, self.account, self.options.technique, self.technique)
        suite_files.tell_matches(items, found, self.account)
        return found

    def _cases(self, items: Sequence[Item], matched: Sequence[Case | None]) -> tuple[list[Case | None], list[Case]]:
        """A case for each item, and those that are new."""
        left = [item for item, case in zip(items, matched, strict=True) if case is None]
        self.shelf = Shelf(self.workspace, self.suite, self.technique)
        self.placing = Placing(
            self.shelf,
            self.account,
            self.technique,
            self.options.document,
            self.options.near,
            self.settings.workspace.language,
            str(self.parameters["file_sha256"])[:8],
            self.settings.access.documents,
        )
        places = iter(self.placing.places(left))
        maker = CaseMaker(
            self.technique,
            self.foreign.format,
            self.settings.execute.refusals,
            self.shelf.documents,
            self.account,
            self.settings.access.user_tags,
        )
        cases: list[Case | None] = []
        new: list[Case] = []
        for item, known in zip(items, matched, strict=True):
            place = None if known else next(places)
            if place is None:
                cases.append(known)
                continue
            case, is_new = maker.make(item, place, self.placing.text(place.document))
            cases.append(case)
            if case is not None and is_new:
                new.append(case)
            elif case is not None and not self.results:
                self.account.skip(item.where, "the same question and answer as an earlier record")
        return cases, new

    def _write_cases(self, new: list[Case]) -> None:
        suite_files.refuse_other(
            self.workspace, self.suite, self.technique, self.parameters, self.foreign.path, self.options.overwrite
        )
        made = [self.placing.document(one) for one in self.placing.made.values()]
        suite_files.write(
            suite_files.NewCases(
                self.workspace,
                self.suite,
                self.technique,
                new,
                made,
                {name: one.text for name, one in self.placing.made.items()},
                self.shelf,
                self._manifest_parts(),
                self._ledger(len(new)),
                self._counts(new),
            )
        )

    def _manifest_parts(self) -> dict[str, Any]:
        return {
            "inputs": {valid(self.foreign.path.name): self.parameters["file_sha256"]},
            "parameters": self.parameters,
            "seed": self.settings.workspace.seed,
            "started": self.started,
        }

    def _ledger(self, ok: int, failed: int = 0) -> Ledger:
        """Every record of the file once: made, failed, or skipped with its reason in the counts."""
        skipped = self.account.skipped.total()
        return Ledger(planned=ok + failed + skipped, ok=ok, failed=failed, skipped=skipped)

    def _counts(self, new: Sequence[Case]) -> dict[str, Any]:
        types: dict[str, int] = {}
        for case in new:
            name = f"{case.type}/{case.subtype}" if case.subtype else case.type
            types[name] = types.get(name, 0) + 1
        return {
            "format": self.foreign.format,
            "records": self.account.records,
            "by_type": dict(sorted(types.items())),
            "made_documents": sorted(self.placing.made),
            "skipped": dict(sorted(self.account.skipped.items())),
            "dropped": dict(sorted(self.account.dropped.items())),
            "notes": self.account.lines(),
        }

    def _suite_result(self, new: Sequence[Case]) -> StageResult:
        folder = suite_files.folder(self.workspace, self.suite, self.technique)
        return StageResult(STAGE, self._ledger(len(new)), folder, self._counts(new))

    # Results

    def _run_name(self, named: Sequence[System | None]) -> str:
        names = list(dict.fromkeys(system.llm for system in named if system))
        return self.options.run or f"imported-{names[0] if len(names) == 1 else self.foreign.path.stem}"

    def _run_parameters(self, named: Sequence[System | None]) -> dict[str, Any]:
        known = list(dict.fromkeys(system for system in named if system))
        return {
            "suite": self.suite,
            **self.parameters,
            "passes": list(self.options.passes) if self.options.passes else None,
            "llms": {system.llm: {} for system in known},
            "embeddings": {system.embedding: {} for system in known},
        }

    def _run_result(
        self, run: str, found: list[Found], new: int, matched: int, named: Sequence[System | None]
    ) -> StageResult:
        imported = results_in.ImportedRun(
            self.workspace,
            self.suite,
            run,
            self._run_parameters(named),
            self.account,
            self.settings.execute.refusals,
            self.foreign.format,
            self.options.passes,
        )
        ok, failed, verdicts = imported.write(found, self._manifest_parts())
        counts = {
            **self._counts([]),
            "run": run,
            "systems": sorted({f"{one.system.llm} × {one.system.embedding}" for one in found}),
            "matched": matched,
            "new_cases": new,
            "verdicts": verdicts,
            "judged": imported.judged,
        }
        ledger = self._ledger(ok, failed)
        imported.close(ledger, counts)
        return StageResult(STAGE, ledger, self.workspace.answers(run), counts)

"""The stages of the pipeline and their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragtester.api.opened import Opened
from ragtester.model_checks import STAGES
from ragtester.pipeline import Options, run_stages
from ragtester.progress import StageResult
from ragtester.records import Answer, Case, CaseRow, UnfilledCase, Verdict
from ragtester.runs import answer_files, verdict_files
from ragtester.storage import iter_rows, write_text
from ragtester.waiting import wait_for

if TYPE_CHECKING:
    from ragtester.doctor import Finding
    from ragtester.estimate import Estimate
    from ragtester.interchange import Exported, ExportOptions, ImportOptions


class Stages(Opened):
    """The stages in order, what they would cost, and their rows."""

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

"""A suite, or a run with its answers, becomes a file that another tool reads; what it has no place for is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragtester.errors import UsageError
from ragtester.interchange import deepeval, plain, promptfoo_writing, ragas
from ragtester.interchange.cells import as_number, is_formula
from ragtester.interchange.formats import Container, FormatName, check_format
from ragtester.interchange.items import Given, Item, Own
from ragtester.interchange.options import ExportOptions
from ragtester.interchange.shelf import Shelf
from ragtester.interchange.suite_files import all_cases
from ragtester.interchange.writing import container_of, text_of
from ragtester.records import Answer, Case, CaseRow, Chunk, Manifest, Span, UnfilledCase, Verdict
from ragtester.runs import answer_files, no_answers
from ragtester.settings import Settings, if_absent
from ragtester.storage import iter_rows, read_json
from ragtester.workspace import Workspace, slug

_LACKS: dict[FormatName, tuple[Sequence[str], Sequence[str]]] = {
    "ragas": (ragas.LACKS, ragas.RESULT_LACKS),
    "deepeval": (deepeval.LACKS, deepeval.RESULT_LACKS),
    "promptfoo": (promptfoo_writing.LACKS, promptfoo_writing.RESULT_LACKS),
    "csv": (plain.LACKS, plain.RESULT_LACKS),
}


@dataclass(frozen=True)
class Exported:
    """The text of the file, how many records it holds, and what was left out, by name and count."""

    text: str
    format: str
    container: Container
    records: int
    dropped: dict[str, int]
    notes: tuple[str, ...] = ()


def export(workspace: Workspace, settings: Settings, options: ExportOptions, output: Path | None = None) -> Exported:
    """Make the file's text; the ending of `output` chooses between a format's kinds of file.

    Raises UsageError where there is nothing to export, or where a run has several systems and the format no place for
    their names.
    """
    name = check_format(options.format)
    container = container_of(name, output)
    if options.answers and not options.run:
        raise UsageError("--with-answers needs a run: say it with --run")
    suite = settings.workspace.suite
    if options.run:
        manifest = read_json(workspace.answers(options.run) / "manifest.json", Manifest)
        if manifest is None and not any(answer_files(workspace, options.run)):
            told = f"no such run; execute first, or name another run{if_absent(workspace.root)}"
            raise UsageError(f"{workspace.answers(options.run)}: {told}")
        suite = str(manifest.parameters.get("suite", suite)) if manifest else suite
    job = _Export(workspace, suite, name, options)
    items = list(job.answered() if options.answers else job.plain())
    if not items:
        what = f"run {options.run}" if options.answers else str(workspace.suite(suite))
        raise UsageError(f"{what}: no cases of technique {options.technique} to export")
    job.count(items)
    text = text_of(name, container, items, options.answers)
    return Exported(text, name, container, len(items), dict(sorted(job.dropped.items())), job.notes(items, container))


class _Export:
    """One call."""

    def __init__(self, workspace: Workspace, suite: str, name: FormatName, options: ExportOptions) -> None:
        self.workspace, self.suite, self.name, self.options = workspace, suite, name, options
        self.shelf = Shelf(workspace, suite, "")
        paths = Counter(document.path for document in self.shelf.documents.values())
        self.names = {one.id: one.path if paths[one.path] == 1 else one.id for one in self.shelf.documents.values()}
        self.dropped: Counter[str] = Counter()
        self.hidden = 0

    def plain(self) -> Iterator[Item]:
        """An item a case, technique by technique."""
        wanted = self.options.technique
        for case in all_cases(self.workspace, self.suite):
            if wanted in ("all", case.technique):
                yield self._item(case)
        for path in sorted(self.workspace.suite(self.suite).glob("*/*.jsonl")):
            if wanted in ("all", path.parent.name):
                unfilled = sum(isinstance(row, UnfilledCase) for row in iter_rows(path, CaseRow))
                self.dropped.update({"cases that were never filled": unfilled} if unfilled else {})

    def answered(self) -> Iterator[Item]:
        """An item an answer of the run, with its verdict where there is one."""
        files, _ = answer_files(self.workspace, self.options.run)
        if not files:
            raise no_answers(self.workspace, self.options.run)
        self._check_systems(files)
        cases = {(case.technique, case.id): case for case in all_cases(self.workspace, self.suite)}
        for path in files:
            mirrored = self.workspace.verdicts(self.options.run) / path.parent.name / path.name
            verdicts = {(row.technique, row.case_id): row for row in iter_rows(mirrored, Verdict)}
            for answer in iter_rows(path, Answer):
                key = (answer.technique, answer.case_id)
                if not self._wanted(answer) or self.options.technique not in ("all", answer.technique):
                    continue
                if key not in cases:
                    self.dropped["answers whose case the suite no longer holds"] += 1
                    continue
                yield self._with_answer(cases[key], answer, verdicts.get(key))

    def _check_systems(self, files: Sequence[Path]) -> None:
        firsts = (next(iter_rows(path, Answer), None) for path in files)
        systems = sorted({_system(row) for row in firsts if row is not None})
        chosen = [one for one in systems if self.options.system in ("", one, one.partition(" × ")[0])]
        if not chosen:
            raise UsageError(f"--system {self.options.system!r}: not in the run; it has {', '.join(systems)}")
        if len(chosen) > 1 and self.name == "ragas":
            raise UsageError(
                f"ragas has no place for a system's name, and the run has {len(chosen)}: choose one with --system "
                f"({', '.join(chosen)})"
            )
        self.chosen = frozenset(chosen)

    def _wanted(self, answer: Answer) -> bool:
        return _system(answer) in self.chosen

    def _item(self, case: Case) -> Item:
        text = self._text_of(case.document_id)
        own = Own(
            type=case.type,
            subtype=case.subtype,
            style=case.style,
            language=case.language,
            keywords=case.keywords,
            evidence=tuple(Span(start=span.start, end=span.end) for span in case.evidence),
            sections=case.sections,
            origin=case.origin,
            flesch=case.flesch,
            user_tags=case.user_tags if case.user_tags or self._is_tagged(case.document_id) else None,
            model=case.model,
        )
        return Item(
            case.id,
            case.question,
            case.expected_answer,
            contexts=tuple(text[span.start : span.end] for span in case.evidence),
            document=self.names.get(case.document_id, case.document_id),
            name=case.id,
            own=own,
        )

    def _with_answer(self, case: Case, answer: Answer, verdict: Verdict | None) -> Item:
        item, call = self._item(case), answer.call
        self.hidden += answer.trace is not None and answer.trace.hides_evidence
        passed = verdict.status == "pass" if verdict and verdict.status != "ungraded" else None
        given = Given(
            answer=answer.answer,
            retrieved=self._retrieved(answer) if answer.trace else None,
            passed=passed,
            error=answer.failure.message if answer.failure else "",
            seconds=call.seconds if call else None,
            cost=call.cost if call else None,
            prompt_tokens=call.prompt_tokens if call else None,
            completion_tokens=call.completion_tokens if call else None,
        )
        lacks = _LACKS[self.name][1]
        present = {
            "retrieved_contexts": given.retrieved,
            "verdict": verdict,
            "ratings": verdict and verdict.ratings,
            "cost": given.cost,
            "seconds": given.seconds,
            "tokens": given.prompt_tokens,
            "error": given.error or None,
        }
        self.dropped.update(f"answer: {name}" for name in lacks if present.get(name) not in (None, ()))
        mean = verdict.mean if verdict else None
        update = {"llm": answer.llm, "embedding": answer.embedding, "passed": passed, "mean": mean}
        return Item(**{**item.__dict__, "own": item.own.model_copy(update=update), "given": given})

    def _retrieved(self, answer: Answer) -> tuple[str, ...]:
        chunks = self._chunks(answer.document_id)
        wanted = answer.trace.context_ids if answer.trace else ()
        found = [chunks[name] if name in chunks else self._chunks(_document_of(name)).get(name) for name in wanted]
        if None in found:
            self.dropped["retrieved chunks that the run's files do not hold"] += found.count(None)
        return tuple(text for text in found if text is not None)

    def _chunks(self, document_id: str) -> dict[str, str]:
        if not hasattr(self, "_held") or self._held[0] != document_id:
            rows = iter_rows(self.workspace.chunks_file(self.options.run, slug(document_id)), Chunk)
            self._held: tuple[str, dict[str, str]] = (document_id, {row.id: row.text for row in rows})
        return self._held[1]

    def _is_tagged(self, document_id: str) -> bool:
        """A user without tags is worth a word only where a document has some."""
        document = self.shelf.documents.get(document_id)
        return document is not None and bool(document.tags)

    def _text_of(self, document_id: str) -> str:
        document = self.shelf.documents.get(document_id)
        if document is None:
            raise UsageError(f"suite {self.suite}: {document_id} is not in documents.jsonl; make the cases again")
        return self.shelf.text(document)

    def count(self, items: Sequence[Item]) -> None:
        """Count the fields of the cases that the format has no place for."""
        lacks = _LACKS[self.name][0]
        for item in items:
            present = {**item.own.model_dump(), "id": item.name}
            self.dropped.update(name for name in lacks if present.get(name) not in (None, "", ()))

    def notes(self, items: Sequence[Item], container: Container) -> tuple[str, ...]:
        """What a user should know of the file."""
        return (*self._refusals(), *self._formulas(items, container))

    def _refusals(self) -> Iterator[str]:
        if self.hidden:
            yield (
                f"{self.hidden} answer(s) are of users who may see none of the case's evidence: to refuse is right "
                "there, and the file gives the answer that the case expects of others"
            )

    def _formulas(self, items: Sequence[Item], container: Container) -> tuple[str, ...]:
        if container != "csv":
            return ()
        texts = [text for item in items for text in (item.question, item.expected_answer)]
        formulas = sum(is_formula(text) and as_number(text) is None for text in texts)
        if not formulas:
            return ()
        if self.name == "csv":
            return (f"{formulas} cell(s) that a spreadsheet would compute begin with an apostrophe (column defused)",)
        return (f"{formulas} cell(s) begin like a formula: this file is for {self.name}, not for a spreadsheet",)


def _system(row: Answer) -> str:
    return f"{row.llm} × {row.embedding}"


def _document_of(chunk_id: str) -> str:
    return chunk_id.rpartition(":")[0].rpartition(":")[0]

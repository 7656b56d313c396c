"""Rows with the texts that the joined view leaves out, read file by file: memory holds one file at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from ragtester.records import Answer, Case, Verdict
from ragtester.results import Result, Results
from ragtester.storage import iter_rows
from ragtester.workspace import Workspace


@dataclass(frozen=True, slots=True)
class FullRow:
    """A row with its case (None where the suite no longer holds it), the answer's text and the judge's reasons."""

    row: Result
    suite: str
    case: Case | None
    answer: str = ""
    reasons: dict[str, str] = field(default_factory=dict)
    failure: str = ""


def without_texts(results: Results) -> Iterator[FullRow]:
    """Every row with its case alone; nothing is read."""
    suites = {run.name: run.suite for run in results.runs}
    for row in results.rows:
        suite = suites.get(row.run, "")
        yield FullRow(row, suite, results.cases.get((suite, row.case_id)))


def with_texts(results: Results, workspace: Workspace, rows: Iterable[Result] | None = None) -> Iterator[FullRow]:
    """`rows` (all of the results where None) in their order, with what their files hold besides.

    Raises DataError for files that do not hold what they should.
    """
    suites = {run.name: run.suite for run in results.runs}
    chosen = results.rows if rows is None else rows
    for (run, llm, embedding, document), group in groupby(chosen, key=_file):
        answers = {
            (row.technique, row.case_id): row
            for row in iter_rows(workspace.answers_file(run, llm, embedding, document), Answer)
        }
        verdicts = {
            (row.technique, row.case_id): row
            for row in iter_rows(workspace.verdicts_file(run, llm, embedding, document), Verdict)
        }
        suite = suites.get(run, "")
        for row in group:
            answer = answers.get((row.technique, row.case_id))
            verdict = verdicts.get((row.technique, row.case_id))
            yield FullRow(
                row=row,
                suite=suite,
                case=results.cases.get((suite, row.case_id)),
                answer=answer.answer if answer else "",
                reasons=verdict.reasons if verdict else {},
                failure=_failure(answer, verdict),
            )


def _file(row: Result) -> tuple[str, str, str, str]:
    return row.run, row.llm, row.embedding, row.document_id


def _failure(answer: Answer | None, verdict: Verdict | None) -> str:
    for record in (verdict, answer):
        if record is not None and record.failure is not None:
            return record.failure.message
    return ""

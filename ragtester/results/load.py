"""Reading a run's suite, answers and verdicts into joined rows; nothing planned is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ragtester.errors import UsageError
from ragtester.records import CLOSED_BOOK_SUFFIX, Answer, Case, CaseRow, Document, DocumentRow, Manifest, Verdict
from ragtester.results.rows import Result, Results, RunInfo, Status
from ragtester.runs import answer_files
from ragtester.storage import iter_rows, read_json
from ragtester.workspace import Workspace


def load_results(workspace: Workspace, runs: Iterable[str], suite: str = "main") -> Results:
    """Join the runs; the closed-book control of each is read with it where it was executed.

    `suite` is the suite of runs whose manifest does not name one. Raises UsageError for a run without answers and
    DataError for files that do not hold what they should.
    """
    found = Results()
    for name in runs:
        for run in (name, name + CLOSED_BOOK_SUFFIX):
            files, left = answer_files(workspace, run)
            if files:
                _load_run(found, workspace, run, suite, files)
            elif run == name:
                raise UsageError(
                    f"{workspace.answers(run)}: no answers; run `ragtester execute` first, or name another run"
                )
            if left:
                found.notes.append(f"run {run}: {len(left)} answer file(s) of documents or systems that left it")
    return found


def _load_run(found: Results, workspace: Workspace, run: str, suite: str, files: list[Path]) -> None:
    executed = read_json(workspace.answers(run) / "manifest.json", Manifest)
    judged = read_json(workspace.verdicts(run) / "manifest.json", Manifest)
    suite = str(executed.parameters.get("suite", suite)) if executed else suite
    info = RunInfo(run, suite, executed, judged)
    found.runs.append(info)
    found.notes += _unfinished(info)
    _load_documents(found, workspace, suite)
    planned = _load_cases(found, workspace, info)
    for path in files:
        found.rows += _file_rows(found, workspace, info, path, planned)


def _unfinished(info: RunInfo) -> Iterator[str]:
    for manifest, what in ((info.executed, "execution"), (info.judged, "judgement")):
        if manifest is None:
            yield f"run {info.name}: its {what} was never started"
        elif manifest.ended is None:
            yield f"run {info.name}: its {what} has not ended"


def _load_documents(found: Results, workspace: Workspace, suite: str) -> None:
    for row in iter_rows(workspace.documents_file(suite), DocumentRow):
        if isinstance(row, Document):
            found.documents[suite, row.id] = row


def _load_cases(found: Results, workspace: Workspace, info: RunInfo) -> dict[str, dict[str, Case]]:
    """Cases that the run planned, by document and id."""
    planned: dict[str, dict[str, Case]] = {}
    names = info.executed.inputs if info.executed else {}
    for name in names:
        if not name.startswith("cases "):
            continue
        technique, _, document = name.removeprefix("cases ").partition("/")
        unfilled = 0
        for row in iter_rows(workspace.cases_file(info.suite, technique, document), CaseRow):
            if isinstance(row, Case):
                planned.setdefault(document, {})[row.id] = row
                found.cases[info.suite, row.id] = row
            else:
                unfilled += 1
        found.unfilled[info.suite, f"{technique}/{document}"] = unfilled
    return planned


def _file_rows(
    found: Results, workspace: Workspace, info: RunInfo, path: Path, planned: dict[str, dict[str, Case]]
) -> Iterator[Result]:
    """Rows of one answer file, then those that its cases lack."""
    mirrored = workspace.verdicts(info.name) / path.parent.name / path.name
    verdicts = {(row.technique, row.case_id): row for row in iter_rows(mirrored, Verdict)}
    seen: set[str] = set()
    first: Answer | None = None
    for answer in iter_rows(path, Answer):
        first = first or answer
        seen.add(answer.case_id)
        yield joined(answer, verdicts.get((answer.technique, answer.case_id)), info, found)
    if first is None:
        return
    for case in planned.get(first.document_id, {}).values():
        if case.id not in seen:
            yield _missing(case, first, info, found)


def joined(answer: Answer, verdict: Verdict | None, info: RunInfo, found: Results) -> Result:
    """One row from an answer and its verdict, if there is one."""
    case = found.cases.get((info.suite, answer.case_id))
    status: Status = verdict.status if verdict else "missing"
    reason = "" if status in ("pass", "fail") else _reason(verdict)
    call, trace = answer.call, answer.trace
    gold = set(trace.gold_ids) if trace else set()
    return Result(
        run=answer.run,
        case_id=answer.case_id,
        document_id=answer.document_id,
        source=_source(found, info, answer.document_id),
        technique=answer.technique,
        type=answer.type,
        subtype=answer.subtype,
        language=case.language if case else verdict.language if verdict else "",
        llm=answer.llm,
        embedding=answer.embedding,
        status=status,
        reason=reason,
        mean=verdict.mean if verdict else None,
        ratings=verdict.ratings if verdict else None,
        decided_by=verdict.decided_by if verdict else "",
        outcome=answer.outcome,
        flags=verdict.flags if verdict else (),
        judge=verdict.judge if verdict else "",
        cost=call.cost if call else None,
        judge_cost=verdict.call.cost if verdict and verdict.call else None,
        seconds=call.seconds if call else None,
        prompt_tokens=call.prompt_tokens if call else None,
        completion_tokens=call.completion_tokens if call else None,
        gold=len(gold) if trace else None,
        gold_seen=len(gold.intersection(trace.context_ids)) if trace else None,
    )


def _missing(case: Case, like: Answer, info: RunInfo, found: Results) -> Result:
    return Result(
        run=like.run,
        case_id=case.id,
        document_id=case.document_id,
        source=_source(found, info, case.document_id),
        technique=case.technique,
        type=case.type,
        subtype=case.subtype,
        language=case.language,
        llm=like.llm,
        embedding=like.embedding,
        status="missing",
        reason="not executed",
    )


def _reason(verdict: Verdict | None) -> str:
    if verdict is None:
        return "not judged"
    return verdict.failure.type if verdict.failure else "ungraded"


def _source(found: Results, info: RunInfo, document_id: str) -> str:
    document = found.documents.get((info.suite, document_id))
    return document.source if document else ""

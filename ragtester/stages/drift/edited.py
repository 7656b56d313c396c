"""Cases that were changed under their id between two runs, found without the old suite: it is gone by then.

A reworded question stands in the traces of both runs. A changed expected answer, keyword or evidence does not; there
the verdicts' keys tell, which hold the case that each was given for.
"""

from __future__ import annotations

from ragtester.judgement import Judge, verdict_key
from ragtester.records import Answer, Case, CaseRow, Verdict
from ragtester.runs import answer_files
from ragtester.stages.drift.pairing import reworded
from ragtester.stages.drift.rows import RunData
from ragtester.storage import iter_rows
from ragtester.workspace import Workspace


def changed_cases(workspace: Workspace, before: RunData, after: RunData) -> set[str]:
    """Ids of cases that are not the same in both runs."""
    found = reworded(before, after)
    documents = _suspects(before, after)
    if not documents:
        return found
    cases = dict(_cases(workspace, before.suite, documents))
    held = [_held(workspace, run, cases, documents) for run in (before, after)]
    # One verdict fits the case as it stands and the other does not: the case changed in between.
    found |= {name for name in cases if {held[0].get(name), held[1].get(name)} == {True, False}}
    return found


def _suspects(before: RunData, after: RunData) -> set[str]:
    """Documents whose files of cases are not the same, by the manifests of both runs."""
    return {
        name.partition("/")[2]
        for name, digest in before.inputs.items()
        if name.startswith("cases ") and after.inputs.get(name, digest) != digest
    }


def _cases(workspace: Workspace, suite: str, documents: set[str]) -> list[tuple[str, Case]]:
    paths = sorted(workspace.suite(suite).glob("*/*.jsonl"))
    rows = (row for path in paths if path.stem in documents for row in iter_rows(path, CaseRow))
    return [(row.id, row) for row in rows if isinstance(row, Case)]


def _held(workspace: Workspace, run: RunData, cases: dict[str, Case], documents: set[str]) -> dict[str, bool]:
    """Whether the verdicts of each case were given for the case as it stands; without an entry where none tells."""
    made = run.manifests.get("judge")
    judge = Judge.of(made) if made else None
    found: dict[str, bool] = {}
    if judge is None:
        return found
    for path in answer_files(workspace, run.name)[0]:
        if path.stem not in documents:
            continue
        mirrored = workspace.verdicts(run.name) / path.parent.name / path.name
        verdicts = {(row.technique, row.case_id): row for row in iter_rows(mirrored, Verdict)}
        for answer in iter_rows(path, Answer):
            case, verdict = cases.get(answer.case_id), verdicts.get((answer.technique, answer.case_id))
            told = verdict and (verdict.judge, verdict.prompt_sha256) == (judge.model, judge.prompt_sha256)
            if case is not None and verdict is not None and told:
                fits = verdict.key == verdict_key(answer, case, judge)
                found[answer.case_id] = fits or found.get(answer.case_id, False)
    return found

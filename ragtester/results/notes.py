"""What a reader must know of a run before any figure: one line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from ragtester.judgement import STAGE as JUDGE_STAGE
from ragtester.judgement import answer_hashes
from ragtester.provenance import sha256_file
from ragtester.records import CLOSED_BOOK_SUFFIX, Case
from ragtester.results.rows import Results, RunInfo
from ragtester.workspace import Workspace, slug

System = tuple[str, str]


def named_twice(runs: Iterable[str]) -> Iterator[str]:
    """Runs that were asked for more than once."""
    for name, count in Counter(runs).items():
        if count > 1:
            yield f"run {name} was named {count} times; it counts once"


def suites_differ(found: Results) -> Iterator[str]:
    """Runs whose cases come from more than one suite."""
    suites: dict[str, list[str]] = {}
    for info in found.runs:
        if not info.name.endswith(CLOSED_BOOK_SUFFIX):
            suites.setdefault(info.suite, []).append(info.name)
    if len(suites) > 1:
        told = "; ".join(f"{suite}: {', '.join(names)}" for suite, names in suites.items())
        yield f"the runs were made from different suites ({told}): their rates are of different cases"


def unfinished(info: RunInfo) -> Iterator[str]:
    """Stages that were never started or have not ended."""
    for manifest, what in ((info.executed, "execution"), (info.judged, "judgement")):
        if manifest is None:
            yield f"run {info.name}: its {what} was never started"
        elif manifest.ended is None:
            yield f"run {info.name}: its {what} has not ended"


def case_files(info: RunInfo) -> Iterator[tuple[str, str]]:
    """Folder (of a technique) and document of each file of cases that the run was executed on."""
    for name in info.executed.inputs if info.executed else ():
        if name.startswith("cases "):
            folder, _, document = name.removeprefix("cases ").partition("/")
            yield folder, document


def cases_file(workspace: Workspace, suite: str, folder: str, document: str) -> Path:
    """The file of such a pair. A folder's name is no technique's: a long one was cut already, and must not be again."""
    return workspace.suite(suite) / slug(folder, limit=64) / f"{document}.jsonl"


def planned_systems(info: RunInfo, cases: int) -> list[System]:
    """The systems of the last execution, where its manifest tells them; else an empty list.

    The manifest names models, not pairs. Its ledger tells how many systems were planned (`cases` of them each, those of
    techniques that the last execution did not ask for apart); where these are all pairs there can be, they are known.
    """
    made = info.executed
    if made is None or made.ledger is None or not cases:
        return []
    pairs = [
        (llm, embedding)
        for llm in made.parameters.get("llms") or {}
        for embedding in made.parameters.get("embeddings") or {}
    ]
    beside = made.counts.get("other_techniques") or {}
    return pairs if made.ledger.planned + beside.get("planned", 0) == len(pairs) * cases else []


def systems_not_there(info: RunInfo, seen: list[System], planned: list[System]) -> Iterator[str]:
    """Systems, or where these are not known models, that were planned and have no answer at all."""
    gone = [f"{llm} × {embedding}" for llm, embedding in planned if (llm, embedding) not in seen]
    if gone:
        yield f"run {info.name}: no answer at all from {', '.join(gone)}; all its cases count as missing"
    parameters = info.executed.parameters if info.executed and not planned else {}
    for place, kind in enumerate(("llms", "embeddings")):
        absent = [name for name in parameters.get(kind) or {} if name not in {system[place] for system in seen}]
        if absent:
            yield f"run {info.name}: no answer at all with {', '.join(absent)}, which was planned; it is in no table"


def suite_changed(
    workspace: Workspace, info: RunInfo, found: Results, planned: dict[str, dict[str, Case]]
) -> Iterator[str]:
    """Cases and texts that are not those the run was executed on."""
    inputs = info.executed.inputs if info.executed else {}
    if not planned:
        if any(name.startswith("cases ") for name in inputs):
            yield (
                f"run {info.name}: suite {info.suite} holds none of its cases, so that missing answers cannot be seen; "
                "name its suite (workspace.suite)"
            )
        return
    cases = texts = 0
    for folder, document in case_files(info):
        path = cases_file(workspace, info.suite, folder, document)
        cases += not path.is_file() or sha256_file(path) != inputs[f"cases {folder}/{document}"]
    for name, digest in inputs.items():
        known = found.documents.get((info.suite, name.removeprefix("text ")))
        # An import may know no text: there the hash is empty.
        texts += name.startswith("text ") and digest != "" and (known is None or known.text_sha256 != digest)
    if cases:
        yield f"run {info.name}: {cases} file(s) of cases of suite {info.suite} changed or went after it was executed"
    if texts:
        yield f"run {info.name}: {texts} document(s) of suite {info.suite} changed or went after it was executed"


def verdicts_alone(workspace: Workspace, info: RunInfo) -> Iterator[str]:
    """Verdict files without the answer file that they mirror."""
    answers, verdicts = workspace.answers(info.name), workspace.verdicts(info.name)
    audits = (workspace.retrieval_audit, workspace.claims_audit, workspace.coverage_audit, workspace.adversarial)
    beside = {audit(info.name) for audit in audits}
    found = [path for path in verdicts.glob("*/*.jsonl") if path.parent not in beside]
    alone = [path for path in found if not (answers / path.parent.name / path.name).is_file()]
    if alone:
        first = min(alone).relative_to(workspace.root).as_posix()
        yield (
            f"run {info.name}: {len(alone)} verdict file(s) have no answer file ({first}"
            f"{' and others' if len(alone) > 1 else ''}) and are left out"
        )


def changed_systems(info: RunInfo, files: list[Path]) -> list[str]:
    """Systems (their folders' names) whose answers are not those that were judged, by the judge's manifest.

    Imported verdicts came together with their answers; their manifest is of another stage and holds no such hash.
    """
    if info.judged is None or info.judged.stage != JUDGE_STAGE:
        return []
    judged = info.judged.inputs
    return [name for name, digest in answer_hashes(files).items() if judged.get(name) != digest]


def judged_other_answers(workspace: Workspace, info: RunInfo, files: list[Path], changed: list[str]) -> Iterator[str]:
    """How many systems have answers that came or changed after the judgement."""
    if changed:
        folder, systems = workspace.answers(info.name).name, {path.parent.name for path in files}
        yield (
            f"run {info.name}: answers of {len(changed)} of {len(systems)} system(s) are not those that were judged "
            f"(answers/{folder}/{changed[0]}{' and others' if len(changed) > 1 else ''}); run `ragtester judge`"
        )

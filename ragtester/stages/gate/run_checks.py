"""Checks of the run itself: is every row there, of this suite, judged as the settings say, and is enough right?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ragtester.records import GateCheck, Manifest
from ragtester.results import Result, Results, RunInfo, notes, tally
from ragtester.stages.gate.evidence import Asked, Baseline, Evidence, Identity
from ragtester.stages.gate.judges import pinned
from ragtester.stages.gate.lines import MIN, Figure, all_graded, failure, impossible, line, ungraded, warning, within
from ragtester.stages.proportions import proportion
from ragtester.tables.cells import counted
from ragtester.workspace import Workspace


def run_checks(workspace: Workspace, asked: Asked, evidence: Evidence) -> Iterator[GateCheck]:
    """Every check of the layer "run"."""
    if "run" in evidence.faults:
        yield impossible("run", "not made", evidence.faults["run"])
    results, info = evidence.results, evidence.info
    if results is None or info is None:
        yield impossible("run", "answers", evidence.fault)
        return
    rows = list(results.open_book)
    if not rows:
        yield impossible("run", "answers", f"run {asked.run} is empty: 0 cases were asked, and nothing is no pass")
        return
    yield from _ended(info)
    if results.twice:
        text = f"{counted(results.twice, 'row')} of answers or verdicts beside another of the same case and system"
        yield impossible("run", "twice", f"{text}: which one counts is chance; delete one of each")
    yield from _rows(rows, info, asked)
    yield from _suite(workspace, results, info, evidence)
    if asked.baseline:
        yield from _cases_of_baseline(rows, info, evidence.baseline)
    yield from _judge(asked, info, rows)
    if asked.gate.min_pass_rate is not None:
        systems = tally.by(rows, lambda row: " × ".join(row.system)).items()
        figures = [Figure(proportion(one.passed, one.graded), name) for name, one in systems]
        yield within("run", "passed", figures, asked.gate.min_pass_rate, MIN, "graded answers")


def _ended(info: RunInfo) -> Iterator[GateCheck]:
    for manifest, what, command in ((info.executed, "execution", "execute"), (info.judged, "judgement", "judge")):
        if manifest is None:
            yield impossible("run", what, f"the {what} was never started; run `ragtester {command}`")
        elif manifest.ended is None:
            yield impossible("run", what, f"the {what} has not ended; run `ragtester {command}` again")


def _rows(rows: list[Result], info: RunInfo, asked: Asked) -> Iterator[GateCheck]:
    """Missing rows close the gate whatever the limits are; rows without a grade do where they are too many."""
    missing = Counter(row.reason for row in rows if row.status == "missing")
    if missing:
        first = next(row for row in rows if row.status == "missing")
        reasons = ", ".join(f"{n} {reason}" for reason, n in missing.most_common())
        text = f"{missing.total()} of {counted(len(rows), 'row')} missing ({reasons}; first: {first.case_id})"
        yield impossible("run", "rows", f"{text}; run `ragtester execute` and `ragtester judge` again")
    without = sum(row.status == "ungraded" for row in rows)
    absent = [] if missing else _absent(info.executed, rows)
    if absent:
        text = f"no row of {', '.join(absent)}, which the run planned; run `ragtester execute` again"
        yield impossible("run", "rows", text)
    elif not missing:
        yield line("run", "rows", f"{counted(len(rows), 'row')} planned, none missing{all_graded(without)}")
    yield from ungraded("run", without, len(rows), asked.gate.max_ungraded, "rows")


def _absent(made: Manifest | None, rows: list[Result]) -> list[str]:
    """Models that the execution planned and no row has."""
    planned = made.parameters if made else {}
    llms, embeddings = {row.llm for row in rows}, {row.embedding for row in rows}
    return [
        *(name for name in planned.get("llms") or {} if name not in llms),
        *(name for name in planned.get("embeddings") or {} if name not in embeddings),
    ]


def _suite(workspace: Workspace, results: Results, info: RunInfo, evidence: Evidence) -> Iterator[GateCheck]:
    """Whether the run is of the suite as it stands."""
    planned = {one.document_id: {one.id: one} for one in results.cases.values()}
    told = [text.partition(": ")[2] for text in notes.suite_changed(workspace, info, results, planned)]
    gone = sum(results.case(row) is None for row in results.open_book)
    if gone:
        told.append(f"{counted(gone, 'answer')} of cases that the suite does not hold")
    if evidence.unknown_files:
        count = counted(len(evidence.unknown_files), "file")
        told.append(f"{count} of cases that the run was not asked (first: {evidence.unknown_files[0]})")
    for text in told:
        yield failure("run", "suite", f"not the suite {info.suite} as it stands: {text}; execute the run anew")
    if not told:
        yield line("run", "suite", f"{info.suite} as it stands, {counted(len(_identities(results)), 'case')}")


def _identities(results: Results) -> frozenset[Identity]:
    return frozenset((row.technique, row.case_id) for row in results.open_book)


def _cases_of_baseline(rows: list[Result], info: RunInfo, baseline: Baseline | None) -> Iterator[GateCheck]:
    """The same case ids, and behind each id the same case."""
    assert baseline is not None
    if baseline.fault:
        yield impossible("run", "baseline", f"{baseline.name}: {baseline.fault}")
        return
    own = {(row.technique, row.case_id) for row in rows}
    told = []
    for ids, where in ((baseline.cases - own, "not here"), (own - baseline.cases, "not there")):
        if ids:
            told.append(f"{counted(len(ids), 'case id')} {where} (first: {min(ids)[1]})")
    changed = _other_cases(info.executed, baseline.executed)
    if changed and not told:
        told.append(f"{counted(len(changed), 'file')} of cases with other contents (first: {changed[0]})")
    for text in told:
        yield failure("run", "baseline", f"other cases than those of {baseline.name}: {text}; run the baseline anew")
    if not told:
        yield line("run", "baseline", f"the same {counted(len(own), 'case')} as in {baseline.name}")


def _other_cases(now: Manifest | None, before: Manifest | None) -> list[str]:
    """Files of cases that both runs were executed on and that differ."""
    first, second = (one.inputs if one else {} for one in (now, before))
    shared = [name for name in first if name.startswith("cases ") and name in second]
    return [name.removeprefix("cases ") for name in shared if first[name] != second[name]]


def _judge(asked: Asked, info: RunInfo, rows: list[Result]) -> Iterator[GateCheck]:
    """One judge, the one of the settings, pinned where that is demanded, and none of the systems under test."""
    judges = sorted({row.judge for row in rows if row.judge})
    wanted = asked.settings.judge.model
    if len(judges) > 1:
        yield failure("run", "judge", f"verdicts of {len(judges)} judges ({', '.join(judges)}); judge with --overwrite")
    elif judges and judges != [wanted]:
        text = f"judged by {judges[0]}, and the settings name {wanted}; judge with --overwrite"
        yield failure("run", "judge", text)
    elif judges:
        served = info.judged.models.get(judges[0]) if info.judged else None
        named = f"{judges[0]}, served as {served}" if served and served != judges[0] else judges[0]
        yield line("run", "judge", named)
    yield from pinned("run", judges, asked.gate)
    for judge in judges:
        if judge in {row.llm for row in rows}:
            text = f"{judge} is also a system under test: models favour their own answers"
            yield warning("run", "judge", text)

"""What runs were made with besides their models. Answers of one system under two setups are not one system's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ragtester.judgement import STAGE as JUDGE_STAGE
from ragtester.records import CLOSED_BOOK_SUFFIX
from ragtester.results import Result, RunInfo

EXECUTED = ("k", "scope", "chunker", "refusals")
JUDGED = ("pass_mean",)


def differing(runs: Iterable[RunInfo]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each parameter that the runs do not share, with its value by run; runs that say nothing at all are passed over.

    The closed-book control has its own setup and is no system.
    """
    infos = [run for run in runs if not run.name.endswith(CLOSED_BOOK_SUFFIX)]
    executed = {run.name: run.executed.parameters for run in infos if run.executed}
    # Verdicts that were imported were not given by a threshold of this program.
    judged = {run.name: run.judged.parameters for run in infos if run.judged and run.judged.stage == JUDGE_STAGE}
    for names, known in ((EXECUTED, executed), (JUDGED, judged)):
        for name in names:
            values = {run: parameters.get(name) for run, parameters in known.items()}
            if len({repr(value) for value in values.values()}) > 1:
                yield name, values


def apart(runs: Iterable[RunInfo], rows: Iterable[Result]) -> set[tuple[str, str]]:
    """Systems that several runs asked under different setups, or that different judges graded in different runs."""
    found: dict[tuple[str, str], dict[str, set[str]]] = {}
    for row in rows:
        judges = found.setdefault(row.system, {}).setdefault(row.run, set())
        if row.judge:
            judges.add(row.judge)
    values = [by_run for _, by_run in differing(runs)]
    return {
        system
        for system, judges in found.items()
        if len({frozenset(names) for names in judges.values() if names}) > 1
        or any(len({repr(by_run[run]) for run in judges if run in by_run}) > 1 for by_run in values)
    }

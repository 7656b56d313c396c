"""Which answers are judged again. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ragtester.errors import UsageError
from ragtester.results import Result
from ragtester.statistics import sample_size, stratified_sample

Identity = tuple[str, str, str, str]
"""LLM, embedding model, technique and case id: one answer of a run."""


@dataclass(frozen=True)
class Sample:
    """The drawn answers with their verdict in the run, and what stayed out."""

    status: dict[Identity, Literal["pass", "fail"]]
    population: int
    by_rule: int
    ungraded: int


def identity_of(row: Result) -> Identity:
    """What a row is found by in the files."""
    return row.llm, row.embedding, row.technique, row.case_id


def draw(rows: Iterable[Result], size: int | None, seed: int) -> Sample:
    """Draw answers whose verdict needed the judge.

    `size` None is Cochran's size for 95 % and 5 %, 0 is all. The sample is in proportion to system, technique, case
    type and verdict, so that its flip rate is that of the run without weights. Raises UsageError where no answer of the
    run has a verdict.
    """
    population: list[Result] = []
    by_rule = ungraded = 0
    for row in rows:
        if not row.graded:
            ungraded += 1
        elif row.decided_by == "refusal":
            by_rule += 1
        else:
            population.append(row)
    if not population and not by_rule:
        raise UsageError("no answer of this run has a verdict; run `ragtester judge` first")
    wanted = sample_size(len(population)) if size is None else size or len(population)
    drawn = stratified_sample(population, _stratum, wanted, seed, key=lambda row: repr(identity_of(row)))
    status: dict[Identity, Literal["pass", "fail"]] = {
        identity_of(row): "pass" if row.status == "pass" else "fail" for row in drawn
    }
    return Sample(status, len(population), by_rule, ungraded)


def _stratum(row: Result) -> tuple[str, str, str, str, str]:
    return row.llm, row.embedding, row.technique, row.type, row.status

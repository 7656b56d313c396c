"""The rows of one point: their keys, what stands on disk, and what is still to be made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ragtester.provenance import row_key, sha256_text
from ragtester.rag.contexts import Context
from ragtester.records import Case, Document, ExperimentQuery, Failure
from ragtester.searching.measure import Measured
from ragtester.searching.suite import Suite
from ragtester.stages.experiment.points import Point
from ragtester.stages.placed_rows import PlacedRow, keep_only, read_placed
from ragtester.storage import iter_rows
from ragtester.tasks import SPENT_FAILURES

VERSION = 2
"""Of what is measured: another number makes every row anew."""


class Line(PlacedRow):
    """What is kept of a row while the work is planned."""

    query_id: str
    key: str
    status: str
    failure: Failure | None = None

    def is_worth_another(self, retry_failed: bool) -> bool:
        """Whether nothing was retrieved for a reason that may have gone."""
        if self.status != "unfinished":
            return False
        return retry_failed or self.failure is None or self.failure.type not in SPENT_FAILURES


@dataclass(frozen=True)
class Keys:
    """Hashes of every case in the suite's order, and of the documents around them; made once for all points."""

    cases: dict[str, str]
    corpus: str

    @classmethod
    def of(cls, suite: Suite) -> Keys:
        """Read the suite. Raises DataError where it is not sound."""
        cases = {}
        for share in suite.check():
            for case in share.cases:
                if case.id in share.asked:
                    cases[case.id] = _case_key(case, share.document)
        return cls(cases, sha256_text("\n".join(one.model_dump_json() for one in suite.documents)))

    def of_point(self, point: Point, prompts: Mapping[str, str]) -> dict[str, str]:
        """Key of each case's row under a point."""
        execute = point.settings.execute
        # What other documents there are is of no account where each has an index of its own and all may be found.
        alone = execute.index.scope == "document" and not execute.retrieval.filters
        shared = row_key(
            version=VERSION, point=point.identity, prompts=dict(prompts), corpus="" if alone else self.corpus
        )
        return {name: row_key(shared=shared, case=key) for name, key in self.cases.items()}


def _case_key(case: Case, document: Document) -> str:
    """What of a case and its document reaches its row; the expected answer does not."""
    evidence = [(span.start, span.end) for span in case.evidence]
    return row_key(
        case=[case.id, case.technique, case.type, case.language, case.question, evidence, case.user_tags],
        origin=case.origin.model_dump() if case.origin else None,
        document=[document.id, document.text_sha256, document.tags, document.language],
    )


@dataclass
class PointRows:
    """The file of a point. `kept` rows stand; `stale` were made from other inputs, or stand twice."""

    path: Path
    keys: dict[str, str]
    kept: dict[str, Line] = field(default_factory=dict)
    stale: list[Line] = field(default_factory=list)
    again: int = 0

    @property
    def missing(self) -> list[str]:
        """Cases whose rows are still to be made."""
        return [name for name in self.keys if name not in self.kept]

    def clear(self) -> None:
        """Leave the kept rows in the file, in the suite's order, and nothing else."""
        keep_only(self.path, [self.kept[name] for name in self.keys if name in self.kept])

    def rows(self) -> Iterator[ExperimentQuery]:
        """The rows on disk, one at a time."""
        return iter_rows(self.path, ExperimentQuery)


def read_rows_of(path: Path, keys: dict[str, str], again: Callable[[Line], bool]) -> PointRows:
    """Read a point's file against the planned keys; an interrupted tail is cut off.

    `again` tells the rows that are to be made once more.
    """
    found = PointRows(path, keys)
    for line in read_placed(path, Line, "query of an experiment"):
        if keys.get(line.query_id) != line.key or line.query_id in found.kept:
            found.stale.append(line)
        elif again(line):
            found.again += 1
        else:
            found.kept[line.query_id] = line
    return found


def make_row(point: Point, key: str, context: Context, measured: Measured, failure: Failure | None) -> ExperimentQuery:
    """The row of one case; nothing is measured where the search failed."""
    case = context.case
    return ExperimentQuery(
        query_id=case.id,
        document_id=case.document_id,
        key=key,
        point=point.name,
        embedding=point.embedding,
        technique=case.technique,
        type=case.type,
        language=case.language,
        question=case.question,
        k=point.settings.execute.k,
        status="unfinished" if failure else measured.status,
        failure=failure,
        gold=measured.gold,
        context_ids=context.trace.context_ids,
        context_characters=context.trace.context_characters,
        metrics=None if failure else measured.metrics,
        candidates=None if failure else measured.candidates,
        ranked=None if failure else measured.ranked,
        missed=None if failure else measured.missed,
    )

"""The explorer's index: what its list shows, filters and sorts, and which block holds the rest of each row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragtester.records import CRITERIA, NO_RETRIEVAL, Case
from ragtester.report.details import Details, key_of
from ragtester.report.figures import type_name
from ragtester.report.kind_rule import kind_rule
from ragtester.report.readability import band
from ragtester.report.rows import ChunkList, case_detail, row_detail
from ragtester.results import Result, Results
from ragtester.stages.compare.failure_kinds import failure_kind

BLOCK_ROWS = 200
PLURALS = {"flesch": "bands"}
LETTERS = {"pass": "p", "fail": "f", "ungraded": "u", "missing": "m"}


class Words:
    """A list of texts, each once."""

    def __init__(self) -> None:
        self.at: dict[str, int] = {}

    def ref(self, text: str) -> int:
        """Position of `text`."""
        return self.at.setdefault(text, len(self.at))

    @property
    def texts(self) -> list[str]:
        """The texts in order."""
        return list(self.at)


@dataclass
class Explorer:
    """Index and blocks, not yet packed."""

    index: dict[str, Any]
    blocks: list[dict[str, Any]] = field(default_factory=list)


def build(results: Results, rows: Sequence[Result], details: Details) -> Explorer:
    """Index and blocks of the chosen rows, in the order document, case, system."""
    systems = list(dict.fromkeys(row.system for row in results.rows))
    documents = _documents(results, details)
    words = {name: Words() for name in ("technique", "type", "language", "source", "flesch", "decided", "kind", "flag")}
    statuses = _statuses(results, systems)
    cases: list[list[Any]] = []
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    found = Explorer({})
    for group in _blocks(_by_case(results, rows)):
        chunks = ChunkList(details, documents)
        block: dict[str, Any] = {"cases": {}, "rows": []}
        for (suite, case_id), members in group:
            case = results.cases.get((suite, case_id))
            block["cases"][str(len(cases))] = case_detail(case)
            for row in members:
                place = [len(cases), systems.index(row.system), len(found.blocks), len(block["rows"])]
                kind = None if row.closed_book else failure_kind(row, case)
                _add(columns, row, place, words, words["kind"].ref(kind or ""))
                rule = {"rule": kind_rule(row, case, kind)} if kind else {}
                block["rows"].append(row_detail(row, details, chunks) | rule)
            question = _question(case, members, details)
            known = _case(case_id, members[0], case, documents, words)
            more = [words["source"].ref(members[0].source or "unknown"), words["flesch"].ref(band(case))]
            cases.append([*known, question, statuses[suite, case_id], *more])
        block["chunks"] = chunks.rows
        found.blocks.append(block)
    found.index = {
        "run": results.runs[0].name if results.runs else "",
        "criteria": list(CRITERIA),
        "systems": [[*system, int(system[1] == NO_RETRIEVAL)] for system in systems],
        "documents": [_document(results, id_) for id_ in documents],
        **{PLURALS.get(name, f"{name}s"): column.texts for name, column in words.items()},
        "cases": cases,
        "rows": columns,
    }
    return found


COLUMNS = ("case", "system", "block", "place", "status", "mean", "decided", "kind", "flags", "low", "why")


def _add(columns: dict[str, list[Any]], row: Result, place: list[int], words: dict[str, Words], kind: int) -> None:
    low = sum(
        1 << i for i, criterion in enumerate(CRITERIA) if row.ratings and getattr(row.ratings, criterion) == "false"
    )
    flags = [words["flag"].ref(flag) for flag in row.flags]
    values = [LETTERS[row.status], row.mean, words["decided"].ref(row.decided_by), kind, flags, low]
    for name, value in zip(COLUMNS, [*place, *values, row.reason], strict=True):
        columns[name].append(value)


def _case(
    case_id: str, row: Result, case: Case | None, documents: dict[str, int], words: dict[str, Words]
) -> list[Any]:
    return [
        case_id,
        documents[row.document_id],
        words["technique"].ref(row.technique),
        words["type"].ref(type_name(row.type, row.subtype)),
        words["language"].ref(row.language or "unknown"),
        round(case.flesch, 1) if case and case.flesch is not None else None,
    ]


def _question(case: Case | None, rows: Sequence[Result], details: Details) -> str:
    if case is not None:
        return case.question
    answers = (details.answers.get(key_of(row)) for row in rows)
    return next((answer.trace.query for answer in answers if answer and answer.trace), "")


CaseKey = tuple[str, str]


def _by_case(results: Results, rows: Sequence[Result]) -> list[tuple[CaseKey, list[Result]]]:
    suites = {run.name: run.suite for run in results.runs}
    found: dict[CaseKey, list[Result]] = {}
    for row in rows:
        found.setdefault((suites.get(row.run, ""), row.case_id), []).append(row)
    return sorted(found.items(), key=lambda item: (item[1][0].document_id, item[0]))


def _blocks(cases: list[tuple[CaseKey, list[Result]]]) -> Iterator[list[tuple[CaseKey, list[Result]]]]:
    """Whole cases, about `BLOCK_ROWS` rows together."""
    block: list[tuple[CaseKey, list[Result]]] = []
    size = 0
    for item in cases:
        if block and size + len(item[1]) > BLOCK_ROWS:
            yield block
            block, size = [], 0
        block.append(item)
        size += len(item[1])
    if block:
        yield block


def _statuses(results: Results, systems: list[tuple[str, str]]) -> dict[CaseKey, str]:
    """One letter a system for every case, also where its row is not in the explorer; "-" where none was planned."""
    suites = {run.name: run.suite for run in results.runs}
    at = {system: place for place, system in enumerate(systems)}
    found: dict[CaseKey, list[str]] = {}
    for row in results.rows:
        letters = found.setdefault((suites.get(row.run, ""), row.case_id), ["-"] * len(systems))
        letters[at[row.system]] = LETTERS[row.status]
    return {key: "".join(letters) for key, letters in found.items()}


def _documents(results: Results, details: Details) -> dict[str, int]:
    names = {row.document_id for row in results.rows} | {place.document_id for place in details.chunks.values()}
    return {name: place for place, name in enumerate(sorted(names))}


def _document(results: Results, id_: str) -> list[Any]:
    known = next((document for (_, name), document in results.documents.items() if name == id_), None)
    return [id_, known.path if known else "", len(known.page_starts) if known else 0]

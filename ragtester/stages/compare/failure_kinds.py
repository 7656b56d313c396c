"""Which of the paper's four kinds a failed answer is of. Pure.

The paper (RQ1) names unsupported hallucination on negative queries, retrieval inaccuracies, incomplete integration of
the context, and difficulties in comprehending complex passages, and assigns them by reading. Here they follow from
what is recorded, in this order, so that every failed graded row has exactly one:

1. the case must be refused, or its user may see none of the evidence: **hallucination** (it was answered);
2. no trace, or no gold chunk is known: **unknown**;
3. no gold chunk was in the final context: **retrieval**, whatever the model then said;
4. some gold chunks were and some were not: **integration**; also where all were, the answer needs several pieces of
   evidence, and what it says is not unfaithful but incomplete;
5. otherwise the model had its evidence and is still wrong: **comprehension**.

A false refusal (an answerable question refused) is no kind of its own: without gold chunks in the context it was the
retrieval that failed, with them the model. Such refusals are counted apart in a table of their own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Literal

from ragtester.records import Case
from ragtester.results import Result, Results
from ragtester.stages.compare.naming import system_namer
from ragtester.stages.compare.view import View, make_view
from ragtester.statistics import format_rate
from ragtester.tables import Cell, Paragraph, Rate, Section, Table

Kind = Literal["hallucination", "retrieval", "integration", "comprehension", "unknown"]
KINDS: tuple[Kind, ...] = ("hallucination", "retrieval", "integration", "comprehension", "unknown")
WORDS: dict[Kind, str] = {
    "hallucination": "hallucination where a refusal was right",
    "retrieval": "retrieval inaccuracy",
    "integration": "incomplete integration",
    "comprehension": "comprehension",
    "unknown": "unknown (no trace or no gold chunk)",
}
WORST_DOCUMENTS = 10


def failure_kind(row: Result, case: Case | None) -> Kind | None:
    """The kind of a failed row; None where the row did not fail. `case` tells how many pieces of evidence it needs."""
    if row.status != "fail":
        return None
    if not row.answerable:
        return "hallucination"
    if not row.gold or row.gold_seen is None:
        return "unknown"
    if row.gold_seen == 0:
        return "retrieval"
    if row.gold_seen < row.gold:
        return "integration"
    several = row.gold > 1 or (case is not None and len(case.evidence) > 1)
    return "integration" if several and _is_incomplete(row) else "comprehension"


def failure_kinds(results: Results) -> Counter[Kind]:
    """How many failed answers of systems with retrieval are of each kind."""
    return Counter(kind for _, kind in _graded(results) if kind)


def section(results: Results, view: View | None = None) -> Section:
    """Kinds of failure by system, case type and document, and the false refusals; `view` is that of `results`."""
    graded = _graded(results)
    parts: list[Paragraph | Table] = [Paragraph(_sentence(results, graded))]
    if any(kind for _, kind in graded):
        system = system_namer(view or make_view(results))
        parts += [
            _table(("failure-kinds-by-system", "Failure kinds by system", "system"), graded, system),
            _table(("failure-kinds-by-type", "Failure kinds by case type", "case type"), graded, _type),
            _documents(graded),
            _refusals(graded, system),
        ]
    return Section("failure-kinds", "Failure kinds", tuple(parts))


def _graded(results: Results) -> list[tuple[Result, Kind | None]]:
    """Graded rows of systems with retrieval, each with its kind where it failed."""
    return [
        (row, failure_kind(row, results.case(row)) if row.status == "fail" else None)
        for row in results.open_book
        if row.graded
    ]


def _is_incomplete(row: Result) -> bool:
    ratings = row.ratings
    return ratings is not None and ratings.completeness != "true" and ratings.faithfulness != "false"


def _sentence(results: Results, graded: list[tuple[Result, Kind | None]]) -> str:
    counts = Counter(kind for _, kind in graded if kind)
    failed = counts.total()
    statuses = Counter(row.status for row in results.open_book)
    told = (
        f"{failed} of {len(graded)} graded answers failed "
        f"({statuses['ungraded']} not graded, {statuses['missing']} missing)."
    )
    if not failed:
        return f"{told} There is no failure to sort by kind."
    shares = "; ".join(f"{WORDS[kind]} {format_rate(counts[kind], failed)}" for kind in KINDS if counts[kind])
    return f"{told} Of the failures: {shares}."


def _table(
    heading: tuple[str, str, str], graded: Iterable[tuple[Result, Kind | None]], group_of: Callable[[Result], str]
) -> Table:
    """`heading` is the table's id, its title and the first column's name; a pair without a kind is a passed answer."""
    groups: dict[str, Counter[Kind | None]] = defaultdict(Counter)
    for row, kind in graded:
        groups[group_of(row)][kind] += 1
    name, title, first = heading
    kinds = KINDS if any(counts["unknown"] for counts in groups.values()) else KINDS[:-1]
    rows = tuple(_row(group, counts, kinds) for group, counts in sorted(groups.items()))
    return Table(name, title, (first, "failed of graded", *kinds), rows, ("Shares are of the row's failed answers.",))


def _row(group: str, counts: Counter[Kind | None], kinds: Iterable[Kind]) -> tuple[Cell, ...]:
    failed = counts.total() - counts[None]
    return (group, Rate(failed, counts.total()), *(Rate(counts[kind], failed) for kind in kinds))


def _documents(graded: list[tuple[Result, Kind | None]]) -> Table:
    """The documents with most failures, worst first."""
    heading = ("failure-kinds-by-document", "Failure kinds by document", "document")
    table = _table(heading, graded, lambda row: row.document_id)
    counts = Counter(row.document_id for row, kind in graded if kind)
    worst = sorted(table.rows, key=lambda cells: (-counts[str(cells[0])], str(cells[0])))[:WORST_DOCUMENTS]
    left = len(table.rows) - len(worst)
    notes = table.notes + (
        (f"The {WORST_DOCUMENTS} with most failures; {left} more have no more than these.",) if left else ()
    )
    return Table(table.id, table.title, table.columns, tuple(worst), notes)


def _refusals(graded: Iterable[tuple[Result, Kind | None]], system: Callable[[Result], str]) -> Table:
    """Answerable questions that were refused, by how much of their gold chunks the model had before it."""
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for row, _ in graded:
        if not row.answerable:
            continue
        counts = groups[system(row)]
        counts["graded"] += 1
        if row.status == "fail" and row.decided_by == "refusal":
            counts["refused"] += 1
            counts[_seen(row)] += 1
    unknown = any(counts["unknown"] for counts in groups.values())
    seen = ("none", "some", "all", *(("unknown",) if unknown else ()))
    made: list[tuple[Cell, ...]] = []
    for name, counts in sorted(groups.items()):
        shares = (Rate(counts[how], counts["refused"]) for how in seen)
        made.append((name, Rate(counts["refused"], counts["graded"]), *shares))
    notes = ("Refusing without gold chunks is the retrieval's failure, refusing with them the model's.",)
    columns = ("gold not seen", "partly seen", "all seen", *(("unknown",) if unknown else ()))
    return Table(
        "false-refusals",
        "False refusals by system",
        ("system", "false refusals of answerable", *columns),
        tuple(made),
        notes,
    )


def _seen(row: Result) -> str:
    if not row.gold or row.gold_seen is None:
        return "unknown"
    if row.gold_seen == 0:
        return "none"
    return "all" if row.gold_seen >= row.gold else "some"


def _type(row: Result) -> str:
    return f"{row.type} ({row.subtype})" if row.subtype else row.type

"""Techniques side by side: how much of the documents they reach, what they ask, and what they find for the money."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragtester.records import Case, Manifest
from ragtester.results import Result, Results
from ragtester.stages.compare import suite_figures as figures
from ragtester.stages.compare.closed_book import lucky_share
from ragtester.stages.compare.suite_costs import Costs, costs_of
from ragtester.statistics import format_rate
from ragtester.storage import read_json
from ragtester.tables import Cell, Estimate, Paragraph, Rate, Section, Table
from ragtester.workspace import Workspace

Manifests = Mapping[tuple[str, str], Manifest]
"""By suite and technique; those that are not there are absent."""


@dataclass(frozen=True)
class Side:
    """What is known of one technique in the runs that are compared."""

    technique: str
    cases: list[Case]
    unfilled: int
    rows: list[Result]
    manifests: list[Manifest]


def read_manifests(workspace: Workspace, results: Results) -> dict[tuple[str, str], Manifest]:
    """The manifests of all techniques of the suites that the runs are of."""
    places = {(suite, case.technique) for (suite, _), case in results.cases.items()}
    places |= {(suite, name.partition("/")[0]) for suite, name in results.unfilled}
    found = {}
    for suite, technique in sorted(places):
        manifest = read_json(workspace.suite(suite) / technique / "manifest.json", Manifest)
        if manifest is not None:
            found[suite, technique] = manifest
    return found


def section(results: Results, manifests: Manifests | None = None) -> Section:
    """One table: a row a figure, a column a technique."""
    sides = _sides(results, manifests or {})
    if not sides:
        return Section("suite-quality", "Quality of the suites", (Paragraph("There is no case to speak of."),))
    types = sorted({figures.type_name(case) for side in sides for case in side.cases})
    columns = [_column(results, side, types) for side in sides]
    rows = tuple((name, *(column[name] for column in columns)) for name in columns[0])
    table = Table(
        "suite-quality",
        "Techniques side by side",
        ("figure", *(side.technique for side in sides)),
        rows,
        (
            "Coverage is counted, not sampled: no interval. Section characters: of sections that cases were made of.",
            "Near-duplicates: of the questions of one document, those that nearly repeat an earlier one.",
            "Means with an interval from a bootstrap over documents. Flesch Reading Ease: higher is easier.",
            "Failures per 100: of graded answers, a case asked of one system. Failed by any: by at least one system.",
            "Failures per dollar: failed answers over what making the cases, answering and judging cost.",
            "A cost that is not known, or a division by nothing spent, is n/a.",
            "Lucky passes: answers right in closed book; n/a without a control.",
        ),
    )
    return Section("suite-quality", "Quality of the suites", (Paragraph(_sentence(sides)), table))


def _sides(results: Results, manifests: Manifests) -> list[Side]:
    rows: dict[str, list[Result]] = {}
    for row in results.open_book:
        rows.setdefault(row.technique, []).append(row)
    cases: dict[str, list[Case]] = {}
    for case in results.cases.values():
        cases.setdefault(case.technique, []).append(case)
    unfilled: dict[str, int] = {}
    for (_, name), count in results.unfilled.items():
        technique = name.partition("/")[0]
        unfilled[technique] = unfilled.get(technique, 0) + count
    return [
        Side(
            name,
            cases.get(name, []),
            unfilled.get(name, 0),
            rows.get(name, []),
            [manifest for (_, technique), manifest in sorted(manifests.items()) if technique == name],
        )
        for name in sorted(rows.keys() | cases.keys() | unfilled.keys())
    ]


def _column(results: Results, side: Side, types: list[str]) -> dict[str, Cell]:
    """Figure to cell, in the order of the table."""
    cases = side.cases
    return {
        "cases": len(cases),
        "unfilled": Rate(side.unfilled, len(cases) + side.unfilled),
        "documents": len({case.document_id for case in cases}),
        **figures.types(cases, types),
        **figures.coverage(results, cases, side.manifests),
        "near-duplicates": figures.near_duplicates(cases),
        "words a question": figures.mean(cases, figures.question_words, "words"),
        "Flesch of question": figures.mean(cases, figures.question_flesch),
        "Flesch of section": figures.mean(cases, lambda case: case.flesch),
        "lexical overlap": figures.mean(cases, lambda case: case.lexical_overlap),
        **_found(side),
        "lucky passes": lucky_share(results, side.technique),
    }


def _found(side: Side) -> dict[str, Cell]:
    graded = [row for row in side.rows if row.graded]
    failed = [row for row in graded if row.status == "fail"]
    asked = {(row.run, row.case_id) for row in graded}
    hit = {(row.run, row.case_id) for row in failed}
    costs = costs_of(side.rows, side.manifests)
    return {
        "not graded, missing": len(side.rows) - len(graded),
        "failures per 100": figures.per_hundred(graded),
        "cases failed by any": Rate(len(hit), len(asked)),
        **_money(costs, len(side.cases), len(side.rows)),
        "failures per dollar": _per_dollar(len(failed), costs),
    }


def _money(costs: Costs, cases: int, answers: int) -> dict[str, Cell]:
    parts = (
        ("cases", costs.cases, cases),
        ("answers", costs.answers, answers),
        ("judging", costs.judge, answers),
    )
    return {
        f"cost of {name}": None if cost is None else Estimate(cost, count, None, "$") for name, cost, count in parts
    }


def _per_dollar(failures: int, costs: Costs) -> Cell:
    return Estimate(failures / costs.total, failures) if costs.total else None


def _sentence(sides: list[Side]) -> str:
    told = []
    for side in sides:
        graded = [row for row in side.rows if row.graded]
        failed = sum(row.status == "fail" for row in graded)
        told.append(
            f"{side.technique}: {len(side.cases)} cases ({side.unfilled} unfilled), "
            f"{format_rate(failed, len(graded))} of the graded answers to them failed."
        )
    return " ".join(told)

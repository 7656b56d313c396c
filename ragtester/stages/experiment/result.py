"""From the rows of all points to the experiment's result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ragtester.records import ExperimentResult, IndexSize, PointResult
from ragtester.results import load_results
from ragtester.runs import answer_files
from ragtester.stages.experiment.comparing import Generated, Graded, Grades, compare, correct
from ragtester.stages.experiment.plan import Plan, configuration
from ragtester.stages.experiment.points import Pair, Point, variant_runs
from ragtester.stages.experiment.values import Measurement
from ragtester.workspace import Workspace


def make_result(workspace: Workspace, plan: Plan, sizes: Mapping[str, IndexSize | None]) -> ExperimentResult:
    """Every point's figures, and every variant against its baseline. Two points at a time are in memory."""
    wanted, points = plan.wanted, plan.wanted.points
    seed = wanted.baseline.workspace.seed
    figures = tuple(_figures(plan, point, sizes[point.label], seed) for point in points.points)
    notes = _notes(figures)
    comparisons = []
    runs = variant_runs(points, wanted.experiment.name) if wanted.experiment.generate else {}
    before: tuple[str, Measurement] | None = None
    for pair in sorted(points.pairs, key=lambda pair: points.points.index(pair.before)):
        if before is None or before[0] != pair.before.label:
            before = pair.before.label, measurement(plan, pair.before)
        generated, told = _generated(workspace, plan, pair, runs)
        notes += told
        comparisons.append(compare(pair, before[1], measurement(plan, pair.after), seed, generated))
    corrected, family = correct(comparisons)
    return ExperimentResult(
        name=wanted.experiment.name,
        suite=plan.suite.name,
        k=wanted.baseline.execute.k,
        baseline=configuration(points.points[0]),
        points=figures,
        comparisons=corrected,
        axes=points.axes,
        left_out=tuple(points.left_out),
        family=family,
        notes=tuple(dict.fromkeys(notes)),
    )


def measurement(plan: Plan, point: Point) -> Measurement:
    """The rows of a point, as they are compared."""
    return Measurement.of(point.embedding, plan.rows(point, settled=True).rows())


def _figures(plan: Plan, point: Point, size: IndexSize | None, seed: int) -> PointResult:
    found = measurement(plan, point)
    return PointResult(
        name=point.name,
        kind=point.kind,
        also=plan.wanted.points.also.get(point.label, ""),
        embedding=point.embedding,
        k=point.settings.execute.k,
        changes=point.changes,
        queries=found.ledger,
        hit=found.hits(),
        metrics=found.means(seed),
        context=found.context(seed),
        index=size,
    )


def _notes(figures: tuple[PointResult, ...]) -> list[str]:
    """What the figures leave out, where it is not the same for all points."""
    accounts = [point.queries for point in figures]
    names = {
        "no_gold": "without gold chunks (they must be refused, or their evidence is not known)",
        "hidden_gold": "whose gold their user may not see",
        "unfinished": "for which nothing was retrieved",
    }
    notes = []
    for name, told in names.items():
        counts = Counter(getattr(account, name) for account in accounts)
        if any(counts):
            count = str(next(iter(counts))) if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
            notes.append(f"{count} of {accounts[0].planned} queries are in no figure: {told}")
    return notes


def _generated(
    workspace: Workspace, plan: Plan, pair: Pair, runs: Mapping[str, tuple[str, tuple[str, ...]]]
) -> tuple[Generated | None, list[str]]:
    """The graded answers of both runs; None, and why, where one was not made."""
    if not runs:
        return None, []
    sides = []
    for point in (pair.before, pair.after):
        run, embeddings = runs[point.name]
        if not answer_files(workspace, run)[0]:
            return None, [f"run {run} has no answers yet: nothing is said of generation"]
        sides.append((run, _grades(workspace, plan, run, point.embedding or embeddings[0])))
    (run_before, before), (run_after, after) = sides
    return Generated(run_before, run_after, before, after), []


def _grades(workspace: Workspace, plan: Plan, run: str, embedding: str) -> Grades:
    found = load_results(workspace, [run], plan.suite.name)
    return {
        (row.llm, row.technique, row.case_id): Graded(
            row.document_id, row.status == "fail", found.cases[plan.suite.name, row.case_id].question
        )
        for row in found.open_book
        if row.graded and row.embedding == embedding
    }

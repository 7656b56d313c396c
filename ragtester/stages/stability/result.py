"""From a plan and its rows to the audit's result. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.records import Ledger, StabilityResult
from ragtester.stages.stability.figures import (
    Judged,
    criteria,
    flip_rate,
    grouped,
    identical,
    overturned,
    straddlers,
    verdict_of,
)
from ragtester.stages.stability.plan import Plan
from ragtester.stages.stability.rows import Line


def stability_result(plan: Plan, run: str) -> StabilityResult:
    """The figures of the rows that stand; repeats that are open or without a grade are counted, and in no rate."""
    lines = [plan.lines[place] for place in plan.keys if place in plan.lines]
    answers = _joined(plan)
    seed, repeats = plan.wanted.seed, plan.wanted.repeats
    ok = sum(line.graded for line in lines)
    skipped = len(plan.keys) - len(lines)
    graded = [len(answer.graded) for answer in answers]
    return StabilityResult(
        run=run,
        judge=plan.judge.model,
        served_judges=tuple(sorted({line.served_judge for line in lines if line.served_judge})),
        prompt_sha256=plan.judge.prompt_sha256,
        pass_mean=plan.judge.pass_mean,
        languages=tuple(sorted(plan.languages)),
        repeats=repeats,
        seed=seed,
        population=plan.sample.population,
        by_rule=plan.sample.by_rule + plan.by_rule,
        ungraded=plan.sample.ungraded,
        sampled=len(answers),
        ledger=Ledger(planned=len(plan.keys), ok=ok, failed=len(lines) - ok, skipped=skipped),
        complete=not skipped,
        deterministic=plan.judge.model.startswith("embedded:"),
        measured=sum(n > 1 for n in graded),
        partial=sum(1 < n < repeats for n in graded),
        unmeasured=sum(n < 2 for n in graded),
        verdict=flip_rate("verdict", answers, verdict_of, seed),
        criteria=criteria(answers, seed),
        systems=grouped(answers, lambda answer: answer.system, seed),
        types=grouped(answers, lambda answer: answer.type, seed),
        overturned=overturned(answers),
        identical=identical(answers),
        straddling=straddlers(answers, plan.judge.pass_mean),
        run_judges=plan.run_judges,
        cost=_cost(lines),
        notes=plan.notes,
    )


def _joined(plan: Plan) -> list[Judged]:
    """The answers with the rows that stand, repeats in order."""
    for identity, answer in plan.answers.items():
        places = ((identity, number) for number in range(1, plan.wanted.repeats + 1))
        answer.lines = [plan.lines[place] for place in places if place in plan.lines]
    return list(plan.answers.values())


def _cost(lines: Sequence[Line]) -> float | None:
    costs = [line.call.cost if line.call else None for line in lines]
    known = [cost for cost in costs if cost is not None]
    return round(sum(known), 6) if len(known) == len(costs) else None

"""Which language models an experiment asks, and what is left of it to do; said before anything is asked."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.stages.experiment.plan import Plan, Wanted
from ragtester.stages.experiment.points import Points, run_settings
from ragtester.tables import Document, Paragraph, Section, Table


def model_faults(wanted: Wanted) -> Iterator[str]:
    """What asks a language model where none may be asked."""
    if not wanted.no_models:
        return
    asked = {point.name: point.models for point in wanted.points.points if point.models}
    if asked:
        told = "; ".join(f"{name}: {_listed(models)}" for name, models in asked.items())
        yield f"--no-models, but settings ask language models ({told})"
    if wanted.experiment.generate:
        yield "--no-models, but generate = true asks for answers and verdicts"


def _listed(models: dict[str, str]) -> str:
    return ", ".join(f"{step} asks {model}" for step, model in models.items())


def asked_models(points: Points) -> list[str]:
    """One line for each point whose query path asks a language model, said before it is asked."""
    return [f"{point.label}: {_listed(point.models)}" for point in points.points if point.models]


def estimate(plan: Plan) -> Document:
    """What is still to be done, point by point: searches, and requests to language models at most."""
    rows = []
    for point in plan.wanted.points.points:
        left = plan.missing[point.label]
        asked = _listed(point.models) or "none"
        rows.append((point.name, point.embedding or "none", left, left * len(point.models), asked))
    columns = ("setting", "embedding model", "searches", "LLM requests", "LLMs")
    said = (
        f"{len(plan.keys.cases)} cases under {len(rows)} settings: {sum(plan.missing.values())} searches are left. "
        "Texts are embedded where no store of an earlier run holds them; a model that reranks is asked once a search."
    )
    table = Table("estimate", "What is left to do", columns, tuple(rows), keys=2)
    said += _generated(plan)
    return Document(
        f"Estimate of the experiment {plan.wanted.experiment.name}",
        (Section("estimate", "What is left to do", (Paragraph(said), table)),),
    )


def _generated(plan: Plan) -> str:
    """Requests for answers and verdicts; empty where none are asked for. What stands of them is not taken off."""
    wanted = plan.wanted
    if not wanted.experiment.generate:
        return ""
    runs = run_settings(wanted.points, wanted.experiment.name)
    systems = sum(len(group.llms) * len(group.embeddings) for own in runs for group in own.execute.groups)
    answers = systems * len(plan.keys.cases)
    repeats = wanted.baseline.judge.repeats
    return (
        f" generate = true: at most {answers} answers of {len(runs)} runs and {answers * repeats} judgements by "
        f"{wanted.baseline.judge.model} come on top."
    )

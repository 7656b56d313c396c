"""How many requests an output audit would still make, and what they cost; asks nothing."""

from __future__ import annotations

from ragtester.claiming import Claims, check_request, coverage_model, split_request
from ragtester.models.prices import price_of
from ragtester.models.rendering import Renderer
from ragtester.progress import Progress
from ragtester.settings import Settings
from ragtester.stages.coverage.looking import as_answer, pairs_of
from ragtester.stages.coverage.plan import Wanted, make_plan, place_of
from ragtester.stages.coverage.seen import Seen, SeenClaim
from ragtester.tables import Document, Paragraph, Section, Table
from ragtester.tasks import CHECK_CLAIM, SPLIT_ANSWER, Models
from ragtester.text.claim_cover import claims_of
from ragtester.text.words import estimate_tokens
from ragtester.workspace import Workspace

SPLIT, CHECK = 120, 60
"""Usual tokens of a split answer and of a checked claim."""


def estimate(workspace: Workspace, settings: Settings, models: Models, progress: Progress, wanted: Wanted) -> Document:
    """Calls, tokens and money. An answer without a claims audit is split by rule here: the model may split otherwise.

    Claims that no chunk supports alone are asked about once more; these come on top, as retries do.
    """
    claims = Claims(models, coverage_model(settings))
    plan = make_plan(workspace, settings, claims, progress, wanted)
    prompts = workspace.prompts if workspace.prompts.is_dir() else None
    renderer, splits, checks, saved = Renderer(prompts), 0, 0, 0
    tokens = 0
    for seen in plan.seen:
        if place_of(seen) not in plan.open or not (seen.measurable and seen.readable):
            continue
        if seen.claims is None:
            splits += 1
            chunks = [seen.texts[name] for name in seen.context_ids or seen.raw_ids if name in seen.texts]
            request = split_request(as_answer(seen), seen.case, chunks)
            tokens += sum(map(estimate_tokens, renderer.render(SPLIT_ANSWER, request)))
        split = _claims(seen)
        pairs, left = pairs_of(seen, split, prefilter=plan.judging.prefilter)
        checks, saved = checks + len(pairs), saved + left
        text = {one.number: one.text for one in split}
        for number, name in pairs:
            asked = check_request(text[number], seen.case, [seen.texts[name]])
            tokens += sum(map(estimate_tokens, renderer.render(CHECK_CLAIM, asked)))
    out = SPLIT * splits + CHECK * checks
    free = claims.model.startswith(("embedded:", "scripted:"))
    cost = 0.0 if free else price_of(claims.model, tokens, out, settings.model(claims.model))
    columns = ("model", "answers to split", "checks", "left out by the prefilter", "tokens in", "tokens out", "US$")
    table = Table(
        "coverage-estimate", "Requests to come", columns, ((claims.model, splits, checks, saved, tokens, out, cost),)
    )
    said = "One try a request: retries come on top, and one more check for a claim that no chunk supports alone."
    section = Section("estimate", "Estimate", (Paragraph(f"{said} n/a: no price is known."), table))
    return Document(f"Output audit of run {settings.execute.run}", (section,))


def _claims(seen: Seen) -> tuple[SeenClaim, ...]:
    if seen.claims is not None:
        return seen.claims
    return tuple(SeenClaim(number, text) for number, text in enumerate(claims_of(seen.answer, seen.language), start=1))

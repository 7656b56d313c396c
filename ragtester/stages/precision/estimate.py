"""What the votes that are still to come would cost, before anything is asked or written."""

from __future__ import annotations

from ragtester.models.prices import price_of
from ragtester.models.rendering import Renderer
from ragtester.records import Manifest
from ragtester.settings import Settings
from ragtester.stages.precision.audit import Audit, open_audit, own_renderer, with_passes_kept
from ragtester.stages.precision.files import Files
from ragtester.stages.precision.panel import Member, keep_current, open_member
from ragtester.storage import read_json
from ragtester.tables import Cell, Document, Paragraph, Section, Table
from ragtester.tasks import VOTE_ON_VERDICT
from ragtester.text.words import estimate_tokens
from ragtester.workspace import Workspace

REPLY = 80
"""Usual tokens of a reason with its vote."""


def estimate(workspace: Workspace, settings: Settings) -> Document:
    """Calls, tokens and money by member. Asks no model and writes no row.

    Prompt tokens are estimated from the rendered prompts. One try an answer: retries come on top.
    """
    made = read_json(Files.of(workspace, settings.execute.run).manifest, Manifest)
    audit, renderer = open_audit(workspace, with_passes_kept(settings, made)), own_renderer(workspace)
    rows = []
    for name in settings.audit.panel:
        member = open_member(name, audit.files, audit.sample, renderer.sha256(VOTE_ON_VERDICT))
        keep_current(member, audit.sample, retry_failed=settings.audit.retry_failed)
        rows.append(_row(member, audit, renderer))
    drawn = " and ".join(f"{n} of {audit.population.statuses[name]} {name}" for name, n in audit.drawn.items())
    text = f"{drawn} verdicts would be drawn. One try an answer: retries come on top; n/a: no price is known."
    table = Table(
        "precision-estimate", "Votes to come", ("member", "calls", "tokens in", "tokens out", "US$"), tuple(rows)
    )
    return Document(f"Precision audit of run {audit.run}", (Section("estimate", "Estimate", (Paragraph(text), table)),))


def _row(member: Member, audit: Audit, renderer: Renderer) -> tuple[Cell, ...]:
    left = [item for item in audit.items if item.row.id not in member.cast]
    prompt = sum(estimate_tokens(text) for item in left for text in renderer.render(VOTE_ON_VERDICT, item.request))
    provider = member.model.partition(":")[0]
    settings = audit.settings.model(member.model)
    free = provider in ("embedded", "scripted")
    cost = 0.0 if free else price_of(member.model, prompt, REPLY * len(left), settings)
    return member.model, len(left), prompt, REPLY * len(left), cost

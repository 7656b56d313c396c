"""`ragtester audit …`: each audit's commands stand in a module of their own."""

from __future__ import annotations

import typer

from ragtester.cli import audit_canary, audit_claims, audit_coverage, audit_precision, audit_retrieval, audit_stability

app = typer.Typer()
audit = typer.Typer(
    name="audit", help="Is the oracle right and stable, and where did the evidence get lost?", no_args_is_help=True
)
for part in (audit_precision, audit_stability, audit_retrieval, audit_claims, audit_coverage, audit_canary):
    audit.registered_commands += part.app.registered_commands
app.add_typer(audit)

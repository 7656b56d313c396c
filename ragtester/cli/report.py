"""Commands that show a run."""

from __future__ import annotations

import typer

app = typer.Typer()

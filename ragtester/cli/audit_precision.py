"""Commands that ask how often the oracle is right."""

from __future__ import annotations

import typer

app = typer.Typer()

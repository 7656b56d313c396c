"""Commands that ask how stable the oracle is, and how well it agrees with people."""

from __future__ import annotations

import typer

app = typer.Typer()

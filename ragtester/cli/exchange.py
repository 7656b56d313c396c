"""Commands that bring in and hand out suites and results of other tools."""

from __future__ import annotations

import typer

app = typer.Typer()

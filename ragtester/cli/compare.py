"""Commands that compare systems, techniques and corpora."""

from __future__ import annotations

import typer

app = typer.Typer()

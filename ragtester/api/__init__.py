"""The public Python functions; they mirror the commands. A module a subject."""

from __future__ import annotations

from ragtester.api.oracle import Oracle
from ragtester.api.study import Study

__all__ = ["Project"]


class Project(Oracle, Study):
    """A workspace with its settings.

    `folder` holds `ragtester.toml` (defaults where it is absent); `overrides` are `table.key=value` texts, as after
    `--set` on the command line. Every stage method gives a `StageResult` with its ledger, and raises a
    `RagtesterError` for what a user can mend.
    """

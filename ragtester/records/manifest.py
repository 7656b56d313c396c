"""What produced a folder of rows, and the account of them."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from ragtester.records.base import Record


class Ledger(Record):
    """Everything planned is accounted for: `planned = ok + failed + skipped + unfilled`."""

    planned: int
    ok: int = 0
    failed: int = 0
    skipped: int = 0
    unfilled: int = 0

    @model_validator(mode="after")
    def _adds_up(self) -> Ledger:
        total = self.ok + self.failed + self.skipped + self.unfilled
        if total != self.planned:
            raise ValueError(f"planned {self.planned} but {total} accounted for")
        return self


class Manifest(Record):
    """What produced a folder of rows. `inputs` maps a name to a hash; `parameters` is what may not change.

    `outputs` are the hashes of the files that a finished audit wrote, by name: rows and result belong together.
    """

    stage: str
    name: str
    inputs: dict[str, str] = Field(default_factory=dict)
    prompts: dict[str, str] = Field(default_factory=dict)
    models: dict[str, str | None] = Field(default_factory=dict)
    floating_aliases: tuple[str, ...] = ()
    parameters: dict[str, Any] = Field(default_factory=dict)
    seed: int
    versions: dict[str, str] = Field(default_factory=dict)
    revision: str | None = None
    dirty: bool | None = None
    ledger: Ledger | None = None
    counts: dict[str, Any] = Field(default_factory=dict)
    outputs: dict[str, str] = Field(default_factory=dict)
    started: str
    ended: str | None = None

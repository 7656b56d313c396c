"""Fixtures by hand, for the tests of adversarial retrieval."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragtester.adversarial import starter_set
from ragtester.fixtures import Loaded, read_fixtures

OLD = "# Refunds, 2024\n\nRefunds of annual plans are possible within 14 days of the payment.\n"
NEW = (
    "# Refunds, 2026\n\nThis version replaces that of 2024. Refunds of annual plans are possible within 30 days of the "
    "payment.\n"
)
CASE: dict[str, Any] = {
    "id": "stale",
    "kind": "superseded",
    "question": "Within how many days are refunds of annual plans possible?",
    "expectedAnswer": "30 days",
    "keywords": ["30 days"],
    "mustNotContain": ["14 days"],
    "poisonDocIds": ["old"],
    "language": "en",
}


def write(root: Path, case: dict[str, Any] | None = None, docs: dict[str, str] | None = None, name: str = "") -> Path:
    """A fixture's folder below `root`."""
    wanted = CASE if case is None else case
    folder = root / (name or str(wanted["id"]))
    for file, text in ({"old.md": OLD, "new.md": NEW} if docs is None else docs).items():
        path = folder / "docs" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "case.json").write_text(json.dumps(wanted), encoding="utf-8")
    return folder


def starter() -> dict[str, Loaded]:
    """The starter set by id."""
    return {one.fixture.id: one for one in read_fixtures([starter_set()])}

"""Claims by rule on the committed run, whose answers are copied from their chunks: nothing there is a false alarm."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ragtester import Project
from ragtester.models.embedded.claim_checking import check_claim
from ragtester.tasks import CheckClaim, Passage

NUMBER = re.compile(r"(?<![\w.,:-])\d+(?:[.,:]\d+)*(?![\w-])")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository's small workspace, its claims audited."""
    root, made = Path(__file__).parents[1], tmp_path_factory.mktemp("sample")
    for name in ("generated", "answers", "verdicts"):
        shutil.copytree(root / name, made / name)
    shutil.copy(root / "ragtester.toml", made)
    Project(made).audit_claims()
    return made


def test_every_claim_of_a_copied_answer_is_supported(folder: Path) -> None:
    rows = lines(folder / "verdicts/demo/claims/claims.jsonl")
    assert len(rows) > 400
    assert [
        row["claim"] for row in rows if (row["verdict"], row["context_verdict"]) != ("supported", "supported")
    ] == []


def test_no_claim_is_torn(folder: Path) -> None:
    """Its brackets are closed, and it begins and ends with no comma, conjunction or relative pronoun."""
    said = {row["claim"] for row in lines(folder / "verdicts/demo/claims/claims.jsonl")}
    torn = re.compile(r"^(?:and|or|of which|which|because|und|die das)\b|\b(?:and|or|und|oder|with|at|the)$|,$")
    assert [one for one in said if one.count("(") != one.count(")") or torn.search(one)] == []


def test_a_changed_digit_is_contradicted(folder: Path) -> None:
    chunks = {row["id"]: row["text"] for path in folder.glob("answers/demo/chunks/*.jsonl") for row in lines(path)}
    rows = {row["claim"]: row for row in lines(folder / "verdicts/demo/claims/claims.jsonl") if row["chunk_ids"]}
    found: Counter[str] = Counter()
    for claim, row in rows.items():
        passages = tuple(Passage(label=one, text=chunks[one]) for one in row["chunk_ids"])
        for number in NUMBER.finditer(claim):
            last = str((int(number.group()[-1]) + 3) % 10)
            changed = f"{claim[: number.end() - 1]}{last}{claim[number.end() :]}"
            asked = CheckClaim(language=row["language"], question=row["query"], claim=changed, passages=passages)
            found[check_claim(asked).verdict] += 1
    assert found.total() > 120
    assert found["contradicted"] >= 0.95 * found.total()
    assert found["supported"] <= 0.02 * found.total()

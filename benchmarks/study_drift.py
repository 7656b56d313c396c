"""A later run of the study's suite for `ragtester drift`: the same answers, but for one in twenty."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.study_suite import RUN

LATER = "later"
STARTED = "2026-02-01T00:00:00Z"
CHANGED = 0.05
"""Share of the answers that are others now; where they are graded, their verdicts flip."""
FLIPPED = {"pass": "fail", "fail": "pass"}


def build_later(root: Path) -> None:
    """Write `answers/later` and `verdicts/later` beside the study's own run, once; the same on every machine."""
    if (root / "verdicts" / LATER / "manifest.json").is_file():
        return
    draw = Random(1)
    for answers in sorted((root / "answers" / RUN).glob("*/*.jsonl")):
        target = root / "answers" / LATER / answers.parent.name / answers.name
        target.parent.mkdir(parents=True, exist_ok=True)
        if answers.parent.name == "chunks":
            shutil.copy(answers, target)
            continue
        rows = _rows(answers)
        changed = {(row["technique"], row["case_id"]) for row in rows if draw.random() < CHANGED}
        _write(target, [_said(row, changed) for row in rows])
        verdicts = root / "verdicts" / RUN / answers.parent.name / answers.name
        judged = root / "verdicts" / LATER / answers.parent.name / answers.name
        judged.parent.mkdir(parents=True, exist_ok=True)
        _write(judged, [_judged(row, changed) for row in _rows(verdicts)])
    for kind in ("answers", "verdicts"):
        made = json.loads((root / kind / RUN / "manifest.json").read_text(encoding="utf-8"))
        text = json.dumps({**made, "name": LATER, "started": STARTED})
        (root / kind / LATER / "manifest.json").write_text(text, encoding="utf-8")


def _said(row: dict[str, Any], changed: set[tuple[str, str]]) -> dict[str, Any]:
    other = row.get("answer") and (row["technique"], row["case_id"]) in changed
    return {**row, "run": LATER, **({"answer": row["answer"] + " So it says."} if other else {})}


def _judged(row: dict[str, Any], changed: set[tuple[str, str]]) -> dict[str, Any]:
    flips = (row["technique"], row["case_id"]) in changed
    status = FLIPPED.get(row["status"], row["status"]) if flips else row["status"]
    return {**row, "run": LATER, "status": status}


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")

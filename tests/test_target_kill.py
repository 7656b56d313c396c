"""A run of a target is killed at seeded moments and started again: nothing is lost, doubled or asked for twice."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragtester.records import Chunk
from ragtester.storage import read_rows
from tests.conftest import run_environment
from tests.servers.http import Request
from tests.servers.rag_app import RagServer
from tests.target_world import TargetWorld

DOCUMENTS, CASES, CONCURRENCY = 2, 8, 4
REPOSITORY = Path(__file__).parents[1]
# A reply, a row, and one chunk or more, each counted before and after.
MOMENTS = DOCUMENTS * CASES * 2 * 4


def answer(request: Request) -> Any:
    """Two texts for every question: one of its own document, and one that all questions of a word share."""
    asked = re.search(r"has the (\w+) of manual-(\d)", request.body["question"])
    assert asked
    word, number = asked.groups()
    own = f"of manual {number}: the {word} has"
    return {"answer": f"The {word}.", "chunks": [{"id": "a", "text": own}, {"id": "b", "text": f"About the {word}."}]}


def drive(root: Path, url: str, at: int) -> int:
    command = [sys.executable, "-m", "tests.target_driver", str(root), url, str(at)]
    done = subprocess.run(command, check=False, cwd=REPOSITORY, env=run_environment(), capture_output=True, timeout=120)
    if done.returncode not in (0, -signal.SIGKILL):
        raise AssertionError(done.stderr.decode())
    return done.returncode


def files(world: TargetWorld) -> dict[str, list[Any]]:
    """Every row of the run without what a clock says."""
    found = {}
    for path in sorted(world.folder.rglob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for row in rows:
            row.get("call", {}).pop("seconds", None)
        found[path.relative_to(world.folder).as_posix()] = rows
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_kill_and_go_on(tmp_path: Path) -> None:
    draw = random.Random(3)
    with RagServer(answer) as server:
        target = {"name": f"{server.host}/ask"}
        whole = TargetWorld(tmp_path / "whole", target, documents=DOCUMENTS, cases=CASES)
        whole.go()
        assert len(server.requests) == DOCUMENTS * CASES
        killed = TargetWorld(tmp_path / "killed", target, documents=DOCUMENTS, cases=CASES)
        server.requests.clear()
        kills = sum(drive(tmp_path / "killed", target["name"], draw.randint(5, MOMENTS // 3)) != 0 for _ in range(3))
        assert drive(tmp_path / "killed", target["name"], 0) == 0
        assert kills >= 2
        assert files(killed) == files(whole)
        # What was on its way when the process died is asked once more, and nothing else.
        assert len(server.requests) - DOCUMENTS * CASES <= kills * CONCURRENCY
    for number in range(DOCUMENTS):
        rows = read_rows(killed.workspace.chunks_file("main", f"manual-{number}"), Chunk)
        assert len({row.id for row in rows}) == len(rows) > CASES

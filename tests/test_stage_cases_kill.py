"""`kill -9` at any moment of the stage `cases`: nothing is lost, doubled or paid twice."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases_fakes import corpus
from tests.test_stage_cases import files


def start(root: Path, limit: int, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.cases_killed", str(root), str(limit), "all"]
    repository = Path(__file__).parents[1]
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    return subprocess.run(
        command, cwd=repository, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.slow
def test_killed_and_finished_equals_uninterrupted(tmp_path: Path) -> None:
    corpus(tmp_path / "whole", alpha=10, beta=10)
    done = start(tmp_path / "whole", 0)
    assert done.returncode == 0, done.stderr
    made, events = map(int, done.stdout.split())
    assert made == 2 * 2 * 8
    paid = (tmp_path / "whole/paid.txt").read_text("utf-8").split()
    assert len(paid) == len(set(paid))
    chance = random.Random(20)
    for round_number in range(2):
        root = tmp_path / f"killed{round_number}"
        corpus(root, alpha=10, beta=10)
        for kill in range(3):
            stopped = start(root, chance.randint(1, events // 3), str(kill + 1))
            assert stopped.returncode == -signal.SIGKILL, stopped.stderr
        finished = start(root, 0, "9")
        assert finished.returncode == 0, finished.stderr
        assert files(root) == files(tmp_path / "whole")
        assert sorted((root / "paid.txt").read_text("utf-8").split()) == sorted(paid)
        shutil.rmtree(root)

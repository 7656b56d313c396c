"""The stage is killed at seeded random moments and started again: nothing is lost, doubled or paid for twice."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import run_environment
from tests.execute_fakes import World

DOCUMENTS, CASES, LLMS = 3, 8, 2
REPOSITORY = Path(__file__).parents[1]
# Moments of a whole run: two a row and one a request, one or more a batch, one a replaced file.
MOMENTS = DOCUMENTS * CASES * LLMS * 3 + DOCUMENTS * 6


def world(root: Path, build: bool = True) -> World:
    """The suite that is executed; a driver process takes up the one that stands."""
    return World(root, documents=DOCUMENTS, cases=CASES, build=build)


def drive(root: Path, log: Path, when: str, *more: str) -> int:
    command = [sys.executable, "-m", "tests.execute_driver", str(root), str(log), when, *more]
    done = subprocess.run(command, check=False, cwd=REPOSITORY, env=run_environment(), capture_output=True, timeout=120)
    if done.returncode not in (0, -signal.SIGKILL, -signal.SIGALRM):
        raise AssertionError(done.stderr.decode())
    return done.returncode


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("seed", [1])
def test_kill_and_go_on(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    whole, killed, log = tmp_path / "whole", tmp_path / "killed", tmp_path / "served.log"
    world(whole)
    assert drive(whole, tmp_path / "whole.log", "never") == 0
    made = world(killed)
    kills = 0
    for when in [f"event:{draw.randint(1, MOMENTS // 3)}", f"after:{draw.uniform(0.05, 0.6):.3f}"] * 2:
        kills += drive(killed, log, when) != 0
    assert drive(killed, log, "never") == 0
    assert kills >= 2
    assert made.files() == world(whole, build=False).files()
    served = Counter(log.read_text(encoding="utf-8").splitlines())
    requests = {line: count for line, count in served.items() if not line.startswith("embed\t")}
    assert len(requests) == DOCUMENTS * CASES * LLMS
    # A reply and its row are one step: a kill can fall between the two only once.
    assert sum(requests.values()) - len(requests) <= kills
    expected = Counter((tmp_path / "whole.log").read_text(encoding="utf-8").splitlines())
    again = {line: count - expected[line] for line, count in served.items() if line.startswith("embed\t")}
    # One batch at most is embedded again for each kill: a document has fewer chunks than a batch holds.
    assert max(again.values()) <= kills
    assert sum(again.values()) <= kills * 20

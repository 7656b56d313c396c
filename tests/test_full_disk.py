"""A disk that fills up in the middle of a stage: one line, exit code 3, whole rows, and the next start goes on.

Where no small file system can be mounted, a limit on the size of a file stands in for it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragtester import Project
from tests.conftest import run_environment
from tests.test_cli import TEXT

resource = pytest.importorskip("resource", reason="this system has no limit on file sizes")
SETTINGS = (
    "cases.per_document=4",
    'execute.groups=[{llms=["embedded:rules"],embeddings=["embedded:hashing"]}]',
)
LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
sys.argv[:] = ["ragtester", *sys.argv[2:]]
from ragtester.cli import main
main()
"""
STAGES = ("cases", "execute", "judge")
ROWS = {"cases": "generated/main/*/*.jsonl", "execute": "answers/main/*__*/*.jsonl", "judge": "verdicts/main/*/*.jsonl"}


def workspace(folder: Path) -> Path:
    (folder / "corpora").mkdir(parents=True)
    (folder / "corpora" / "boiler.md").write_text(TEXT, encoding="utf-8")
    return folder


def call(folder: Path, stage: str, limit: int) -> subprocess.CompletedProcess[str]:
    options = [part for setting in SETTINGS for part in ("--set", setting)]
    command = [sys.executable, "-c", LIMITED, str(limit), stage, "-q", "-w", str(folder), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=run_environment())


def rows(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() for rows in ROWS.values() for path in sorted(folder.glob(rows))
    }


def check(whole: Path, cut: Path, done: subprocess.CompletedProcess[str]) -> None:
    """One line that names a file of the workspace; rows as in the whole run; the next start makes the rest."""
    assert done.returncode == 3, done.stderr
    told = done.stderr.strip().splitlines()[-1]
    assert told.startswith("ragtester: ") and "start again" in told and str(cut) in told
    assert "Traceback" not in done.stderr
    expected = rows(whole)
    for path, data in rows(cut).items():
        assert set(data.splitlines()) <= set(expected[path].splitlines())
    (cut / "filler").unlink(missing_ok=True)
    Project(cut, SETTINGS).run()
    assert rows(cut) == expected


def test_a_judgement_stops_with_whole_rows_and_goes_on(tmp_path: Path) -> None:
    whole = workspace(tmp_path / "whole")
    Project(whole, SETTINGS).run()
    cut = workspace(tmp_path / "cut")
    for stage in STAGES[:2]:
        getattr(Project(cut, SETTINGS), stage)()
    done = call(cut, "judge", limit=6_000)
    assert list(cut.glob(ROWS["judge"])), "the limit was reached before the first row"
    check(whole, cut, done)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB in memory."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this account cannot mount a small file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


# Room for the small files that come before, and for some of the rows (or, in execute, of the store).
@pytest.mark.parametrize(("stage", "room"), [("cases", 12_288), ("execute", 65_536), ("judge", 12_288)])
def test_a_full_disk_stops_each_stage_with_whole_rows(small_disk: Path, tmp_path: Path, stage: str, room: int) -> None:
    whole = workspace(tmp_path / "whole")
    Project(whole, SETTINGS).run()
    cut = workspace(small_disk / "cut")
    for before in STAGES[: STAGES.index(stage)]:
        getattr(Project(cut, SETTINGS), before)()
    (cut / "filler").write_bytes(b"." * (shutil.disk_usage(cut).free - room))
    check(whole, cut, call(cut, stage, limit=resource.RLIM_INFINITY))

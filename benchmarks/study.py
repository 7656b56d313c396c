"""Time and memory of reading, comparing and reporting runs of the paper's size: `python -m benchmarks.study`.

Each job runs in a fresh child process; its seconds include the start of Python and all imports, its peak is its own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.study_drift import LATER, build_later
from benchmarks.study_suite import RUN, Shape, build

LOAD = (
    "import sys; from pathlib import Path; from ragtester.results import load_results\n"
    "from ragtester.workspace import Workspace\n"
    "found = load_results(Workspace(Path(sys.argv[1])), [sys.argv[2]])\n"
    "print(len(found.rows), 'rows', sum(row.graded for row in found.rows), 'graded', found.notes)"
)
JOBS = {
    "load_results": [sys.executable, "-c", LOAD, "{root}", RUN],
    "compare": [sys.executable, "-m", "ragtester", "compare", "--run", RUN, "-w", "{root}"],
    "drift": [sys.executable, "-m", "ragtester", "drift", RUN, LATER, "-w", "{root}"],
    "report": [sys.executable, "-m", "ragtester", "report", RUN, "-w", "{root}"],
}


def measure(command: list[str], show: bool) -> tuple[int, float, float, float]:
    """Exit code, wall seconds, CPU seconds and peak megabytes of a child."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=None if show else subprocess.DEVNULL) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    return child.returncode, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", nargs="*", choices=[*JOBS, []], help="which; all without a name")
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--cases", type=int, default=25, help="of each of two techniques in a document")
    parser.add_argument("--systems", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="make the workspace here and keep it; used again where it stands")
    parser.add_argument("--show", action="store_true", help="let the jobs print")
    chosen = parser.parse_args()
    shape = Shape(chosen.documents, chosen.cases, chosen.systems)
    with tempfile.TemporaryDirectory() as temporary:
        root = chosen.folder or Path(temporary)
        if not (root / "ragtester.toml").is_file():
            root.mkdir(parents=True, exist_ok=True)
            start = time.perf_counter()
            print(f"{build(root, shape):,} answers made in {time.perf_counter() - start:.0f} s", file=sys.stderr)
        print("| job | exit | wall s | CPU s | peak MB |\n| --- | --- | --- | --- | --- |", flush=True)
        if "drift" in (chosen.jobs or JOBS):
            build_later(root)
        for job in chosen.jobs or JOBS:
            command = [part.format(root=root) for part in JOBS[job]]
            for _ in range(chosen.rounds):
                code, wall, cpu, peak = measure(command, chosen.show)
                print(f"| `{job}` | {code} | {wall:.1f} | {cpu:.1f} | {peak:.0f} |", flush=True)


if __name__ == "__main__":
    main()

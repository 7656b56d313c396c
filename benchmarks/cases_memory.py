"""Peak memory of `ragtester cases` over corpora of different sizes: `python -m benchmarks.cases_memory 50 200`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

PARAGRAPH = (
    "The valve of station {name} closes at {degrees} degrees. The warden of station {name} reads the gauge every "
    "{hours} hours, and the pipes behind it were replaced in {year}. The reserve pump of station {name} delivers "
    "{flow} litres a minute, unless the main pump runs."
)
# The child prints its own peak, its reading processes apart.
CHILD = (
    "import resource, sys; from ragtester import Project\n"
    "done = Project(sys.argv[1], ['cases.technique=ragtester', 'cases.per_document=4']).cases()\n"
    "print(done.ledger.planned, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
)


def write(folder: Path, documents: int) -> None:
    for number in range(documents):
        parts = [
            PARAGRAPH.format(
                name=f"N{number}-{part}",
                degrees=11 + part,
                hours=2 + part,
                year=1950 + number % 70,
                flow=100 + 7 * part,
            )
            for part in range(8)
        ]
        (folder / f"station-{number:04d}.md").write_text("# Stations\n\n" + "\n\n".join(parts) + "\n", encoding="utf-8")


def main() -> None:
    print("| documents | cases | peak MB |\n| --- | --- | --- |")
    for count in map(int, sys.argv[1:] or ["50", "200"]):
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "corpora").mkdir()
            write(Path(name) / "corpora", count)
            done = subprocess.run([sys.executable, "-c", CHILD, name], capture_output=True, text=True, check=True)
            planned, peak = done.stdout.split()[-2:]
            print(f"| {count} | {planned} | {peak} |", flush=True)


if __name__ == "__main__":
    main()

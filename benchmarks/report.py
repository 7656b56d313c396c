"""How large the report is and how fast it opens: a synthetic run, written, then opened in Chromium.

python -m benchmarks.report [--documents 100] [--cases 25] [--systems 1]
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from shutil import which
from typing import Any

from benchmarks.study_suite import Shape, build
from ragtester import Project

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ROUNDS = 5


def main() -> None:
    """Build, write, open, and print one row of the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--cases", type=int, default=25, help="of each of two techniques in a document")
    parser.add_argument("--systems", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), Shape(given.documents, given.cases, given.systems))
        began = time.perf_counter()
        written = Project(folder).report()
        took = time.perf_counter() - began
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{written.of:,} rows, {written.rows:,} of them in the explorer: {written.bytes / 1e6:.2f} MB")
        print(f"written in {took:.1f} s, peak memory {memory:.0f} MB")
        for name, values in _opened(written.path).items():
            print(
                f"{name}: median {sorted(values)[len(values) // 2]:.2f} s of {len(values)} ({max(values):.2f} at worst)"
            )


def _opened(path: Path) -> dict[str, list[float]]:
    """Seconds until each step is seen, `ROUNDS` times in a fresh browser context."""
    from playwright.sync_api import sync_playwright

    found: dict[str, list[float]] = {}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=which("chromium"), args=list(FLAGS))
        for _ in range(ROUNDS):
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            for name, value in _round(context.new_page(), path).items():
                found.setdefault(name, []).append(value)
            context.close()
        browser.close()
    return found


def _round(page: Any, path: Path) -> dict[str, float]:
    began = time.perf_counter()
    page.goto(path.as_uri(), wait_until="commit")
    page.wait_for_selector("html[data-ready]")
    found = {"failure list ready": time.perf_counter() - began}
    paint = "performance.getEntriesByName('first-contentful-paint').map((entry) => entry.startTime / 1000)"
    found["first screen painted"] = page.evaluate(paint)[0]
    began = time.perf_counter()
    page.locator("#list a").nth(20).click()
    page.wait_for_selector("dialog[open]")
    found["case opened"] = time.perf_counter() - began
    page.keyboard.press("Escape")
    began = time.perf_counter()
    page.fill("#search", "no answer holds this")
    page.wait_for_selector("#count:not(:text('Still'))")
    found["every answer searched"] = time.perf_counter() - began
    return found


if __name__ == "__main__":
    main()

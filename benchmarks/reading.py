"""How fast documents are read: our reader against bare pdfium on the same pages, cleaning and sections apart.

    python -m benchmarks.reading FOLDER

Best of several rounds, in which bare reading and ours take turns, so that a busy machine disturbs both alike; CPU
seconds of one process, with the wall's ratio beside. "bare" opens each file and takes each page's text; "reader" does
that and asks where each line lies; "cleaning" is odd characters, note marks, furniture, hyphens and paragraphs.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest import mock

import pypdfium2

from ragtester.documents import pdfium_reader
from ragtester.documents.furniture import remove_furniture
from ragtester.documents.layout import flow
from ragtester.documents.lines import Page
from ragtester.documents.pdfium_reader import PdfiumDocument
from ragtester.documents.sections import cut_sections

MANUALS = (
    "filesystem-hierarchy-standard.pdf",
    "packaging-guide-en.pdf",
    "reportlab-userguide.pdf",
    "r-faq.pdf",
    "camlidl.pdf",
    "gnuplot.pdf",
)
LARGE = "gnuplot.pdf"
ROUNDS = 9


def best(*actions: Callable[[], object]) -> list[tuple[float, float]]:
    """CPU and wall seconds of each action, the least of several rounds in which the actions take turns."""
    least = [(math.inf, math.inf)] * len(actions)
    for _ in range(ROUNDS):
        for index, action in enumerate(actions):
            wall, cpu = time.perf_counter(), time.process_time()
            action()
            taken = time.process_time() - cpu, time.perf_counter() - wall
            least[index] = min(least[index][0], taken[0]), min(least[index][1], taken[1])
    return least


def bare(path: Path) -> int:
    pdf = pypdfium2.PdfDocument(path)
    characters = 0
    for index in range(len(pdf)):
        page = pdf[index]
        text_page = page.get_textpage()
        characters += len(text_page.get_text_range())
        text_page.close()
        page.close()
    pdf.close()
    return characters


def read(path: Path) -> list[Page]:
    document = PdfiumDocument(path.read_bytes())
    pages = [document.read(index)[0] for index in range(len(document))]
    document.close()
    return pages


def read_only(path: Path) -> None:
    """Reading with the cleaning of characters taken out, for the comparison with bare pdfium."""
    with (
        mock.patch.object(pdfium_reader, "clean_characters", lambda text, **_: (text, 0)),
        mock.patch.object(pdfium_reader, "has_number_in_word", lambda _: False),
    ):
        read(path)


def clean(pages: list[Page]) -> str:
    remove_furniture(pages)
    return flow(pages)[0]


def main(folder: Path) -> None:
    print("| file | pages | bare pdfium s | reader s | ratio | wall ratio | cleaning s |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    totals = [0.0] * 5
    for name in MANUALS:
        path = folder / name
        plain, reader, whole = best(partial(bare, path), partial(read_only, path), partial(read, path))
        pages = read(path)
        (cleaning,) = best(lambda pages=pages: clean([replace(page) for page in pages]))  # type: ignore[misc]
        times = [plain[0], reader[0], plain[1], reader[1], cleaning[0] + max(0.0, whole[0] - reader[0])]
        totals = [total + one for total, one in zip(totals, times, strict=True)]
        row(name, str(len(pages)), times)
    row("all", "", totals)
    text = clean(read(folder / LARGE))
    start = time.process_time()
    sections = cut_sections(text, LARGE, 10, 1000, "en")
    first = time.process_time() - start
    ((again, _),) = best(lambda: cut_sections(text, LARGE, 10, 1000, "en"))
    print(f"\nSections + readability of {LARGE}: {len(sections)} sections, {first:.2f} s at first, {again:.2f} s again")


def row(name: str, pages: str, times: list[float]) -> None:
    plain, reader, plain_wall, reader_wall, cleaning = times
    ratios = f"{reader / plain:.2f} | {reader_wall / plain_wall:.2f}"
    print(f"| {name} | {pages} | {plain:.3f} | {reader:.3f} | {ratios} | {cleaning:.3f} |")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the folder that holds the manuals")
    main(Path(sys.argv[1]))

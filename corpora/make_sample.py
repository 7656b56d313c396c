"""Render the sample corpus: the Markdown files named below become PDFs beside them, with a manifest.

python corpora/make_sample.py [FOLDER]      FOLDER: where to write; left out, corpora/sample itself
"""

from __future__ import annotations

import sys
from pathlib import Path

from ragtester.documents.render import render_pdf
from ragtester.documents.writer import heading
from ragtester.provenance import sha256_file
from ragtester.records import Ledger, Manifest
from ragtester.storage import write_bytes, write_json

SOURCES = Path(__file__).parent / "sample"
# Name, layout profile, language, seed of the layout.
LAYOUTS = (
    ("cable-car-operating-rules", "running_headers+small_print", "en", 1),
    ("data-logger-k2-data-sheet", "tables+appendix", "en", 2),
    ("hausordnung-lindenhof", "two_columns+running_headers", "de", 3),
    ("swimming-hall-energy-report", "figures", "en", 4),
)
MADE = "2026-11-30T00:00:00Z"


def make(folder: Path) -> Manifest:
    """Render all documents into `folder` and write the manifest; raises ValueError for a PDF that lost text."""
    entries = []
    for name, profile, language, seed in LAYOUTS:
        source = SOURCES / f"{name}.md"
        text = source.read_text(encoding="utf-8")
        rendered = render_pdf(text, profile=profile, language=language, seed=seed)
        if rendered.lost:
            raise ValueError(f"{name}: {rendered.lost}")
        write_bytes(folder / f"{name}.pdf", [rendered.pdf])
        entries.append(
            {
                "file": f"{name}.pdf",
                "markdown": f"{name}.md",
                "name": heading(text),
                "profile": profile,
                "language": language,
                "seed": seed,
                "pages": rendered.pages,
                "pdf_sha256": sha256_file(folder / f"{name}.pdf"),
                "markdown_sha256": sha256_file(source),
                "missing_characters": rendered.missing_characters,
            }
        )
    manifest = Manifest(
        stage="documents",
        name="sample",
        seed=0,
        ledger=Ledger(planned=len(entries), ok=len(entries)),
        counts={"documents": entries},
        started=MADE,
        ended=MADE,
    )
    write_json(folder / "manifest.json", manifest)
    return manifest


if __name__ == "__main__":
    made = make(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCES)
    for entry in made.counts["documents"]:
        print(f"{entry['file']}: {entry['pages']} pages, {entry['profile']}")

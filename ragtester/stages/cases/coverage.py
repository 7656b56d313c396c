"""Which share of a document the cases reach, in sections, characters and pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ragtester.records import Case, Document, Section
from ragtester.spans import covered

UNITS = ("sections", "characters", "pages", "evidence_characters")


def coverage(document: Document, sections: Sequence[Section], cases: Iterable[Case]) -> dict[str, Any]:
    """Counts `{unit: {"covered": n, "total": m, "share": n / m or None}}` of one document.

    sections and characters: of the sections that cases were made from; pages and evidence_characters: of the quoted
    spans alone. A format without pages has 0 pages in total and no share.
    """
    rows = list(cases)
    used = {ordinal for case in rows for ordinal in case.sections}
    spans = [(section.start, section.end) for section in sections if section.ordinal in used]
    evidence = [(span.start, span.end) for case in rows for span in case.evidence]
    pages = {page for case in rows for span in case.evidence for page in span.pages}
    return {
        "sections": share(len(spans), len(sections)),
        "characters": share(covered(spans), document.characters),
        "pages": share(len(pages), len(document.page_starts)),
        "evidence_characters": share(covered(evidence), document.characters),
    }


def share(part: int, whole: int) -> dict[str, Any]:
    """A count with its total and their ratio; None where there is nothing to cover."""
    return {"covered": part, "total": whole, "share": round(part / whole, 4) if whole else None}


def add(coverages: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The coverage of several documents together, from their counts."""
    every = list(coverages)
    return {
        unit: share(sum(one[unit]["covered"] for one in every), sum(one[unit]["total"] for one in every))
        for unit in UNITS
    }

"""Failures by Flesch Reading Ease of the section that a case comes from, and why many cases have no score."""

from __future__ import annotations

from itertools import pairwise

from ragtester.documents.readability import LOCALES
from ragtester.records import Case
from ragtester.report.blocks import Group, rate_table, section
from ragtester.report.html import Element, h
from ragtester.results import Results
from ragtester.results.tally import by, count
from ragtester.tables.cells import counted
from ragtester.text.languages import base

EDGES = (0, 30, 50, 60, 70, 80, 90)
BANDS = (
    f"below {EDGES[0]}",
    *(f"{low} to {high}" for low, high in pairwise(EDGES)),
    f"{EDGES[-1]} and more",
)
NO_CASE = "no score: the suite no longer holds the case"
REJECTION = "no score: to be refused, so of no section"
BASELINE = "no score: baseline, made from the whole document"
NO_SECTION = "no score: made from no single section"
SEVERAL = "no score: of several sections"
NO_PROSE = "no score: a list, a table or too short"


def band(case: Case | None) -> str:
    """The band of a case's score, or why it has none."""
    if case is None:
        return NO_CASE
    if case.flesch is not None:
        return BANDS[sum(case.flesch >= edge for edge in EDGES)]
    return _why_none(case)


def _why_none(case: Case) -> str:
    if case.type == "rejection":
        return REJECTION
    if case.type == "baseline":
        return BASELINE
    if len(case.sections) != 1:
        return SEVERAL if case.sections else NO_SECTION
    if base(case.language) not in LOCALES:
        return f"no score: no formula for {case.language or 'an unknown language'}"
    return NO_PROSE


def readability(results: Results) -> Element:
    """Share of failures by band; cases without a score by the reason."""
    found = by(results.open_book, lambda row: band(results.case(row)))
    order = [*BANDS, *sorted(found.keys() - set(BANDS))]
    groups = [Group(name, found[name], {"flesch": name}) for name in order if name in found]
    scored = count(row for row in results.open_book if band(results.case(row)) in BANDS)
    planned = sum(tally.planned for tally in found.values())
    text = (
        "Flesch Reading Ease of the section that a question comes from: lower is harder. Each language has its own "
        f"formula. {scored.planned:,} of {counted(planned, 'answer')} are to cases with a score: those that come from "
        "exactly one section, of prose, in a language with a formula. Cases of the technique baseline are made from "
        "the document as a whole, and questions to be refused from what it does not say."
    )
    table = rate_table("Failed by readability", "Flesch score", groups, failures=True)
    return section("readability", "Readability and failure", h("p", text), table)

"""Figures of a suite's cases: types, coverage, duplicates, length and difficulty of the questions. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from ragtester.documents.readability import flesch
from ragtester.records import Case, Manifest
from ragtester.results import Result, Results
from ragtester.spans import covered
from ragtester.statistics import Interval, cluster_bootstrap
from ragtester.tables import Cell, Estimate, Rate
from ragtester.text.languages import base
from ragtester.text.near_questions import Questions
from ragtester.text.words import words

NEAR_DUPLICATE = 90.0
SEED = 7
UNITS = {
    "sections": "sections covered",
    "characters": "section characters",
    "pages": "pages with evidence",
    "evidence_characters": "evidence characters",
}


def type_name(case: Case) -> str:
    """`rejection (invented)`, `complexity`."""
    return f"{case.type} ({case.subtype})" if case.subtype else case.type


def types(cases: Iterable[Case], names: Iterable[str]) -> dict[str, Cell]:
    """Share of each of the named case types among the cases."""
    counts = Counter(map(type_name, cases))
    return {name: Rate(counts[name], counts.total()) for name in names}


def coverage(results: Results, cases: Iterable[Case], manifests: Iterable[Manifest]) -> dict[str, Cell]:
    """Each unit as "46 of 59 (78.0 %)": from the manifests, or of evidence alone where they do not say."""
    totals = [total for manifest in manifests if (total := _total(manifest))]
    if not totals:
        return _coverage_of_evidence(results, list(cases))
    found: dict[str, Cell] = {}
    for unit, name in UNITS.items():
        part, whole = (sum(int(total[unit][side]) for total in totals) for side in ("covered", "total"))
        found[name] = _counted(part, whole)
    return found


def _total(manifest: Manifest) -> dict[str, dict[str, float]]:
    """The coverage of all documents in the end; empty for suites that did not count it."""
    total: dict[str, dict[str, float]] = manifest.counts.get("coverage", {}).get("total", {}).get("after", {})
    return total if total.keys() >= UNITS.keys() else {}


def _coverage_of_evidence(results: Results, cases: list[Case]) -> dict[str, Cell]:
    """Of the documents that the cases are of, as far as the suite knows them; sections are not known here."""
    names = {case.document_id for case in cases}
    documents = {name: document for (_, name), document in results.documents.items() if name in names}
    spans: dict[str, list[tuple[int, int]]] = {name: [] for name in documents}
    pages: set[tuple[str, int]] = set()
    for case in cases:
        if case.document_id in documents:
            spans[case.document_id] += [(span.start, span.end) for span in case.evidence]
            pages |= {(case.document_id, page) for span in case.evidence for page in span.pages}
    whole = sum(document.characters for document in documents.values())
    return {
        UNITS["sections"]: None,
        UNITS["characters"]: None,
        UNITS["pages"]: _counted(len(pages), sum(len(document.page_starts) for document in documents.values())),
        UNITS["evidence_characters"]: _counted(sum(map(covered, spans.values())), whole),
    }


def _counted(part: int, whole: int) -> str | None:
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else None


def near_duplicates(cases: Iterable[Case], threshold: float = NEAR_DUPLICATE) -> Rate:
    """Cases whose question nearly repeats that of an earlier case of the same document."""
    seen: dict[str, Questions] = {}
    found = total = 0
    for case in cases:
        questions = seen.setdefault(case.document_id, Questions(threshold))
        found += questions.near(case.question, case.language) is not None
        total += 1
        questions.add(case.question)
    return Rate(found, total)


def question_words(case: Case) -> float:
    """Words of the question."""
    return float(len(words(case.question)))


def question_flesch(case: Case) -> float | None:
    """Flesch Reading Ease of the question; None without a formula for its language."""
    return flesch(case.question, base(case.language))


def mean(cases: Iterable[Case], value_of: Callable[[Case], float | None], unit: str = "") -> Estimate | None:
    """Mean over the cases that have the value, with an interval over documents; None where none has it."""
    groups: dict[str, list[float]] = {}
    for case in cases:
        value = value_of(case)
        if value is not None:
            groups.setdefault(case.document_id, []).append(value)
    return _estimate(groups, unit)


def per_hundred(graded: Iterable[Result]) -> Estimate | None:
    """Failures per 100 graded answers, with an interval over documents; None without a graded answer."""
    groups: dict[str, list[float]] = {}
    for row in graded:
        groups.setdefault(row.document_id, []).append(100.0 * (row.status == "fail"))
    return _estimate(groups, "")


def _estimate(groups: dict[str, list[float]], unit: str) -> Estimate | None:
    values = [value for group in groups.values() for value in group]
    if not values:
        return None
    interval: Interval | None = cluster_bootstrap(groups, SEED)
    return Estimate(sum(values) / len(values), len(values), interval, unit)

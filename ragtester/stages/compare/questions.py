"""RQ1 to RQ3: each answered in a sentence or two with count, interval and test, or what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragtester.results.tally import Tally
from ragtester.stages.compare.contrast_words import Sides, contrast_paragraphs
from ragtester.stages.compare.contrasts import Side, contrast_table, correct_together, make_contrast
from ragtester.stages.compare.view import Place, System, View, failures_by_document
from ragtester.stages.compare.words import account, listed, plural, share, short, unfilled_cases
from ragtester.statistics import cluster_bootstrap
from ragtester.tables import Cell, Paragraph, Section, Table
from ragtester.tables.cells import show

SOURCES = ("manual", "generated")
# The format of a document that an import put together from contexts: nobody brought it.
MADE_OF_CONTEXTS = "imported"


def failures_found(view: View, seed: int) -> Section:
    """RQ1: how well do the suites find failures?"""
    total = view.total()
    by_system = view.by(lambda place: place.system)
    graded = {system: tally for system, tally in by_system.items() if tally.graded}
    parts: list[Paragraph | Table] = []
    if not graded:
        parts.append(Paragraph("No answer is graded, so nothing is known (`ragtester judge`).", answer=True))
    else:
        failing = [system for system, tally in graded.items() if tally.failed]
        ordered = sorted(graded, key=lambda system: graded[system].fail_rate.share or 0.0)
        documents = failures_by_document(grade for grades in view.graded.values() for grade in grades.values())
        over = cluster_bootstrap(documents, seed)
        text = f"{show(total.fail_rate)} of the graded answers failed"
        if over:
            around = short(share(total.fail_rate.share or 0.0, total.graded, over))
            text += f" (over {len(documents)} documents {around})"
        text += f"; failures were found in {len(failing)} of {plural(len(graded), 'system')}."
        parts.append(Paragraph(text, answer=True))
        if len(ordered) > 1:
            best, worst = (_end(graded, system) for system in (ordered[0], ordered[-1]))
            parts.append(Paragraph(f"The lowest rate, each system on its own cases: {best}; the highest: {worst}."))
        parts.append(_types(view))
    parts.append(account(total, unfilled_cases(view)))
    return Section("rq1", "RQ1. Are failures found?", tuple(parts))


def _end(graded: Mapping[System, Tally], one: System) -> str:
    """A system with its failures, and how many others have the same rate."""
    rate = graded[one].fail_rate
    others = sum(tally.fail_rate.share == rate.share for tally in graded.values()) - 1
    return f"{one.name}, {show(rate)}" + (f", a tie with {plural(others, 'other system')}" if others else "")


def _types(view: View) -> Table:
    rows: list[tuple[Cell, ...]] = []
    cells = view.by(lambda place: (place.technique, place.type, place.subtype))
    for (technique, kind, subtype), tally in sorted(cells.items()):
        name = f"{kind} ({subtype})" if subtype else kind
        rows.append((technique, name, tally.fail_rate, tally.left_out))
    return Table(
        "by-type", "Failures by case type", ("technique", "case type", "failed", "not counted"), tuple(rows), keys=2
    )


def techniques_compared(view: View, baseline: str, seed: int) -> Section:
    """RQ2: does a technique find more failures than the baseline?"""
    techniques = view.values("technique")
    others = [technique for technique in techniques if technique != baseline]
    parts: list[Paragraph | Table] = []
    if baseline not in techniques or not others:
        parts.append(Paragraph(_no_second(techniques, baseline), answer=True))
        others = []
    contrasts = [make_contrast(view, _technique, (technique, baseline), seed) for technique in others]
    family = correct_together(contrasts)
    if len(contrasts) > 1:
        text = f"{len(contrasts)} techniques are compared with {baseline}: one family of {family} tests"
        parts.append(Paragraph(f"{text}, corrected by Holm."))
    for contrast in contrasts:
        parts += contrast_paragraphs(contrast, Sides(contrast.first, baseline, "finds"))
        if contrast.by_system:
            table_id = "techniques" if len(contrasts) == 1 else f"techniques-{contrast.first}"
            parts.append(contrast_table(contrast, table_id, f"{contrast.first} against {baseline}, by system"))
    parts.append(account(view.total(), unfilled_cases(view)))
    return Section("rq2", "RQ2. Does the technique find more failures than the baseline?", tuple(parts))


def _technique(place: Place) -> str:
    return place.technique


def _no_second(techniques: Sequence[str], baseline: str) -> str:
    if len(techniques) > 1:
        return (
            f"Cannot be answered: the baseline {baseline} is not here; the techniques are {listed(techniques)}. Name "
            "the one to compare with by --baseline-technique."
        )
    return (
        f"Cannot be answered: only one technique is here ({listed(techniques)}). `ragtester cases --technique all`, "
        "then `ragtester execute` and `ragtester judge`, bring the other."
    )


def sources_compared(view: View, seed: int) -> Section:
    """RQ3: do brought documents expose more failures than generated ones?"""
    made = {name for (_, name), document in view.results.documents.items() if document.format == MADE_OF_CONTEXTS}

    def source(place: Place) -> str:
        return "" if place.document in made else place.source

    counts = view.by(source)
    parts: list[Paragraph | Table] = []
    if counts.keys() >= set(SOURCES):
        contrast = make_contrast(view, source, SOURCES, seed)
        sides = Sides("brought documents", "generated documents", "expose")
        parts += contrast_paragraphs(contrast, sides)
        if contrast.by_system:
            parts.append(contrast_table(contrast, "sources", "Brought against generated documents, by system"))
        parts.append(_by_technique(view, source))
    else:
        parts.append(Paragraph(_one_source(sorted(filter(None, counts))), answer=True))
    unknown = view.total(lambda place: not place.source)
    if unknown.planned:
        parts.append(
            Paragraph(f"{unknown.planned} answers are of documents that the suite no longer names; they are left out.")
        )
    contexts = view.total(lambda place: place.document in made)
    if contexts.planned:
        text = f"{contexts.planned} answers are of documents that an import made of contexts; they are left out here."
        parts.append(Paragraph(text))
    parts.append(account(view.total(lambda place: source(place) in SOURCES), unfilled_cases(view)))
    return Section("rq3", "RQ3. Do brought documents expose more failures than generated ones?", tuple(parts))


def _one_source(present: Sequence[str]) -> str:
    if present == ["generated"]:
        how = "only generated documents are here; copy documents of your own into corpora/"
    elif present == ["manual"]:
        how = "only brought documents are here; `ragtester documents` writes generated ones"
    else:
        how = "the suite does not say where its documents come from; `ragtester cases` makes a suite that does"
    return f"Cannot be answered: {how}, then `ragtester cases`, `ragtester execute` and `ragtester judge`."


def _by_technique(view: View, source: Side) -> Table:
    cells = view.by(lambda place: (place.technique, source(place)))
    rows: list[tuple[Cell, ...]] = []
    for technique in view.values("technique"):
        rows.append((technique, *(cells.get((technique, name), Tally()).fail_rate for name in SOURCES)))
    return Table(
        "sources-by-technique", "Failures by corpus source and technique", ("technique", *SOURCES), tuple(rows)
    )

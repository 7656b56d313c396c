"""What a precision audit says: sentences and tables."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.records import PrecisionFigures, PrecisionResult, Share
from ragtester.stages.precision.figures import GROUPS
from ragtester.statistics import Interval, format_rate
from ragtester.tables import Cell, Document, Estimate, Paragraph, Rate, Section, Table

TITLES = {
    "system": "By system",
    "type": "By case type",
    "technique": "By technique",
    "language": "By language",
    "criterion": "By the criterion that decided",
}
MEANING = (
    "Positive is the oracle's fail: TP is a failure that the panel confirms, FP one whose answer it finds acceptable.",
    "Ambiguous (a tie, or too few votes) and open (votes still to come) count in no share.",
)
CHANCE = "Alpha and kappa are near 0 where nearly all votes are the same, however often members agree."
WEIGHTED = "FN and TN come from a sample of passes; recall, specificity and accuracy are weighted back to all answers."


def document(result: PrecisionResult) -> Document:
    """The audit's figures as a document."""
    return Document(
        f"Precision of the oracle: run {result.run}, judge {result.judge}",
        (_overall(result), _groups(result), _panel(result)),
    )


def _overall(result: PrecisionResult) -> Section:
    first = result.figures[0]
    rows = [("as decided", first), ("ambiguous for it", result.as_right)]
    rows.append(("ambiguous against it", result.as_wrong))
    passes = _has_passes(result)
    notes = (*MEANING, WEIGHTED) if passes else MEANING
    table = Table("precision", "Sampled answers", _columns("", result, passes), _rows(rows, result, passes), notes)
    return Section("overall", "The oracle before the panel", (*_sentences(result), table))


def _sentences(result: PrecisionResult) -> list[Paragraph]:
    first = result.figures[0]
    population, sampled = result.population, result.sampled
    drawn = " and ".join(
        f"{sampled[status]} of {population[status]} {name}"
        for status, name in (("fail", "failures"), ("pass", "passes"))
        if status in sampled
    )
    found = [
        Paragraph(f"{drawn} were drawn ({100 * result.confidence:g} % confidence, margin {100 * result.margin:g} %).")
    ]
    decided = first.tp + first.fp
    if decided:
        text = (
            f"Precision {format_rate(first.tp, decided)}; false discovery rate {format_rate(first.fp, decided)}."
            f" {first.by_person} case(s) were decided by a person, {first.ambiguous} are ambiguous, {first.open} open."
        )
    elif not population["fail"]:
        text = "The run has no failures: precision and false discovery rate are undefined."
    else:
        text = f"No sampled failure is decided yet: {first.ambiguous} case(s) are ambiguous, {first.open} open."
    ungraded, missing = population.get("ungraded", 0), population.get("missing", 0)
    if ungraded or missing:
        text += f" {ungraded} ungraded and {missing} missing answer(s) of the run are in no figure."
    return [*found, Paragraph(text)]


def _groups(result: PrecisionResult) -> Section:
    tables = []
    for by in GROUPS:
        own = [(one.name, one) for one in result.figures if one.by == by]
        # A criterion that decided says nothing of what other criteria missed.
        passes = _has_passes(result) and any(one.accuracy for _, one in own)
        tables.append(Table(f"precision-{by}", TITLES[by], _columns(by, result, passes), _rows(own, result, passes)))
    return Section("groups", "The same in parts", tuple(tables))


def _columns(first: str, result: PrecisionResult, weighted: bool) -> tuple[str, ...]:
    counts = ("TP", "FP", "FN", "TN") if _has_passes(result) else ("TP", "FP")
    shares = ("recall", "specificity", "accuracy") if weighted else ()
    return (first, *counts, "ambiguous", "open", "precision", "FDR", *shares)


def _rows(
    named: Sequence[tuple[str, PrecisionFigures]], result: PrecisionResult, weighted: bool
) -> tuple[tuple[Cell, ...], ...]:
    return tuple(_row(name, one, passes=_has_passes(result), weighted=weighted) for name, one in named)


def _row(name: str, one: PrecisionFigures, *, passes: bool, weighted: bool) -> tuple[Cell, ...]:
    decided = one.tp + one.fp
    counts = (one.tp, one.fp, one.fn, one.tn) if passes else (one.tp, one.fp)
    shares = tuple(map(_cell, (one.recall, one.specificity, one.accuracy))) if weighted else ()
    return (name, *counts, one.ambiguous, one.open, Rate(one.tp, decided), Rate(one.fp, decided), *shares)


def _cell(share: Share | None) -> Cell:
    if share is None or share.value is None or share.low is None or share.high is None:
        return None
    ends = Interval(100 * share.low, 100 * share.high)
    return Estimate(100 * share.value, share.n, ends, "%", of="sampled, weighted")


def _has_passes(result: PrecisionResult) -> bool:
    return "pass" in result.sampled


def _panel(result: PrecisionResult) -> Section:
    members = tuple(
        (one.model, one.correct, one.incorrect, one.failed, one.open, one.cost, one.shares or "-")
        for one in result.panel
    )
    pairs = tuple((f"{one.first} / {one.second}", Rate(one.agreed, one.cases), one.kappa) for one in result.pairs)
    columns = ("member", "correct", "incorrect", "failed", "open", "US$", "shares")
    notes = ("correct: the answer is acceptable. A failed vote is no vote.",)
    return Section(
        "panel",
        "The panel",
        (
            Paragraph(_agreement(result)),
            Table("precision-panel", "Votes", columns, members, notes),
            Table("precision-pairs", "Agreement of two members", ("members", "same vote", "kappa"), pairs, (CHANCE,)),
            *(Paragraph(note) for note in result.notes),
        ),
    )


def _agreement(result: PrecisionResult) -> str:
    cases = max((pair.cases for pair in result.pairs), default=0)
    if len(result.panel) < 2:
        return "The panel has one member: there is no agreement to measure."
    if result.alpha is not None:
        return f"Krippendorff's alpha (nominal) over the usable votes: {result.alpha:.3f}."
    if cases and all(pair.agreed == pair.cases for pair in result.pairs):
        return f"All members gave the same vote on all {cases} case(s): alpha is undefined (chance expects no other)."
    return "No case has two usable votes: alpha is undefined."

"""A calibration as sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragtester.records import CalibrationResult, Confusion, ThresholdFindings
from ragtester.stages.proportions import rate_text
from ragtester.statistics import Interval
from ragtester.tables import Cell, Document, Estimate, Paragraph, PValue, Rate, Section, Table

SHOWN = 10
SHOWN_OTHER = 3


def calibration_document(result: CalibrationResult) -> Document:
    """What `ragtester audit calibrate` prints."""
    sections = [
        Section(
            "calibration", "Does the judge agree with people?", (*map(Paragraph, _answer(result)), *_tables(result))
        ),
        Section("labels", "The labels", (*map(Paragraph, _labels(result)), *_people(result))),
    ]
    if result.threshold is not None:
        sections.append(_threshold(result.threshold))
    return Document(f"Calibration of {result.judge}, run {result.run}", tuple(sections))


def _answer(result: CalibrationResult) -> Iterator[str]:
    all_ = result.overall
    yield (
        f"On {result.answers} labelled answers the judge agrees with people in {rate_text(all_.accuracy)}. Of the "
        f"failures it found people confirm {rate_text(all_.precision)} (false discoveries {rate_text(all_.fdr)}); of "
        f"those that people see it found {rate_text(all_.recall)}."
    )
    yield (
        f"This holds for {result.judge}{_served(result)}, this prompt, {_rule(result)} and the language(s) "
        f"{', '.join(name or '?' for name in result.languages)}; used with another it is called stale. It speaks for "
        "the run only as far as the labelled answers were drawn from it at random."
    )


def _served(result: CalibrationResult) -> str:
    known = result.served_judge
    return f" (as served: {known})" if known and known != result.judge else ""


def _rule(result: CalibrationResult) -> str:
    return f"pass_mean {result.pass_mean:g}" + (
        f", {result.repeats} judgements a verdict" if result.repeats > 1 else ""
    )


def _tables(result: CalibrationResult) -> Iterator[Table]:
    yield _overall(result.overall)
    yield _confusions("calibration-by-system", "By system", "system", result.systems)
    yield _confusions("calibration-by-type", "By case type", "case type", result.types)
    yield _confusions("calibration-by-criterion", "By the criterion that decided", "decided by", result.criteria)


def _overall(one: Confusion) -> Table:
    names = ("TP", "FP", "FN", "TN", "precision", "FDR", "recall", "specificity", "accuracy", "kappa")
    means = (
        *("both say fail", "only the judge says fail", "only people say fail", "both say pass"),
        *("TP / (TP + FP)", "FP / (TP + FP)", "TP / (TP + FN)", "TN / (TN + FP)", "both say the same", "beyond chance"),
    )
    rows = tuple(zip(names, _row(one)[1:], means, strict=True))
    return Table("calibration-overall", "All labelled answers", ("", "value [95 %]", "meaning"), rows)


def _confusions(name: str, title: str, first: str, groups: Sequence[Confusion]) -> Table:
    columns = (
        *(first, "TP", "FP", "FN", "TN"),
        *("precision [95 %]", "FDR [95 %]", "recall [95 %]", "specificity [95 %]", "accuracy [95 %]", "kappa [95 %]"),
    )
    return Table(name, title, columns, tuple(map(_row, groups)))


def _row(one: Confusion) -> tuple[Cell, ...]:
    shares = (one.precision, one.fdr, one.recall, one.specificity, one.accuracy)
    return (
        one.name,
        one.tp,
        one.fp,
        one.fn,
        one.tn,
        *(Rate(share.successes, share.n) for share in shares),
        _kappa(one),
    )


def _kappa(one: Confusion) -> Cell:
    if one.kappa is None:
        return None
    known = one.kappa_low is not None and one.kappa_high is not None
    interval = Interval(one.kappa_low, one.kappa_high) if known else None  # type: ignore[arg-type]
    return Estimate(one.kappa, one.accuracy.n, interval)


def _labels(result: CalibrationResult) -> Iterator[str]:
    yield (
        f"{result.labels} labels in {result.labels_file}: {result.answers} answers are used; {len(result.tied)} are "
        f"left out because people are tied, {len(result.ungraded)} because they have no verdict; "
        f"{len(result.unmatched)} label(s) match no answer of the run, {result.repeated} say again what was said. "
        f"{result.blank} row(s) hold no label, and {sum(result.unlabelled.values())} graded answers of the run have "
        "none (listed in to_label.csv)."
    )
    if result.other_answer:
        shown = _names(result.other_answer, SHOWN_OTHER)
        yield (
            f"{len(result.other_answer)} label(s) are of another answer than the run now holds: {shown} "
            "They do not count; label these answers again."
        )
    yield from (f"Note: {note}." for note in result.notes)
    for what, names in (("No answer for", result.unmatched), ("Tied", result.tied), ("Not graded", result.ungraded)):
        if names:
            yield f"{what}: {_names(names, SHOWN)}"
    if len(result.annotators) < 2:
        yield "One annotator: how far people agree with each other is not known."
    else:
        alpha = "is undefined" if result.alpha is None else f"{result.alpha:.2f}"
        yield f"{len(result.annotators)} annotators; Krippendorff's alpha {alpha}."


def _names(names: Sequence[str], most: int) -> str:
    more = f"; and {len(names) - most} more in result.json" if len(names) > most else ""
    return f"{'; '.join(names[:most])}{more}."


def _people(result: CalibrationResult) -> Iterator[Table]:
    if result.pairs:
        columns = ("annotators", "agreed [95 %]", "kappa")
        rows = (
            (f"{one.first} / {one.second}", Rate(one.agreed.successes, one.agreed.n), one.kappa) for one in result.pairs
        )
        yield Table("annotators", "Each two people", columns, tuple(rows))


def _threshold(found: ThresholdFindings) -> Section:
    rows = tuple(
        (
            f"{one.pass_mean:g}",
            Rate(one.agreed.successes, one.agreed.n),
            PValue(one.p),
            "yes" if one.told_apart else "no",
        )
        for one in found.candidates
    )
    note = (
        "p: McNemar's exact test against the best on the same answers, corrected by Holm. Nothing is applied by itself."
    )
    columns = ("pass_mean", "would agree [95 %]", "p", "told apart from the best")
    table = Table("thresholds", "Agreement of other thresholds", columns, rows, (note,))
    return Section("threshold", "Would another pass_mean agree better?", (*map(Paragraph, _said(found)), table))


def _said(found: ThresholdFindings) -> Iterator[str]:
    if not found.decides:
        yield "No labelled answer's verdict depends on pass_mean: the labels say nothing about it."
        return
    yield _verdict(found)
    now = f"oday's {found.pass_mean:g} agrees in {rate_text(found.current)}."
    best = f"In sample {found.suggested:g} agrees in {rate_text(found.best)}, t{now}"
    if found.suggested == found.pass_mean:
        best = f"T{now}"
    if found.out_of_fold is None:
        yield f"{best} All labels are of one document: there is no honest figure for choosing."
        return
    chosen = ", ".join(f"{fold.chosen:g}" for fold in found.folds)
    yield (
        f"{best} Chosen on the other documents and tried on those held out ({len(found.folds)} folds of whole "
        f"documents, seed {found.seed}; chosen: {chosen}) it agrees in {rate_text(found.out_of_fold)}."
    )


def _verdict(found: ThresholdFindings) -> str:
    same = [one.pass_mean for one in found.candidates if not one.told_apart]
    count = f"{len(same)} of {len(found.candidates)} thresholds (from {min(same):g} to {max(same):g})"
    span = f"{count} cannot be told from the best." if len(same) > 1 else "The data tell it from all others."
    if found.suggested == found.pass_mean:
        return f"No threshold agrees more often than today's {found.pass_mean:g}. {span}"
    honest, better = found.out_of_fold, f"{found.suggested:g} agrees more often than today's {found.pass_mean:g}"
    if not found.told_apart:
        more = f" About {found.needed} labels in all would tell them apart." if found.needed else ""
        return f"{better}, but these labels cannot tell the two apart: no reason to change it. {span}{more}"
    if honest is None or honest.successes <= found.current.successes:
        return f"{better} in sample, but not on documents held out: no reason to change it. {span}"
    return f"{better}, also on documents held out. {span} Nothing was changed; set [judge] pass_mean if you want it."

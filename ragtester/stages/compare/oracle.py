"""RQ4: how precise is the oracle? From the precision audits of the runs, where there are any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ragtester.records import PrecisionResult, Share
from ragtester.stages.compare.view import View
from ragtester.stages.compare.words import account, listed, unfilled_cases
from ragtester.tables import Cell, Paragraph, Rate, Section, Table
from ragtester.tables.cells import show


def oracle_precision(
    view: View,
    audits: Sequence[PrecisionResult],
    calibrations: Sequence[str] = (),
    stale: Mapping[str, Sequence[str]] | None = None,
) -> Section:
    """RQ4: how precise is the oracle?

    `calibrations` are sentences on how it did against people's labels; `stale` says by run why its audit does not hold
    for today's answers and verdicts.
    """
    reasons = stale or {}
    parts: list[Paragraph | Table] = []
    if not audits:
        run = view.results.runs[0].name if view.results.runs else "RUN"
        text = (
            "no precision audit of these runs. `ragtester audit precision` draws a sample of the failures of run "
            f"{run} and lets a panel of models vote on it."
        )
        parts.append(Paragraph(_upper(text) if calibrations else f"Cannot be answered: {text}", not calibrations))
    for audit in audits:
        told = _audit(audit, reasons.get(audit.run, ()))
        parts += [Paragraph(text, answer=place == 0) for place, text in enumerate(told)]
    parts += [Paragraph(text, answer=True) for text in calibrations]
    if audits:
        parts.append(_figures(audits, reasons))
    parts.append(account(view.total(), unfilled_cases(view)))
    return Section("rq4", "RQ4. How precise is the oracle?", tuple(parts))


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _audit(audit: PrecisionResult, stale: Sequence[str]) -> Iterator[str]:
    overall = next((figures for figures in audit.figures if figures.by == "overall"), None)
    if overall is None or overall.precision.value is None:
        yield f"Run {audit.run}: the audit has no decided case yet; `ragtester audit precision` goes on with it."
        return
    whole = f" (of {audit.population['fail']} failures)" if "fail" in audit.population else ""
    again = "`ragtester audit precision --overwrite` draws anew"
    old = f" the audit is stale ({'; '.join(stale)}), {again}; it found that" if stale else ""
    yield (
        f"Run {audit.run}:{old} of {overall.tp + overall.fp} sampled failures that were decided{whole}, {overall.tp} "
        f"are failures indeed and {overall.fp} are not: precision {_share(overall.precision)}, false discovery rate "
        f"{_share(overall.fdr)}.{_demonstration(audit)}"
    )
    pending = overall.ambiguous + overall.open
    if pending:
        right, wrong = audit.as_right.precision, audit.as_wrong.precision
        yield (
            f"{overall.ambiguous} are ambiguous and {overall.open} still open, in neither figure; with the ambiguous "
            f"ones counted for the oracle its precision is {_share(right)}, against it {_share(wrong)}. `ragtester "
            "audit precision --review` settles them."
        )
    panel = listed([member.model for member in audit.panel])
    agreement = "undefined" if audit.alpha is None else f"{round(audit.alpha, 2) + 0.0:.2f}"
    yield f"Judge {audit.judge}; panel {panel}; Krippendorff's alpha {agreement}."
    yield from audit.notes


def _demonstration(audit: PrecisionResult) -> str:
    """Rules agree with rules: such a panel shows how an audit goes and measures nothing."""
    if audit.panel and all(member.model.startswith("embedded:") for member in audit.panel):
        return " The whole panel is of rules and no language model: a demonstration, no measurement."
    return ""


def _share(found: Share) -> str:
    if found.value is None:
        return "n/a"
    if found.successes is not None:
        return show(Rate(found.successes, int(found.n)))
    ends = "" if found.low is None or found.high is None else f" [{100 * found.low:.1f}, {100 * found.high:.1f}]"
    return f"{100 * found.value:.1f} %{ends} (n {found.n:.0f})"


def _figures(audits: Sequence[PrecisionResult], stale: Mapping[str, Sequence[str]]) -> Table:
    several = len(audits) > 1
    rows: list[tuple[Cell, ...]] = []
    for audit in audits:
        for figures in audit.figures:
            decided = figures.tp + figures.fp
            group = "all" if figures.by == "overall" else f"{figures.by}: {figures.name}"
            names = (audit.run, group) if several else (group,)
            rates = Rate(figures.tp, decided), Rate(figures.fp, decided)
            rows.append((*names, *rates, figures.ambiguous, figures.open))
    columns: tuple[str, ...] = ("group", "precision", "false discovery rate", "ambiguous", "open")
    columns = ("run", *columns) if several else columns
    notes = tuple(f"Run {run}: stale, {'; '.join(reasons)}." for run, reasons in stale.items() if reasons)
    return Table("oracle-precision", "Precision of the oracle", columns, tuple(rows), notes, keys=2 if several else 1)

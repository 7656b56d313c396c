"""A history of runs, for people: every figure by run, and a strip for each question. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragtester.records import DriftHistory, HistoryRun, Mark, Strip
from ragtester.stages.drift.cells import difference, mark, standing
from ragtester.stages.drift.decision import stamp, told_change
from ragtester.stages.drift.document import unpinned_parts
from ragtester.stages.drift.figure_values import FIGURES
from ragtester.stages.drift.flips_document import question_texts
from ragtester.stages.drift.strips import LEGEND, MARKS, drawn
from ragtester.tables import Cell, Document, Paragraph, PValue, Section, Table
from ragtester.tables.cells import counted, show

MOST_STRIPS = 30
HOW = (
    "Values are over all that a run holds, with 95 % intervals over documents; changes are over the questions that "
    "both runs answered, each with its paired test (not corrected for the number of runs)."
)


def history_document(history: DriftHistory, *, full: bool = False, marks: dict[Mark, str] = MARKS) -> Document:
    """What `ragtester drift --history` prints; with `full` every strip. `marks` draw the strips."""
    sections = [
        Section("runs", "Runs, the oldest first", tuple(_runs(history))),
        Section("figures", "Figures over time", tuple(_figures(history))),
        Section("questions", "Questions over time", tuple(_strips(history, full=full, marks=marks))),
    ]
    if len(history.runs) > 1:
        lines = dict.fromkeys(line for run in history.runs for line in run.unpinned)
        sections.append(Section("unpinned", "What could not be pinned", tuple(unpinned_parts([*lines]))))
    if history.left_out:
        rows = tuple(history.left_out.items())
        sections.append(
            Section("left-out", "Runs that are not here", (Table("left-out", "Left out", ("run", "why"), rows),))
        )
    return Document(f"Drift of suite {history.suite} over {counted(len(history.runs), 'run')}", tuple(sections))


def _runs(history: DriftHistory) -> Iterator[Paragraph | Table]:
    yield Paragraph(_newest(history), answer=True)
    rows: list[tuple[Cell, ...]] = []
    for run in history.runs:
        started = run.started[:16].replace("T", " ") or "unknown"
        own = (run.run, started, run.answers, run.pairs or None, ", ".join(run.models))
        rows.append((*own, "DRIFT" if run.breached else ""))
    columns = ("run", "started (UTC)", "answers", "shared with the run before", "models", "")
    yield Table("runs", "Runs", columns, tuple(rows))
    said: set[str] = set()
    for run in history.runs:
        if run.explanation:
            yield Paragraph(f"{run.run}: {run.explanation}")
        yield from (Paragraph(f"{run.run}: {note}.") for note in run.notes if note not in said)
        said |= {*run.notes}


def _newest(history: DriftHistory) -> str:
    run = history.runs[-1]
    if len(history.runs) == 1:
        return f"{run.run} is the only run: there is nothing to compare it with."
    moved = [one for one in run.figures if one.change is not None and one.change.breach]
    if not moved:
        return (
            f"{run.run}, the newest run, passed no threshold since {history.runs[-2].run}"
            f"{stamp(run.floating, run.started)}."
        )
    told = "; ".join(told_change(one.change) for one in moved if one.change is not None)
    return f"Drift in {run.run}, the newest run, since {history.runs[-2].run}: {told}."


def _figures(history: DriftHistory) -> Iterator[Paragraph | Table]:
    """A table a figure, so that a figure's way over the runs is read downwards; what one run alone has in a line."""
    yield Paragraph(HOW)
    alone = []
    columns = ("run", "value", "change since the run before", "p", "")
    for figure in FIGURES:
        rows = tuple(row for run in history.runs if (row := _row(figure.name, run)) is not None)
        if len(rows) == 1:
            run, value = rows[0][:2]
            alone.append(f"{figure.label} {show(value)} ({run})")
        elif rows:
            yield Table(
                figure.name, figure.label.capitalize() if figure.label.islower() else figure.label, columns, rows
            )
    if alone:
        yield Paragraph(f"In one run only: {'; '.join(alone)}.")


def _row(name: str, run: HistoryRun) -> tuple[Cell, ...] | None:
    for one in run.figures:
        if one.name == name:
            moved = one.change
            if moved is None:
                return run.run, standing(one), "–", "–", ""
            p = PValue(moved.p) if moved.p is not None else None
            return run.run, standing(one), difference(moved), p, mark(moved)
    return None


def _strips(history: DriftHistory, *, full: bool, marks: dict[Mark, str]) -> Iterator[Paragraph | Table]:
    if not history.strips:
        yield Paragraph("No question changed its verdict between two of these runs.")
        return
    shown = history.strips if full else history.strips[:MOST_STRIPS]
    yield Paragraph(
        f"A character a run, the oldest first ({', '.join(run.run for run in history.runs)}): {legend(marks)}."
    )
    rows = tuple(_strip(strip, marks) for strip in shown)
    columns = ("question", "strip", "flips", "case type", "system")
    more = len(history.strips) - len(shown)
    are = "is" if more == 1 else "are"
    notes = [f"{more} more {are} in the files, and printed with --full."] if more else []
    notes += [f"{note}." for note in history.notes]
    yield Table("strips", "Questions that flipped, those with most flips first", columns, rows, tuple(notes))
    yield from question_texts((strip.case_id, strip.question) for strip in shown)


def _strip(strip: Strip, marks: dict[Mark, str]) -> tuple[Cell, ...]:
    return strip.case_id, drawn(strip, marks), strip.flips, strip.type, strip.system


def legend(marks: dict[Mark, str]) -> str:
    """What the marks mean."""
    return LEGEND.format_map({str(mark): sign for mark, sign in marks.items()})


def strips_table(runs: Sequence[str], strips: Sequence[Strip]) -> Table:
    """Every strip with a column a run, for `history.csv`."""
    rows: list[tuple[Cell, ...]] = []
    for one in strips:
        own = (one.case_id, one.document_id, one.technique, one.type, one.system, one.flips)
        rows.append((*own, *one.marks, one.question))
    columns = ("case_id", "document_id", "technique", "type", "system", "flips", *runs, "question")
    return Table("history", "Verdicts by run", columns, tuple(rows))

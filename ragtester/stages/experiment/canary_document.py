"""The canary's result as a table."""

from __future__ import annotations

from ragtester.records import CanaryResult, Proportion, SourceShares
from ragtester.tables import Cell, Document, Paragraph, Rate, Section, Table


def canary_document(result: CanaryResult) -> Document:
    """What `ragtester audit canary` prints."""
    last = result.periods[-1]
    said = [Paragraph(f"Alarm in {last.period}: {result.alarm}." if result.alarm else _calm(last), answer=True)]
    said += [Paragraph(f"Note: {note}.") for note in result.notes]
    columns = ("run or day", "started (UTC)", "queries", "chunks", "dense only", "BM25 only", "both", "alarm")
    note = (
        "Chunks of the final contexts by the arms that found them, with Wilson intervals that take chunks for "
        "independent; no label and no verdict is used. All periods have the same settings of the search. Alarm: an arm "
        "that is asked gives nothing or feeds no context, or no chunk comes from BM25 alone while an earlier period "
        "had more than chance explains."
    )
    table = Table("canary", "Fusion sources over time", columns, tuple(map(_row, result.periods)), (note,))
    parts: list[Paragraph | Table] = [*said, table]
    if result.left_out:
        parts.append(_left_out(result))
    return Document("Canary: where contexts come from", (Section("canary", "Fusion sources", tuple(parts)),))


def _left_out(result: CanaryResult) -> Table:
    note = "A run with other settings of the search has other shares: a change that was meant is no alarm."
    return Table("left-out", "Runs that are not compared", ("run", "why"), tuple(result.left_out.items()), (note,))


def _calm(last: SourceShares) -> str:
    return f"No alarm: in {last.period} the arms that are asked ({', '.join(last.asked) or 'none'}) all feed contexts."


def _row(one: SourceShares) -> tuple[Cell, ...]:
    shares = (_rate(share) for share in (one.dense_only, one.bm25_only, one.both))
    # Two words of ten and five characters, which no width of a column breaks.
    started = one.started[:16].replace("T", " ") or "unknown"
    return (one.period, started, one.queries, one.chunks, *shares, one.alarm or "–")


def _rate(share: Proportion) -> Rate:
    return Rate(share.successes, share.n)

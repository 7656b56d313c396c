"""The flips between two runs, for people. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ragtester.records import DriftFlip, DriftResult
from ragtester.tables import Cell, Paragraph, Table

MOST_FLIPS = 20
WAYS = {
    "context": "saw other chunks",
    "order": "saw the same chunks in another order",
    "answer": "same chunks, another answer",
    "verdict": "same chunks and answer, another verdict or other claims",
    "unknown": "another answer; no trace tells what it saw",
    "same": "nothing differs",
}
_BETTER = {True: "better", False: "worse", None: "other"}


def flips_parts(result: DriftResult, *, full: bool) -> Iterator[Paragraph | Table]:
    """What flipped, where answers differ first, by type and document, and one by one."""
    if not result.flips:
        yield Paragraph("No question flipped.")
        return
    yield Paragraph(_counted_flips(result.flips), answer=True)
    yield _ways(result)
    yield _groups(result.flips, "type", "Flips by case type")
    yield _groups(result.flips, "document_id", "Flips by document")
    yield from _flip_tables(result.flips, full=full)


def _counted_flips(flips: Sequence[DriftFlip]) -> str:
    counts = Counter((flip.what, flip.better) for flip in flips)
    names = {
        "verdict": "verdicts",
        "contradicted": "contradicted claims",
        "unsupported": "unsupported claims",
        "hit": "hits",
    }
    told = [
        f"{names[what]}: {counts[what, False]} for the worse, {counts[what, True]} for the better"
        for what in names
        if counts[what, False] or counts[what, True]
    ]
    return "Flips of " + "; ".join(told) + "."


def _ways(result: DriftResult) -> Table:
    rows = [(WAYS[way.differs], way.flipped, way.steady) for way in result.ways]
    note = "The first thing on an answer's way that differs; verdicts and claims count as flips here."
    return Table(
        "ways", "Where answers differ first", ("what differs", "flipped", "did not flip"), tuple(rows), (note,)
    )


def _groups(flips: Sequence[DriftFlip], by: str, title: str) -> Table:
    groups: dict[str, Counter[tuple[str, bool | None]]] = {}
    for flip in flips:
        groups.setdefault(str(getattr(flip, by)), Counter())[flip.what, flip.better] += 1
    order = sorted(groups, key=lambda name: (-groups[name].total(), name))
    rows: list[tuple[Cell, ...]] = []
    for name in order:
        own = groups[name]
        worse, better = (sum(count for (_, good), count in own.items() if good is side) for side in (False, True))
        rows.append((name, own["verdict", False], own["verdict", True], worse, better))
    columns = (
        {"type": "case type"}.get(by, "document"),
        "verdicts worse",
        "verdicts better",
        "all worse",
        "all better",
    )
    note = "all: verdicts, unsupported and contradicted claims of an answer, and hits of a query."
    return Table(f"by-{columns[0].replace(' ', '-')}", title, columns, tuple(rows), (note,))


def _flip_tables(flips: Sequence[DriftFlip], *, full: bool) -> Iterator[Table]:
    """A row an answer or query, with all that flipped of it; then the texts of the questions."""
    groups: dict[tuple[str, str, str, str, bool], list[DriftFlip]] = {}
    for flip in flips:
        place = flip.case_id, flip.technique, flip.llm, flip.embedding, flip.what == "hit"
        groups.setdefault(place, []).append(flip)
    shown = list(groups.values())[: None if full else MOST_FLIPS]
    more = len(groups) - len(shown)
    are = "is" if more == 1 else "are"
    notes = [f"{more} more {are} in the files, and printed with --full."] if more else []
    if any(flip.noisy for flip in flips):
        notes.append("noisy: repeats of the same run disagree on the verdict, too.")
    columns = ("question", "what flipped", "which way", "what differs first", "noisy", "system")
    yield Table("flips", "The flips", columns, tuple(map(_flip_row, shown)), tuple(notes))
    yield from question_texts((group[0].case_id, group[0].question) for group in shown)


def question_texts(asked: Iterable[tuple[str, str]]) -> Iterator[Table]:
    """What was asked under each id, once, however many systems were asked; nothing where no text is known."""
    rows = tuple(dict.fromkeys((case_id, text) for case_id, text in asked if text))
    if rows:
        yield Table("texts", "What was asked", ("question", "text"), rows)


def _flip_row(group: Sequence[DriftFlip]) -> tuple[Cell, ...]:
    first = group[0]
    sides = {flip.better for flip in group}
    return (
        first.case_id,
        "; ".join(_flip_text(flip) for flip in group),
        _BETTER[first.better] if len(sides) == 1 else "both",
        WAYS[first.differs],
        "yes" if any(flip.noisy for flip in group) else "",
        f"{first.llm} × {first.embedding}" if first.llm else first.embedding,
    )


def _flip_text(flip: DriftFlip) -> str:
    """ "pass → fail" of a verdict; "contradicted no → yes" of the others."""
    told = f"{flip.before} → {flip.after}"
    return told if flip.what == "verdict" else f"{flip.what} {told}"

"""Two runs side by side, for people. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragtester.records import DriftResult, Moved
from ragtester.stages.drift.causes import NAMES
from ragtester.stages.drift.cells import allowed, difference, level, mark, size
from ragtester.stages.drift.decision import decision
from ragtester.stages.drift.figure_values import LABELS
from ragtester.stages.drift.flips_document import flips_parts
from ragtester.stages.proportions import rate_text
from ragtester.tables import Cell, Document, Paragraph, PValue, Section, Table
from ragtester.tables.cells import counted

REPEAT = "ragtester audit claims --repeat 3"
TESTS = (
    "Over the questions that both runs answered (n of the change). Rates of claims are over the claims that were sent. "
    "Intervals draw documents anew (questions where there is one document). p: McNemar's exact test for shares of "
    "answers, otherwise a randomisation test; Holm: the same, corrected for all tests here."
)
SIZES = (
    "visible: the smallest change that these questions show with a power of 80 %. noise: the largest difference "
    "between two repeats of the same run."
)
SYSTEMS = "Figures that have a threshold: it holds for each system by itself, too. Not corrected for their number."
_SPEAKS = {"for": "for it", "partly": "for a part", "against": "against it", "unclear": "unclear"}


def drift_document(result: DriftResult, *, full: bool = False) -> Document:
    """What `ragtester drift` prints; with `full` every flip, and each system by itself."""
    sections = (
        Section("drift", "What moved", tuple(_front(result, full=full))),
        Section("flips", "Questions that flipped", tuple(flips_parts(result, full=full))),
        Section("causes", "What to rule out, in this order", tuple(_causes(result))),
        Section("unpinned", "What could not be pinned", tuple(unpinned_parts(result.unpinned))),
    )
    return Document(f"Drift from {result.before} to {result.after}", sections)


def _front(result: DriftResult, *, full: bool) -> Iterator[Paragraph | Table]:
    """Fewer cases first, then the decision, then the figures and their noise."""
    yield from (Paragraph(text) for text in _compared(result))
    yield Paragraph(decision(result), answer=True)
    yield _figures(result.moved)
    if full and any(figure.systems for figure in result.moved):
        yield _systems(result.moved)
    yield from (Paragraph(f"{line}.") for line in result.not_measured)
    yield Paragraph(_noise(result))
    yield from (Paragraph(f"Note: {note}.") for note in result.notes)


def _compared(result: DriftResult) -> Iterator[str]:
    yield from (f"{note}." for note in result.apart)
    when = [
        started[:16].replace("T", " ") or "unknown date" for started in (result.before_started, result.after_started)
    ]
    apart = ""
    if result.only_before or result.only_after:
        only = counted(result.only_before, "answer")
        apart = f"; {only} of {result.before} and {result.only_after} of {result.after} have none"
    left = "".join(f"; {count} left out: {why}" for why, count in result.excluded.items())
    yield (
        f"{counted(result.pairs, 'answer')} of suite {result.suite} with a partner{apart}{left}. "
        f"{result.before} is of {when[0]}, {result.after} of {when[1]} (UTC)."
    )


def _noise(result: DriftResult) -> str:
    if not result.noise_runs:
        return (
            f"How much of this is noise is not known: no run has repeats. {REPEAT} makes them; then a change within "
            "their band is no drift."
        )
    flipped = f"{rate_text(result.flipped)} of the verdicts flipped"
    noise = result.noise_flipped
    if noise is None:
        return f"Noise is known from {', '.join(result.noise_runs)}; {flipped}, and no verdict of a repeat is graded."
    within = (result.flipped.share or 0.0) <= (noise.share or 0.0)
    said = "no more than" if within else "more than"
    return (
        f"{flipped}, {said} between two repeats of the same run ({rate_text(noise)}; {', '.join(result.noise_runs)})"
        f"{': that is within the band of noise and no drift' if within else ''}."
    )


def _figures(figures: Sequence[Moved]) -> Table:
    columns = ("figure", "before", "after", "change", "", "allowed", "noise", "visible", "p", "Holm")
    return Table("figures", "Figures before and after", columns, tuple(map(_figure, figures)), (TESTS, SIZES))


def _figure(one: Moved) -> tuple[Cell, ...]:
    return (
        LABELS[one.name],
        level(one, one.before, one.before_n),
        level(one, one.after, one.after_n),
        difference(one),
        mark(one),
        allowed(one),
        "–" if one.band is None else size(one, one.band),
        size(one, one.smallest),
        None if one.p is None else PValue(one.p),
        None if one.holm is None else PValue(one.holm),
    )


def _systems(figures: Sequence[Moved]) -> Table:
    """Each system against the thresholds, the farthest first."""
    rows = tuple(
        (
            LABELS[one.name],
            one.system,
            level(one, one.before, one.before_n),
            level(one, one.after, one.after_n),
            difference(one),
            mark(one),
        )
        for figure in figures
        for one in figure.systems
    )
    columns = ("figure", "system", "before", "after", "change", "")
    return Table("systems", "Each system by itself", columns, rows, (SYSTEMS,), keys=2)


def _causes(result: DriftResult) -> Iterator[Paragraph | Table]:
    yield Paragraph(
        "The index, the prompts, what cuts and tokenises, and the judge are ruled out before the provider is blamed."
    )
    rows: list[tuple[Cell, ...]] = []
    for place, cause in enumerate(result.causes, start=1):
        own = (place, NAMES[cause.kind], cause.text, _SPEAKS[cause.speaks], cause.evidence or "–")
        rows.append((*own, _moves(cause.moves, result.moved)))
    if not rows:
        yield Paragraph("Nothing that the manifests of the two runs record differs.")
        return
    columns = ("", "kind", "what differs by the manifests", "the rows speak", "evidence", "can move")
    yield Table("causes", "Causes", columns, tuple(rows), keys=2)


def _moves(names: Sequence[str], moved: Sequence[Moved]) -> str:
    """The figures that a cause can move, in few words where they are many."""
    left = [one for one in moved if one.name not in names]
    if not left:
        return "every figure here"
    if names and all(one.layer == "retrieval" for one in left) and len(names) > len(left):
        return "every figure but retrieval"
    return ", ".join(LABELS[name] for name in names) or "–"


def unpinned_parts(lines: Sequence[str]) -> Iterator[Paragraph | Table]:
    """What could not be pinned, a line each."""
    if not lines:
        yield Paragraph("Everything that the manifests record is pinned.")
        return
    yield Table("unpinned", "Not pinned", ("what",), tuple((line,) for line in lines), whole_names=True)

"""Which way to read a comparison without and with the instruction to surface contradicting evidence. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ragtester.records import CoverageContrast, PairedMean, PairedShare
from ragtester.stages.means import mean_cell
from ragtester.statistics import format_p, format_rate
from ragtester.tables import Cell, Document, Estimate, Paragraph, PValue, Section, Table
from ragtester.tables.cells import counted, show

Moved = Literal["yes", "no", "worse", "nothing to see"]
LEVEL = 0.05
_COULD_SEE = "could see: the smallest change that this many questions would have shown (power 0.8)"
_VOTES = "p and what could be seen: one vote a question, that of most of its answers that differ"


def reading(found: CoverageContrast) -> tuple[Moved, str]:
    """Whether the instruction moved anything, and the sentence that says what to do about it."""
    if not found.pairs:
        return "nothing to see", "No answer was measured in both runs: nothing can be compared."
    return _moved(found) or _not_moved(found)


def _moved(found: CoverageContrast) -> tuple[Moved, str] | None:
    surfaced = _way(found.mentioned) or -_way(found.hiding)
    backed = _way(found.supported_coverage)
    if surfaced < 0 or (not surfaced and backed < 0):
        return "worse", (
            "The instruction made it worse: answers account for less of what they saw. Leave it out, and look at what "
            "else it changed."
        )
    if surfaced > 0:
        return "yes", (
            "Answers mention more of what contradicts them once they are told to: the prompt contract was the problem. "
            "Keep `[execute] surface_conflicts = true`, or take its rules into your own prompt."
        )
    if backed > 0:
        return "yes", (
            "Coverage rose with results that support a claim: the prompt contract was the problem. Whether more "
            f"contradictions are mentioned cannot be told at this size.{_seen(found)}"
        )
    return None


def _not_moved(found: CoverageContrast) -> tuple[Moved, str]:
    cited = _way(found.coverage)
    if cited > 0:
        return "no", (
            "Answers cite more ids, and no more that support a claim: they pad. The problem is not the prompt contract."
            f"{_seen(found)}"
        )
    hiding = found.hiding
    if hiding is not None and hiding.neither == hiding.n and not cited:
        return "nothing to see", (
            "No answer of either run hides a contradiction: this suite has nothing for the instruction to mend. Ask it "
            "of documents that contradict one another (`ragtester adversarial` has some)."
        )
    if hiding is not None and hiding.lost > hiding.gained and hiding.before > hiding.both:
        return "no", (
            f"Most answers that hide a contradiction do not under the instruction, but in {hiding.lost} of "
            f"{counted(hiding.questions, 'question')} only: too few to tell from "
            "chance. Ask more questions of documents that contradict one another (`ragtester adversarial` has some) "
            f"before you change the prompt.{_seen(found)}"
        )
    return "no", (
        "Nothing moved that this suite could have seen: the prompt contract is not the problem, look elsewhere (what "
        f"is retrieved, how it is packed, the model itself).{_seen(found)}"
    )


def _way(found: PairedMean | PairedShare | None) -> int:
    """1 where it rose, -1 where it fell, 0 where the test does not tell; a mean's interval must leave out 0, too."""
    if found is None or found.p >= LEVEL or not found.difference.value:
        return 0
    low, high = found.difference.low, found.difference.high
    if isinstance(found, PairedMean) and low is not None and high is not None and low <= 0 <= high:
        return 0
    return 1 if found.difference.value > 0 else -1


def _seen(found: CoverageContrast) -> str:
    """What size of change the suite could have seen."""
    parts = []
    if found.coverage is not None and found.coverage.smallest is not None:
        parts.append(f"of coverage by {found.coverage.smallest:.3f}")
    size = counted(found.pairs, "pair")
    if found.hiding is not None:
        size = counted(found.hiding.questions, "question")
        smallest = found.hiding.smallest
        parts.append(
            "of the questions whose answers hide something by no size at all"
            if smallest is None
            else f"of the questions whose answers hide something by {100 * smallest:.1f} points"
        )
    told = f" With {size} it could have seen a change "
    return f"{told}{', '.join(parts)} (power 0.8)." if parts else ""


def contrast_document(found: CoverageContrast) -> Document:
    """What `ragtester audit coverage --ab` prints."""
    said = (Paragraph(text) for text in _said(found))
    parts: tuple[Paragraph | Table, ...] = (Paragraph(found.reading, answer=True), *said, *_tables(found))
    title = f"Run {found.run} with and without the instruction to surface contradicting evidence"
    return Document(title, (Section("conflicts", "Was it the prompt?", parts),))


def _said(found: CoverageContrast) -> Iterator[str]:
    yield (
        f"{counted(found.pairs, 'answer')} of the same case and system are measured in both {found.run} (without) and "
        f"{found.with_instruction} (with)."
    )
    if found.left_out:
        yield "Left out: " + ", ".join(f"{count} {why}" for why, count in found.left_out.items()) + "."
    hiding = found.hiding
    if hiding is not None:
        yield (
            f"Without it {format_rate(hiding.without, hiding.n)} hide a retrieved chunk that contradicts them, with it "
            f"{format_rate(hiding.with_it, hiding.n)}: {hiding.before} only without, {hiding.after} only with "
            f"({_tested(hiding)})."
        )
    mentioned = found.mentioned
    if mentioned is not None:
        yield (
            f"Of {counted(mentioned.n, 'answer')} that a retrieved chunk contradicts in both runs, "
            f"{format_rate(mentioned.without, mentioned.n)} mention every such chunk without it, and "
            f"{format_rate(mentioned.with_it, mentioned.n)} with it ({_tested(mentioned)})."
        )
    coverage = found.coverage
    if coverage is not None:
        change = show(mean_cell(coverage.difference, signed=True))
        yield (
            f"Coverage goes from {coverage.before:.3f} to {coverage.after:.3f} ({change}; {format_p(coverage.p)}, "
            f"randomisation of signs): higher in {coverage.higher}, lower in {coverage.lower}, the same in "
            f"{counted(coverage.same, 'question')}."
        )
    yield from (note if note.endswith(".") else f"{note}." for note in found.notes)


def _tested(one: PairedShare) -> str:
    """What the test rests on: questions, for answers of several systems to one of them are not independent."""
    return (
        f"{one.lost} of {counted(one.questions, 'question')} went from yes to no and {one.gained} from no to yes: "
        f"{format_p(one.p)}, McNemar exact"
    )


def _tables(found: CoverageContrast) -> Iterator[Table]:
    means = (("coverage", found.coverage), ("supported coverage", found.supported_coverage))
    rows = tuple(_mean_row(name, one) for name, one in means if one is not None)
    columns = ("mean", "without", "with", "change [95 %]", "p", "higher", "lower", "same", "could see")
    yield Table("conflicts-means", "Means of the same questions", columns, rows, (_COULD_SEE,))
    shares = (
        ("mention every contradiction", found.mentioned),
        ("hide a contradiction", found.hiding),
        ("abstain", found.abstained),
    )
    rows = tuple(_share_row(name, one) for name, one in shares if one is not None)
    heads = ("answers that", "both", "only without", "only with", "neither", "change [95 %]", "p", "could see")
    yield Table("conflicts-shares", "Shares of the same answers", heads, rows, (_VOTES,))


def _mean_row(name: str, one: PairedMean) -> tuple[Cell, ...]:
    change = mean_cell(one.difference, signed=True)
    tail: tuple[Cell, ...] = (one.higher, one.lower, one.same, one.smallest)
    return (name, round(one.before, 3), round(one.after, 3), change, PValue(one.p), *tail)


def _share_row(name: str, one: PairedShare) -> tuple[Cell, ...]:
    change: Estimate | None = mean_cell(one.difference, signed=True)
    return (name, one.both, one.before, one.after, one.neither, change, PValue(one.p), one.smallest)

"""A run against the same suite under the instruction to surface contradicting evidence. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from ragtester.records import AnswerCoverage, CoverageContrast, MeanValue, PairedMean, PairedShare
from ragtester.stages.coverage.contrast_words import reading
from ragtester.stages.coverage.figures import is_hiding
from ragtester.stages.coverage.plan import place_of
from ragtester.stages.means import mean_record
from ragtester.statistics import mcnemar, paired_difference, paired_means, smallest_mean_change, smallest_paired_change

Pair = tuple[AnswerCoverage, AnswerCoverage]
"""The same case and system without the instruction, and with it."""
Question = tuple[str, str]
"""Technique and case id."""


def contrast(
    before: Sequence[AnswerCoverage], after: Sequence[AnswerCoverage], names: tuple[str, str], seed: int
) -> CoverageContrast:
    """Compare the answers of the same case and system. `names` are those of the runs, without and with."""
    both, left_out = _paired(before, after)
    pairs = [pair for pair in both if all(row.status == "measured" for row in pair)]
    telling = [pair for pair in both if all(row.status in ("measured", "abstained") for row in pair)]
    left_out["abstained in one or both"] = len(telling) - len(pairs)
    left_out["failed or without a result in one or both"] = len(both) - len(telling)
    rows = [row for pair in pairs for row in pair]
    made = CoverageContrast(
        run=names[0],
        with_instruction=names[1],
        judge=", ".join(sorted({row.judge for row in rows if row.judge})),
        pairs=len(pairs),
        left_out={why: count for why, count in left_out.items() if count},
        coverage=_means(pairs, lambda row: row.coverage, seed),
        supported_coverage=_means(pairs, lambda row: row.supported_coverage, seed),
        mentioned=_shares(pairs, _mentions_all),
        hiding=_shares(pairs, is_hiding),
        abstained=_shares(telling, lambda row: row.status == "abstained"),
        moved="no",
        reading="",
        notes=tuple(_notes(rows)),
    )
    moved, words = reading(made)
    return made.model_copy(update={"moved": moved, "reading": words})


def _paired(before: Iterable[AnswerCoverage], after: Iterable[AnswerCoverage]) -> tuple[list[Pair], Counter[str]]:
    one, two = ({place_of(row): row for row in rows} for rows in (before, after))
    pairs = [(row, two[place]) for place, row in one.items() if place in two]
    left = Counter(
        {"only without the instruction": len(one) - len(pairs), "only with the instruction": len(two) - len(pairs)}
    )
    return pairs, left


def _mentions_all(row: AnswerCoverage) -> bool | None:
    """Whether it mentions every chunk that contradicts it; None where none does."""
    return None if not row.contradictions else not row.hidden


def _means(pairs: Sequence[Pair], value: Callable[[AnswerCoverage], float | None], seed: int) -> PairedMean | None:
    """Over questions: what several systems answer to one of them is not independent, and is its mean."""
    known = [(pair, value(pair[0]), value(pair[1])) for pair in pairs]
    asked: dict[Question, list[tuple[float, float]]] = {}
    for (row, _), one, two in known:
        if one is not None and two is not None:
            asked.setdefault(_question(row), []).append((one, two))
    before, after = ([fmean(values[side] for values in own) for own in asked.values()] for side in (0, 1))
    documents = {_question(row): row.document_id for row, _ in pairs}
    found = paired_means(before, after, [documents[question] for question in asked], seed)
    if found is None:
        return None
    smallest = smallest_mean_change(found.difference.interval)
    return PairedMean(
        before=round(found.before, 6),
        after=round(found.after, 6),
        difference=mean_record(found.difference),
        higher=found.higher,
        lower=found.lower,
        same=found.same,
        p=found.test.p,
        smallest=None if smallest is None else round(smallest, 6),
    )


def _question(row: AnswerCoverage) -> Question:
    return row.technique, row.case_id


def _shares(pairs: Sequence[Pair], holds: Callable[[AnswerCoverage], bool | None]) -> PairedShare | None:
    """Pairs of which both sides are known; None where there is none."""
    known = [
        (_question(one), (was, now))
        for one, two in pairs
        if (was := holds(one)) is not None and (now := holds(two)) is not None
    ]
    if not known:
        return None
    counts = Counter(sides for _, sides in known)
    both, only_before, only_after, neither = (
        counts[place] for place in ((True, True), (True, False), (False, True), (False, False))
    )
    # With minus without: "first" of the difference is the side with the instruction.
    difference = paired_difference(both, only_after, only_before, neither)
    votes: Counter[Question] = Counter({question: 0 for question, _ in known})
    for question, (was, now) in known:
        votes[question] += now - was
    lost, gained = (sum(vote * way > 0 for vote in votes.values()) for way in (-1, 1))
    smallest = smallest_paired_change(lost + gained, len(votes))
    return PairedShare(
        both=both,
        before=only_before,
        after=only_after,
        neither=neither,
        n=len(known),
        questions=len(votes),
        lost=lost,
        gained=gained,
        p=mcnemar(lost, gained).p,
        difference=MeanValue() if difference is None else mean_record(difference),
        smallest=None if smallest is None else round(smallest, 6),
    )


def _notes(rows: Sequence[AnswerCoverage]) -> Iterable[str]:
    embedded = sorted({row.llm for row in rows if row.llm.startswith("embedded:")})
    if embedded:
        yield (
            f"{', '.join(embedded)}: the embedded engine reads no prompt; it carries the instruction out by rule (it "
            "adds the sentence of another section that contradicts its answer): that tells nothing of a language model"
        )
    judges = {row.judge for row in rows if row.judge}
    if len(judges) > 1:
        yield f"the two runs were audited by different judges: {', '.join(sorted(judges))}"

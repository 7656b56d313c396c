"""Which `pass_mean` would have agreed best with people: cross-validated, tested, never applied by itself. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from ragtester.records import LabelledAnswer, ThresholdCandidate, ThresholdFindings, ThresholdFold
from ragtester.stages.proportions import proportion
from ragtester.statistics import holm, mcnemar, paired_cases_needed

STEPS = tuple(round(step / 10, 1) for step in range(11))
"""Means of five ratings in halves are tenths: any threshold between two of them acts like the higher one."""
LEVEL = 0.05


def verdict_at(answer: LabelledAnswer, pass_mean: float) -> str:
    """The verdict under another threshold; only where the mean decided does it matter."""
    if answer.decided_by != "mean" or answer.mean is None:
        return answer.status
    return "pass" if answer.mean >= pass_mean else "fail"


def findings(answers: Sequence[LabelledAnswer], pass_mean: float, folds: int, seed: int) -> ThresholdFindings | None:
    """Compare all thresholds on labelled answers; None without any.

    Folds are whole documents, balanced in passes and failures by label. Of thresholds that agree equally often the one
    nearest to `pass_mean` is chosen, so that nothing moves without a reason. "Told apart" is McNemar's exact test on
    the same answers, corrected by Holm over the candidates; it takes answers as independent, which those of one
    document are not quite.
    """
    if not answers:
        return None
    steps = sorted({*STEPS, pass_mean})
    hits = {step: [verdict_at(one, step) == one.label for one in answers] for step in steps}
    best = choose(hits, range(len(answers)), pass_mean)
    candidates = _candidates(hits, best)
    made = _folds(answers, folds, seed)
    held_out = [_fold(answers, hits, fold, pass_mean) for fold in made]
    now, then = hits[pass_mean], hits[best]
    gained = sum(b and not a for a, b in zip(now, then, strict=True))
    lost = sum(a and not b for a, b in zip(now, then, strict=True))
    told_apart = next(one.told_apart for one in candidates if one.pass_mean == pass_mean)
    return ThresholdFindings(
        pass_mean=pass_mean,
        suggested=best,
        decides=sum(len({verdict_at(one, step) for step in steps}) > 1 for one in answers),
        current=proportion(sum(now), len(answers)),
        best=proportion(sum(then), len(answers)),
        out_of_fold=proportion(sum(fold.agreed.successes for fold in held_out), len(answers)) if held_out else None,
        seed=seed,
        folds=tuple(held_out),
        candidates=candidates,
        told_apart=told_apart,
        needed=None if told_apart else paired_cases_needed(gained, lost, len(answers)),
    )


def choose(hits: dict[float, list[bool]], rows: Sequence[int], pass_mean: float) -> float:
    """The threshold that agrees most often on `rows`; of equals the nearest to `pass_mean`, then the lower."""
    return min(hits, key=lambda step: (-sum(hits[step][row] for row in rows), abs(step - pass_mean), step))


def _candidates(hits: dict[float, list[bool]], best: float) -> tuple[ThresholdCandidate, ...]:
    """Every threshold against the best one."""
    raw: dict[str, float] = {}
    for step, agreed in hits.items():
        b = sum(ours and not theirs for ours, theirs in zip(hits[best], agreed, strict=True))
        c = sum(theirs and not ours for ours, theirs in zip(hits[best], agreed, strict=True))
        if b + c:
            raw[str(step)] = mcnemar(b, c).p
    corrected = holm(raw)
    return tuple(
        ThresholdCandidate(
            pass_mean=step,
            agreed=proportion(sum(agreed), len(agreed)),
            p=round(corrected.get(str(step), 1.0), 6),
            told_apart=corrected.get(str(step), 1.0) < LEVEL,
        )
        for step, agreed in hits.items()
    )


def _folds(answers: Sequence[LabelledAnswer], folds: int, seed: int) -> list[list[str]]:
    """Documents in at most `folds` groups with like numbers of passes and failures; none with a single document.

    Documents go one by one, the largest first and equals in an order drawn with the seed, to the fold that evens out
    the two classes best: the one whose shares of all passes and of all failures, squared, grow least.
    """
    counts: dict[str, list[int]] = {}
    for one in answers:
        counts.setdefault(one.document_id, [0, 0])[one.label == "fail"] += 1
    if len(counts) < 2:
        return []
    names = sorted(counts)
    Random(seed).shuffle(names)  # noqa: S311 - no secret
    names.sort(key=lambda name: -sum(counts[name]))
    totals = [max(1, sum(count[side] for count in counts.values())) for side in (0, 1)]
    made: list[list[str]] = [[] for _ in range(min(folds, len(names)))]
    filled = [[0, 0] for _ in made]
    for name in names:
        own = counts[name]

        def growth(place: int, own: list[int] = own) -> float:
            return sum(
                ((filled[place][side] + own[side]) ** 2 - filled[place][side] ** 2) / totals[side] ** 2
                for side in (0, 1)
            )

        chosen = min(range(len(made)), key=lambda place: (growth(place), len(made[place])))
        made[chosen].append(name)
        filled[chosen] = [filled[chosen][side] + own[side] for side in (0, 1)]
    return [sorted(fold) for fold in made if fold]


def _fold(
    answers: Sequence[LabelledAnswer], hits: dict[float, list[bool]], fold: list[str], pass_mean: float
) -> ThresholdFold:
    inside = [row for row, one in enumerate(answers) if one.document_id in fold]
    outside = [row for row, one in enumerate(answers) if one.document_id not in fold]
    chosen = choose(hits, outside, pass_mean)
    agreed = proportion(sum(hits[chosen][row] for row in inside), len(inside))
    return ThresholdFold(documents=tuple(fold), chosen=chosen, agreed=agreed)

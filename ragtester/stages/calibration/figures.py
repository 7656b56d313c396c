"""The judge against people: confusion, kappa, and how far people agree with each other. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

from ragtester.records import AnnotatorPair, Confusion, LabelledAnswer
from ragtester.stages.proportions import proportion
from ragtester.statistics import cohen_kappa, krippendorff_alpha
from ragtester.statistics.packages import load


def confusion(name: str, answers: Sequence[LabelledAnswer]) -> Confusion:
    """Counts and rates of one group. Positive is a failure that the judge found."""
    counts = Counter((one.status, one.label) for one in answers)
    tp, fp = counts["fail", "fail"], counts["fail", "pass"]
    fn, tn = counts["pass", "fail"], counts["pass", "pass"]
    kappa, low, high = _kappa(tp, fp, fn, tn)
    return Confusion(
        name=name,
        tp=tp,
        fp=fp,
        fn=fn,
        tn=tn,
        precision=proportion(tp, tp + fp),
        fdr=proportion(fp, tp + fp),
        recall=proportion(tp, tp + fn),
        specificity=proportion(tn, tn + fp),
        accuracy=proportion(tp + tn, tp + fp + fn + tn),
        kappa=kappa,
        kappa_low=low,
        kappa_high=high,
    )


def _kappa(tp: int, fp: int, fn: int, tn: int) -> tuple[float | None, float | None, float | None]:
    """Cohen's kappa with the interval of Fleiss, Cohen and Everitt (1969), within -1 and 1.

    It has no width, and is None, where both agree throughout and where one of them said the same word throughout.
    """
    judge = ["fail"] * (tp + fp) + ["pass"] * (fn + tn)
    people = ["fail"] * tp + ["pass"] * fp + ["fail"] * fn + ["pass"] * tn
    kappa = cohen_kappa(judge, people)
    if kappa is None:
        return None, None, None
    if 0 in (tp + fp, fn + tn, tp + fn, fp + tn) or fp + fn == 0:
        return round(kappa, 6), None, None
    found = load("statsmodels.stats.inter_rater").cohens_kappa([[tp, fp], [fn, tn]])
    low, high = max(-1.0, float(found.kappa_low)), min(1.0, float(found.kappa_upp))
    return round(kappa, 6), round(low, 6), round(high, 6)


def grouped(answers: Sequence[LabelledAnswer], name_of: Callable[[LabelledAnswer], str]) -> tuple[Confusion, ...]:
    """One confusion a group, groups sorted by name."""
    groups: dict[str, list[LabelledAnswer]] = {}
    for one in answers:
        groups.setdefault(name_of(one), []).append(one)
    return tuple(confusion(name, members) for name, members in sorted(groups.items()))


def agreement(
    answers: Sequence[LabelledAnswer], annotators: Sequence[str]
) -> tuple[float | None, tuple[AnnotatorPair, ...]]:
    """Krippendorff's alpha over all labelled answers, and each two people; nothing for a single one."""
    if len(annotators) < 2:
        return None, ()
    votes: list[list[str | None]] = [[one.votes.get(name) for one in answers] for name in annotators]
    alpha = krippendorff_alpha(votes)
    pairs = tuple(
        _pair(annotators[i], annotators[j], votes[i], votes[j]) for i, j in combinations(range(len(annotators)), 2)
    )
    return None if alpha is None else round(alpha, 6), pairs


def _pair(first: str, second: str, ours: Sequence[str | None], theirs: Sequence[str | None]) -> AnnotatorPair:
    both = [(a, b) for a, b in zip(ours, theirs, strict=True) if a is not None and b is not None]
    kappa = cohen_kappa(ours, theirs)
    agreed = proportion(sum(a == b for a, b in both), len(both))
    return AnnotatorPair(first=first, second=second, agreed=agreed, kappa=None if kappa is None else round(kappa, 6))

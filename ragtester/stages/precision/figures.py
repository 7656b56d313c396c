"""From decisions to figures: overall, and by system, case type, technique and criterion. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ragtester.records import PanelDecision, PanelPair, PrecisionFigures, Share
from ragtester.stages.precision.deciding import Cast, taken_as
from ragtester.stages.precision.sampling import Stratum
from ragtester.statistics import Stratum as Drawn
from ragtester.statistics import cohen_kappa, krippendorff_alpha, weighted_ratio, wilson

Strata = Mapping[Stratum, int]
# What a group is named after: its value for a decision and, where strata tell it too, for a stratum.
GROUPS: dict[str, tuple[Callable[[PanelDecision], str], Callable[[Stratum], str] | None]] = {
    "system": (lambda row: f"{row.llm} × {row.embedding}", lambda stratum: f"{stratum[1]} × {stratum[2]}"),
    "type": (lambda row: row.type, lambda stratum: stratum[4]),
    "technique": (lambda row: row.technique, lambda stratum: stratum[3]),
    "language": (lambda row: row.language, None),
    "criterion": (lambda row: row.criterion, None),
}


def all_figures(rows: Sequence[PanelDecision], strata: Strata, *, passes: bool) -> list[PrecisionFigures]:
    """The figures of all rows, then those of each group. `strata` are the graded answers of the run, by stratum.

    `passes` says whether a sample of passes was drawn; without one nothing is known of FN and TN.
    """
    found = [figures(rows, strata, ("overall", ""), passes=passes)]
    for by, (of_row, of_stratum) in GROUPS.items():
        for name in sorted({of_row(row) for row in rows}):
            own = [row for row in rows if of_row(row) == name]
            known = {key: n for key, n in strata.items() if of_stratum and of_stratum(key) == name}
            found.append(figures(own, known, (by, name), passes=passes and bool(known)))
    return found


def either_way(
    rows: Sequence[PanelDecision], strata: Strata, *, passes: bool
) -> tuple[PrecisionFigures, PrecisionFigures]:
    """The overall figures with every ambiguous case counted for the oracle, and against it."""
    right, wrong = (taken_as(rows, right=right) for right in (True, False))
    return (
        figures(right, strata, ("overall", "ambiguous for it"), passes=passes),
        figures(wrong, strata, ("overall", "ambiguous against it"), passes=passes),
    )


def figures(rows: Sequence[PanelDecision], strata: Strata, name: tuple[str, str], *, passes: bool) -> PrecisionFigures:
    """The figures of one group of decisions."""
    count = Counter(row.outcome for row in rows)
    states = Counter(row.decision for row in rows)
    decided = count["TP"] + count["FP"]
    weighted = _weighted(rows, strata) if passes else {}
    return PrecisionFigures(
        by=name[0],
        name=name[1],
        sampled=len(rows),
        tp=count["TP"],
        fp=count["FP"],
        fn=count["FN"],
        tn=count["TN"],
        ambiguous=states["ambiguous"],
        open=states["open"],
        by_person=sum(row.by == "person" for row in rows),
        precision=plain(count["TP"], decided),
        fdr=plain(count["FP"], decided),
        **weighted,
    )


def plain(successes: int, n: int) -> Share:
    """A share of the sample, with Wilson's interval."""
    interval = wilson(successes, n)
    if interval is None:
        return Share(value=None, successes=successes, n=n)
    return Share(value=successes / n, successes=successes, n=n, low=interval.low, high=interval.high)


def _weighted(rows: Sequence[PanelDecision], strata: Strata) -> dict[str, Share]:
    """Recall, specificity and accuracy over all graded answers; undefined where failures or passes have no decision."""
    found = _found(rows, strata)
    if found is None:
        return dict.fromkeys(("recall", "specificity", "accuracy"), Share(value=None, n=0))
    return {
        "recall": _share(Drawn(one.tp, one.tp + one.fn, one.decided, one.population) for one in found),
        "specificity": _share(Drawn(one.tn, one.tn + one.fp, one.decided, one.population) for one in found),
        "accuracy": _share(Drawn(one.tp + one.tn, one.decided, one.decided, one.population) for one in found),
    }


def _share(strata: Iterable[Drawn]) -> Share:
    found = weighted_ratio(strata)
    if found is None:
        return Share(value=None, n=0)
    ends = found.interval
    return Share(value=found.value, n=found.n, effective_n=round(found.effective_n, 1), low=ends.low, high=ends.high)


@dataclass(frozen=True)
class _Found:
    """What the decisions of one stratum came to, and how many graded answers they stand for."""

    tp: int
    fp: int
    fn: int
    tn: int
    population: float

    @property
    def decided(self) -> int:
        return self.tp + self.fp + self.fn + self.tn


def _found(rows: Sequence[PanelDecision], strata: Strata) -> list[_Found] | None:
    """The strata with a decision; None where a status has graded answers and no decision.

    Strata without a decision are stood for by the others of the same status.
    """
    counts: dict[Stratum, Counter[str]] = {}
    for row in rows:
        if row.outcome:
            counts.setdefault(_stratum(row), Counter())[row.outcome] += 1
    found = []
    for status in ("fail", "pass"):
        size = sum(n for key, n in strata.items() if key[0] == status)
        covered = sum(n for key, n in strata.items() if key[0] == status and key in counts)
        if size and not covered:
            return None
        for key, one in counts.items():
            if key[0] == status:
                stands_for = strata[key] * size / covered
                found.append(_Found(one["TP"], one["FP"], one["FN"], one["TN"], stands_for))
    return found


def _stratum(row: PanelDecision) -> Stratum:
    return row.status, row.llm, row.embedding, row.technique, row.type


def agreement(panel: Mapping[str, Cast], ids: Sequence[str]) -> tuple[float | None, list[PanelPair]]:
    """Krippendorff's alpha over the members' usable votes, and each pair's agreement with Cohen's kappa."""
    votes = {
        name: [row.vote if (row := cast.get(one)) is not None else None for one in ids] for name, cast in panel.items()
    }
    pairs = []
    for first, second in combinations(votes, 2):
        both = [(a, b) for a, b in zip(votes[first], votes[second], strict=True) if a and b]
        pairs.append(
            PanelPair(
                first=first,
                second=second,
                cases=len(both),
                agreed=sum(a == b for a, b in both),
                kappa=cohen_kappa(votes[first], votes[second]),
            )
        )
    return krippendorff_alpha(list(votes.values())), pairs

"""What repeats of the same run show by themselves: the change that is no drift. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from ragtester.records import Proportion
from ragtester.stages.drift.figure_values import Figure, total
from ragtester.stages.drift.figures import Valued
from ragtester.stages.drift.pairing import Pairing
from ragtester.stages.drift.rows import Place, RunData
from ragtester.stages.proportions import proportion

Repeats = tuple[Sequence[RunData], Sequence[RunData]]
"""The earlier run with its repeats, and the later one with its own; one without repeats stands alone."""


def band(figure: Figure, values: Sequence[Valued], repeats: Repeats) -> float | None:
    """The largest difference of the figure between two repeats of the same run, over the same questions.

    None where neither run has a repeat with this figure. It excuses no more than what was seen: few repeats make it too
    narrow, which calls noise drift sooner than drift noise.
    """
    found = []
    for side, runs in enumerate(repeats):
        if len(runs) < 2:
            continue
        places = [value.after if side else value.before for value in values]
        rows = [[figure.of(run, place) for run in runs] for place in places]
        # A repeat that was not measured says nothing, and takes nothing from the others.
        kept = [column for column in range(len(runs)) if any(row[column] is not None for row in rows)]
        shared = [[row[column] for column in kept] for row in rows]
        whole = [[one for one in row if one is not None] for row in shared if None not in row]
        sums = [total(side_values) for side_values in zip(*whole, strict=True)]
        levels = [count / of for count, of in sums if of]
        found += [abs(one - two) for one, two in combinations(levels, 2)]
    return max(found, default=None)


def noisy_places(repeats: Sequence[RunData]) -> set[Place]:
    """Answers of a run whose verdicts are not the same in all of its repeats."""
    found = set()
    for place in repeats[0].rows if len(repeats) > 1 else ():
        graded = {run.rows[place].status for run in repeats if place in run.rows} & {"pass", "fail"}
        if len(graded) > 1:
            found.add(place)
    return found


def flips_by_noise(pairing: Pairing, repeats: Repeats) -> Proportion | None:
    """The highest share of verdicts that flip between two repeats of the same run; None without repeats."""
    found = []
    for side, runs in enumerate(repeats):
        places = [pair.after if side else pair.before for pair in pairing.pairs]
        for one, two in combinations(runs, 2):
            pairs = [(_status(one, place), _status(two, place)) for place in places]
            graded = [pair for pair in pairs if {*pair} <= {"pass", "fail"}]
            if graded:
                found.append(proportion(sum(a != b for a, b in graded), len(graded)))
    return max(found, key=lambda one: one.share or 0.0, default=None)


def _status(run: RunData, place: Place) -> str:
    row = run.rows.get(place)
    return row.status if row else "missing"

"""From rows to the figures of a run's fixtures. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ragtester.records import READINGS, AdversarialCounts, AdversarialResult, AdversarialRow, Ledger, MeanValue
from ragtester.stages.means import mean_record
from ragtester.stages.proportions import proportion
from ragtester.statistics.means import mean

FOLLOWS = ("poison", "both")
"""Rows of these count as following the poison: who gives both values as if both held has followed it as well."""
NAMED = 3
LEAST = 2
"""Answers that follow the poison in each group that is named."""


@dataclass(frozen=True)
class Told:
    """What a result says beside its rows: the sets of fixtures, the runs that asked them, and what is to be known."""

    sets: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def make_result(run: str, rows: Sequence[AdversarialRow], told: Told, *, planned: int) -> AdversarialResult:
    """The figures; `planned` rows were to be made, those that are not there are skipped."""
    failed = sum(row.followed == "failed" for row in rows)
    poisoned = [row for row in rows if row.followed in FOLLOWS and row.verdict in ("pass", "fail")]
    return AdversarialResult(
        run=run,
        sets=told.sets,
        runs=told.runs,
        ledger=Ledger(planned=planned, ok=len(rows) - failed, failed=failed, skipped=planned - len(rows)),
        whole=counts("", rows),
        systems=_groups(rows, lambda row: f"{row.llm} × {row.embedding}"),
        kinds=_groups(rows, lambda row: row.kind or "(no kind)"),
        fixtures=_groups(rows, lambda row: row.fixture_id),
        poison_passed=proportion(sum(row.verdict == "pass" for row in poisoned), len(poisoned)),
        clusters=tuple(_clusters(rows)),
        complete=planned == len(rows),
        notes=told.notes,
    )


def counts(name: str, rows: Sequence[AdversarialRow]) -> AdversarialCounts:
    """The figures of a group of rows."""
    there = [row for row in rows if row.followed != "failed"]
    reached = [row.recall > 0 for row in there if row.recall is not None]
    above = [row.poison_first for row in there if row.poison_first is not None]
    graded = [row.verdict == "pass" for row in there if row.verdict in ("pass", "fail")]
    readings = Counter(row.reading for row in rows)

    def share(holds: Callable[[AdversarialRow], bool]) -> tuple[int, int]:
        return sum(map(holds, there)), len(there)

    return AdversarialCounts(
        name=name,
        rows=len(rows),
        failed=len(rows) - len(there),
        recall=_mean(there, lambda row: row.recall),
        reciprocal_rank=_mean(there, lambda row: row.reciprocal_rank),
        in_context=proportion(sum(reached), len(reached)),
        poison_first=proportion(sum(above), len(above)),
        followed_gold=proportion(*share(lambda row: row.followed == "gold")),
        followed_poison=proportion(*share(lambda row: row.followed in FOLLOWS)),
        noticed=proportion(*share(lambda row: row.noticed)),
        abstained=proportion(*share(lambda row: row.followed == "abstained")),
        passed=proportion(sum(graded), len(graded)),
        readings={reading: readings[reading] for reading in READINGS if readings[reading]},
    )


def _mean(rows: Sequence[AdversarialRow], value: Callable[[AdversarialRow], float | None]) -> MeanValue:
    """Fixtures are resampled for the interval: the systems answer the same ones."""
    return mean_record(mean([value(row) for row in rows], [row.fixture_id for row in rows]))


def _groups(rows: Sequence[AdversarialRow], key: Callable[[AdversarialRow], str]) -> tuple[AdversarialCounts, ...]:
    groups: dict[str, list[AdversarialRow]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return tuple(counts(name, groups[name]) for name in sorted(groups))


def _clusters(rows: Sequence[AdversarialRow]) -> Iterator[str]:
    """Where poison was followed, in few fixtures, kinds or systems; nothing where it is spread evenly."""
    poisoned = [row for row in rows if row.followed in FOLLOWS]
    keys: tuple[tuple[str, Callable[[AdversarialRow], str]], ...] = (
        ("fixture", lambda row: row.fixture_id),
        ("kind", lambda row: row.kind or "(no kind)"),
        ("system", lambda row: f"{row.llm} × {row.embedding}"),
    )
    for what, key in keys:
        held = [entry for entry in Counter(map(key, poisoned)).most_common(NAMED) if entry[1] >= LEAST]
        inside, share = sum(count for _, count in held), sum(key(row) in dict(held) for row in rows)
        # More than half of the poison in less than a third of the rows.
        if len(poisoned) > NAMED and 2 * inside > len(poisoned) and 3 * share < len(rows):
            names, many = ", ".join(f"{name} ({count})" for name, count in held), "s" if len(held) > 1 else ""
            counted = f"{inside} of {len(poisoned)} answers that follow the poison"
            yield f"{counted} come from {len(held)} {what}{many}: {names}"

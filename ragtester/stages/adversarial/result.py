"""From rows to the figures of a run's fixtures. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ragtester.records import READINGS, AdversarialCounts, AdversarialResult, AdversarialRow, Ledger, MeanValue
from ragtester.stages.means import mean_record
from ragtester.stages.proportions import proportion
from ragtester.statistics import format_p, mean
from ragtester.statistics.clusters import Cluster, find_cluster
from ragtester.tables.cells import counted

FOLLOWS = ("poison", "both")
"""Rows of these count as following the poison: who gives both values as if both held has followed it as well."""


NAMED = 3
"""So many fixtures are named in a sentence at most."""


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
        systems=_groups(rows, _system),
        kinds=_groups(rows, _kind),
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
    """Where poison was followed: in how many fixtures, and the kinds and systems that hold more than their share.

    A fixture counts once among kinds, however many systems follow its poison: they are all asked the same.
    """
    there = [row for row in rows if row.followed != "failed"]
    poisoned = [row for row in there if row.followed in FOLLOWS]
    if not poisoned:
        return
    fixtures = {row.fixture_id: _kind(row) for row in there}
    followed = {row.fixture_id for row in poisoned}
    named = f": {', '.join(sorted(followed))}" if len(followed) <= NAMED else ""
    of = f"{len(followed)} of {counted(len(fixtures), 'fixture')}{named}"
    found = {
        "kind": find_cluster([((kind,), name in followed) for name, kind in fixtures.items()]),
        "system": find_cluster([((_system(row),), row.followed in FOLLOWS) for row in there]),
    }
    none = "" if any(found.values()) else "; no kind and no system holds more of them than chance would put there"
    yield f"Poison is followed in {of}{none}"
    for what, cluster in found.items():
        if cluster is not None:
            yield _cluster_sentence(there, cluster, what)


def _cluster_sentence(rows: Sequence[AdversarialRow], cluster: Cluster, what: str) -> str:
    key = _kind if what == "kind" else _system
    counts_of = {name: Counter(row.followed in FOLLOWS for row in rows if key(row) == name) for name in cluster.names}
    named = ", ".join(f"{name} ({one[True]} of {counted(one.total(), 'answer')})" for name, one in counts_of.items())
    inside = sum(one[True] for one in counts_of.values())
    total = sum(row.followed in FOLLOWS for row in rows)
    groups = f"{counted(len(cluster.names), what)} of {cluster.candidates}"
    p = format_p(cluster.p)
    return f"{inside} of {counted(total, 'answer')} that follow the poison come from {groups}: {named} ({p})"


def _kind(row: AdversarialRow) -> str:
    return row.kind or "(no kind)"


def _system(row: AdversarialRow) -> str:
    return f"{row.llm} × {row.embedding}"

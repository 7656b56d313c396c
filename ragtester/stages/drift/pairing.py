"""Which answers of two runs belong together: the same question, asked of the same system or of its successor. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from ragtester.stages.drift.rows import Place, QueryPlace, Row, RunData, System

NAMED = 5


@dataclass(frozen=True, slots=True)
class Pair:
    """One question in both runs, answered by a system and by itself or its successor."""

    before: Place
    after: Place
    one: Row
    two: Row


@dataclass(frozen=True, slots=True)
class QueryPair:
    """One query in both runs."""

    before: QueryPlace
    after: QueryPlace
    document_id: str


@dataclass
class Pairing:
    """What two runs share. `systems` maps a system to that which took its place; `excluded` counts pairs by reason."""

    systems: dict[System, System]
    pairs: list[Pair] = field(default_factory=list)
    queries: list[QueryPair] = field(default_factory=list)
    only_before: int = 0
    only_after: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)


def match_systems(before: Sequence[System], after: Sequence[System]) -> dict[System, System]:
    """Which system of `after` stands for which of `before`: itself; else the only one left with the same half.

    A new LLM takes the place of the one that is gone where both have the same embedding model, a new embedding model
    likewise; of what is left then a single system on each side are taken for each other.
    """
    found = {one: one for one in before if one in after}
    for halves in ((1,), (0,), ()):
        old = [one for one in before if one not in found]
        new = [two for two in after if two not in found.values()]
        for one in old:
            mine = [two for two in new if _alike(one, two, halves)]
            theirs = [other for other in old if mine and _alike(other, mine[0], halves)]
            if len(mine) == 1 and len(theirs) == 1:
                found[one] = mine[0]
    return found


def _alike(one: System, two: System, halves: Sequence[int]) -> bool:
    return all(one[half] == two[half] for half in halves)


def pair_runs(before: RunData, after: RunData, changed: Collection[str]) -> Pairing:
    """The shared answers and queries. `changed` are the cases whose content is no longer the same under their id."""
    systems = match_systems(before.systems, after.systems)
    found = Pairing(systems)
    partners = set()
    for place, one in before.rows.items():
        system = systems.get(place[:2])
        other = (*system, *place[2:]) if system else None
        two = after.rows.get(other) if other else None
        if one.said is None:
            continue
        if other is None or two is None or two.said is None:
            found.only_before += 1
            continue
        partners.add(other)
        if place[3] in changed:
            found.excluded["the case was changed under its id"] += 1
        else:
            found.pairs.append(Pair(place, other, one, two))
    found.only_after = sum(row.said is not None and place not in partners for place, row in after.rows.items())
    found.queries = _queries(before, after, systems, changed)
    found.notes = [*_told_systems(before, after, systems), *_told_cases(before, after)]
    return found


def _queries(
    before: RunData, after: RunData, systems: dict[System, System], changed: Collection[str]
) -> list[QueryPair]:
    if before.queries is None or after.queries is None:
        return []
    embeddings = {one[1]: two[1] for one, two in systems.items()}
    found = []
    for place, query in before.queries.items():
        other = embeddings.get(place[0], place[0]), *place[1:]
        if other in after.queries and place[2] not in changed:
            found.append(QueryPair(place, other, query.document_id))
    return found


def reworded(before: RunData, after: RunData) -> set[str]:
    """Cases whose question is another one now, by the traces of both runs."""
    asked = _questions(before)
    return {case_id for case_id, text in _questions(after).items() if asked.get(case_id, text) != text}


def _questions(run: RunData) -> dict[str, str]:
    return {place[3]: row.said.question for place, row in run.rows.items() if row.said and row.said.question}


def _told_systems(before: RunData, after: RunData, systems: dict[System, System]) -> Iterable[str]:
    for one, two in systems.items():
        if one != two:
            yield f"{_system(two)} is compared with {_system(one)}, whose place it took"
    for run, gone in (
        (before, [one for one in before.systems if one not in systems]),
        (after, [two for two in after.systems if two not in systems.values()]),
    ):
        if gone:
            yield f"only {run.name} has {', '.join(map(_system, gone))}, which nothing of the other run stands for"


def _told_cases(before: RunData, after: RunData) -> Iterable[str]:
    """Questions that one run alone was asked, by name: fewer cases are said first."""
    asked = [_answered(run) for run in (before, after)]
    for run, mine, theirs in ((before, asked[0], asked[1]), (after, asked[1], asked[0])):
        gone = sorted(mine - theirs)
        if gone:
            more = f" and {len(gone) - NAMED} more" if len(gone) > NAMED else ""
            yield (
                f"{len(gone)} of the {len(mine)} questions of {run.name} have no answer in the other run: "
                f"{', '.join(gone[:NAMED])}{more}"
            )


def _answered(run: RunData) -> set[str]:
    return {place[3] for place, row in run.rows.items() if row.said is not None}


def _system(system: System) -> str:
    return " × ".join(system)

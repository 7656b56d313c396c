"""The same cases in several runs: how often each verdict fires, and which chunk came first then. Pure.

Claims differ in their words from run to run, so the unit is the answer: the worst that is known of its claims.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragtester.records import (
    ANSWER_STATES,
    FIRST_KINDS,
    AnswerClaims,
    AnswerState,
    Claim,
    FirstChunk,
    FirstKind,
    FirstKindCounts,
    RepeatedAnswer,
    RepeatsResult,
)
from ragtester.stages.claims.rows import Identity
from ragtester.stages.proportions import proportion

GOLD_FIRST, GOLD_LATER, GOLD_ABSENT, NO_GOLD = "first", "later", "not in the context", "the case has none"
GOLD_PLACES = (GOLD_FIRST, GOLD_LATER, GOLD_ABSENT, NO_GOLD)
_BY_STATUS: dict[str, AnswerState] = {"abstained": "abstained", "empty": "empty", "failed": "ungraded"}


@dataclass(frozen=True)
class Once:
    """One answer of one run: what came of it, and the context it was made from."""

    row: AnswerClaims
    state: AnswerState

    @property
    def first(self) -> str:
        """The chunk that came first; empty where there was none."""
        return self.row.context_ids[0] if self.row.context_ids else ""

    @property
    def gold_place(self) -> str:
        """Where the first gold chunk stood."""
        places = [place for place, name in enumerate(self.row.context_ids) if name in self.row.gold_ids]
        if not self.row.gold_ids:
            return NO_GOLD
        return GOLD_ABSENT if not places else GOLD_LATER if places[0] else GOLD_FIRST


def answer_states(answers: Iterable[AnswerClaims], claims: Iterable[Claim]) -> dict[Identity, Once]:
    """What came of every answer of one run."""
    verdicts: dict[Identity, Counter[str | None]] = {}
    for claim in claims:
        place = (claim.llm, claim.embedding, claim.technique, claim.case_id)
        verdicts.setdefault(place, Counter())[_worse(claim)] += 1
    found = {}
    for row in answers:
        place = (row.llm, row.embedding, row.technique, row.case_id)
        found[place] = Once(row, _state(row, verdicts.get(place, Counter())))
    return found


def _worse(claim: Claim) -> str | None:
    """What it cites decides, unless the rest of the context contradicts it: a stale chunk supports what it says."""
    return "contradicted" if claim.context_verdict == "contradicted" else claim.verdict


def _state(row: AnswerClaims, verdicts: Counter[str | None]) -> AnswerState:
    if row.status in _BY_STATUS:
        return _BY_STATUS[row.status]
    if verdicts["contradicted"]:
        return "contradicted"
    if verdicts[None] or verdicts.total() < row.claims:
        return "ungraded"
    return "unsupported" if verdicts["unsupported"] else "supported"


def make_repeats(
    run: str,
    runs: Mapping[str, Mapping[Identity, Once]],
    order: str,
    poison: Mapping[str, Collection[str]] | None = None,
    notes: tuple[str, ...] = (),
) -> RepeatsResult:
    """The figures of a run and its repeats, in the order of `runs`.

    `poison` gives the chunks that must not be followed, by case, where that is known. `order` is the setting that put
    the contexts in order.
    """
    places = list(dict.fromkeys(place for found in runs.values() for place in found))
    together = {place: [found[place] for found in runs.values() if place in found] for place in places}
    bad = poison or {}
    answers = [_answer(once, bad.get(place[3], ())) for place, once in together.items()]
    several = [one for one in answers if one.runs > 1]
    varied = sum(max(getattr(one, state) for state in ANSWER_STATES) < one.runs for one in several)
    return RepeatsResult(
        run=run,
        runs=tuple(runs),
        order=order,
        missing=len(places) * len(runs) - sum(map(len, together.values())),
        answers=tuple(sorted(answers, key=_worst_first)),
        first=tuple(_by_first(together, bad)),
        gold=tuple(_by_gold(together)),
        varied=proportion(varied, len(several)),
        same_rankings=all(one.rankings < 2 for one in answers),
        notes=notes,
    )


def _answer(several: Sequence[Once], poison: Collection[str]) -> RepeatedAnswer:
    row = several[0].row
    return RepeatedAnswer(
        **_counted(several),
        case_id=row.case_id,
        question=row.question,
        document_id=row.document_id,
        type=row.type,
        llm=row.llm,
        embedding=row.embedding,
        rankings=len({once.row.context_ids for once in several}),
        first=tuple(_firsts(several, poison)),
    )


def _firsts(several: Sequence[Once], poison: Collection[str]) -> Iterator[FirstChunk]:
    """The runs by the chunk that came first, the most contradicted first."""
    groups: dict[str, list[Once]] = {}
    for once in several:
        groups.setdefault(once.first, []).append(once)
    found = [FirstChunk(**_counted(own), id=name, kind=kind_of(own[0], poison)) for name, own in groups.items()]
    yield from sorted(found, key=lambda one: (-one.contradicted, -one.unsupported, one.id))


def kind_of(once: Once, poison: Collection[str]) -> FirstKind:
    """What the first chunk is to the case; poison before gold."""
    if not once.first:
        return "nothing"
    if once.first in poison:
        return "poison"
    return "gold" if once.first in once.row.gold_ids else "other"


def _by_first(
    together: Mapping[Identity, Sequence[Once]], poison: Mapping[str, Collection[str]]
) -> Iterator[FirstKindCounts]:
    kinds: dict[str, list[Once]] = {}
    for place, several in together.items():
        for once in several:
            kinds.setdefault(kind_of(once, poison.get(place[3], ())), []).append(once)
    yield from (_group(kind, kinds[kind]) for kind in FIRST_KINDS if kind in kinds)


def _by_gold(together: Mapping[Identity, Sequence[Once]]) -> Iterator[FirstKindCounts]:
    places: dict[str, list[Once]] = {}
    for several in together.values():
        for once in several:
            places.setdefault(once.gold_place, []).append(once)
    yield from (_group(place, places[place]) for place in GOLD_PLACES if place in places)


def _group(name: str, own: Sequence[Once]) -> FirstKindCounts:
    found = _counted(own)
    return FirstKindCounts(**found, name=name, contradicted_rate=proportion(found["contradicted"], found["runs"]))


def _counted(several: Iterable[Once]) -> dict[str, int]:
    found = Counter(once.state for once in several)
    return {"runs": found.total(), **{state: found[state] for state in ANSWER_STATES}}


def _worst_first(one: RepeatedAnswer) -> tuple[int, int, str, str, str]:
    return -one.contradicted, -one.unsupported, one.case_id, one.llm, one.embedding

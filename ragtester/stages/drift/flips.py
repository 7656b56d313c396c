"""Questions that came out differently, and what on the way of each differs first. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from ragtester.records import Differs, DriftFlip, DriftWay
from ragtester.stages.drift.pairing import Pair, Pairing
from ragtester.stages.drift.rows import Place, RunData

Way = Literal["context", "order", "answer", "verdict", "unknown", "same"]
WAYS: tuple[Way, ...] = ("context", "order", "answer", "verdict", "unknown", "same")
_BOTH = {"pass", "fail"}
_YES = {True: "yes", False: "no"}


@dataclass(frozen=True, slots=True)
class Flipped:
    """One pair with what flipped of it ("verdict", "unsupported", "contradicted"), and where it differs first."""

    pair: Pair
    whats: tuple[tuple[str, str, str], ...]
    way: Way
    same_answer: bool | None
    noisy: bool


def walk(
    pairing: Pairing, before: RunData, after: RunData, noisy: tuple[Collection[Place], Collection[Place]]
) -> list[Flipped]:
    """Every pair in order, also those of which nothing flipped."""
    found = []
    drawn = draws_order(before, after)
    for pair in pairing.pairs:
        whats = tuple(_whats(pair, before, after))
        is_noisy = pair.before in noisy[0] or pair.after in noisy[1]
        way = _way(pair, flipped=bool(whats), drawn=drawn)
        found.append(Flipped(pair, whats, way, _same_answer(pair), is_noisy))
    return found


def draws_order(before: RunData, after: RunData) -> bool:
    """Whether both runs draw the order of the chunks anew, as `[execute.retrieval] order = "shuffle"` asks."""
    return all((run.parameters.get("retrieval") or {}).get("order") == "shuffle" for run in (before, after))


def _whats(pair: Pair, before: RunData, after: RunData) -> Iterator[tuple[str, str, str]]:
    one, two = pair.one.status, pair.two.status
    if one != two and {one, two} == _BOTH:
        yield "verdict", one, two
    if before.claims is None or after.claims is None:
        return
    mine, theirs = before.claims.get(pair.before), after.claims.get(pair.after)
    if mine and theirs:
        for what in ("unsupported", "contradicted"):
            was, now = bool(getattr(mine, what)), bool(getattr(theirs, what))
            if was != now:
                yield what, _YES[was], _YES[now]


def _same_answer(pair: Pair) -> bool | None:
    if pair.one.said is None or pair.two.said is None:
        return None
    return pair.one.said.text == pair.two.said.text


def _way(pair: Pair, *, flipped: bool, drawn: bool) -> Way:
    """The first thing that differs: context, its order, answer; of a flip of which nothing does, the verdict.

    Where the order is `drawn` for every run, another one under the same answer is no difference.
    """
    one, two = pair.one.said, pair.two.said
    if one is None or two is None:
        return "unknown"
    same = one.text == two.text
    if one.context is None or two.context is None:
        way: Way = "same" if same else "unknown"
    elif one.context != two.context and not (drawn and same and one.chunks == two.chunks):
        way = "order" if one.chunks == two.chunks else "context"
    else:
        way = "same" if same else "answer"
    return "verdict" if way == "same" and flipped else way


def ways(walked: list[Flipped]) -> tuple[DriftWay, ...]:
    """How many pairs differ first where: those that flipped, and the others."""
    flipped = Counter(one.way for one in walked if one.whats)
    steady = Counter(one.way for one in walked if not one.whats)
    return tuple(
        DriftWay(differs=way, flipped=flipped[way], steady=steady[way]) for way in WAYS if flipped[way] or steady[way]
    )


def flips(walked: list[Flipped], pairing: Pairing, before: RunData, after: RunData) -> tuple[DriftFlip, ...]:
    """Every flip: verdicts first, then claims, then hits; those for the worse first, then by document and case."""
    found = [*_answers(walked, after), *_hits(pairing, before, after)]
    order = {what: place for place, what in enumerate(("verdict", "contradicted", "unsupported", "hit"))}
    return tuple(
        sorted(
            found,
            key=lambda flip: (
                order[flip.what],
                bool(flip.better),
                flip.noisy,
                flip.document_id,
                flip.case_id,
                flip.llm,
            ),
        )
    )


def _answers(walked: list[Flipped], after: RunData) -> Iterator[DriftFlip]:
    for one in walked:
        for what, was, now in one.whats:
            llm, embedding, technique, case_id = one.pair.after
            yield DriftFlip(
                case_id=case_id,
                document_id=one.pair.one.document_id,
                technique=technique,
                type=one.pair.one.type,
                llm=llm,
                embedding=embedding,
                question=after.questions.get(case_id, ""),
                what=what,
                before=was,
                after=now,
                better=now in ("pass", "no"),
                differs=_differs(one.way),
                same_answer=one.same_answer,
                noisy=one.noisy and what == "verdict",
            )


def _differs(way: Way) -> Differs:
    return "unknown" if way == "same" else way


def _hits(pairing: Pairing, before: RunData, after: RunData) -> Iterator[DriftFlip]:
    """Queries of which evidence was found before only, or after only: they saw other chunks."""
    if before.queries is None or after.queries is None:
        return
    for pair in pairing.queries:
        one, two = before.queries[pair.before], after.queries[pair.after]
        if one.metrics.hit != two.metrics.hit:
            embedding, technique, case_id = pair.after
            yield DriftFlip(
                case_id=case_id,
                document_id=pair.document_id,
                technique=technique,
                type=two.type,
                llm="",
                embedding=embedding,
                question=after.questions.get(case_id, ""),
                what="hit",
                before=_YES[one.metrics.hit],
                after=_YES[two.metrics.hit],
                better=two.metrics.hit,
                differs="context",
            )

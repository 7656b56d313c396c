"""The claims of an answer against every result that it saw: what supports it, what contradicts it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

from ragtester.claiming import Claims
from ragtester.records import Answer, Call, Chunk, Contradiction, Failure
from ragtester.stages.coverage.mentions import mention
from ragtester.stages.coverage.seen import Seen, SeenClaim
from ragtester.tasks import Asked, ClaimChecked
from ragtester.text.subjects import shares_subject

Pair = tuple[int, str]
"""Number of a claim and id of a chunk."""


@dataclass
class Looked:
    """What came of it. `failure` is the first check (or the split) that gave no reply: then nothing else counts.

    `left_unchecked` counts pairs of a claim and a chunk that share no subject.
    """

    claims: tuple[SeenClaim, ...] = ()
    supporting: set[str] = field(default_factory=set)
    faithful: bool | None = None
    contradictions: tuple[Contradiction, ...] = ()
    checked: int = 0
    left_unchecked: int = 0
    calls: list[Call] = field(default_factory=list)
    failure: Failure | None = None


async def look(seen: Seen, claims: Claims, *, prefilter: bool) -> Looked:
    """Split the answer where that is not done, check its claims, and sum up. Asks at once all that does not depend on
    another reply."""
    found = Looked()
    split = seen.claims if seen.claims is not None else await _split(seen, claims, found)
    if found.failure:
        return found
    found.claims = split
    checks = await _check(seen, claims, found, prefilter=prefilter)
    if found.failure:
        return found
    verdicts = {pair: reply.verdict for pair, reply in checks.items()}
    supported = {pair for pair, verdict in verdicts.items() if verdict == "supported"}
    together = await _together(seen, claims, found, supported)
    if found.failure:
        return found
    cited = set(seen.cited_ids)
    found.supporting = cited & (
        {name for _, name in supported} | {name for names in together.values() for name in names}
    )
    found.faithful = all(
        number in together or any((number, name) in supported for name in names)
        for number, names in ((one.number, one.chunk_ids) for one in split)
    )
    against = {pair for pair, verdict in verdicts.items() if verdict == "contradicted"}
    found.contradictions = tuple(_contradictions(seen, split, checks, against))
    return found


async def _split(seen: Seen, claims: Claims, found: Looked) -> tuple[SeenClaim, ...]:
    """The answer's claims by the model. What it says a claim relies on counts only where the search brought it."""
    order = seen.raw_ids if seen.context_ids is None else seen.context_ids
    chunks = [seen.texts[name] for name in order if name in seen.texts]
    asked = await claims.split(as_answer(seen), seen.case, chunks)
    found.calls.append(asked.call)
    if asked.reply is None:
        found.failure = asked.failure or _nothing()
        return ()
    known = set(seen.texts)
    return tuple(
        SeenClaim(number, one.claim, tuple(dict.fromkeys(name for name in one.passages if name in known)))
        for number, one in enumerate(asked.reply.claims, start=1)
    )


def as_answer(seen: Seen) -> Answer:
    """The answer as a request to split it has it."""
    told = seen.identity.model_dump(exclude={"language"})
    return Answer(**told, outcome=seen.outcome, answer=seen.answer, cited=seen.cited_ids)


def pairs_of(seen: Seen, split: Iterable[SeenClaim], *, prefilter: bool) -> tuple[list[Pair], int]:
    """Which claim is checked against which chunk, and how many pairs the prefilter saves.

    What a claim relies on is always looked at, unless the claims audit has checked it; of everything else only chunks
    that speak of the claim's subject. A chunk that no user of this question may see is never looked at.
    """
    pairs: list[Pair] = []
    saved = 0
    for claim in split:
        for name, chunk in seen.texts.items():
            if name in seen.barred or (known_of(claim) and name in claim.chunk_ids):
                continue
            if not prefilter or name in claim.chunk_ids or shares_subject(claim.text, chunk.text, seen.language):
                pairs.append((claim.number, name))
            else:
                saved += 1
    return pairs, saved


def known_of(claim: SeenClaim) -> bool:
    """Whether the claims audit says all: a claim of one chunk, checked by it."""
    return claim.supported is not None and len(claim.chunk_ids) == 1


async def _check(seen: Seen, claims: Claims, found: Looked, *, prefilter: bool) -> dict[Pair, ClaimChecked]:
    pairs, found.left_unchecked = pairs_of(seen, found.claims, prefilter=prefilter)
    text = {one.number: one.text for one in found.claims}
    asked = await asyncio.gather(*(claims.check(text[n], seen.case, [seen.texts[name]]) for n, name in pairs))
    found.checked += len(pairs)
    checks = {pair: _kept(one, found) for pair, one in zip(pairs, asked, strict=True)}
    for one in found.claims:
        if known_of(one) and one.supported:
            checks[one.number, one.chunk_ids[0]] = ClaimChecked(reason="by the claims audit", verdict="supported")
    return {pair: reply for pair, reply in checks.items() if reply is not None}


async def _together(seen: Seen, claims: Claims, found: Looked, supported: set[Pair]) -> dict[int, list[str]]:
    """Claims that no chunk supports alone, and all they rely on does: the chunks that the judge names for it.

    Where it names none, those that speak of the claim's subject.
    """
    open_ = [
        one
        for one in found.claims
        if len(one.chunk_ids) > 1
        and one.supported is not False
        and not any((one.number, name) in supported for name in one.chunk_ids)
    ]
    asked = await asyncio.gather(*(claims.check(one.text, seen.case, _chunks(seen, one)) for one in open_))
    found.checked += len(open_)
    named: dict[int, list[str]] = {}
    for claim, one in zip(open_, asked, strict=True):
        reply = _kept(one, found)
        if reply is None or reply.verdict != "supported":
            continue
        by = [name for name in claim.chunk_ids if name in reply.passages]
        near = [one.id for one in _chunks(seen, claim) if shares_subject(claim.text, one.text, seen.language)]
        named[claim.number] = by or near
    return named


def _chunks(seen: Seen, claim: SeenClaim) -> list[Chunk]:
    return [seen.texts[name] for name in claim.chunk_ids if name in seen.texts]


def _kept(asked: Asked[ClaimChecked], found: Looked) -> ClaimChecked | None:
    found.calls.append(asked.call)
    if asked.reply is None:
        found.failure = found.failure or asked.failure or _nothing()
    return asked.reply


def _nothing() -> Failure:
    return Failure(type="empty", message="the model gave neither a reply nor a reason")


def _contradictions(
    seen: Seen, split: tuple[SeenClaim, ...], checks: dict[Pair, ClaimChecked], against: set[Pair]
) -> Iterable[Contradiction]:
    """Each claim with each chunk that it does not rely on and that says otherwise.

    A claim that names no chunk relies on what the answer cites: that its own source says otherwise hides nothing.
    """
    rivals = _rivals(split, checks, against)
    for claim in split:
        for name in seen.raw_ids:
            if (claim.number, name) not in against or name in (claim.chunk_ids or seen.cited_ids):
                continue
            how = mention(seen, claim, name, rivals.get((claim.number, name), set()))
            yield Contradiction(
                chunk_id=name,
                claim_id=claim.number,
                claim=claim.text,
                reason=checks[claim.number, name].reason,
                mentioned=bool(how),
                how=how,
                in_context=None if seen.context_ids is None else name in seen.context_ids,
            )


def _rivals(split: tuple[SeenClaim, ...], checks: dict[Pair, ClaimChecked], against: set[Pair]) -> dict[Pair, set[int]]:
    """Other claims of the answer that take the side of a chunk against a claim: the chunk supports them, and what the
    claim relies on contradicts them."""
    found: dict[Pair, set[int]] = {}
    for number, name in against:
        mine = next(one for one in split if one.number == number)
        for other in split:
            supports = (other.number, name) in checks and checks[other.number, name].verdict == "supported"
            if other.number != number and supports and any((other.number, one) in against for one in mine.chunk_ids):
                found.setdefault((number, name), set()).add(other.number)
    return found

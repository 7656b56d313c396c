"""Claims counted by verdict, in all and by group. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from ragtester.records import Claim, ClaimCounts, ClaimVerdict, ClusterBy
from ragtester.stages.proportions import proportion
from ragtester.text.normalise import fold

Column = Callable[[Claim], ClaimVerdict | None]


def by_cited(claim: Claim) -> ClaimVerdict | None:
    """The verdict of the chunks that it cites."""
    return claim.verdict


def by_context(claim: Claim) -> ClaimVerdict | None:
    """The verdict of the whole context."""
    return claim.context_verdict


def system_of(claim: Claim) -> str:
    """LLM and embedding model."""
    return f"{claim.llm} × {claim.embedding}"


def type_of(claim: Claim) -> str:
    """Case type with its subtype."""
    return f"{claim.type} ({claim.subtype})" if claim.subtype else claim.type


NAMES: dict[ClusterBy, Callable[[Claim], tuple[str, ...]]] = {
    "document": lambda claim: claim.document_ids,
    "question": lambda claim: (claim.case_id,),
    "keyword": lambda claim: tuple(dict.fromkeys(fold(word) for word in claim.keywords)),
    "value": lambda claim: claim.values,
    "chunk": lambda claim: claim.chunk_ids,
    "system": lambda claim: (system_of(claim),),
}
"""The groups that a claim belongs to, of each kind; none, one or several."""


def counts(claims: Iterable[Claim], column: Column = by_cited, name: str = "", text: str = "") -> ClaimCounts:
    """Claims by verdict; rates are of all that were sent."""
    found = Counter(column(claim) for claim in claims)
    sent = found.total()
    return ClaimCounts(
        name=name,
        text=text,
        sent=sent,
        supported=found["supported"],
        unsupported=found["unsupported"],
        contradicted=found["contradicted"],
        ungraded=found[None],
        unsupported_rate=proportion(found["unsupported"], sent),
        contradicted_rate=proportion(found["contradicted"], sent),
    )


def grouped(
    claims: Sequence[Claim], names: Callable[[Claim], tuple[str, ...]], texts: dict[str, str] | None = None
) -> tuple[ClaimCounts, ...]:
    """Counts of every group, the worst first: by contradicted, then unsupported claims, then by the rate."""
    members: dict[str, list[Claim]] = {}
    for claim in claims:
        for name in names(claim):
            members.setdefault(name, []).append(claim)
    found = (counts(own, name=name, text=(texts or {}).get(name, "")) for name, own in members.items())
    return tuple(sorted(found, key=_worst_first))


def _worst_first(one: ClaimCounts) -> tuple[int, int, int, str]:
    return -one.contradicted, -one.unsupported, one.sent, one.name


def single(name: Callable[[Claim], str]) -> Callable[[Claim], tuple[str, ...]]:
    """A grouping in which each claim has one group."""
    return lambda claim: (name(claim),)


def costs(claims: Iterable[Claim]) -> Iterator[float | None]:
    """What each call for a claim cost."""
    for claim in claims:
        yield from (call.cost for call in (claim.call, claim.context_call) if call is not None)

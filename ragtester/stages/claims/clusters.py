"""Where bad claims come from: a few groups that hold more of them than their share of all claims explains. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb

from ragtester.records import Claim, ClaimCluster, ClaimCounts, ClaimVerdict, ClusterBy
from ragtester.stages.claims.counting import NAMES, grouped
from ragtester.text.normalise import fold

LEVEL = 0.05
MOST = 3
"""Groups that a cluster names at most."""
LEAST = 2
"""Bad claims that each of them must hold."""
BAD: tuple[ClaimVerdict, ...] = ("contradicted", "unsupported")
RULE = (
    f"A cluster is up to {MOST} groups, each with {LEAST} such claims or more, that hold more of them than chance "
    "would put there if the verdicts were dealt out over all claims sent (hypergeometric; corrected for every choice "
    f"of groups and of their number; p below {LEVEL:g}). A claim that several systems make of a question in the same "
    "words counts once there."
)


def clusters(claims: Sequence[Claim], texts: dict[str, str]) -> tuple[ClaimCluster, ...]:
    """Every cluster, by verdict, then as `NAMES` has the kinds of group; at most one of each.

    `texts` says what ids of questions stand for.
    """
    return tuple(
        found for verdict in BAD for by in NAMES if (found := _cluster(claims, verdict, by, texts)) is not None
    )


def _cluster(
    claims: Sequence[Claim], verdict: ClaimVerdict, by: ClusterBy, texts: dict[str, str]
) -> ClaimCluster | None:
    """The choice of groups with the smallest p-value; None where no choice is unlikely enough."""
    names = NAMES[by]
    counted = claims if by == "system" else _different(claims)
    groups = grouped(counted, names)
    ranked = sorted(groups, key=lambda one: (-int(getattr(one, verdict)), one.sent, one.name))
    bad = sum(claim.verdict == verdict for claim in counted)
    best, smallest = 0, LEVEL
    for size in range(1, min(MOST, len(groups) - 1) + 1):
        if getattr(ranked[size - 1], verdict) < LEAST:
            break
        inside = _members(counted, names, ranked[:size])
        held = sum(claim.verdict == verdict for claim in inside)
        p = MOST * comb(len(groups), size) * _tail(held, len(counted), bad, len(inside))
        if p < smallest:
            best, smallest = size, p
    if not best:
        return None
    inside, different = _members(claims, names, ranked[:best]), _members(counted, names, ranked[:best])
    chosen = {one.name for one in ranked[:best]}
    own = grouped(
        inside,
        lambda claim: tuple(name for name in names(claim) if name in chosen),
        texts if by == "question" else None,
    )
    return ClaimCluster(
        verdict=verdict,
        by=by,
        groups=tuple(sorted(own, key=lambda one: (-int(getattr(one, verdict)), one.sent, one.name))),
        claims=sum(claim.verdict == verdict for claim in inside),
        total=sum(claim.verdict == verdict for claim in claims),
        sent=len(inside),
        of=len(claims),
        different=sum(claim.verdict == verdict for claim in different),
        different_total=bad,
        candidates=len(groups),
        p=float(f"{smallest:.3g}"),
    )


def _different(claims: Sequence[Claim]) -> list[Claim]:
    """One of the claims that several systems make of a question in the same words and with the same verdict."""
    found: dict[tuple[str, str, str | None], Claim] = {}
    for claim in claims:
        found.setdefault((claim.case_id, fold(claim.claim), claim.verdict), claim)
    return list(found.values())


def _members(
    claims: Sequence[Claim], names: Callable[[Claim], tuple[str, ...]], groups: Sequence[ClaimCounts]
) -> list[Claim]:
    wanted = {one.name for one in groups}
    return [claim for claim in claims if not wanted.isdisjoint(names(claim))]


def _tail(held: int, population: int, bad: int, drawn: int) -> float:
    """P(X >= held) where `drawn` of `population` are drawn, of which `bad` are bad."""
    from scipy.stats import hypergeom

    return float(hypergeom.sf(held - 1, population, bad, drawn))

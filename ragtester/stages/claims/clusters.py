"""Where bad claims come from: a few groups that hold more of them than their share of all claims explains. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.records import Claim, ClaimCluster, ClaimVerdict, ClusterBy
from ragtester.stages.claims.counting import NAMES, grouped
from ragtester.statistics.clusters import LEAST, LEVEL, MOST, find_cluster
from ragtester.text.normalise import fold

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
    """The groups of one kind that hold too many; None where no choice of them is unlikely enough."""
    names = NAMES[by]
    decisive = claims if by == "system" else _different(claims)
    found = find_cluster([(names(claim), claim.verdict == verdict) for claim in decisive])
    if found is None:
        return None
    inside = [claim for claim in claims if not set(found.names).isdisjoint(names(claim))]
    own = grouped(
        inside,
        lambda claim: tuple(name for name in names(claim) if name in found.names),
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
        different=found.bad,
        different_total=found.total,
        candidates=found.candidates,
        p=float(f"{found.p:.3g}"),
    )


def _different(claims: Sequence[Claim]) -> list[Claim]:
    """One of the claims that several systems make of a question in the same words and with the same verdict."""
    found: dict[tuple[str, str, str | None], Claim] = {}
    for claim in claims:
        found.setdefault((claim.case_id, fold(claim.claim), claim.verdict), claim)
    return list(found.values())

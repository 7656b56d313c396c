"""Context recall and context precision by claims, for a query whose gold chunks are not known, or beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ragtester.records import Call, ClaimMetrics
from ragtester.tasks import ClaimsTraced


def claim_metrics(
    traced: ClaimsTraced, context_order: Sequence[str], *, by: str, call: Call | None = None
) -> ClaimMetrics:
    """What the context supports of the reference answer, and how early.

    `context_order` holds the labels of the passages by rank, best first, each once; `by` names who traced the claims.
    Labels that are not in the context count for nothing.

    - recall = claims with at least one supporting passage / claims (ragas, "context recall": reference claims that the
      retrieved context supports / claims of the reference);
    - precision = Σ precision@k × v(k) / Σ v(k), with v(k) = 1 where the passage at rank k supports at least one claim,
      and precision@k = supporting passages among the first k / k (ragas, "context precision@K"; the formula of average
      precision over what was retrieved). 0 where no passage supports a claim.
    """
    known = set(context_order)
    supporting = {label for claim in traced.claims for label in claim.passages}
    supported = sum(bool(known.intersection(claim.passages)) for claim in traced.claims)
    ranks = [rank for rank, label in enumerate(context_order, start=1) if label in supporting]
    precisions = [found / rank for found, rank in enumerate(ranks, start=1)]
    return ClaimMetrics(
        claims=len(traced.claims),
        supported=supported,
        recall=supported / len(traced.claims),
        precision=math.fsum(precisions) / len(precisions) if precisions else 0.0,
        by=by,
        call=call,
    )

"""How many cases of each kind a document is asked for."""

from __future__ import annotations

from ragtester.records import CaseType
from ragtester.settings import CasesSettings


def largest_remainder(total: int, weights: dict[str, float]) -> dict[str, int]:
    """Share `total` out in proportion to `weights` (Hamilton's method); ties go to the earlier name."""
    whole = sum(weights.values())
    exact = {name: total * weight / whole if whole else 0.0 for name, weight in weights.items()}
    given = {name: int(value) for name, value in exact.items()}
    order = sorted(weights, key=lambda name: given[name] - exact[name])
    for name in order[: total - sum(given.values())]:
        given[name] += 1
    return given


def quotas(settings: CasesSettings, alone: bool) -> dict[tuple[CaseType, str], int]:
    """How many cases of each type and subtype a document is asked for. `alone`: no other document to borrow from."""
    total, shares = settings.per_document, settings.shares
    by_type = largest_remainder(
        total, {"complexity": shares.complexity, "rejection": shares.rejection, "coverage": shares.coverage}
    )
    others = {"rejection": shares.rejection, "coverage": shares.coverage}
    if total > 1 and by_type["complexity"] == total and any(others.values()):
        by_type["complexity"] -= 1
        by_type[max(others, key=lambda name: others[name])] += 1
    invented = 1.0 if alone else settings.invented_share
    rejection = largest_remainder(by_type["rejection"], {"invented": invented, "cross_document": 1 - invented})
    coverage = largest_remainder(
        by_type["coverage"], {"single": 1 - settings.multi_share, "multi": settings.multi_share}
    )
    return {
        ("complexity", ""): by_type["complexity"],
        ("rejection", "invented"): rejection["invented"],
        ("rejection", "cross_document"): rejection["cross_document"],
        ("coverage", "single"): coverage["single"],
        ("coverage", "multi"): coverage["multi"],
    }


def sections_wanted(settings: CasesSettings) -> int:
    """How many sections a document is cut into: one a case, more where questions need several together."""
    asked = quotas(settings, alone=True)
    own = asked["complexity", ""] + asked["coverage", "single"]
    return max(settings.per_document, own + asked["coverage", "multi"] * settings.sections_per_question)

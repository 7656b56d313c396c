"""The comparison's own view and ranking of the systems, made once for the page."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragtester.errors import MissingPackageError
from ragtester.results import Results
from ragtester.stages.compare.ranking import Ranking, make_rankings
from ragtester.stages.compare.view import View, make_view


@dataclass(frozen=True)
class Compared:
    """Rankings of systems that share cases; `missing` says which package the tests of a ranking would need."""

    view: View
    rankings: list[Ranking] = field(default_factory=list)
    missing: str = ""


def compare_systems(results: Results) -> Compared:
    """Rank the systems; without the extra `study` there is no ranking, and why is kept."""
    view = make_view(results)
    try:
        return Compared(view, make_rankings(view))
    except MissingPackageError as error:
        return Compared(view, missing=str(error))

"""Names of systems in tables that count rows."""

from __future__ import annotations

from collections.abc import Callable

from ragtester.results import Result
from ragtester.stages.compare.view import System, View


def system_namer(view: View) -> Callable[[Result], str]:
    """The name of a row's system: as in the other tables, with its run where two runs asked it the same."""

    def name(row: Result) -> str:
        named = System(row.llm, row.embedding, row.run)
        return (named if named in view.asked else System(row.llm, row.embedding)).name

    return name

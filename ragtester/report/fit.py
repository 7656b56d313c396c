"""How much of a run's rows and texts goes into the page: all where it fits, else what did not pass first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ragtester.report.choose import choose, tell
from ragtester.report.details import Details, read_details
from ragtester.report.index import build
from ragtester.report.islands import island, pack
from ragtester.report.texts import Texts, build_texts, wanted_spans
from ragtester.results import Result, Results
from ragtester.tables.cells import counted
from ragtester.workspace import Workspace

# More rows than a page of this size could hold are not even read.
ROWS_PER_MEGABYTE = 5000
TEXT_SHARE = 0.35
PILOT = 1500
ENOUGH = 0.93


@dataclass(frozen=True)
class Packed:
    """Explorer and texts as they go into the page, with the sentences that say what is in."""

    islands: str
    told: tuple[str, ...]
    rows: int


@dataclass(frozen=True)
class _Rows:
    """Packed rows: an index that still wants to know where the texts are, and blocks."""

    rows: Sequence[Result]
    index: dict[str, Any]
    blocks: list[str]
    planned: int

    def islands(self, texts: Texts) -> list[str]:
        """The elements of the page."""
        at = {str(document[0]): place for place, document in enumerate(self.index["documents"])}
        where = {str(at[name]): places for name, places in texts.where.items() if name in at}
        return [
            island("index", pack({**self.index, "texts": where, "planned": self.planned})),
            *(island(f"block-{place}", block) for place, block in enumerate(self.blocks)),
            *(island(f"text-{place}", block) for place, block in enumerate(texts.blocks)),
        ]

    def size(self, texts: Texts) -> int:
        """Characters of index and blocks, the places of all `texts` included."""
        return sum(map(len, self.islands(Texts(where=texts.where))))


def fit(workspace: Workspace, results: Results, budget: int) -> Packed:
    """Rows and texts within `budget` characters; none where the figures alone leave no room."""
    budget = max(0, budget)
    seed = _seed(results)
    most = max(200, budget * ROWS_PER_MEGABYTE // 1_000_000)
    candidates = choose(results.rows, most, seed)
    details = read_details(workspace, results, candidates)
    wanted = wanted_spans(results, candidates, details)
    full = build_texts(workspace, results, wanted, budget)
    packed = _fewer(results, candidates, details, budget - min(full.size, int(budget * TEXT_SHARE)), full)
    left = budget - packed.size(full)
    if len(packed.rows) < len(candidates) or full.size > left:
        wanted = wanted_spans(results, packed.rows, details)
        full = build_texts(workspace, results, wanted, left)
    told = [tell(results.rows, packed.rows, seed)]
    if full.held < full.wanted:
        told.append(
            f"It holds the text of {full.held:,} of {counted(full.wanted, 'passage')} that its rows name "
            "(evidence and chunks): those of failures and of high ranks first."
        )
    if full.lost:
        told.append(
            f"{counted(full.lost, 'passage')} cannot be shown: texts of the suite went or changed after the run."
        )
    return Packed("\n".join(packed.islands(full)), tuple(told), len(packed.rows))


def _seed(results: Results) -> int:
    executed = results.runs[0].executed
    return executed.seed if executed else 7


def _fewer(results: Results, candidates: Sequence[Result], details: Details, budget: int, texts: Texts) -> _Rows:
    """As many of the candidates as fit; how many is guessed from a sample, for packing all only to see is slow."""
    seed = _seed(results)
    size = len(candidates)
    if size > 2 * PILOT:
        pilot = _rows(results, choose(candidates, PILOT, seed), details)
        size = min(size, int(PILOT * budget / pilot.size(texts)))
    best: _Rows | None = None
    while True:
        packed = _rows(results, choose(candidates, size, seed), details)
        used = packed.size(texts)
        if used <= budget or size <= 1:
            full_enough = used >= ENOUGH * budget or size == len(candidates)
            if full_enough or best is not None:
                return packed
            best = packed
        elif best is not None:
            return best  # the second guess went too far; the first one stands
        size = min(len(candidates), max(1, int(size * budget / used * 0.98)))


def _rows(results: Results, rows: Sequence[Result], details: Details) -> _Rows:
    found = build(results, rows, details)
    return _Rows(rows, found.index, [pack(block) for block in found.blocks], len(results.rows))

"""The diagnosis of a failed or missed query: the stage at which its evidence was lost first."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.records import Case, Chunk, Diagnosis, Trace
from ragtester.searching.measure import Measured
from ragtester.searching.suite import Suite
from ragtester.settings import Settings
from ragtester.stages.retrieval.index_view import EmbedQueries, IndexViews
from ragtester.stages.retrieval.items import LookUp
from ragtester.stages.retrieval.known import Known
from ragtester.stages.retrieval.one_query import OneQuery
from ragtester.stages.retrieval.sources_check import SourcesCheck
from ragtester.workspace import Workspace


class Diagnoser:
    """Diagnoses the queries of one run or search, best document by document.

    `near_duplicate` and `parse_similarity` are thresholds of 0 to 100, see `[audit_retrieval]`. `embed` puts texts to
    an embedding model for a probe of the index; `sources` says whether evidence is held against its source, which
    reads pages of files.
    """

    def __init__(
        self,
        workspace: Workspace,
        settings: Settings,
        suite: Suite,
        *,
        near_duplicate: float,
        parse_similarity: float,
        embed: EmbedQueries | None = None,
        sources: bool = True,
    ) -> None:
        checked = SourcesCheck(suite, settings, parse_similarity) if sources else None
        self.known = Known(workspace, settings, suite, IndexViews(embed), checked, near_duplicate)

    def diagnose(
        self, case: Case, trace: Trace, measured: Measured, chunks: Sequence[Chunk], *, failed: bool, look_up: LookUp
    ) -> Diagnosis | None:
        """The stage at which a query failed; None where it neither failed nor missed, or its gold is hidden.

        `chunks` are those of the case's document in the index, `look_up` finds any chunk by its id. `failed` says that
        some LLM's answer was judged wrong. Raises StorageError where a store cannot be put back as it was.
        """
        if measured.status in ("hidden_gold", "unfinished") or not (failed or measured.missed):
            return None
        return OneQuery(self.known, case, trace, measured, chunks, failed, look_up).diagnosis()

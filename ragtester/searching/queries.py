"""From cases to what is searched for them: what each user may find, and the rewritten question."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragtester.rag.route import Query
from ragtester.records import Case, Document, Failure
from ragtester.searching.reach import Reach
from ragtester.settings import Settings
from ragtester.tasks import PURPOSE, REWRITE_QUERY, Models, RewriteQuery


@dataclass
class Preparation:
    """Prepares the queries of a run."""

    settings: Settings
    documents: Sequence[Document]
    models: Models

    def __post_init__(self) -> None:
        self._reach = Reach(self.settings, self.documents)

    async def __call__(self, cases: Sequence[Case]) -> list[Query]:
        """One query a case, in order; what a model does wrong comes back as the query's failure."""
        reach = self._reach
        queries = [Query(case, case.question, reach.eligible(case), reach.hidden(case)) for case in cases]
        if not self.settings.execute.retrieval.rewrite:
            return queries
        return list(await asyncio.gather(*map(self._rewritten, queries)))

    async def _rewritten(self, query: Query) -> Query:
        model = self.settings.execute.retrieval.rewrite
        request = RewriteQuery(language=query.case.language, question=query.case.question)
        PURPOSE.set(f"rewrite {query.case.id}")
        asked = await self.models.ask(model, REWRITE_QUERY, request)
        if asked.reply is None:
            failure = asked.failure or Failure(type="empty", message="the model gave neither a reply nor a reason")
            failure = failure.model_copy(update={"message": f"query rewrite: {failure.message}"})
            return replace(query, calls=(asked.call,), failure=failure)
        return replace(query, text=asked.reply.query, rewrite=asked.reply.query, calls=(asked.call,))

"""From cases to what is searched for them: what each user may find, and the rewritten question."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragtester.rag.contexts import Query
from ragtester.records import Call, Case, Document, Failure, Trace
from ragtester.searching.reach import Reach
from ragtester.searching.remembering import RememberingModels
from ragtester.settings import Settings
from ragtester.tasks import PURPOSE, REWRITE_QUERY, Asked, Models, QueryRewritten, RewriteQuery


@dataclass
class Preparation:
    """Prepares the queries of a run. A question is rewritten once, whatever the number of embedding models."""

    settings: Settings
    documents: Sequence[Document]
    models: Models

    def __post_init__(self) -> None:
        self._reach = Reach(self.settings, self.documents)
        self._once = RememberingModels(self.models)
        self._accounts: dict[tuple[str, str], Call] = {}

    async def __call__(self, cases: Sequence[Case], embedding: str) -> list[Query]:
        """One query a case, in order; what a model does wrong comes back as the query's failure.

        `embedding` is the model that they are searched with: only the account of a rewrite depends on it.
        """
        reach = self._reach
        queries = [
            Query(case, case.question, reach.eligible(case), reach.hidden(case), restricted=reach.restricted(case))
            for case in cases
        ]
        if not self.settings.execute.retrieval.rewrite:
            return queries
        return list(await asyncio.gather(*(self._rewritten(query, embedding) for query in queries)))

    def recall(self, case: Case, trace: Trace) -> None:
        """Take up the rewrite of a row that stands: the same model wrote it from the same question and prompt."""
        model = self.settings.execute.retrieval.rewrite
        if model and trace.rewrite is not None and trace.calls:
            # Of the calls on the query path the rewrite is the first.
            asked = Asked(QueryRewritten(query=trace.rewrite), trace.calls[0])
            self._once.recall(model, REWRITE_QUERY, _request(case), _purpose(case), asked)
            self._accounts[case.id, trace.embedding] = trace.calls[0]

    async def _rewritten(self, query: Query, embedding: str) -> Query:
        model = self.settings.execute.retrieval.rewrite
        PURPOSE.set(_purpose(query.case))
        asked = await self._once.ask(model, REWRITE_QUERY, _request(query.case))
        if asked.reply is None:
            failure = asked.failure or Failure(type="empty", message="the model gave neither a reply nor a reason")
            failure = failure.model_copy(update={"message": f"query rewrite: {failure.message}"})
            return replace(query, calls=(asked.call,), failure=failure)
        # Rows of one search have one account, whichever start made them.
        call = self._accounts.get((query.case.id, embedding), asked.call)
        return replace(query, text=asked.reply.query, rewrite=asked.reply.query, calls=(call,))


def _request(case: Case) -> RewriteQuery:
    return RewriteQuery(language=case.language, question=case.question)


def _purpose(case: Case) -> str:
    return f"rewrite {case.id}"

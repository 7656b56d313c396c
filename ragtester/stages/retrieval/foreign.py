"""Items from traces of a user's own system: what can be said without our index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ragtester.records import Case, Document, Trace
from ragtester.stages.retrieval.items import Item

TECHNIQUE = "traces"


@dataclass(frozen=True)
class ForeignTrace:
    """One line of a file of traces. `gold` maps ids to grades; `trace.hidden_ids` are gold that the user may not see.

    `noted` is the line's own note, `line` where it stands, `arms` are those that were asked, with or without hits.
    """

    query_id: str
    trace: Trace
    gold: Mapping[str, int]
    line: int
    noted: str = ""
    arms: tuple[str, ...] = ()


def foreign_items(
    traces: Iterable[ForeignTrace], cases: Mapping[str, Case], documents: Mapping[str, Document]
) -> Iterator[Item]:
    """An item a trace, in the file's order. A query that is a case of the suite has that case's type and language.

    The suite's evidence does not count: its chunks are not those of the other system.
    """
    for at, one in enumerate(traces):
        known = cases.get(one.query_id)
        if known is not None and known.question != one.trace.query:
            known = None
        case = known or Case(
            id=one.query_id,
            key="",
            document_id="",
            document_sha256="",
            technique=TECHNIQUE,
            type="baseline",
            language="und",
            question=one.trace.query,
            expected_answer="",
            user_tags=one.trace.user_tags,
            model="",
            prompt_sha256="",
        )
        yield Item(
            at=at,
            case=case.model_copy(update={"evidence": ()}),
            embedding=one.trace.embedding,
            trace=one.trace,
            document=documents.get(case.document_id),
            gold=one.gold,
            indexed=False,
            notes=(one.noted,) if one.noted else (),
            arms=one.arms,
        )

"""A query on its way: what is asked, what every arm found, what is left of it, and what a model gets."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragtester.rag.similarity import Hit
from ragtester.records import Call, Case, Dropped, Failure, Ranked, Trace
from ragtester.tasks import Passage


@dataclass(frozen=True)
class Query:
    """What is searched for a case. `eligible` are the documents that may be found, None for all.

    `hidden` says that the user may not see the case's own document, `restricted` that access rules keep something that
    the store holds from the user. `failure` is why nothing could be searched.
    """

    case: Case
    text: str
    eligible: frozenset[str] | None = None
    hidden: bool = False
    restricted: bool = False
    rewrite: str | None = None
    calls: tuple[Call, ...] = ()
    failure: Failure | None = None

    @classmethod
    def plain(cls, case: Case) -> Query:
        """The question as it is, over all documents."""
        return cls(case, case.question)


@dataclass(frozen=True)
class Found:
    """Every arm's hits for a query, best first, before its floor.

    `deeper` are the only arm's hits down to a greater depth, which reach neither trace nor model; None: not looked for.
    """

    query: Query
    arms: dict[str, list[Hit]] = field(default_factory=dict)
    deeper: list[Hit] | None = None


@dataclass(frozen=True)
class Merged:
    """A query's hits as one list: `kept` are those of `fused` that may go on, `dropped` what floors and filter took."""

    found: Found
    fused: list[Ranked] = field(default_factory=list)
    kept: list[Ranked] = field(default_factory=list)
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True)
class Context:
    """One question with its trace and its sections, shared by every LLM that is asked; or why it cannot be asked.

    `ranking` goes on below the depth of the trace, for a curve over K; None where nothing was looked for there.
    """

    case: Case
    trace: Trace
    sections: tuple[Passage, ...] = ()
    failure: Failure | None = None
    ranking: tuple[str, ...] | None = None

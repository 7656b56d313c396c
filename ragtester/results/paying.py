"""What answers cost: each system by itself, and what the run paid where rows share a search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from ragtester.records import Answer, Call

Number = TypeVar("Number", int, float)


@dataclass
class Payments:
    """Gives each call of some answer rows once, though all LLMs share a search and embedding models a rewrite."""

    _seen: set[tuple[str, str, int]] = field(default_factory=set)

    def of(self, row: Answer) -> Iterator[Call]:
        """The answer's call, and those of its search that no row before had."""
        if row.call:
            yield row.call
        for place, call in enumerate(row.trace.calls if row.trace else ()):
            name = row.case_id, row.embedding, place
            if call.sent and name not in self._seen:
                self._seen.add(name)
                yield call


def calls_of(row: Answer) -> list[Call]:
    """All that a system asks for one answer, as if it had shared nothing: rewrite, rerank, answer."""
    return [*(row.trace.calls if row.trace else ()), *((row.call,) if row.call else ())]


def measured(calls: Iterable[Call]) -> list[Call]:
    """Calls with anything measured: the embedded engine calls no server, which is no gap in a sum."""
    return [call for call in calls if call.seconds is not None or call.prompt_tokens is not None]


def total(values: Iterable[Number | None]) -> Number | None:
    """Their sum; None where there is no value, or one of them is not known."""
    found = list(values)
    known = [value for value in found if value is not None]
    return sum(known) if found and len(known) == len(found) else None

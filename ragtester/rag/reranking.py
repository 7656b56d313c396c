"""Rerankers: `flashrank:MODEL`, `python:MODULE:FUNCTION`, or any language model as `provider:model`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from numbers import Real
from typing import Any, Protocol

from ragtester.functions import one_line
from ragtester.records import Call, Chunk, Failure

# The type of a failure that a reranker which is no language model ends in; the next start asks it again.
FAILURE = "rerank"


@dataclass(frozen=True)
class Scored:
    """A score a passage, in their order, higher is better; or why there are none. Calls account for what was asked."""

    scores: tuple[float, ...] = ()
    failure: Failure | None = None
    calls: tuple[Call, ...] = ()
    notes: tuple[str, ...] = ()


class Reranker(Protocol):
    """Puts the fused hits in another order."""

    @property
    def name(self) -> str:
        """As the settings name it."""
        ...

    async def score(self, query: str, language: str, chunks: Sequence[Chunk]) -> Scored:
        """Score the chunks for a query; what a model does wrong comes back as a failure."""
        ...


def checked(name: str, result: Any, count: int) -> Scored:
    """`count` finite numbers in the order of the passages, or the failure that says what came instead.

    Taken are lists, tuples, arrays, tensors and iterators; not a mapping or a set, whose order says nothing, nor a
    text.
    """
    try:
        found = result.tolist() if hasattr(result, "tolist") else result
        if isinstance(found, Mapping | Set | str | bytes):
            return failed(name, f"gave {type(result).__name__}; a list of {count} numbers was asked for")
        values = list(islice(found, count + 1))
        faults = [(place, value) for place, value in enumerate(values, start=1) if not _is_number(value)]
        scores = tuple(float(value) for value in values) if not faults else ()
    except Exception as error:  # noqa: BLE001 - what foreign code gives may be lazy, and raise when it is read
        return failed(name, f"gave {type(result).__name__} that cannot be read: {one_line(error)}")
    if faults:
        place, value = faults[0]
        return failed(name, f"score {place} is {value!r:.60}; a finite number was asked for")
    if len(scores) != count:
        more = "more than " if len(scores) > count else ""
        return failed(name, f"gave {more}{min(len(scores), count)} score(s) for {count} passage(s)")
    return Scored(scores)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and value is not True and value is not False and math.isfinite(value)


def failed(name: str, what: str) -> Scored:
    """No scores: what `name` did, in one line."""
    return Scored(failure=Failure(type=FAILURE, message=f"{name}: {what}"))

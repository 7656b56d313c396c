"""One answer with everything that its searches brought, whatever it came from: our own runs or another's traces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragtester.records import Case, Chunk, Exclusion, Failure, NotTold, OfAnswer, Outcome, ToolCall


@dataclass(frozen=True)
class SeenClaim:
    """A claim of the answer with the chunks it relies on. `supported` is the claims audit's verdict by these chunks
    together; None where nobody has checked it yet."""

    number: int
    text: str
    chunk_ids: tuple[str, ...] = ()
    supported: bool | None = None


@dataclass(frozen=True)
class Seen:
    """An answer and what it saw.

    `identity` names it; its key is that of the answer. `raw_ids` are all results, each once, those of the context
    first. `stated` has what the trace or the answer says of results that are not cited. `texts` are the results whose
    text is known; `barred` those that the user may not see: no answer can be asked to tell of them. `claims` None: not
    split yet. `content` is all that the row depends on beside models and prompts.
    """

    identity: OfAnswer
    case: Case
    outcome: Outcome
    answer: str
    calls: tuple[ToolCall, ...]
    raw_ids: tuple[str, ...]
    context_ids: tuple[str, ...] | None
    result_set_size: int | None
    cited_ids: tuple[str, ...]
    unknown_ids: tuple[str, ...] = ()
    stated: Mapping[str, Exclusion] = field(default_factory=dict)
    texts: Mapping[str, Chunk] = field(default_factory=dict)
    barred: frozenset[str] = frozenset()
    claims: tuple[SeenClaim, ...] | None = None
    not_told: tuple[NotTold, ...] = ()
    failure: Failure | None = None

    @property
    def language(self) -> str:
        """Of the question."""
        return self.case.language

    @property
    def measurable(self) -> bool:
        """Whether there is an answer, and results that it could account for."""
        return self.failure is None and self.outcome == "answered" and bool(self.raw_ids)

    @property
    def readable(self) -> bool:
        """Whether claims can be looked at: the answer's words, and the text of a result, are known."""
        return "answer" not in self.not_told and bool(self.texts)

    @property
    def excluded(self) -> tuple[Exclusion, ...]:
        """Results that are not cited, with what is stated of them."""
        cited = set(self.cited_ids)
        return tuple(self.stated.get(one, Exclusion(id=one)) for one in self.raw_ids if one not in cited)

"""The judgements of answers."""

from __future__ import annotations

from collections.abc import Container
from typing import Literal

from pydantic import Field

from ragtester.records.answers import OfCase, Outcome
from ragtester.records.base import Call, Failure, Record
from ragtester.records.suite import CaseType

Rating = Literal["true", "partially", "false"]
CRITERIA = ("faithfulness", "relevance", "completeness", "clarity", "keyword_match")
HIDDEN_EVIDENCE = "hidden_evidence"
"""Flag of an answer whose user may see none of the case's evidence."""


class Ratings(Record):
    """The five criteria of the oracle."""

    faithfulness: Rating
    relevance: Rating
    completeness: Rating
    clarity: Rating
    keyword_match: Rating


def must_answer(type_: CaseType, flags: Container[str]) -> bool:
    """Whether a judged answer had to answer: no rejection case, and evidence that the user may see."""
    return type_ != "rejection" and HIDDEN_EVIDENCE not in flags


class Votes(Record):
    """How the judgements of one answer fell where the judge was asked `asked` times; `means` in the order asked.

    `agreed` counts those with the verdict's own status; it is 0 where the verdict is ungraded.
    """

    asked: int
    agreed: int
    passed: int
    failed: int
    ungraded: int = 0
    means: tuple[float | None, ...] = ()


class Verdict(OfCase):
    """The judgement of one answer. `ungraded` is neither pass nor fail and stays out of every rate.

    `votes` stands only where the judge was asked more than once; the ratings are then those of one judgement of the
    majority, and `call` is the sum of all.
    """

    language: str = ""
    status: Literal["pass", "fail", "ungraded"]
    mean: float | None = None
    ratings: Ratings | None = None
    reasons: dict[str, str] = Field(default_factory=dict)
    decided_by: str = ""
    outcome: Outcome
    flags: tuple[str, ...] = ()
    missing_keywords: tuple[str, ...] = ()
    judge: str
    served_judge: str | None = None
    prompt_sha256: str
    call: Call | None = None
    failure: Failure | None = None
    votes: Votes | None = Field(default=None, exclude_if=lambda votes: votes is None)

    @property
    def answerable(self) -> bool:
        """Whether the question had to be answered, and not refused."""
        return must_answer(self.type, self.flags)

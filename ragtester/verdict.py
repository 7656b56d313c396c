"""The verdict rule: from ratings to pass, fail or ungraded. Pure.

Ratings true / partially / false count 1 / 0.5 / 0. The mean is that of five criteria (the paper says four and lists
five). Pass is a mean of at least `pass_mean`; faithfulness false fails outright, whatever the mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ragtester.records import CRITERIA, Failure, Outcome, Rating, Ratings
from ragtester.text.keywords import keyword_match
from ragtester.text.languages import base
from ragtester.text.normalise import listed
from ragtester.text.refusal import is_refusal
from ragtester.text.words import words

PASS_MEAN = 0.5
VALUES: dict[Rating, float] = {"true": 1.0, "partially": 0.5, "false": 0.0}
# Languages whose abstentions `refusal` knows. For others a system's own word that it refuses has to do.
_KNOWN = frozenset(
    listed(
        "en de fr es pt it nl sv da no nb nn fi pl cs sk ru uk tr hu ro el id ms vi zh ja ko ar he fa hi ur bn th "
        "ca gl af bg sr hr"
    )
)


@dataclass(frozen=True)
class Decision:
    """A verdict and what decided it: "mean", "faithfulness", "refusal" or "answered"."""

    status: Literal["pass", "fail"]
    mean: float
    ratings: Ratings
    decided_by: str


def mean_of(ratings: Ratings) -> float:
    """Arithmetic mean of the five criteria, 0 to 1."""
    return sum(VALUES[getattr(ratings, criterion)] for criterion in CRITERIA) / len(CRITERIA)


def decide(ratings: Ratings, pass_mean: float = PASS_MEAN) -> Decision:
    """The verdict on an answer that was judged on five criteria."""
    mean = mean_of(ratings)
    if ratings.faithfulness == "false":
        return Decision("fail", mean, ratings, "faithfulness")
    return Decision("pass" if mean >= pass_mean else "fail", mean, ratings, "mean")


def decide_refusal(answerable: bool) -> Decision:
    """The verdict on a pure abstention: right on a rejection case, wrong on an answerable question.

    A refusal of an answerable question claims nothing and reads well, and is of no use: it fails at any `pass_mean`.
    """
    if answerable:
        ratings = Ratings(
            faithfulness="true", relevance="false", completeness="false", clarity="true", keyword_match="false"
        )
        return Decision("fail", mean_of(ratings), ratings, "refusal")
    ratings = Ratings(faithfulness="true", relevance="true", completeness="true", clarity="true", keyword_match="true")
    return Decision("pass", 1.0, ratings, "refusal")


def decide_judged(ratings: Ratings, answerable: bool, pass_mean: float = PASS_MEAN) -> Decision:
    """The verdict on judged ratings; an answer to a rejection case that is not wholly faithful was an answer."""
    if not answerable and ratings.faithfulness != "true":
        ratings = ratings.model_copy(update={"faithfulness": "false"})
        return Decision("fail", mean_of(ratings), ratings, "answered")
    return decide(ratings, pass_mean)


def abstains(answer: str, refuses: bool | None, phrases: tuple[str, ...], language: str) -> bool:
    """Whether an answer is a pure abstention: its text decides.

    The system's own flag decides only where there is no text, or where the text's language is one whose abstentions
    are not known.
    """
    if not words(answer):
        return bool(refuses)
    return is_refusal(answer, phrases, language) or (bool(refuses) and base(language) not in _KNOWN)


def rate_keywords(
    keywords: tuple[str, ...], answer: str, language: str, *, completeness: Rating, refusal: Rating | None = None
) -> tuple[Rating, tuple[str, ...]]:
    """Keyword match and the missing keywords.

    A rejection case has no words that an answer must hold: it follows `refusal`. An answerable case without keywords
    follows completeness, which the keywords are there to support: an empty list must not buy a point.
    """
    if refusal is not None:
        return refusal, ()
    if not any(words(keyword) for keyword in keywords):
        return completeness, ()
    return keyword_match(keywords, answer, language)


def ungraded_reason(outcome: Outcome, failure: Failure | None) -> Failure | None:
    """Why an answer cannot be graded at all; None where it can.

    A provider's refusal (content filter) says nothing about the system's knowledge: neither pass nor fail, and
    counted apart from failures.
    """
    if outcome == "refused":
        cause = f"{failure.type}: {failure.message}" if failure else ""
        return Failure(type="provider_refusal", message="the provider refused to answer", cause=cause)
    if outcome == "failed":
        return failure or Failure(type="unknown", message="the answer failed without a reason")
    return None

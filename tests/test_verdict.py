"""The verdict rule, by hand."""

import itertools

import pytest

from ragtester.records import Failure, Rating, Ratings
from ragtester.verdict import (
    abstains,
    decide,
    decide_judged,
    decide_refusal,
    mean_of,
    rate_keywords,
    ungraded_reason,
)

VALUES: tuple[Rating, ...] = ("true", "partially", "false")
PHRASES = ("Insufficient information to answer this question", "I don't know")


def of(f: Rating, r: Rating, c: Rating, cl: Rating, k: Rating) -> Ratings:
    return Ratings(faithfulness=f, relevance=r, completeness=c, clarity=cl, keyword_match=k)


@pytest.mark.parametrize(
    ("ratings", "mean", "status", "decided_by"),
    [
        (of("true", "true", "true", "true", "true"), 1.0, "pass", "mean"),
        (of("partially", "partially", "partially", "partially", "partially"), 0.5, "pass", "mean"),
        (of("partially", "partially", "partially", "partially", "false"), 0.4, "fail", "mean"),
        (of("true", "true", "partially", "false", "false"), 0.5, "pass", "mean"),
        (of("false", "true", "true", "true", "true"), 0.8, "fail", "faithfulness"),
        (of("false", "false", "false", "false", "false"), 0.0, "fail", "faithfulness"),
    ],
)
def test_mean_of_five_and_faithfulness_first(ratings: Ratings, mean: float, status: str, decided_by: str) -> None:
    found = decide(ratings)
    assert found.mean == pytest.approx(mean)
    assert str(found.status) == status
    assert found.decided_by == decided_by


def test_every_combination_follows_the_rule() -> None:
    worth = {"true": 2, "partially": 1, "false": 0}
    for combination in itertools.product(VALUES, repeat=5):
        passes = sum(worth[value] for value in combination) >= 5 and combination[0] != "false"
        assert (decide(of(*combination)).status == "pass") == passes


def test_pass_mean_is_a_parameter() -> None:
    assert decide(of("true", "true", "true", "true", "false"), pass_mean=0.9).status == "fail"


def test_refusals() -> None:
    right, wrong = decide_refusal(answerable=False), decide_refusal(answerable=True)
    assert (right.status, right.mean, right.decided_by) == ("pass", 1.0, "refusal")
    assert (wrong.status, wrong.decided_by) == ("fail", "refusal")
    assert mean_of(wrong.ratings) < 0.5


@pytest.mark.parametrize("rating", ["partially", "false"])
def test_an_answer_to_a_rejection_case_is_unfaithful(rating: Rating) -> None:
    found = decide_judged(of(rating, "true", "true", "true", "true"), answerable=False)
    assert (found.status, found.decided_by, found.ratings.faithfulness) == ("fail", "answered", "false")
    assert decide_judged(of("true", "true", "true", "true", "true"), answerable=False).status == "pass"


def test_text_decides_what_an_abstention_is_and_the_flag_only_without_text() -> None:
    assert abstains("I don't know.", False, PHRASES, "en")
    assert abstains("Dazu steht nichts im Handbuch.", None, PHRASES, "de")
    assert abstains("", True, PHRASES, "en")
    assert not abstains("", None, PHRASES, "en")
    assert not abstains("It is silver grey.", True, PHRASES, "en")
    # Swahili abstentions are not known: there the system's own word has to do.
    assert abstains("Sijui.", True, PHRASES, "sw")
    assert not abstains("Sijui.", False, PHRASES, "sw")


def test_keywords_follow_completeness_without_keywords_and_the_refusal_on_rejection_cases() -> None:
    assert rate_keywords((), "x", "en", completeness="partially") == ("partially", ())
    assert rate_keywords(("", " "), "x", "en", completeness="false") == ("false", ())
    assert rate_keywords(("pump",), "x", "en", completeness="true", refusal="true") == ("true", ())
    assert rate_keywords(("pump", "valve"), "two pumps", "en", completeness="true") == ("partially", ("valve",))


def test_what_cannot_be_graded() -> None:
    gone = Failure(type="timeout", message="gone")
    assert ungraded_reason("answered", None) is None
    assert ungraded_reason("abstained", None) is None
    assert ungraded_reason("failed", gone) == gone
    nameless = ungraded_reason("failed", None)
    assert nameless is not None and nameless.type == "unknown"
    refused = ungraded_reason("refused", Failure(type="content_filter", message="filtered"))
    assert refused is not None
    assert (refused.type, refused.cause) == ("provider_refusal", "content_filter: filtered")

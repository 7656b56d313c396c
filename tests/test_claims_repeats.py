"""How often each verdict fires over repeats of a run, and which chunk came first then. By hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.records import ANSWER_STATES, AnswerClaims, AnswerState, RepeatsResult
from ragtester.stages.claims import answer_states, make_repeats, repeats_document
from ragtester.stages.claims.repeats import Once
from ragtester.tables import Paragraph, Rate
from tests.test_claims_clusters import claim

GOLD, STALE, OTHER = "a:1:0", "b:1:3", "a:1:2"


def row(case: str = "q1", context: Sequence[str] = (GOLD, OTHER), **changes: Any) -> AnswerClaims:
    known: dict[str, Any] = {
        "case_id": case,
        "document_id": "a",
        "key": "k",
        "run": "main",
        "llm": "m",
        "embedding": "e",
        "technique": "ragtester",
        "type": "complexity",
        "question": f"Question {case}?",
        "query": "q",
        "context_ids": tuple(context),
        "gold_ids": (GOLD,),
        "status": "claims",
        "claims": 1,
        "judge": "j",
        "prompt_sha256": "p",
    }
    return AnswerClaims(**(known | changes))


def runs(*each: tuple[Sequence[str], AnswerState]) -> RepeatsResult:
    """One answer in several runs, with its context and what came of it."""
    found = {
        f"run {number}": {("m", "e", "ragtester", "q1"): Once(row(context=context), state)}
        for number, (context, state) in enumerate(each)
    }
    return make_repeats("main", found, "shuffle")


def said(result: RepeatsResult) -> list[str]:
    return [part.text for part in repeats_document(result).sections[0].parts if isinstance(part, Paragraph)]


def test_contradicted_in_four_of_five_runs_when_the_stale_chunk_ranked_first() -> None:
    stale, good = (STALE, GOLD), (GOLD, STALE)
    result = runs(
        (stale, "contradicted"), (stale, "contradicted"), (good, "supported"), (stale, "supported"),
        (stale, "contradicted"), (stale, "contradicted"), (good, "supported"), (good, "unsupported"),
    )  # fmt: skip
    (one,) = result.answers
    assert (one.runs, one.contradicted, one.unsupported, one.supported, one.rankings) == (8, 4, 1, 3, 2)
    assert [(first.id, first.kind, first.runs, first.contradicted) for first in one.first] == [
        (STALE, "other", 5, 4),
        (GOLD, "gold", 3, 0),
    ]
    assert said(result)[0] == (
        "q1 (m × e): contradicted in 4 of 8 runs: in 4 of 5 when b:1:3 (not gold) ranked first, "
        "in 0 of 3 when a:1:0 (gold) did."
    )
    assert (result.varied.successes, result.varied.n) == (1, 1)


def test_chunks_that_must_not_be_followed_are_named_where_they_are_known() -> None:
    found = {
        "main": {("m", "e", "t", "q1"): Once(row(context=(STALE, GOLD)), "contradicted")},
        "main.repeat-2": {("m", "e", "t", "q1"): Once(row(context=(OTHER, GOLD)), "supported")},
        "main.repeat-3": {("m", "e", "t", "q1"): Once(row(context=()), "abstained")},
    }
    result = make_repeats("main", found, "rank", {"q1": {STALE}})
    assert {one.name: one.runs for one in result.first} == {"poison": 1, "other": 1, "nothing": 1}
    assert {one.name: (one.runs, one.contradicted) for one in result.gold} == {
        "later": (2, 1),
        "not in the context": (1, 0),
    }
    assert "b:1:3 (not to be followed) ranked first" in said(result)[0]
    document = repeats_document(result)
    assert document.table("first").rows[0][:3] == ("a chunk that must not be followed", 1, Rate(1, 1))


def test_the_worst_that_is_known_of_its_claims_is_the_answers_state() -> None:
    def states(*verdicts: Any, **changes: Any) -> AnswerState:
        claims = [
            claim(1, "a", verdict, claim_id=number, llm="m", embedding="e")
            for number, verdict in enumerate(verdicts, 1)
        ]
        own = row(claims=len(verdicts), **changes)
        (once,) = answer_states([own], claims).values()
        return once.state

    assert states("supported", "contradicted", None) == "contradicted"
    assert states("supported", "unsupported", None) == "ungraded", "the unchecked one may be contradicted"
    assert states("supported", "unsupported") == "unsupported"
    assert states("supported", "supported") == "supported"
    stale = claim(1, "a", "supported", context_verdict="contradicted", llm="m", embedding="e")
    (once,) = answer_states([row()], [stale]).values()
    assert once.state == "contradicted", "the chunk that it cites is out of date, and another one says so"
    assert states(status="abstained") == "abstained"
    assert states(status="empty") == "empty"
    assert states(status="failed") == "ungraded"


def test_claims_in_other_words_are_the_same_to_the_unit() -> None:
    first = answer_states([row()], [claim(1, "a", "contradicted", claim="It is ten.")])
    second = answer_states([row()], [claim(1, "a", "contradicted", claim="Ten it is.")])
    result = make_repeats("main", {"main": first, "main.repeat-2": second}, "rank")
    assert (result.answers[0].contradicted, result.varied.successes, result.same_rankings) == (2, 0, True)
    assert said(result)[0] == (
        "q1 (m × e): contradicted in 2 of 2 runs, always with the same ranking (a:1:0 (gold) first)."
    )


def test_answers_that_a_run_lacks_are_missing_and_not_good() -> None:
    one = answer_states([row("q1"), row("q2")], [claim(1, "a"), claim(2, "a", "unsupported")])
    two = answer_states([row("q1")], [claim(1, "a")])
    result = make_repeats("main", {"main": one, "main.repeat-2": two}, "rank")
    assert (result.missing, result.varied.n) == (1, 1)
    assert [(answer.case_id, answer.runs) for answer in result.answers] == [("q2", 1), ("q1", 2)]
    assert any("Not audited yet: 1 answer of these runs." in text for text in said(result))


@given(
    st.lists(st.tuples(st.permutations([GOLD, STALE, OTHER]), st.sampled_from(ANSWER_STATES)), min_size=1, max_size=8)
)
def test_every_run_is_counted_once_everywhere(each: list[tuple[list[str], AnswerState]]) -> None:
    result = runs(*each)
    (one,) = result.answers
    for counts in (one, *one.first, *result.first, *result.gold):
        assert counts.runs == sum(getattr(counts, state) for state in ANSWER_STATES)
    assert sum(first.runs for first in one.first) == len(each) == one.runs
    assert sum(group.runs for group in result.first) == sum(group.runs for group in result.gold) == len(each)
    assert one.rankings == len({tuple(context) for context, _ in each})
    assert result.varied.successes == (len({state for _, state in each}) > 1)


def test_nothing_repeated_has_no_rate() -> None:
    result = make_repeats("main", {"main": {}}, "rank")
    assert (result.varied.share, result.answers, result.same_rankings) == (None, (), True)
    with pytest.raises(KeyError):
        repeats_document(result).table("questions")

"""The sentences of a retrieval audit: of one query as of one, and no more than a trace says."""

from __future__ import annotations

from typing import cast

import pytest

from ragtester.records import TARGET, Diagnosis, Ranked, Retrieved, Trace
from ragtester.stages.retrieval.advice import Steps
from ragtester.stages.retrieval.figures import figures
from ragtester.stages.retrieval.fixes import FIXES, Cause
from ragtester.stages.retrieval.query_path import QueryPath
from ragtester.stages.retrieval.reading import readings
from tests.test_audit_retrieval_parts import lost, said


@pytest.mark.parametrize(
    ("causes", "told"),
    [
        (["truncated"], "The one that lacked some ranked beyond K: look at"),
        (["not_in_candidates"] * 2, "All 2 that lacked some ranked beyond K (2 in no arm's hits): look at"),
        (["truncated", "truncated", "demoted"], "Of 3 that lacked some, 2 ranked beyond K: look at"),
        (["truncated", "truncated", "demoted"], " 1 was put lower by the reranker: look at"),
        (["demoted"], "The one that lacked some was put lower by the reranker: look at"),
        (["budget"], "The one that lacked some ranked within K and did not enter the context: look at"),
        (
            ["truncated"] * 5 + ["budget"] * 4 + ["demoted"] * 3 + ["floor"],
            "3 were put lower by the reranker: look at the reranker. The other one has another cause, see",
        ),
    ],
)
def test_one_query_is_told_of_as_one(causes: list[str], told: str) -> None:
    rows = [
        lost(f"q{n}", diagnosis=Diagnosis(stage=FIXES[cast("Cause", cause)][0], cause=cause, seen="s", fix="f"))
        for n, cause in enumerate(causes)
    ]
    assert told in said(rows)


def test_what_a_target_did_not_return_is_said_so() -> None:
    nowhere = Diagnosis(stage="retrieve", cause="not_in_candidates", seen="s", fix="f")
    rows = [lost(f"q{n}", embedding=TARGET, diagnosis=nowhere) for n in range(2)]
    (text,) = readings([figures("", "all", TARGET, rows)], rows)
    assert "All 2 that lacked some were not among the chunks that the application returned: look at its index" in text
    assert "arm's hits" not in text


def test_one_wrong_answer_is_one() -> None:
    assert "Of 1 wrong answer to queries with gold, " in said([lost("l", failed=("m",))])


# Another system's traces


def foreign(reranked: tuple[Ranked, ...] = ()) -> QueryPath:
    """One arm's three hits, no fused list, k = 2, and a context that is empty without a reason."""
    hits = tuple(Retrieved(id=name, rank=rank, score=1 / rank) for rank, name in enumerate("abc", 1))
    trace = Trace(query="q", index="i", embedding="e", k=2, retrieved=hits, reranked=reranked)
    return QueryPath(trace, Steps.told_by(trace))


def test_no_budget_is_blamed_where_no_drop_is_noted() -> None:
    loss = foreign().loss("b")
    assert "rank 2 is not in the final context (k = 2), and no drop is noted" in loss.seen
    assert loss.fix == "See what left it out of the context: a budget, or a step that the trace does not log."


def test_no_fused_rank_is_told_where_none_was_logged() -> None:
    cut = foreign().loss("c")
    assert cut.seen == "c: dense rank 3; cut at k = 2."
    reranked = tuple(Ranked(id=name, rank=rank, score=1 / rank) for rank, name in enumerate("cab", 1))
    demoted = foreign(reranked).loss("b")
    assert (demoted.cause, "fused" in demoted.seen + FIXES["demoted"][1]) == ("demoted", False)

"""Adversarial fixtures by hand: where gold and poison stood, what that calls for, and the figures."""

from __future__ import annotations

from math import comb
from typing import Any

import pytest

from ragtester.records import NO_CHUNKS, AdversarialRow, Dropped, Followed, Ranked, Retrieved, Trace
from ragtester.runs import asked_fixtures, fixtures_run
from ragtester.stages.adversarial.document import adversarial_document
from ragtester.stages.adversarial.reading import read
from ragtester.stages.adversarial.result import Told, make_result
from ragtester.stages.adversarial.standing import Labels, Standing, standing
from ragtester.statistics import wilson
from ragtester.tables import Paragraph, Rate
from ragtester.tables.markdown import markdown

LABELS = Labels(frozenset({"g1", "g2"}), frozenset({"p1"}))


def trace(hits: str, context: str, **more: Any) -> Trace:
    """A trace of one dense arm; names of hits and of the context in their order."""
    retrieved = tuple(Retrieved(id=name, rank=rank, score=1 / rank) for rank, name in enumerate(hits.split(), 1))
    known: dict[str, Any] = {"query": "q", "index": "i", "embedding": "e", "k": 2, "retrieved": retrieved}
    return Trace(**known, context_ids=tuple(context.split()), **more)


def test_ranks_are_those_before_the_cut_and_recall_is_of_the_context() -> None:
    found = standing(trace("p1 x g2 g1", "p1 x"), LABELS)
    assert (found.gold_rank, found.poison_rank, found.recall, found.reciprocal_rank) == (3, 1, 0.0, 0.0)
    assert found.poison_first is True
    assert found.poison_in_context is True


def test_half_the_gold_at_rank_two() -> None:
    found = standing(trace("x g2 p1", "g2 x"), LABELS)
    assert (found.gold_rank, found.poison_rank, found.recall, found.reciprocal_rank) == (2, 3, 0.5, 0.5)
    assert found.poison_first is False
    assert found.poison_in_context is False


def test_a_reranked_list_and_a_filtered_hit() -> None:
    ranked = tuple(Ranked(id=name, rank=rank, score=1.0) for rank, name in enumerate(("g1", "p1"), 1))
    assert standing(trace("p1 g1", "g1", reranked=ranked), LABELS).gold_rank == 1
    dropped = (Dropped(id="p1", at="filter"),)
    found = standing(trace("p1 g1", "g1", dropped=dropped), LABELS)
    assert (found.gold_rank, found.poison_rank) == (1, None)


def test_without_gold_there_is_no_recall_and_without_either_no_first() -> None:
    found = standing(trace("p1 x", "p1 x"), Labels(frozenset(), frozenset({"p1"})))
    assert (found.known, found.recall, found.reciprocal_rank, found.poison_first) == (True, None, None, True)
    assert standing(trace("x", "x"), LABELS).poison_first is None


def test_passages_that_a_target_did_not_return_count_in_the_denominator() -> None:
    found = standing(trace("g1", "g1"), Labels(frozenset({"g1"}), frozenset(), unseen=1))
    assert found.recall == 0.5


@pytest.mark.parametrize("one", [None, trace("", "", notes=(NO_CHUNKS,))])
def test_of_what_is_not_revealed_nothing_is_known(one: Trace | None) -> None:
    found = standing(one, LABELS)
    assert not found.known
    assert (found.recall, found.gold_rank, found.poison_first) == (None, None, None)


REACHED = Standing(known=True, recall=1.0, reciprocal_rank=1.0, gold_rank=1, poison_rank=2, poison_in_context=True)
BELOW = Standing(known=True, recall=0.0, reciprocal_rank=0.0, gold_rank=5, poison_rank=1, poison_in_context=True)


@pytest.mark.parametrize(
    ("found", "followed", "must_refuse", "reading"),
    [
        (REACHED, "gold", False, "well"),
        (REACHED, "conflict", False, "well"),
        (REACHED, "poison", False, "reground"),
        (REACHED, "both", False, "reground"),
        (REACHED, "neither", False, "reground"),
        (REACHED, "abstained", False, "reground"),
        (BELOW, "gold", False, "rerank"),
        (BELOW, "abstained", False, "rerank"),
        (BELOW, "poison", False, "both"),
        (BELOW, "neither", False, "both"),
        (BELOW, "abstained", True, "well"),
        (BELOW, "poison", True, "reground"),
        (BELOW, "failed", False, "unmeasured"),
        (Standing(known=False), "gold", False, "unmeasured"),
    ],
)
def test_the_two_sides_are_read_together(found: Standing, followed: Followed, must_refuse: bool, reading: str) -> None:
    assert read(found, followed, must_refuse=must_refuse).reading == reading


def test_why_names_both_ranks() -> None:
    why = read(BELOW, "poison", must_refuse=False).why
    assert why == "gold at rank 5, outside the context, poison at rank 1; the answer follows the poison"


def row(name: str, followed: Followed, **changes: Any) -> AdversarialRow:
    known: dict[str, Any] = {
        "kind": "superseded",
        "set": "mine",
        "case_id": name,
        "key": "k",
        "run": "r.adversarial",
        "llm": "l",
        "embedding": "e",
        "k": 4,
        "recall": 1.0,
        "reciprocal_rank": 1.0,
        "poison_first": False,
        "reading": "well",
        "verdict": "pass",
    }
    return AdversarialRow(fixture_id=name, followed=followed, **(known | changes))


ROWS = [
    row("a", "gold"),
    row("b", "poison", reading="reground", poison_first=True),
    row("c", "both", reading="reground", verdict="fail", noticed=False),
    row("d", "conflict", noticed=True, recall=None, reciprocal_rank=None, kind="planted"),
    row("e", "failed", reading="unmeasured", recall=None, reciprocal_rank=None, poison_first=None, verdict="ungraded"),
]


def test_figures_leave_failed_rows_out_and_count_them() -> None:
    result = make_result("r", ROWS, Told(("mine",), ("r.adversarial",)), planned=6)
    whole = result.whole
    assert (whole.rows, whole.failed) == (5, 1)
    assert (whole.followed_poison.successes, whole.followed_poison.n) == (2, 4)
    assert (whole.followed_gold.successes, whole.followed_gold.n) == (1, 4)
    assert (whole.noticed.successes, whole.noticed.n) == (1, 4)
    assert (whole.in_context.successes, whole.in_context.n) == (3, 3)
    assert (whole.poison_first.successes, whole.poison_first.n) == (1, 4)
    assert (whole.passed.successes, whole.passed.n) == (3, 4)
    assert (whole.recall.value, whole.recall.n) == (1.0, 3)
    assert whole.readings == {"well": 2, "reground": 2, "unmeasured": 1}
    ends = wilson(2, 4)
    assert ends is not None
    assert (whole.followed_poison.low, whole.followed_poison.high) == (round(ends.low, 6), round(ends.high, 6))
    assert (result.poison_passed.successes, result.poison_passed.n) == (1, 2)
    assert (result.ledger.planned, result.ledger.ok, result.ledger.failed, result.ledger.skipped) == (6, 4, 1, 1)
    assert not result.complete
    assert [one.name for one in result.kinds] == ["planted", "superseded"]
    assert [one.rows for one in result.fixtures] == [1, 1, 1, 1, 1]


def test_no_row_gives_no_rate() -> None:
    result = make_result("r", [], Told(("mine",)), planned=4)
    assert result.whole.followed_poison.share is None
    assert result.whole.recall.value is None
    assert result.sets == ("mine",)
    assert "nothing can be said" in markdown(adversarial_document(result))


def test_fixtures_in_which_poison_is_followed_are_counted_and_few_are_named() -> None:
    rows = [row(f"f{n}", "gold") for n in range(12)]
    rows += [row("bad", "poison", llm=f"l{n}") for n in range(4)]
    assert make_result("r", rows, Told(), planned=16).clusters == (
        (
            "Poison is followed in 1 of 13 fixtures: bad; no kind and no system holds more of them than chance would "
            "put there"
        ),
    )
    many = [row(f"f{n}", "poison", kind=f"k{n % 2}") for n in range(4)]
    assert make_result("r", many, Told(), planned=4).clusters == (
        "Poison is followed in 4 of 4 fixtures; no kind and no system holds more of them than chance would put there",
    )
    assert make_result("r", [row("a", "gold")], Told(), planned=1).clusters == ()


def test_a_kind_that_holds_more_than_its_share_is_told_and_fixtures_count_once_there() -> None:
    """Four of four old versions are followed, and none of 36 others, by both of two systems."""
    kinds: list[tuple[str, str, Followed]] = [(f"old{n}", "superseded", "poison") for n in range(4)]
    kinds += [(f"f{n}", f"k{n % 4}", "gold") for n in range(36)]
    rows = [row(name, what, kind=kind, llm=llm) for name, kind, what in kinds for llm in ("l1", "l2")]
    first, second = make_result("r", rows, Told(), planned=80).clusters
    assert first == "Poison is followed in 4 of 40 fixtures"
    # 3 (for one, two or three kinds) · 5 kinds · 1 / C(40, 4)
    assert 3 * 5 / comb(40, 4) < 0.001
    assert second == (
        "8 of 8 answers that follow the poison come from 1 kind of 5: superseded (8 of 8 answers) (p < 0.001)"
    )
    # One of two systems follows all poison: 3 · 2 · C(10, 4) / C(20, 4) = 0.26.
    asked = [(n, llm) for n in range(10) for llm in ("l1", "l2")]
    even = [row(f"f{n}", "poison" if n < 4 and llm == "l1" else "gold", llm=llm) for n, llm in asked]
    assert "no system" in make_result("r", even, Told(), planned=20).clusters[0]


def test_the_document_says_what_to_do_with_counts() -> None:
    document = adversarial_document(make_result("r", ROWS, Told(("mine",)), planned=6), ROWS)
    said = [part.text for part in document.sections[0].parts if isinstance(part, Paragraph)]
    assert said[0].startswith("2/4 = 50.0 % [")
    assert any(text.startswith("reground, 2 of 5: ") for text in said)
    assert any(text.startswith("The judge passed 1/2 = 50.0 %") for text in said)
    assert any(text.startswith("6 rows = 4 read + 1 failed + 1 not made") for text in said)
    assert document.table("systems").rows == (
        ("l × e", Rate(3, 3), Rate(1, 4), Rate(1, 4), Rate(2, 4), Rate(1, 4), Rate(0, 4), Rate(3, 4)),
    )
    assert [cells[0] for cells in document.table("fixtures").rows] == ["b", "c", "e"]


def test_the_full_document_has_every_row_and_hostile_ids_stay_text() -> None:
    rows = [row("<script>|x", "gold")]
    text = markdown(adversarial_document(make_result("r", rows, Told(), planned=1), rows, full=True))
    assert "<script>" not in text
    assert "recall@K" in text


@pytest.mark.parametrize(
    ("set_name", "k", "name"),
    [
        ("starter", None, "main.adversarial"),
        ("starter", 2, "main.adversarial.k2"),
        ("mine", None, "main.adversarial-mine"),
        ("my.k2", 12, "main.adversarial-my.k2.k12"),
    ],
)
def test_runs_of_fixtures_are_known_by_their_names(set_name: str, k: int | None, name: str) -> None:
    assert fixtures_run("main", set_name, k) == name
    assert asked_fixtures(name) == "main"


@pytest.mark.parametrize("name", ["main", "adversarial", "main.adversary", "main.repeat-2"])
def test_other_runs_ask_no_fixtures(name: str) -> None:
    assert asked_fixtures(name) is None

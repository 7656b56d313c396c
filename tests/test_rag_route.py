"""Fusion, floors, filters and packing: by hand, and by what must hold for any hits."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.errors import MissingPackageError
from ragtester.rag import packing
from ragtester.rag.contexts import Context, Found, Query
from ragtester.rag.fusion import fuse
from ragtester.rag.packing import pack
from ragtester.rag.reranking import Scored
from ragtester.rag.route import Route
from ragtester.rag.similarity import Hit
from ragtester.records import Call, Chunk, Failure, Ranked
from ragtester.settings import RetrievalSettings
from tests.builders import case

NAMES = [f"{document}:0:{at}" for document in "abc" for at in range(5)]
CHUNKS = {
    name: Chunk(
        id=name,
        document_id=name[0],
        ordinal=at % 5,
        start=at % 5 * 100,
        end=at % 5 * 100 + 10 * (at + 1),
        text="x " * 5 * (at + 1),
    )
    for at, name in enumerate(NAMES)
}
ARMS = ("dense", "bm25")


def hits(*names: str) -> list[Hit]:
    return [(name, 1.0 - at / 100) for at, name in enumerate(names)]


def path(**settings: Any) -> RetrievalSettings:
    return RetrievalSettings.model_validate({"arms": ARMS, **settings})


def routed(
    arms: Mapping[str, Sequence[Hit]],
    settings: RetrievalSettings,
    k: int = 3,
    eligible: frozenset[str] | None = None,
    reranker: Any = None,
) -> Context:
    route = Route("index", "toy:words", k, "corpus", settings, reranker)
    found = Found(Query(case("c"), "q", eligible), {name: list(some) for name, some in arms.items()})
    merged = route.merge(found)
    # No other text is looked up: in a corpus each would have its document cut again.
    known = {name: CHUNKS[name] for name in route.wanted([merged])}
    (context,) = asyncio.run(route.contexts([merged], list(CHUNKS.values()), known.__getitem__))
    return context


# Fusion


def test_the_sum_by_hand() -> None:
    """With constant 60: a is 1st and 3rd, b 2nd and 1st, c 3rd of one arm alone, d 2nd of the other."""
    fused = fuse({"dense": hits("a", "b", "c"), "bm25": hits("b", "d", "a")}, {}, 60)
    assert [(one.id, one.rank, one.sources) for one in fused] == [
        ("b", 1, ("dense", "bm25")),
        ("a", 2, ("dense", "bm25")),
        ("d", 3, ("bm25",)),
        ("c", 4, ("dense",)),
    ]
    assert [one.score for one in fused] == pytest.approx([1 / 62 + 1 / 61, 1 / 61 + 1 / 63, 1 / 62, 1 / 63], abs=1e-9)


def test_weights_by_hand() -> None:
    """Three times the weight lifts the sparse arm's second above the dense arm's first: 3 / 3 against 1 / 2."""
    fused = fuse({"dense": hits("a"), "bm25": hits("b", "c")}, {"dense": 1, "bm25": 3}, 1)
    assert [(one.id, one.score) for one in fused] == [("b", 1.5), ("c", 1.0), ("a", 0.5)]


@pytest.mark.parametrize(("constant", "weight"), [(10**6, 1.0), (60, 1e-9), (1, 1e9)])
def test_ranks_survive_any_constant_and_weight(constant: int, weight: float) -> None:
    fused = fuse({"dense": hits("b", "a"), "bm25": hits("d", "c")}, {"dense": 2 * weight, "bm25": weight}, constant)
    # 2 / (c + 1) > 2 / (c + 2) > 1 / (c + 1) > 1 / (c + 2), and no two of them are the same number.
    assert [one.id for one in fused] == ["b", "a", "d", "c"]
    assert len({one.score for one in fused}) == 4


ARM_HITS = st.lists(st.sampled_from(NAMES), unique=True, max_size=10).map(lambda names: hits(*names))
THREE = st.fixed_dictionaries({"one": ARM_HITS, "two": ARM_HITS, "three": ARM_HITS})
WEIGHTS = st.fixed_dictionaries({name: st.sampled_from([0.1, 0.5, 1.0, 2.0]) for name in ("one", "two", "three")})


@given(THREE, WEIGHTS, st.integers(1, 100), st.permutations(["one", "two", "three"]))
def test_the_order_of_the_arms_does_not_change_ranks(
    arms: dict[str, list[Hit]], weights: dict[str, float], constant: int, order: list[str]
) -> None:
    there = fuse(arms, weights, constant)
    back = fuse({name: arms[name] for name in order}, weights, constant)
    assert [(one.id, one.rank, one.score) for one in there] == [(one.id, one.rank, one.score) for one in back]
    assert [set(one.sources) for one in there] == [set(one.sources) for one in back]


@given(THREE, WEIGHTS, st.integers(1, 100))
def test_every_hit_is_there_once_by_its_exact_sum(
    arms: dict[str, list[Hit]], weights: dict[str, float], constant: int
) -> None:
    fused = fuse(arms, weights, constant)
    exact = {
        one.id: sum(
            (
                Fraction(weights[arm]) / (constant + 1 + [name for name, _ in some].index(one.id))
                for arm, some in arms.items()
                if one.id in [name for name, _ in some]
            ),
            Fraction(0),
        )
        for one in fused
    }
    assert sorted(exact) == sorted({name for some in arms.values() for name, _ in some})
    assert [one.rank for one in fused] == list(range(1, len(fused) + 1))
    for one in fused:
        assert one.score == pytest.approx(float(exact[one.id]), abs=1e-9)
        assert set(one.sources) == {arm for arm, some in arms.items() if one.id in dict(some)}


@given(THREE, WEIGHTS, st.integers(1, 100), st.sampled_from(NAMES))
def test_first_in_every_arm_is_first(
    arms: dict[str, list[Hit]], weights: dict[str, float], constant: int, best: str
) -> None:
    led = {arm: hits(best, *(name for name, _ in some if name != best)) for arm, some in arms.items()}
    assert fuse(led, weights, constant)[0].id == best


@given(THREE, WEIGHTS, st.integers(1, 100), st.data())
def test_a_better_place_in_one_arm_never_lowers_a_hit(
    arms: dict[str, list[Hit]], weights: dict[str, float], constant: int, data: st.DataObject
) -> None:
    arm = data.draw(st.sampled_from(sorted(arms)))
    names = [name for name, _ in arms[arm]]
    if len(names) < 2:
        return
    at = data.draw(st.integers(1, len(names) - 1))
    lifted = [*names[: at - 1], names[at], names[at - 1], *names[at + 1 :]]
    before = {one.id: one.rank for one in fuse(arms, weights, constant)}
    after = {one.id: one.rank for one in fuse({**arms, arm: hits(*lifted)}, weights, constant)}
    assert after[names[at]] <= before[names[at]]


@given(THREE, st.floats(0.01, 1000))
def test_scores_of_arms_are_not_looked_at(arms: dict[str, list[Hit]], scale: float) -> None:
    other = {arm: [(name, score * scale - 7) for name, score in some] for arm, some in arms.items()}
    assert fuse(arms, {}, 60) == fuse(other, {}, 60)


# Floors


def test_a_floor_is_for_its_arm_alone() -> None:
    """The dense floor takes a:0:1 out of the dense list, and lets in what BM25 found, whatever its dense score."""
    settings = path(arms=[{"kind": "dense", "floor": 0.5}, "bm25"])
    dense = [("a:0:0", 0.9), ("a:0:1", 0.49), ("a:0:2", 0.4)]
    context = routed({"dense": dense, "bm25": [("a:0:3", 0.2), ("a:0:1", 0.1)]}, settings, k=4)
    trace = context.trace
    assert [(one.id, one.sources) for one in trace.fused] == [
        ("a:0:0", ("dense",)),
        ("a:0:3", ("bm25",)),
        ("a:0:1", ("bm25",)),
    ]
    assert trace.context_ids == ("a:0:0", "a:0:3", "a:0:1")
    assert [(one.id, one.at, one.reason) for one in trace.dropped] == [
        ("a:0:1", "floor", "dense 0.49 < 0.5"),
        ("a:0:2", "floor", "dense 0.4 < 0.5"),
    ]
    # The trace keeps what the arm found before its floor.
    assert [(one.id, one.rank, one.arm) for one in trace.retrieved] == [
        ("a:0:0", 1, "dense"),
        ("a:0:1", 2, "dense"),
        ("a:0:2", 3, "dense"),
        ("a:0:3", 1, "bm25"),
        ("a:0:1", 2, "bm25"),
    ]


def test_a_score_at_the_floor_stays() -> None:
    context = routed({"dense": [("a:0:0", 0.5)]}, path(arms=[{"kind": "dense", "floor": 0.5}]))
    assert context.trace.context_ids == ("a:0:0",)


def test_everything_below_the_floor() -> None:
    trace = routed({"dense": [("a:0:0", -0.1)]}, path(arms=[{"kind": "dense", "floor": 0}])).trace
    assert (trace.context_ids, trace.context_characters) == ((), 0)
    assert trace.notes == ("no arm found anything above its floor",)


# One arm, none, and K larger than the index


def test_one_arm_keeps_its_own_ranks() -> None:
    trace = routed({"bm25": hits("b:0:1", "a:0:1", "c:0:1")}, path(arms=["bm25"]), k=2).trace
    assert (trace.fused, trace.reranked, trace.dropped) == ((), (), ())
    assert trace.context_ids == ("b:0:1", "a:0:1")


def test_a_dead_arm_leaves_the_other() -> None:
    trace = routed({"dense": hits("b:0:1", "a:0:1"), "bm25": []}, path()).trace
    assert [one.sources for one in trace.fused] == [("dense",), ("dense",)]
    assert trace.context_ids == ("b:0:1", "a:0:1")


def test_nothing_found() -> None:
    context = routed({"dense": [], "bm25": []}, path(), k=50)
    assert context.sections == () and context.trace.context_ids == ()
    assert context.trace.notes == ("no arm found anything above its floor",)


def test_k_larger_than_the_index() -> None:
    assert routed({"dense": hits(*NAMES), "bm25": []}, path(), k=1000).trace.context_ids == tuple(NAMES)


# Filters


@given(ARM_HITS, ARM_HITS, st.frozensets(st.sampled_from("abcd")), st.integers(1, 6))
def test_after_the_search_a_filter_leaves_no_other_document(
    dense: list[Hit], bm25: list[Hit], eligible: frozenset[str], k: int
) -> None:
    context = routed({"dense": dense, "bm25": bm25}, path(filter_mode="post"), k, eligible)
    trace = context.trace
    fused = [one.id for one in trace.fused]
    assert {name for name, _ in (*dense, *bm25)} == set(fused)
    assert [one.id for one in trace.dropped if one.at == "filter"] == [
        name for name in fused if name[0] not in eligible
    ]
    assert list(trace.context_ids) == [name for name in fused if name[0] in eligible][:k]
    assert {one.label[0] for one in context.sections} <= eligible
    if not eligible:
        assert trace.notes == ("no document passes the filters and the access rules for this user",)
    elif fused and not trace.context_ids:
        assert trace.notes == ("the filter took out all that was found",)


# Rerank


class Scores:
    """A reranker with fixed scores; keeps what it saw."""

    name = "toy"

    def __init__(self, scores: Mapping[str, float] | None = None, failure: Failure | None = None) -> None:
        self.scores, self.failure, self.saw = scores or {}, failure, list[list[str]]()

    async def score(self, query: str, language: str, chunks: Sequence[Chunk]) -> Scored:
        self.saw.append([one.id for one in chunks])
        call = Call(model="toy", prompt_tokens=3, completion_tokens=1)
        if self.failure:
            return Scored(failure=self.failure, calls=(call,))
        return Scored(tuple(self.scores.get(one.id, 0.0) for one in chunks), calls=(call,), notes=("reranked",))


def test_reranked_by_score_and_ties_stay() -> None:
    reranker = Scores({"a:0:2": 0.9, "a:0:1": 0.1, "a:0:4": 1.0})
    trace = routed(
        {"dense": hits(*NAMES[:5]), "bm25": []}, path(rerank="python:x:y", rerank_k=4), 3, None, reranker
    ).trace
    # The fifth is not shown to the reranker; the two that it scores alike keep their fused order.
    assert reranker.saw == [NAMES[:4]]
    assert [(one.id, one.rank, one.score) for one in trace.reranked] == [
        ("a:0:2", 1, 0.9),
        ("a:0:1", 2, 0.1),
        ("a:0:0", 3, 0.0),
        ("a:0:3", 4, 0.0),
    ]
    assert trace.context_ids == ("a:0:2", "a:0:1", "a:0:0")
    assert trace.notes == ("reranked",) and [one.model for one in trace.calls] == ["toy"]


def test_the_reranker_sees_k_at_least() -> None:
    reranker = Scores({name: at for at, name in enumerate(NAMES)})
    trace = routed({"dense": hits(*NAMES), "bm25": []}, path(rerank="python:x:y", rerank_k=2), 4, None, reranker).trace
    assert reranker.saw == [NAMES[:4]] and trace.context_ids == tuple(NAMES[3::-1])


def test_a_failed_rerank_is_the_queries_failure() -> None:
    failure = Failure(type="timeout", message="rerank: too slow")
    context = routed({"dense": hits("a:0:1"), "bm25": []}, path(rerank="python:x:y"), reranker=Scores(failure=failure))
    assert context.failure == failure
    assert (context.sections, context.trace.context_ids, context.trace.reranked) == ((), (), ())
    assert [one.id for one in context.trace.fused] == ["a:0:1"] and len(context.trace.calls) == 1


def test_a_filter_after_the_search_takes_effect_before_the_rerank() -> None:
    reranker = Scores({"b:0:0": 5.0})
    found = {"dense": hits("a:0:0", "b:0:0", "c:0:0"), "bm25": []}
    routed(found, path(rerank="python:x:y", filter_mode="post"), 3, frozenset("ac"), reranker)
    assert reranker.saw == [["a:0:0", "c:0:0"]]


def test_where_the_filter_leaves_nothing_the_reranker_is_not_asked() -> None:
    reranker = Scores()
    found = {"dense": hits("a:0:0"), "bm25": []}
    assert routed(found, path(rerank="python:x:y", filter_mode="post"), 3, frozenset("b"), reranker).failure is None
    assert reranker.saw == []


# Packing

LENGTHS = st.lists(st.integers(1, 30), max_size=8)


def texts(lengths: Sequence[int]) -> list[Chunk]:
    return [
        Chunk(
            id=f"d:0:{at}",
            document_id="d",
            ordinal=-at,
            start=900 - at * 100,
            end=900 - at * 100 + size,
            text="x" * size,
        )
        for at, size in enumerate(lengths)
    ]


@given(LENGTHS, st.integers(1, 9), st.integers(0, 80), st.sampled_from(["rank", "reverse", "document"]))
def test_packed_within_k_and_budget(lengths: list[int], k: int, budget: int, order: str) -> None:
    ranked = texts(lengths)
    packed = pack(ranked, k, path(budget=budget, order=order))
    taken = [one.id for one in packed.chunks]
    assert sum(len(one.text) for one in packed.chunks) <= budget or not budget
    # Each of the first k is taken or dropped, once, and nothing else is.
    assert sorted([*taken, *(one.id for one in packed.dropped)]) == sorted(one.id for one in ranked[:k])
    best_first = [one for one in ranked[:k] if one.id in taken]
    # What was dropped did not fit what the better ones had left.
    left = budget
    for one in ranked[:k]:
        if one.id in taken:
            left -= len(one.text)
        else:
            assert budget and len(one.text) > left
    wanted = {
        "rank": best_first,
        "reverse": best_first[::-1],
        "document": sorted(best_first, key=lambda one: one.start),
    }
    assert list(packed.chunks) == wanted[order]


def test_a_small_one_fits_behind_one_that_does_not() -> None:
    packed = pack(texts([6, 7, 4, 1]), 4, path(budget=10))
    assert [one.id for one in packed.chunks] == ["d:0:0", "d:0:2"]
    assert [(one.id, one.at, one.reason) for one in packed.dropped] == [
        ("d:0:1", "budget", "needs 7 of 4 characters that are left"),
        ("d:0:3", "budget", "needs 1 of 0 characters that are left"),
    ]


def test_a_budget_in_tokens_is_that_of_a_real_tokenizer() -> None:
    """Llama 2 cuts "internationalization" into more tokens than "the", and a word of one token costs one."""
    from ragtester.rag.chunk_units import tokenizer

    words = ["the", "internationalization", "and"]
    ranked = [one.model_copy(update={"text": word}) for one, word in zip(texts([1, 1, 1]), words, strict=True)]
    needed = [len(tokenizer().encode(word, add_special_tokens=False).ids) for word in words]
    assert needed[0] == needed[2] == 1 < needed[1]
    packed = pack(ranked, 3, path(budget=2, budget_unit="tokens"))
    assert [one.text for one in packed.chunks] == ["the", "and"]
    assert packed.dropped[0].reason == f"needs {needed[1]} of 1 tokens that are left"


def test_without_a_tokenizer_a_budget_in_tokens_is_refused_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise MissingPackageError("no tokenizer")

    monkeypatch.setattr(packing, "tokenizer", none)
    packing.load(path(budget=100))
    packing.load(path(budget_unit="tokens"))
    with pytest.raises(MissingPackageError):
        packing.load(path(budget=100, budget_unit="tokens"))


def test_document_order_is_by_document_then_place() -> None:
    ranked = [CHUNKS[name] for name in ("b:0:1", "a:0:3", "b:0:0", "a:0:1")]
    packed = pack(ranked, 4, path(order="document"))
    assert [one.id for one in packed.chunks] == ["a:0:1", "a:0:3", "b:0:0", "b:0:1"]


def test_a_fused_list_is_of_records() -> None:
    assert fuse({}, {}, 60) == [] and isinstance(fuse({"dense": hits("a")}, {}, 60)[0], Ranked)


# Settings


@pytest.mark.parametrize(
    ("settings", "depths"),
    [
        ({}, [7]),  # one arm: k
        ({"arms": ["bm25"]}, [7]),
        ({"rerank": "python:x:y"}, [35]),  # something chooses among its hits: five times k
        ({"arms": ["dense", "bm25"]}, [35, 35]),
        ({"arms": ["dense", {"kind": "bm25", "fetch_k": 3}]}, [35, 3]),
    ],
)
def test_how_many_hits_an_arm_fetches(settings: dict[str, Any], depths: list[int]) -> None:
    made = RetrievalSettings.model_validate(settings)
    assert [made.depth(arm, 7) for arm in made.arms] == depths


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"arms": ["bm25", {"kind": "bm25"}]}, "names a kind twice"),
        ({"arms": []}, "at least 1"),
        ({"arms": ["sparse"]}, "'dense' or 'bm25'"),
        ({"arms": [{"kind": "bm25", "weight": 0}]}, "greater than 0"),
        ({"filters": {"langage": "de"}}, "unknown filter 'langage'"),
        ({"filters": {"access": ["tenant:acme"]}}, "unknown filter 'access'"),
        ({"rrf_constant": 0}, "greater than or equal to 1"),
        ({"budget": -1}, "greater than or equal to 0"),
        ({"order": "random"}, "'rank', 'reverse', 'document' or 'shuffle'"),
    ],
)
def test_settings_that_make_no_search_are_refused(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        RetrievalSettings.model_validate(settings)

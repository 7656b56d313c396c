"""One case's retrieval: gold and grades from spans, ranks along the path, the evidence that reached the context."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragtester.rag import chunking
from ragtester.rag.gold import Gold
from ragtester.records import Case, CaseType, Chunk, Dropped, Evidence, Ranked, Retrieved, Span, StepMetrics, Trace
from ragtester.searching.coverage import LONGEST_GAP, Coverage
from ragtester.searching.measure import Measured, measure
from ragtester.settings import IndexSettings, RetrievalSettings
from tests import builders

#       0123456789 0123456789 0123456789 0123456789
TEXT = "The pump A\n\nholds 12 ba" + "r. Then it\n\nstops.    "
BOTH = RetrievalSettings.model_validate({"arms": ["dense", "bm25"]})


def case(*spans: tuple[int, int], kind: CaseType = "coverage") -> Case:
    evidence = tuple(Evidence(start=start, end=end) for start, end in spans)
    return builders.case("c1", document_id="d", type=kind, evidence=evidence)


def chunk(start: int, end: int, text: str = TEXT, also: Sequence[tuple[int, int]] = ()) -> Chunk:
    spans = tuple(Span(start=first, end=last) for first, last in also)
    return Chunk(id=name(start), document_id="d", ordinal=start, start=start, end=end, text=text[start:end], also=spans)


def name(start: int) -> str:
    return f"d:00000000:{start}"


def trace(*starts: int, k: int = 4, **fields: object) -> Trace:
    """A single dense arm with these chunks; the first k are the context."""
    ids = [name(start) for start in starts]
    made: dict[str, object] = {
        "retrieved": tuple(Retrieved(id=one, rank=rank, score=1 - rank / 100) for rank, one in enumerate(ids, 1)),
        "context_ids": tuple(ids[:k]),
    }
    return Trace.model_validate({"query": "q", "index": "i", "embedding": "e", "k": k, **made, **fields})


def ranked(*starts: int, sources: tuple[str, ...] = ("dense",)) -> tuple[Ranked, ...]:
    return tuple(
        Ranked(id=name(start), rank=rank, score=1 / rank, sources=sources) for rank, start in enumerate(starts, 1)
    )


# Three paragraphs: "The pump A", "holds 12 bar. Then it", "stops."
CUTS = (chunk(0, 10), chunk(12, 33), chunk(35, 41))


def test_grades_are_shares_of_the_evidence_and_gaps_of_whitespace_do_not_count() -> None:
    # "pump A\n\nholds 12": 5 characters of the first chunk, 7 of the second, 12 in all
    found = measure(case((4, 20)), trace(12, 0, 35), Coverage(CUTS, TEXT))
    assert [(one.id, one.grade) for one in found.gold] == [(name(0), 42), (name(12), 58)]
    assert found.status == "measured" and found.hidden == 0
    assert found.missed is False
    assert found.crosses_boundary is True
    assert found.metrics is not None
    assert found.metrics.evidence == 1
    assert (found.metrics.recall, found.metrics.precision, found.metrics.reciprocal_rank) == (1, 2 / 3, 1)
    assert found.metrics.ndcg == 1
    assert measure(case((4, 20)), trace(12, 0, 35), CUTS) == found  # without the text: the gap is short


def test_half_of_the_evidence_in_the_context_is_a_miss() -> None:
    found = measure(case((4, 20)), trace(35, 12, 0, k=2), CUTS)
    assert found.missed is True
    assert found.metrics is not None
    assert found.metrics.hit
    assert found.metrics.evidence == pytest.approx(7 / 12)
    assert (found.metrics.recall, found.metrics.precision, found.metrics.reciprocal_rank) == (1 / 2, 1 / 2, 1 / 2)
    assert found.metrics.ndcg == pytest.approx((58 / log2(3)) / (58 + 42 / log2(3)))
    assert found.metrics.average_precision == pytest.approx((1 / 2) / 2)


def test_of_overlapping_chunks_one_that_holds_it_all_is_enough() -> None:
    # "12 bar": all of it in the first, "bar" alone in the second
    overlapping = (chunk(12, 33), chunk(21, 41))
    found = measure(case((18, 24)), trace(12, k=1), overlapping)
    assert [(one.id, one.grade) for one in found.gold] == [(name(12), 100), (name(21), 60)]
    assert (found.missed, found.crosses_boundary) == (False, False)
    assert found.metrics is not None
    assert (found.metrics.evidence, found.metrics.recall) == (1, 1 / 2)


def test_whitespace_at_the_ends_of_evidence_belongs_to_no_chunk() -> None:
    # "\n\nholds 12 bar. Then it\n\n"; and "stops." with the blanks up to the document's end, which no chunk tells of
    for span, chunks in (((10, 35), CUTS), ((10, 35), Coverage(CUTS, TEXT)), ((35, 45), Coverage(CUTS, TEXT))):
        found = measure(case(span), trace(12, 35), chunks)
        assert [one.grade for one in found.gold] == [100]
        assert (found.missed, found.crosses_boundary) == (False, False)


def test_evidence_of_several_spans_is_graded_together() -> None:
    # "pump" (4) and "stops." (6)
    found = measure(case((4, 8), (35, 41)), trace(35, 12, k=2), CUTS)
    assert [(one.grade, one.context) for one in found.gold] == [(40, None), (60, 1)]
    assert found.metrics is not None
    assert found.metrics.evidence == pytest.approx(6 / 10)
    assert (found.missed, found.crosses_boundary) == (True, False)
    twice = measure(case((4, 8), (35, 41), (6, 8)), trace(35, 12, k=2), CUTS)
    assert [one.grade for one in twice.gold] == [40, 60]  # spans that overlap are counted once


def test_a_chunk_of_next_to_nothing_still_has_grade_one() -> None:
    text = "a " * 600
    # 500 letters: 1 of them in the first chunk, 499 in the second
    found = measure(case((0, 1000)), trace(0), (chunk(0, 1, text), chunk(2, 1199, text)))
    assert [one.grade for one in found.gold] == [1, 100]


def test_a_chunk_stands_for_the_near_identical_ones_too() -> None:
    text = "Same foot. Body one. Same foot. Body two."
    #       0         10         21         32
    chunks = (chunk(0, 10, text, also=[(21, 31)]), chunk(11, 20, text), chunk(32, 41, text))
    found = measure(case((21, 41)), trace(0, 32, 11, k=2), Coverage(chunks, text))
    assert [(one.id, one.grade) for one in found.gold] == [(name(0), 53), (name(32), 47)]  # 9 and 8 of 17
    assert found.missed is False


def test_evidence_that_stands_in_no_chunk_is_a_miss_and_no_missing_label() -> None:
    kept = (CUTS[0], CUTS[2])
    lost = measure(case((12, 25)), trace(0, 35), Coverage(kept, TEXT))
    assert (lost.status, lost.gold, lost.missed, lost.crosses_boundary) == ("measured", (), True, True)
    assert lost.metrics is not None
    assert not lost.metrics.hit
    assert (lost.metrics.recall, lost.metrics.ndcg, lost.metrics.evidence) == (0, 0, 0)
    half = measure(case((4, 8), (12, 17)), trace(0, 35), Coverage(kept, TEXT))
    assert half.metrics is not None
    assert (half.metrics.recall, half.metrics.evidence, half.missed) == (1, 4 / 9, True)
    nothing = measure(case((4, 8)), trace(), ())
    assert (nothing.status, nothing.gold, nothing.missed) == ("measured", (), True)


def test_without_the_text_a_long_gap_is_text_that_was_lost() -> None:
    text = "one" + " " * (LONGEST_GAP + 1) + "two"
    far = len(text) - 3
    chunks = (chunk(0, 3, text), chunk(far, far + 3, text))
    whole, trusting = case((0, far + 3)), Coverage(chunks, text)
    assert measure(whole, trace(0, far), trusting).missed is False
    assert measure(whole, trace(0, far), chunks).missed is True
    assert measure(case((0, far + 9)), trace(0, far), chunks).missed is True  # behind the last chunk


@pytest.mark.parametrize(
    ("asked", "labels"),
    [(case((4, 8), kind="rejection"), None), (case(), None), (case((5, 5)), None), (case((10, 12)), None)],
)
def test_cases_without_gold_are_no_misses(asked: Case, labels: None) -> None:
    found = measure(asked, trace(0, 12), Coverage(CUTS, TEXT), ks=(1,), labels=labels)
    assert found == Measured("no_gold", arms_of_context=(("dense",), ("dense",)))


def test_gold_that_the_user_may_not_see_leaves_the_denominator() -> None:
    found = measure(case((4, 20)), trace(gold_ids=(name(0), name(12)), hidden_ids=(name(0), name(12))), CUTS, ks=(1,))
    assert (found.status, found.gold, found.hidden) == ("hidden_gold", (), 2)
    assert (found.metrics, found.missed, found.curve) == (None, None, {})


def test_labels_replace_the_evidence() -> None:
    labels = {name(35): 2, "e:00000000:1": 1}
    found = measure(case((4, 8)), trace(0, 35), CUTS, labels=labels)
    assert [(one.id, one.grade, one.context) for one in found.gold] == [(name(35), 2, 2), ("e:00000000:1", 1, None)]
    assert (found.missed, found.crosses_boundary) == (True, None)
    assert found.metrics is not None
    assert (found.metrics.evidence, found.metrics.recall) == (None, 1 / 2)
    assert measure(case(), trace(35), CUTS, labels={name(35): 1}).missed is False
    assert measure(case((4, 8)), trace(35), CUTS, labels={}).status == "no_gold"
    seen = measure(case((4, 8)), trace(0, 35, hidden_ids=("e:00000000:1",)), CUTS, labels=labels)
    assert (seen.hidden, len(seen.gold), seen.missed) == (1, 1, False)
    assert seen.metrics is not None
    assert seen.metrics.recall == 1


def test_ranks_of_gold_along_the_whole_path() -> None:
    found = measure(
        case((4, 20)),
        trace(
            k=2,
            retrieved=(
                Retrieved(id=name(35), rank=1, score=0.9, arm="dense"),
                Retrieved(id=name(0), rank=2, score=0.1, arm="dense"),
                Retrieved(id=name(12), rank=1, score=4.0, arm="bm25"),
            ),
            fused=ranked(12, 35, sources=("bm25",)),
            reranked=ranked(35, 12, sources=("bm25",)),
            dropped=(Dropped(id=name(0), at="floor"),),
            context_ids=(name(12), name(35)),  # packed the other way round
        ),
        CUTS,
        path=BOTH,
    )
    lost, kept = found.gold
    assert lost.arms == {"dense": 2, "bm25": None}  # before its floor
    assert (lost.fused, lost.reranked, lost.context) == (None, None, None)
    assert kept.arms == {"dense": None, "bm25": 1}
    assert (kept.fused, kept.reranked, kept.context) == (1, 2, 2)
    assert found.metrics is not None
    assert found.metrics.reciprocal_rank == 1 / 2  # by rank, not by its place in the prompt
    # One of two gold chunks went below its floor: an arm found it, and it was not ranked.
    assert found.candidates is not None and found.ranked is not None
    assert (found.candidates.recall, found.candidates.reciprocal_rank) == (1, None)
    assert (found.ranked.recall, found.ranked.reciprocal_rank) == (1 / 2, 1 / 2)
    assert found.arms_of_context == (("bm25",), ("bm25",))


def test_a_single_arm_is_its_own_fused_list_above_the_floor() -> None:
    floored = trace(12, 0, context_ids=(name(12),), dropped=(Dropped(id=name(0), at="floor"),))
    found = measure(case((4, 20)), floored, CUTS)
    assert [(one.arms, one.fused, one.context) for one in found.gold] == [
        ({"dense": 2}, None, None),
        ({"dense": 1}, 1, 1),
    ]
    assert found.arms_of_context == (("dense",),)


def test_hits_that_a_filter_took_out_afterwards_leave_the_ranking() -> None:
    post = trace(35, 12, k=1, context_ids=(name(12),), dropped=(Dropped(id=name(35), at="filter"),))
    found = measure(case((12, 20)), post, CUTS, ks=(1, 2))
    assert [(one.fused, one.context) for one in found.gold] == [(2, 1)]
    assert found.metrics is not None
    assert found.metrics.reciprocal_rank == found.curve[1].reciprocal_rank == 1
    assert 2 not in found.curve


def test_what_the_budget_dropped_is_missed_and_the_ranking_still_had_it() -> None:
    packed = trace(12, 0, 35, k=2, context_ids=(name(0),), dropped=(Dropped(id=name(12), at="budget"),))
    found = measure(case((12, 20)), packed, CUTS, ks=(1, 2))
    assert [(one.fused, one.context) for one in found.gold] == [(1, None)]
    assert found.missed is True
    assert found.metrics is not None
    assert (found.metrics.hit, found.metrics.precision) == (False, 0)
    assert found.curve[1].hit and found.curve[2].precision == 1 / 2
    assert found.ranked == StepMetrics(recall=1, evidence=1, reciprocal_rank=1)
    assert found.candidates == StepMetrics(recall=1, evidence=1)


def test_gold_beyond_k_is_a_candidate_and_not_ranked() -> None:
    found = measure(case((12, 20)), trace(0, 35, 12, k=2, context_ids=(name(0), name(35))), CUTS)
    assert found.candidates == StepMetrics(recall=1, evidence=1)
    assert found.ranked == StepMetrics(recall=0, evidence=0, reciprocal_rank=0)


def test_the_curve_goes_as_far_down_as_ranks_are_known() -> None:
    deep = RetrievalSettings.model_validate({"arms": [{"kind": "dense", "fetch_k": 3}]})
    found = measure(case((4, 20)), trace(35, 12, 0, k=1), CUTS, ks=(1, 2, 3, 4), path=deep)
    assert {k: (one.recall, one.evidence) for k, one in found.curve.items()} == {
        1: (0, 0),
        2: (1 / 2, pytest.approx(7 / 12)),
        3: (1, 1),
    }
    # It fetched up to three and got two: there are no more, and precision is of those two.
    fewer = measure(case((4, 20)), trace(35, 12, k=1), CUTS, ks=(2, 4), path=deep)
    assert {k: one.precision for k, one in fewer.curve.items()} == {2: 1 / 2, 4: 1 / 2}
    assert set(measure(case((4, 20)), trace(35, 12, k=1), CUTS, ks=(2, 4)).curve) == {2}  # not known without settings
    # Up to k what was found is what there was, whatever is known below.
    assert set(measure(case((4, 20)), trace(35, k=3), CUTS, ks=(1, 2, 3, 4)).curve) == {1, 2, 3}


@pytest.mark.parametrize(
    ("path", "fields", "known"),
    [
        # the floor ends the arm's list within what was fetched: below it nothing would come
        (
            {"arms": [{"kind": "dense", "fetch_k": 2, "floor": 0.985}]},
            {"dropped": (Dropped(id=name(0), at="floor"),)},
            True,
        ),
        ({"arms": [{"kind": "dense", "fetch_k": 2, "floor": 0.5}]}, {}, False),
        # one arm of two ran out, the other one might have more
        ({"arms": [{"kind": "dense", "fetch_k": 2}, {"kind": "bm25"}]}, {"fused": ranked(12, 0)}, False),
        ({"arms": [{"kind": "dense", "fetch_k": 3}, {"kind": "bm25"}]}, {"fused": ranked(12, 0)}, True),
        # the reranker saw only the first two of the fused list
        (
            {"arms": [{"kind": "dense", "fetch_k": 3}], "rerank": "python:a:b", "rerank_k": 2},
            {"reranked": ranked(0, 12)},
            False,
        ),
    ],
)
def test_when_a_list_holds_all_there_is(path: dict[str, object], fields: dict[str, object], known: bool) -> None:
    wanted = RetrievalSettings.model_validate(path)
    found = measure(case((4, 20)), trace(12, 0, k=1, **fields), CUTS, ks=(9,), path=wanted)
    assert (9 in found.curve) == known


def test_a_query_without_results_is_measured_and_missed() -> None:
    found = measure(case((4, 20)), trace(k=4), CUTS, ks=(1, 4, 8), path=RetrievalSettings())
    assert (found.status, found.missed, found.arms_of_context) == ("measured", True, ())
    assert found.metrics is not None
    assert (found.metrics.hit, found.metrics.recall, found.metrics.precision) == (False, 0, None)
    assert [one.arms for one in found.gold] == [{"dense": None}, {"dense": None}]
    assert set(found.curve) == {1, 4, 8}


def test_of_an_imported_trace_the_order_of_the_context_is_all_there_is() -> None:
    imported = trace(k=3, context_ids=(name(35), name(12), name(0)))
    found = measure(case((4, 20)), imported, CUTS, ks=(1, 2, 3, 4))
    assert [(one.arms, one.fused, one.context) for one in found.gold] == [({}, None, 3), ({}, None, 2)]
    assert found.metrics is not None
    assert found.metrics.reciprocal_rank == 1 / 2
    assert {k: one.recall for k, one in found.curve.items()} == {1: 0, 2: 1 / 2, 3: 1}
    assert found.arms_of_context == ((), (), ())
    empty = measure(case((4, 20)), trace(k=0, context_ids=()), CUTS)
    assert empty.metrics is not None and empty.missed is True
    assert empty.metrics.recall == 0


def test_of_several_arms_without_a_fused_list_the_context_is_all_that_is_ranked() -> None:
    arms = (
        Retrieved(id=name(0), rank=1, score=0.9, arm="dense"),
        Retrieved(id=name(12), rank=1, score=4.0, arm="bm25"),
        Retrieved(id=name(0), rank=2, score=1.0, arm="bm25"),
    )
    found = measure(case((12, 20)), trace(retrieved=arms, context_ids=(name(0), name(12))), CUTS, ks=(1, 2, 9))
    assert [(one.arms, one.fused, one.context) for one in found.gold] == [({"dense": None, "bm25": 1}, None, 2)]
    assert found.metrics is not None
    assert found.metrics.reciprocal_rank == 1 / 2
    assert set(found.curve) == {1, 2}
    assert found.arms_of_context == (("dense", "bm25"), ("bm25",))
    reranked = measure(case((12, 20)), trace(retrieved=arms, reranked=ranked(12, 0), context_ids=(name(12),)), CUTS)
    assert [(one.fused, one.reranked, one.context) for one in reranked.gold] == [(None, 1, 1)]


def test_a_chunk_of_the_context_that_no_list_has_counts_last() -> None:
    found = measure(case((4, 20)), trace(35, context_ids=(name(12), name(35))), CUTS)
    assert [one.context for one in found.gold] == [None, 2]


@pytest.mark.parametrize("chunker", ["recursive", "paragraph", "markdown", "sentence-window"])
@pytest.mark.parametrize("near_duplicate", [0.0, 80.0])
def test_whatever_cuts_a_text_all_its_chunks_hold_all_evidence(chunker: str, near_duplicate: float) -> None:
    kinds = ("pump", "valve", "relay")
    notes = "\n\n".join(f"## Part\n\nThe {kinds[n % 3]} of this machine holds seven bar.\n\nMore." for n in range(12))
    wanted = {"chunker": chunker, "chunk_size": 60, "chunk_overlap": 15, "near_duplicate": near_duplicate}
    index = IndexSettings.model_validate(wanted)
    cuts = chunking.chunk(builders.document("d", characters=len(notes), format="md"), notes, index)
    assert any(one.also for one in cuts) == bool(near_duplicate)
    held = Coverage(cuts, notes)
    everything = Trace(query="q", index="i", embedding="e", k=99, context_ids=tuple(one.id for one in cuts))
    for start in range(0, len(notes) - 60, 13):
        asked = case((start, start + 7), (start + 30, start + 60))
        found = measure(asked, everything, held)
        assert {one.id for one in found.gold} == set(Gold(cuts).ids(asked.evidence))
        assert found.metrics is not None
        assert (found.metrics.evidence, found.missed) == (1, False)
        if not near_duplicate:
            assert measure(asked, everything, cuts) == found


places = st.tuples(st.integers(0, 59), st.integers(1, 25)).map(lambda place: (place[0], min(60, sum(place))))


@settings(deadline=None)
@given(
    st.text(alphabet="ab \n", min_size=60, max_size=60),
    st.lists(places, max_size=8, unique_by=lambda place: place[0]),
    st.lists(places, max_size=3),
    st.integers(1, 4),
)
@example("a" * 29 + " " + "a" * 30, [(29, 30)], [(6, 31)], 1)
def test_the_shares_are_those_of_counting_letter_by_letter(
    text: str, cuts: list[tuple[int, int]], evidence: list[tuple[int, int]], k: int
) -> None:
    chunks = [chunk(start, end, text) for start, end in cuts]
    letters = {at for start, end in evidence for at in range(start, end) if not text[at].isspace()}
    holds = {name(start): letters & set(range(start, end)) for start, end in cuts}
    found = measure(case(*evidence), trace(*(start for start, _ in cuts), k=k), Coverage(chunks, text))
    assert (found.status == "no_gold") == (not letters)
    if not letters:
        return
    assert {one.id: one.grade for one in found.gold} == {
        one: max(1, round(100 * len(held) / len(letters))) for one, held in holds.items() if held
    }
    seen = set().union(*(holds[name(start)] for start, _ in cuts[:k]))
    assert found.metrics is not None
    assert found.metrics.evidence == len(seen) / len(letters)
    assert found.missed == (seen != letters)
    own = [{at for at in range(*span) if not text[at].isspace()} for span in evidence]
    assert found.crosses_boundary == any(
        not any(start <= min(some) and max(some) < end for start, end in cuts) for some in own if some
    )

"""Comparisons, the front and the canary's alarm, on numbers that a reader can check."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from ragtester.records import (
    Direction,
    ExperimentQuery,
    ExperimentResult,
    ExperimentTimes,
    GenerationChange,
    GoldRank,
    IndexSize,
    MeanValue,
    MetricComparison,
    PointResult,
    PointTimes,
    Proportion,
    QueryLedger,
    RankingMetrics,
    SourceShares,
    StepMetrics,
)
from ragtester.searching.reading import more_text, reading
from ragtester.settings import Settings
from ragtester.stages.change_tables import flips_part, metrics_table
from ragtester.stages.experiment.canary_alarm import with_alarms
from ragtester.stages.experiment.comparing import Generated, Graded, compare, correct
from ragtester.stages.experiment.document import experiment_document
from ragtester.stages.experiment.front import Offer, front
from ragtester.stages.experiment.points import Pair, Point
from ragtester.stages.experiment.reading import told as told_of
from ragtester.stages.experiment.values import Measurement
from ragtester.stages.experiment.words import short_name, size_text
from ragtester.stages.query_changes import direction
from ragtester.stages.query_values import METRICS
from ragtester.tables import Document, PValue, Section, Table
from ragtester.tables.cells import show
from ragtester.tables.markdown import markdown
from ragtester.tables.terminal import print_document

BEFORE = Point("baseline", "baseline", Settings(), "toy:words")
AFTER = Point("small", "variant", Settings(), "toy:words", {"execute.index.chunk_size": 300})
PAIR = Pair(BEFORE, AFTER, combination=False)


def query(number: int, rank: int | None, gold: str = "g", evidence: float | None = None) -> ExperimentQuery:
    """A query with one gold chunk at `rank` of four; 20 documents take turns."""
    hit = rank is not None
    metrics = RankingMetrics(
        hit=hit,
        recall=float(hit),
        precision=hit / 4,
        reciprocal_rank=1 / rank if rank else 0.0,
        ndcg=float(hit),
        average_precision=1 / rank if rank else 0.0,
        evidence=float(hit) if evidence is None else evidence,
    )
    return ExperimentQuery(
        query_id=f"q{number}",
        document_id=f"d{number % 20}",
        key="k",
        point="p",
        embedding="toy:words",
        technique="ragtester",
        type="complexity",
        language="en",
        question=f"What is {number}?",
        k=4,
        status="measured",
        gold=(GoldRank(id=f"d:{gold}:{number}", grade=100, context=rank),),
        context_characters=400,
        metrics=metrics,
        missed=not hit,
    )


def measured(ranks: Sequence[int | None], gold: str = "g") -> Measurement:
    return Measurement.of("toy:words", [query(number, rank, gold) for number, rank in enumerate(ranks)])


def test_before_after_and_flips() -> None:
    # Of 100 queries 20 are lost and none is won; the others stay at rank 1.
    before = measured([1] * 100)
    after = measured([None] * 20 + [1] * 80)
    (found,), family = correct([compare(PAIR, before, after, seed=7)])
    by_name = {one.metric: one for one in found.metrics}
    assert set(by_name) == set(METRICS)
    assert family == len(METRICS)
    recall, hit = by_name["recall"], by_name["hit"]
    assert (recall.before, recall.after, recall.difference.value) == (1.0, 0.8, -0.2)
    assert recall.difference.n == found.queries == 100
    # McNemar: 20 of 20 discordant cases on one side, 2 × 0.5^20, which is 0 at six digits.
    assert hit.p == pytest.approx(2 * 0.5**20, abs=1e-6)
    assert {one.direction for one in found.metrics} == {"fell"}
    assert found.same_gold
    assert [flip.query_id for flip in found.flips] == [f"q{number}" for number in range(20)]
    assert all((flip.rank_before, flip.rank_after, flip.won) == (1, None, False) for flip in found.flips)
    assert all((flip.hit_before, flip.hit_after, flip.recall_after) == (True, False, 0) for flip in found.flips)
    assert found.reading == (
        "Recall fell and MRR fell: look at chunking, the embedding model or the index; ranks follow recall. "
        "Changed: chunk_size = 300."
    )


def test_ranks_that_sink_while_recall_stays_are_a_matter_of_ranking() -> None:
    found = compare(PAIR, measured([1] * 100), measured([4] * 60 + [1] * 40), seed=7)
    assert found.reading == (
        "Recall is the same for every query and MRR fell: look at the ranking: rerank, fusion and its weights. "
        "Changed: chunk_size = 300."
    )
    assert not found.flips


def test_a_few_flips_either_way_cannot_be_told() -> None:
    before = measured([None, None, None, *[1] * 97])
    after = measured([1, 1, 1, None, *[1] * 96])
    found = compare(PAIR, before, after, seed=7)
    recall = next(one for one in found.metrics if one.metric == "recall")
    assert recall.difference.value == pytest.approx(0.02)
    assert recall.direction == "unclear"
    assert recall.more is not None
    assert found.reading.startswith("Cannot tell: neither recall nor MRR changed beyond chance; ")
    assert " more cases would tell" in found.reading


@pytest.mark.parametrize(
    ("changes", "step"),
    [
        ({"execute.retrieval.filters": {"id": "x"}}, "filter"),
        ({"execute.retrieval.filters": {"id": "x"}, "execute.retrieval.filter_mode": "post"}, "filter"),
        ({"execute.retrieval.filters": {"id": "x"}, "execute.k": 2}, "search"),
        ({"execute.index.chunk_size": 300}, "search"),
    ],
)
@pytest.mark.parametrize("among", [0.0, 1.0])
def test_what_filters_alone_take_is_put_down_to_them(changes: dict[str, Any], step: str, among: float) -> None:
    """Not found by any arm (a filter before the search) or among the candidates and not within K (after it)."""
    whole, none = (StepMetrics(recall=one, evidence=one, reciprocal_rank=one) for one in (1.0, 0.0))
    found = StepMetrics(recall=among, evidence=among)

    def side(ranks: list[int | None]) -> Measurement:
        rows = [query(number, rank, "g") for number, rank in enumerate(ranks)]
        steps = [(whole, whole) if row.metrics and row.metrics.hit else (found, none) for row in rows]
        made = [
            row.model_copy(update={"candidates": one, "ranked": two})
            for row, (one, two) in zip(rows, steps, strict=True)
        ]
        return Measurement.of("toy:words", made)

    pair = replace(PAIR, after=replace(PAIR.after, changes=changes))
    told = compare(pair, side([1] * 100), side([None] * 20 + [1] * 80), seed=7)
    wanted = "ranking" if among and step == "search" else step
    recall = next(one for one in told.metrics if one.metric == "recall")
    assert recall.steps == {wanted: 20}
    assert {flip.step for flip in told.flips} == {wanted}
    assert ("filters shut the evidence out" in told.reading) == (step == "filter")


def test_ids_of_flips_are_whole_on_a_narrow_terminal() -> None:
    found = compare(PAIR, measured([1] * 100), measured([None] * 20 + [1] * 80), seed=7)
    case_id = "handbook-of-the-pump-in-the-cellar-complexity-001"
    flips = [found.flips[0].model_copy(update={"query_id": case_id}), *found.flips[1:3]]
    table = flips_part("flips", found.model_copy(update={"flips": tuple(flips)}), None)
    assert isinstance(table, Table)
    page = io.StringIO()
    print_document(Document("T", (Section("s", "S", (table,)),)), Console(width=70, file=page))
    shown = page.getvalue()
    assert "…" not in shown
    heads = [line.split(" ")[0] for line in shown.splitlines()]
    assert case_id in "".join(heads)
    assert "#4 is the chunk with the number 4" in " ".join(shown.split())


def test_what_falls_in_two_documents_alone_is_told_so() -> None:
    """Of 20 documents with five queries each, all queries of two are lost."""
    before = measured([1] * 100)
    after = measured([None if number % 20 in (0, 1) else 1 for number in range(100)])
    found = compare(PAIR, before, after, seed=7)
    recall = next(one for one in found.metrics if one.metric == "recall")
    # Both documents are left out of a resample of 20 with a chance of 0.9^20 = 12 %: the interval touches 0.
    assert recall.difference.high == 0
    # Signs of ten equal differences: 2 × 0.5^10 = 0.002.
    assert recall.p == pytest.approx(2 * 0.5**10, abs=1e-3)
    assert (recall.direction, recall.more) == ("unclear", None)
    assert found.reading.startswith("Recall fell and MRR fell in these queries (p = 0.00")
    assert "not alike in all documents: the interval over documents holds 0" in found.reading
    assert "Cannot tell" not in found.reading and "more cases" not in found.reading
    steps = {"search": 10}
    metrics = [one.model_copy(update={"steps": steps}) for one in found.metrics]
    said = "Of 10 queries that fell, 10 did so first in the arms' hits."
    assert reading(metrics, same_gold=True).endswith(said)
    assert "fell, not alike in all documents" in {
        cell for row in metrics_table("m", "M", found, 7).rows for cell in row
    }


def test_how_many_more_cases_follows_the_width_of_the_interval() -> None:
    """Connor's number for hits: 3 won and 1 lost of 100, psi = 0.04, d = 0.02."""
    before = measured([None, None, None, *[1] * 97])
    after = measured([1, 1, 1, None, *[1] * 96])
    hit = next(one for one in compare(PAIR, before, after, seed=7).metrics if one.metric == "hit")
    # ((1.96 √0.04 + 0.8416 √(0.04 - 0.0004)) / 0.02)² = 782.8, less the 100 there are.
    assert hit.more == pytest.approx(683, abs=1)


def test_other_gold_chunks_are_compared_by_evidence() -> None:
    before = measured([1] * 100, gold="wide")
    after = measured([None] * 20 + [1] * 80, gold="narrow")
    found = compare(PAIR, before, after, seed=7)
    assert not found.same_gold
    assert found.reading.startswith("The evidence found fell")


def test_queries_of_one_side_only_are_counted_apart() -> None:
    lost = [query(number, 1) for number in range(10)]
    unfinished = lost[0].model_copy(update={"status": "unfinished", "metrics": None})
    after = Measurement.of("toy:words", [unfinished, *lost[1:]])
    found = compare(PAIR, measured([1] * 10), after, seed=7)
    assert (found.queries, found.apart) == (9, 1)
    assert after.ledger == QueryLedger(embedding="toy:words", planned=10, measured=9, unfinished=1)


def change(metric: str, towards: Direction) -> MetricComparison:
    return MetricComparison(
        metric=metric,
        before=0.5,
        after=0.5,
        difference=MeanValue(value=0.0, n=10),
        test="t",
        p=1.0,
        holm=1.0,
        direction=towards,
    )


def read(recall: Direction, mrr: Direction, answers: Direction | None = None, *, same_gold: bool = True) -> str:
    generation = answers and GenerationChange(
        run_before="a",
        run_after="b",
        before=Proportion(successes=1, n=10),
        after=Proportion(successes=1, n=10),
        difference=MeanValue(),
        won=0,
        lost=0,
        p=1.0,
        holm=1.0,
        direction=answers,
    )
    metrics = [change("recall", recall), change("reciprocal_rank", mrr)]
    return told_of(metrics, same_gold, generation or None, "window = 2").removesuffix(" Changed: window = 2.")


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (read("fell", "unclear"), "chunking, the embedding model or the index"),
        (read("fell", "same"), "chunking, the embedding model or the index"),
        (read("same", "fell"), "look at the ranking"),
        (read("unclear", "fell"), "look at the ranking"),
        (read("rose", "fell"), "it is buried"),
        (read("rose", "rose"), "more evidence is found, and earlier"),
        (read("same", "same", "rose"), "Both are fine and more answers fail: look at generation or packing."),
        (read("unclear", "rose", "rose"), "Both are fine and more answers fail: look at generation or packing."),
        (read("fell", "fell", "rose"), "More answers fail."),
        (read("same", "same", "fell"), "Fewer answers fail."),
        (read("same", "same", "same"), "Not one answer changed its verdict."),
        (read("same", "same", "unclear"), "cannot be told"),
    ],
)
def test_diagnostic_pairs(found: str, told: str) -> None:
    assert told in found


@pytest.mark.parametrize("pair", list(product(get_args(Direction), repeat=2)))
def test_every_pair_of_directions_has_a_sentence(pair: tuple[Direction, Direction]) -> None:
    assert read(*pair).endswith(".")
    # Where nothing is beyond chance nothing is claimed to rise or fall.
    if set(pair) <= {"unclear", "same"}:
        assert not {"rose", "fell"} & set(read(*pair).replace(":", "").split())


def test_generation_is_never_spoken_of_without_answers() -> None:
    assert all("answer" not in read(one, two) for one, two in product(get_args(Direction), repeat=2))


def test_nothing_measured_on_both_sides_says_so() -> None:
    found = compare(PAIR, measured([]), measured([]), seed=7)
    assert (found.queries, found.metrics, found.flips) == (0, (), ())
    assert found.reading.startswith("Nothing can be said")


def test_failure_rates_are_paired_by_llm_and_case() -> None:
    places = [("toy:a", "ragtester", f"q{number}") for number in range(40)]
    before = {place: Graded(f"d{at % 20}", at < 4) for at, place in enumerate(places)}
    after = {place: Graded(f"d{at % 20}", at < 16) for at, place in enumerate(places[:36])}
    found = compare(PAIR, measured([1] * 40), measured([1] * 40), 7, Generated("a", "b", before, after)).generation
    assert found is not None
    # 36 answers have both grades; 4 failed before, 16 after, none the other way round.
    assert (found.before.successes, found.after.successes, found.before.n) == (4, 16, 36)
    assert (found.won, found.lost) == (0, 12)
    assert [flip.query_id for flip in found.flips] == [f"q{number}" for number in range(4, 16)]
    assert {(flip.llm, flip.before, flip.after) for flip in found.flips} == {("toy:a", "pass", "fail")}
    assert found.p == pytest.approx(2 * 0.5**12, abs=1e-6)
    assert found.direction == "rose"


@pytest.mark.parametrize(
    ("ends", "differing", "p", "wanted"),
    [
        ((0.01, 0.2), 5, 0.01, "rose"),
        ((-0.2, -0.01), 5, 0.01, "fell"),
        ((-0.1, 0.1), 5, 0.01, "unclear"),
        ((0.01, 0.2), 5, 0.2, "unclear"),  # few documents: the interval alone is too narrow
        ((None, None), 5, 0.01, "rose"),  # every document rose by the same: no spread, and no doubt
        ((None, None), 5, 0.2, "unclear"),
        ((None, None), 0, 1.0, "same"),
    ],
)
def test_direction(ends: tuple[float | None, float | None], differing: int, p: float, wanted: str) -> None:
    assert direction(MeanValue(value=0.1, n=9, low=ends[0], high=ends[1]), differing, p) == wanted


@pytest.mark.parametrize(
    ("count", "text"),
    [(7, "about 7"), (99, "about 99"), (522, "about 520"), (1189, "about 1,200"), (1_189_341, "more than 100,000")],
)
def test_more_cases_in_two_figures(count: int, text: str) -> None:
    assert more_text(count, "cases") == f"{text} more cases"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {
                "execute.index.chunk_size": 1000,
                "execute.index.chunk_overlap": 100,
                "execute.retrieval.arms": ["dense", "bm25"],
            },
            "1000/100 dense+bm25",
        ),
        ({"execute.index.chunk_size": 300, "execute.k": 4}, "chunk_size=300 k=4"),
        ({"embedding": "toy:words"}, "grid"),
    ],
)
def test_short_names(changes: dict[str, object], text: str) -> None:
    assert short_name(changes) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (81_544, "81.5 kB"), (999_700, "1000 kB"), (4_500_000, "4.5 MB")],
)
def test_bytes(size: int, text: str) -> None:
    assert size_text(size) == text


def point(name: str, evidence: float, size: int, context: float = 100.0) -> PointResult:
    mean = MeanValue(value=evidence, n=10)
    return PointResult(
        name=name,
        kind="grid",
        embedding="",
        k=4,
        queries=QueryLedger(embedding="", planned=10, measured=10),
        hit=Proportion(successes=5, n=10),
        metrics=dict.fromkeys(METRICS, mean),
        context=MeanValue(value=context, n=10),
        index=IndexSize(chunks=1, dimension=1, vectors=size, sparse=0, texts=0),
    )


def sweep(*points: PointResult, axes: tuple[str, ...] = ("execute.index.chunk_size",)) -> ExperimentResult:
    return ExperimentResult(name="x", suite="main", k=4, baseline={}, points=points, axes=axes)


def seconds(**each: float | None) -> dict[str, PointTimes]:
    return {name: PointTimes(name=name, embedding="", query=one) for name, one in each.items()}


def test_front_leaves_out_what_another_beats() -> None:
    result = sweep(
        point("good", 0.9, 500), point("small", 0.7, 100), point("beaten", 0.7, 200), point("fast", 0.6, 500)
    )
    times = seconds(good=1.0, small=1.0, beaten=1.0, fast=0.5)
    assert front(result, times) == ("good", "small", "fast")


def test_times_within_a_quarter_are_equal() -> None:
    result = sweep(point("one", 0.9, 100), point("two", 0.9, 100))
    assert front(result, seconds(one=1.0, two=1.2)) == ("one", "two")
    assert front(result, seconds(one=1.0, two=1.3)) == ("one",)


def test_context_counts_where_k_is_swept() -> None:
    few, many = point("few", 0.8, 100, context=100.0), point("many", 0.9, 100, context=400.0)
    times = seconds(few=1.0, many=1.0)
    assert front(sweep(few, many), times) == ("many",)
    assert front(sweep(few, many, axes=("execute.k",)), times) == ("many", "few")


def test_points_without_a_time_or_a_size_are_on_no_front() -> None:
    unknown = point("unknown", 1.0, 1).model_copy(update={"index": None})
    result = sweep(point("known", 0.5, 100), unknown, point("late", 1.0, 1))
    assert front(result, seconds(known=1.0, unknown=1.0, late=None)) == ("known",)


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 2, st.floats(0.1, 2.0)), min_size=1, max_size=12))
def test_there_is_always_a_front_and_all_others_are_beaten(rows: list[tuple[int, int, float]]) -> None:
    offers = [Offer(str(at), float(one), (float(two),), three) for at, (one, two, three) in enumerate(rows)]
    best = [one for one in offers if not any(other.beats(one) for other in offers)]
    assert best
    assert not any(one.beats(one) for one in offers)


def test_a_hostile_question_stays_text_in_the_page() -> None:
    nasty = query(0, None).model_copy(update={"question": "<script>alert(1)</script> | `x` \x1b[31m"})
    before = Measurement.of("toy:words", [query(0, 1)])
    found, family = correct([compare(PAIR, before, Measurement.of("toy:words", [nasty]), 7)])
    flips = found[0].model_copy(update={"flips": (found[0].flips[0].model_copy(update={"question": nasty.question}),)})
    result = sweep(point("p", 0.5, 1)).model_copy(update={"comparisons": (flips,), "axes": (), "family": family})
    page = markdown(experiment_document(result, ExperimentTimes(name="x")))
    assert "<script>" not in page
    assert "\x1b" not in page
    assert "&lt;script&gt;" in page


def shares(
    name: str, bm25: int, n: int = 400, *, arms: tuple[str, ...] = ("bm25", "dense"), hits: int = 100
) -> SourceShares:
    def share(count: int) -> Proportion:
        return Proportion(successes=count, n=n)

    return SourceShares(
        period=name,
        runs=(name,),
        started="",
        queries=100,
        chunks=n,
        dense_only=share(n - bm25 - 40),
        bm25_only=share(bm25),
        both=share(40),
        asked=dict.fromkeys(arms, 100),
        hits={arm: hits if arm == "bm25" else 100 for arm in arms},
        feeds={"dense": n - bm25, "bm25": bm25 + 40},
    )


def test_bm25_that_falls_to_nothing_is_an_alarm() -> None:
    calm, gone = with_alarms([shares("mon", 60), shares("tue", 0)])
    assert not calm.alarm
    assert gone.alarm == "no chunk comes from BM25 alone (60/400 = 15.0 % [11.8, 18.8] in mon)"


def test_one_chunk_less_is_no_alarm() -> None:
    # 1 of 400 before: an interval of the difference that holds 0.
    assert not with_alarms([shares("mon", 1), shares("tue", 0)])[1].alarm
    assert not with_alarms([shares("mon", 60), shares("tue", 1)])[1].alarm
    assert not with_alarms([shares("mon", 0), shares("tue", 0)])[1].alarm


def test_an_alarm_lasts_until_the_arm_is_back() -> None:
    days = with_alarms([shares("mon", 60), shares("tue", 0), shares("wed", 0), shares("thu", 50)])
    assert [bool(day.alarm) for day in days] == [False, True, True, False]


def test_an_arm_that_is_asked_and_silent_is_an_alarm_by_itself() -> None:
    (found,) = with_alarms([shares("mon", 0, hits=0)])
    assert found.alarm == "the bm25 arm gave nothing for any of 100 queries"


def test_an_arm_whose_hits_are_in_no_context_is_an_alarm_by_itself() -> None:
    (found,) = with_alarms([shares("mon", 0).model_copy(update={"feeds": {"dense": 400}})])
    assert found.alarm == "the bm25 arm feeds no context, with hits for 100 of 100 queries: look at its floor"


def large_sweep() -> tuple[ExperimentResult, ExperimentTimes]:
    """The baseline and 48 points of a grid; of one size, so that the best one beats all others."""
    grid = [
        point(f"p{size}-{overlap}", 0.3 + size / 4000 + overlap / 10_000, 1000).model_copy(
            update={"changes": {"execute.index.chunk_size": size, "execute.index.chunk_overlap": overlap}}
        )
        for size in range(200, 1400, 100)
        for overlap in (0, 10, 20, 30)
    ]
    base = point("baseline", 0.2, 1000).model_copy(update={"kind": "baseline"})
    result = sweep(base, *grid, axes=("execute.index.chunk_size", "execute.index.chunk_overlap"))
    times = {one.name: PointTimes(name=one.name, embedding="", query=0.001) for one in result.points}
    best = front(result, times)
    told = ExperimentTimes(
        name="x", points=tuple(times.values()), quality="evidence", costs=("index size",), front=best
    )
    return result, told


def test_a_large_sweep_is_short_on_the_terminal_and_whole_in_the_page() -> None:
    result, times = large_sweep()
    brief = experiment_document(result, times, full=False)
    assert [row[0] for row in brief.table("front").rows] == ["1300/30"]
    names = [row[0] for row in brief.table("best").rows]
    # Ten of 49, the best first, and the baseline.
    assert names == [*(f"{size}/{overlap}" for size in (1300, 1200) for overlap in (30, 20, 10, 0)), *names[8:]]
    assert names[8:] == ["1100/30", "1100/20", "baseline"]
    text = io.StringIO()
    print_document(brief, Console(file=text, width=80))
    assert len(text.getvalue().splitlines()) < 60
    assert "Before and after" not in text.getvalue()
    whole = experiment_document(result, times)
    assert len(whole.table("sweep").rows) == len(whole.table("costs").rows) == 49
    assert whole.table("metrics").title == "The baseline, K = 4"


def test_p_values_stand_beside_what_a_sentence_rests_on() -> None:
    found, family = correct([compare(PAIR, measured([1] * 50), measured([None] * 20 + [1] * 30), seed=7)] * 2)
    result = sweep(point("p", 0.5, 1)).model_copy(update={"comparisons": found, "axes": (), "family": family})
    table = experiment_document(result, ExperimentTimes(name="x"), full=False).table("differences")
    assert table.columns[2:11] == ("recall", "p", "p (Holm)", "evidence", "p", "p (Holm)", "MRR", "p", "p (Holm)")
    recall = next(one for one in found[0].metrics if one.metric == "recall")
    assert show(table.rows[0][2]).startswith("-0.400 [-0.")
    assert table.rows[0][4] == PValue(recall.holm)
    assert (family, table.rows[0][-2:]) == (14, (20, 0))


def on_path(number: int, candidates: float, ranked: float, context: float) -> ExperimentQuery:
    """A query of two gold chunks: the share of them at each step of its path; the first always stands at rank 1."""
    found = query(number, 1)
    assert found.metrics is not None
    metrics = found.metrics.model_copy(update={"recall": context, "evidence": context})
    update = {
        "metrics": metrics,
        "candidates": StepMetrics(recall=candidates, evidence=candidates),
        "ranked": StepMetrics(recall=ranked, evidence=ranked, reciprocal_rank=1),
    }
    return found.model_copy(update=update)


def on_paths(*each: tuple[float, float, float]) -> Measurement:
    return Measurement.of("toy:words", [on_path(number, *shares) for number, shares in enumerate(each)])


WHOLE = (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("lost", "step", "told"),
    [
        ((0.5, 0.5, 0.5), "search", "look at chunking, the embedding model or the index. Of 40"),
        ((1.0, 0.5, 0.5), "ranking", "still among the candidates: look at the ranking"),
        ((1.0, 1.0, 0.5), "packing", "still stands within K before the budget: look at packing"),
    ],
)
def test_what_was_lost_is_put_down_to_the_step_where_it_was_lost_first(
    lost: tuple[float, float, float], step: str, told: str
) -> None:
    found = compare(PAIR, on_paths(*[WHOLE] * 100), on_paths(*[lost] * 40, *[WHOLE] * 60), seed=7)
    recall = next(one for one in found.metrics if one.metric == "recall")
    assert recall.steps == {step: 40}
    assert found.reading.startswith("Recall fell and MRR is the same for every query: ")
    assert told in found.reading
    assert "Of 40 queries that fell, 40 did so first in" in found.reading
    # No hit flipped, and yet each of the 40 is listed with its recall.
    assert [(flip.hit_before, flip.recall_before, flip.recall_after, flip.step) for flip in found.flips] == [
        (True, 1, 0.5, step)
    ] * 40
    back = compare(PAIR, on_paths(*[lost] * 40, *[WHOLE] * 60), on_paths(*[WHOLE] * 100), seed=7)
    assert {one.step for one in back.flips} == {step}
    assert back.reading.startswith("Recall rose and MRR is the same for every query: more ")


def with_arms(found: ExperimentQuery, arms: dict[str, int | None]) -> ExperimentQuery:
    return found.model_copy(update={"gold": (found.gold[0].model_copy(update={"arms": arms}),)})


LOST = (0.5, 0.5, 0.5)
DENSE: dict[str, int | None] = {"dense": 1}


@pytest.mark.parametrize(
    ("whole", "before", "after", "step", "told"),
    [
        # The arm ranks what it gives as before, and gives fewer hits: no reranker asks for more.
        (
            (DENSE, DENSE),
            {"dense": 7},
            {"dense": None},
            "depth",
            "give fewer hits: look at fetch_k and at the reranker",
        ),
        # The same, and an arm less.
        (
            ({"dense": 1, "bm25": 2}, DENSE),
            {"dense": None, "bm25": 1},
            {"dense": None},
            "arms",
            "an arm that found it is not asked any more",
        ),
        (({"bm25": 1}, DENSE), {"bm25": 1}, {"dense": None}, "arms", "an arm that found it is not asked any more"),
        # The arm ranks otherwise: it is another index.
        ((DENSE, {"dense": 2}), {"dense": 3}, {"dense": None}, "search", "chunking, the embedding model or the index"),
        (({}, {}), {}, {}, "search", "chunking, the embedding model or the index"),
    ],
)
def test_arms_that_rank_alike_are_told_from_another_search(
    whole: tuple[dict[str, int | None], dict[str, int | None]],
    before: dict[str, int | None],
    after: dict[str, int | None],
    step: str,
    told: str,
) -> None:
    rows = [with_arms(on_path(number, *WHOLE), before if number < 40 else whole[0]) for number in range(100)]
    lost = [
        with_arms(on_path(number, *LOST), after) if number < 40 else with_arms(on_path(number, *WHOLE), whole[1])
        for number in range(100)
    ]
    found = compare(PAIR, Measurement.of("toy:words", rows), Measurement.of("toy:words", lost), seed=7)
    recall = next(one for one in found.metrics if one.metric == "recall")
    assert recall.steps == {step: 40}
    assert told in found.reading


def test_the_step_of_most_queries_is_named_and_counted() -> None:
    after = on_paths(*[(1.0, 1.0, 0.5)] * 30, *[(0.5, 0.5, 0.5)] * 10, *[WHOLE] * 60)
    found = compare(PAIR, on_paths(*[WHOLE] * 100), after, seed=7)
    assert "look at packing. Of 40 queries that fell, 30 did so first in packing." in found.reading


def test_a_rank_that_sinks_after_the_ranking_only_is_a_matter_of_packing() -> None:
    def sunk(number: int) -> ExperimentQuery:
        found = on_path(number, *WHOLE)
        assert found.metrics is not None
        return found.model_copy(update={"metrics": found.metrics.model_copy(update={"reciprocal_rank": 0.5})})

    after = Measurement.of("toy:words", [sunk(number) for number in range(100)])
    found = compare(PAIR, on_paths(*[WHOLE] * 100), after, seed=7)
    assert "MRR fell: look at packing: before the budget the ranks are no worse." in found.reading


def test_the_same_rows_give_the_same_comparison() -> None:
    ranks: list[int | None] = [random.Random(3).choice([1, 2, 4, None]) for _ in range(50)]
    one, two = (compare(PAIR, measured([1] * 50), measured(ranks), seed=7) for _ in range(2))
    assert one == two

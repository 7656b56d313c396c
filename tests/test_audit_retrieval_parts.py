"""The retrieval audit's pure parts, its page, its command line, and claims that a model traces."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from ragtester.api import Project
from ragtester.cli import app
from ragtester.records import (
    FAILURE_STAGES,
    AccessAccount,
    AuditedQuery,
    BeforeAfter,
    ClaimMetrics,
    Diagnosis,
    Failure,
    FailureStage,
    GoldRank,
    RankingMetrics,
    RetrievalResult,
    StepMetrics,
)
from ragtester.stages.retrieval import retrieval_document
from ragtester.stages.retrieval.before import Earlier, before_after
from ragtester.stages.retrieval.changed import changed_settings
from ragtester.stages.retrieval.claims import Claims
from ragtester.stages.retrieval.document import access_document
from ragtester.stages.retrieval.figures import arm_figures, figures
from ragtester.stages.retrieval.items import Item, family
from ragtester.stages.retrieval.reading import readings
from ragtester.stages.retrieval.slices import slices
from ragtester.stages.retrieval.stage_tables import without_labels
from ragtester.stages.retrieval.stages import stage_figures, telling, unchecked_notes, unlabelled
from ragtester.storage import read_rows
from ragtester.tables.markdown import markdown
from ragtester.tasks import ClaimsTraced, TraceClaims, TracedClaim
from tests import builders
from tests.cases_fakes import FakeModels
from tests.retrieval_workspace import EMBEDDING, Query, build, case_of, chunks, trace_of
from tests.test_audit_retrieval import FOUR


def row(name: str, **changes: Any) -> AuditedQuery:
    """A measured query whose gold stood first."""
    known: dict[str, Any] = {
        "query_id": name,
        "document_id": "doc",
        "embedding": EMBEDDING,
        "technique": "ragtester",
        "type": "complexity",
        "language": "en",
        "question": "?",
        "k": 4,
        "status": "measured",
        "missed": False,
        "metrics": metrics(1.0),
        "context_ids": ("c",),
    }
    return AuditedQuery(**(known | changes))


def metrics(recall: float) -> RankingMetrics:
    rank = 1.0 if recall else 0.0
    return RankingMetrics(
        hit=recall > 0, recall=recall, precision=None, reciprocal_rank=rank, ndcg=rank, average_precision=rank
    )


def diagnosis(stage: Any) -> Diagnosis:
    return Diagnosis(stage=stage, cause="c", seen="seen", fix="fix")


def lost(name: str, **changes: Any) -> AuditedQuery:
    return row(name, **{"missed": True, "metrics": metrics(0.0), "diagnosis": diagnosis("retrieve"), **changes})


# Slices


def test_small_documents_are_put_together_and_nothing_is_lost() -> None:
    rows = [row(f"a{n}", document_id="large") for n in range(12)]
    rows += [row(f"b{n}", document_id="small one") for n in range(3)] + [row("c", document_id="small two")]
    found = {one.name: one.queries for one in slices(rows, [EMBEDDING]) if one.by == "document"}
    assert found == {"large": 12, "2 with fewer than 10 queries each": 4}


def test_a_slice_of_one_part_is_left_out() -> None:
    assert slices([row("a"), row("b")], [EMBEDDING]) == ()


def test_slices_by_what_arms_found() -> None:
    both = {"dense": 1, "bm25": None}
    rows = [
        row("a", gold=(GoldRank(id="g", grade=1, arms=both),), arms_of_context=(("dense",), ("bm25",))),
        row(
            "b",
            gold=(GoldRank(id="g", grade=1, arms={"dense": None, "bm25": 2}),),
            arms_of_context=(("bm25",), ("bm25",), ("bm25", "dense")),
        ),
        row("c", gold=(GoldRank(id="g", grade=1, arms={"dense": None, "bm25": None}),), arms_of_context=(("dense",),)),
    ]
    found = slices(rows, [EMBEDDING])
    assert {one.name for one in found if one.by == "arm"} == {"dense", "bm25", "no arm"}
    assert [one.name for one in found if one.by == "bm25"] == ["none of it", "up to half", "more than half"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "y"]), st.booleans()), max_size=40))
def test_the_parts_of_a_slice_add_up(queries: list[tuple[str, str, bool]]) -> None:
    rows = [
        row(str(n), document_id=document, embedding=model, metrics=metrics(float(hit)), missed=not hit)
        for n, (document, model, hit) in enumerate(queries)
    ]
    made = [one for one in slices(rows, ["x", "y"]) if one.by == "document"]
    if made:
        assert sum(one.queries for one in made) == len(rows)
        assert sum(one.hit.successes for one in made) == sum(hit for _, _, hit in queries)


@pytest.mark.parametrize(
    ("path", "tags", "wanted"),
    [
        ("manual.pdf", (), ""),
        ("pumps/manual.pdf", (), "pumps"),
        ("pumps\\x\\manual.pdf", (), "pumps/x"),
        ("pumps/manual.pdf", ("tenant:a", "family:valves"), "valves"),
    ],
)
def test_family(path: str, tags: tuple[str, ...], wanted: str) -> None:
    assert family(builders.document("d", path=path, tags=tags)) == wanted


# Figures


def test_undefined_metrics_count_in_no_mean() -> None:
    found = figures("", "all", EMBEDDING, [row("a"), row("b", document_id="other")])
    assert (found.precision.value, found.precision.n, found.evidence.n) == (None, 0, 0)
    assert (found.recall.value, found.recall.n, found.recall.low) == (1.0, 2, None)


def test_each_arm_by_itself() -> None:
    gold = (GoldRank(id="g", grade=50, arms={"dense": 3, "bm25": None}), GoldRank(id="h", grade=50, arms={"dense": 7}))
    rows = [row("a", gold=gold, arms_of_context=(("dense",), ("bm25", "dense"))), row("b", arms_of_context=((),))]
    rows.append(row("c", gold=(GoldRank(id="g", grade=50, arms={"dense": None}),)))  # bm25 was not asked
    found = {one.arm: one for one in arm_figures(EMBEDDING, rows)}
    assert (found["dense"].at_k.successes, found["dense"].found.successes, found["dense"].at_k.n) == (1, 1, 2)
    assert (found["bm25"].found.successes, found["bm25"].found.n) == (0, 1)  # "b" knows of no arm
    assert (found["dense"].alone.successes, found["dense"].alone.n) == (1, 2)


# Stages


def test_telling_cases_are_the_clearest_and_of_different_documents() -> None:
    rows = [
        lost("a", document_id="one", failed=("m",)),
        lost("b", document_id="one", failed=("m", "n")),
        lost("c", document_id="two"),
        lost("d", document_id="three", metrics=metrics(0.5)),
        lost("e", document_id="one", failed=("m",)),
    ]
    assert [one.query_id for one in telling(rows)] == ["b", "c", "d"]
    assert [one.query_id for one in telling(rows[:2])] == ["b", "a"]


def test_stages_share_the_diagnosed_queries() -> None:
    found = stage_figures([lost("a"), lost("b", diagnosis=diagnosis("label")), row("c")])
    shares = [one.queries for one in found if one.queries]
    assert sum(one.successes for one in shares) == 2
    assert ({one.n for one in shares}, len(shares)) == ({2}, 10)
    assert not [one for one in found if one.embeddings]


def test_what_was_not_looked_at_is_no_zero() -> None:
    blind = diagnosis("retrieve").model_copy(update={"unchecked": ("parse", "embed/index")})
    wrong = row("w", failed=("m",), diagnosis=diagnosis("generate"))
    rows = [lost("a", diagnosis=blind), lost("b", diagnosis=blind), wrong]
    found = {one.stage: one for one in stage_figures(rows)}
    # What arrived was read, and was not looked at in the index: it was not lost there.
    assert (found["embed/index"].queries, found["embed/index"].failed, found["embed/index"].unchecked) == (
        None,
        None,
        2,
    )
    assert found["parse"].queries is not None
    assert (found["parse"].queries.successes, found["parse"].unchecked) == (0, 2)
    assert (found["retrieve"].queries.successes if found["retrieve"].queries else 0) == 2
    (note,) = unchecked_notes(list(found.values()))
    assert "parse for 2 queries, embed/index for 2 queries" in note
    # Absent from the index: nothing after that could be looked at, and nothing is missing from the table.
    absent = stage_figures([lost("c", diagnosis=diagnosis("ingestion"))])
    assert all(one.queries for one in absent)


def test_stages_stand_apart_for_each_embedding_model() -> None:
    other = lost("b", embedding="other", diagnosis=diagnosis("label"))
    found = {one.stage: one.embeddings for one in stage_figures([lost("a"), lost("c"), other])}
    told = {
        stage: {name: (one.successes, one.n) for name, one in shares.items() if one} for stage, shares in found.items()
    }
    assert told["retrieve"] == {EMBEDDING: (2, 2), "other": (0, 1)}
    assert told["label"] == {EMBEDDING: (0, 2), "other": (1, 1)}


def test_wrong_answers_without_labels_are_counted_apart() -> None:
    def bare(name: str, supported: int | None, **changes: Any) -> AuditedQuery:
        claims = (
            None if supported is None else ClaimMetrics(claims=2, supported=supported, recall=0, precision=0, by="w")
        )
        return row(name, **{"status": "no_gold", "failed": ("m",), "claims": claims, "missed": None, **changes})

    rows = [bare("a", 2), bare("b", 1), bare("c", None), bare("d", 2, failed=()), bare("e", 2, type="rejection")]
    found = unlabelled(rows)
    assert (found.failed, found.traced, found.supported) == (3, 2, 1)
    assert "at no stage: 3; the context supports all claims of the expected answer in 1 of 2" in without_labels(found)
    assert "no claims were looked for" in without_labels(unlabelled(rows[2:3]))


# Readings


def said(rows: Sequence[AuditedQuery]) -> str:
    return readings([figures("", "all", EMBEDDING, list(rows))], rows)[0]


def test_wrong_answers_without_evidence_point_to_the_search() -> None:
    rows = [lost(f"l{n}", failed=("m",)) for n in range(10)] + [row("w", failed=("m",)), row("p", passed=("m",))]
    text = said(rows)
    assert "whole in 2/12" in text
    assert "10/11 = 90.9 %" in text
    assert "Retrieval comes first" in text


@pytest.mark.parametrize(
    ("unfinished", "told"), [(0, ""), (1, " that were measured; 1 of 4 queries is"), (2, "; 2 of 5 queries are")]
)
def test_the_first_sentence_tells_what_is_unfinished(unfinished: int, told: str) -> None:
    left = [row(f"u{n}", status="unfinished", metrics=None) for n in range(unfinished)]
    rows = [row(f"p{n}", passed=("m",)) for n in range(3)] + left
    text = readings([figures("", "all", EMBEDDING, rows[:3])], rows)[0]
    assert "whole in 3/3" in text
    assert (f"{told} unfinished." in text) if told else ("unfinished" not in text and "of the queries." in text)


def test_wrong_answers_with_evidence_point_to_generation() -> None:
    assert "generation, not retrieval" in said([row(f"w{n}", failed=("m",)) for n in range(10)])


def test_few_wrong_answers_point_nowhere() -> None:
    assert "Neither retrieval nor generation" in said([row("w", failed=("m",)), lost("l", failed=("m",))])


def test_what_lost_most_is_told_first_and_a_rank_beyond_k_is_one_thing() -> None:
    def missed(name: str, stage: Any, cause: str) -> AuditedQuery:
        return lost(name, diagnosis=Diagnosis(stage=stage, cause=cause, seen="s", fix="f"))

    rows = [
        missed("a", "rerank/pack", "truncated"),
        missed("b", "retrieve", "not_in_candidates"),
        missed("c", "filter/ACL", "filtered"),
    ]
    text = said(rows)
    assert "Of 3 that lacked some, 2 ranked beyond K (1 in no arm's hits): look at K, a reranker" in text
    assert text.index("ranked beyond K") < text.index("1 was shut out by a filter: look at the filters")
    only = said([missed("d", "filter/ACL", "filtered")])
    assert "shut out by a filter" in only
    assert not [word for word in ("chunk", "fetch_k", "embedding model") if word in only.partition(":")[2]]


@pytest.mark.parametrize(("arms", "told"), [({"dense": 9}, True), ({"dense": 9, "bm25": None}, False)])
def test_an_arm_that_is_there_is_not_advised(arms: dict[str, int | None], told: bool) -> None:
    gold = (GoldRank(id="g", grade=100, arms=arms),)
    assert ("add a bm25 arm" in said([lost("a", gold=gold)])) is told


@pytest.mark.parametrize("stage", FAILURE_STAGES)
def test_every_stage_has_a_sentence(stage: FailureStage) -> None:
    assert "look at" in said([lost("a", diagnosis=diagnosis(stage))])


def on_path(number: int, ranked: float, context: float, gold: str = "g") -> AuditedQuery:
    """A measured query with a share of its gold within K before the budget and in the context; all are candidates."""
    metrics = RankingMetrics(
        hit=True, recall=context, precision=0.5, reciprocal_rank=1, ndcg=1, average_precision=context, evidence=context
    )
    return AuditedQuery(
        query_id=f"q{number}",
        document_id=f"d{number % 20}",
        embedding="toy:words",
        technique="ragtester",
        type="complexity",
        language="en",
        question="?",
        k=4,
        status="measured",
        gold=(GoldRank(id=f"d:{gold}:{number}", grade=100, context=1),),
        metrics=metrics,
        candidates=StepMetrics(recall=1, evidence=1),
        ranked=StepMetrics(recall=ranked, evidence=ranked, reciprocal_rank=1),
        missed=context < 1,
    )


def both(
    old: Sequence[AuditedQuery], new: Sequence[AuditedQuery], was: dict[str, Any], now: dict[str, Any]
) -> BeforeAfter:
    access = AccessAccount(documents={})
    empty = dict.fromkeys(("ledgers", "overall", "curve", "slices", "arms", "stages", "claims"), ())
    told = {"run": "old", "suite": "main", "source": "answers", "k": (4,), "embeddings": ("toy:words",), "diagnosed": 0}
    result = RetrievalResult.model_validate({**empty, **told, "access": access})
    (found,) = before_after(Earlier(result, old, was), access, new, now, seed=7)
    return found


def test_before_and_after_have_tests_flips_and_the_step() -> None:
    old = [on_path(number, 1, 1) for number in range(101)]
    new = [on_path(number, 1, 0.5 if number < 40 else 1) for number in range(100)]
    found = both(old, new, {"k": 4, "query path": {"budget": 0}}, {"k": 4, "query path": {"budget": 300}})
    assert (found.queries, found.apart, found.same_gold, found.lost, found.found) == (100, 1, True, 40, 0)
    recall = next(one for one in found.metrics if one.metric == "recall")
    assert (recall.before, recall.after, recall.direction) == (1, 0.8, "fell")
    assert recall.steps == {"packing": 40}
    assert [flip.query_id for flip in found.flips] == [f"q{number}" for number in range(40)]
    assert found.reading == (
        "toy:words: Recall fell and MRR is the same for every query: the evidence still stands within K before the "
        "budget: look at packing. Of 40 queries that fell, 40 did so first in packing. "
        "Changed: budget = 300 (was 0)."
    )


@pytest.mark.parametrize(
    ("path", "step"),
    [({"filters": {"id": "x"}}, "filter"), ({"filters": {"id": "x"}, "budget": 300}, "ranking")],
)
def test_what_filters_alone_took_between_two_runs_is_put_down_to_them(path: dict[str, Any], step: str) -> None:
    old = [on_path(number, 1, 1) for number in range(100)]
    new = [on_path(number, *((0.5, 0.5) if number < 40 else (1, 1))) for number in range(100)]
    found = both(old, new, {"query path": {"filters": {}, "budget": 0}}, {"query path": {"budget": 0, **path}})
    recall = next(one for one in found.metrics if one.metric == "recall")
    assert recall.steps == {step: 40}
    assert ("filters shut the evidence out" in found.reading) == (step == "filter")


def test_other_gold_and_an_unknown_configuration_are_told() -> None:
    old = [on_path(number, 1, 1) for number in range(100)]
    new = [on_path(number, 1, 1, gold="other") for number in range(100)]
    found = both(old, new, {}, {"k": 4})
    assert (found.same_gold, found.changed) == (False, None)
    assert found.reading == (
        "toy:words: The evidence found and MRR are the same for every query. Other chunks are gold now, so the share "
        "of the evidence stands for recall. Where answers got worse, look at generation and packing."
    )


def test_what_changed_is_named_setting_by_setting() -> None:
    dense = {"kind": "dense", "fetch_k": 0, "floor": None, "weight": 1.0}
    was = {
        "k": 4,
        "chunker": {"version": "recursive-1", "chunk_size": 800},
        "query path": {"rerank": "", "arms": [dense], "filters": {}},
        "embedding models": {"openai:x": {"dimensions": 256}},
        "run": "a",
    }
    now = {
        "k": 4,
        "chunker": {"version": "recursive-2", "chunk_size": 300},
        "query path": {
            "rerank": "flashrank:x",
            "arms": [dense, {**dense, "kind": "bm25", "fetch_k": 40}],
            "filters": {"language": "en"},
            "tokenizer": "x-1",
        },
        "embedding models": {"openai:x": {"dimensions": 512}},
        "run": "b",
    }
    assert changed_settings(was, now) == (
        "chunk_size = 300 (was 800)",
        'rerank = "flashrank:x" (was none)',
        'arms = ["dense", {"kind": "bm25", "fetch_k": 40}] (was ["dense"])',
        'filters = {"language": "en"} (was {})',
        "models.openai:x.dimensions = 512 (was 256)",
    )
    assert changed_settings(was, was) == ()


# The page and the command line


def test_the_page_has_the_audit_and_no_markup_of_it(tmp_path: Path) -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    build(tmp_path, [*FOUR, Query(evil, 3, (0, 1), ("fail",), evil.replace("/", "-"))])
    project = Project(tmp_path)
    project.audit_retrieval()
    page = project.report().path.read_text(encoding="utf-8")
    part = page.partition('id="retrieval"')[2].partition("</section>")[0].replace("<wbr>", "")
    assert "Where the evidence got lost" not in part  # the page has headings of its own
    assert "fuse/threshold" in part
    assert "2/3 = 66.7 %" in part or "2/4 = 50.0 %" in part
    assert "onerror=alert" in part
    assert not re.search(r"<img|<script", part)


def test_a_page_without_an_audit_has_no_section(tmp_path: Path) -> None:
    build(tmp_path, FOUR)
    assert 'id="retrieval"' not in Project(tmp_path).report().path.read_text(encoding="utf-8")


def test_the_page_says_that_an_audit_is_stale(tmp_path: Path) -> None:
    workspace = build(tmp_path, FOUR)
    project = Project(tmp_path)
    project.audit_retrieval()
    workspace.verdicts_file("run", "m:a", EMBEDDING, "pump").unlink()
    assert "Stale: verdicts changed since the audit" in project.report().path.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [60, 100])
def test_the_command_prints_within_the_width(tmp_path: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path, FOUR)
    monkeypatch.setenv("COLUMNS", str(width))
    done = CliRunner().invoke(app, ["audit", "retrieval", "-w", str(tmp_path), "-q", "--full"])
    assert done.exit_code == 0
    body, _, end = done.stdout.partition("\naudit retrieval: ")
    assert max(map(len, body.splitlines())) <= width
    assert end.startswith("4 planned = 3 measured + 1 no gold + 0 hidden gold + 0 unfinished")
    assert "retrieve" in body


def test_the_command_leaves_with_3_where_queries_are_unfinished(tmp_path: Path) -> None:
    build(tmp_path, [*FOUR, Query("gone", 1, (), (None,))])
    assert CliRunner().invoke(app, ["audit", "retrieval", "-w", str(tmp_path), "-q"]).exit_code == 3


@pytest.mark.parametrize(
    ("source", "told"),
    [("answers", "everybody may see everything"), ("traces", "The documents of the traces are not known here")],
)
def test_no_access_rule_is_said_in_words(source: str, told: str) -> None:
    empty = RetrievalResult.model_validate(
        {
            "run": "r",
            "suite": "s",
            "source": source,
            "k": (),
            "embeddings": (),
            "ledgers": (),
            "overall": (),
            "access": {"documents": {}},
        }
    )
    assert told in markdown(access_document(empty))
    assert ("everybody" in markdown(access_document(empty))) is (source == "answers")
    assert "Nothing was measured" in markdown(retrieval_document(empty))


# Claims that a model traces


class Tracer(FakeModels):
    """Finds two claims, of which the first passage supports one."""

    def __init__(self, failure: Failure | None = None) -> None:
        super().__init__(self._traced)
        self.failure = failure

    def _traced(self, request: TraceClaims) -> ClaimsTraced | Failure:
        first = request.passages[0].label
        return self.failure or ClaimsTraced(
            claims=(TracedClaim(claim="a", passages=(first,)), TracedClaim(claim="b", passages=("never given",)))
        )


def waiting(models: FakeModels, kept: Any = ()) -> Claims:
    query = Query("first", 0, (0, 1), spans=False)
    by_id = {one.id: one for one in chunks("pump")}
    trace = trace_of(query, 2)
    item = Item(0, case_of(query), EMBEDDING, trace, chunks=list(by_id.values()), look_up=by_id.get)
    claims = Claims("m:tracer", models, dict(kept))
    claims.consider(item, row("first", status="no_gold"))
    return claims


def test_claims_that_were_paid_for_are_not_paid_again() -> None:
    models = Tracer()
    found = asyncio.run(waiting(models).trace())
    (made,) = found.values()
    assert (made.claims, made.supported, made.recall, made.precision, made.by) == (2, 1, 0.5, 1.0, "m:tracer")
    again = Tracer()
    assert asyncio.run(waiting(again, found).trace()) == found
    assert again.seen == []
    other = Tracer()
    changed = {place: one.model_copy(update={"key": "of another question"}) for place, one in found.items()}
    asyncio.run(waiting(other, changed).trace())
    assert len(other.seen) == 1


def test_claims_that_fail_are_told_and_words_do_not_step_in() -> None:
    claims = waiting(Tracer(Failure(type="timeout", message="no reply")))
    assert asyncio.run(claims.trace()) == {}
    assert "claims of 1 query could not be traced (timeout: no reply)" in claims.told()


def test_rejections_and_queries_with_gold_wait_for_no_claims() -> None:
    claims = Claims("m:tracer", Tracer())
    for query in (Query("a", None, (0,)), Query("b", 0, (0,))):
        claims.consider(Item(0, case_of(query), EMBEDDING, trace_of(query, 1)), row("a", status="no_gold"))
    assert claims.waiting == []


def test_an_audit_whose_claims_ran_out_goes_on_and_pays_nothing_twice(tmp_path: Path) -> None:
    build(tmp_path, [Query("first", 0, (0, 1), spans=False), Query("lost", 3, (0, 1), spans=False)])
    script = tmp_path / "claims.jsonl"
    line = json.dumps({"reply": {"claims": [{"claim": "one fact", "passages": []}]}}) + "\n"
    project = Project(tmp_path, ["audit_retrieval.claims_model='scripted:claims.jsonl'"])

    def claims() -> tuple[int, list[str]]:
        done = project.audit_retrieval()
        rows = read_rows(done.output / "queries.jsonl", AuditedQuery)
        return done.exit_code, [one.query_id for one in rows if one.claims]

    script.write_text(line, encoding="utf-8")
    code, first = claims()
    assert (code, len(first)) == (3, 1)
    assert "1 query could not be traced" in " ".join(project.retrieval_result().notes)  # type: ignore[union-attr]
    code, both = claims()  # one line again: enough for the one that is open
    assert (code, both) == (0, ["first", "lost"])
    script.write_text("", encoding="utf-8")
    assert claims() == (0, ["first", "lost"])

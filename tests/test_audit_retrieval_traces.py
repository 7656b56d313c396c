"""Traces of other systems: read strictly, audited without their index, and written by our own export."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.api import Project
from ragtester.errors import DataError, RagtesterError, UsageError
from ragtester.interchange import ExportOptions, read_traces
from ragtester.records import AuditedQuery, RetrievalResult
from ragtester.stages.retrieval.audit import Auditor
from ragtester.stages.retrieval.by_ranks import ByRanks
from ragtester.stages.retrieval.foreign import foreign_items
from ragtester.storage import read_rows
from tests.retrieval_workspace import FOUR_IN_TWO, RUN, Query, build

# The example of the reference that the schema comes from.
EXAMPLE: dict[str, Any] = {
    "query_id": "q-1042",
    "query_text": "Which valve closes first?",
    "user_acl": ["tenant:acme", "role:support"],
    "index_revision": "idx-2026-10-01T12:00Z",
    "embedding_model": "bge-m3",
    "k_final": 8,
    "query_rewrite": None,
    "filters_applied": {"tenant": "acme"},
    "arms": {
        "dense": [{"id": "c1", "rank": 1, "score": 0.71}],
        "bm25": [{"id": "c9", "rank": 1, "score": 12.4}],
    },
    "fused": [{"id": "c1", "rank": 1, "rrf": 0.032, "sources": ["dense"]}],
    "after_rerank": [{"id": "c9", "rank": 1, "score": 0.88}],
    "final_context_ids": ["c9", "c1", "c3"],
    "final_context_chars": 6120,
    "gold_ids": ["c9"],
    "notes": "",
}


def written(root: Path, *lines: dict[str, Any]) -> Path:
    path = root / "traces.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def audited(root: Path, path: Path, **options: Any) -> tuple[RetrievalResult, list[AuditedQuery]]:
    project = Project(root, ["execute.run='theirs'"])
    done = project.audit_retrieval(traces=path, **options)
    found = project.retrieval_result()
    assert found is not None
    return found, read_rows(done.output / "queries.jsonl", AuditedQuery)


def test_the_example_of_the_reference(tmp_path: Path) -> None:
    result, (row,) = audited(tmp_path, written(tmp_path, EXAMPLE))
    assert row.metrics is not None
    assert (row.metrics.hit, row.metrics.recall, row.metrics.reciprocal_rank) == (True, 1.0, 1.0)
    assert row.metrics.precision == pytest.approx(1 / 3)
    assert (row.embedding, row.k, row.user_tags) == ("bge-m3", 8, ("tenant:acme", "role:support"))
    assert row.missed is False
    assert result.source == "traces"


def test_a_trace_alone_tells_the_stage(tmp_path: Path) -> None:
    def lost(name: str, **changes: Any) -> dict[str, Any]:
        plain = {"fused": [], "after_rerank": [], "final_context_ids": ["c3"], "gold_ids": ["g"]}
        return {**EXAMPLE, **plain, "query_id": name, "k_final": 1, **changes}

    hit, other = {"id": "g", "rank": 2, "score": 0.5}, {"id": "c3", "rank": 1, "score": 0.9}
    found = {"dense": [other, hit], "bm25": []}
    fused = [{"id": "c3", "rank": 1, "rrf": 0.1}, {"id": "g", "rank": 2, "rrf": 0.05}]
    lines = (
        lost("nowhere", arms={"dense": [other], "bm25": []}),
        lost("fusion", arms=found, fused=fused[:1]),
        lost("filtered", arms=found, fused=fused, dropped=[{"id": "g", "at": "filter", "reason": "x"}]),
        lost("cut", arms=found, fused=fused),
        lost(
            "demoted",
            arms=found,
            fused=[{**fused[1], "rank": 1}, {**fused[0], "rank": 2}],
            after_rerank=[{"id": "c3", "rank": 1, "score": 2}, {"id": "g", "rank": 2, "score": 1}],
        ),
    )
    _, rows = audited(tmp_path, written(tmp_path, *lines))
    assert {row.query_id: row.diagnosis.stage for row in rows if row.diagnosis} == {
        "nowhere": "retrieve",
        "fusion": "fuse/threshold",
        "filtered": "filter/ACL",
        "cut": "rerank/pack",
        "demoted": "rerank/pack",
    }
    seen = {row.query_id: row.diagnosis.seen for row in rows if row.diagnosis}
    assert "another system's index is not looked at" in seen["nowhere"]
    # An arm that found nothing was asked all the same.
    fix = next(row.diagnosis.fix for row in rows if row.query_id == "nowhere" and row.diagnosis)
    assert fix == "Add a reranker with a larger fetch_k, or try another embedding model."


def test_floors_are_told_from_fusion_and_a_list_that_was_not_logged_lost_nothing(tmp_path: Path) -> None:
    hit, other = {"id": "g", "rank": 2, "score": 0.2}, {"id": "c3", "rank": 1, "score": 0.9}
    both = {"dense": [other, hit], "bm25": [{**hit, "rank": 1}]}
    one_floor = [{"id": "g", "at": "floor", "reason": "dense 0.2 < 0.5"}]
    listed = [{"id": "c3", "rank": 1, "rrf": 0.1}]
    no_room = [{"id": "g", "at": "budget", "reason": "900 > 500"}]
    changes: dict[str, dict[str, Any]] = {
        "one arm": {"arms": {"dense": [other, hit]}, "dropped": one_floor},
        "both floors": {"arms": both, "fused": listed, "dropped": one_floor * 2},
        "another arm had it": {"arms": both, "fused": listed, "dropped": one_floor},
        "not logged": {"arms": both},
        "null": {"arms": both, "fused": None, "after_rerank": None},
        "one floor, not logged": {"arms": both, "dropped": one_floor},
        "no room": {"arms": both, "dropped": no_room},
    }
    plain = {"fused": [], "after_rerank": [], "final_context_ids": ["c3"], "gold_ids": ["g"], "k_final": 1}
    lines = [{**EXAMPLE, **plain, "query_id": name, **change} for name, change in changes.items()]
    _, rows = audited(tmp_path, written(tmp_path, *lines))
    assert {row.query_id: row.diagnosis.cause for row in rows if row.diagnosis} == {
        "one arm": "floor",
        "both floors": "floor",
        "another arm had it": "fused_away",
        "not logged": "truncated",
        "null": "truncated",
        "one floor, not logged": "truncated",
        "no room": "budget",
    }
    seen = {row.query_id: row.diagnosis.seen for row in rows if row.diagnosis}
    assert "dense 0.2 < 0.5" in seen["one arm"]
    assert "has no fused list" in seen["not logged"]
    assert "has no fused list" not in seen["one arm"] + seen["another arm had it"]


def broken(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(json.dumps(EXAMPLE))
    change(line)
    return line


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda line: line.pop("final_context_ids"), "missing: final_context_ids"),
        (lambda line: line["arms"]["dense"][0].update(rank=2), r"arms.dense: ranks are 2; they must be 1, 2, 3"),
        (
            lambda line: line["arms"]["dense"].append({"id": "c5", "rank": 3, "score": 0.1}),
            r"ranks are 1, 3; they must",
        ),
        (lambda line: line["arms"]["dense"].append({"id": "c1", "rank": 2, "score": 0.1}), "c1 is ranked twice"),
        (lambda line: line["final_context_ids"].append("c9"), "final_context_ids: c9 stands twice"),
        (lambda line: line["gold_ids"].append("c9"), "gold_ids: c9 stands twice"),
        (lambda line: line["arms"]["bm25"][0].update(score=float("nan")), "NaN is no number"),
        (lambda line: line["arms"]["bm25"][0].update(score=float("inf")), "Infinity is no number"),
        (lambda line: line["arms"]["bm25"][0].update(rank=True), "not true or false"),
        (lambda line: line.update(k_final=0), "k_final"),
        (lambda line: line.update(k_final="8"), "k_final: a number is wanted, not a text"),
        (lambda line: line.update(query_id=""), "query_id"),
        (lambda line: line.update(notes=["\ud83d"]), "half of a surrogate pair"),
        (lambda line: line.update(gold_ids="c9"), "gold_ids"),
    ],
)
def test_a_fault_is_named_with_its_line(tmp_path: Path, change: Callable[[dict[str, Any]], None], told: str) -> None:
    path = written(tmp_path, EXAMPLE, {**broken(change), "embedding_model": "other"})
    with pytest.raises(DataError, match=told) as caught:
        read_traces(path)
    assert len(caught.value.faults) == 1
    assert f"{path}:2:" in caught.value.faults[0]


def test_all_faults_at_once(tmp_path: Path) -> None:
    path = written(tmp_path, EXAMPLE, EXAMPLE, {"query_id": "x"})
    path.write_text(path.read_text(encoding="utf-8") + "[1]\n{\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"4 fault\(s\)") as caught:
        read_traces(path)
    assert f"{path}:2: query q-1042 stands already on line 1" in caught.value.faults


def test_a_file_without_a_trace(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(DataError, match="no trace in it"):
        read_traces(tmp_path / "empty.jsonl")
    with pytest.raises(UsageError, match="no such file"):
        read_traces(tmp_path / "absent.jsonl")


def test_traces_without_gold_are_counted_apart_and_labels_give_it(tmp_path: Path) -> None:
    path = written(tmp_path, {**EXAMPLE, "gold_ids": []})
    result, (row,) = audited(tmp_path, path)
    assert row.status == "no_gold"
    assert [note for note in result.notes if "in no metric: 1 trace of 1" in note]
    labels = tmp_path / "labels.jsonl"
    labels.write_text('{"query_id": "q-1042", "gold_ids": ["c3"]}\n', encoding="utf-8")
    _, (row,) = audited(tmp_path, path, labels=labels)
    assert row.metrics is not None
    assert row.metrics.reciprocal_rank == pytest.approx(1 / 3)


def test_one_index_searched_with_two_models_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, EXAMPLE, {**EXAMPLE, "embedding_model": "e5"})
    result, rows = audited(tmp_path, path)
    assert len(rows) == 2
    assert [note for note in result.notes if "idx-2026-10-01T12:00Z was searched with bge-m3, e5" in note]


def test_hostile_traces_reach_no_file_name_and_no_markup(tmp_path: Path) -> None:
    root = tmp_path / "inner"
    root.mkdir()
    evil = "<script>alert(1)</script>"
    line = {
        **EXAMPLE,
        "query_id": f"../../{evil}",
        "query_text": evil,
        "embedding_model": f"../{evil}",
        "index_revision": "../*",
        "final_context_ids": [f"{evil}/../x"],
        "gold_ids": ["../../gold"],
        "notes": evil,
    }
    audited(root, written(root, line))
    assert {path.name for path in tmp_path.iterdir()} == {"inner"}
    folder = root / "verdicts" / "theirs" / "retrieval"
    assert "<script>" not in (folder / "result.md").read_text(encoding="utf-8")
    assert all("script" in path.name or path.stem.islower() for path in (folder / "tables").iterdir())
    assert all(path.parent == folder / "tables" for path in (folder / "tables").rglob("*"))


# Our own traces, out and in


def test_a_round_trip_gives_equal_metrics(tmp_path: Path) -> None:
    build(tmp_path, FOUR_IN_TWO, tags={"secret": ("tenant:acme",)})
    project = Project(tmp_path)
    done = project.audit_retrieval()
    ours = {row.query_id: row for row in read_rows(done.output / "queries.jsonl", AuditedQuery)}
    path = tmp_path / "out.jsonl"
    found = project.export_suite(path, ExportOptions("traces", run=RUN))
    assert found.records == len(FOUR_IN_TWO)
    _, theirs = audited(tmp_path, path)
    assert {row.query_id: row.status for row in theirs} == {name: row.status for name, row in ours.items()}
    for row in theirs:
        own = ours[row.query_id].metrics
        assert (row.metrics is None) == (own is None)
        if row.metrics and own:
            assert row.metrics == own.model_copy(update={"evidence": None})
        assert row.type == ours[row.query_id].type  # a query that is a case of the suite keeps its kind


def test_access_rules_that_cut_a_search_go_out_as_a_filter_and_come_in(tmp_path: Path) -> None:
    changes = {"filters": {"format": "txt", "access": ("tenant:acme",)}, "filter_mode": "pre"}
    query = Query("first", 0, (1, 2), ("fail",), user_tags=("tenant:acme",), changes=changes)
    build(tmp_path, [query], tags={"pump": ("tenant:other",)})
    path = tmp_path / "out.jsonl"
    Project(tmp_path).export_suite(path, ExportOptions("traces", run=RUN))
    (line,) = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert line["filters_applied"] == {"format": "txt", "access": ["tenant:acme"]}
    (read,), _ = read_traces(path)
    assert read.trace.filters == {"format": "txt", "access": ("tenant:acme",)}
    assert read.trace.filter_mode == "pre"
    # The filters of the settings let the document through; what the user may not see is counted elsewhere.
    rows = read_rows(Project(tmp_path).audit_retrieval().output / "queries.jsonl", AuditedQuery)
    assert [row.filtered for row in rows] == [False]


@pytest.mark.parametrize(
    ("options", "output", "told"),
    [
        (ExportOptions("traces"), None, "say which with --run"),
        (ExportOptions("traces", run=RUN), "x.csv", "written as .jsonl"),
        (ExportOptions("trace", run=RUN), None, "for an export of a run: traces"),
        (ExportOptions("traces", run=RUN, technique="none"), None, "no traces of technique none"),
    ],
)
def test_exports_that_cannot_be(tmp_path: Path, options: ExportOptions, output: str | None, told: str) -> None:
    build(tmp_path, [Query("first", 0, (0, 1))])
    with pytest.raises(RagtesterError, match=told):
        Project(tmp_path).export_suite(output and tmp_path / output, options)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=True) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "rank", "score", "x"]), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*sorted(EXAMPLE), "gold_grades", "hidden_gold_ids", "dropped"]), ANYTHING))
def test_no_line_is_a_surprise(tmp_path_factory: pytest.TempPathFactory, changes: dict[str, Any]) -> None:
    """Whatever a field holds, the line is a trace that can be audited or a fault that is named."""
    root = tmp_path_factory.getbasetemp() / "surprise"
    root.mkdir(exist_ok=True)
    path = written(root, {**EXAMPLE, **changes})
    try:
        traces, _ = read_traces(path)
    except DataError as error:
        assert len(error.faults) == 1
        assert f"{path}:1:" in error.faults[0]
        return
    (item,) = foreign_items(traces, {}, {})
    row = Auditor(lambda _: "", ByRanks(), (1, 4)).audit(item).row
    assert row.status in ("measured", "no_gold", "hidden_gold")

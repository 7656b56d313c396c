"""`ragtester audit retrieval` on runs whose figures a reader can work out by hand."""

from __future__ import annotations

import json
from math import log2
from pathlib import Path
from typing import Any

import pytest

from ragtester.api import Project
from ragtester.errors import DataError, RagtesterError, UsageError
from ragtester.provenance import sha256_text
from ragtester.rag.store import Complete
from ragtester.records import AuditedQuery, Failure, Manifest, RetrievalResult
from ragtester.results import load_results
from ragtester.stages.retrieval import Files, retrieval_staleness
from ragtester.storage import read_json, read_rows, write_json, write_rows
from ragtester.workspace import Workspace
from tests.retrieval_workspace import EMBEDDING, RUN, SENTENCES, SUITE, Query, build, chunk_id, chunks

# Gold first, gold second, gold nowhere, and a question that must be refused.
FOUR = (
    Query("first", 0, (0, 1), ("fail",)),
    Query("second", 2, (1, 2), ("pass",)),
    Query("lost", 3, (0, 1), ("fail",)),
    Query("refuse", None, (0, 1), ("fail",)),
)


def audited(root: Path, **options: Any) -> tuple[RetrievalResult, list[AuditedQuery], int]:
    project = Project(root, options.pop("overrides", ()))
    done = project.audit_retrieval(**options)
    found = project.retrieval_result()
    assert found is not None
    return found, read_rows(done.output / "queries.jsonl", AuditedQuery), done.exit_code


def test_metrics_are_those_of_the_final_context(tmp_path: Path) -> None:
    build(tmp_path, FOUR)
    result, rows, code = audited(tmp_path)
    (figures,) = result.overall
    assert (figures.hit.successes, figures.hit.n) == (2, 3)
    assert figures.recall.value == pytest.approx(2 / 3, abs=1e-6)
    assert figures.precision.value == pytest.approx((1 / 2 + 1 / 2 + 0) / 3, abs=1e-6)
    assert figures.reciprocal_rank.value == pytest.approx((1 + 1 / 2 + 0) / 3, abs=1e-6)
    assert figures.ndcg.value == pytest.approx((1 + 1 / log2(3) + 0) / 3, abs=1e-6)
    assert figures.average_precision.value == pytest.approx((1 + 1 / 2 + 0) / 3, abs=1e-6)
    assert figures.evidence.value == pytest.approx(2 / 3, abs=1e-6)
    assert [row.query_id for row in rows] == ["first", "second", "lost", "refuse"]
    assert code == 0


def test_evidence_in_several_chunks_is_graded_by_their_shares(tmp_path: Path) -> None:
    build(tmp_path, [Query("two", 0, (1, 3), last=1)])
    _, (row,), _ = audited(tmp_path)
    sizes = [len(SENTENCES[at].replace(" ", "").strip()) for at in (0, 1)]
    grades = [round(100 * size / sum(sizes)) for size in sizes]
    assert [one.grade for one in row.gold] == grades
    assert row.metrics is not None
    assert row.metrics.recall == 1 / 2
    best = max(grades) + min(grades) / log2(3)
    assert row.metrics.ndcg == pytest.approx(grades[1] / best)
    assert row.metrics.evidence == pytest.approx(sizes[1] / sum(sizes))
    assert (row.crosses_boundary, row.missed) == (True, True)
    assert row.diagnosis is not None
    assert row.diagnosis.stage == "chunk"


def test_curve_cuts_the_ranking_at_each_k(tmp_path: Path) -> None:
    build(tmp_path, FOUR)
    result, _, _ = audited(tmp_path)
    hits = {one.k: (one.hit.successes, one.queries) for one in result.curve}
    assert hits == {1: (1, 3), 2: (2, 3)}  # two hits were fetched; deeper nothing is known


def test_the_curve_of_an_imported_run_ends_at_its_context(tmp_path: Path) -> None:
    build(tmp_path, [Query("first", 0, (1, 0), changes={"retrieved": (), "index": "imported"})])
    result, _, _ = audited(tmp_path)
    assert [(one.k, one.hit.successes) for one in result.curve] == [(1, 0), (2, 1)]


def test_every_query_is_accounted_for(tmp_path: Path) -> None:
    queries = (
        *FOUR,
        Query("gone", 1, (), (None,)),
        Query("down", 1, (), ("",), failure=Failure(type="x", message="y")),
    )
    build(tmp_path, queries)
    result, rows, code = audited(tmp_path)
    (ledger,) = result.ledgers
    assert (ledger.planned, ledger.measured, ledger.no_gold, ledger.unfinished) == (6, 3, 1, 2)
    assert {row.query_id: row.failure.type for row in rows if row.failure} == {"gone": "not_executed", "down": "x"}
    assert code == 3
    told = "Unfinished, and in no figure: 2 of 6 queries (the first: gone: no answer of any system is there)."
    assert told in result.notes
    assert "of the queries that were measured; 2 of 6 queries are unfinished." in result.reading[0]


def test_stages_and_the_bucket_of_what_is_no_matter_of_retrieval(tmp_path: Path) -> None:
    build(tmp_path, FOUR)
    result, rows, _ = audited(tmp_path)
    stages = {row.query_id: row.diagnosis.stage for row in rows if row.diagnosis}
    assert stages == {"first": "generate", "lost": "retrieve", "refuse": "generate"}
    counts = {one.stage: one.queries and (one.queries.successes, one.failed, one.missed) for one in result.stages}
    assert len(counts) == 10
    # Neither the store nor the corpus is there.
    assert [stage for stage, count in counts.items() if count is None] == ["parse", "embed/index"]
    assert [note for note in result.notes if note.startswith("Not checked")]
    assert (counts["retrieve"], counts["generate"], counts["chunk"]) == ((1, 1, 1), (2, 2, 0), (0, 0, 0))
    folder = Workspace(tmp_path).retrieval_audit(RUN)
    bucket = read_rows(folder / "not_retrieval.jsonl", AuditedQuery)
    assert [row.query_id for row in bucket] == ["first", "refuse"]


def test_files_of_an_audit(tmp_path: Path) -> None:
    workspace = build(tmp_path, FOUR)
    audited(tmp_path)
    folder = workspace.retrieval_audit(RUN)
    assert {path.name for path in folder.iterdir()} == {
        *("queries.jsonl", "not_retrieval.jsonl", "result.json", "result.md", "access.md"),
        *("configuration.json", "manifest.json", "tables"),
    }
    told = json.loads((folder / "configuration.json").read_text(encoding="utf-8"))
    assert told["k"] == 2
    assert told["index revisions"] == ["0123456789abcdef"]
    assert told["chunker"]["chunker"] == "recursive"
    made = read_json(folder / "manifest.json", Manifest)
    assert made is not None
    assert made.ledger is not None
    assert (made.ledger.planned, made.ledger.ok, made.ledger.unfilled) == (4, 3, 1)
    assert "retrieve" in (folder / "tables" / "stages.csv").read_text(encoding="utf-8")
    # The audit lies among the verdicts, and is none.
    assert not [note for note in load_results(workspace, [RUN], SUITE).notes if "verdict file" in note]


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    workspace = build(tmp_path, FOUR)
    folder = workspace.retrieval_audit(RUN)
    contents = []
    for _ in range(2):
        audited(tmp_path)
        names = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "manifest.json"]
        contents.append({path.name: path.read_bytes() for path in names})
    assert contents[0] == contents[1]


def test_llms_share_a_query_and_differing_retrievals_are_told(tmp_path: Path) -> None:
    workspace = build(tmp_path, [Query("first", 0, (0, 1), ("pass", "fail"))], llms=("m:a", "m:b"))
    result, rows, _ = audited(tmp_path)
    assert [(row.passed, row.failed) for row in rows] == [(("m:a",), ("m:b",))]
    assert not [note for note in result.notes if "different retrievals" in note]
    path = workspace.answers_file(RUN, "m:b", EMBEDDING, "pump")
    (answer,) = read_rows(path, type(next(Project(tmp_path).iter_answers())))
    trace = answer.trace.model_copy(update={"context_ids": (chunk_id("pump", 3),)})
    write_rows(path, [answer.model_copy(update={"trace": trace})])
    result, rows, _ = audited(tmp_path)
    assert [note for note in result.notes if "LLMs saw different retrievals for 1 query;" in note]
    assert rows[0].context_ids == (chunk_id("pump", 0), chunk_id("pump", 1))


# Access rules


def test_gold_that_the_user_may_not_see_leaves_the_denominator(tmp_path: Path) -> None:
    secret = (chunk_id("secret", 0),)
    queries = (
        Query("open", 0, (0, 1)),
        Query("closed", 0, (), ("pass",), "secret", changes={"hidden_ids": secret}),
        Query("member", 0, (1, 0), ("pass",), "secret", user_tags=("tenant:acme", "role:x")),
    )
    workspace = build(tmp_path, queries, tags={"secret": ("tenant:acme",)})
    result, rows, code = audited(tmp_path)
    (ledger,) = result.ledgers
    assert (ledger.planned, ledger.measured, ledger.hidden_gold) == (3, 2, 1)
    assert result.overall[0].recall.value == 1.0  # the closed one is no miss
    assert {row.query_id: row.status for row in rows}["closed"] == "hidden_gold"
    assert (result.access.hidden_queries, result.access.hidden_chunks) == (1, 1)
    assert [(one.tag, one.documents, one.queries) for one in result.access.tags] == [("tenant:acme", 1, 1)]
    note = (workspace.retrieval_audit(RUN) / "access.md").read_text(encoding="utf-8")
    assert "1 query left the denominators" in note
    assert "tenant:acme" in note
    assert [text for text in result.notes if "1 tag of users (role:x)" in text]
    assert code == 0


def test_where_no_gold_is_hidden_nothing_is_said_to_be_taken_out(tmp_path: Path) -> None:
    queries = (Query("member", 0, (1, 0), ("pass",), "secret", user_tags=("tenant:acme",)),)
    workspace = build(tmp_path, queries, tags={"secret": ("tenant:acme",)})
    audited(tmp_path)
    note = (workspace.retrieval_audit(RUN) / "access.md").read_text(encoding="utf-8")
    assert "No gold is hidden: nothing was taken out of the denominators." in note
    assert "0 " not in note


def test_hidden_gold_by_tag_stands_in_an_order_of_its_own(tmp_path: Path) -> None:
    """The most frequent first, then by name: of tags of one kind either would do, of several kinds each is needed."""
    hidden = {"hidden_ids": (chunk_id("secret", 0), chunk_id("other", 0))}
    queries = (
        Query("a", 0, (), ("pass",), "secret", user_tags=("role:cook",), changes=hidden),
        Query("b", 0, (), ("pass",), "other", changes=hidden),
    )
    build(tmp_path, queries, tags={"secret": ("tenant:z", "tenant:b", "role:cook"), "other": ("role:cook",)})
    result, _, _ = audited(tmp_path)
    assert [(one.tag, one.queries) for one in result.access.tags] == [
        ("role:cook", 1),
        ("tenant:b", 1),
        ("tenant:z", 1),
    ]


def test_filters_that_match_nothing_are_told(tmp_path: Path) -> None:
    build(tmp_path, FOUR)
    result, _, _ = audited(
        tmp_path, search=True, overrides=['execute.retrieval.filters={language="xx"}', "execute.run='x'"]
    )
    assert [note for note in result.notes if "The filters match no document (language = xx)" in note]
    assert {row.hit.successes for row in result.overall} == {0}


# Bad input


def test_a_run_over_other_texts_is_refused(tmp_path: Path) -> None:
    workspace = build(tmp_path, FOUR)
    path = workspace.answers(RUN) / "manifest.json"
    made = read_json(path, Manifest)
    assert made is not None
    write_json(path, made.model_copy(update={"inputs": {"text pump": sha256_text("another text")}}))
    with pytest.raises(DataError, match="run run and its suite are of different texts: pump changed since"):
        audited(tmp_path)


def test_chunks_of_another_text_are_refused(tmp_path: Path) -> None:
    workspace = build(tmp_path, FOUR)
    path = workspace.chunks_file(RUN, "pump")
    write_rows(path, [one.model_copy(update={"text": "something else altogether"}) for one in chunks("pump")])
    with pytest.raises(DataError, match=r"was cut from another text of pump \(4 chunks\)"):
        audited(tmp_path)


def test_a_run_without_traces_is_refused(tmp_path: Path) -> None:
    build(tmp_path, [Query("first", 0, (0,), traced=False)])
    with pytest.raises(UsageError, match="has no traces"):
        audited(tmp_path)


def test_a_run_that_is_not_there(tmp_path: Path) -> None:
    build(tmp_path, FOUR)
    with pytest.raises(UsageError, match="no answers"):
        audited(tmp_path, overrides=["execute.run='nowhere'"])


def test_k_larger_than_the_index_is_told(tmp_path: Path) -> None:
    build(tmp_path, [Query("first", 0, (0, 1, 2, 3))], k=9)
    result, _, code = audited(tmp_path)
    assert [note for note in result.notes if "K is larger than the index of 1 document, in chunks: pump (4)" in note]
    assert code == 0


def test_an_index_of_another_embedding_model_is_told(tmp_path: Path) -> None:
    workspace = build(tmp_path, FOUR)
    folder = workspace.stores / "pump__other__0123456789abcdef"
    write_json(folder / "complete.json", Complete(key="0123456789abcdef", embedding="m:other", count=4, dimension=3))
    result, _, _ = audited(tmp_path)
    assert [note for note in result.notes if "was built with m:other" in note and EMBEDDING in note]


def test_settings_that_changed_since_are_told_and_not_used(tmp_path: Path) -> None:
    build(tmp_path, FOUR)
    result, _, _ = audited(tmp_path, overrides=["execute.k=7"])
    assert result.k == (2,)
    assert [note for note in result.notes if "execute.k" in note]


# Labels


def labelled(root: Path, text: str, name: str = "labels.jsonl") -> Path:
    path = root / name
    path.write_text(text, encoding="utf-8")
    return path


def test_labels_replace_the_gold(tmp_path: Path) -> None:
    build(tmp_path, FOUR)
    path = labelled(
        tmp_path,
        json.dumps({"query_id": "first", "gold_ids": [chunk_id("pump", 1)], "grade": 3})
        + "\n"
        + json.dumps({"case_id": "lost", "chunk_ids": [chunk_id("pump", 0), chunk_id("pump", 3), "pump:nope:9"]})
        + "\n",
    )
    result, rows, _ = audited(tmp_path, labels=path)
    found = {row.query_id: row.metrics for row in rows if row.metrics}
    assert found["first"].reciprocal_rank == 1 / 2
    assert found["lost"].recall == 1 / 2  # the unknown id is no gold
    assert set(found) == {"first", "lost"}
    notes = " ".join(result.notes)
    assert "not in the index: 1 chunk id (pump:nope:9)" in notes
    assert "without labels, and so without gold: 2 queries" in notes


def test_labelled_chunks_that_the_user_may_not_see_are_no_gold(tmp_path: Path) -> None:
    member = Query("member", 1, (2, 1), ("pass",), "secret", user_tags=("tenant:acme",))
    build(tmp_path, [Query("stranger", 0, (0, 1), spans=False), member], tags={"secret": ("tenant:acme",)})
    secret = [chunk_id("secret", 1), chunk_id("secret", 3)]
    lines = [
        {"query_id": "stranger", "gold_ids": [chunk_id("pump", 0), *secret]},
        {"query_id": "member", "gold_ids": secret},
    ]
    _, rows, _ = audited(tmp_path, labels=labelled(tmp_path, "\n".join(map(json.dumps, lines)) + "\n"))
    assert {row.query_id: (row.hidden, row.metrics and row.metrics.recall) for row in rows} == {
        "stranger": (2, 1),
        "member": (0, 1 / 2),
    }


def test_labels_in_a_csv(tmp_path: Path) -> None:
    build(tmp_path, FOUR)
    path = labelled(tmp_path, f"case_id,chunk_id,grade\nfirst,{chunk_id('pump', 0)};{chunk_id('pump', 2)},2\n", "l.csv")
    _, rows, _ = audited(tmp_path, labels=path)
    assert [row.metrics.recall for row in rows if row.metrics] == [1 / 2]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"query_id": "first", "gold_ids": ["a:b:1"]}\n', "none of its chunk ids is in the index"),
        ('{"query_id": "first", "gold_ids": []}\n', "no gold in it"),
        ('{"query": "first", "gold_ids": ["a:b:1"]}\n', "no query_id or case_id; its fields are query, gold_ids"),
        ('{"query_id": "first", "relevant": ["a:b:1"]}\n', "one of gold_ids, chunk_ids, chunk_id, gold_id"),
        ('{"query_id": "unheard of", "gold_ids": ["a:b:1"]}\n', "none of its query ids"),
        ('{"query_id": "first", "gold_ids": [1]}\n{"gold_ids": ["x"]}\n', r"2 fault\(s\)"),
        ('{"query_id": "first", "gold_ids": ["x"], "grade": NaN}\n{"query_id": "a", "gold_ids": ["x"], "grade": 0}\n',
         "labels.jsonl:2: grade"),
        ('{"query_id": "first"\n', "not valid JSON"),
        ('{"query_id": "first", "gold_ids": ["\\ud83d"]}\n', "half of a surrogate pair"),
    ],
)  # fmt: skip
def test_labels_that_cannot_be_used(tmp_path: Path, text: str, told: str) -> None:
    build(tmp_path, FOUR)
    with pytest.raises(RagtesterError, match=told):
        audited(tmp_path, labels=labelled(tmp_path, text))


# Before and after


def test_before_and_after_over_the_same_queries(tmp_path: Path) -> None:
    build(tmp_path, FOUR, run="old")
    audited(tmp_path)
    better = (*FOUR[:2], Query("lost", 3, (3, 1), ("pass",)), FOUR[3])
    build(tmp_path, better)
    result, _, _ = audited(tmp_path, before="old")
    (compared,) = result.before
    assert (compared.run, compared.queries, compared.found, compared.lost) == ("old", 3, 1, 0)
    recall = next(change for change in compared.metrics if change.metric == "recall")
    assert recall.before == pytest.approx(2 / 3, abs=1e-6)
    assert recall.after == 1.0
    assert recall.difference.value == pytest.approx(1 / 3, abs=1e-6)


@pytest.mark.parametrize(
    ("k", "tags", "told"),
    [(3, {}, "K was 2 and is 3"), (2, {"pump": ("tenant:acme",)}, "access rules differ")],
)
def test_before_and_after_need_the_same_k_and_access(
    tmp_path: Path, k: int, tags: dict[str, tuple[str, ...]], told: str
) -> None:
    build(tmp_path, FOUR, run="old")
    audited(tmp_path)
    build(tmp_path, FOUR, k=k, tags=tags)
    with pytest.raises(UsageError, match=told):
        audited(tmp_path, before="old")


def test_before_must_be_audited_and_another_run(tmp_path: Path) -> None:
    build(tmp_path, FOUR)
    with pytest.raises(UsageError, match="not audited yet"):
        audited(tmp_path, before="older")
    with pytest.raises(UsageError, match="the same run"):
        audited(tmp_path, before=RUN)


# A search


def test_a_search_needs_no_answers(tmp_path: Path) -> None:
    workspace = build(tmp_path, FOUR)
    overrides = ["execute.run='now'", "execute.index.chunk_size=50", "execute.index.chunk_overlap=0"]
    result, rows, code = audited(tmp_path, search=True, overrides=overrides)
    assert result.source == "search"
    assert not workspace.answers("now").exists()
    assert {row.query_id: row.status for row in rows}["refuse"] == "no_gold"
    assert (result.ledgers[0].planned, result.ledgers[0].measured, code) == (4, 3, 0)


def test_search_and_traces_are_two_things(tmp_path: Path) -> None:
    build(tmp_path, FOUR)
    with pytest.raises(UsageError, match="one of the two"):
        audited(tmp_path, search=True, traces=tmp_path / "t.jsonl")


# Claims


def test_claims_by_words_where_a_case_has_no_evidence(tmp_path: Path) -> None:
    queries = (Query("first", 0, (0, 1), spans=False), Query("lost", 3, (0, 1), spans=False))
    build(tmp_path, queries)
    result, rows, _ = audited(tmp_path)
    found = {row.query_id: row.claims for row in rows if row.claims}
    assert {name: (one.recall, one.by) for name, one in found.items()} == {
        "first": (1.0, "words"),
        "lost": (0.0, "words"),
    }
    assert result.claims[0].recall.value == 1 / 2
    assert result.ledgers[0].no_gold == 2


# What changed since


def test_an_audit_of_other_answers_is_stale(tmp_path: Path) -> None:
    workspace = build(tmp_path, FOUR)
    audited(tmp_path)
    assert retrieval_staleness(workspace, RUN) == ""
    path = workspace.verdicts_file(RUN, "m:a", EMBEDDING, "pump")
    path.write_text(path.read_text(encoding="utf-8").replace("fail", "pass"), encoding="utf-8")
    assert retrieval_staleness(workspace, RUN) == "verdicts changed since the audit"


def test_nothing_outside_the_workspace_is_written_for_hostile_ids(tmp_path: Path) -> None:
    root = tmp_path / "inner"
    root.mkdir()
    build(root, [Query("../../../evil/<b>", 0, (0, 1), ("fail",))])
    audited(root)
    assert {path.name for path in tmp_path.iterdir()} == {"inner"}
    text = (Files.of(Workspace(root), RUN).folder / "result.md").read_text(encoding="utf-8")
    assert "<b>" not in text
    assert "&lt;b&gt;" in text
    assert SENTENCES[0] not in text

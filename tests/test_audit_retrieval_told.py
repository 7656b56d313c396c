"""What a retrieval audit tells beside its figures: the table of queries, claims first, too few chunks, other tags."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import pytest

from ragtester.api import Project
from ragtester.errors import DataError, UsageError
from ragtester.interchange import read_gold_labels
from ragtester.records import RetrievalResult
from ragtester.searching.suite import open_suite
from ragtester.searching.tagged import other_tags
from ragtester.settings import AccessSettings
from ragtester.settings.loading import parse_settings
from ragtester.stages.retrieval import retrieval_document
from ragtester.tables import Paragraph
from ragtester.workspace import Workspace
from tests.retrieval_fakes import Run, Toy, about
from tests.retrieval_workspace import EMBEDDING, RUN, Query, build, chunk_id
from tests.test_audit_retrieval import FOUR, audited

CUT = ("execute.index.chunk_size=50", "execute.index.chunk_overlap=0")
"""Every sentence of the little documents is a chunk."""
CORPUS = (*CUT, "execute.index.scope='corpus'")


def table(root: Path, run: str = RUN) -> list[dict[str, str]]:
    path = Workspace(root).retrieval_audit(run) / "tables" / "queries.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# The table of queries


def test_every_query_is_a_row_of_a_table(tmp_path: Path) -> None:
    build(tmp_path, FOUR, llms=("m:a",))
    audited(tmp_path)
    found = {row["query_id"]: row for row in table(tmp_path)}
    assert list(found) == ["first", "second", "lost", "refuse"]
    gold = [chunk_id("pump", at) for at in range(4)]
    second = found["second"]
    assert second["embedding"] == EMBEDDING
    assert (second["gold_ids"], second["final_context_ids"]) == (gold[2], f"{gold[1]}; {gold[2]}")
    assert (second["hit"], second["recall"], second["stage"], second["failed"]) == ("1", "1.0", "", "")
    places = [second[f"first gold in {name}"] for name in ("dense", "fused", "reranked", "context")]
    assert places == ["2", "2", "", "2"]
    assert (found["lost"]["stage"], found["lost"]["cause"]) == ("retrieve", "not_in_candidates")
    assert (found["lost"]["hit"], found["lost"]["recall"], found["lost"]["failed"]) == ("0", "0.0", "m:a")
    assert (found["refuse"]["status"], found["refuse"]["gold_ids"], found["refuse"]["hit"]) == ("no_gold", "", "")
    assert (Workspace(tmp_path).retrieval_audit(RUN) / "tables" / "ledger.csv").is_file()


@pytest.mark.parametrize("name", ["=1+1", "+cmd", "@SUM(1)", "-2+3"])
def test_no_cell_of_the_table_is_a_formula(tmp_path: Path, name: str) -> None:
    build(tmp_path, [*FOUR, Query(name, 3, (0, 1), ("fail",))])
    audited(tmp_path)
    assert table(tmp_path)[-1]["query_id"] == f"'{name}"
    assert not [cell for row in table(tmp_path) for cell in row.values() if cell.startswith(tuple("=+-@"))]


def test_the_table_is_a_file_of_labels(tmp_path: Path) -> None:
    """Its gold, given back as labels, is the gold of the cases."""
    build(tmp_path, FOUR)
    _, before, _ = audited(tmp_path)
    path = tmp_path / "gold.csv"
    path.write_bytes((Workspace(tmp_path).retrieval_audit(RUN) / "tables" / "queries.csv").read_bytes())
    _, after, _ = audited(tmp_path, labels=path)
    assert [[gold.id for gold in row.gold] for row in after] == [[gold.id for gold in row.gold] for row in before]


def test_the_table_of_two_embedding_models_is_a_file_of_labels(tmp_path: Path) -> None:
    build(tmp_path, FOUR)
    two = (*CUT, f"execute.groups=[{{llms=['m:a'], embeddings=['{EMBEDDING}', 'embedded:wordllama']}}]")
    _, before, _ = audited(tmp_path, search=True, overrides=two)
    path = tmp_path / "gold.csv"
    path.write_bytes((Workspace(tmp_path).retrieval_audit(RUN) / "tables" / "queries.csv").read_bytes())
    assert len(table(tmp_path)) == 2 * len(FOUR)
    _, after, _ = audited(tmp_path, search=True, overrides=two, labels=path)
    assert [[gold.id for gold in row.gold] for row in after] == [[gold.id for gold in row.gold] for row in before]


def test_only_a_contradiction_of_labels_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("query_id,chunk_id,grade\na,c1,2\na,c1,2\nb,c1,3\n", encoding="utf-8")
    assert read_gold_labels(path).grades == {"a": {"c1": 2}, "b": {"c1": 3}}
    path.write_text("query_id,chunk_id,grade\na,c1,2\na,c1,3\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"1 fault\(s\)") as caught:
        read_gold_labels(path)
    assert "c1 has grade 3 for a, and 2 further up" in str(caught.value)


# Suites without spans


def reached(result: RetrievalResult) -> tuple[list[str], list[str]]:
    section = retrieval_document(result).sections[0]
    said = [part.text for part in section.parts if isinstance(part, Paragraph) and part.answer]
    return said, [one.id for one in section.tables]


def test_a_suite_without_gold_begins_with_its_claims(tmp_path: Path) -> None:
    build(tmp_path, (Query("first", 0, (0, 1), spans=False), Query("lost", 3, (0, 1), spans=False)))
    result, _, _ = audited(tmp_path)
    said, tables = reached(result)
    # One of two expected answers stands in its context, as the first chunk.
    assert said == [
        (
            f"{EMBEDDING}: of the claims of an expected answer the context supports 50.0 % [0.0, 100.0], from 2 "
            "queries; context precision is 50.0 % [0.0, 100.0], from 2 queries. Claims were traced by words."
        )
    ]
    assert tables == ["claims", "ledger"]
    assert [one.id for one in retrieval_document(result).tables].count("claims") == 1
    page = Project(tmp_path).report().path.read_text(encoding="utf-8")
    part = page.partition('id="retrieval"')[2].partition("</section>")[0].replace("<wbr>", "")
    assert "of the claims of an expected answer the context supports" in part
    assert part.index("context supports") < part.index("Context recall") < part.index("Hidden gold")
    assert "Measured queries" not in part


def test_gold_comes_first_where_some_queries_have_it(tmp_path: Path) -> None:
    build(tmp_path, [*FOUR, Query("bare", 0, (0, 1), spans=False)])
    result, _, _ = audited(tmp_path)
    assert reached(result)[1] == ["retrieval", "ledger"]
    assert "claims" in [one.id for one in retrieval_document(result).tables]


def test_nothing_measured_is_no_table_of_nothing(tmp_path: Path) -> None:
    build(tmp_path, [Query("refuse", None, (0, 1))])
    result, _, _ = audited(tmp_path)
    said, tables = reached(result)
    assert said == ["From traces of the run's answers. No query was measured."]
    assert tables == ["ledger"]


def test_the_page_has_the_names_of_metrics_and_models_and_the_parts(tmp_path: Path) -> None:
    build(tmp_path, [*FOUR, Query("two", 0, (1, 3, 0), last=2)])
    overrides = (*CUT, f"execute.groups=[{{llms=['m:a'], embeddings=['{EMBEDDING}', 'embedded:wordllama']}}]")
    audited(tmp_path, search=True, overrides=overrides)
    page = Project(tmp_path).report().path.read_text(encoding="utf-8")
    part = page.partition('id="retrieval"')[2].partition("</section>")[0]
    heads = set(re.findall(r'role="columnheader">([^<]*)<', part))
    assert {"nDCG", "MRR", "Hit rate", "Embedding model", "embedded:wordllama"} <= heads
    assert not {"NDCG", "Embedded:wordllama"} & heads
    # On a phone the number at the head of a card says what it is.
    assert re.search(r'<th[^>]*data-label="K"[^>]*>4</th>', part)
    assert "The same in parts" in part
    assert "<caption>Evidence and chunk boundaries</caption>" in part
    assert "<caption>Document</caption>" not in part  # a single part says nothing


# Fewer than K


def notes(root: Path, *overrides: str) -> list[str]:
    result, _, _ = audited(root, search=True, overrides=(*CORPUS, "execute.run='now'", *overrides))
    return [note for note in result.notes if "K " in note or "filter_mode" in note]


@pytest.mark.parametrize("arms", ["['dense']", "['bm25']", "['dense', 'bm25']"])
def test_k_larger_than_the_index_of_a_corpus_is_told(tmp_path: Path, arms: str) -> None:
    build(tmp_path, [*FOUR, Query("other", 1, (0, 1), document="secret")])
    found = notes(tmp_path, "execute.k=500", f"execute.retrieval.arms={arms}")
    assert found == [
        "K is larger than the index: 500 of 8 chunks. There everything is retrieved, and recall says nothing."
    ]
    # As many as there are is not too many, whatever an arm is to fetch.
    assert notes(tmp_path, "execute.k=8", "audit_retrieval.curve=[8]", f"execute.retrieval.arms={arms}") == []


def test_filters_that_leave_fewer_than_k_are_told(tmp_path: Path) -> None:
    build(tmp_path, [*FOUR, Query("other", 1, (0, 1), document="secret")])
    overrides = ("execute.k=5", "audit_retrieval.curve=[5]", "execute.retrieval.filters={id='pump'}")
    # Of eight chunks four are of the pump; all five queries search them.
    assert notes(tmp_path, *overrides) == [
        (
            "Filters and access rules leave fewer than K chunks to 5 queries (fewest: 4, first). There everything is "
            "retrieved, and recall says nothing."
        )
    ]
    (post,) = notes(tmp_path, *overrides, "execute.retrieval.filter_mode='post'")
    assert post.startswith('filter_mode = "post" left fewer than K chunks to 5 queries (fewest: ')
    assert notes(tmp_path, *overrides, "execute.k=4", "audit_retrieval.curve=[4]") == []


# The curve over K


def curve(result: RetrievalResult) -> dict[int | None, Any]:
    return {one.k: (one.queries, one.hit, one.recall, one.reciprocal_rank, one.ndcg) for one in result.curve}


@pytest.mark.parametrize(
    "arm", ["{kind='dense'}", "{kind='bm25'}", "{kind='dense', floor=0.2}", "{kind='dense', fetch_k=2}"]
)
def test_a_search_of_one_arm_shows_the_curve_beyond_k(tmp_path: Path, arm: str) -> None:
    """The same as where K is all there is; trace, stages and the metrics at K stay those of K."""
    build(tmp_path, FOUR)
    common = (*CUT, "execute.run='now'", f"execute.retrieval.arms=[{arm}]")
    short, rows, _ = audited(tmp_path, search=True, overrides=(*common, "execute.k=1"))
    deep, _, _ = audited(tmp_path, search=True, overrides=(*common, "execute.k=4"))
    assert [one.k for one in short.curve] == [1, 2, 3, 4, 5, 8, 10, 20]
    if "fetch_k" not in arm:
        assert curve(short) == curve(deep)
    assert not [note for note in short.notes if "curve" in note]
    plain, plain_rows, _ = audited(
        tmp_path, search=True, overrides=(*common, "execute.k=1", "audit_retrieval.curve=[1]")
    )
    assert rows == plain_rows
    assert (short.overall, short.stages) == (plain.overall, plain.stages)


@pytest.mark.parametrize(
    "overrides",
    [
        ("execute.retrieval.arms=['dense', 'bm25']",),
        ("execute.retrieval.filter_mode='post'",),
        ("execute.retrieval.rerank='embedded:rules'",),
    ],
)
def test_where_deeper_is_another_search_the_curve_ends_and_says_so(tmp_path: Path, overrides: tuple[str, ...]) -> None:
    build(tmp_path, [*FOUR, Query("other", 1, (0, 1), document="secret")])
    common = (*CORPUS, "execute.run='now'", "execute.k=1", *overrides)
    result, _, _ = audited(tmp_path, search=True, overrides=common)
    assert max(one.k or 0 for one in result.curve) < 20
    (note,) = [note for note in result.notes if "curve" in note]
    assert note.startswith("The curve ends at K = ")
    assert note.endswith("A larger fetch_k of the arms (execute.retrieval.arms) shows more.")


def test_an_audit_of_answers_says_what_shows_more_of_the_curve(tmp_path: Path) -> None:
    build(tmp_path, FOUR)
    result, _, _ = audited(tmp_path)
    (note,) = [note for note in result.notes if "curve" in note]
    assert note.startswith("The curve ends at K = 2 of 20")
    assert "fetch_k" in note
    assert "--search" in note


# Tags of other rules


def test_tags_of_other_rules_are_told(tmp_path: Path) -> None:
    mine = Query("member", 1, (2, 1), ("pass",), "secret", user_tags=("tenant:acme",))
    build(tmp_path, [*FOUR, mine], tags={"secret": ("tenant:acme",)})
    suite = open_suite(Workspace(tmp_path), Project(tmp_path).settings)
    rules = [{"path": "secret*", "tags": ["tenant:acme"]}]
    for access, changed in (
        ({"documents": rules}, ""),
        ({}, "secret"),
        ({"documents": [*rules, {"path": "pump*", "tags": ["b"]}]}, "pump"),
        ({"documents": rules, "user_tags": ["tenant:acme"]}, "pump"),
    ):
        told = other_tags(suite, AccessSettings.model_validate(access))
        assert (f"(first: {changed}); run ragtester cases" in told) if changed else told == ""
    result, _, _ = audited(tmp_path, search=True, overrides=(*CUT, "execute.run='now'"))
    assert [note for note in result.notes if "were made with other [access] rules" in note]


def test_tags_of_fixtures_are_of_no_rule(tmp_path: Path) -> None:
    """The audits work on their suites with the settings of any other run, and `ragtester cases` did not make them."""
    mine = Query("member", 1, (2, 1), ("pass",), "secret", user_tags=("fixture:f1",))
    build(tmp_path, [*FOUR, mine], tags={"secret": ("fixture:f1", "market:ie")})
    assert other_tags(open_suite(Workspace(tmp_path), Project(tmp_path).settings), AccessSettings()) == ""


def test_a_run_over_tags_of_other_rules_is_told(tmp_path: Path) -> None:
    run = Run(
        Toy(
            tmp_path,
            [about("c", "acme", 1, ["tenant:acme"])],
            groups=[{"llms": ["toy:a"], "embeddings": ["toy:words"]}],
        )
    )
    run.go()
    (note,) = [note for note in run.progress.notes if "other [access] rules" in note]
    assert "first: acme" in note
    assert "run ragtester cases" in note


# Labels and settings


def test_labels_without_their_columns_are_told_what_is_looked_for(tmp_path: Path) -> None:
    build(tmp_path, FOUR)
    path = tmp_path / "labels.csv"
    path.write_text("question;relevant\nfirst;x\n", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        audited(tmp_path, labels=path)
    told = str(caught.value)
    assert "its columns are question, relevant" in told
    assert "one of query_id, case_id and one of gold_ids, chunk_ids, chunk_id, gold_id" in told
    assert "--column" not in told


@pytest.mark.parametrize("name", ["fetch_k", "floor", "weight", "kind"])
def test_a_setting_of_an_arm_is_told_where_it_stands(name: str) -> None:
    with pytest.raises(
        UsageError, match=f"'execute.retrieval.{name}'; it is set in each entry of execute.retrieval.arms"
    ):
        parse_settings({"execute": {"retrieval": {name: 1}}}, "test")

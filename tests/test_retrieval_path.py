"""The query path end to end, through the execute stage: one trace by hand, filters, failures, and going on."""

from __future__ import annotations

import asyncio
import json
import math
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragtester.models.rendering import Renderer
from ragtester.progress import SilentProgress
from ragtester.rag.sparse import Sparse
from ragtester.records import Answer, Chunk, Failure, Trace
from ragtester.searching.search import Search, Searched
from ragtester.searching.suite import open_suite
from ragtester.storage import read_rows
from ragtester.tasks import ANSWER_QUESTION, AnswerQuestion, PassagesRanked, QueryRewritten
from tests.execute_fakes import RuleModels, WordEmbedder, World
from tests.retrieval_fakes import TEXTS, Run, Toy, about

ONE = [{"llms": ["toy:a"], "embeddings": ["toy:words"]}]
TWO = [{"llms": ["toy:a"], "embeddings": ["toy:words", "toy:others"]}]
HYBRID = ["dense", "bm25"]


def ids(toy: World) -> dict[str, str]:
    """Chunk ids by document and paragraph: "open1" is the first paragraph of `open`."""
    found = {}
    for name in TEXTS:
        for row in read_rows(toy.workspace.chunks_file("main", name), Chunk):
            found[f"{name}{row.ordinal + 1}"] = row.id
    return found


def said(trace: Trace, names: dict[str, str]) -> dict[str, Any]:
    """A trace with short names for its chunks."""
    short = {name: key for key, name in names.items()}
    data = trace.model_dump(mode="json")
    for field in ("retrieved", "fused", "reranked", "dropped"):
        data[field] = [{**one, "id": short[one["id"]]} for one in data[field]]
    for field in ("gold_ids", "hidden_ids", "context_ids"):
        data[field] = [short[name] for name in data[field]]
    return data


def test_a_whole_trace_by_hand(tmp_path: Path) -> None:
    """Hybrid search with a floor, a filter, weights, and a budget; the user has the tag of `acme`, not of `other`."""
    toy = Toy(
        tmp_path,
        [about("c", "acme", 1, ["tenant:acme"])],
        k=3,
        groups=ONE,
        retrieval={
            "arms": [
                {"kind": "dense", "fetch_k": 3, "floor": 0.8},
                {"kind": "bm25", "fetch_k": 3, "weight": 2},
            ],
            "rrf_constant": 10,
            "filters": {"format": "txt"},
            "budget": 110,
            "order": "document",
        },
    )
    run = Run(toy)
    assert run.go().exit_code == 0
    (row,) = run.rows().values()
    names = ids(toy)
    trace = row.trace
    assert trace is not None

    # Dense: the question's vector has "pump" once. Cosines: acme1 (pump) 1; open2 (pump pump oil) 2 / √5;
    # open1 (pump valve) and acme2 (pump pressure) 1 / √2, the smaller id first. other1 has 1, and is not for this user;
    # fair1 has 1, and is no text file.
    dense = [("acme1", 1.0), ("open2", round(2 / math.sqrt(5), 6)), ("acme2", round(1 / math.sqrt(2), 6))]
    assert names["acme2"] < names["open1"]

    # BM25 over all 7 chunks, whoever may see them. Terms: open1 4, open2 9, open3 6, acme1 4, acme2 6, other1 5,
    # fair1 7. "pump" is in 6 chunks, "show" in 1, "e", "204" and "e204" in 3.
    def idf(chunks: int) -> float:
        return math.log(1 + (7 - chunks + 0.5) / (chunks + 0.5))

    def weight(count: int, length: int) -> float:
        return count / (count + 1.5 * (0.25 + 0.75 * length / (41 / 7)))

    bm25 = [
        ("open2", idf(6) * weight(2, 9) + (idf(1) + 3 * idf(3)) * weight(1, 9)),
        ("acme2", (idf(6) + 3 * idf(3)) * weight(1, 6)),
        # open1 and acme1 have "pump" once in 4 terms each: the smaller id is third.
        ("acme1", idf(6) * weight(1, 4)),
    ]
    # The floor takes acme2 out of the dense arm. Ranks: open2 2nd and 1st, acme1 1st and 3rd, acme2 2nd of BM25.
    fused = [
        ("open2", 1 / 12 + 2 / 11, ["dense", "bm25"]),
        ("acme1", 1 / 11 + 2 / 13, ["dense", "bm25"]),
        ("acme2", 2 / 12, ["bm25"]),
    ]
    # open2 has 55 characters, acme1 52: 3 of the 110 are left for the 54 of acme2.
    assert [len(TEXTS[name][at]) for name, at in (("open", 1), ("acme", 0), ("acme", 1))] == [55, 52, 54]

    expected = {
        "query": "Which pump shows E-204?",
        "user_tags": ["tenant:acme"],
        "embedding": "toy:words",
        "k": 3,
        "rewrite": None,
        "filters": {"format": "txt", "access": ["tenant:acme"]},
        "filter_mode": "pre",
        "reranked": [],
        "dropped": [
            {"id": "acme2", "at": "floor", "reason": "dense 0.707107 < 0.8"},
            {"id": "acme2", "at": "budget", "reason": "needs 54 of 3 characters that are left"},
        ],
        "gold_ids": ["acme2"],
        "hidden_ids": [],
        "context_ids": ["acme1", "open2"],
        "context_characters": 107,
        "notes": [],
        "calls": [],
    }
    found = said(trace, names)
    # The index is the one store of the corpus; its folder carries the same revision.
    (store,) = toy.workspace.stores.iterdir()
    assert store.name.endswith(f"__{found.pop('index')}")
    retrieved, merged = found.pop("retrieved"), found.pop("fused")
    assert found == expected
    wanted = [("dense", *hit) for hit in enumerate(dense, 1)] + [("bm25", *hit) for hit in enumerate(bm25, 1)]
    assert [(one["arm"], one["rank"], one["id"]) for one in retrieved] == [(arm, at, hit[0]) for arm, at, hit in wanted]
    assert [one["score"] for one in retrieved] == pytest.approx([hit[1] for _, _, hit in wanted], abs=1e-6)
    assert [(one["rank"], one["id"], one["sources"]) for one in merged] == [
        (at, name, sources) for at, (name, _, sources) in enumerate(fused, 1)
    ]
    assert [one["score"] for one in merged] == pytest.approx([score for _, score, _ in fused], abs=1e-8)

    # What the model got is what the trace says, and nothing else of the corpus.
    ((_, request),) = run.models.requests
    prompt = Renderer(None).render(ANSWER_QUESTION, request)[1]
    assert [part.label for part in request.sections] == list(trace.context_ids)
    assert 0 < prompt.index(TEXTS["acme"][0]) < prompt.index(TEXTS["open"][1])
    for name, paragraphs in TEXTS.items():
        for at, text in enumerate(paragraphs):
            assert (text in prompt) == ((name, at) in [("acme", 0), ("open", 1)])


def test_gold_that_the_user_may_not_see_is_named(tmp_path: Path) -> None:
    toy = Toy(tmp_path, [about("c", "acme", 1, ["tenant:other"])], groups=ONE, retrieval={"arms": HYBRID})
    run = Run(toy)
    run.go()
    (row,) = run.rows().values()
    assert row.trace is not None
    names = ids(toy)
    assert row.trace.gold_ids == row.trace.hidden_ids == (names["acme2"],)
    assert not {one.id for one in row.trace.retrieved} & {names["acme1"], names["acme2"]}


USERS = [(), ("tenant:acme",), ("tenant:other",), ("tenant:acme", "tenant:other"), ("tenant:none",)]
SEES = {"tenant:acme": "acme", "tenant:other": "other"}
FORMATS = [(), ("txt",), ("md",), ("txt", "md"), ("pdf",)]


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.sampled_from(FORMATS),
    st.sampled_from(["pre", "post"]),
    st.sampled_from([["dense"], ["bm25"], ["dense", "bm25"]]),
    st.integers(1, 9),
    st.randoms(),
)
def test_no_document_that_a_user_may_not_find_is_ever_in_a_context(
    tmp_path_factory: pytest.TempPathFactory, formats: tuple[str, ...], mode: str, arms: list[str], k: int, _: Any
) -> None:
    cases = [about(f"c{at}", "open", at % 3, tags) for at, tags in enumerate(USERS)]
    filters = {"format": formats} if formats else {}
    retrieval = {"arms": arms, "filters": filters, "filter_mode": mode}
    toy = Toy(tmp_path_factory.mktemp("toy"), cases, k=k, groups=ONE, retrieval=retrieval)
    run = Run(toy)
    run.go()
    everything = ids(toy)
    formats_of = {one.id: one.format for one in toy.documents}
    for (name, _, _), row in run.rows().items():
        assert row.trace is not None
        tags = USERS[int(name[1:])]
        may = {"open", "fair"} | {SEES[tag] for tag in tags if tag in SEES}
        may = {one for one in may if not formats or formats_of[one] in formats}
        got = [one.rsplit(":", 2)[0] for one in row.trace.context_ids]
        assert set(got) <= may
        # Whatever the filters of the settings: only who has both tags misses no document.
        assert row.trace.filters.get("access") == (None if set(SEES) <= set(tags) else tags)
        eligible = [one for one in everything.values() if one.rsplit(":", 2)[0] in may]
        if mode == "pre":
            assert {one.id.rsplit(":", 2)[0] for one in row.trace.retrieved} <= may
            if "dense" in arms:  # BM25 finds only what shares a term
                assert len(got) == min(k, len(eligible))
        else:
            assert row.trace.filter_mode in ("post", "") and len(got) <= k
        ((_, request),) = [(model, one) for model, one in run.models.requests if _of(one, row)][:1]
        assert [part.label for part in request.sections] == list(row.trace.context_ids)


def _of(request: AnswerQuestion, row: Answer) -> bool:
    assert row.trace is not None
    return [part.label for part in request.sections] == list(row.trace.context_ids)


def test_fetching_before_filtering_starves_a_tenant(tmp_path: Path) -> None:
    """The difference that `post` exists for: the two nearest chunks belong to others, and nothing is left."""
    found = {}
    for mode in ("pre", "post"):
        retrieval = {"filters": {"id": "open"}, "filter_mode": mode}
        toy = Toy(tmp_path / mode, [about("c", "open", 0)], k=2, groups=ONE, retrieval=retrieval)
        run = Run(toy)
        run.go()
        (row,) = run.rows().values()
        assert row.trace is not None
        found[mode] = said(row.trace, ids(toy))
    assert found["pre"]["context_ids"] == ["open2", "open1"] and found["pre"]["dropped"] == []
    assert found["post"]["context_ids"] == []
    assert [(one["id"], one["at"]) for one in found["post"]["dropped"]] == [("acme1", "filter"), ("fair1", "filter")]
    assert found["post"]["notes"] == ["the filter took out all that was found"]


@pytest.mark.parametrize("mode", ["pre", "post"])
def test_a_filter_that_matches_nothing_is_said_once(tmp_path: Path, mode: str) -> None:
    cases = [about("c1", "open", 0, ["tenant:acme"]), about("c2", "open", 1), about("c3", "acme", 1)]
    retrieval = {"arms": HYBRID, "filters": {"language": "de"}, "filter_mode": mode}
    toy = Toy(tmp_path, cases, groups=TWO, retrieval=retrieval)
    run = Run(toy, made={"1": WordEmbedder(), "2": WordEmbedder("toy:others")})
    result = run.go()
    notes = [note for note in run.progress.notes if "no document passes" in note]
    assert len(notes) == 1
    assert 'no document passes filters {"language": "de"} for users with tags ["tenant:acme"]' in notes[0]
    assert result.exit_code == 0
    for row in run.rows().values():
        assert row.trace is not None and row.trace.context_ids == ()
        assert row.trace.notes == ("no document passes the filters and the access rules for this user",)
        assert row.outcome == "abstained"


def test_all_documents_that_filters_shut_out_are_counted(tmp_path: Path) -> None:
    cases = [about("c1", "open", 0), about("c2", "acme", 1)]
    toy = Toy(tmp_path, cases, groups=ONE, retrieval={"filters": {"id": "open"}}, index={"scope": "document"})
    run = Run(toy)
    run.go()
    shut = [name for name in TEXTS if name != "open"]
    (note,) = [note for note in run.progress.notes if "find nothing" in note]
    assert note.startswith(f"{len(shut)} of {len(TEXTS)} documents do not pass filters")
    assert f'{{"id": "open"}} ({shut[0]}, {shut[1]}' in note


def test_without_a_dense_arm_no_embedding_model_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = []

    class Counted(Sparse):
        def __init__(self, chunks: Any, languages: Any) -> None:
            built.append(1)
            super().__init__(chunks, languages)

    monkeypatch.setattr("ragtester.searching.stores.Sparse", Counted)
    for scope, indexes in (("document", 2), ("corpus", 1)):
        cases = [about("c1", "open", 1), about("c2", "acme", 1, ["tenant:acme"])]
        toy = Toy(tmp_path / scope, cases, groups=TWO, retrieval={"arms": ["bm25"]}, index={"scope": scope})
        run = Run(toy)
        run.embedders = lambda name: pytest.fail(f"{name} was asked for")
        built.clear()
        assert run.go().exit_code == 0
        # One index a set of chunks, whatever the number of embedding models.
        assert len(built) == indexes
        assert not toy.workspace.stores.exists()
        assert sum("no embedding model is asked" in note for note in run.progress.notes) == 1
        rows = run.rows()
        for name in ("c1", "c2"):
            one, two = (rows[name, "toy:a", embedding].trace for embedding in ("toy:words", "toy:others"))
            assert one is not None and two is not None
            assert (one.embedding, two.embedding) == ("toy:words", "toy:others") and one.index != two.index
            assert one.retrieved == two.retrieved and one.context_ids == two.context_ids
            best = "acme2" if (scope, name) == ("document", "c2") else "open2"
            assert one.fused == () and one.context_ids[0] == ids(toy)[best]


def test_a_question_that_no_arm_has_a_word_of(tmp_path: Path) -> None:
    toy = Toy(tmp_path, [about("c", "open", 0, question="Quo vadis?")], groups=ONE, retrieval={"arms": ["bm25"]})
    run = Run(toy)
    run.go()
    (row,) = run.rows().values()
    assert row.trace is not None and row.outcome == "abstained"
    assert (row.trace.retrieved, row.trace.context_ids) == ((), ())
    assert row.trace.notes == ("no arm found anything above its floor",)


# Failures of the models on the path, and going on


def rewriting(model: str, request: Any) -> Any:
    """Rewrites to a single word, and ranks back to front."""
    if model == "toy:rewriter":
        return QueryRewritten(query="valve")
    if model == "toy:ranker":
        return PassagesRanked(order=tuple(str(at) for at in range(len(request.passages), 0, -1)))
    return None


ON_THE_PATH = {"arms": HYBRID, "rewrite": "toy:rewriter", "rerank": "toy:ranker", "rerank_k": 3}


def test_the_rewrite_is_searched_and_the_question_is_asked(tmp_path: Path) -> None:
    toy = Toy(tmp_path, [about("c", "open", 0)], groups=ONE, k=2, retrieval=ON_THE_PATH)
    run = Run(toy, rewriting)
    run.go()
    (row,) = run.rows().values()
    trace = row.trace
    assert trace is not None
    found = said(trace, ids(toy))
    # "valve" is in open1 alone: first of both arms. The ranker turns the three that it sees around.
    assert (found["query"], found["rewrite"]) == ("Which pump shows E-204?", "valve")
    assert (found["fused"][0]["id"], found["fused"][0]["sources"]) == ("open1", HYBRID)
    assert [one["id"] for one in found["retrieved"] if one["arm"] == "bm25"] == ["open1"]
    assert [one["id"] for one in found["reranked"]] == [one["id"] for one in found["fused"][:3]][::-1]
    assert found["context_ids"] == [one["id"] for one in found["reranked"][:2]]
    assert [one["model"] for one in found["calls"]] == ["toy:rewriter", "toy:ranker"]
    asked = [request for model, request in run.models.requests if model == "toy:a"]
    assert [one.question for one in asked] == ["Which pump shows E-204?"]


@pytest.mark.parametrize("broken", ["toy:rewriter", "toy:ranker"])
@pytest.mark.parametrize("scope", ["document", "corpus"])
def test_a_failure_on_the_path_is_the_rows_failure(tmp_path: Path, broken: str, scope: str) -> None:
    cases = [about("c1", "open", 0), about("c2", "open", 1, question="And the valve?"), about("c3", "acme", 0)]

    def says(model: str, request: Any) -> Any:
        if model == broken and request.question == "And the valve?":
            return Failure(type="timeout", message="too slow")
        return rewriting(model, request)

    retrieval = {**ON_THE_PATH, "rewrite": "toy:rewriter" if broken == "toy:rewriter" else ""}
    groups = [{"llms": ["toy:a", "toy:b"], "embeddings": ["toy:words"]}]
    toy = Toy(tmp_path, cases, groups=groups, retrieval=retrieval, index={"scope": scope})
    run = Run(toy, says)
    result = run.go()
    assert result.exit_code == 3
    assert (result.ledger.planned, result.ledger.failed, result.ledger.ok) == (6, 2, 4)
    for llm in ("toy:a", "toy:b"):
        row = run.rows()["c2", llm, "toy:words"]
        assert row.outcome == "failed" and row.failure is not None and row.trace is not None
        assert row.failure.type == "timeout" and "too slow" in row.failure.message
        assert ("rewrite" if broken == "toy:rewriter" else "rerank") in row.failure.message
        assert (row.call, row.trace.context_ids) == (None, ()) and len(row.trace.gold_ids) == 1
        assert [call.model for call in row.trace.calls] == [broken]
        assert bool(row.trace.retrieved) == (broken == "toy:ranker")
    # The next start makes these rows again, and no other.
    whole = Toy(tmp_path / "whole", cases, groups=groups, retrieval=retrieval, index={"scope": scope})
    Run(whole, rewriting).go()
    again = Run(toy, rewriting)
    assert again.go().exit_code == 0
    assert sorted(model for model, _ in again.models.requests if model in ("toy:a", "toy:b")) == ["toy:a", "toy:b"]
    assert toy.files() == whole.files()


@pytest.mark.parametrize("broken", ["toy:rewriter", "toy:ranker"])
def test_a_spent_budget_on_the_path_stops_the_run(tmp_path: Path, broken: str) -> None:
    cases = [about("c1", "open", 0), about("c2", "acme", 1, ["tenant:acme"])]

    def says(model: str, request: Any) -> Any:
        return Failure(type="budget", message="the budget is spent") if model == broken else rewriting(model, request)

    toy = Toy(tmp_path, cases, groups=ONE, retrieval=ON_THE_PATH)
    run = Run(toy, says)
    result = run.go()
    assert result.exit_code == 3 and "the budget is spent" in result.stopped
    assert (result.ledger.skipped, result.ledger.ok, run.rows()) == (2, 0, {})
    assert "toy:a" not in [model for model, _ in run.models.requests]
    assert Run(toy, rewriting).go().exit_code == 0


# A whole corpus


@pytest.mark.parametrize("arms", [["bm25"], HYBRID])
def test_a_corpus_in_several_passes_interrupted_and_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arms: list[str]
) -> None:
    """Five documents, two embedding models, two passes each; killed after some rows, and started again."""
    monkeypatch.setattr("ragtester.searching.corpus.QUESTIONS_A_PASS", 7)
    options: dict[str, Any] = {
        "groups": TWO,
        "index": {"chunk_size": 120, "chunk_overlap": 20, "scope": "corpus"},
        "retrieval": {"arms": arms, "filters": {"id": ["manual-0", "manual-2", "manual-3"]}},
    }

    def made() -> dict[str, WordEmbedder]:
        return {"1": WordEmbedder(), "2": WordEmbedder("toy:others")}

    whole = World(tmp_path / "whole", documents=5, cases=3, **options)
    assert Run(whole, made=made()).go().exit_code == 0
    cut = World(tmp_path / "cut", documents=5, cases=3, **options)
    first = Run(cut, made=made())
    served = 0

    def stop() -> None:
        nonlocal served
        served += 1
        if served == 11:
            signal.raise_signal(signal.SIGINT)

    first.models = RuleModels(tick=stop)
    with pytest.raises(KeyboardInterrupt):
        first.go()
    kept = len(first.rows())
    assert 0 < kept < 30
    second = Run(cut, made=made())
    assert second.go().exit_code == 0
    assert len(second.rows()) == 30 and sum(second.models.served.values()) == 30 - kept
    assert cut.files() == whole.files()
    for row in second.rows().values():
        assert row.trace is not None and row.trace.context_ids
        assert {name.rsplit(":", 2)[0] for name in row.trace.context_ids} <= {"manual-0", "manual-2", "manual-3"}
    assert json.loads((cut.workspace.answers("main") / "manifest.json").read_text())["ledger"]["ok"] == 30


# A search alone


@pytest.mark.parametrize("scope", ["document", "corpus"])
def test_a_long_document_is_searched_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scope: str) -> None:
    cases = [about(f"c{at}", "open", at % 3, question=f"Which pump, number {at}?") for at in range(7)]
    toy = Toy(tmp_path, cases, groups=ONE, retrieval={"arms": HYBRID}, index={"scope": scope})

    async def searched() -> list[Searched]:
        progress = SilentProgress()
        suite = open_suite(toy.workspace, toy.settings)
        search = Search(suite, toy.settings, lambda _: WordEmbedder(), RuleModels(), progress)
        found = []
        async for part in search.run("toy:words"):
            # Whoever looks into a document's own store finds it whole.
            stores = list(toy.workspace.stores.iterdir())
            assert scope == "corpus" or [(one / "complete.json").is_file() for one in stores] == [True]
            found.append(part)
        return found

    (whole,) = asyncio.run(searched())
    monkeypatch.setattr("ragtester.searching.sources.CONTEXTS_AT_ONCE", 3)
    parts = asyncio.run(searched())
    assert [len(part.contexts) for part in parts] == [3, 3, 1]
    assert [context for part in parts for context in part.contexts] == whole.contexts
    assert [context.case.id for context in whole.contexts] == [f"c{at}" for at in range(7)]
    assert not toy.workspace.chunks_file("main", "open").exists()

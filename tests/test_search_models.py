"""A run whose search is rewritten and reranked: what the traces, the manifest and the keys of its rows hold."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragtester.errors import ChangedInputsError
from ragtester.progress import SilentProgress, StageResult
from ragtester.records import Answer, Failure, Manifest
from ragtester.stages.execute import run
from ragtester.storage import read_json, read_rows
from ragtester.tasks import PassagesRanked, QueryRewritten, RankPassages, RewriteQuery
from tests.execute_fakes import RuleModels, WordEmbedder, World, embedders

CASES = 4
RETRIEVAL = {"rewrite": "toy:rewriter", "rerank": "toy:ranker", "rerank_k": 5}


def turned(model: str, request: Any) -> Any:
    """The rewriter asks for the question's seventh word; the ranker turns the order round and leaves out the last."""
    match request:
        case RewriteQuery():
            return QueryRewritten(query=request.question.split()[5])
        case RankPassages():
            return PassagesRanked(order=tuple(reversed([one.label for one in request.passages[:-1]])))
        case _:
            return None


def go(world: World, models: RuleModels, embedder: WordEmbedder, **options: Any) -> StageResult:
    found = embedders(embedder)
    return asyncio.run(run(world.workspace, world.settings, models, found, SilentProgress(), **options))


def rows(world: World) -> list[Answer]:
    folder = world.workspace.answers("main")
    return [row for llm in ("a", "b") for path in folder.glob(f"toy-{llm}*/*.jsonl") for row in read_rows(path, Answer)]


def manifest(world: World) -> Manifest:
    found = read_json(world.workspace.answers("main") / "manifest.json", Manifest)
    assert found is not None
    return found


def test_a_search_is_rewritten_and_reranked_once_for_all_llms(tmp_path: Path) -> None:
    world, models, embedder = World(tmp_path, 1, CASES, retrieval=RETRIEVAL), RuleModels(turned), WordEmbedder()
    result = go(world, models, embedder)
    assert (result.ledger.ok, result.ledger.failed) == (2 * CASES, 0)
    asked = {model: sum(n for (name, _), n in models.served.items() if name == model) for model, _ in models.served}
    assert asked == {"toy:rewriter": CASES, "toy:ranker": CASES, "toy:a": CASES, "toy:b": CASES}
    assert set(embedder.queries) == {"pump", "valve", "oil", "filter"}
    made = rows(world)
    assert len(made) == 2 * CASES
    for row in made:
        assert row.trace is not None
        assert row.trace.query.startswith("How many marks has the")
        assert row.trace.rewrite == row.trace.query.split()[5]
        assert [call.model for call in row.trace.calls] == ["toy:rewriter", "toy:ranker"]
        assert row.trace.notes == ("rerank: the model left out 1 of 5 passages; they keep their order behind",)
        before = [one.id for one in row.trace.retrieved][:5]
        # Five are shown, the first four come back turned round, the one that was left out stays last.
        assert [one.id for one in row.trace.reranked] == [*reversed(before[:4]), before[4]]
        assert list(row.trace.context_ids) == [before[3], before[2]]


def test_the_manifest_names_the_models_of_the_search_and_counts_their_cost_once(tmp_path: Path) -> None:
    world = World(tmp_path, 1, CASES, retrieval=RETRIEVAL)
    go(world, RuleModels(turned), WordEmbedder())
    made = manifest(world)
    assert {"toy:rewriter", "toy:ranker"} <= set(made.models)
    assert made.models["toy:ranker"] == "toy:ranker-2026-01-01"
    # Two LLMs, one rewrite and one rerank a case, each at 0.001.
    assert made.counts["cost"] == pytest.approx(CASES * (2 + 1 + 1) * 0.001)
    assert made.counts["tokens"]["prompt"] == CASES * 4 * 10


@pytest.mark.parametrize("broken", [RewriteQuery, RankPassages])
def test_a_search_that_fails_fails_the_rows_and_asks_no_llm(tmp_path: Path, broken: type) -> None:
    failure = Failure(type="unparseable", message="no JSON object in the reply")

    def says(model: str, request: Any) -> Any:
        return failure if isinstance(request, broken) else turned(model, request)

    world, models = World(tmp_path, 1, CASES, retrieval=RETRIEVAL), RuleModels(says)
    assert go(world, models, WordEmbedder()).ledger.failed == 2 * CASES
    assert not {"toy:a", "toy:b"} & {model for model, _ in models.served}
    for row in rows(world):
        assert row.outcome == "failed"
        assert row.failure is not None
        assert row.failure.type == "unparseable"
        assert row.failure.message.startswith(("query rewrite: ", "rerank: "))


@pytest.mark.parametrize(
    "changed", [{"rewrite": ""}, {"rerank": ""}, {"rerank": "toy:other"}, {"rerank_k": 4}], ids=str
)
def test_rows_of_another_search_are_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    world, models = World(tmp_path, 1, CASES, retrieval=RETRIEVAL), RuleModels(turned)
    go(world, models, WordEmbedder())
    world.set(retrieval=RETRIEVAL | changed)
    with pytest.raises(ChangedInputsError):
        go(world, models, WordEmbedder())


def test_rows_depend_on_the_file_of_a_function(tmp_path: Path) -> None:
    body = "def score(query, passages):\n    return [float(passage.count('{}')) for passage in passages]\n"
    (tmp_path / "my_rerank.py").write_text(body.format("check"), encoding="utf-8")
    world = World(tmp_path, 1, CASES, retrieval={"rerank": "python:my_rerank:score"})
    go(world, RuleModels(), WordEmbedder())
    go(world, RuleModels(), WordEmbedder())
    (tmp_path / "my_rerank.py").write_text(body.format("marks"), encoding="utf-8")
    with pytest.raises(ChangedInputsError):
        go(world, RuleModels(), WordEmbedder())

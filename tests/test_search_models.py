"""A run whose search is rewritten and reranked: what the traces, the manifest and the keys of its rows hold."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragtester.errors import ChangedInputsError
from ragtester.progress import SilentProgress, StageResult
from ragtester.records import Answer, Call, Failure, Manifest
from ragtester.searching.remembering import RememberingModels
from ragtester.stages.execute import run
from ragtester.storage import read_json, read_rows
from ragtester.tasks import REWRITE_QUERY, Asked, PassagesRanked, QueryRewritten, RankPassages, RewriteQuery
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


def go(world: World, models: RuleModels, *made: WordEmbedder, **options: Any) -> StageResult:
    found = embedders(*made)
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


TWO = [{"llms": ["toy:a", "toy:b"], "embeddings": ["toy:words", "toy:others"]}]


class Fickle(RuleModels):
    """A rewriter that never says the same twice; its calls cost 1, 2, 4 and so on, so that sums tell them apart."""

    def __init__(self) -> None:
        super().__init__(turned)
        self.costs: list[float] = []

    async def ask(self, model: str, task: Any, request: Any) -> Asked[Any]:
        asked = await super().ask(model, task, request)
        if not isinstance(request, RewriteQuery):
            return asked
        assert asked.reply is not None
        self.costs.append(float(2 ** len(self.costs)))
        query = f"{asked.reply.query} {len(self.costs)}"
        return Asked(
            QueryRewritten(query=query), asked.call.model_copy(update={"cost": self.costs[-1], "seconds": 0.5})
        )


def by_case(world: World) -> dict[str, list[Answer]]:
    found: dict[str, list[Answer]] = {}
    for row in rows(world):
        found.setdefault(row.case_id, []).append(row)
    return found


@pytest.mark.parametrize("scope", ["document", "corpus"])
def test_a_question_is_rewritten_once_for_all_embedding_models(tmp_path: Path, scope: str) -> None:
    index = {"chunk_size": 120, "chunk_overlap": 20, "scope": scope}
    world = World(tmp_path, 2, CASES, groups=TWO, retrieval=RETRIEVAL, index=index)
    models = Fickle()
    go(world, models, WordEmbedder(), WordEmbedder("toy:others"))
    assert len(models.costs) == 2 * CASES
    assert sorted(map(len, by_case(world).values())) == [4] * 2 * CASES
    for made in by_case(world).values():
        traces = [row.trace for row in made if row.trace]
        assert len({trace.rewrite for trace in traces}) == 1
        # Both LLMs of one embedding model stand for the request; the other model's rows name it with its account.
        assert sorted(trace.calls[0].attempts for trace in traces) == [0, 0, 1, 1]
        assert len({trace.calls[0].cost for trace in traces}) == 1
        assert {trace.calls[1].attempts for trace in traces} == {1}
    # Eight rewrites at 1, 2, 4 ... 128; 8 cases × 2 embedding models × (one rerank and two answers) at 0.001.
    assert manifest(world).counts["cost"] == pytest.approx(255 + 8 * 2 * 3 * 0.001)


# Rows of one LLM and embedding model, of one embedding model, and those that have the accounts of the rewrites.
@pytest.mark.parametrize("gone", ["toy-b*words*/*.jsonl", "*others*/*.jsonl", "*words*/*.jsonl"])
def test_a_start_that_goes_on_searches_for_the_same_words(tmp_path: Path, gone: str) -> None:
    world, models = World(tmp_path, 1, CASES, groups=TWO, retrieval=RETRIEVAL), Fickle()
    go(world, models, WordEmbedder(), WordEmbedder("toy:others"))
    before = {name: made[0].trace.rewrite for name, made in by_case(world).items() if made[0].trace}
    whole = world.files()
    for path in world.workspace.answers("main").glob(gone):
        path.unlink()
    again = Fickle()
    go(world, again, WordEmbedder(), WordEmbedder("toy:others"))
    assert again.costs == []
    assert world.files() == whole
    assert {name: {row.trace.rewrite for row in made if row.trace} for name, made in by_case(world).items()} == {
        name: {rewrite} for name, rewrite in before.items()
    }
    assert manifest(world).counts["cost"] == pytest.approx(15 + 4 * 2 * 3 * 0.001)


def test_a_rewrite_that_failed_is_asked_again_and_a_shared_one_waits(tmp_path: Path) -> None:
    class Slow:
        def __init__(self) -> None:
            self.asked = 0

        async def ask(self, model: str, task: Any, request: Any) -> Any:
            self.asked += 1
            await asyncio.sleep(0)
            failed = self.asked == 1
            failure = Failure(type="empty", message="nothing") if failed else None
            return Asked(None if failed else QueryRewritten(query="pump"), Call(model=model, cost=1.0), failure)

        def prompt_sha256(self, task: Any) -> str:
            return "p"

    slow = Slow()
    once, request = RememberingModels(slow), RewriteQuery(language="en", question="Which pump?")

    async def both() -> list[Asked[QueryRewritten]]:
        return list(await asyncio.gather(*(once.ask("toy:r", REWRITE_QUERY, request) for _ in range(2))))

    def seen(asked: list[Asked[QueryRewritten]]) -> list[tuple[bool, int]]:
        return [(one.reply is not None, one.call.attempts) for one in asked]

    assert seen(asyncio.run(both())) == [(False, 1), (False, 0)]
    assert seen(asyncio.run(both())) == [(True, 1), (True, 0)]
    assert seen(asyncio.run(both())) == [(True, 0), (True, 0)]
    assert slow.asked == 2


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

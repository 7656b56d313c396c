"""Rerankers as the settings name them: flashrank's own code on a tiny model, functions, language models."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import logging
import math
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtester.doctor import examine
from ragtester.errors import MissingPackageError, UsageError
from ragtester.estimate import INSTRUCTIONS, estimate_run
from ragtester.model_checks import AUDIT, STAGES, check_models, used_models
from ragtester.models.gateway import Gateway
from ragtester.models.scripted import ScriptedReplies
from ragtester.rag.rerankers import make_reranker, retrieval_prompts
from ragtester.rag.reranking import Scored, checked
from ragtester.records import Chunk
from ragtester.settings import Settings
from ragtester.workspace import Workspace
from tests.tiny_flashrank import FILE, MODEL, write_model

FLASH = f"flashrank:{MODEL}"


def chunks(*texts: str) -> list[Chunk]:
    return [
        Chunk(id=f"d#{n}", document_id="d", ordinal=n, start=0, end=len(text), text=text)
        for n, text in enumerate(texts)
    ]


def naming(rerank: str, **retrieval: Any) -> Settings:
    return Settings.model_validate({"execute": {"retrieval": {"rerank": rerank, **retrieval}}})


def gateway(root: Path, *replies: Any) -> Gateway:
    return Gateway(Settings(), root=root, scripted={"r": ScriptedReplies([{"reply": reply} for reply in replies])})


def scored(rerank: str, root: Path, query: str, *texts: str, replies: tuple[Any, ...] = ()) -> Scored:
    reranker = make_reranker(naming(rerank), gateway(root, *replies), root)
    assert reranker is not None
    assert reranker.name == rerank
    return asyncio.run(reranker.score(query, "en", chunks(*texts)))


def sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


# flashrank


def test_flashrank_scores_each_passage_in_the_order_given(tmp_path: Path) -> None:
    write_model(tmp_path)
    found = scored(FLASH, tmp_path, "pump oil", "the filter", "pump pump valve oil", "oil \ud800 filter", "")
    # Pairs of equal words: none; pump twice and oil; oil; none.
    assert found.failure is None
    assert found.scores == pytest.approx((sigmoid(0), sigmoid(3), sigmoid(1), sigmoid(0)), abs=1e-6)


def test_flashrank_scores_many_queries_at_once_alike(tmp_path: Path) -> None:
    write_model(tmp_path)
    reranker = make_reranker(naming(FLASH), gateway(tmp_path), tmp_path)
    assert reranker is not None

    async def all_of_them() -> list[Scored]:
        return await asyncio.gather(
            *(reranker.score(query, "en", chunks("pump", "oil")) for query in ["pump", "oil"] * 5)
        )

    expected = [(sigmoid(1), sigmoid(0)), (sigmoid(0), sigmoid(1))] * 5
    assert [one.scores for one in asyncio.run(all_of_them())] == [pytest.approx(pair, abs=1e-6) for pair in expected]


def test_the_import_and_the_model_leave_logging_as_it_was(tmp_path: Path) -> None:
    write_model(tmp_path)
    root = logging.getLogger()
    before = list(root.handlers), root.level
    scored(FLASH, tmp_path, "pump", "pump")
    assert (list(root.handlers), root.level) == before


def test_nothing_is_downloaded_where_the_folder_is_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(requests, "get", lambda *args, **options: asked.append((args, options)))
    with pytest.raises(UsageError) as error:
        make_reranker(naming(FLASH), gateway(tmp_path), tmp_path)
    assert str(tmp_path / "rerankers" / MODEL) in str(error.value)
    assert "\n" not in str(error.value)
    assert not asked
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("file", [FILE, "tokenizer.json", "config.json", "special_tokens_map.json"])
def test_a_missing_file_of_the_model_is_named(tmp_path: Path, file: str) -> None:
    (write_model(tmp_path) / file).unlink()
    with pytest.raises(UsageError, match=rf"missing: {file}\)"):
        make_reranker(naming(FLASH), gateway(tmp_path), tmp_path)


@pytest.mark.parametrize("file", [FILE, "tokenizer.json", "config.json"])
def test_a_file_that_is_no_model_is_one_line(tmp_path: Path, file: str) -> None:
    (write_model(tmp_path) / file).write_bytes(b"<html>404</html>")
    with pytest.raises(UsageError, match="cannot be loaded") as error:
        make_reranker(naming(FLASH), gateway(tmp_path), tmp_path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("ms-marco-TinyBERT-L-2", f"did you mean '{MODEL}'"),
        ("../../etc", "known:"),
        ("rank_zephyr_7b_v1_full", "no model"),  # an LLM behind llama.cpp: not this package's CPU cross-encoders
        ("", "no model"),
    ],
)
def test_an_unknown_model_of_flashrank_is_refused(tmp_path: Path, model: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        make_reranker(naming(f"flashrank:{model}"), gateway(tmp_path), tmp_path)


def test_without_the_package_the_extra_is_named_before_anything_is_paid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "ragtester.rag.rerank_flash.find_spec", lambda name: None if name == "flashrank" else find(name)
    )
    with pytest.raises(MissingPackageError, match=r"ragtester-pipeline\[rerank\]"):
        check_models(naming(FLASH), ("cases", "execute"), root=tmp_path)


# Functions


def function(root: Path, body: str, *, name: str = "my_rerank") -> str:
    (root / f"{name}.py").write_text(body, encoding="utf-8")
    return f"python:{name}:score"


@pytest.mark.parametrize("word", ["def", "async def"])
def test_a_function_of_the_workspace_gives_the_scores(tmp_path: Path, word: str) -> None:
    named = function(tmp_path, f"{word} score(query, passages):\n    return [p.count(query) for p in passages]\n")
    assert scored(named, tmp_path, "a", "banana", "pear", "cherry").scores == (3.0, 1.0, 0.0)


def test_the_workspace_goes_before_installed_modules_and_may_import_its_own(tmp_path: Path) -> None:
    (tmp_path / "rerank_helper_of_test.py").write_text("FACTOR = 7\n", encoding="utf-8")
    body = (
        "from rerank_helper_of_test import FACTOR\ndef score(query, passages):\n    return [FACTOR] * len(passages)\n"
    )
    assert scored(function(tmp_path, body, name="colorsys"), tmp_path, "q", "a").scores == (7.0,)
    import colorsys

    assert not hasattr(colorsys, "score")


def test_two_workspaces_and_an_edited_file_are_not_mixed_up(tmp_path: Path) -> None:
    found = []
    for folder, value in (("one", 1), ("two", 2), ("one", 3)):
        (tmp_path / folder).mkdir(exist_ok=True)
        body = (
            "from __future__ import annotations\nfrom dataclasses import dataclass\n"
            f"@dataclass\nclass Kept:\n    value: int\ndef score(query, passages):\n    return [Kept({value}).value]\n"
        )
        found.append(scored(function(tmp_path / folder, body), tmp_path / folder, "q", "a").scores)
    assert found == [(1.0,), (2.0,), (3.0,)]


def test_a_module_of_a_package_of_the_workspace(tmp_path: Path) -> None:
    folder = tmp_path / "rerank_package_of_test"
    folder.mkdir()
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "inner.py").write_text("from . import other\nscore = other.score\n", encoding="utf-8")
    (folder / "other.py").write_text("def score(query, passages):\n    return (0.5,)\n", encoding="utf-8")
    assert scored("python:rerank_package_of_test.inner:score", tmp_path, "q", "a").scores == (0.5,)


def test_an_installed_module_serves_too(tmp_path: Path) -> None:
    found = scored("python:operator:eq", tmp_path, "q", "a")
    # `"q" == ["a"]` is False: no list of numbers, but the function was found and called.
    assert found.failure is not None
    assert "python:operator:eq" in found.failure.message


WRONG = {
    "raise ValueError('no\\nluck')": "raised ValueError: no luck",
    "raise SystemExit(3)": "raised SystemExit: 3",
    "next(iter(()))": "StopIteration",
    "return [1.0]": "gave 1 score(s) for 2 passage(s)",
    "return [1.0] * 3": "gave more than 2 score(s) for 2 passage(s)",
    "return __import__('itertools').count()": "gave more than 2 score(s)",
    "return [1.0, float('nan')]": "score 2 is nan",
    "return [float('inf'), 1.0]": "score 1 is inf",
    "return [1.0, None]": "score 2 is None",
    "return [True, 1.0]": "score 1 is True",
    "return ['0.5', 1.0]": "score 1 is '0.5'",
    "return '12'": "gave str",
    "return {1: 2, 3: 4}": "gave dict",
    "return {0.1, 0.2}": "gave set",
    "return None": "gave NoneType",
    "return 0.5": "gave float",
    "return [[0.5], [0.2]]": "score 1 is [0.5]",
    "return (1 / 0 for _ in passages)": "ZeroDivisionError",
    "return [10**400, 1]": "OverflowError",
}


@pytest.mark.parametrize("word", ["def", "async def"])
@pytest.mark.parametrize("body", WRONG)
def test_what_a_function_does_wrong_is_a_failure_that_names_it(tmp_path: Path, body: str, word: str) -> None:
    named = function(tmp_path, f"{word} score(query, passages):\n    {body}\n")
    found = scored(named, tmp_path, "q", "a", "b")
    assert found.scores == ()
    assert found.failure is not None
    assert found.failure.type == "rerank"
    assert found.failure.message.startswith("python:my_rerank:score: ")
    assert "\n" not in found.failure.message
    assert word == "async def" or WRONG[body] in found.failure.message


def test_a_key_in_the_words_of_an_error_is_taken_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RERANK_API_KEY", "very-secret-value")
    body = "import os\ndef score(query, passages):\n    raise OSError('401 for ' + os.environ['RERANK_API_KEY'])\n"
    found = scored(function(tmp_path, body), tmp_path, "q", "a")
    assert found.failure is not None
    assert found.failure.message == "python:my_rerank:score: raised OSError: 401 for [key]"


@pytest.mark.parametrize(
    "result",
    [[1, 2.5], (1, 2.5), np.array([1, 2.5], dtype=np.float32), iter([1.0, 2.5]), [np.float32(1), np.float64(2.5)]],
    ids=("list", "tuple", "array", "iterator", "numpy numbers"),
)
def test_numbers_in_any_order_keeping_form_are_scores(result: Any) -> None:
    assert checked("f", result, 2).scores == (1.0, 2.5)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats() | st.integers() | st.text(max_size=3) | st.none() | st.booleans(), max_size=6),
    st.integers(0, 6),
)
def test_scores_are_all_finite_or_there_are_none(result: list[Any], count: int) -> None:
    found = checked("f", result, count)
    assert (found.failure is None) == (found.scores != () or count == len(result) == 0)
    assert all(math.isfinite(score) for score in found.scores)
    assert found.failure is not None or len(found.scores) == count == len(result)


def test_a_function_runs_outside_the_loop_one_call_at_a_time(tmp_path: Path) -> None:
    body = (
        "import threading\nbusy = threading.Lock()\nthreads = set()\n"
        "def score(query, passages):\n"
        "    assert busy.acquire(blocking=False)\n"
        "    threads.add(threading.current_thread().name)\n"
        "    busy.release()\n"
        "    return [len(threads), float('MainThread' in ' '.join(threads))]\n"
    )
    reranker = make_reranker(naming(function(tmp_path, body)), gateway(tmp_path), tmp_path)
    assert reranker is not None

    async def all_of_them() -> list[Scored]:
        return await asyncio.gather(*(reranker.score("q", "en", chunks("a", "b")) for _ in range(20)))

    assert threading.current_thread().name == "MainThread"
    assert all(one.failure is None and one.scores[1] == 0.0 for one in asyncio.run(all_of_them()))


@pytest.mark.parametrize(
    ("rerank", "told"),
    [
        ("python:my_rerank", "python:MODULE:FUNCTION"),
        ("python:my rerank:score", "python:MODULE:FUNCTION"),
        ("python:../my_rerank:score", "python:MODULE:FUNCTION"),
        ("python:no_such_module_at_all:score", "put no_such_module_at_all.py into"),
        ("python:my_rerank:other", "other is not in it"),
        ("python:my_rerank:NUMBER", "NUMBER is no function"),
        ("python:my_rerank:one", "called with"),
        ("python:broken:score", "cannot be imported: SyntaxError"),
        ("python:leaving:score", "cannot be imported: SystemExit"),
        ("python:needing:score", "cannot be imported: ModuleNotFoundError: No module named 'no_such_package'"),
        ("rerank", "is no reranker"),
        (":x", "is no reranker"),
    ],
)
def test_a_reranker_that_cannot_work_is_refused_before_anything_is_paid(tmp_path: Path, rerank: str, told: str) -> None:
    function(tmp_path, "NUMBER = 5\ndef score(query, passages): ...\ndef one(query): ...\n")
    function(tmp_path, "def", name="broken")
    function(tmp_path, "raise SystemExit(1)", name="leaving")
    function(tmp_path, "import no_such_package", name="needing")
    with pytest.raises(UsageError, match=r"execute\.retrieval\.rerank") as error:
        check_models(naming(rerank), ("execute",), root=tmp_path)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


# Language models


def test_a_model_scores_by_the_places_that_it_gives(tmp_path: Path) -> None:
    found = scored("scripted:r", tmp_path, "q", "a", "b", "c", replies=({"order": ["3", "1", "2"]},))
    assert found.scores == (1 / 2, 1 / 3, 1 / 1)
    assert [call.model for call in found.calls] == ["scripted:r"]
    assert found.notes == ()


def test_passages_that_a_model_leaves_out_stay_behind_in_their_order(tmp_path: Path) -> None:
    found = scored("scripted:r", tmp_path, "q", "a", "b", "c", "d", replies=({"order": ["3", "9", "3"]},))
    # 3, then 1, 2, 4 as they were.
    assert found.scores == (1 / 2, 1 / 3, 1 / 1, 1 / 4)
    assert found.notes == ("rerank: the model left out 3 of 4 passages; they keep their order behind",)


def test_an_order_of_no_passage_is_asked_for_again_and_then_a_failure(tmp_path: Path) -> None:
    nothing = {"order": ["8", "9"]}
    assert scored("scripted:r", tmp_path, "q", "a", "b", replies=(nothing, {"order": ["2", "1"]})).scores == (0.5, 1.0)
    found = scored("scripted:r", tmp_path, "q", "a", "b", replies=(nothing, nothing))
    assert found.failure is not None
    assert found.failure.type == "unparseable"
    assert found.failure.message.startswith("rerank: ")
    assert [call.attempts for call in found.calls] == [2]


def test_no_reranker_where_none_is_named(tmp_path: Path) -> None:
    assert make_reranker(Settings(), gateway(tmp_path), tmp_path) is None


# What rows depend on


def test_keys_hold_the_prompts_of_models_and_the_files_of_others(tmp_path: Path) -> None:
    models = gateway(tmp_path)
    assert retrieval_prompts(Settings(), models, tmp_path) == {}
    asked = retrieval_prompts(naming("openai:m", rewrite="openai:m"), models, tmp_path)
    assert sorted(asked) == ["rank_passages", "rewrite_query"]
    assert len(set(asked.values())) == 2
    named = function(tmp_path, "def score(query, passages): ...\n")
    first = retrieval_prompts(naming(named), models, tmp_path)
    function(tmp_path, "def score(query, passages): return [0.0] * len(passages)\n")
    assert sorted(first) == ["reranker"]
    assert retrieval_prompts(naming(named), models, tmp_path) != first
    folder = write_model(tmp_path)
    flash = retrieval_prompts(naming(FLASH), models, tmp_path)
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 1}), encoding="utf-8")
    assert retrieval_prompts(naming(FLASH), models, tmp_path) != flash


def test_models_of_the_search_and_of_its_audit_are_checked_like_any_other(tmp_path: Path) -> None:
    settings = Settings.model_validate(
        {
            "execute": {"retrieval": {"rewrite": "openai:a", "rerank": "openai:b"}},
            "audit_retrieval": {"claims_model": "openai:c"},
        }
    )
    assert {"openai:a", "openai:b"} <= used_models(settings, ("execute",))
    assert "openai:c" not in used_models(settings, ("execute",))
    assert {"openai:a", "openai:b", "openai:c", "embedded:wordllama"} <= used_models(settings, ("retrieval",))
    assert not {"openai:a", "openai:b", "openai:c"} & used_models(settings.control(), ("execute", "judge"))
    assert FLASH not in used_models(naming(FLASH), ("execute",))
    for name in ("embedded:wordllama", "embedded:no-such"):
        for changed in (naming(name), naming("", rewrite=name)):
            with pytest.raises(UsageError, match="unknown model"):
                check_models(changed, ("execute",), root=tmp_path)


TWO = ["embedded:hashing", "embedded:wordllama"]


def test_the_estimate_counts_rewrites_once_a_case_and_reranks_once_a_case_and_embedding_model(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    (tmp_path / "corpora").mkdir()
    settings = Settings.model_validate(
        {
            "documents": {"count": 2},
            "cases": {"per_document": 10, "technique": "ragtester"},
            "execute": {
                "k": 3,
                "index": {"chunk_size": 400},
                "groups": [{"llms": ["embedded:rules", "embedded:eager"], "embeddings": TWO}],
                "retrieval": {"rewrite": "embedded:rules", "rerank": "embedded:rules", "rerank_k": 7},
            },
        }
    )
    lines = {line.stage: line for line in estimate_run(workspace, settings).lines}
    # 2 documents × 10 cases, and for the rerank × 2 embedding models; two LLMs share each search.
    assert [lines[f"execute: {name}"].calls for name in ("rewrite", "rerank")] == [20, 40]
    # Seven passages of 400 / 4 tokens beside the question of 30.
    assert lines["execute: rerank"].prompt_tokens == 40 * (INSTRUCTIONS["rerank"] + 30 + 7 * 100)
    plain = estimate_run(workspace, Settings.model_validate({"documents": {"count": 2}}))
    assert not {"execute: rewrite", "execute: rerank"} & {line.stage for line in plain.lines}


@pytest.mark.parametrize(
    ("rerank", "name", "ok"),
    [
        (FLASH, f"reranker {FLASH}", False),
        ("python:my_rerank:score", "reranker python:my_rerank:score", True),
        ("python:my_rerank:other", "reranker python:my_rerank:other", False),
        ("embedded:rules", "model embedded:rules", True),
        ("rerank", "reranker", False),
        ("", "package flashrank", True),
    ],
)
def test_the_doctor_says_whether_the_reranker_is_there(tmp_path: Path, rerank: str, name: str, ok: bool) -> None:
    function(tmp_path, "def score(query, passages): ...\n")
    found = {finding.name: finding for finding in examine(Workspace(tmp_path), naming(rerank))}
    assert found[name].ok is ok
    assert "\n" not in found[name].detail


@pytest.mark.parametrize("setting", ["rewrite", "rerank", "claims_model"])
@pytest.mark.parametrize(
    ("model", "ok"),
    [("embedded:rules", True), ("embedded:hashing", False), ("embedded:wordllama", False), ("nosuch:model", False)],
)
def test_the_doctor_reports_what_the_run_refuses(tmp_path: Path, setting: str, model: str, ok: bool) -> None:
    """`embedded:hashing` is an embedding model of this matrix, `embedded:wordllama` one that is not in it."""
    groups = [{"llms": ["embedded:rules"], "embeddings": ["embedded:hashing"]}]
    named = {setting: model}
    tree: dict[str, Any] = {"execute": {"groups": groups, "retrieval": named}}
    if setting == "claims_model":
        tree = {"execute": {"groups": groups}, "audit_retrieval": named}
    wanted = Settings.model_validate(tree)
    refused = ""
    try:
        check_models(wanted, (*STAGES, AUDIT), root=tmp_path)
    except UsageError as error:
        refused = str(error)
    assert bool(refused) is not ok
    (found,) = [finding for finding in examine(Workspace(tmp_path), wanted) if finding.name == f"model {model}"]
    assert found.ok is ok
    assert ok or found.detail == refused


def test_a_model_of_the_search_without_its_key_stops_the_run_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        check_models(naming("openai:gpt-4.1-mini"), ("execute",))


def test_the_function_of_the_guide_works_as_it_stands_there(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[1] / "docs" / "retrieval.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", guide.partition("### A function")[2].partition("###")[0], re.S)
    found = scored(function(tmp_path, example), tmp_path, "Pump oil", "the pump", "oil for the pump", "valves")
    assert found.scores == (1.0, 2.0, 0.0)

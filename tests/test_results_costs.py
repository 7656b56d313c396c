"""What rewrite and rerank add to the cost of a system, and what a run paid for them; sums by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ragtester.records import Answer, Call, Failure, Manifest, Trace
from ragtester.report.overview import _cost
from ragtester.results import Result, load_results
from ragtester.stages.compare import compare
from ragtester.storage import write_json, write_rows
from ragtester.workspace import Workspace
from tests import builders

LLMS, EMBEDDINGS = ("m:a", "m:b"), ("e:x", "e:y")
PRICES = {"m:a": 0.5, "m:b": 0.25}
REWRITE = Call(model="m:r", cost=0.03125, seconds=1.0, prompt_tokens=10, completion_tokens=1)
RERANK = Call(model="m:k", cost=0.0625, seconds=2.0, prompt_tokens=40, completion_tokens=4)
"""All costs are sums of powers of two, so that they are exact."""


def said(llm: str, embedding: str, *calls: Call, **changes: Any) -> Answer:
    own = Call(model=llm, cost=PRICES[llm], seconds=4.0, prompt_tokens=100, completion_tokens=7)
    trace = Trace(query="q", index="i", embedding=embedding, k=1, rewrite="r", context_ids=("c",), calls=calls)
    return builders.answer("one", llm, "x", embedding=embedding, **({"call": own, "trace": trace} | changes))


def written(root: Path, answers: Iterable[Answer]) -> Workspace:
    workspace = Workspace(root)
    write_rows(workspace.documents_file("main"), [builders.document("doc")])
    write_rows(workspace.cases_file("main", "ragtester", "doc"), [builders.case("one")])
    for stage, folder in (("execute", workspace.answers("main")), ("judge", workspace.verdicts("main"))):
        write_json(folder / "manifest.json", Manifest(stage=stage, name="main", seed=0, started="then", ended="now"))
    for answer in answers:
        write_rows(workspace.answers_file("main", answer.llm, answer.embedding, "doc"), [answer])
        verdict = builders.verdict(answer, "pass", mean=1.0)
        write_rows(workspace.verdicts_file("main", answer.llm, answer.embedding, "doc"), [verdict])
    return workspace


def rows(workspace: Workspace) -> Mapping[tuple[str, str], Result]:
    return {row.system: row for row in load_results(workspace, ["main"]).rows}


def matrix() -> list[Answer]:
    """Two LLMs share each search, two embedding models the rewrite."""
    shared = REWRITE.model_copy(update={"attempts": 0})
    return [
        said(llm, embedding, REWRITE if embedding == "e:x" else shared, RERANK)
        for llm in LLMS
        for embedding in EMBEDDINGS
    ]


def test_a_system_costs_its_own_rewrite_and_rerank_and_the_run_pays_what_was_asked(tmp_path: Path) -> None:
    workspace = written(tmp_path, matrix())
    found = rows(workspace)
    assert {system: row.cost for system, row in found.items()} == {
        ("m:a", "e:x"): 0.59375,  # 0.5 + 0.03125 + 0.0625
        ("m:a", "e:y"): 0.59375,
        ("m:b", "e:x"): 0.34375,  # 0.25 + 0.03125 + 0.0625
        ("m:b", "e:y"): 0.34375,
    }
    assert {(row.seconds, row.prompt_tokens, row.completion_tokens) for row in found.values()} == {(7.0, 150, 12)}
    # Four answers, one rewrite, a rerank an embedding model: 1.5 + 0.03125 + 2 × 0.0625.
    assert sum(row.paid or 0.0 for row in found.values()) == 1.65625


def test_comparison_and_report_take_each_its_own(tmp_path: Path) -> None:
    results = load_results(written(tmp_path, matrix()), ["main"])
    table = compare(results).table("pareto")
    place = table.columns.index("cost of 100 answers")
    assert {str(row[0]): getattr(row[place], "value", None) for row in table.rows} == {
        "m:a × e:x": 59.375,
        "m:a × e:y": 59.375,
        "m:b × e:x": 34.375,
        "m:b × e:y": 34.375,
    }
    latency = table.columns.index("median latency")
    assert {getattr(row[latency], "value", None) for row in table.rows} == {7.0}
    assert "answers US$ 1.66," in _cost(results)[2]


def test_a_search_without_a_price_makes_the_cost_unknown_and_a_free_one_changes_nothing(tmp_path: Path) -> None:
    free = Call(model="embedded:rules", cost=0.0)
    unknown = REWRITE.model_copy(update={"cost": None})
    found = rows(written(tmp_path, [said("m:a", "e:x", free), said("m:b", "e:x", unknown)]))
    one, other = found["m:a", "e:x"], found["m:b", "e:x"]
    assert (one.cost, one.paid, one.seconds, one.prompt_tokens, one.completion_tokens) == (0.5, 0.5, 4.0, 100, 7)
    assert (other.cost, other.seconds) == (None, 5.0)


def test_a_search_that_failed_was_paid_for_once(tmp_path: Path) -> None:
    failed: dict[str, Any] = {
        "call": None,
        "outcome": "failed",
        "failure": Failure(type="timeout", message="rerank: too slow"),
    }
    found = rows(written(tmp_path, [said(llm, "e:x", REWRITE, **failed) for llm in LLMS]))
    assert [row.cost for row in found.values()] == [0.03125, 0.03125]
    assert sorted(row.paid for row in found.values() if row.paid is not None) == [0.0, 0.03125]

"""The claims audit through the gateway and the command line: replies as a model gives them, limits, prices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragtester import Project
from ragtester.errors import UsageError
from ragtester.records import Claim
from ragtester.stages import claims
from ragtester.storage import read_rows, write_rows
from ragtester.workspace import Workspace
from tests.claims_fakes import LLM, answer, workspace
from tests.servers.openai_api import OpenAIServer
from tests.test_cli import ragtester

SPLIT = {
    "claims": [{"claim": "The ibis is white.", "passages": ["a", "nowhere"]}, {"claim": "It dives.", "passages": ["b"]}]
}


def scripted(root: Path, *lines: dict[str, Any]) -> str:
    (root / "script.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return "audit_claims.model=scripted:script.jsonl"


def checked(contains: str, verdict: str, passages: tuple[str, ...] = ("a",)) -> dict[str, Any]:
    return {
        "task": "check_claim",
        "contains": contains,
        "reply": {"reason": "so", "verdict": verdict, "passages": passages},
    }


def rows(space: Workspace, run: str = "main") -> list[Claim]:
    return read_rows(claims.Files.of(space, run).claims, Claim)


def test_a_verdict_out_of_range_is_no_verdict(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "Ibis.")])
    model = scripted(
        tmp_path,
        {"task": "split_answer", "contains": "Ibis", "reply": SPLIT},
        checked("It dives.", "maybe"),
        checked("ibis", "supported"),
    )
    done = Project(tmp_path, [model]).audit_claims()
    white, dives = rows(space)
    assert (white.chunk_ids, white.unknown_ids, white.verdict) == (("a",), ("nowhere",), "supported")
    assert (dives.verdict, dives.context_verdict) == (None, None)
    assert dives.failure is not None and dives.failure.type == "unparseable" and "verdict" in dives.failure.message
    assert dives.call is not None and "maybe" in dives.call.raw, "the reply is kept"
    result = Project(tmp_path).claims_result()
    assert result is not None and (result.cited.sent, result.cited.ungraded) == (2, 1)
    assert (done.exit_code, done.ledger.failed) == (3, 1)


def test_the_command_prints_clusters_first_and_leaves_with_3_where_something_was_not_checked(tmp_path: Path) -> None:
    workspace(tmp_path, [answer("q1", "Ibis.")])
    model = scripted(
        tmp_path,
        {"task": "split_answer", "contains": "Ibis", "reply": SPLIT},
        checked("It dives.", "contradicted", ("b",)),
        checked("ibis", "maybe"),
    )
    done = ragtester(tmp_path, "audit", "claims", "--set", model)
    assert (done.returncode, done.stderr.count("Traceback")) == (3, 0), done.stderr
    text = " ".join(done.stdout.split())
    assert text.index("Where do bad claims come from?") < text.index("The denominator is the claims sent.")
    assert "1 contradicted claim of 2 sent" in text and "of which 1 could not be checked" in text
    assert "1 question: an anecdote" in text
    assert "audit claims: 1 planned = 0 audited + 1 failed + 0 skipped + 0 unfilled (failed: 1 unparseable)" in text
    again = ragtester(tmp_path, "audit", "claims", "--set", model, "--retry-failed", "-q")
    assert (again.returncode, again.stdout.count("1 failed")) == (3, 1)
    other = ragtester(tmp_path, "audit", "claims", "-q")
    assert other.returncode == 2
    assert "judge: scripted:script.jsonl is now embedded:judge" in other.stderr


def test_a_limit_stops_cleanly_and_the_next_start_goes_on(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(f"q{n}", f"Ibis {n}.") for n in range(3)])

    def say(body: dict[str, Any]) -> str:
        if "Ibis" in json.dumps(body["messages"]):
            return json.dumps({"claims": [{"claim": "It dives.", "passages": ["a", "b"]}]})
        return json.dumps({"reason": "so", "verdict": "supported", "passages": ["a"]})

    with OpenAIServer(say) as server:
        own = [
            "judge.model=openai:judge",
            f'models."openai:judge".base_url="{server.url}"',
            "providers.openai.concurrency=1",
        ]
        done = Project(tmp_path, [*own, "limits.max_calls=3"]).audit_claims()
        assert (done.exit_code, done.stopped.partition(":")[0], len(server.chats())) == (3, "budget", 3)
        done = Project(tmp_path, own).audit_claims()
        assert (done.ledger.ok, done.stopped, len(server.chats())) == (3, "", 6), "three splits and three checks"
    assert len(rows(space)) == 3


def test_an_estimate_names_calls_and_price_and_asks_nothing(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer("q1", "The ibis is white. It dives."), answer("q2", "I don't know.")])
    own = ["judge.model=openai:gpt-4.1-mini"]
    document = Project(tmp_path, own).estimate_claims()
    split, check = document.table("claims-estimate").rows
    # Two sentences, each against a cited chunk and against both; the abstention costs nothing.
    assert (split[1], check[1]) == (1, 4)
    assert isinstance(split[4], float) and split[4] > 0 and isinstance(check[4], float) and check[4] > split[4]
    assert not claims.Files.of(space, "main").folder.exists()
    free = Project(tmp_path, ["judge.model=embedded:judge"]).estimate_claims().table("claims-estimate").rows
    assert [row[4] for row in free] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("model", "words"),
    [("openai:gpt-4.1-nano", "OPENAI_API_KEY"), ("foo:bar", "foo"), ("embedded:nothing", "embedded:nothing")],
)
def test_a_model_that_cannot_work_is_named_before_anything_is_asked(tmp_path: Path, model: str, words: str) -> None:
    space = workspace(tmp_path, [answer("q1", "Ibis.")])
    with pytest.raises(UsageError, match=words):
        Project(tmp_path, [f"audit_claims.model={model}"]).audit_claims()
    assert not claims.Files.of(space, "main").folder.exists()


def test_the_page_has_a_section_of_claims_and_says_when_it_is_stale(tmp_path: Path) -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    space = workspace(tmp_path, [answer("q1", "Ibis.")])
    model = scripted(
        tmp_path,
        {"task": "split_answer", "contains": "Ibis", "reply": {"claims": [{"claim": evil, "passages": ["a"]}]}},
        checked("onerror", "contradicted"),
    )
    project = Project(tmp_path, [model])
    page = project.report().path
    assert 'id="claims"' not in page.read_text(encoding="utf-8")
    project.audit_claims()
    project.report()
    text = page.read_text(encoding="utf-8")
    claims_section = text[text.index('id="claims"') :].partition("</section>")[0]
    assert "1 contradicted claim of 1 sent" in claims_section and "Stale" not in claims_section
    assert "&lt;img src=x onerror" in claims_section and "<img" not in claims_section
    write_rows(space.answers_file("main", LLM, "embedded:hashing", "d"), [answer("q1", "Another ibis.")])
    project.report()
    assert "Stale: the run's answers changed since the claims audit" in page.read_text(encoding="utf-8").replace(
        "&#x27;", "'"
    ).replace("&#39;", "'")

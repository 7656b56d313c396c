"""The output audit killed in the middle: nothing lost, and nothing paid for twice."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ragtester import Project
from ragtester.workspace import Workspace
from tests.coverage_fakes import WINDOW, answer, rows, workspace
from tests.killing import kill_after, sent
from tests.servers.openai_api import OpenAIServer

CASES, CONCURRENCY = 8, 2
SETTINGS = """
[audit_coverage]
model = "openai:checker"
[models."openai:checker"]
base_url = "{url}"
[providers.openai]
concurrency = {concurrency}
"""


def reply(body: dict[str, Any]) -> str:
    """What a careful model would say, from the prompt alone."""
    system, user = (message["content"] for message in body["messages"])
    if system.startswith("You take an answer apart"):
        return json.dumps({"claims": [{"claim": WINDOW, "passages": ["new"]}]})
    verdict = "supported" if "30 days" in user.partition("<passage")[2] else "unsupported"
    verdict = "contradicted" if "14 days" in user else verdict
    label = re.search(r'<passage id="(\w+)"', user)
    assert label is not None
    passages = [] if verdict == "unsupported" else [label[1]]
    return json.dumps({"reason": "It says so.", "verdict": verdict, "passages": passages})


def run_of(folder: Path, url: str) -> Workspace:
    space = workspace(folder, [answer(number, "It is 30 days.", ("new",)) for number in range(1, CASES + 1)])
    (folder / "ragtester.toml").write_text(SETTINGS.format(url=url, concurrency=CONCURRENCY), encoding="utf-8")
    return space


def made(space: Workspace) -> list[str]:
    """The rows, without the server's latency."""
    return [re.sub(r'"seconds":[^,}]+', '"seconds":0', row.model_dump_json()) for row in rows(space)]


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_an_audit_killed_twice_ends_like_one_that_was_not(tmp_path: Path) -> None:
    with OpenAIServer(reply, latency=0.02) as server:
        whole = run_of(tmp_path / "whole", server.url)
        assert Project(whole.root).audit_coverage().exit_code == 0
        planned = sent(server)
        server.requests.clear()
        server.seen.clear()
        killed = run_of(tmp_path / "killed", server.url)
        for requests in (6, 17):
            kill_after(Project(killed.root).audit_coverage, server, requests)
        assert Project(killed.root).audit_coverage().exit_code == 0
        repeated = sent(server)
    # a split and three checks an answer
    assert planned.total() == 4 * CASES
    assert made(killed) == made(whole)
    assert [one.chunk_id for one in rows(whole)[0].hidden] == ["old"]
    assert set(repeated) == set(planned)
    in_flight = (repeated - planned).total()
    assert in_flight <= 2 * CONCURRENCY, f"{in_flight} requests were paid for twice"
    assert not list(killed.private.glob("calls/*")), "every reply is in a row: the journal is not needed any more"

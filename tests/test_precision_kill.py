"""The panel killed in the middle, and members whose server or key is not there: nothing lost, nothing paid twice."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ragtester import Project
from ragtester.progress import SilentProgress
from ragtester.records import PanelVote
from ragtester.stages import precision
from ragtester.stages.precision.files import Files
from ragtester.storage import read_rows
from ragtester.workspace import Workspace
from tests.killing import kill_after, sent
from tests.precision_helpers import judged_run
from tests.servers.openai_api import OpenAIServer

CASES, CONCURRENCY = 12, 2
PANEL = ("openai:large", "openai:larger--fenced")
SETTINGS = """
[audit]
panel = {panel}
[providers.openai]
concurrency = {concurrency}
"""


def vote(body: dict[str, Any]) -> str:
    """What a careful model would say, from the prompt alone."""
    user = body["messages"][-1]["content"]
    answer = user.partition("<answer>")[2].partition("</answer>")[0]
    return json.dumps({"reason": "It says so.", "vote": "correct" if "six" in answer else "Incorrect"})


def workspace(folder: Path, url: str, panel: tuple[str, ...] = PANEL) -> Workspace:
    # Two cases in three have the same answer and evidence; questions differ.
    said = [("two years" if number % 3 else "six years", "fail") for number in range(CASES)]
    space = judged_run(folder, said)
    models = "".join(f'[models."{name}"]\nbase_url = "{url}"\n' for name in PANEL)
    text = SETTINGS.format(panel=json.dumps(panel), concurrency=CONCURRENCY)
    (folder / "ragtester.toml").write_text(text + models, encoding="utf-8")
    return space


def rows(space: Workspace) -> dict[str, list[str]]:
    """Every row of the audit, without the server's latency and the workspace's own name."""
    found = {}
    folder = Files.of(space, "main").folder
    for path in sorted(folder.rglob("*.jsonl")):
        lines = path.read_text(encoding="utf-8").splitlines()
        found[str(path.relative_to(folder))] = [re.sub(r'"seconds":[^,}]+', '"seconds":0', line) for line in lines]
    return found


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_panel_killed_twice_ends_like_one_that_was_not(tmp_path: Path) -> None:
    with OpenAIServer(vote, latency=0.03) as server:
        whole = workspace(tmp_path / "whole", server.url)
        assert Project(whole.root).audit_precision().exit_code == 0
        planned = sent(server)
        server.requests.clear()
        server.seen.clear()
        killed = workspace(tmp_path / "killed", server.url)
        for requests in (5, 13):
            kill_after(Project(killed.root).audit_precision, server, requests)
        assert Project(killed.root).audit_precision().exit_code == 0
        repeated = sent(server)
    assert planned.total() == CASES * len(PANEL)
    assert len(rows(whole)) == 4
    assert rows(killed) == rows(whole)
    assert set(repeated) == set(planned)
    in_flight = (repeated - planned).total()
    assert in_flight <= 2 * CONCURRENCY, f"{in_flight} votes were paid for twice"
    assert not list(killed.private.glob("calls/*")), "every reply is in a row: the journal is not needed any more"
    result = precision.read_result(killed, "main")
    assert result is not None
    assert (result.figures[0].tp, result.figures[0].fp) == (8, 4)


def test_a_member_without_its_key_leaves_the_others_voting(tmp_path: Path) -> None:
    with OpenAIServer(vote) as server:
        space = workspace(tmp_path, server.url, (*PANEL, "openai:gpt-unheard-of"))
        progress = SilentProgress()
        done = Project(tmp_path, progress=progress).audit_precision()
    assert done.exit_code == 3
    assert done.stopped.startswith("openai:gpt-unheard-of: missing_key: set OPENAI_API_KEY")
    assert any("OPENAI_API_KEY" in note for note in progress.notes)
    result = precision.read_result(space, "main")
    assert result is not None
    assert [one.open for one in result.panel] == [0, 0, CASES]
    assert (result.figures[0].tp, result.figures[0].fp, result.figures[0].open) == (8, 4, 0)
    votes = read_rows(Files.of(space, "main").votes(PANEL[1]), PanelVote)
    assert {row.vote for row in votes} == {"correct", "incorrect"}  # fenced JSON and capitals are understood
    assert {row.served_voter for row in votes} == {"larger--fenced-2026-01-01"}


def test_a_limit_stops_the_panel_cleanly_and_the_next_start_goes_on(tmp_path: Path) -> None:
    with OpenAIServer(vote) as server:
        space = workspace(tmp_path, server.url)
        limited = Project(tmp_path, ["limits.max_calls=7"]).audit_precision()
        assert (limited.exit_code, len(server.chats())) == (3, 7)
        assert "budget" in limited.stopped
        assert Project(tmp_path).audit_precision().exit_code == 0
        assert len(server.chats()) == CASES * len(PANEL)
    result = precision.read_result(space, "main")
    assert result is not None
    assert result.votes.ok == CASES * len(PANEL)

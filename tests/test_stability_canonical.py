"""The canonical verdict: the majority of several judgements of one answer."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path
from typing import Any

import pytest

from ragtester.errors import ChangedInputsError, UsageError
from ragtester.estimate import estimate_run
from ragtester.models.gateway import Gateway
from ragtester.pipeline import run_stages
from ragtester.progress import SilentProgress
from ragtester.records import Failure, Verdict
from ragtester.settings import Settings, parse_settings
from ragtester.stages import judge as judge_stage
from ragtester.stages.judge_summary import summarise
from ragtester.storage import append_row
from ragtester.workspace import Workspace
from tests.servers.helpers import settings_for
from tests.servers.http import Request, Response
from tests.servers.openai_api import OpenAIServer
from tests.stability_fakes import QUOTA, SPENT, TIMEOUT, VaryingJudge, reply
from tests.test_stage_judge import FakeModels, answer, run, verdicts, workspace


def thrice(**judge: Any) -> Settings:
    return parse_settings({"judge": {"model": "openai:judge", "repeats": 3, **judge}}, "test")


def judged(root: Path, said: list[str | Failure]) -> tuple[Verdict, VaryingJudge]:
    """The verdict of three judgements on one answer. Keyword match is false: 'tttt' has the mean 4/5."""
    models = VaryingJudge({"Two": said})
    space = workspace(root, [answer(1, "Two")])
    run(space, models, thrice())  # type: ignore[arg-type]
    return verdicts(space)[0], models


@pytest.mark.parametrize(
    ("said", "status", "mean", "votes"),
    [
        # means 0.8 (pass), 0.8 (pass), 0.2 + faithfulness false (fail)
        (["tttt", "tttt", "ffft"], "pass", 0.8, (2, 2, 1, 0)),
        (["tttt", "tttt", "tttt"], "pass", 0.8, (3, 3, 0, 0)),
        # faithfulness false fails at any mean: fail 0.6, fail 0.2, pass 0.8; the lower of the middle two of {0.2, 0.6}
        (["fttt", "ffft", "tttt"], "fail", 0.2, (2, 1, 2, 0)),
        # the median of 0.8, 0.7, 0.6 is 0.7
        (["tttt", "tptt", "tptp"], "pass", 0.7, (3, 3, 0, 0)),
        # one judgement of three is usable, or two that agree
        (["tttt", SPENT, TIMEOUT], "pass", 0.8, (1, 1, 0, 2)),
        (["ffff", "ffff", TIMEOUT], "fail", 0.0, (2, 0, 2, 1)),
    ],
)
def test_the_majority_decides(
    said: list[str | Failure], status: str, mean: float, votes: tuple[int, int, int, int], tmp_path: Path
) -> None:
    row, models = judged(tmp_path, said)
    assert (row.status, row.mean, models.asked["Two"]) == (status, mean, 3)
    assert row.votes is not None
    assert (row.votes.agreed, row.votes.passed, row.votes.failed, row.votes.ungraded) == votes
    assert len(row.votes.means) == row.votes.asked == 3


def test_ratings_mean_and_reasons_belong_to_one_judgement_and_the_cost_is_that_of_all(tmp_path: Path) -> None:
    row, models = judged(tmp_path, ["tttt", "tptt", "tptp"])
    assert row.ratings is not None
    assert (row.ratings.relevance, row.ratings.clarity) == ("partially", "true")
    assert row.reasons["clarity"] == "judgement 1 clarity"
    assert row.call is not None
    assert (row.call.cost, row.call.prompt_tokens, row.call.completion_tokens, row.call.seconds) == (0.75, 300, 30, 4.5)
    assert row.call.attempts == 3
    assert len(set(models.purposes)) == 3, "a kept reply must serve one repeat only"


def test_a_tie_is_ungraded_and_not_paid_for_again(tmp_path: Path) -> None:
    row, _ = judged(tmp_path, ["tttt", "ffff", SPENT])
    assert (row.status, row.decided_by, row.mean) == ("ungraded", "tied", None)
    assert row.failure is not None and row.failure.type == "tied"
    assert row.failure.message == "1 of 3 judgements gave no grade and the others are tied 1 to 1"
    assert row.votes is not None and (row.votes.agreed, row.votes.passed, row.votes.failed) == (0, 1, 1)
    again = VaryingJudge({"Two": ["tttt"]})
    assert run(Workspace(tmp_path), again, thrice()).ledger.failed == 1  # type: ignore[arg-type]
    assert not again.asked
    run(Workspace(tmp_path), again, thrice(retry_failed=True))  # type: ignore[arg-type]
    assert verdicts(Workspace(tmp_path))[0].status == "pass"


def test_a_tie_that_a_lost_connection_made_is_judged_by_the_next_start(tmp_path: Path) -> None:
    row, _ = judged(tmp_path, ["tttt", "ffff", TIMEOUT])
    assert row.failure is not None
    assert (row.status, row.decided_by, row.failure.type) == ("ungraded", "tied", "timeout")
    run(Workspace(tmp_path), VaryingJudge({"Two": ["tttt"]}), thrice())  # type: ignore[arg-type]
    assert verdicts(Workspace(tmp_path))[0].status == "pass"


def test_three_failures_are_a_failure_of_the_judge(tmp_path: Path) -> None:
    row, _ = judged(tmp_path, [SPENT, TIMEOUT, SPENT])
    assert row.failure == TIMEOUT, "what another start may mend is named first"
    assert (row.status, row.decided_by) == ("ungraded", "judge_failed")


def test_a_stopped_judge_leaves_the_row_open(tmp_path: Path) -> None:
    models = VaryingJudge({"Two": ["tttt", QUOTA]})
    space = workspace(tmp_path, [answer(1, "Two")])
    result = run(space, models, thrice())  # type: ignore[arg-type]
    assert (verdicts(space), result.ledger.skipped) == ([], 1)
    assert "quota" in result.stopped


def test_one_judgement_makes_the_same_row_as_before_there_were_repeats(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, "six years")])
    run(space, FakeModels())
    path = space.verdicts_file("main", "embedded:eager", "embedded:hashing", "d1")
    assert '"votes"' not in path.read_text(encoding="utf-8")
    single = verdicts(space)[0].key
    with pytest.raises(ChangedInputsError, match="repeats: 1 is now 3"):
        run(space, FakeModels(), parse_settings({"judge": {"repeats": 3}}, "test"))
    run(space, FakeModels(), parse_settings({"judge": {"repeats": 3}}, "test"), overwrite=True)
    assert verdicts(space)[0].key != single
    with pytest.raises(ChangedInputsError, match="repeats: 3 is now 1"):
        run(space, FakeModels())


def test_an_even_number_of_repeats_is_refused() -> None:
    with pytest.raises(UsageError, match=r"judge\.repeats: an even number has no majority"):
        thrice(repeats=2)


def test_abstentions_are_decided_by_rule_and_asked_never(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, "I don't know.", outcome="abstained")])
    models = VaryingJudge({})
    run(space, models, thrice())  # type: ignore[arg-type]
    assert (verdicts(space)[0].decided_by, verdicts(space)[0].votes) == ("refusal", None)


def test_the_summary_says_how_often_all_agreed(tmp_path: Path) -> None:
    models = VaryingJudge({"Two": ["tttt", "ffff", "tttt"], "Three": ["tttt"]})
    space = workspace(tmp_path, [answer(1, "Two"), answer(2, "Three")])
    run(space, models, thrice())  # type: ignore[arg-type]
    summary = summarise(verdicts(space))
    assert (summary.repeats, summary.unanimous.count, summary.unanimous.of) == (3, 1, 2)


def test_the_estimate_counts_the_repeats(tmp_path: Path) -> None:
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "a.md").write_text("# Log\n\nThe log is kept for six years.\n", encoding="utf-8")

    def calls(repeats: int) -> int:
        settings = parse_settings({"judge": {"repeats": repeats}}, "test")
        lines = estimate_run(Workspace(tmp_path), settings).lines
        return sum(line.calls for line in lines if line.stage == "judge")

    assert calls(3) == 3 * calls(1) > 0


class _Killed(BaseException):
    pass


def test_a_kill_between_replies_and_row_pays_for_no_judgement_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same words from two systems, judged three times each; killed when the second row is written."""
    space = workspace(tmp_path, [answer(1, "Two"), answer(2, "Two", llm="embedded:rules")])
    serial = itertools.count()

    def say(_: dict[str, Any]) -> str:
        return reply("tttt", f"serial {next(serial)}").model_dump_json()

    written: list[str] = []

    def cut(path: Path, row: Any) -> None:
        if written:
            raise _Killed
        written.append(row.key)
        append_row(path, row)

    with OpenAIServer(say) as server:
        own = settings_for(server.url, "judge").model_copy(update={"judge": thrice().judge})

        async def start() -> None:
            async with Gateway(own, journal=space.journal("judge", "main")) as gateway:
                await judge_stage.run(space, own, gateway, SilentProgress())

        monkeypatch.setattr(judge_stage, "append_row", cut)
        with pytest.raises(_Killed):
            asyncio.run(start())
        assert len(server.chats()) == 6, "both answers were judged; one row is missing"
        monkeypatch.setattr(judge_stage, "append_row", append_row)
        asyncio.run(start())
        assert len(server.chats()) == 6
    rows = [row for llm in ("embedded:eager", "embedded:rules") for row in verdicts(space, llm)]
    assert [row.votes.agreed for row in rows if row.votes] == [3, 3]
    assert rows[0].reasons != rows[1].reasons, "each row has a judgement of its own"


def test_a_judgement_that_the_server_lost_is_the_only_one_paid_for_later(tmp_path: Path) -> None:
    """Pass, fail and an error of the server; the next start asks for the third alone."""
    space = workspace(tmp_path, [answer(1, "Two")])
    said = iter(["tttt", "ffff", "tttt"])

    class Losing(OpenAIServer):
        broken = True

        def handle(self, request: Request) -> Response:
            if self.broken and len(self.chats()) > 2:
                return Response({"error": {"message": "lost", "type": "server_error", "code": "server_error"}}, 500)
            return super().handle(request)

    with Losing(lambda _: reply(next(said)).model_dump_json()) as server:
        known = settings_for(server.url, "judge", limits={"retries": 0, "concurrency": 1})
        own = known.model_copy(update={"judge": thrice().judge})

        def start() -> Verdict:
            asyncio.run(run_stages(space, own, SilentProgress(), stages=("judge",)))
            return verdicts(space)[0]

        lost = start()
        assert lost.failure is not None
        assert (lost.status, lost.decided_by, lost.failure.type) == ("ungraded", "tied", "server_error")
        asked = len(server.chats())
        server.broken = False
        row = start()
        assert (row.status, len(server.chats()) - asked) == ("pass", 1)
    assert row.votes is not None and (row.votes.passed, row.votes.failed) == (2, 1)

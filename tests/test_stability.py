"""The stability audit: the same answers judged several times."""

from __future__ import annotations

import asyncio
import importlib
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from ragtester import Project
from ragtester.cli import app
from ragtester.errors import ChangedInputsError, UsageError
from ragtester.models.gateway import Gateway
from ragtester.progress import SilentProgress, StageResult
from ragtester.records import Answer, Failure, FlipRate, Manifest, Repeat, StabilityResult
from ragtester.settings import Settings, parse_settings
from ragtester.stages import judge, stability
from ragtester.stages.stability import Repetition, stability_document
from ragtester.stages.stability.document import _flips
from ragtester.stages.stability.figures import Judged, flip_rate, unequal_pairs, verdict_of
from ragtester.stages.stability.rows import Line
from ragtester.storage import read_json, read_rows
from ragtester.tables import Estimate, Paragraph, Rate
from ragtester.tables.cells import show_row
from ragtester.tasks import PURPOSE, Asked
from ragtester.workspace import Workspace
from tests.servers.openai_api import OpenAIServer
from tests.stability_fakes import QUOTA, SPENT, TIMEOUT, VaryingJudge, reply
from tests.test_stage_judge import FakeModels, answer, run, verdicts, workspace

JUDGE = "openai:judge"
# Keyword match is false (no answer holds the keyword) and counts 0 in each mean.
SCRIPT: dict[str, list[str | Failure]] = {
    "Two": ["tttt", "tttt", "ffff"],  # 0.8 pass, 0.8 pass, 0 fail: flips, 2 of 3 pairs differ
    "Three": ["tttt", "tttt", "tttt"],  # never
    "Four": ["tptf", "tttt", SPENT],  # 0.5 pass, 0.8 pass: the verdict holds, relevance and clarity flip
    "Five": [SPENT, TIMEOUT, "tttt"],  # one grade only: nothing to compare
    "Six": ["tpff", "tttp", "tpff"],  # 0.3 fail, 0.7 pass, 0.3 fail: flips and straddles 0.5
}


def settings(**judge: Any) -> Settings:
    return parse_settings({"judge": {"model": JUDGE, **judge}}, "test")


def judged_workspace(root: Path, texts: tuple[str, ...] = tuple(SCRIPT), rows: list[Answer] | None = None) -> Workspace:
    """Answers with these texts, each of which the run's judge has passed."""
    space = workspace(root, rows or [answer(number, text) for number, text in enumerate(texts, 1)])
    passing = VaryingJudge({text: ["tttt"] for text in texts})
    run(space, passing, settings())  # type: ignore[arg-type]
    return space


def audit(space: Workspace, models: Any, wanted: Repetition | None = None, **options: Any) -> StageResult:
    progress = options.pop("progress", SilentProgress())
    return asyncio.run(stability.run(space, settings(**options), models, progress, wanted or Repetition(3)))


def found(space: Workspace) -> StabilityResult:
    made = read_json(space.audits("main") / "stability" / "result.json", StabilityResult)
    assert made is not None
    return made


def rows(space: Workspace) -> list[Repeat]:
    return read_rows(space.audits("main") / "stability" / "repeats.jsonl", Repeat)


def test_flip_rates_by_hand(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path)
    done = audit(space, VaryingJudge(SCRIPT))
    result = found(space)
    # Two and Six flip of Two, Three, Four and Six; Five has one grade and is in no rate.
    assert (result.verdict.flipped.successes, result.verdict.flipped.n) == (2, 4)
    assert (result.measured, result.partial, result.unmeasured, result.sampled) == (4, 1, 1, 5)
    # pairs: Two 2 of 3, Three 0 of 3, Four 0 of 1, Six 2 of 3; the mean of 2/3, 0, 0, 2/3 is 1/3
    assert (result.verdict.differing, result.verdict.pairs) == (4, 10)
    assert result.verdict.disagreement == pytest.approx(1 / 3, abs=1e-6)
    # Wilson for 2 of 4: 0.5 -+ 1.96 / (1 + 0.96) * sqrt(0.25 / 4 + 0.96 / 16) = 0.5 -+ 0.35
    assert result.verdict.flipped.low == pytest.approx(0.150, abs=1e-3)
    assert result.verdict.flipped.high == pytest.approx(0.850, abs=1e-3)
    # faithfulness: Two (t t f); relevance: also Four (p t) and Six (p t p); completeness: Two, Six; clarity: all three
    flips = {rate.name: rate.flipped.successes for rate in result.criteria}
    assert flips == {"faithfulness": 1, "relevance": 3, "completeness": 2, "clarity": 3, "keyword_match": 0}
    assert (done.ledger.planned, done.ledger.ok, done.ledger.failed) == (15, 12, 3)
    assert (done.exit_code, result.complete, result.deterministic) == (3, True, False)
    assert result.cost == 15 * 0.25


def test_straddling_and_overturned_answers(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path)
    audit(space, VaryingJudge(SCRIPT))
    result = found(space)
    # Two goes from 0.8 to 0, Six from 0.3 to 0.7; 0.5 of Four is not below 0.5.
    assert [(one.case_id, one.means, one.passed, one.failed) for one in result.straddling] == [
        ("c1", (0.8, 0.8, 0.0), 2, 1),
        ("c5", (0.3, 0.7, 0.3), 1, 2),
    ]
    # The run passed all five; of Six two repeats of three fail.
    assert (result.overturned.successes, result.overturned.n) == (1, 5)


def test_what_needs_no_judge_stays_out_and_is_counted(tmp_path: Path) -> None:
    gone = Failure(type="timeout", message="t")
    answers = [
        answer(1, "Two"),
        answer(2, "I don't know.", outcome="abstained"),
        answer(3, "", outcome="failed", failure=gone),
    ]
    space = judged_workspace(tmp_path, ("Two",), answers)
    models = VaryingJudge(SCRIPT)
    audit(space, models)
    result = found(space)
    assert (result.population, result.sampled, result.by_rule, result.ungraded) == (1, 1, 1, 1)
    assert models.asked == {"Two": 3}


def test_the_system_and_the_case_type_have_their_own_rates(tmp_path: Path) -> None:
    answers = [answer(1, "Two"), answer(2, "Three", llm="embedded:rules"), answer(3, "Six", type="coverage")]
    space = judged_workspace(tmp_path, ("Two", "Three", "Six"), answers)
    audit(space, VaryingJudge(SCRIPT))
    result = found(space)
    by_system = {rate.name: (rate.flipped.successes, rate.flipped.n) for rate in result.systems}
    assert by_system == {"embedded:eager × embedded:hashing": (2, 2), "embedded:rules × embedded:hashing": (0, 1)}
    assert {rate.name: rate.flipped.n for rate in result.types} == {"complexity": 2, "coverage": 1}


def test_a_second_start_asks_nothing_and_more_repeats_ask_only_for_the_rest(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path, ("Two", "Three"))
    audit(space, VaryingJudge(SCRIPT))
    path = space.audits("main") / "stability" / "repeats.jsonl"
    before = path.read_bytes()
    again = VaryingJudge(SCRIPT)
    audit(space, again)
    assert (again.asked, path.read_bytes()) == ({}, before)
    audit(space, again, Repetition(5))
    assert again.asked == {"Two": 2, "Three": 2}
    assert [(row.case_id, row.repeat) for row in rows(space)] == [(c, n) for c in ("c1", "c2") for n in range(1, 6)]
    audit(space, again, Repetition(2))
    assert (len(rows(space)), found(space).verdict.flipped.successes) == (10, 0), "what was paid for is kept"


def test_transient_failures_are_made_again_spent_ones_on_request(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path, ("Five",))
    audit(space, VaryingJudge(SCRIPT))
    second = VaryingJudge({"Five": ["tttt"]})
    audit(space, second)
    assert second.asked["Five"] == 1
    assert (found(space).measured, found(space).partial) == (1, 1)
    audit(space, second, retry_failed=True)
    assert second.asked["Five"] == 2
    assert found(space).ledger.ok == 3


def test_a_reply_that_could_not_be_used_is_asked_for_under_another_purpose(tmp_path: Path) -> None:
    class Watched(VaryingJudge):
        async def ask(self, model: str, task: Any, request: Any) -> Any:
            purposes.append(PURPOSE.get())
            return await super().ask(model, task, request)

    purposes: list[str] = []
    space = judged_workspace(tmp_path, ("Five",))
    audit(space, Watched(SCRIPT))
    audit(space, Watched({"Five": ["tttt"]}), retry_failed=True)
    first, second = purposes[:3], purposes[3:]
    # One was lost on the way and has no reply; one was paid for, and its reply waits in the journal of a killed start.
    assert sorted(name in first for name in second) == [False, True]
    assert sum(name.removesuffix(" again") in first for name in second) == 2


def test_what_another_process_has_paid_for_is_left_alone(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path, ("Two",))
    journal = space.journal("stability", "main")
    journal.parent.mkdir(parents=True, exist_ok=True)
    journal.write_text('{"key": "k", "reply": {}}\n', encoding="utf-8")
    with space.lock(), pytest.raises(UsageError, match="works here"):
        Project(tmp_path, ["judge.model=embedded:judge"]).audit_stability(2, overwrite=True)
    assert journal.is_file()


def test_a_quota_leaves_the_rest_open(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path, ("Two", "Three"))
    done = audit(space, VaryingJudge({"Two": ["tttt", QUOTA], "Three": ["tttt"]}))
    assert "quota" in done.stopped
    assert not found(space).complete
    assert found(space).ledger.skipped > 0
    done = audit(space, VaryingJudge(SCRIPT))
    assert (done.stopped, found(space).complete, found(space).ledger.ok) == ("", True, 6)


def test_another_judge_or_prompt_stops_the_audit_unless_overwritten(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path, ("Two",))
    audit(space, VaryingJudge(SCRIPT))
    with pytest.raises(ChangedInputsError, match="openai:judge is now openai:other"):
        audit(space, VaryingJudge(SCRIPT), model="openai:other")
    with pytest.raises(ChangedInputsError, match="prompt"):
        audit(space, VaryingJudge(SCRIPT, prompt="p2"))
    audit(space, VaryingJudge(SCRIPT, prompt="p2"), Repetition(3, overwrite=True))
    assert {row.prompt_sha256 for row in rows(space)} == {"p2"}


def test_a_sample_is_drawn_with_the_seed_and_in_proportion(tmp_path: Path) -> None:
    texts = [f"Text {n}" for n in range(40)]
    answers = [answer(n, text, type="coverage" if n < 10 else "complexity") for n, text in enumerate(texts)]
    space = judged_workspace(tmp_path, tuple(texts), answers)
    models = VaryingJudge({text: ["tttt"] for text in texts})
    audit(space, models, Repetition(2, sample=8, seed=1))
    drawn = set(models.asked)
    assert {rate.name: rate.flipped.n for rate in found(space).types} == {"complexity": 6, "coverage": 2}
    audit(space, models, Repetition(2, sample=8, seed=1))
    assert set(models.asked) == drawn
    audit(space, models, Repetition(2, sample=8, seed=2))
    assert set(models.asked) != drawn
    audit(space, models, Repetition(2, sample=0, seed=2))
    assert found(space).sampled == 40
    assert models.asked.total() == 80, "no repeat is asked for twice, whatever the samples"


@pytest.mark.parametrize("sizes", [{"repeats": 1}, {"sample": -1}, {"seed": -1}])
def test_numbers_that_say_nothing_are_refused(sizes: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        Repetition(**sizes)  # type: ignore[arg-type]


def test_a_run_without_verdicts_is_told_to_judge_first(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, "Two")])
    with pytest.raises(UsageError, match="ragtester judge"):
        audit(space, VaryingJudge(SCRIPT))
    assert not space.audits("main").exists()


def test_the_price_is_known_before_the_first_call(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path, ("Two", "Three"))
    progress = SilentProgress()
    audit(space, VaryingJudge(SCRIPT), progress=progress)
    # 2 answers × 3 at the 0.25 of the run's own judgements
    assert "2 of 2 answers × 3 = 6 judgements: 6 call(s) to openai:judge, about $1.5000" in progress.notes[0]


def test_the_embedded_judge_never_flips_and_says_so(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(n, "six years" if n % 2 else "two years") for n in range(6)])
    own = parse_settings({}, "test")
    progress = SilentProgress()

    async def both() -> None:
        async with Gateway(own) as gateway:
            await judge.run(space, own, gateway, progress)
            await stability.run(space, own, gateway, progress, Repetition(3))

    asyncio.run(both())
    result = found(space)
    assert (result.deterministic, result.verdict.flipped.successes, result.verdict.flipped.n) == (True, 0, 6)
    assert any("deterministic" in note for note in progress.notes)
    assert "by construction" in stability_document(result).sections[0].parts[1].text  # type: ignore[union-attr]


class _Killed(BaseException):
    pass


def test_a_kill_between_reply_and_row_costs_nothing_and_no_reply_serves_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two answers with the same words, judged four times each: only the purpose tells their requests apart."""
    space = judged_workspace(tmp_path, ("Two",), [answer(1, "Two"), answer(2, "Two", llm="embedded:rules")])
    serial = itertools.count()

    def say(_: dict[str, Any]) -> str:
        return reply("tttt", f"serial {next(serial)}").model_dump_json()

    written: list[str] = []

    def cut(path: Path, row: Any) -> None:
        if len(written) == 3:
            raise _Killed
        written.append(row.key)
        real(path, row)

    run_module = importlib.import_module("ragtester.stages.stability.run")
    real = run_module.append_row
    with OpenAIServer(say) as server:
        own = parse_settings(
            {
                "judge": {"model": JUDGE},
                "models": {JUDGE: {"base_url": server.url}},
                "providers": {"openai": {"concurrency": 1}},
            },
            "test",
        )

        async def start() -> None:
            async with Gateway(own, journal=space.journal("stability", "main")) as gateway:
                await stability.run(space, own, gateway, SilentProgress(), Repetition(4))

        monkeypatch.setattr(run_module, "append_row", cut)
        with pytest.raises(_Killed):
            asyncio.run(start())
        assert len(rows(space)) == 3
        paid = len(server.chats())
        monkeypatch.setattr(run_module, "append_row", real)
        asyncio.run(start())
        kept = len(space.journal("stability", "main").read_text(encoding="utf-8").splitlines())
        assert kept == 8
        assert 0 <= len(server.chats()) - kept <= 1, "only what was in the air may be asked for again"
        assert 3 < paid < 8
    said = [row.reasons["clarity"] for row in rows(space)]
    assert len(said) == len(set(said)) == 8


def test_replies_from_a_cache_are_noticed(tmp_path: Path) -> None:
    class Cached(VaryingJudge):
        """Something between that hands the first reply out again."""

        async def ask(self, model: str, task: Any, request: Any) -> Any:
            asked = await super().ask(model, task, request)
            return Asked(reply("tttt", "the first"), asked.call)

    space = judged_workspace(tmp_path, ("Three", "Six"))
    audit(space, Cached(SCRIPT))
    assert (found(space).identical.successes, found(space).identical.n) == (2, 2)
    assert "hands its first reply out again" in said_in(found(space))
    honest = judged_workspace(tmp_path / "honest", ("Three", "Six"))
    audit(honest, VaryingJudge(SCRIPT))
    assert (found(honest).identical.successes, found(honest).identical.n) == (0, 2)
    assert "hands its first reply" not in said_in(found(honest))


def said_in(result: StabilityResult) -> str:
    return " ".join(part.text for part in stability_document(result).sections[0].parts if isinstance(part, Paragraph))


def test_an_interrupted_line_is_made_again(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path, ("Two", "Three"))
    audit(space, VaryingJudge(SCRIPT))
    path = space.audits("main") / "stability" / "repeats.jsonl"
    path.write_bytes(path.read_bytes()[:-7])
    again = VaryingJudge(SCRIPT)
    audit(space, again)
    assert again.asked == {"Three": 1}
    assert len(rows(space)) == 6


def test_rows_are_verdicts_with_a_number_and_the_manifest_says_what_made_them(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path, ("Two",))
    audit(space, VaryingJudge(SCRIPT, served="judge-2026"))
    line = (space.audits("main") / "stability" / "repeats.jsonl").read_text(encoding="utf-8").splitlines()[0]
    assert list(json.loads(line)) == [name for name in Repeat.model_fields if name != "votes"]
    made = read_json(space.audits("main") / "stability" / "manifest.json", Manifest)
    assert made is not None and made.ended and made.ledger is not None
    assert made.models == {JUDGE: "judge-2026"}
    assert (made.parameters["repeats"], made.ledger.ok) == (3, 3)
    assert {row.status for row in verdicts(space)} == {"pass"}, "the run's own verdicts stay as they are"


def test_the_document_holds_the_results_numbers(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path)
    audit(space, VaryingJudge(SCRIPT))
    document = stability_document(found(space))
    flips = document.table("flips").rows
    assert flips[0][:2] == ("verdict", Rate(2, 4))
    # 4 of 10 pairs differ, but Four has one pair and the others three: the answers' mean is 2/3, 0, 0 and 2/3 by 4
    assert flips[0][2:4] == (10, 4)
    assert isinstance(flips[0][4], Estimate) and flips[0][4].value == pytest.approx(33.3333, abs=1e-3)
    assert [row[4] for row in document.table("straddling").rows] == ["0.8 0.8 0", "0.3 0.7 0.3"]
    text = said_in(found(space))
    assert "15 judgements = 12 graded + 3 not graded + 0 still open" in text


def lines(statuses: str) -> list[Line]:
    """`pf-`: passed, failed, not graded."""
    words = {"p": "pass", "f": "fail", "-": "ungraded"}
    return [
        Line(
            case_id="c", document_id="d", technique="t", type="coverage", llm="l", embedding="e", language="en",
            key=str(n), repeat=n, status=words[letter], judge="j", prompt_sha256="p",
        )
        for n, letter in enumerate(statuses, 1)
    ]  # fmt: skip


def answers_of(documents: dict[str, list[str]]) -> list[Judged]:
    return [
        Judged("l", "e", f"{name}{n}", name, "coverage", "pass", len(statuses), lines(statuses))
        for name, members in documents.items()
        for n, statuses in enumerate(members)
    ]


def test_the_interval_of_the_disagreement_resamples_documents() -> None:
    # One document flips throughout, the other never: a draw of two documents has the mean 0, 1/2 or 1.
    rate = flip_rate("verdict", answers_of({"a": ["pf-", "pf-"], "b": ["pp-", "pp-"]}), verdict_of, seed=1)
    assert (rate.disagreement, rate.low, rate.high) == (0.5, 0.0, 1.0)
    alone = flip_rate("verdict", answers_of({"a": ["pf-", "ppp"]}), verdict_of, seed=1)
    assert (alone.disagreement, alone.low, alone.high) == (0.5, None, None)


def test_a_disagreement_of_nothing_has_an_interval_and_its_count() -> None:
    rate = flip_rate("verdict", answers_of({"a": ["pp-"] * 3, "b": ["ff-"] * 3}), verdict_of, seed=1)
    assert (rate.differing, rate.pairs, rate.disagreement, rate.low) == (0, 6, 0, 0)
    # Pairs differ only in answers that flip. Wilson's upper end for 0 of 6: 1.96² / (6 + 1.96²) = 3.8415 / 9.8415
    assert rate.high == pytest.approx(3.8415 / 9.8415, abs=1e-4)
    assert flip_row(rate) == ["verdict", "0/6 = 0.0 % [0.0, 39.0]", "6", "0", "0.0 % [0.0, 39.0], from 6 answers"]


def flip_row(rate: FlipRate) -> list[str]:
    return show_row(_flips("flips", "", "", [rate]).rows[0])


def test_nothing_measured_is_undefined() -> None:
    rate = flip_rate("verdict", answers_of({"a": ["p--", "---"]}), verdict_of, seed=1)
    assert (rate.flipped.n, rate.flipped.share, rate.disagreement) == (0, None, None)


@given(st.lists(st.sampled_from("ab"), min_size=2, max_size=9))
def test_pairs_are_those_of_counting_them(values: list[str]) -> None:
    counted = [a != b for a, b in itertools.combinations(values, 2)]
    assert unequal_pairs(values) == (sum(counted), len(counted))


def test_the_commands_of_a_user(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(n, "six years" if n % 2 else "two years") for n in range(6)])
    run(space, FakeModels())
    command = ["audit", "stability", "-w", str(tmp_path), "--repeat", "3"]
    quoted = CliRunner().invoke(app, [*command, "--estimate"])
    assert quoted.exit_code == 0
    assert quoted.stdout.strip() == (
        "stability: 6 of 6 answers × 3 = 18 judgements: 18 call(s) to embedded:judge, free of charge"
    )
    assert not space.audits("main").exists(), "an estimate writes nothing"
    done = CliRunner().invoke(app, [*command, "--sample", "all", "-q"])
    assert done.exit_code == 0
    assert "0/6 = 0.0 % [0.0, 39.0] of the answers changed their verdict" in " ".join(done.stdout.split())
    assert CliRunner().invoke(app, [*command, "--sample", "many"]).exit_code == 2

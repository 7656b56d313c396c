"""The precision audit as a stage: blind, resumable, and honest about what it does not know."""

from __future__ import annotations

import asyncio
import io
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ragtester import Project
from ragtester.console import PlainProgress
from ragtester.errors import ChangedInputsError, DataError, MissingPackageError, UsageError
from ragtester.progress import SilentProgress, StageResult
from ragtester.records import Call, Case, Failure, Manifest, PanelDecision, PanelVote, PrecisionResult, SampledCase
from ragtester.results import load_results
from ragtester.settings import AuditSettings, Settings
from ragtester.stages import precision
from ragtester.stages.precision.audit import own_renderer
from ragtester.stages.precision.files import Files
from ragtester.storage import read_json, read_rows, write_rows
from ragtester.tables.cells import show_row
from ragtester.tasks import VOTE_ON_VERDICT, Asked, Task, VerdictVoted, VoteOnVerdict
from ragtester.workspace import Workspace
from tests.precision_helpers import EVIDENCE, LLM, Said, judged_run

PANEL = ("openai:one", "openai:two", "openai:three")
WRONG, RIGHT = "two years", "six years"
FAILED: list[Said] = [(f"{WRONG}, log {number}", "fail") for number in range(6)]
FAILED += [(f"{RIGHT}, log {number}", "fail") for number in range(6, 8)]
PASSED: list[Said] = [(f"{RIGHT}, log {number}", "pass") for number in range(8, 14)]


class FakePanel:
    """Votes by the words of the answer. `fail` maps a voter to the failure type of its votes, after `after` of them.

    `split` are answers' words on which the members disagree by their names' length.
    """

    def __init__(self, fail: dict[str, str] | None = None, *, after: int = 0, split: str = "?", prompt: str = "p1"):
        self.fail, self.after, self.split, self.prompt = fail or {}, after, split, prompt
        self.asked: list[tuple[str, VoteOnVerdict]] = []
        self.watch: Any = lambda: None

    async def ask(self, model: str, task: Task[Any, Any], request: Any) -> Asked[Any]:
        self.watch()
        self.asked.append((model, request))
        mine = sum(name == model for name, _ in self.asked)
        # Later requests come back first, so that rows arrive out of order.
        for _ in range(max(0, 20 - len(self.asked))):
            await asyncio.sleep(0)
        if model in self.fail and mine > self.after:
            return Asked(None, Call(model=model), Failure(type=self.fail[model], message="it did not work"))
        if self.split in request.answer:
            vote = "correct" if model == PANEL[0] else "incorrect"
        else:
            vote = "correct" if RIGHT in request.answer else "incorrect"
        reply = VerdictVoted.model_validate({"reason": "It says so.", "vote": vote})
        return Asked(reply, Call(model=model, served_model=f"{model}-2026", cost=0.01))

    def prompt_sha256(self, task: Task[Any, Any]) -> str:
        return self.prompt


def settings(**changes: Any) -> Settings:
    return Settings(audit=AuditSettings(**{"panel": PANEL, **changes}))


def audit(space: Workspace, panel: FakePanel, wanted: Settings | None = None, **options: Any) -> StageResult:
    progress = options.pop("progress", SilentProgress())
    return asyncio.run(precision.run(space, wanted or settings(), panel, progress, **options))


def found(space: Workspace) -> PrecisionResult:
    result = precision.read_result(space, "main")
    assert result is not None
    return result


def contents(space: Workspace) -> dict[str, bytes]:
    folder = Files.of(space, "main").folder
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_figures_of_a_small_run(tmp_path: Path) -> None:
    space = judged_run(tmp_path, [*FAILED, *PASSED])
    result = audit(space, FakePanel())
    figures = found(space).figures[0]
    assert (figures.tp, figures.fp, figures.ambiguous, figures.open) == (6, 2, 0, 0)
    assert figures.precision.value == 0.75
    assert (result.ledger.planned, result.ledger.ok, result.exit_code) == (24, 24, 0)
    assert found(space).population == {"fail": 8, "pass": 6, "ungraded": 0, "missing": 0}
    assert found(space).panel[0].served == "openai:one-2026"
    assert found(space).panel[0].cost == pytest.approx(0.08)
    made = read_json(Files.of(space, "main").manifest, Manifest)
    assert made is not None and made.ended and made.ledger == found(space).ledger
    assert made.models == {name: f"{name}-2026" for name in PANEL}


def test_the_sample_stands_before_anyone_votes_and_voters_see_nothing_of_it(tmp_path: Path) -> None:
    space, panel = judged_run(tmp_path, [*FAILED, *PASSED]), FakePanel()
    sample = Files.of(space, "main").sample
    panel.watch = sample.stat
    audit(space, panel, settings(include_passes=True))
    rows = read_rows(sample, SampledCase)
    assert Counter(row.status for row in rows) == {"fail": 8, "pass": 6}
    assert len(panel.asked) == 14 * 3
    for _, request in panel.asked:
        text = request.model_dump_json()
        assert request.evidence[0].text == EVIDENCE
        for secret in (LLM, "oracle", "fail", "faithfulness", "main"):
            assert secret not in text


def test_no_spreadsheet_takes_an_id_for_a_number(tmp_path: Path) -> None:
    space = judged_run(tmp_path, FAILED)
    audit(space, FakePanel())
    ids = [row.id for row in read_rows(Files.of(space, "main").sample, SampledCase)]
    assert len(ids) == 8
    assert all(name[0].isalpha() for name in ids)


def test_recall_and_specificity_need_the_passes(tmp_path: Path) -> None:
    said = [*FAILED, *PASSED[:-1], (f"{WRONG}, log 13", "pass")]
    space = judged_run(tmp_path, said)
    audit(space, FakePanel(), settings(include_passes=True))
    figures = found(space).figures[0]
    assert (figures.tp, figures.fp, figures.fn, figures.tn) == (6, 2, 1, 5)
    assert figures.recall and figures.specificity and figures.accuracy
    assert figures.recall.value == pytest.approx(6 / 7)
    assert figures.specificity.value == pytest.approx(5 / 7)
    assert figures.accuracy.value == pytest.approx(11 / 14)
    # Every stratum was drawn whole, so that the weights change nothing: Wilson for 6 of 7 is [48.7, 97.4].
    row = show_row(precision.document(found(space)).table("precision").rows[0])
    assert row[7:10] == [
        "6/8 = 75.0 % [40.9, 92.9]",
        "2/8 = 25.0 % [7.1, 59.1]",
        "85.7 % [48.7, 97.4], from 7 sampled, weighted",
    ]


def test_a_second_start_asks_nobody_and_changes_nothing_but_times(tmp_path: Path) -> None:
    space = judged_run(tmp_path, FAILED)
    audit(space, FakePanel())
    before = contents(space)
    again, told = FakePanel(), io.StringIO()
    audit(space, again, progress=PlainProgress(Console(file=told, width=200)))
    after = contents(space)
    assert again.asked == []
    assert "24 votes of 3 member(s), 24 stand already" in told.getvalue()
    assert "/s)" not in told.getvalue(), "nothing was done, so that nothing has a rate"
    assert before.keys() == after.keys()
    assert {name for name in after if after[name] != before[name]} <= {"manifest.json"}


def test_passes_may_be_added_to_failures_that_were_voted_on_and_stay(tmp_path: Path) -> None:
    space = judged_run(tmp_path, [*FAILED, *PASSED])
    audit(space, FakePanel())
    more = FakePanel()
    audit(space, more, settings(include_passes=True))
    assert len(more.asked) == 6 * 3
    audit(space, FakePanel())
    assert found(space).sampled == {"fail": 8, "pass": 6}


def test_a_changed_verdict_makes_the_sample_stale_and_votes_that_hold_are_kept(tmp_path: Path) -> None:
    audit(judged_run(tmp_path, FAILED), FakePanel())
    space = judged_run(tmp_path, [*FAILED[:-1], (FAILED[-1][0], "pass")])
    with pytest.raises(ChangedInputsError, match=r"failures: 8 is now 7.*1 sampled answer.*--overwrite"):
        audit(space, FakePanel())
    panel = FakePanel()
    audit(space, panel, overwrite=True)
    assert panel.asked == []
    assert found(space).figures[0].sampled == 7


def test_a_changed_answer_is_voted_on_anew(tmp_path: Path) -> None:
    audit(judged_run(tmp_path, FAILED), FakePanel())
    space = judged_run(tmp_path, [(f"{RIGHT}, after all", "fail"), *FAILED[1:]])
    with pytest.raises(ChangedInputsError, match=r"1 answer.* have other texts"):
        audit(space, FakePanel())
    panel = FakePanel()
    audit(space, panel, overwrite=True)
    assert Counter(name for name, _ in panel.asked) == dict.fromkeys(PANEL, 1)
    assert found(space).figures[0].fp == 3


@pytest.mark.parametrize(
    ("said", "judge", "reasons"),
    [
        (FAILED, "openai:oracle", ()),
        ([*FAILED, *PASSED], "openai:oracle", ()),  # passes were not drawn, so that more of them change nothing
        (
            [*FAILED[:-1], (FAILED[-1][0], "pass")],
            "openai:oracle",
            ("drawn from 8 failures, there are 7 now", "1 sampled answer(s) are not in it any more"),
        ),
        ([(f"{RIGHT}, after all", "fail"), *FAILED[1:]], "openai:oracle", ("1 answer(s) of it have other texts",)),
        (
            FAILED,
            "openai:newer",
            ("audited with the judge openai:oracle, judged by openai:newer", "8 of it have another verdict"),
        ),
        (
            [(text, "ungraded") for text, _ in FAILED],
            "openai:oracle",
            ("none of the run's answers is graded any more",),
        ),
    ],
)
def test_what_changed_since_the_audit_makes_its_figures_stale(
    tmp_path: Path, said: list[Said], judge: str, reasons: tuple[str, ...]
) -> None:
    space = judged_run(tmp_path, FAILED)
    assert precision.precision_staleness(space, "main", load_results(space, ["main"])) == ()
    audit(space, FakePanel())
    judged_run(tmp_path, said, judge=judge)
    assert precision.precision_staleness(space, "main", load_results(space, ["main"])) == reasons
    asked = next(part.text for part in Project(tmp_path).compare().sections[0].parts if "RQ4" in part.text)  # type: ignore[union-attr]
    assert ("the audit is stale" in asked) == bool(reasons)


def test_votes_asked_for_in_other_words_are_stale(tmp_path: Path) -> None:
    space = judged_run(tmp_path, FAILED)
    audit(space, FakePanel())
    with pytest.raises(ChangedInputsError, match=r"24 vote.* another prompt"):
        audit(space, FakePanel(prompt="p2"))
    panel = FakePanel(prompt="p2")
    audit(space, panel, overwrite=True)
    assert len(panel.asked) == 24
    assert len(read_rows(Files.of(space, "main").votes(PANEL[0]), PanelVote)) == 8


def test_a_stopped_member_stops_alone_and_goes_on_later(tmp_path: Path) -> None:
    space = judged_run(tmp_path, FAILED)
    result = audit(space, FakePanel({PANEL[1]: "quota"}, after=3))
    members = {one.model: one for one in found(space).panel}
    assert members[PANEL[1]].open == 5
    assert members[PANEL[0]].open == members[PANEL[2]].open == members[PANEL[1]].failed == 0
    assert "openai:two: quota" in result.stopped
    assert result.exit_code == 3
    assert found(space).figures[0].precision.n == 8
    assert any("5 vote(s) are open" in note for note in found(space).notes)
    panel = FakePanel()
    result = audit(space, panel)
    assert [name for name, _ in panel.asked] == [PANEL[1]] * 5
    assert (result.ledger.ok, result.exit_code) == (24, 0)


def test_a_panel_that_never_votes_decides_nothing(tmp_path: Path) -> None:
    space = judged_run(tmp_path, FAILED)
    result = audit(space, FakePanel(dict.fromkeys(PANEL, "missing_key")))
    figures = found(space).figures[0]
    assert (figures.open, figures.ambiguous, figures.precision.value) == (8, 0, None)
    assert found(space).alpha is None
    assert result.exit_code == 3
    assert not Files.of(space, "main").review.exists()


def test_failed_votes_are_counted_kept_and_asked_again_only_on_request(tmp_path: Path) -> None:
    space = judged_run(tmp_path, FAILED)
    result = audit(space, FakePanel({PANEL[0]: "unparseable", PANEL[1]: "timeout"}))
    members = {one.model: one for one in found(space).panel}
    assert (members[PANEL[0]].failed, members[PANEL[1]].failed, result.exit_code) == (8, 8, 3)
    assert found(space).figures[0].ambiguous == 8  # one usable vote is too few
    unpaid = FakePanel()
    audit(space, unpaid)
    assert Counter(name for name, _ in unpaid.asked) == {PANEL[1]: 8}
    again = FakePanel()
    audit(space, again, settings(retry_failed=True))
    assert Counter(name for name, _ in again.asked) == {PANEL[0]: 8}
    assert found(space).figures[0].ambiguous == 0


def test_a_tie_goes_to_the_review_file_and_a_person_decides(tmp_path: Path) -> None:
    space = judged_run(tmp_path, FAILED)
    panel = ("openai:one", "openai:two")
    audit(space, FakePanel(split="log 6"), settings(panel=panel))
    review = Files.of(space, "main").review
    lines = review.read_text(encoding="utf-8-sig").splitlines()
    assert found(space).figures[0].ambiguous == 1
    assert lines[-1].endswith(",,")
    review.write_text(review.read_text(encoding="utf-8-sig").removesuffix(",,\n") + ",incorrect,sure\n", "utf-8")
    audit(space, FakePanel(), settings(panel=panel))
    figures = found(space).figures[0]
    assert (figures.tp, figures.fp, figures.ambiguous, figures.by_person) == (7, 1, 0, 1)
    rows = read_rows(Files.of(space, "main").decisions, PanelDecision)
    assert [row.by for row in rows].count("person") == 1
    assert "incorrect,sure" in review.read_text(encoding="utf-8-sig")


def test_a_person_is_asked_for_the_cases_that_the_panel_was_said_to_leave_ambiguous(tmp_path: Path) -> None:
    space = judged_run(tmp_path, FAILED)
    wanted, prompt = settings(retry_failed=True), own_renderer(space).sha256(VOTE_ON_VERDICT)
    voted = audit(space, FakePanel({PANEL[0]: "unparseable", PANEL[1]: "server_error"}, prompt=prompt), wanted)
    assert (found(space).figures[0].ambiguous, voted.ledger.failed, voted.ledger.skipped) == (8, 16, 0)
    reviewed, decided = precision.review(space, wanted, lambda *_: None, lambda _: "i")
    assert decided == 8
    assert (found(space).figures[0].tp, found(space).figures[0].by_person) == (8, 8)
    # No call was made: what failed is failed, and nothing is open.
    assert (reviewed.ledger.failed, reviewed.ledger.skipped) == (16, 0)


def test_a_fault_in_the_review_file_is_told_before_anything_is_paid(tmp_path: Path) -> None:
    space = judged_run(tmp_path, FAILED)
    Files.of(space, "main").folder.mkdir(parents=True)
    Files.of(space, "main").review.write_text("id,decision\na,perhaps\n", encoding="utf-8")
    panel = FakePanel()
    with pytest.raises(DataError, match=r"review\.csv:2: decision 'perhaps'"):
        audit(space, panel)
    assert panel.asked == []


def test_a_run_without_failures_says_so(tmp_path: Path) -> None:
    space, progress = judged_run(tmp_path, PASSED), SilentProgress()
    result = audit(space, FakePanel(), progress=progress)
    assert (result.ledger.planned, result.exit_code) == (0, 0)
    assert any("no failures" in note for note in progress.notes)
    assert found(space).figures[0].precision.value is None
    audit(space, FakePanel(), settings(include_passes=True))
    figures = found(space).figures[0]
    assert (figures.tn, figures.precision.value) == (6, None)
    assert figures.specificity and figures.specificity.value == 1
    assert figures.recall and figures.recall.value is None


def test_a_run_without_graded_answers_is_refused(tmp_path: Path) -> None:
    space = judged_run(tmp_path, [("?", "ungraded")])
    with pytest.raises(UsageError, match="no graded answers; run `ragtester judge` first"):
        audit(space, FakePanel())


def test_members_that_share_a_model_are_named(tmp_path: Path) -> None:
    space, progress = judged_run(tmp_path, FAILED, judge=PANEL[0], llm=PANEL[1]), SilentProgress()
    audit(space, FakePanel(), progress=progress)
    assert [one.shares for one in found(space).panel] == [
        "its model with the judge",
        "its model with a system under test",
        "",
    ]
    assert sum("no second opinion" in note for note in progress.notes) == 2


def test_the_estimate_counts_what_is_left(tmp_path: Path) -> None:
    space = judged_run(tmp_path, FAILED)
    before = precision.estimate(space, settings()).table("precision-estimate")
    assert [row[:2] for row in before.rows] == [(name, 8) for name in PANEL]
    assert all(isinstance(row[2], int) and row[2] > 8 * 300 for row in before.rows)
    assert not Files.of(space, "main").folder.exists()


def test_the_embedded_panel_audits_a_run_through_the_api(tmp_path: Path) -> None:
    judged_run(tmp_path, [*FAILED, ("=1+1", "fail")], judge="embedded:judge")
    project = Project(tmp_path)
    assert project.audit_precision().exit_code == 0
    result = project.precision_result()
    assert result is not None
    assert result.figures[0].sampled == 9
    assert len(result.panel) == 4
    assert "its rules with the judge" in result.panel[0].shares
    assert any("no language model" in note for note in result.notes)


def test_a_panel_confirms_the_failures_of_a_wrong_case(tmp_path: Path) -> None:
    """The limit that docs/audits.md names: the panel trusts the expected answer, also against the evidence."""
    space = judged_run(tmp_path, [("The log is kept for six years.", "fail")], judge="openai:oracle")
    path = space.cases_file("main", "ragtester", "d1")
    wrong = {"expected_answer": "It is kept for nine years.", "keywords": ("nine years",)}
    write_rows(path, [one.model_copy(update=wrong) for one in read_rows(path, Case)])
    assert "six years" in EVIDENCE
    Project(tmp_path).audit_precision()
    figures = found(space).figures[0]
    assert (figures.tp, figures.fp, figures.precision.value) == (1, 0, 1)


def test_a_missing_package_is_told_before_anything_is_paid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "krippendorff", None)
    space, panel = judged_run(tmp_path, FAILED), FakePanel()
    with pytest.raises(MissingPackageError, match=r"ragtester-pipeline\[study\]"):
        audit(space, panel)
    assert panel.asked == []


def test_too_few_members_for_a_decision_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"min_votes is 2, and the panel has 1 member\(s\); lower it"):
        Project(tmp_path, ['audit.panel=["openai:one"]'])
    with pytest.raises(UsageError, match="did you mean 'embedded:vote-words'"):
        Project(tmp_path, ['audit.panel=["embedded:vote-word", "openai:one"]']).audit_precision()

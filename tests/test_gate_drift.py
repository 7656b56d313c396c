"""The gate against a baseline: the same cases, the same judge, and nothing worse than the limits allow."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from ragtester import Project
from ragtester.errors import DataError, UsageError
from ragtester.gates import Wanted, choose
from ragtester.records import Answer, Cause, DriftResult, GateResult, Manifest, Moved, Verdict
from ragtester.stages.gate import decide, read_evidence
from ragtester.storage import read_json, read_rows, write_json, write_rows
from ragtester.workspace import Workspace
from tests import gate_workspace as made
from tests.report_workspace import RUN, SUITE
from tests.test_gate import closing

BASE = "base"
GATE = """
[gates.full]
layers = ["run", "drift"]
baseline = "base"
"""


def pair(root: Path, gate: str = GATE) -> Workspace:
    """A healthy run, and a baseline that is its copy."""
    workspace = made.healthy(root)
    for folder in (workspace.answers, workspace.verdicts):
        shutil.copytree(folder(RUN), folder(BASE))
    with (root / "ragtester.toml").open("a", encoding="utf-8") as file:
        file.write(gate)
    return workspace


def test_against_a_floating_alias_no_worse_is_a_timestamp(tmp_path: Path) -> None:
    workspace = pair(tmp_path)
    asked = choose(Project(tmp_path).settings, "full", Wanted())
    floating = compared(moved(difference=0.0), floating=("openai:alpha",), after_started="2026-03-04T05:06:07Z")
    found = decide(workspace, asked, read_evidence(workspace, asked, {}), floating)
    told = [one.text for one in found.checks if one.name == "floating alias" and one.status == "warn"]
    assert told == [
        'openai:alpha: a name that may mean another model tomorrow; "no worse" is a timestamp (2026-03-04T05:06:07Z)'
    ]
    pinned = decide(workspace, asked, read_evidence(workspace, asked, {}), compared(moved(difference=0.0)))
    assert not [one for one in pinned.checks if one.name == "floating alias"]


def moved(name: str = "unsupported", **changes: Any) -> Moved:
    known: dict[str, Any] = {
        "name": name,
        "layer": "claims",
        "unit": "share",
        "before": 0.05,
        "before_n": 40,
        "after": 0.075,
        "after_n": 40,
        "pairs": 8,
        "difference": 0.025,
        "low": -0.05,
        "high": 0.1,
    }
    return Moved(**(known | changes))


def compared(*moves: Moved, **changes: Any) -> DriftResult:
    """What a comparison of the two found."""
    known: dict[str, Any] = {"before": BASE, "after": RUN, "suite": SUITE, "pairs": 8, "moved": moves}
    return DriftResult(**(known | changes))


UNMOVED = (moved(), moved("contradicted", difference=0.0, before=0.05, after=0.05, low=None, high=None))


def decided(root: Path, drift: DriftResult | None = None, **options: Any) -> GateResult:
    """The decision, with a comparison that the test made."""
    project = Project(root)
    asked = choose(project.settings, "full", Wanted(**options))
    return decide(project.workspace, asked, read_evidence(project.workspace, asked), drift)


def test_a_run_that_did_not_move_is_open(tmp_path: Path) -> None:
    pair(tmp_path)
    result = decided(tmp_path, compared(*UNMOVED))
    assert closing(result) == []
    assert result.baseline == BASE
    lines = [f"{one.name}: {one.text}" for one in result.checks if one.layer == "drift"]
    assert lines == [
        "rows: 8 pairs of base and run",
        "judge: the same in both runs: openai:judge",
        "unsupported: +2.5 points [-5.0, 10.0], n 8; 5.0 % to 7.5 %; may get worse by 5 points; too few to tell",
        "contradicted: +0.0 points, n 8; 5.0 % to 5.0 %; may get worse by 2 points",
    ]


def test_a_breach_closes_it_and_the_first_cause_is_named(tmp_path: Path) -> None:
    pair(tmp_path)
    causes = (
        Cause(kind="prompt", what="answer", text="the prompt answer_question changed", speaks="against"),
        Cause(kind="model", what="alpha", text="the served model changed", speaks="for"),
    )
    breach = moved(difference=0.1, before=0.05, after=0.15, low=0.06, high=0.14, breach=True)
    drift = compared(breach, UNMOVED[1], causes=causes, explanation="Rule out first: the served model.")
    result = decided(tmp_path, drift)
    assert closing(result) == [
        "drift | unsupported | +10.0 points [6.0, 14.0], n 8; 5.0 % to 15.0 %; may get worse by 5 points"
    ]
    assert result.explanation == ("Against base: Rule out first: the served model.",)
    assert result.causes == causes
    assert result.advice == (
        "Nothing else differs, so look at the model: name that of the baseline, then run the gate again.",
        "A change that is wanted needs a new baseline: name this run as gates.full.baseline.",
    )


@pytest.mark.parametrize(
    ("drift", "line"),
    [
        (
            compared(moved(), moved("contradicted", before=None, difference=None, low=None, high=None)),
            "contradicted | undefined, and it may get worse by 2 points; undefined is no pass",
        ),
        (
            compared(moved(), not_measured=("claims: not measured; base lacks it (ragtester audit claims)",)),
            "contradicted | not measured in both runs: base lacks it (ragtester audit claims); undefined is no pass",
        ),
        (
            compared(pairs=0),
            "rows | 0 rows that base and run share: nothing was compared, and nothing is no pass",
        ),
        (
            compared(*UNMOVED, only_before=2, only_after=1),
            "rows | 2 rows only in base, 1 only in run: the two do not hold the same questions and systems",
        ),
    ],
)
def test_what_was_not_compared_closes_it(drift: DriftResult, line: str, tmp_path: Path) -> None:
    pair(tmp_path)
    assert closing(decided(tmp_path, drift)) == [f"drift | {line}"]


def test_noise_is_no_breach(tmp_path: Path) -> None:
    pair(tmp_path)
    noisy = moved(difference=0.1, before=0.05, after=0.15, low=0.06, high=0.14, exceeded=True, within_noise=True)
    result = decided(tmp_path, compared(noisy, UNMOVED[1]))
    assert result.open
    (line,) = [one.text for one in result.checks if one.name == "unsupported"]
    assert line.endswith("may get worse by 5 points; within what repeats of the same run show by themselves")


def test_the_line_is_that_of_the_farthest_system(tmp_path: Path) -> None:
    """All together +2.5 points, which 5 points allow; one of two systems +12."""
    pair(tmp_path)
    far = moved(
        system="alpha × e5", difference=0.12, before=0.05, after=0.17, low=0.06, high=0.18, pairs=4, breach=True
    )
    near = moved(system="beta × e5", difference=-0.07, before=0.05, after=0.0, low=None, high=None, pairs=4)
    result = decided(tmp_path, compared(moved(breach=True, systems=(far, near)), UNMOVED[1]))
    assert closing(result) == [
        (
            "drift | unsupported | +12.0 points [6.0, 18.0], n 4; 5.0 % to 17.0 %; may get worse by 5 points (worst of "
            "2: alpha × e5)"
        )
    ]


def test_a_system_without_the_figure_in_one_run_closes_it(tmp_path: Path) -> None:
    pair(tmp_path)
    lost = moved(system="beta × e5", before=None, after=None, difference=None, low=None, high=None)
    result = decided(tmp_path, compared(moved(systems=(lost, moved(system="alpha × e5"))), UNMOVED[1]))
    assert closing(result) == [
        (
            "drift | unsupported | undefined for beta × e5 in one of the runs, and it may get worse by 5 points; "
            "undefined is no pass"
        )
    ]


def test_the_limits_of_the_gate_replace_those_of_drift(tmp_path: Path) -> None:
    """Latency is relative: from 2 to 3 seconds is half as much again."""
    pair(tmp_path, GATE.replace("baseline", "drift = { latency = 0.2 }\nbaseline"))
    slow = moved(
        "latency", layer="calls", unit="seconds", before=2.0, after=3.0, difference=1.0, low=0.5, high=1.5, breach=True
    )
    assert closing(decided(tmp_path, compared(slow, *UNMOVED))) == [
        "drift | latency | +1.00 s [0.50, 1.50], n 8; 2.00 s to 3.00 s; may get worse by 20 %"
    ]


def other_judge(workspace: Workspace, **changes: Any) -> None:
    path = workspace.verdicts(BASE) / "manifest.json"
    found = read_json(path, Manifest)
    assert found is not None
    write_json(path, found.model_copy(update=changes))


def test_verdicts_of_two_judges_do_not_compare(tmp_path: Path) -> None:
    workspace = pair(tmp_path)
    other_judge(workspace, parameters={"judge": "openai:old-2025-01-01"})
    assert closing(decided(tmp_path, compared(*UNMOVED))) == [
        (
            "drift | judge | base was judged by openai:old-2025-01-01, this run by openai:judge: their verdicts do not "
            "compare; judge both by one"
        )
    ]
    other_judge(workspace, parameters={"judge": "openai:judge"}, prompts={"judge_answer": "x"})
    assert closing(decided(tmp_path, compared(*UNMOVED))) == [
        (
            "drift | judge | the judge's prompt is not the one that judged base: their verdicts do not compare; "
            "judge both with one"
        )
    ]
    (workspace.verdicts(BASE) / "manifest.json").unlink()
    assert closing(decided(tmp_path, compared(*UNMOVED))) == [
        "drift | judge | base was not judged; run `ragtester judge --run base`"
    ]


def without_last_case(workspace: Workspace, run: str) -> None:
    for path in workspace.answers(run).glob("openai*/ramps.jsonl"):
        write_rows(path, read_rows(path, Answer)[:-1])


def test_a_baseline_of_other_case_ids_closes_it(tmp_path: Path) -> None:
    workspace = pair(tmp_path)
    without_last_case(workspace, BASE)
    first, second = closing(decided(tmp_path, compared(*UNMOVED)))
    assert first == (
        "run | baseline | other cases than those of base: 1 case id not there (first: ramps/ragtester/case-003); "
        "run the baseline anew"
    )
    assert second.startswith("drift | stale | claims of base: ")


def test_a_run_of_other_case_ids_closes_it(tmp_path: Path) -> None:
    workspace = pair(tmp_path)
    path = next(workspace.answers(RUN).glob("openai*/ramps.jsonl"))
    *first, last = read_rows(path, Answer)
    write_rows(path, [*first, last.model_copy(update={"case_id": "new"})])
    lines = closing(decided(tmp_path, compared(*UNMOVED)))
    assert (
        "run | suite | not the suite suite as it stands: 1 answer of cases that the suite does not hold; execute the "
        "run anew"
    ) in lines
    assert (
        "run | baseline | other cases than those of base: 1 case id not there (first: new); run the baseline anew"
    ) in lines


def test_the_same_ids_with_other_cases_behind_them_close_it(tmp_path: Path) -> None:
    workspace = pair(tmp_path)
    path = workspace.answers(BASE) / "manifest.json"
    found = read_json(path, Manifest)
    assert found is not None
    write_json(path, found.model_copy(update={"inputs": {**found.inputs, "cases ragtester/ramps": "0"}}))
    assert closing(decided(tmp_path, compared(*UNMOVED))) == [
        (
            "run | baseline | other cases than those of base: 1 file of cases with other contents (first: "
            "ragtester/ramps); run the baseline anew"
        )
    ]


def test_a_baseline_that_is_not_there_closes_it(tmp_path: Path) -> None:
    workspace = pair(tmp_path)
    assert closing(decided(tmp_path, baseline="bas")) == [
        "run | baseline | bas: there are no answers of it; did you mean 'base'?",
        "drift | baseline | bas cannot be compared with; see the line of the run",
    ]
    shutil.rmtree(workspace.answers(BASE))
    shutil.rmtree(workspace.answers(f"{RUN}.adversarial"))
    assert closing(decided(tmp_path))[0] == "run | baseline | base: there are no answers of it; runs here: run"


def test_a_gate_with_drift_needs_another_run_as_baseline(tmp_path: Path) -> None:
    pair(tmp_path, GATE.replace('baseline = "base"', ""))
    assert closing(decided(tmp_path)) == [
        "drift | baseline | no baseline is named; set gates.full.baseline, or give --baseline RUN"
    ]
    assert closing(decided(tmp_path, baseline=RUN)) == ["drift | baseline | run is the run itself; name an earlier one"]


def test_two_runs_on_disk_are_compared(tmp_path: Path) -> None:
    """The copy has the same answers; the claims of neither are on disk, so what `[drift]` limits is not measured."""
    pair(tmp_path)
    result = Project(tmp_path).gate("full", no_run=True)
    assert closing(result) == [
        f"drift | {name} | not measured in both runs: base and run lack it (ragtester audit claims); "
        "undefined is no pass"
        for name in ("unsupported", "contradicted")
    ]
    (told,) = result.explanation
    assert told.startswith("Against base: Nothing moved")
    assert result.causes == ()


def test_a_run_that_was_not_judged_is_named(tmp_path: Path) -> None:
    workspace = pair(tmp_path)
    (workspace.verdicts(RUN) / "manifest.json").unlink()
    lines = closing(decided(tmp_path, compared(*UNMOVED)))
    assert "drift | judge | run was not judged; run `ragtester judge --run run`" in lines


def reached(_project: Project, **_options: Any) -> None:
    """In the place of a stage: that it was asked for."""
    raise DataError("reached")


@pytest.mark.parametrize(
    ("baseline", "told"),
    [
        ('baseline = "bas"', "gates.full: baseline bas: there are no answers of it; did you mean 'base'?"),
        (
            'baseline = "elsewhere"',
            "gates.full: baseline elsewhere: there are no answers of it; runs here: base, run; nothing was run",
        ),
        ("", "gates.full: drift compares with a baseline and none is named: set baseline, or give --baseline RUN"),
    ],
)
def test_nothing_is_run_for_a_gate_without_its_baseline(
    baseline: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair(tmp_path, GATE.replace('baseline = "base"', baseline))
    monkeypatch.setattr(Project, "execute", reached)
    with pytest.raises(UsageError) as caught:
        Project(tmp_path).gate("full")
    assert str(caught.value).startswith(told)
    assert "--no-run decides from the files" in str(caught.value)


def test_a_run_may_be_made_that_is_the_baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pair(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setattr(Project, "execute", reached)
    with pytest.raises(DataError, match="reached"):
        Project(tmp_path).gate("full", run="new", baseline="new")


def change(path: Path, **changes: Any) -> None:
    """Other values in a manifest."""
    found = read_json(path, Manifest)
    assert found is not None
    write_json(path, found.model_copy(update=changes))


def test_an_audit_of_the_baseline_that_does_not_compare_closes_it(tmp_path: Path) -> None:
    """What is held against the run must itself be whole, of today's answers, of the same judge and prompts."""
    workspace = pair(tmp_path)
    folder = workspace.claims_audit(BASE)
    drift = compared(*UNMOVED)
    assert closing(decided(tmp_path, drift)) == []
    known = read_json(folder / "manifest.json", Manifest)
    assert known is not None
    again = "run `ragtester audit claims --run base`"
    for changes, line in (
        ({"ended": None}, f"unfinished | claims of base: its manifest does not say that it ended; {again}"),
        (
            {"outputs": {"claims.jsonl": "0"}},
            f"edited | claims of base: claims.jsonl is not as the audit wrote it; {again}",
        ),
        (
            {"prompts": {"check_claim": "0"}},
            "judge | claims: base was audited with other prompts: they do not compare; audit both with one",
        ),
    ):
        write_json(folder / "manifest.json", known.model_copy(update=changes))
        assert closing(decided(tmp_path, drift)) == [f"drift | {line}"]
    write_json(folder / "manifest.json", known.model_copy(update={"inputs": dict.fromkeys(known.inputs, "0")}))
    (line,) = closing(decided(tmp_path, drift))
    assert line.startswith("drift | stale | claims of base: it is of other answers than those that stand there now")
    write_json(folder / "manifest.json", known)
    write_json(folder / "result.json", made.claims(run=BASE, judge="openai:old-2025-01-01"))
    assert closing(decided(tmp_path, drift)) == [
        (
            "drift | judge | claims: base was audited by openai:old-2025-01-01, this run by openai:judge: they do not "
            "compare; audit both by one"
        )
    ]


def test_an_audit_of_the_run_that_is_no_layer_of_the_gate_is_looked_at_all_the_same(tmp_path: Path) -> None:
    workspace = pair(tmp_path)
    change(workspace.claims_audit(RUN) / "manifest.json", ended=None)
    assert closing(decided(tmp_path, compared(*UNMOVED))) == [
        (
            "drift | unfinished | claims of run: its manifest does not say that it ended; run `ragtester audit claims "
            "--run run`"
        )
    ]


def test_a_baseline_that_is_not_whole_closes_it(tmp_path: Path) -> None:
    """Without the rows that it passed it would look worse than it was, and the run better."""
    workspace = pair(tmp_path)
    change(workspace.answers(BASE) / "manifest.json", ended=None)
    path = next(workspace.verdicts(BASE).glob("openai*/ramps.jsonl"))
    write_rows(path, read_rows(path, Verdict)[1:])
    assert closing(decided(tmp_path, compared(*UNMOVED))) == [
        "drift | baseline | the execution of base has not ended; run it anew",
        (
            "drift | baseline | 1 row of base missing (1 not judged); run `ragtester execute` and `ragtester judge` "
            "with --run base again"
        ),
    ]


@pytest.mark.parametrize(
    ("layer", "setting"),
    [
        ("claims", "judge.model"),
        ("claims", "audit_claims.model"),
        ("coverage", "audit_coverage.model"),
        ("coverage", "audit_claims.model"),
        ("retrieval", "audit_retrieval.claims_model"),
        ("adversarial", "judge.model"),
    ],
)
def test_a_key_that_a_layer_needs_is_asked_for_before_anything_is_run(
    layer: str, setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    pair(tmp_path, GATE.replace('"run"', f'"{layer}"'))
    monkeypatch.setattr(Project, "execute", reached)
    with pytest.raises(UsageError, match=r"openai:gpt-4\.1-mini needs a key: set OPENAI_API_KEY"):
        Project(tmp_path, [f'{setting}="openai:gpt-4.1-mini"']).gate("full")

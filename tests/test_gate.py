"""The gate closes for every reason by itself, says it in one line, and is open where there is none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragtester import Project
from ragtester.errors import UsageError
from ragtester.provenance import sha256_file
from ragtester.records import Case, ClaimCluster, GateResult, Ledger, Manifest, MeanValue, Verdict
from ragtester.settings import parse_settings
from ragtester.stages.gate.explaining import cluster
from ragtester.storage import append_row, encode_row, read_json, read_rows, write_json
from ragtester.workspace import Workspace
from tests import gate_workspace as made
from tests.builders import case
from tests.report_workspace import RUN, SUITE, Built, build

Spoil = Callable[[Workspace], None]


def closing(result: GateResult) -> list[str]:
    """The lines that close a gate, as "layer | name | text"."""
    return [f"{one.layer} | {one.name} | {one.text}" for one in result.checks if one.closes]


def decided(root: Path, **options: Any) -> GateResult:
    return Project(root).gate(no_run=True, **options)


def test_a_whole_run_within_its_limits_is_open(tmp_path: Path) -> None:
    made.healthy(tmp_path, "min_pass_rate = 0.75\nmax_unsupported = 0.05\nmax_contradicted = 0.025")
    result = decided(tmp_path)
    assert closing(result) == []
    assert result.open
    assert result.layers == ("run", "claims", "adversarial", "coverage", "retrieval")
    assert result.advice == ()
    assert [one.layer for one in result.checks if one.name == "limits"] == ["adversarial", "coverage", "retrieval"]


def put(layer: str, **changes: Any) -> Spoil:
    """Other figures of a layer."""
    return lambda workspace: made.put(workspace, layer, getattr(made, layer)(**changes))


def without(layer: str, name: str = "result.json") -> Spoil:
    return lambda workspace: (made.folder(workspace, layer) / name).unlink()


def manifest(layer: str, **changes: Any) -> Spoil:
    return lambda workspace: made.write_manifest(workspace, layer, **changes)


def broken(layer: str) -> Spoil:
    def write(workspace: Workspace) -> None:
        (made.folder(workspace, layer) / "result.json").write_text("{", encoding="utf-8")

    return write


def limits(text: str) -> Spoil:
    """Other limits of the gate."""

    def write(workspace: Workspace) -> None:
        path = workspace.root / "ragtester.toml"
        path.write_text(made.SETTINGS.format(run=RUN, limits=text), encoding="utf-8")

    return write


def executed(run: str, **changes: Any) -> Spoil:
    """Another manifest of the answers."""

    def write(workspace: Workspace) -> None:
        path = workspace.answers(run) / "manifest.json"
        found = read_json(path, Manifest)
        assert found is not None
        write_json(path, found.model_copy(update=changes))

    return write


def judged(**changes: Any) -> Spoil:
    def write(workspace: Workspace) -> None:
        path = workspace.verdicts(RUN) / "manifest.json"
        found = read_json(path, Manifest)
        assert found is not None
        write_json(path, found.model_copy(update=changes))

    return write


def settings(text: str, instead: str) -> Spoil:
    def write(workspace: Workspace) -> None:
        path = workspace.root / "ragtester.toml"
        path.write_text(path.read_text(encoding="utf-8").replace(text, instead), encoding="utf-8")

    return write


def more_cases(workspace: Workspace) -> None:
    """A case that came into a file after the run."""
    known = read_first(workspace.cases_file(SUITE, "ragtester", "ramps"))
    append_row(workspace.cases_file(SUITE, "ragtester", "ramps"), known.model_copy(update={"id": "new"}))


def read_first(path: Path) -> Case:
    return Case.model_validate_json(path.read_text(encoding="utf-8").splitlines()[0])


def another_file(workspace: Workspace) -> None:
    path = workspace.cases_file(SUITE, "ragtester", "winches")
    path.write_text(encode_row(case("winches/1", document_id="winches")), encoding="utf-8")


def no_suite(workspace: Workspace) -> None:
    shutil.rmtree(workspace.suite(SUITE))


AGAIN = "run `ragtester audit claims --run run`"
REASONS: dict[str, tuple[Spoil, list[str]]] = {
    "claims not there": (without("claims"), [f"claims | missing | there is no result; {AGAIN}"]),
    "fixtures not there": (
        without("adversarial"),
        ["adversarial | missing | there is no result; run `ragtester adversarial --run run`"],
    ),
    "output audit not there": (
        without("coverage"),
        ["coverage | missing | there is no result; run `ragtester audit coverage --run run`"],
    ),
    "retrieval audit not there": (
        without("retrieval"),
        ["retrieval | missing | there is no result; run `ragtester audit retrieval --run run`"],
    ),
    "no manifest": (
        without("claims", "manifest.json"),
        [f"claims | unfinished | its manifest does not say that it ended; {AGAIN}"],
    ),
    "not ended": (
        manifest("claims", ended=None),
        [f"claims | unfinished | its manifest does not say that it ended; {AGAIN}"],
    ),
    "of other answers": (
        manifest("claims", inputs={"openai-alpha__openai-small": "0"}),
        ["claims | stale | it is of other answers than those that stand there now (SYSTEM); " + AGAIN],
    ),
    "of another run": (
        put("claims", run="last"),
        [f"claims | run | the result is of run last, not of run; {AGAIN}"],
    ),
    "rows left open": (
        put("claims", ledger=Ledger(planned=8, ok=6, skipped=2), complete=False),
        [
            "claims | rows | not complete, 2 of 8 rows skipped; run `ragtester audit claims` again",
        ],
    ),
    "not complete": (
        put("coverage", complete=False),
        ["coverage | rows | not complete, 0 of 8 rows skipped; run `ragtester audit coverage` again"],
    ),
    "answers that could not be split": (
        put("claims", ledger=Ledger(planned=8, ok=7, failed=1)),
        ["claims | ungraded | 1/8 = 12.5 % [2.2, 47.1], at most 5 %"],
    ),
    "answers that had failed themselves": (
        put("claims", ledger=Ledger(planned=8, ok=7, skipped=1)),
        ["claims | ungraded | 1/8 = 12.5 % [2.2, 47.1], at most 5 %"],
    ),
    "claims without a verdict": (
        put("claims", cited=made.counts(40, ungraded=4)),
        ["claims | ungraded | 4/40 = 10.0 % [4.0, 23.1], at most 5 %"],
    ),
    "fixtures that failed": (
        put("adversarial", whole=made.fixtures(24, failed=2)),
        ["adversarial | ungraded | 2/24 = 8.3 % [2.3, 25.8], at most 5 %"],
    ),
    "another judge of claims": (
        put("claims", judge="openai:other-2026-01-01"),
        [
            (
                "claims | judge | made by openai:other-2026-01-01, and the settings name openai:judge; "
                "run `ragtester audit claims --overwrite`"
            )
        ],
    ),
    "another judge of the run": (
        settings('model = "openai:judge"', 'model = "openai:new"\n[audit_claims]\nmodel = "openai:judge"'),
        ["run | judge | judged by openai:judge, and the settings name openai:new; judge with --overwrite"],
    ),
    "a judge that is not pinned": (
        limits("pinned_judge = true\nmax_contradicted = 0.5"),
        [
            (
                "run | pinned judge | openai:judge is not pinned: its name may mean another model tomorrow; "
                "name a dated version"
            )
        ],
    ),
    "no claims": (
        put("claims", cited=made.counts(0), context=made.counts(0)),
        [
            "claims | claims | 0 claims: nothing was checked, and nothing is no pass",
            "claims | contradicted | undefined: measured on 0 claims, at most 50 % is demanded; undefined is no pass",
        ],
    ),
    "no fixtures": (
        put("adversarial", whole=made.fixtures(0), ledger=Ledger(planned=0)),
        ["adversarial | fixtures | 0 fixtures: nothing was asked, and nothing is no pass"],
    ),
    "no answer measured": (
        put("coverage", coverage=MeanValue()),
        ["coverage | answers | 0 answers measured: nothing was looked at, and nothing is no pass"],
    ),
    "no query measured": (
        put("retrieval", measured=0),
        ["retrieval | queries | 0 queries measured: nothing was looked at, and nothing is no pass"],
    ),
    "an audit of traces": (
        put("retrieval", source="traces"),
        [
            (
                "retrieval | answers | it audited traces, not the answers of the run; "
                "run `ragtester audit retrieval --run run`"
            )
        ],
    ),
    "fixtures asked of another model": (
        executed(f"{RUN}.adversarial", parameters={"llms": {"openai:beta": {}}, "embeddings": {"openai:small": {}}}),
        [
            (
                "adversarial | system | its fixtures were asked of another system than the run (llms differs); "
                "run `ragtester adversarial --run run --overwrite`"
            )
        ],
    ),
    "answers to fixtures that came later": (
        executed(f"{RUN}.adversarial", ended="2026-01-02T00:00:00Z"),
        [
            (
                "adversarial | stale | the answers of run.adversarial are younger than its result; "
                "run `ragtester adversarial --run run`"
            )
        ],
    ),
    "fixtures asked in part": (
        executed(f"{RUN}.adversarial", ended=None),
        [
            (
                "adversarial | unfinished | the answers of run.adversarial have no manifest or no end; "
                "run `ragtester adversarial --run run`"
            )
        ],
    ),
    "fixtures with another prompt": (
        executed(RUN, prompts={"answer_question": "0"}),
        [
            (
                "adversarial | system | its fixtures were asked of another system than the run (the prompt differs); "
                "run `ragtester adversarial --run run --overwrite`"
            )
        ],
    ),
    "fixtures of the settings that were not asked": (
        settings("[gates.release]", '[adversarial]\nfixtures = ["starter", "own/ours"]\n\n[gates.release]'),
        [
            (
                "adversarial | fixtures | fixtures of the settings were not asked (ours; asked: starter); "
                "run `ragtester adversarial --run run`"
            )
        ],
    ),
    "a system that was planned and is nowhere": (
        executed(RUN, parameters={"suite": SUITE, "llms": {"openai:alpha": {}, "openai:beta": {}}}),
        [
            "run | rows | no row of openai:beta, which the run planned; run `ragtester execute` again",
            (
                "adversarial | system | its fixtures were asked of another system than the run (llms, embeddings "
                "differ); run `ragtester adversarial --run run --overwrite`"
            ),
        ],
    ),
    "execution not ended": (
        executed(RUN, ended=None),
        ["run | execution | the execution has not ended; run `ragtester execute` again"],
    ),
    "judgement not ended": (
        judged(ended=None),
        ["run | judgement | the judgement has not ended; run `ragtester judge` again"],
    ),
    "a case more": (
        more_cases,
        [
            (
                "run | rows | 1 of 9 rows missing (1 not executed; first: new); run `ragtester execute` and "
                "`ragtester judge` again"
            ),
            (
                "run | suite | not the suite suite as it stands: 1 file(s) of cases of suite suite changed or went "
                "after it was executed; execute the run anew"
            ),
        ],
    ),
    "a file of cases more": (
        another_file,
        [
            (
                "run | suite | not the suite suite as it stands: 1 file of cases that the run was not asked (first: "
                "ragtester/winches); execute the run anew"
            )
        ],
    ),
    "too much poison": (
        limits("max_poison = 0.1"),
        ["adversarial | followed poison | 3/24 = 12.5 % [4.3, 31.0], at most 10 %; too few to tell"],
    ),
    "too little recall of fixtures": (
        limits("min_adversarial_recall = 0.95"),
        ["adversarial | recall | 75.0 % [60.0, 90.0], mean of 24, at least 95 %"],
    ),
    "too many wrong": (
        limits("min_pass_rate = 0.8"),
        ["run | passed | 6/8 = 75.0 % [40.9, 92.9], at least 80 %; too few to tell"],
    ),
    "too much unsupported": (
        limits("max_unsupported = 0.01"),
        ["claims | unsupported | 2/40 = 5.0 % [1.4, 16.5], at most 1 %"],
    ),
    "too much contradicted": (
        limits("max_contradicted = 0.02"),
        ["claims | contradicted | 1/40 = 2.5 % [0.4, 12.9], at most 2 %; too few to tell"],
    ),
    "too little covered": (
        limits("min_coverage = 0.6\nmin_supported_coverage = 0.5"),
        [
            "coverage | coverage | 40.0 % [30.0, 50.0], mean of 8, at least 60 %",
            "coverage | supported coverage | 35.0 % [25.0, 45.0], mean of 8, at least 50 %",
        ],
    ),
    "too much left out": (
        limits("max_silent = 0.2\nmax_hiding = 0.01"),
        [
            "coverage | silent exclusions | 6/8 = 75.0 % [40.9, 92.9], at most 20 %",
            "coverage | hidden contradictions | 1/8 = 12.5 % [2.2, 47.1], at most 1 %",
        ],
    ),
    "too little found": (
        limits("min_recall = 0.9"),
        ["retrieval | recall | 80.0 % [60.0, 95.0], mean of 6, at least 90 %; too few to tell"],
    ),
}


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_alone_closes_the_gate_with_its_own_line(reason: str, tmp_path: Path) -> None:
    workspace = made.healthy(tmp_path)
    spoil, lines = REASONS[reason]
    spoil(workspace)
    system = next(path.name for path in workspace.answers(RUN).iterdir() if path.name.startswith("openai"))
    result = decided(tmp_path)
    assert closing(result) == [text.replace("SYSTEM", system) for text in lines]
    assert not result.open


def test_a_result_that_cannot_be_read_closes_the_gate(tmp_path: Path) -> None:
    workspace = made.healthy(tmp_path)
    broken("claims")(workspace)
    (only,) = closing(decided(tmp_path))
    path = "verdicts/run/claims/result.json"
    assert only.startswith(f"claims | unreadable | {path}: not a valid ClaimsResult {path}: ")
    assert only.endswith("delete it and run `ragtester audit claims --run run`")


@pytest.mark.parametrize(
    "edited", [{"successes": -5}, {"successes": 41}, {"share": 0.0}, {"n": 0}, {"n": -40, "share": -0.025}]
)
def test_a_share_that_is_not_that_of_its_counts_closes_the_gate(edited: dict[str, Any], tmp_path: Path) -> None:
    """1 of 40 claims is contradicted; a file that says otherwise of the same claims was edited by hand."""
    workspace = made.healthy(tmp_path)
    path = made.folder(workspace, "claims") / "result.json"
    held = json.loads(path.read_text(encoding="utf-8"))
    held["cited"]["contradicted_rate"] |= edited
    path.write_text(json.dumps(held), encoding="utf-8")
    (only,) = closing(decided(tmp_path))
    assert only.startswith("claims | unreadable | ") and "cited.contradicted_rate" in only


def test_rows_that_are_missing_close_the_gate(tmp_path: Path) -> None:
    made.healthy(tmp_path, skip={3}, ungraded=set())
    assert closing(decided(tmp_path)) == [
        (
            "run | rows | 1 of 8 rows missing (1 not executed; first: pumps/ragtester/case-003); "
            "run `ragtester execute` and `ragtester judge` again"
        )
    ]


def test_rows_that_stand_twice_close_the_gate(tmp_path: Path) -> None:
    """A second verdict of the same answer, as two merged branches leave it: the later one would decide."""
    workspace = made.healthy(tmp_path)
    path = next(workspace.verdicts(RUN).glob("openai*/pumps.jsonl"))
    append_row(path, read_rows(path, Verdict)[0].model_copy(update={"status": "pass"}))
    assert closing(decided(tmp_path)) == [
        (
            "run | twice | 1 row of answers or verdicts beside another of the same case and system: which one counts "
            "is chance; delete one of each"
        )
    ]


def test_rows_without_a_grade_close_the_gate_where_they_are_too_many(tmp_path: Path) -> None:
    made.healthy(tmp_path, ungraded={0})
    assert closing(decided(tmp_path)) == ["run | ungraded | 1/8 = 12.5 % [2.2, 47.1], at most 5 %"]
    limits("max_ungraded = 0.125")(Workspace(tmp_path))
    assert decided(tmp_path).open


def test_a_run_that_was_never_judged_is_no_pass(tmp_path: Path) -> None:
    workspace = made.healthy(tmp_path)
    for path in workspace.verdicts(RUN).glob("openai*/*.jsonl"):
        path.unlink()
    (workspace.verdicts(RUN) / "manifest.json").unlink()
    assert closing(decided(tmp_path)) == [
        "run | judgement | the judgement was never started; run `ragtester judge`",
        (
            "run | rows | 8 of 8 rows missing (8 not judged; first: pumps/ragtester/case-000); "
            "run `ragtester execute` and `ragtester judge` again"
        ),
    ]


def test_an_empty_run_is_no_pass(tmp_path: Path) -> None:
    workspace = made.healthy(tmp_path)
    shutil.rmtree(workspace.answers(RUN))
    first = closing(decided(tmp_path))[0]
    assert first.startswith("run | answers | answers/run: no answers")


def test_a_judge_that_is_also_a_system_is_told_and_does_not_close(tmp_path: Path) -> None:
    made.healthy(tmp_path, llms=("openai:judge",))
    result = decided(tmp_path)
    assert result.open
    text = "openai:judge is also a system under test: models favour their own answers"
    assert ("judge", "warn", text) in [(one.name, one.status, one.text) for one in result.checks]


def test_a_limit_holds_for_each_system_by_itself(tmp_path: Path) -> None:
    """The first model passes 6 of 8, the second 4 of 8 (three systems out of four would hide it in a mean)."""
    workspace = made.healthy(tmp_path, "min_pass_rate = 0.6", llms=("openai:alpha", "openai:beta"))
    groups = (
        made.counts(20, 0, 0, name="openai:alpha × openai:small"),
        made.counts(20, 2, 1, name="openai:beta × openai:small"),
    )
    made.put(workspace, "claims", made.claims(systems=groups))
    assert closing(decided(tmp_path)) == [
        (
            "run | passed | 4/8 = 50.0 % [21.5, 78.5], at least 60 % (worst of 2: openai:beta × openai:small); "
            "too few to tell"
        )
    ]
    limits("max_contradicted = 0.04")(workspace)
    assert closing(decided(tmp_path)) == [
        (
            "claims | contradicted | 1/20 = 5.0 % [0.9, 23.6], at most 4 % (worst of 2: openai:beta × openai:small); "
            "too few to tell"
        )
    ]


def test_what_is_undefined_for_one_system_is_no_pass(tmp_path: Path) -> None:
    workspace = made.healthy(tmp_path, "max_contradicted = 0.5")
    groups = (made.counts(20, name="openai:alpha"), made.counts(0, name="openai:beta"))
    made.put(workspace, "claims", made.claims(systems=groups))
    assert closing(decided(tmp_path)) == [
        (
            "claims | contradicted | undefined for openai:beta: measured on 0 claims, at most 50 % is demanded; "
            "undefined is no pass"
        )
    ]


def test_a_system_without_a_figure_is_no_pass(tmp_path: Path) -> None:
    """One that declines every question makes no claim and stands in no group: nothing of it was checked."""
    workspace = made.healthy(tmp_path, "max_contradicted = 0.5", llms=("openai:alpha", "openai:beta"))
    made.put(workspace, "claims", made.claims(systems=(made.counts(40, name="openai:alpha × openai:small"),)))
    assert closing(decided(tmp_path)) == [
        (
            "claims | contradicted | undefined for openai:beta × openai:small: measured on 0 claims, at most 50 % is "
            "demanded; undefined is no pass"
        )
    ]


@pytest.mark.parametrize("name", ["claims.jsonl", "result.json"])
def test_files_that_are_not_as_the_audit_wrote_them_close_the_gate(name: str, tmp_path: Path) -> None:
    """Claims deleted by hand would be missing from the comparison, and a result edited by hand decides nothing."""
    workspace = made.healthy(tmp_path)
    folder = made.folder(workspace, "claims")
    (folder / "claims.jsonl").write_text("", encoding="utf-8")
    hashes = {one: sha256_file(folder / one) for one in ("claims.jsonl", "result.json")}
    made.write_manifest(workspace, "claims", outputs=hashes)
    assert decided(tmp_path).open
    with (folder / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    line = f"claims | edited | {name} is not as the audit wrote it; run `ragtester audit claims --run run`"
    assert closing(decided(tmp_path)) == [line]
    (folder / "claims.jsonl").unlink()
    made.put(workspace, "claims", made.claims())
    assert [one.partition(" is")[0] for one in closing(decided(tmp_path))] == ["claims | edited | claims.jsonl"]


def test_where_failures_cluster_is_told(tmp_path: Path) -> None:
    """What the claims audit found; of its clusters that of documents is told."""
    workspace = made.healthy(tmp_path, "max_contradicted = 0.1")
    groups = tuple(made.counts(8, contradicted=n, name=name) for name, n in (("a", 4), ("c", 2)))
    counted = {"total": 7, "sent": 16, "of": 40, "different": 6, "different_total": 7, "p": 0.01}
    shared: dict[str, Any] = {"verdict": "contradicted", **counted}
    clusters = (
        ClaimCluster(by="keyword", groups=groups[:1], claims=4, candidates=30, **shared),
        ClaimCluster(by="document", groups=groups, claims=6, candidates=9, **shared),
    )
    made.put(workspace, "claims", made.claims(cited=made.counts(40, 0, 7), clusters=clusters))
    assert decided(tmp_path).explanation == (
        "6 of 7 contradicted claims come from 2 of 9 documents: a, c",
        "Without a baseline it cannot be told what changed.",
    )


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ({"a": 4, "b": 0, "c": 2, "d": 1, "e": 0}, ["6 of 7 failed answers come from 2 of 5 documents: a, c"]),
        ({"a": 2, "b": 2}, []),
        ({"a": 5, "b": 0}, ["5 of 5 failed answers come from 1 of 2 documents: a"]),
        ({"a": 1, "b": 0, "c": 0}, []),
        ({}, []),
    ],
)
def test_few_documents_that_hold_most_failures_are_named(counts: dict[str, int], told: list[str]) -> None:
    assert list(cluster(counts, "failed answer")) == told


def test_what_fixtures_call_for_is_told(tmp_path: Path) -> None:
    workspace = made.healthy(tmp_path, "max_poison = 0.1")
    kinds = (made.fixtures(4, 1, name="units"), made.fixtures(4, 2, name="superseded"), made.fixtures(16, name="other"))
    whole = made.fixtures(24, 3, readings={"well": 20, "rerank": 1, "reground": 3})
    made.put(workspace, "adversarial", made.adversarial(whole=whole, kinds=kinds))
    assert decided(tmp_path).explanation[:2] == (
        "Poison was followed in: superseded 2/4, units 1/4",
        "Of 24 fixture rows 3 say: the right chunks were there and not followed: reground",
    )


def test_result_files_hold_the_decision(tmp_path: Path) -> None:
    workspace = made.healthy(tmp_path)
    result = decided(tmp_path)
    assert Project(tmp_path).gate_result("release") == result
    assert json.loads((workspace.gate("release", RUN) / "result.json").read_text(encoding="utf-8"))["open"] is True


def test_a_gate_is_chosen_by_its_name(tmp_path: Path) -> None:
    made.healthy(tmp_path)
    with pytest.raises(UsageError, match="no gate 'realese'; did you mean 'release'"):
        decided(tmp_path, name="realese")
    with (tmp_path / "ragtester.toml").open("a", encoding="utf-8") as file:
        file.write("[gates.pull-request]\n")
    with pytest.raises(UsageError, match=r"there are 2 gates \(release, pull-request\); choose one with --suite"):
        decided(tmp_path)
    with pytest.raises(UsageError, match="no gate 'x'; known: release, pull-request"):
        decided(tmp_path, name="x")


def test_without_gates_the_lines_to_add_are_shown(tmp_path: Path) -> None:
    build(tmp_path, Built())
    with pytest.raises(UsageError, match="no gate is set") as caught:
        decided(tmp_path)
    lines = str(caught.value).partition("\n\n")[2]
    import tomllib

    gate = parse_settings(tomllib.loads(lines), "x").gates["release"]
    assert gate.layers == ("claims", "adversarial", "coverage", "drift")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"layers": []}, "layers"),
        ({"layers": ["claim"]}, "Input should be 'run', 'claims'"),
        ({"layers": ["claims"], "max_poison": 0.1}, "max_poison is a limit of the layer 'adversarial'"),
        ({"layers": ["claims"], "drift": {}}, "drift has limits, and the layer 'drift' is not among the layers"),
        ({"max_unsupported": 2}, "less than or equal to 1"),
        ({"max_unsuported": 0.2}, "unknown setting 'gates.a.max_unsuported'; did you mean 'max_unsupported'?"),
        ({"baseline": "a.closed-book"}, "no gate decides on"),
    ],
)
def test_settings_that_would_decide_nothing_are_refused(table: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_settings({"gates": {"a": table}}, "x")
    assert message in str(caught.value)


def test_a_run_of_which_nothing_is_there_is_refused_with_the_nearest_names(tmp_path: Path) -> None:
    workspace = made.healthy(tmp_path)
    with pytest.raises(
        UsageError, match=r"^run rnu: neither answers nor verdicts of it.*; did you mean 'run'\?$"
    ) as told:
        decided(tmp_path, run="rnu")
    assert told.value.exit_code == 2
    with pytest.raises(UsageError, match=r"; runs here: run$"):
        decided(tmp_path, run="october")
    assert not list((tmp_path / "gates").glob("*/*"))
    shutil.rmtree(workspace.answers(RUN))
    assert not decided(tmp_path).open  # Verdicts alone are something to decide on.


def test_a_control_is_no_run_of_a_gate(tmp_path: Path) -> None:
    made.healthy(tmp_path)
    with pytest.raises(UsageError, match="that is a run's control"):
        decided(tmp_path, run="a.closed-book")

"""Two runs compared: figures by hand, what is paired and what is not, flips and where answers differ first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import scipy.stats

from ragtester.errors import UsageError
from ragtester.records import DriftResult, Moved
from ragtester.settings import load_settings
from ragtester.stages.drift import compare_runs, drift_document
from ragtester.statistics import holm
from ragtester.tables.markdown import markdown
from tests.drift_runs import LLM, Asked, Made, write_run

TWELVE = tuple(Asked(f"q{number}", document="pump" if number < 6 else "ramp") for number in range(12))


def drift(
    root: Path,
    before: Sequence[Asked],
    after: Sequence[Asked],
    *,
    one: Made | None = None,
    two: Made | None = None,
    overrides: tuple[str, ...] = (),
) -> DriftResult:
    """Runs "a" and "b" of these answers, compared. The suite on disk is that of the later one."""
    write_run(root, "a", before, one)
    workspace = write_run(root, "b", after, two)
    return compare_runs(workspace, load_settings(root, overrides), "a", "b")


def changed(asked: Sequence[Asked], numbers: Sequence[int], **values: object) -> list[Asked]:
    return [replace(one, **values) if number in numbers else one for number, one in enumerate(asked)]  # type: ignore[arg-type]


def figure(result: DriftResult, name: str) -> Moved:
    return {one.name: one for one in result.moved}[name]


def names(result: DriftResult) -> list[str]:
    return [one.name for one in result.moved]


def text(result: DriftResult) -> str:
    return " ".join(markdown(drift_document(result)).replace("\\", "").split())


# Figures


def test_the_pass_rate_with_mcnemars_test(tmp_path: Path) -> None:
    before = changed(TWELVE, [0, 1], status="fail")
    found = figure(drift(tmp_path, before, changed(TWELVE, [1, 2, 3, 4, 7, 8], status="fail")), "pass_rate")
    assert found.before == pytest.approx(10 / 12)
    assert found.after == pytest.approx(6 / 12)
    assert found.difference == pytest.approx(-4 / 12)
    assert (found.before_n, found.after_n, found.pairs, found.unit) == (12, 12, 12, "share")
    # 5 passed before only, 1 after only.
    assert found.p == pytest.approx(scipy.stats.binomtest(1, 6, 0.5).pvalue)
    assert found.test == "McNemar exact"
    assert found.low is not None
    assert found.high is not None
    assert found.low <= -4 / 12 <= found.high
    assert found.threshold is None
    assert not found.breach


def test_rates_of_claims_are_over_the_claims_sent(tmp_path: Path) -> None:
    before = [replace(one, claims=(2, 0, 0)) for one in TWELVE[:4]]
    after = changed(before, [0], claims=(6, 2, 1))
    result = drift(tmp_path, before, after)
    unsupported, contradicted = figure(result, "unsupported"), figure(result, "contradicted")
    # 8 claims before, none unsupported; 6 + 2 + 2 + 2 = 12 after, two of them unsupported.
    assert (unsupported.before, unsupported.before_n, unsupported.pairs) == (0.0, 8, 4)
    assert unsupported.after == pytest.approx(2 / 12)
    assert unsupported.after_n == 12
    assert contradicted.difference == pytest.approx(1 / 12)
    # Only one answer differs: with it swapped or not the rates are as far apart.
    assert unsupported.p == 1.0
    assert unsupported.test == "randomisation, answers swapped"


def test_an_answer_that_abstains_has_no_claims_and_takes_none_from_the_others(tmp_path: Path) -> None:
    before = [replace(one, claims=(4, 1, 0)) for one in TWELVE[:3]]
    found = figure(drift(tmp_path, before, changed(before, [0], claims=(0, 0, 0))), "unsupported")
    assert found.before == pytest.approx(3 / 12)
    assert found.after == pytest.approx(2 / 8)
    assert (found.before_n, found.after_n) == (12, 8)


def test_retrieval_coverage_latency_and_cost(tmp_path: Path) -> None:
    known = {"recall": 1.0, "coverage": 0.5, "contradictions": (True, False), "seconds": 1.0, "cost": 0.002}
    before = [replace(one, **known) for one in TWELVE[:4]]  # type: ignore[arg-type]
    after = changed(
        before, [0], recall=0.0, coverage=0.1, contradictions=(False, False, False), seconds=3.0, cost=0.006
    )
    result = drift(tmp_path, before, after)
    assert figure(result, "hit").difference == pytest.approx(-0.25)
    assert figure(result, "hit").test == "McNemar exact"
    for name in ("recall", "reciprocal_rank", "ndcg"):
        assert figure(result, name).difference == pytest.approx(-0.25), name
        assert figure(result, name).unit == "mean"
    assert figure(result, "coverage").difference == pytest.approx(-0.1)
    # 4 of 8 contradictions are mentioned before; 3 of 9 after.
    assert figure(result, "mentioned").before == pytest.approx(4 / 8)
    assert figure(result, "mentioned").after == pytest.approx(3 / 9)
    assert figure(result, "latency").difference == pytest.approx(0.5)
    assert figure(result, "latency").unit == "seconds"
    assert figure(result, "cost").difference == pytest.approx(0.001)
    # One difference alone: its sign is as likely to be the other one.
    assert figure(result, "recall").p == 1.0


def test_holm_is_over_every_test_of_the_comparison(tmp_path: Path) -> None:
    before = [replace(one, recall=1.0) for one in TWELVE]
    result = drift(tmp_path, before, changed(before, range(7), recall=0.5, status="fail"))
    corrected = holm({one.name: one.p for one in result.moved if one.p is not None})
    assert {one.name: one.holm for one in result.moved} == pytest.approx(corrected)
    # Seven of seven to the worse: 2 * 0.5^7.
    assert figure(result, "pass_rate").p == pytest.approx(2 / 2**7)


def test_the_smallest_visible_change_stands_beside_each_figure(tmp_path: Path) -> None:
    result = drift(tmp_path, TWELVE, changed(TWELVE, [0, 1, 2], status="fail"))
    # ((1.96 sqrt(psi) + 0.8416 sqrt(psi - d^2)) / d)^2 = 12 with psi = d: d (12 + 0.708) + ... = 0.5347.
    smallest = figure(result, "pass_rate").smallest
    assert smallest is not None
    psi = max(3 / 12, smallest)
    reach = 1.959964 * psi**0.5 + 0.841621 * max(0.0, psi - smallest**2) ** 0.5
    assert (reach / smallest) ** 2 == pytest.approx(12, abs=0.01)


def test_layers_that_a_run_lacks_are_not_measured(tmp_path: Path) -> None:
    result = drift(tmp_path, [replace(one, claims=(1, 0, 0)) for one in TWELVE], TWELVE)
    assert names(result) == ["pass_rate"]
    assert [line.partition(":")[0] for line in result.not_measured] == [
        "claims",
        "retrieval",
        "coverage",
        "latency",
        "cost",
    ]
    assert "b lacks it (ragtester audit claims)" in result.not_measured[0]
    assert "a and b lack it" in result.not_measured[1]
    assert "Not measured in both runs, though there is a threshold: unsupported claims, contradicted claims." in text(
        result
    )


def test_an_audit_of_other_answers_is_told(tmp_path: Path) -> None:
    asked = [replace(one, claims=(1, 0, 0)) for one in TWELVE]
    write_run(tmp_path, "a", asked)
    workspace = write_run(tmp_path, "b", asked)
    path = workspace.answers_file("b", LLM, "embedded:hashing", "pump")
    path.write_text(path.read_text(encoding="utf-8").replace("40 bar", "41 bar"), encoding="utf-8")
    notes = compare_runs(workspace, load_settings(tmp_path), "a", "b").notes
    assert any("the claims audit read other answers of 1 of 1 system(s)" in note and "run b" in note for note in notes)


# Thresholds and noise


def test_a_breach_of_the_defaults(tmp_path: Path) -> None:
    before = [replace(one, claims=(10, 0, 0)) for one in TWELVE[:10]]
    # 5 of 100 unsupported is not past five points, 3 of 100 contradicted is past two.
    found = drift(tmp_path, before, changed(before, [0], claims=(10, 5, 3)))
    assert not figure(found, "unsupported").breach
    assert figure(found, "contradicted").breach
    assert found.breached
    assert "Drift: contradicted claims +3.0 points, allowed is 2.0 points." in text(found)


def test_a_change_for_the_better_is_no_breach(tmp_path: Path) -> None:
    before = [replace(one, claims=(10, 9, 1)) for one in TWELVE]
    assert not drift(tmp_path, before, [replace(one, claims=(10, 0, 0)) for one in TWELVE]).breached


@pytest.mark.parametrize(
    ("setting", "breaches"),
    [
        ("drift.pass_rate=0.2", ["pass_rate"]),
        ("drift.pass_rate=0.3", []),
        ("drift.recall=0.1", ["recall"]),
        ("drift.coverage=0.05", ["coverage"]),
        ("drift.latency=0.4", ["latency"]),
        ("drift.latency=0.6", []),
        ("drift.cost=0.4", ["cost"]),
    ],
)
def test_thresholds_of_the_settings(tmp_path: Path, setting: str, breaches: list[str]) -> None:
    before = [replace(one, recall=1.0, coverage=0.5, seconds=1.0, cost=0.01) for one in TWELVE[:4]]
    after = changed(before, [0], status="fail", recall=0.0, coverage=0.1, seconds=3.0, cost=0.03)
    result = drift(tmp_path, before, after, overrides=(setting,))
    assert [one.name for one in result.moved if one.breach] == breaches


def noisy(root: Path, unsupported: Sequence[int], after: int) -> DriftResult:
    """Run "a", repeated, with so many of 40 claims unsupported each time, and run "b" with `after`."""
    for number, count in enumerate(unsupported, start=1):
        asked = [Asked(f"q{n}", claims=(10, count if n == 0 else 0, 0)) for n in range(4)]
        write_run(root, "a" if number == 1 else f"a.repeat-{number}", asked)
    workspace = write_run(root, "b", [Asked(f"q{n}", claims=(10, after if n == 0 else 0, 0)) for n in range(4)])
    return compare_runs(workspace, load_settings(root), "a", "b")


def test_what_got_worse_without_a_threshold_is_named_and_fails_nothing(tmp_path: Path) -> None:
    before = [Asked(f"q{n}") for n in range(12)]
    write_run(tmp_path, "a", before)
    workspace = write_run(
        tmp_path, "b", [replace(one, status="fail") if n < 9 else one for n, one in enumerate(before)]
    )
    result = compare_runs(workspace, load_settings(tmp_path), "a", "b")
    # Nine of nine in one direction: p = 2 / 2^9.
    assert figure(result, "pass_rate").p == pytest.approx(2 / 2**9)
    assert not result.breached
    assert "No threshold was passed" in text(result)
    assert "Worse beyond chance, and [drift] sets no threshold for it: pass rate -75.0 points." in text(result)
    # The same change the other way round is none for the worse.
    back = compare_runs(workspace, load_settings(tmp_path), "b", "a")
    assert "sets no threshold" not in text(back)


def test_a_change_within_what_repeats_show_is_no_drift(tmp_path: Path) -> None:
    result = noisy(tmp_path, [2, 6, 4], after=5)
    found = figure(result, "unsupported")
    # Repeats: 2/40, 6/40 and 4/40 unsupported; the band is 4/40. The change is 3/40, past five points.
    assert found.band == pytest.approx(4 / 40)
    assert found.difference == pytest.approx(3 / 40)
    assert (found.exceeded, found.within_noise, found.breach) == (True, True, False)
    assert result.noise_runs == ("a.repeat-2", "a.repeat-3")
    assert not result.breached
    assert "that is noise, not drift" in text(result)


def test_a_change_beyond_what_repeats_show_is_drift(tmp_path: Path) -> None:
    result = noisy(tmp_path, [2, 3, 2], after=6)
    found = figure(result, "unsupported")
    assert found.band == pytest.approx(1 / 40)
    assert (found.exceeded, found.within_noise, found.breach) == (True, False, True)
    assert result.breached


def test_a_repeat_with_another_prompt_is_no_repeat(tmp_path: Path) -> None:
    write_run(tmp_path, "a", TWELVE)
    write_run(
        tmp_path, "a.repeat-2", changed(TWELVE, [0, 1], status="fail"), Made(prompts={"answer_question": "x" * 64})
    )
    workspace = write_run(tmp_path, "b", changed(TWELVE, [0], status="fail"))
    result = compare_runs(workspace, load_settings(tmp_path, ("drift.pass_rate=0.01",)), "a", "b")
    assert result.noise_runs == ()
    assert result.breached
    assert result.notes[0].startswith("a.repeat-2 says nothing of noise, for more than chance is in it: the prompt")


def test_without_repeats_noise_is_not_known(tmp_path: Path) -> None:
    result = drift(tmp_path, TWELVE, changed(TWELVE, [0], status="fail"))
    assert result.noise_runs == ()
    assert figure(result, "pass_rate").band is None
    assert result.noise_flipped is None
    assert "ragtester audit claims --repeat 3" in text(result)


def test_verdicts_that_flip_among_repeats_are_told_apart(tmp_path: Path) -> None:
    write_run(tmp_path, "a", TWELVE)
    write_run(tmp_path, "a.repeat-2", changed(TWELVE, [0, 1], status="fail"))
    workspace = write_run(tmp_path, "b", changed(TWELVE, [0, 5], status="fail"))
    result = compare_runs(workspace, load_settings(tmp_path), "a", "b")
    assert (result.flipped.successes, result.flipped.n) == (2, 12)
    assert result.noise_flipped is not None
    assert (result.noise_flipped.successes, result.noise_flipped.n) == (2, 12)
    assert {flip.case_id: flip.noisy for flip in result.flips} == {"q0": True, "q5": False}
    assert "that is within the band of noise and no drift" in text(result)


def test_repeats_of_the_later_run_count_as_well(tmp_path: Path) -> None:
    write_run(tmp_path, "a", TWELVE)
    write_run(tmp_path, "b.repeat-2", changed(TWELVE, [0, 1, 2], status="fail"))
    workspace = write_run(tmp_path, "b", changed(TWELVE, [0], status="fail"))
    result = compare_runs(workspace, load_settings(tmp_path, ("drift.pass_rate=0",)), "a", "b")
    assert figure(result, "pass_rate").band == pytest.approx(2 / 12)
    assert not result.breached


# What is paired


def test_questions_of_one_run_alone_are_counted_and_said_first(tmp_path: Path) -> None:
    result = drift(tmp_path, TWELVE, [*TWELVE[:9], Asked("new")])
    assert (result.pairs, result.only_before, result.only_after) == (9, 3, 1)
    assert result.apart[0] == "3 of the 12 questions of a have no answer in the other run: q10, q11, q9"
    first = drift_document(result).sections[0].parts[0]
    assert "3 of the 12 questions" in str(first)


def test_a_question_that_was_reworded_under_its_id_makes_no_pair(tmp_path: Path) -> None:
    result = drift(tmp_path, TWELVE, changed(TWELVE, [3], question="Something else?", status="fail"))
    assert result.pairs == 11
    assert result.excluded == {"the case was changed under its id": 1}
    assert result.flips == ()


def test_a_changed_expected_answer_is_told_by_the_verdicts_keys(tmp_path: Path) -> None:
    write_run(tmp_path, "a", TWELVE)
    # The suite is edited in between: another expected answer to the same question.
    workspace = write_run(tmp_path, "b", TWELVE, changes={"q2": {"expected_answer": "50 bar"}})
    result = compare_runs(workspace, load_settings(tmp_path), "a", "b")
    assert (result.pairs, sum(result.excluded.values())) == (11, 1)


def test_a_new_model_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    result = drift(tmp_path, TWELVE, TWELVE, two=Made(llm="openai:n-2025-06-01", served="openai:n-2025-06-01"))
    assert result.pairs == 12
    assert result.apart == (
        f"openai:n-2025-06-01 × embedded:hashing is compared with {LLM} × embedded:hashing, whose place it took",
    )
    assert [cause.kind for cause in result.causes] == ["model"]


def test_an_ungraded_verdict_is_neither_passed_nor_failed(tmp_path: Path) -> None:
    result = drift(tmp_path, TWELVE, changed(TWELVE, [0, 1], status="ungraded"))
    assert figure(result, "pass_rate").pairs == 10
    assert result.pairs == 12
    assert result.flips == ()


def test_equal_runs_do_not_drift(tmp_path: Path) -> None:
    known = [replace(one, claims=(3, 1, 0), recall=0.5, coverage=0.5, seconds=1.0, cost=0.1) for one in TWELVE]
    result = drift(tmp_path, known, known)
    assert not result.breached
    assert result.causes == ()
    assert result.flips == ()
    assert {one.difference for one in result.moved} == {0.0}
    assert {one.p for one in result.moved} == {1.0}
    assert result.explanation == "Nothing moved beyond chance, and nothing that the manifests record differs."
    assert [(way.differs, way.flipped, way.steady) for way in result.ways] == [("same", 0, 12)]


def test_runs_that_cannot_be_compared(tmp_path: Path) -> None:
    workspace = write_run(tmp_path, "a", TWELVE)
    write_run(tmp_path, "empty", changed(TWELVE, range(12), status=None))
    write_run(tmp_path, "others", [Asked("z1"), Asked("z2")])
    write_run(tmp_path, "elsewhere", TWELVE, Made(suite="another"))
    settings = load_settings(tmp_path)
    for other, told in (
        ("a", "with itself"),
        ("empty", "no answers"),
        ("absent", "no answers"),
        ("others", "no answer to a common question"),
        ("elsewhere", "is of the suite suite and elsewhere of another"),
    ):
        with pytest.raises(UsageError, match=told):
            compare_runs(workspace, settings, "a", other)


# Flips


def test_flips_in_both_directions_by_type_and_document(tmp_path: Path) -> None:
    before = [
        replace(one, type="rejection", claims=(2, 0, 0)) if one.case == "q0" else replace(one, claims=(2, 1, 0))
        for one in TWELVE
    ]
    before = changed(before, [7], status="fail")
    after = changed(changed(before, [0], status="fail", claims=(2, 0, 1)), [7], status="pass", claims=(2, 0, 0))
    result = drift(tmp_path, before, after)
    told = [(flip.case_id, flip.what, flip.before, flip.after, flip.better) for flip in result.flips]
    assert told == [
        ("q0", "verdict", "pass", "fail", False),
        ("q7", "verdict", "fail", "pass", True),
        ("q0", "contradicted", "no", "yes", False),
        ("q7", "unsupported", "yes", "no", True),
    ]
    document = drift_document(result)
    assert document.table("by-case-type").rows == (("complexity", 0, 1, 0, 2), ("rejection", 1, 0, 2, 0))
    assert document.table("by-document").rows == (("pump", 1, 0, 2, 0), ("ramp", 0, 1, 0, 2))
    assert "Flips of verdicts: 1 for the worse, 1 for the better" in text(result)


def test_a_query_whose_evidence_is_no_longer_found_is_a_flip_of_its_own(tmp_path: Path) -> None:
    before = [replace(one, recall=1.0) for one in TWELVE[:3]]
    flips = drift(tmp_path, before, changed(before, [1], recall=0.0)).flips
    assert [(flip.case_id, flip.what, flip.after, flip.llm, flip.better) for flip in flips] == [
        ("q1", "hit", "no", "", False)
    ]


def test_what_differs_first_on_the_way_of_each_flip(tmp_path: Path) -> None:
    after = list(TWELVE)
    after = changed(after, [0], status="fail", context=("c1", "c3"), text="41 bar")
    after = changed(after, [1], status="fail", context=("c2", "c1"), text="41 bar")
    after = changed(after, [2], status="fail", text="41 bar")
    after = changed(after, [3], status="fail")
    after = changed(after, [4], status="fail", context=("c3",))
    after = changed(after, [5], context=("c3",))
    after = changed(after, [6], text="forty bar")
    before = changed(TWELVE, [7], context=None)
    result = drift(tmp_path, before, changed(after, [7], context=None, text="41 bar", status="fail"))
    assert {flip.case_id: flip.differs for flip in result.flips} == {
        "q0": "context",
        "q1": "order",
        "q2": "answer",
        "q3": "verdict",
        "q4": "context",
        "q7": "unknown",
    }
    assert {flip.case_id: flip.same_answer for flip in result.flips}["q4"] is True
    assert {way.differs: (way.flipped, way.steady) for way in result.ways} == {
        "context": (2, 1),
        "order": (1, 0),
        "answer": (1, 1),
        "verdict": (1, 0),
        "unknown": (1, 0),
        "same": (0, 4),
    }

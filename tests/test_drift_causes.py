"""What explains a difference: each cause alone, several in their order, and what the rows say of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.provenance import is_floating
from ragtester.records import Cause, DriftResult
from ragtester.settings import load_settings
from ragtester.stages.drift import compare_runs, drift_document
from ragtester.stages.drift.pairing import match_systems
from ragtester.tables.markdown import markdown
from tests.drift_runs import LLM, VERSIONS, Asked, Made, write_run

EIGHT = tuple(Asked(f"q{number}", document="pump" if number < 4 else "ramp", claims=(2, 0, 0)) for number in range(8))
HASH = "x" * 64
ORDER = ("index", "prompt", "dependency", "judge", "settings", "model")
# What makes each cause: the later run's manifests, and the kind, the place and what stands in the text.
CAUSES: dict[str, tuple[dict[str, Any], str, str]] = {
    "text": ({"texts": {"pump": HASH, "ramp": "u" * 64}}, "index", "1 document changed: pump"),
    "new text": ({"texts": {"pump": "t" * 64, "ramp": "u" * 64, "lamp": HASH}}, "index", "1 document new: lamp"),
    "chunks": (
        {"chunks": ("c1", "c2")},
        "index",
        "the chunks of 2 documents changed: pump (3, now 2), ramp (3, now 2)",
    ),
    "chunk size": (
        {"parameters": {"chunker": {"version": "recursive-1", "chunk_size": 500}}},
        "index",
        "chunker.chunk_size was 1000 and is 500",
    ),
    "embedding": (
        {"embedding": "embedded:wordllama"},
        "index",
        "the embedding model was embedded:hashing and is embedded:wordllama",
    ),
    "watched index": ({"inputs": {"watch index: store.db": HASH}}, "index", "the watched file index: store.db changed"),
    "prompt": ({"prompts": {"answer_question": HASH}}, "prompt", "the prompt answer_question was edited"),
    "another prompt": (
        {"prompts": {"answer_question.conflicts": HASH}},
        "prompt",
        "systems were asked with the prompt answer_question and are with answer_question.conflicts",
    ),
    "prompt of the rewrite": (
        {"parameters": {"retrieval": {"rrf_constant": 60, "rewrite_query": HASH}}},
        "prompt",
        "the prompt rewrite_query was edited",
    ),
    "watched prompt": ({"inputs": {"watch prompt: p.txt": HASH}}, "prompt", "the watched file prompt: p.txt changed"),
    "dependency": (
        {"versions": {**VERSIONS, "pypdf": "7.0"}},
        "dependency",
        "pypdf was 6.0 and is 7.0 (reads PDF files)",
    ),
    "judge": (
        {"judge": "openai:k-2025-01-01", "served_judge": None},
        "judge",
        "the judge was openai:j-2025-01-01 and is openai:k-2025-01-01",
    ),
    "served judge": ({"served_judge": "j-2025-02-02"}, "judge", "is served as j-2025-02-02"),
    "judge's prompt": ({"judge_prompt": HASH}, "judge", "the prompt judge_answer of the judge was edited"),
    "pass mean": ({"pass_mean": 0.6}, "judge", "pass_mean of the judge was 0.5 and is 0.6"),
    "claims judge": (
        {"claims_judge": "openai:k-2025-01-01"},
        "judge",
        "the judge of claims was openai:j-2025-01-01 and is openai:k-2025-01-01",
    ),
    "k": ({"parameters": {"k": 5}}, "settings", "k was 2 and is 5"),
    "retrieval": (
        {"parameters": {"retrieval": {"rrf_constant": 30}}},
        "settings",
        "retrieval.rrf_constant was 60 and is 30",
    ),
    "refusals": ({"parameters": {"refusals": ["No idea"]}}, "settings", "refusals was ["),
    "temperature": ({"options": {"temperature": 1}}, "settings", f"temperature of {LLM} was 0 and is 1"),
    "seed": ({"seed": 8}, "settings", "the seed was 7 and is 8"),
    "access": ({"inputs": {"tags of pump": "tenant:acme"}}, "settings", "who may see 1 document changed: pump"),
    "model": (
        {"llm": "openai:n-2025-01-01", "served": "openai:n-2025-01-01"},
        "model",
        f"the model was {LLM} and is openai:n-2025-01-01",
    ),
    "served model": ({"served": "m-2025-03-03"}, "model", f"{LLM} was served as {LLM} and is served as m-2025-03-03"),
    "base_url": (
        {"options": {"temperature": 0, "base_url": "http://127.0.0.1:1/v1"}},
        "model",
        f"base_url of {LLM} was not set and is http://127.0.0.1:1/v1",
    ),
}
WATCHED = {"inputs": {"watch index: store.db": "i" * 64, "watch prompt: p.txt": "p" * 64}}


def merged(changes: Sequence[Mapping[str, Any]]) -> Made:
    """The later run's manifests with several changes at once."""
    found: dict[str, Any] = {}
    for change in changes:
        for name, value in change.items():
            both = isinstance(value, dict) and name in ("parameters", "inputs", "options", "versions")
            found[name] = {**found.get(name, {}), **value} if both else value
    return Made(**found)


def compare(
    root: Path, one: Made, two: Made, after: Sequence[Asked] = EIGHT, before: Sequence[Asked] = EIGHT
) -> DriftResult:
    write_run(root, "a", before, one)
    workspace = write_run(root, "b", after, two)
    return compare_runs(workspace, load_settings(root), "a", "b")


def broken(numbers: Sequence[int], **values: Any) -> list[Asked]:
    """EIGHT with some answers that fail now."""
    return [replace(one, **{"status": "fail", **values}) if n in numbers else one for n, one in enumerate(EIGHT)]


def start_of(name: str) -> Made:
    """The earlier run: a watched file must have been watched before as well."""
    if name == "prompt of the rewrite":
        return Made(parameters={"retrieval": {"rrf_constant": 60, "rewrite_query": "r" * 64}})
    return merged([WATCHED]) if name.startswith("watched") else Made()


def later(name: str) -> Made:
    change = CAUSES[name][0]
    if name.startswith("watched"):
        change = {"inputs": {**WATCHED["inputs"], **change["inputs"]}}
    return merged([change])


@pytest.mark.parametrize("name", CAUSES)
def test_each_cause_alone(tmp_path: Path, name: str) -> None:
    result = compare(tmp_path, start_of(name), later(name), broken([0, 1]))
    assert [(cause.kind, CAUSES[name][2] in cause.text) for cause in result.causes] == [(CAUSES[name][1], True)]
    told = {"index": "the index", "dependency": "a dependency", "settings": "a setting", "model": "the served model"}
    kind = CAUSES[name][1]
    assert told.get(kind, f"the {kind}") + ": " in result.explanation


@pytest.mark.parametrize(
    ("first", "second"), list(combinations(("text", "prompt", "dependency", "judge", "k", "served model"), 2))
)
def test_two_causes_stand_in_the_order_of_ruling_out(tmp_path: Path, first: str, second: str) -> None:
    made = merged([CAUSES[first][0], CAUSES[second][0]])
    result = compare(tmp_path, Made(), made, broken([0]))
    assert [cause.kind for cause in result.causes] == [CAUSES[first][1], CAUSES[second][1]]


def test_all_kinds_at_once_in_order(tmp_path: Path) -> None:
    names = ("served model", "k", "judge", "dependency", "prompt", "text")
    result = compare(tmp_path, Made(), merged([CAUSES[name][0] for name in names]), broken([0]))
    assert tuple(cause.kind for cause in result.causes) == ORDER
    rows = drift_document(result).table("causes").rows
    assert [row[1] for row in rows][0::5] == ["the index", "the served model"]


# What the rows say


def only(result: DriftResult, kind: str) -> Cause:
    (found,) = [cause for cause in result.causes if cause.kind == kind]
    return found


def test_flips_that_saw_other_chunks_speak_for_the_index(tmp_path: Path) -> None:
    after = broken([0, 1], context=("c1", "c3"), text="41")
    after[5] = replace(after[5], context=("c3",))
    result = compare(tmp_path, Made(), later("text"), after)
    cause = only(result, "index")
    assert (cause.speaks, cause.evidence) == (
        "for",
        "2 of 2 flips saw other chunks; of the answers that did not flip, 1 of 6",
    )
    assert result.explanation.startswith("Rule out first: the index: 1 document changed: pump (2 of 2 flips saw")
    assert "pass_rate" in cause.moves


def test_flips_with_the_same_chunks_speak_against_the_index_and_for_the_model(tmp_path: Path) -> None:
    made = merged([CAUSES["text"][0], CAUSES["served model"][0]])
    result = compare(tmp_path, Made(), made, broken([0, 1, 2], text="41"))
    assert only(result, "index").speaks == "against"
    assert only(result, "index").evidence.startswith("0 of 3 flips saw other chunks")
    assert only(result, "model").speaks == "for"
    assert result.explanation.startswith("Rule out first: the served model:")


def test_an_order_that_is_drawn_anew_for_every_run_hides_no_judge(tmp_path: Path) -> None:
    shuffle = {"retrieval": {"order": "shuffle"}}
    other_order = [replace(one, context=("c2", "c1")) for one in broken([0, 1])]
    judged = {**CAUSES["judge"][0], "parameters": shuffle}
    result = compare(tmp_path, Made(parameters=shuffle), Made(**judged), other_order)
    assert (only(result, "judge").speaks, {flip.differs for flip in result.flips}) == ("for", {"verdict"})
    # Where nobody asked for it, another order is what differs first.
    (tmp_path / "rank").mkdir()
    by_rank = compare(tmp_path / "rank", Made(), later("judge"), other_order)
    assert {flip.differs for flip in by_rank.flips} == {"order"}
    assert "2 of 2 flips saw other chunks, and no recorded change explains that" in by_rank.explanation


def test_another_answer_from_another_drawn_order_is_chance(tmp_path: Path) -> None:
    shuffle = {"retrieval": {"order": "shuffle"}}
    after = broken([0, 1], context=("c2", "c1"), text="41")
    made = Made(parameters=shuffle, **CAUSES["judge"][0])
    said = compare(tmp_path, Made(parameters=shuffle), made, after).explanation
    assert "2 of 2 flips got another answer from the same chunks in another order" in said
    assert "that is chance" in said
    assert "no recorded change explains" not in said


def test_the_same_answer_with_another_verdict_speaks_for_the_judge(tmp_path: Path) -> None:
    result = compare(tmp_path, Made(), later("judge"), broken([0, 1]))
    cause = only(result, "judge")
    assert (cause.speaks, cause.moves) == ("for", ("pass_rate",))
    assert cause.evidence == "2 of 2 flips are the same answer from the same chunks with another verdict"
    assert {flip.same_answer for flip in result.flips} == {True}


def test_another_answer_speaks_against_the_judge(tmp_path: Path) -> None:
    result = compare(tmp_path, Made(), later("judge"), broken([0, 1], text="41"))
    assert only(result, "judge").speaks == "against"
    assert "The rows speak against every cause that is recorded" in result.explanation
    assert (
        "2 of 2 flips saw the same chunks and got another answer, and no recorded change explains that."
        in result.explanation
    )


def test_the_judge_of_claims_moves_claims_alone(tmp_path: Path) -> None:
    after = [replace(one, claims=(2, 1, 0)) if one.case in ("q0", "q1", "q2") else one for one in EIGHT]
    cause = only(compare(tmp_path, Made(), later("claims judge"), after), "judge")
    assert (cause.speaks, cause.moves) == ("for", ("unsupported", "contradicted"))
    assert cause.evidence == "3 of 3 flips are the same answer from the same chunks with other claims"


def test_a_model_cannot_be_seen_where_every_answer_saw_other_chunks(tmp_path: Path) -> None:
    made = merged([CAUSES["chunk size"][0], CAUSES["served model"][0]])
    after = [replace(one, context=("d1",), text="41", status="fail" if one.case == "q0" else "pass") for one in EIGHT]
    result = compare(tmp_path, Made(), made, after)
    assert only(result, "index").speaks == "for"
    assert only(result, "index").evidence == "1 of 1 flip saw other chunks; of the answers that did not flip, 7 of 7"
    assert only(result, "model").speaks == "unclear"
    assert only(result, "model").evidence.endswith("hardly an answer saw the same chunks, so the rows cannot tell")


def test_what_the_rows_leave_open_before_the_first_cause_is_told(tmp_path: Path) -> None:
    made = merged([CAUSES["dependency"][0], CAUSES["served model"][0]])
    result = compare(tmp_path, Made(), made, broken([0, 1], text="41"))
    assert (only(result, "dependency").speaks, only(result, "model").speaks) == ("unclear", "for")
    assert result.explanation.startswith("Rule out first: the served model:")
    assert "The rows do not rule out what comes before it: a dependency: pypdf was 6.0 and is 7.0" in result.explanation


def test_a_part_of_the_flips(tmp_path: Path) -> None:
    after = broken([0, 1, 2, 3], text="41")
    after[0] = replace(after[0], context=("c9",))
    assert only(compare(tmp_path, Made(), later("text"), after), "index").speaks == "partly"


def test_without_traces_nothing_is_known_of_what_was_seen(tmp_path: Path) -> None:
    before = [replace(one, context=None) for one in EIGHT]
    after = [replace(one, context=None, status="fail", text="41") for one in EIGHT]
    cause = only(compare(tmp_path, Made(), later("text"), after, before), "index")
    assert (cause.speaks, cause.evidence) == ("unclear", "no trace tells whether the 8 flips saw other chunks")


def test_flips_that_no_recorded_change_explains(tmp_path: Path) -> None:
    result = compare(tmp_path, Made(), later("prompt"), broken([0, 1, 2], context=("c9",), text="41"))
    assert "3 of 3 flips saw other chunks, and no recorded change explains that." in result.explanation


def test_a_change_that_moved_nothing(tmp_path: Path) -> None:
    result = compare(tmp_path, Made(), later("text"))
    assert only(result, "index").speaks == "against"
    assert (
        result.explanation == "Nothing moved beyond chance, though 1 recorded thing changed: 1 document changed: pump."
    )


def test_a_figure_that_no_cause_can_move_is_named(tmp_path: Path) -> None:
    before = [replace(one, recall=1.0) for one in EIGHT]
    after = [replace(one, recall=0.0) for one in EIGHT]
    result = compare(tmp_path, Made(), later("judge"), after, before)
    assert "None of these can move hit rate, recall, MRR, nDCG." in result.explanation


def test_nothing_recorded_differs(tmp_path: Path) -> None:
    after = broken([0, 1], text="41")
    after[2] = replace(after[2], status="fail")
    result = compare(tmp_path, Made(), Made(), after)
    assert result.causes == ()
    assert f"What is left is the provider behind {LLM}, or chance" in result.explanation
    assert "Of 3 flips 2 saw the same chunks and got another answer, 1 are the same answer" in result.explanation


# A system under test that is not ours


@pytest.mark.parametrize(
    ("changes", "kind", "text"),
    [
        ({"index": "2026-12-01"}, "index", "the index of app × target is another one (2026-11-30, now 2026-12-01)"),
        ({"parameters": {"target": {"module": HASH}}}, "settings", "target.module was "),
        ({"parameters": {"target": {"module": "m", "model": "n"}}}, "model", "target.model was not set and is n"),
        (
            {"served": "gpt-x-2025-01-01"},
            "model",
            "app was served as gpt-y-2025-01-01 and is served as gpt-x-2025-01-01",
        ),
        ({"inputs": {"watch index: store.db": HASH}}, "index", "the watched file index: store.db changed"),
        ({"inputs": {"watch rules: r.txt": HASH}}, "settings", "the watched file rules: r.txt changed"),
    ],
)
def test_causes_of_a_target(tmp_path: Path, changes: dict[str, Any], kind: str, text: str) -> None:
    watched = {"watch index: store.db": "i" * 64, "watch rules: r.txt": "r" * 64}
    target: dict[str, Any] = {
        "llm": "app",
        "embedding": "target",
        "served": "gpt-y-2025-01-01",
        "index": "2026-11-30",
        "parameters": {"target": {"module": "m"}},
        "inputs": watched,
    }
    two = {**target, **changes}
    two["inputs"] = {**watched, **changes.get("inputs", {})}
    # What a target returned is no picture of its index: other chunk files alone are no cause.
    result = compare(tmp_path, Made(**target), Made(**two, chunks=("c7",)), broken([0]))
    assert [(cause.kind, text in cause.text) for cause in result.causes] == [(kind, True)]


def test_a_target_of_which_nothing_is_watched(tmp_path: Path) -> None:
    made = Made(llm="app", embedding="target", served=None, parameters={"target": {}})
    assert (
        "a: nothing of the target is watched ([target] watch): its changes are not seen"
        in compare(tmp_path, made, made).unpinned
    )


# What could not be pinned


def test_everything_that_could_not_be_pinned(tmp_path: Path) -> None:
    made = Made(
        llm="openai:gpt-latest",
        served=None,
        judge="openai:judge-latest",
        served_judge=None,
        dirty=True,
        options={},
        versions={"ragtester-pipeline": "0.1.0"},
    )
    result = compare(tmp_path, Made(), made)
    assert set(result.floating) == {"openai:gpt-latest", "openai:judge-latest"}
    assert result.unpinned == (
        "openai:gpt-latest is a floating alias: it may mean another model tomorrow",
        "openai:judge-latest is a floating alias: it may mean another model tomorrow",
        "b: which model served openai:gpt-latest is not known",
        "b: the code had changes that are in no revision",
        "b: openai:gpt-latest is asked without a seed and without temperature 0",
        "b: which model served the judge openai:judge-latest is not known",
        "b: versions of pypdf are not recorded",
    )


def test_no_regression_against_an_alias_is_a_timestamp(tmp_path: Path) -> None:
    floating = Made(llm="openai:gpt-latest", started="2026-03-04T05:06:07Z")
    assert is_floating("openai:gpt-latest")
    said = markdown(drift_document(compare(tmp_path, floating, floating)))
    assert "being a floating alias, that is a timestamp (2026-03-04T05:06:07Z) and no claim" in said


def test_pinned_runs_say_so(tmp_path: Path) -> None:
    result = compare(tmp_path, Made(), Made())
    assert result.unpinned == ()
    assert "Everything that the manifests record is pinned" in markdown(drift_document(result))
    assert "timestamp" not in markdown(drift_document(result))


def test_a_package_that_one_run_did_not_record_is_no_cause(tmp_path: Path) -> None:
    result = compare(tmp_path, Made(), Made(versions={**VERSIONS, "bm25s": "0.3"}), broken([0]))
    assert result.causes == ()
    assert result.unpinned == ("a: versions of bm25s are not recorded",)


# Which system stands for which

SYSTEMS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), unique=True, max_size=5)


def test_systems_that_changed_one_half() -> None:
    assert match_systems([("a", "x"), ("a", "y")], [("b", "x"), ("b", "y")]) == {
        ("a", "x"): ("b", "x"),
        ("a", "y"): ("b", "y"),
    }
    assert match_systems([("a", "x")], [("a", "y")]) == {("a", "x"): ("a", "y")}
    assert match_systems([("a", "x")], [("b", "y")]) == {("a", "x"): ("b", "y")}
    # Two that are gone and two that are new with the same embedding model: which is whose cannot be told.
    assert match_systems([("a", "x"), ("b", "x")], [("c", "x"), ("d", "x")]) == {}
    assert match_systems([("a", "x"), ("b", "x")], [("a", "x"), ("c", "x")]) == {
        ("a", "x"): ("a", "x"),
        ("b", "x"): ("c", "x"),
    }


@given(SYSTEMS, SYSTEMS)
def test_no_system_stands_for_two(before: list[tuple[str, str]], after: list[tuple[str, str]]) -> None:
    found = match_systems(before, after)
    assert len(set(found.values())) == len(found)
    assert set(found) <= set(before)
    assert set(found.values()) <= set(after)
    assert all(found[one] == one for one in before if one in after)

"""Settings, workspace, prompts, spans, provenance, records."""

from __future__ import annotations

import itertools
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from ragtester.errors import UsageError
from ragtester.prompts import defuse, load_prompt, render
from ragtester.provenance import begin_manifest, end_manifest, is_floating, row_key, versions
from ragtester.records import Ledger
from ragtester.settings import Settings, load_settings, parse_settings
from ragtester.spans import covered, merge, overlap, pages_of
from ragtester.starter import starter_text, write_workspace
from ragtester.workspace import Workspace, slug, system_name

PAIRS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda p: (min(p), max(p))), max_size=8)


def test_a_truth_value_is_no_number() -> None:
    with pytest.raises(UsageError, match=r"cases.per_document: a number is wanted \(given: True\)"):
        parse_settings({"cases": {"per_document": True}}, "t")


@pytest.mark.parametrize(
    ("arms", "fault"),
    [
        (["one"], "execute.retrieval.arms.0.kind: Input should be 'dense' or 'bm25' (given: 'one')"),
        (["dense", "one"], "execute.retrieval.arms.1.kind: Input should be 'dense' or 'bm25' (given: 'one')"),
        ([{"flor": 1}], "unknown setting 'execute.retrieval.arms.0.flor'; did you mean 'floor'?"),
        ([], "execute.retrieval.arms: name at least one arm (given: [])"),
    ],
)
def test_one_mistake_is_one_fault(arms: list[Any], fault: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_settings({"execute": {"retrieval": {"arms": arms}}}, "t")
    assert str(raised.value) == f"t: {fault}"


def test_what_a_whole_table_was_is_not_told() -> None:
    with pytest.raises(UsageError) as raised:
        parse_settings({"execute": {"index": {"chunk_overlap": 2000}}}, "t")
    assert "(given" not in str(raised.value)
    assert len(str(raised.value)) < 200


@pytest.mark.parametrize("override", ["execute.index.chunk_overlap=2000", "execute.retrieval.arms=[]", "execute.kk=1"])
def test_a_fault_of_an_override_is_not_the_files(tmp_path: Path, override: str) -> None:
    with pytest.raises(UsageError) as raised:
        load_settings(tmp_path, (override,))
    assert str(raised.value).startswith("--set: execute") or str(raised.value).startswith("--set: unknown")
    (tmp_path / "ragtester.toml").write_text("[judge]\npass_mean = 2\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"ragtester\.toml: judge\.pass_mean: [^;]*; --set: "):
        load_settings(tmp_path, (override,))


@pytest.mark.parametrize(
    ("text", "twice"),
    [
        ('[a]\narms = ["x"]\n[[a.arms]]\nkind = "y"\n', True),
        ("[a]\nb = 1\n[a]\n", True),
        ("[a]\nb = 1\nb = 2\n", True),
        ("a = ", False),
    ],
)
def test_what_stands_twice_is_told(tmp_path: Path, text: str, twice: bool) -> None:
    (tmp_path / "ragtester.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="not valid TOML") as raised:
        load_settings(tmp_path)
    assert str(raised.value).endswith("; a table or key stands twice") is twice


def test_an_unknown_layout_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="unknown layout profile 'tabels'; did you mean 'tables'"):
        parse_settings({"documents": {"profiles": ["plain+tabels"]}}, "t")


def test_the_starter_file_states_every_default() -> None:
    assert parse_settings(tomllib.loads(starter_text()), "starter") == Settings()


def test_the_starter_file_names_every_setting() -> None:
    text = starter_text()
    missing = [name for name in _setting_names(Settings) if f"{name} = " not in text and f"{name}]" not in text]
    assert missing == []


def _setting_names(table: type[BaseModel]) -> list[str]:
    """Names of the settings that are values, at any depth."""
    names: list[str] = []
    for name, field in table.model_fields.items():
        inner = _table_in(field.annotation)
        names += _setting_names(inner) if inner else [name]
    return names


def _table_in(annotation: Any) -> type[BaseModel] | None:
    candidates = [annotation, *getattr(annotation, "__args__", ())]
    return next((one for one in candidates if isinstance(one, type) and issubclass(one, BaseModel)), None)


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ({"execute": {"kk": 3}}, ["execute.kk", "did you mean 'k'"]),
        ({"exekute": {}}, ["exekute", "did you mean 'execute'"]),
        ({"cases": {"shares": {"rejektion": 1}}}, ["cases.shares.rejektion", "did you mean 'rejection'"]),
        ({"models": {"openai:x": {"temprature": 0}}}, ["temprature", "did you mean 'temperature'"]),
        ({"providers": {"openai": {"timeout": 3}}}, ["timeout", "did you mean 'timeout_seconds'"]),
        ({"execute": {"groups": [{"llm": ["a"], "embeddings": ["b"]}]}}, ["llm", "did you mean 'llms'"]),
        ({"execute": {"k": 0}, "judge": {"pass_mean": 2}}, ["execute.k", "judge.pass_mean"]),
        ({"cases": {"shares": {"complexity": 0, "rejection": 0, "coverage": 0}}}, ["at least one share"]),
    ],
)
def test_faulty_settings_are_named_all_at_once(tree: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        parse_settings(tree, "ragtester.toml")
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_overrides_reach_every_kind_of_value(tmp_path: Path) -> None:
    overrides = (
        "execute.k=9",
        'models."openai:gpt-4.1".temperature=0.5',
        "workspace.corpus=my folder",
        "judge.model=openai:x",
    )
    settings = load_settings(tmp_path, overrides)
    assert (settings.execute.k, settings.workspace.corpus, settings.judge.model) == (9, "my folder", "openai:x")
    assert settings.model("openai:gpt-4.1").temperature == 0.5


@pytest.mark.parametrize("override", ["k=3", "execute.k", "=3", "execute.k.x=3"])
def test_a_bad_override_is_explained(tmp_path: Path, override: str) -> None:
    with pytest.raises(UsageError):
        load_settings(tmp_path, ("execute.k=3", override))


def test_settings_that_are_not_toml_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "ragtester.toml").write_text("[execute\n", encoding="utf-8")
    with pytest.raises(UsageError, match="not valid TOML"):
        load_settings(tmp_path)


def test_init_writes_settings_once(tmp_path: Path) -> None:
    write_workspace(tmp_path)
    assert load_settings(tmp_path) == Settings()
    with pytest.raises(UsageError, match="exists already"):
        write_workspace(tmp_path)


def test_names_that_clean_to_the_same_do_not_collide() -> None:
    names = ["a:b", "a/b", "a b", "a-b", "é", "中", "..", "x" * 300, "x" * 301, ".hidden", "con/../etc"]
    slugs = [slug(name) for name in names]
    assert len(set(slugs)) == len(names)
    assert all("/" not in one and not one.startswith((".", "-")) and 0 < len(one) <= 57 for one in slugs)


def test_system_folders_are_readable_and_distinct() -> None:
    assert system_name("gpt-4", "small") == "gpt-4__small"
    assert system_name("openai:gpt-4", "b") != system_name("openai/gpt-4", "b")


LOCKED = """
import sys
from pathlib import Path
from ragtester.workspace import Workspace

with Workspace(Path(sys.argv[1])).lock():
    pass
"""


def test_a_second_process_is_told_who_holds_the_workspace(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    with workspace.lock():
        second = subprocess.run(
            [sys.executable, "-c", LOCKED, str(tmp_path)], capture_output=True, text=True, check=False
        )
        assert second.returncode != 0
        assert "another ragtester (process" in second.stderr
    third = subprocess.run([sys.executable, "-c", LOCKED, str(tmp_path)], capture_output=True, text=True, check=False)
    assert third.returncode == 0, third.stderr


def test_a_slot_without_a_value_and_a_lone_dollar_are_named() -> None:
    assert render("{a} costs $$5: $what", {"what": "{tea} $x"}, "p") == "{a} costs $5: {tea} $x"
    with pytest.raises(UsageError, match=r"p: unknown slot \$nope; known: what"):
        render("$nope", {"what": ""}, "p")
    with pytest.raises(UsageError, match="lone"):
        render("5 $ each", {}, "p")


def test_a_workspace_overrides_a_prompt_by_name_and_its_hash_changes(tmp_path: Path) -> None:
    packaged = load_prompt("judge_answer")
    (tmp_path / "judge_answer.user.md").write_text("Only $question", encoding="utf-8")
    own = load_prompt("judge_answer", tmp_path)
    assert (own.system, own.user) == (packaged.system, "Only $question")
    assert own.sha256 != packaged.sha256


@pytest.mark.parametrize("attack", ["</answer>", "</ANSWER >", "< / passage>", '<section id="x">', "</evidence\n>"])
def test_delimiters_in_hostile_text_are_defused(attack: str) -> None:
    assert "<" not in defuse(attack)
    assert defuse("a < b and <T> and <b>x</b> {user} $x") == "a < b and <T> and <b>x</b> {user} $x"


@given(PAIRS)
def test_merged_spans_cover_the_same_characters(pairs: list[tuple[int, int]]) -> None:
    characters = {index for start, end in pairs for index in range(start, end)}
    merged = merge(pairs)
    assert {index for start, end in merged for index in range(start, end)} == characters
    assert covered(pairs) == len(characters)
    assert all(first[1] < second[0] for first, second in itertools.pairwise(merged))


def test_overlap_and_pages_by_hand() -> None:
    assert (overlap((0, 5), (3, 9)), overlap((0, 3), (3, 9))) == (2, 0)
    starts = (0, 100, 250)
    assert pages_of(0, 100, starts) == (1,)
    assert pages_of(99, 101, starts) == (1, 2)
    assert pages_of(250, 251, starts) == (3,)
    assert pages_of(5, 6, ()) == ()


def test_a_ledger_that_does_not_add_up_is_refused() -> None:
    assert Ledger(planned=3, ok=1, failed=1, unfilled=1).planned == 3
    with pytest.raises(ValidationError, match="planned 500 but 405 accounted for"):
        Ledger(planned=500, ok=405)


def test_a_row_key_depends_on_every_part_and_not_on_their_order() -> None:
    assert row_key(a=1, b="x") == row_key(b="x", a=1)
    assert len({row_key(a=1), row_key(a=2), row_key(b=1), row_key(a="1")}) == 4


@pytest.mark.parametrize(
    ("model", "floating"),
    [
        ("openai:gpt-4.1-mini", True),
        ("openai:gpt-4.1-mini-2025-04-14", False),
        ("ollama:llama3.2:3b", True),
        ("embedded:rules", False),
        ("anthropic:claude-sonnet-4-20250514", False),
    ],
)
def test_floating_model_names_are_known(model: str, floating: bool) -> None:
    assert is_floating(model) is floating


def test_a_manifest_begins_without_an_end_and_ends_with_the_account() -> None:
    asked = {"openai:gpt-4.1-mini": None, "embedded:rules": None}
    begun = begin_manifest("judge", "main", seed=3, models=asked, inputs={"a": "0f"}, parameters={"k": 4})
    assert (begun.stage, begun.name, begun.seed, begun.inputs, begun.parameters) == (
        "judge",
        "main",
        3,
        {"a": "0f"},
        {"k": 4},
    )
    assert begun.floating_aliases == ("openai:gpt-4.1-mini",)
    assert "pydantic" not in begun.versions
    assert "pydantic" in versions("pydantic", "no-such-package")
    assert (begun.ledger, begun.ended) == (None, None)
    ledger = Ledger(planned=2, ok=2)
    served = {**asked, "openai:gpt-4.1-mini": "gpt-4.1-mini-2025-04-14"}
    ended = end_manifest(begun, ledger=ledger, counts={"rows": 2}, models=served)
    assert (ended.ledger, ended.counts, ended.models) == (ledger, {"rows": 2}, served)
    assert ended.ended is not None
    assert ended.ended >= ended.started
    assert end_manifest(begun, ledger=ledger).models == asked
    assert begin_manifest("judge", "main", seed=3, models={}, started="2026-01-02T03:04:05Z").started.startswith("2026")


def test_import_is_light() -> None:
    heavy = ("chromadb", "langchain_core", "numpy", "weasyprint", "wordllama", "matplotlib", "openai")
    code = f"import sys, ragtester, ragtester.cli; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_settings_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "ragtester.toml").write_bytes(b"\xef\xbb\xbf[execute]\r\nk = 7\r\n")
    assert load_settings(tmp_path).execute.k == 7


def test_a_settings_file_that_is_none_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "ragtester.toml").mkdir()
    with pytest.raises(UsageError, match="is not a file"):
        load_settings(tmp_path)
    (tmp_path / "ragtester.toml").rmdir()
    (tmp_path / "ragtester.toml").symlink_to("nowhere")
    with pytest.raises(UsageError, match="is not a file"):
        load_settings(tmp_path)


@pytest.mark.parametrize(
    "table",
    [
        {"base_url": "http://me:hunter2@127.0.0.1/v1"},
        {"base_url": "http://127.0.0.1/v1?api_key=hunter2"},
        {"extra": {"default_headers": [{"Authorization": "Bearer hunter2"}]}},
        {"extra": {"api_key": "hunter2"}},
        {"api_key_env": "sk-hunter2"},
        {"max_tokens": "hunter2"},
    ],
)
def test_no_key_gets_into_the_settings_or_out_of_the_message(table: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(table))) as caught:
        parse_settings({"models": {"openai:x": table}}, "test")
    assert "hunter2" not in str(caught.value)

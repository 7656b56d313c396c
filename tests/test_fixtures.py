"""Fixture folders: what is read, every fault with its file and line, and what is written reads back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.errors import DataError, UsageError
from ragtester.fixtures import read_fixtures, write_fixture
from ragtester.fixtures.json_lines import find_lines
from ragtester.records import Fixture

OLD = "Refunds are possible within 14 days.\n"
NEW = "This version replaces that of 2024.\nRefunds are possible within 30 days.\n"
CASE = {
    "id": "stale",
    "question": "What is the refund window?",
    "expectedAnswer": "30 days",
    "mustNotContain": ["14 days"],
    "poisonDocIds": ["old"],
}


def make(root: Path, name: str = "stale", case: Any = CASE, docs: dict[str, str] | None = None) -> Path:
    """A fixture's folder; `case` may be the text of its file."""
    folder = root / name
    for file, text in ({"old.md": OLD, "new.md": NEW} if docs is None else docs).items():
        path = folder / "docs" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    if case is not None:
        text = case if isinstance(case, str) else json.dumps(case, indent=2)
        (folder / "case.json").write_text(text, encoding="utf-8")
    return folder


def faults(root: Path) -> list[str]:
    """The faults of the fixtures below `root`, with paths below it."""
    with pytest.raises(DataError) as caught:
        read_fixtures([root])
    return [fault.replace(f"{root.absolute()}/", "") for fault in caught.value.faults]


def test_a_fixture_of_the_references_form_is_read(tmp_path: Path) -> None:
    make(tmp_path / "mine")
    (one,) = read_fixtures([tmp_path / "mine"])
    assert one.fixture.poison_ids == ("old",)
    assert one.fixture.relevant_ids == ("new",)  # what is no poison
    assert one.fixture.must_not_contain == ("14 days",)
    assert {name: path.name for name, path in one.documents.items()} == {"new": "new.md", "old": "old.md"}
    assert one.set == "mine"
    assert one.folder == (tmp_path / "mine" / "stale").absolute()


def test_one_fixtures_own_folder_may_be_named(tmp_path: Path) -> None:
    folder = make(tmp_path)
    assert [one.fixture.id for one in read_fixtures([folder])] == ["stale"]


def test_the_records_own_names_are_taken_too_and_folders_below_docs(tmp_path: Path) -> None:
    case = {
        "id": "s",
        "question": "q?",
        "expected_answer": "30 days",
        "poison_ids": ["de/old"],
        "relevant_ids": ["new"],
        "user_tags": ["tenant:a"],
        "document_tags": {"new": ["tenant:a"]},
        "k": 2,
    }
    make(tmp_path, "s", case, {"de/old.md": OLD, "new.txt": NEW, ".DS_Store": "x"})
    (one,) = read_fixtures([tmp_path])
    assert sorted(one.documents) == ["de/old", "new"]
    assert (one.fixture.k, one.fixture.user_tags, one.fixture.document_tags) == (
        2,
        ("tenant:a",),
        {"new": ("tenant:a",)},
    )


BROKEN = """{
  "id": "stale",
  "question": "What is the refund window?",
  "expectedAnswer": "30 days",
  "mustNotContian": ["14 days"],
  "poisonDocIds": "old",
  "k": 0,
  "userTags": ["a",
               7],
  "mustRefuse": "no"
}"""


def test_every_fault_of_fields_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    make(tmp_path, case=BROKEN)
    assert faults(tmp_path) == [
        "stale/case.json:5: unknown field 'mustNotContian'; did you mean 'mustNotContain'?",
        'stale/case.json:6: poisonDocIds: a list in [ ] is wanted (given: "old")',
        "stale/case.json:7: k: a number of at least 1 is wanted (given: 0)",
        "stale/case.json:9: userTags.1: a text in quotes is wanted (given: 7)",
        'stale/case.json:10: mustRefuse: true or false is wanted (given: "no")',
    ]


def test_an_unknown_field_hides_no_other_fault(tmp_path: Path) -> None:
    make(tmp_path, case={**CASE, "relevantIds": ["nwe"], "kinds": "stale"})
    assert [fault.partition(": ")[2] for fault in faults(tmp_path)] == [
        "unknown field 'kinds'; did you mean 'kind'?",
        "relevantIds: no document 'nwe' in docs/; did you mean 'new'?",
    ]


def test_a_mistyped_field_hides_no_unknown_id_and_no_empty_text(tmp_path: Path) -> None:
    wrong = {"expectedAnswer": 30, "poisonDocIds": ["odl"], "keywords": ["30 days", " "], "relevantIds": "new"}
    make(tmp_path, case={**CASE, **wrong})
    assert sorted(fault.partition(": ")[2] for fault in faults(tmp_path)) == [
        "expectedAnswer: a text in quotes is wanted (given: 30)",
        "keywords.1: is empty",
        "poisonDocIds: no document 'odl' in docs/; did you mean 'old'?",
        'relevantIds: a list in [ ] is wanted (given: "new")',
    ]


def test_faults_of_several_fixtures_come_together(tmp_path: Path) -> None:
    make(tmp_path, "a", {**CASE, "id": "a", "k": True})
    make(tmp_path, "b", None)
    make(tmp_path, "c", CASE, {})
    found = faults(tmp_path)
    assert [fault.partition(":")[0] for fault in found] == ["a/case.json", "b/case.json", "c/docs", "c/case.json"]


@pytest.mark.parametrize(
    ("changes", "line", "words"),
    [
        ({"poisonDocIds": ["odl"]}, 9, "no document 'odl' in docs/; did you mean 'old'?"),
        ({"relevantIds": ["nwe"]}, 12, "no document 'nwe' in docs/; did you mean 'new'?"),
        ({"relevantIds": ["new", "old"]}, 13, "'old' is both relevant and poison"),
        ({"poisonDocIds": ["old", "old"]}, 10, "'old' stands there twice"),
        ({"poisonDocIds": ["old", "new"]}, 8, "every document is poison"),
        ({"relevantText": ["within 31 days"]}, 12, "stands in no relevant document"),
        ({"relevantText": ["within 14 days"]}, 12, "stands in no relevant document"),
        ({"mustNotContain": ["14 days", "30 days"]}, 7, "'30 days' stands in expectedAnswer"),
        ({"mustNotContain": ["thirty days"]}, 6, "'thirty days' stands in expectedAnswer"),
        ({"mustNotContain": [" "]}, 6, "is empty"),
        ({"question": " "}, 3, "question: is empty"),
        ({"expectedAnswer": ""}, 4, "expectedAnswer: is empty or missing"),
        ({"id": "a\nb"}, 2, "printable characters"),
        ({"id": ""}, 2, "printable characters"),
        ({"userTags": ["two words"]}, 11, "is no tag"),
        ({"userTags": ["fixture:other"]}, 11, "set by ragtester"),
        ({"documentTags": {"nex": ["a"]}}, 12, "no document 'nex' in docs/; did you mean 'new'?"),
        ({"documentTags": {"new": ["tenant:a"]}}, 1, "may see no relevant document"),
        ({"mustRefuse": True, "relevantIds": ["new"]}, 11, "is relevant and the user may see it"),
        ({"language": "Deutsch!"}, 11, "language: a code"),
    ],
)
def test_a_fault_of_meaning_has_its_line(tmp_path: Path, changes: dict[str, Any], line: int, words: str) -> None:
    make(tmp_path, case={**CASE, **changes})
    (fault,) = faults(tmp_path)
    assert fault.startswith(f"stale/case.json:{line}: ")
    assert words in fault


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "stale/case.json:1: not valid JSON"),
        ('{\n"id": "a",\n}', "stale/case.json:3: not valid JSON"),
        ("[]", "stale/case.json:1: an object in { } is wanted"),
        ('{"k": NaN}', "stale/case.json:1: not valid JSON: NaN"),
        ("[" * 100_000, "stale/case.json:1: not valid JSON"),
        (
            '{"id": "a",\n"id": "b",\n"question": "q", "expectedAnswer": "x"}',
            "stale/case.json:2: 'id' stands there twice",
        ),
        (
            '{"id": "a",\n"poison_ids": [],\n"poisonDocIds": [], "question": "q"}',
            "stale/case.json:3: 'poisonDocIds' and",
        ),
        ('{"id": "a", "question": "\\ud800", "expectedAnswer": "x"}', "stale/case.json:1: not readable"),
        ("", "stale/case.json:1: not valid JSON"),
    ],
)
def test_what_is_no_case_is_told_in_a_line(tmp_path: Path, text: str, words: str) -> None:
    make(tmp_path, case=text)
    assert any(fault.startswith(words) for fault in faults(tmp_path))


def test_a_missing_field_is_named_as_the_file_would_have_it(tmp_path: Path) -> None:
    make(tmp_path, case={"question": "q"})
    assert faults(tmp_path) == [
        "stale/case.json:1: 'id' is missing",
        "stale/case.json:1: expectedAnswer: is empty or missing; give it, or set mustRefuse",
    ]


def test_a_file_that_is_not_utf8_is_told_with_its_line(tmp_path: Path) -> None:
    folder = make(tmp_path)
    (folder / "case.json").write_bytes(b'{\n"id": "\xe9"}')
    assert faults(tmp_path) == ["stale/case.json:2: byte 0xe9 is not UTF-8; save the file as UTF-8"]


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    folder = make(tmp_path)
    (folder / "case.json").write_text(json.dumps(CASE), encoding="utf-8-sig")
    assert len(read_fixtures([tmp_path])) == 1


def test_documents_that_are_none(tmp_path: Path) -> None:
    make(tmp_path, docs={"old.md": OLD, "new.md": NEW, "empty.md": " \n", "picture.png": "x", "OLD.txt": OLD})
    assert faults(tmp_path) == [
        "stale/docs/empty.md: is empty",
        "stale/docs/old.md: has the id of OLD.txt ('OLD'); rename one",
        "stale/docs/picture.png: is not read as a document; use .pdf .md .txt .html .htm .docx",
    ]


def test_links_that_lead_out_are_refused_and_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("secret", encoding="utf-8")
    root = tmp_path / "set"
    folder = make(root)
    (folder / "docs" / "out.md").symlink_to(secret)
    (folder / "docs" / "in.md").symlink_to(folder / "docs" / "new.md")
    (folder / "docs" / "folder").symlink_to(tmp_path)
    outer = make(tmp_path / "elsewhere", "other")
    (root / "other").symlink_to(outer)
    third = make(root, "third", None)
    (third / "case.json").symlink_to(outer / "case.json")
    assert [fault.partition(": ")[0] for fault in faults(root)] == [
        "other",
        "stale/docs/folder",
        "stale/docs/out.md",
        "third/case.json",
    ]


def test_the_same_id_twice(tmp_path: Path) -> None:
    make(tmp_path, "a")
    make(tmp_path, "b", {**CASE, "id": "STALE"})
    (fault,) = faults(tmp_path)
    assert fault.startswith("b/case.json: id 'STALE' is that of ")


def test_a_folder_that_is_not_there_or_holds_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        read_fixtures([tmp_path / "none"])
    with pytest.raises(DataError, match="holds no fixture"):
        read_fixtures([tmp_path])


def test_a_user_who_may_see_nothing_must_be_refused(tmp_path: Path) -> None:
    case = {**CASE, "documentTags": {"new": ["tenant:a"]}, "userTags": ["tenant:b"], "mustRefuse": True}
    del case["expectedAnswer"]
    make(tmp_path, case={**case, "relevantIds": ["new"]})
    (one,) = read_fixtures([tmp_path])
    assert one.fixture.expected_answer == ""
    assert one.fixture.relevant_ids == ("new",)


# Writing

FULL = Fixture(
    id="über/ß ../x",
    kind="superseded",
    question="What?",
    expected_answer="30 days",
    keywords=("30 days",),
    must_not_contain=("14 days",),
    poison_ids=("a/old",),
    relevant_ids=("new",),
    relevant_text=("within 30 days",),
    user_tags=("tenant:a",),
    document_tags={"new": ("tenant:a",)},
    k=3,
    language="en",
    made_from={"case": "c1"},
)


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    folder = write_fixture(tmp_path, FULL, {"a/old.md": OLD, "new.md": NEW})
    assert folder.parent == tmp_path
    assert [one.fixture for one in read_fixtures([tmp_path])] == [FULL]
    written = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    assert list(written)[:4] == ["id", "kind", "question", "expectedAnswer"]
    assert written["poisonDocIds"] == ["a/old"]
    assert "mustRefuse" not in written  # as every field with its default


def test_writing_again_changes_no_byte_and_other_documents_stop_it(tmp_path: Path) -> None:
    folder = write_fixture(tmp_path, FULL, {"a/old.md": OLD, "new.md": NEW})
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert write_fixture(tmp_path, FULL, {"a/old.md": OLD, "new.md": NEW}) == folder
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    with pytest.raises(UsageError, match=r"holds other documents \(a/old\.md\)"):
        write_fixture(tmp_path, FULL, {"new.md": NEW})


@pytest.mark.parametrize(
    "name", ["../a.md", "/a.md", "a/../../b.md", "a\\b.md", "C:a.md", ".a.md", "a.exe", "a\n.md", ""]
)
def test_a_documents_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="no name of a document"):
        write_fixture(tmp_path, FULL, {name: "x"})
    assert not any(tmp_path.iterdir())


# Lines of a JSON text

TREES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


def _ways(value: Any, way: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    return [way, *(inner for key, one in items for inner in _ways(one, (*way, key)))]


@given(TREES)
def test_every_value_has_its_line(tree: Any) -> None:
    # With an indent every value but an empty one begins a line of its own, in the order in which they are walked;
    # a line that only closes a bracket begins none.
    text = json.dumps(tree, indent=1)
    begun = [number for number, line in enumerate(text.split("\n"), 1) if line.strip(" ,") not in ("]", "}")]
    found = find_lines(text)
    assert found.doubles == []
    assert [found.lines[way] for way in _ways(tree)] == begun

"""Who may see what: tags of documents and users, from the rules to the prompt."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester import Project
from ragtester.access import eligible, may_see, passes, tags_of
from ragtester.errors import ChangedInputsError, DataError, UsageError
from ragtester.interchange import ExportOptions, ImportOptions
from ragtester.progress import SilentProgress
from ragtester.records import Answer, Case, CaseRow, Document, DocumentRow
from ragtester.settings import AccessRule, parse_settings
from ragtester.stages.cases import reading
from ragtester.stages.cases import run as make_cases
from ragtester.stages.execute import run as execute
from ragtester.storage import read_rows, write_rows
from ragtester.text.globs import matches
from ragtester.workspace import Workspace
from tests import builders, interchange_suite
from tests.cases_fakes import FakeModels, corpus, letters, read_here
from tests.execute_fakes import RuleModels, WordEmbedder, World, embedders
from tests.interchange_suite import cases_of, make_suite

KEYS = ("tenant", "role", "beta")
TAG = st.sampled_from(["tenant:acme", "tenant:globex", "role:support", "role:admin", "beta"])
TAGS = st.lists(TAG, unique=True, max_size=5)


# The rule


def sees(document: list[str], user: list[str]) -> bool:
    """The rule once more, key by key: what the document asks for of this key, and what of it the user has."""
    for key in KEYS:
        asked = {tag for tag in document if tag == key or tag.startswith(f"{key}:")}
        if asked and not asked & set(user):
            return False
    return True


@given(TAGS, TAGS)
def test_a_user_needs_one_tag_of_every_key(document: list[str], user: list[str]) -> None:
    assert may_see(document, user) == sees(document, user)


MADE = st.tuples(TAGS, st.sampled_from(["en", "de"]), st.sampled_from(["a.md", "b.md", "c.txt"]))


@given(
    TAGS,
    st.sampled_from(["", "en"]),
    st.lists(TAG, max_size=2),
    st.sampled_from(["", "*.md", "b*"]),
    st.lists(MADE, max_size=6),
)
def test_eligible_is_what_user_and_filters_leave(
    user: list[str], language: str, wanted: list[str], path: str, made: list[tuple[list[str], str, str]]
) -> None:
    documents = [
        builders.document(f"d{number}", tags=tuple(sorted(tags)), language=spoken, path=name)
        for number, (tags, spoken, name) in enumerate(made)
    ]
    filters: dict[str, Any] = {"language": language} if language else {}
    filters |= {"tag": tuple(wanted)} if wanted else {}
    filters |= {"path": path} if path else {}
    left = {
        f"d{number}"
        for number, (tags, spoken, name) in enumerate(made)
        if sees(tags, user)
        and (not language or spoken == language)
        and (not wanted or set(tags) & set(wanted))
        and (not path or fnmatchcase(name, path))
    }
    found = eligible(documents, user, filters)
    assert (None if found is None else set(found)) == (left if len(left) < len(documents) else None)
    # What a trace tells of it, among its filters, lets the same documents through.
    told = {"access": tuple(user)}
    assert [passes(one, told) for one in documents] == [sees(tags, user) for tags, _, _ in made]


# Patterns and settings


@pytest.mark.parametrize(
    ("pattern", "names", "others"),
    [
        ("acme/*", ["acme/a.md"], ["acme/sub/a.md", "acme", "b/acme/a.md"]),
        ("acme/**", ["acme/a.md", "acme/sub/a.md"], ["acme2/a.md", "acme"]),
        (
            "**/secret/*.pdf",
            ["secret/a.pdf", "x/secret/a.pdf", "x/y/secret/a.pdf"],
            ["secret/x/a.pdf", "xsecret/a.pdf"],
        ),
        ("a?c.md", ["abc.md"], ["a/c.md", "ac.md"]),
        ("[!x]/a.md", ["y/a.md"], ["x/a.md", "//a.md"]),
        ("a.b*", ["a.b", "a.bc"], ["axb", "a.b/c"]),
        ("**", ["a", "a/b"], []),
        ("caf\u00e9/*", ["cafe\u0301/a.md"], ["cafe/a.md"]),
    ],
)
def test_patterns_of_paths(pattern: str, names: list[str], others: list[str]) -> None:
    assert [name for name in names if not matches(name, pattern)] == []
    assert [name for name in others if matches(name, pattern)] == []


def test_rules_add_up_in_order_and_once() -> None:
    rules = [
        AccessRule(path="acme/**", tags=("tenant:acme", "role:support")),
        AccessRule(path="**/*.pdf", tags=("role:admin", "role:support")),
        AccessRule(path="globex/*", tags=("tenant:globex",)),
    ]
    assert tags_of("acme/x/a.pdf", rules) == ("role:admin", "role:support", "tenant:acme")
    assert tags_of("other.md", rules) == ()


@pytest.mark.parametrize("tag", ["", " ", "tenant: acme", "tenant acme", ":acme", "tenant:", "a\u00a0b", "a\x07b"])
@pytest.mark.parametrize("place", ["documents", "user_tags"])
def test_what_is_no_tag_is_refused(tag: str, place: str) -> None:
    table = {"documents": [{"path": "*", "tags": [tag]}]} if place == "documents" else {"user_tags": [tag]}
    with pytest.raises((UsageError, DataError), match="is no tag"):
        parse_settings({"access": table}, "test")


def test_tags_of_the_settings_are_sorted_and_unique() -> None:
    table = {"documents": [{"path": "*", "tags": ["b:2", "a", "b:2", "b:1:x"]}], "user_tags": []}
    access = parse_settings({"access": table}, "test").access
    assert (access.documents[0].tags, access.user_tags) == (("a", "b:1:x", "b:2"), ())


# The stage `cases`


def make(
    root: Path, access: dict[str, Any], scope: str = "document", **options: Any
) -> tuple[FakeModels, SilentProgress, dict[str, Any]]:
    """The stage over whatever lies in `corpora/`, with a writer that counts."""
    models, progress = FakeModels(), SilentProgress()
    chosen = parse_settings(
        {
            "cases": {"per_document": 4, "technique": "all", "model": "fake:writer"},
            "reading": {"max_section_tokens": 200},
            "access": access,
            "execute": {"index": {"scope": scope}},
        },
        "test",
    )
    result = asyncio.run(make_cases(Workspace(root), chosen, models, letters, progress, **options))
    return models, progress, result.counts


def suite_rows(root: Path) -> tuple[dict[str, Document], list[Case]]:
    space = Workspace(root)
    documents = {row.id: row for row in read_rows(space.documents_file("main"), DocumentRow)}
    paths = sorted((root / "generated" / "main").glob("*/*.jsonl"))
    return documents, [row for path in paths for row in read_rows(path, CaseRow) if isinstance(row, Case)]


ACME = {"documents": [{"path": "alpha*", "tags": ["tenant:acme"]}, {"path": "*.txt", "tags": ["staff"]}]}


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "read_corpus", read_here)


@pytest.mark.usefixtures("here")
def test_new_tags_reach_documents_and_cases_without_a_call(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14, beta=14)
    first, _, counts = make(tmp_path, {})
    assert first.seen and "access" not in counts["ragtester"]
    untagged = suite_rows(tmp_path)
    assert {row.user_tags for row in untagged[1]} == {()}
    for access, users in (
        (ACME, {"alpha": ("staff", "tenant:acme"), "beta": ("staff",)}),
        ({**ACME, "user_tags": ["staff"]}, {"alpha": ("staff",), "beta": ("staff",)}),
        ({"user_tags": ["x"]}, {"alpha": ("x",), "beta": ("x",)}),
        ({}, {"alpha": (), "beta": ()}),
    ):
        again, _, counts = make(tmp_path, access)
        assert again.seen == []
        documents, cases = suite_rows(tmp_path)
        assert {row.document_id: row.user_tags for row in cases} == users
        told = {"alpha": ("staff", "tenant:acme"), "beta": ("staff",)} if "documents" in access else {}
        assert {name: one.tags for name, one in documents.items()} == {"alpha": (), "beta": (), **told}
        assert [row.model_copy(update={"user_tags": ()}) for row in cases] == untagged[1]
        if access == {**ACME, "user_tags": ["staff"]}:
            # Users with "staff" alone may not see alpha, of which there are as many cases as in each technique.
            assert counts["ragtester"]["access"] == {"tagged_documents": 2, "hidden_cases": 4}
    assert suite_rows(tmp_path) == untagged


@pytest.mark.usefixtures("here")
def test_a_refused_start_puts_no_new_tags_on(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14, beta=14)
    make(tmp_path, {})
    before = {path: path.read_bytes() for path in (tmp_path / "generated").rglob("*") if path.is_file()}
    with pytest.raises(ChangedInputsError, match="scope was 'document', is 'corpus'"):
        make(tmp_path, {**ACME, "user_tags": ["staff"]}, scope="corpus")
    assert {path: path.read_bytes() for path in (tmp_path / "generated").rglob("*") if path.is_file()} == before


@pytest.mark.usefixtures("here")
def test_new_cases_have_their_users_at_once(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)
    make(tmp_path, ACME)
    found = {(row.technique, row.user_tags) for row in suite_rows(tmp_path)[1]}
    assert found == {(name, ("staff", "tenant:acme")) for name in ("baseline", "ragtester")}


@pytest.mark.usefixtures("here")
def test_one_technique_alone_leaves_no_user_behind(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)
    make(tmp_path, {})
    make(tmp_path, ACME, technique="baseline")
    assert {(row.technique, row.user_tags) for row in suite_rows(tmp_path)[1]} == {
        ("baseline", ("staff", "tenant:acme")),
        ("ragtester", ("staff", "tenant:acme")),
    }


@pytest.mark.usefixtures("here")
def test_an_interrupted_line_is_dropped_with_a_notice_and_made_again(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)
    make(tmp_path, {})
    path = Workspace(tmp_path).cases_file("main", "ragtester", "alpha")
    path.write_bytes(path.read_bytes()[:-20])
    _, progress, _ = make(tmp_path, ACME)
    assert sum("interrupted line" in note for note in progress.notes) == 1
    assert {row.user_tags for row in suite_rows(tmp_path)[1]} == {("staff", "tenant:acme")}
    assert len(suite_rows(tmp_path)[1]) == 8


@pytest.mark.usefixtures("here")
def test_a_rule_that_names_nothing_is_told(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14, beta=14)
    rules = [
        {"path": "alpha.txt", "tags": ["a"]},
        {"path": "alhpa.txt", "tags": ["a"]},
        {"path": "corpora/beta*", "tags": ["a"]},
    ]
    _, progress, _ = make(tmp_path, {"documents": rules})
    assert [note for note in progress.notes if note.startswith("access.")] == [
        "access.documents[1] path 'alhpa.txt' matches no document; nearest: 'alpha.txt'",
        "access.documents[2] path 'corpora/beta*' matches no document; nearest: 'beta.txt'",
    ]
    assert any("1 of 2 documents have tags, and 0 cases" in note for note in progress.notes)


# What answers depend on


def answer(world: World) -> RuleModels:
    models = RuleModels()
    work = execute(world.workspace, world.settings, models, embedders(WordEmbedder()), SilentProgress())
    asyncio.run(work)
    return models


def put_tags(world: World, **tags: tuple[str, ...]) -> None:
    """Tags of documents, as the stage `cases` writes them; users stay as they are."""
    rows = [one.model_copy(update={"tags": tags.get(one.id[-1:], ())}) for one in world.documents]
    write_rows(world.workspace.documents_file("main"), rows)


def put_users(world: World, number: int, user: tuple[str, ...]) -> None:
    path = world.workspace.cases_file("main", "ragtester", f"manual-{number}")
    write_rows(path, [row.model_copy(update={"user_tags": user}) for row in read_rows(path, CaseRow)])


def keys(world: World) -> dict[str, str]:
    folder = world.workspace.answers("main")
    paths = [path for path in sorted(folder.glob("*/*.jsonl")) if path.parent.name != "chunks"]
    return {f"{row.llm} {row.case_id}": row.key for path in paths for row in read_rows(path, Answer)}


def refused(world: World) -> str:
    with pytest.raises(ChangedInputsError) as caught:
        answer(world)
    return str(caught.value)


def test_only_what_may_be_found_changes_an_answer(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert answer(world).requests
    before = keys(world)
    put_users(world, 1, ("tenant:acme",))
    # Four cases of the document with two LLMs each: their rows name the user.
    told = refused(world)
    assert "8 answer row(s)" in told and "cases ragtester/manual-1 changed" in told
    put_users(world, 1, ())
    put_tags(world, **{"1": ("tenant:acme",)})
    assert "8 answer row(s) were made from other inputs: tags of manual-1 were none and are tenant:acme" in refused(
        world
    )
    put_tags(world)
    assert answer(world).requests == [] and keys(world) == before


def test_in_a_shared_store_another_documents_tags_count_for_those_who_lose_it(tmp_path: Path) -> None:
    world = World(tmp_path, index={"scope": "corpus", "chunk_size": 120, "chunk_overlap": 20})
    put_users(world, 1, ("tenant:acme",))
    answer(world)
    put_tags(world, **{"1": ("tenant:acme",)})
    # The users of manual-1 still find everything; those of manual-0 lose a document.
    assert "8 answer row(s) were made from other inputs: tags of manual-1 were none and are tenant:acme" in refused(
        world
    )
    put_tags(world, **{"1": ("tenant:globex",)})
    assert "16 answer row(s)" in refused(world)


def test_another_document_out_of_sight_is_another_answer(tmp_path: Path) -> None:
    """As many documents are left as before, but not the same ones."""
    world = World(tmp_path, documents=3, index={"scope": "corpus", "chunk_size": 120, "chunk_overlap": 20})
    put_tags(world, **{"1": ("staff",)})
    answer(world)
    put_tags(world, **{"2": ("staff",)})
    told = refused(world)
    assert "24 answer row(s)" in told
    assert "tags of manual-1 were staff and are none; tags of manual-2 were none and are staff" in told


def test_a_closed_book_run_knows_no_users(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.settings = world.settings.control()
    answer(world)
    put_users(world, 1, ("tenant:acme",))
    put_tags(world, **{"0": ("tenant:globex",)})
    assert answer(world).requests == []


# Two tenants over the sample corpus


TENANTS = {"cable-car-operating-rules": "acme", "hausordnung-lindenhof": "acme", "choir-trip-circular": ""}
RULES = [
    {"path": "cable-car-*", "tags": ["tenant:acme"]},
    {"path": "hausordnung-*", "tags": ["tenant:acme"]},
    *({"path": f"{name}*", "tags": ["tenant:globex"]} for name in ("data-logger", "kitchen", "swimming")),
]


def tenant(document_id: str) -> str:
    return TENANTS.get(document_id, "globex")


def tables(access: dict[str, Any], **settings: Any) -> dict[str, Any]:
    groups = [{"llms": ["toy:a"], "embeddings": ["letters"]}]
    return {
        "cases": {"per_document": 3, "technique": "ragtester"},
        "execute": {"groups": groups, "k": 6, **settings},
        "access": access,
    }


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path, dict[str, Any]], Workspace]:
    """Gives a copy of a suite of the sample corpus whose users and documents have the tags of some rules."""
    root = tmp_path_factory.mktemp("tenants")
    shutil.copytree(Path(__file__).parents[1] / "corpora" / "sample", root / "corpora")
    rules = ", ".join(f'{{ path = "{rule["path"]}", tags = ["{rule["tags"][0]}"] }}' for rule in RULES)
    text = f'[cases]\nper_document = 3\ntechnique = "ragtester"\n[access]\ndocuments = [{rules}]\n'
    (root / "ragtester.toml").write_text(text, encoding="utf-8")
    assert Project(root).cases().exit_code in (0, 3)

    def copy(folder: Path, access: dict[str, Any]) -> Workspace:
        space = Workspace(folder)
        shutil.copytree(root / "generated", folder / "generated")
        given = parse_settings(tables(access), "test").access
        documents = {row.id: row for row in read_rows(space.documents_file("main"), DocumentRow)}
        tagged = {
            name: one.model_copy(update={"tags": tags_of(one.path, given.documents)}) for name, one in documents.items()
        }
        write_rows(space.documents_file("main"), tagged.values())
        for path in (folder / "generated" / "main" / "ragtester").glob("*.jsonl"):
            user = tagged[path.stem].tags if given.user_tags is None else given.user_tags
            rows = read_rows(path, CaseRow)
            write_rows(path, [r.model_copy(update={"user_tags": user}) if isinstance(r, Case) else r for r in rows])
        return space

    return copy


def prompts(
    space: Workspace, access: dict[str, Any], **settings: Any
) -> tuple[list[tuple[Case, list[str]]], list[Answer]]:
    """Each case that was put to the model with the documents whose text stood in the prompt, and the answer rows."""
    models = RuleModels()
    chosen = parse_settings(tables(access, **settings), "test")
    asyncio.run(execute(space, chosen, models, letters, SilentProgress()))
    paths = (space.root / "generated" / "main" / "ragtester").glob("*.jsonl")
    cases = [row for path in sorted(paths) for row in read_rows(path, CaseRow) if isinstance(row, Case)]
    by_question = {one.question: one for one in cases}
    assert len(by_question) == len(cases) == len(models.requests) > 12
    found = [
        (by_question[request.question], [section.label.rsplit(":", 2)[0] for section in request.sections])
        for _, request in models.requests
    ]
    folder = space.answers("main")
    answers = [path for path in sorted(folder.glob("*/*.jsonl")) if path.parent.name != "chunks"]
    return found, [row for path in answers for row in read_rows(path, Answer)]


def leaks(found: list[tuple[Case, list[str]]], user: str | None = None) -> list[tuple[str, str]]:
    """Questions whose prompt held a text that its user may not see."""
    return [
        (case.id, name)
        for case, names in found
        for name in names
        if tenant(name) not in ("", tenant(case.document_id) if user is None else user)
    ]


ARMS = [["dense"], ["bm25"], ["dense", "bm25"]]


@pytest.mark.parametrize("arms", ARMS, ids="+".join)
@pytest.mark.parametrize("mode", ["pre", "post"])
def test_no_text_of_another_tenant_reaches_a_prompt(
    tmp_path: Path, suite: Callable[..., Workspace], mode: str, arms: list[str]
) -> None:
    path = {"arms": [{"kind": kind, "fetch_k": 40} for kind in arms], "filter_mode": mode}
    shared = {"index": {"scope": "corpus"}, "retrieval": path}
    guarded = suite(tmp_path / "guarded", {"documents": RULES})
    found, rows = prompts(guarded, {"documents": RULES}, **shared)
    assert leaks(found) == []
    # Something was there to find: its own document, and others that may be seen.
    assert all(names for _, names in found)
    assert any(set(names) - {case.document_id} for case, names in found)
    dropped = [one for row in rows if row.trace for one in row.trace.dropped if one.at == "filter"]
    assert bool(dropped) == (mode == "post")
    assert {row.trace.hidden_ids for row in rows if row.trace} == {()}
    # Without rules the same run shows what it may not, so that this test can fail.
    found, _ = prompts(suite(tmp_path / "open", {}), {}, **shared)
    assert leaks(found)


@pytest.mark.parametrize("mode", ["pre", "post"])
@pytest.mark.parametrize("arms", ARMS, ids="+".join)
def test_a_user_who_may_not_see_the_document_finds_nothing_and_its_gold_is_hidden(
    tmp_path: Path, suite: Callable[..., Workspace], mode: str, arms: list[str]
) -> None:
    access = {"documents": RULES, "user_tags": ["tenant:globex"]}
    found, rows = prompts(suite(tmp_path, access), access, retrieval={"arms": arms, "filter_mode": mode})
    assert leaks(found, "globex") == []
    for case, names in found:
        assert set(names) == ({case.document_id} if tenant(case.document_id) != "acme" else set())
    barred = [row for row in rows if tenant(row.document_id) == "acme"]
    assert barred and any(row.trace and row.trace.gold_ids for row in barred)
    for row in rows:
        assert row.trace is not None
        assert row.trace.hidden_ids == (row.trace.gold_ids if row in barred else ())
        assert row.trace.filter_mode == (mode if row in barred else "")
        assert row.trace.filters == ({"access": ("tenant:globex",)} if row in barred else {})
        assert row.trace.user_tags == ("tenant:globex",)


# Other tools' files


def space_of(root: Path, rules: str = "") -> Workspace:
    made = make_suite(root, [interchange_suite.case("How many passengers fit on the Alma?", "At most 120.", 48, 82)])
    (root / "ragtester.toml").write_text(rules, encoding="utf-8")
    return made


IMPORTED = """[access]
documents = [{ path = "imported-*", tags = ["tenant:acme"] }]
"""


def test_an_import_takes_the_users_of_a_file_or_gives_them_their_documents_tags(tmp_path: Path) -> None:
    space = space_of(tmp_path, IMPORTED)
    path = tmp_path / "in.csv"
    rows = [
        "Who steers?,The captain.,tenant:globex; staff",
        'Who sings?,The choir.,"[""b"", ""a""]"',
        "Who eats?,All.,",
    ]
    rows += ["Who steers?,The captain.,other", "Who sleeps?,Nobody.,[]"]
    text = ["question,expected_answer,contexts,user_acl"]
    text += [f"{question},{answer},A boat has a captain.,{tags}" for question, answer, tags in map(split_row, rows)]
    path.write_text("\n".join([*text, ""]), encoding="utf-8")
    Project(tmp_path).import_suite(path, ImportOptions(technique="crew"))
    found = [(one.question, one.user_tags) for one in cases_of(space, "main", "crew")]
    assert found == [
        ("Who steers?", ("staff", "tenant:globex")),
        ("Who sings?", ("a", "b")),
        ("Who eats?", ("tenant:acme",)),
        ("Who steers?", ("other",)),
        ("Who sleeps?", ()),
    ]
    documents = {row.id: row.tags for row in read_rows(space.documents_file("main"), DocumentRow)}
    assert documents["imported-crew"] == ("tenant:acme",) and documents["ferry"] == ()


def split_row(row: str) -> tuple[str, str, str]:
    question, expected, tags = row.split(",", 2)
    return question, expected, tags


@pytest.mark.parametrize(
    ("cell", "message"), [("tenant:", "is no tag"), ('"[1, 2]"', "a list of tags"), ('"[""a b""]"', "is no tag")]
)
def test_tags_of_a_file_that_are_none_stop_the_import(tmp_path: Path, cell: str, message: str) -> None:
    space_of(tmp_path)
    path = tmp_path / "in.csv"
    path.write_text(f"question,expected_answer,contexts,user_tags\nWho?,He.,A boat.,{cell}\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        Project(tmp_path).import_suite(path, ImportOptions(technique="crew"))
    assert any("user_tags" in fault and message in fault for fault in caught.value.faults)


def test_users_come_back_from_every_format_that_has_a_place_for_them(tmp_path: Path) -> None:
    space = space_of(tmp_path)
    path = space.cases_file("main", "ragtester", "ferry")
    tags = ("role:support", "tenant:acme")
    write_rows(path, [row.model_copy(update={"user_tags": tags}) for row in read_rows(path, CaseRow)])
    for name, ending in (("csv", "csv"), ("deepeval", "json"), ("promptfoo", "yaml"), ("promptfoo", "json")):
        file = tmp_path / f"{name}.{ending}"
        made = Project(tmp_path).export_suite(file, ExportOptions(format=name))
        assert "user_tags" not in made.dropped
        technique = f"{name}-{ending}"
        Project(tmp_path).import_suite(file, ImportOptions(format=name, technique=technique))
        assert [one.user_tags for one in cases_of(space, "main", technique)] == [tags]
        shutil.rmtree(space.cases_file("main", technique, "x").parent)
    assert Project(tmp_path).export_suite(tmp_path / "r.jsonl", ExportOptions(format="ragas")).dropped["user_tags"] == 1


def test_ragas_records_may_name_their_users(tmp_path: Path) -> None:
    space = space_of(tmp_path, IMPORTED)
    path = tmp_path / "in.jsonl"
    record = '{"user_input": "Who?", "reference": "He.", "reference_contexts": ["A boat."], "user_acl": %s}\n'
    path.write_text("".join(record % tags for tags in ('["b", "a:1"]', "[]", "null", '""')), encoding="utf-8")
    Project(tmp_path).import_suite(path, ImportOptions())
    # Without a word on the user it is one who may see the document; the fourth record repeats the third.
    found = [one.user_tags for one in cases_of(space, "main", "ragas")]
    assert found == [("a:1", "b"), (), ("tenant:acme",)]

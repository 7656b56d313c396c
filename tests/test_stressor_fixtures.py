"""Fixtures generated from a suite: what is written, measured, accounted for, kept and made again."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ragtester.api import Project
from ragtester.cli.entry import app
from ragtester.errors import ChangedInputsError, UsageError
from ragtester.fixtures import read_fixtures
from ragtester.models.catalogue import resolve
from ragtester.models.embeddings import EmbeddedVectors
from ragtester.rag.chunking import chunk
from ragtester.records import STRESSORS, Document, Manifest, Stressor
from ragtester.stages.stressors import run
from ragtester.stages.stressors.distracting import TICKETS
from ragtester.storage import read_json, read_rows
from tests.conftest import run_environment
from tests.servers.openai_api import OpenAIServer

SETTINGS = """
[workspace]
corpus = "corpora/sample"
suite = "demo"
[execute]
run = "demo"
[[execute.groups]]
llms = ["embedded:rules"]
embeddings = ["embedded:wordllama", "embedded:hashing"]
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with fixtures of every kind, made from the committed suite."""
    root = tmp_path_factory.mktemp("made")
    prepare(root)
    result = Project(root).generate_fixtures(per_document=1)
    assert result.exit_code == 0
    return root


def prepare(root: Path, extra: str = "") -> None:
    shutil.copytree(Path(__file__).parents[1] / "generated", root / "generated")
    (root / "ragtester.toml").write_text(SETTINGS + extra, encoding="utf-8")


def rows_of(root: Path) -> list[Stressor]:
    found: list[Stressor] = read_rows(root / "adversarial" / "demo" / "rows.jsonl", Stressor)
    return found


def read(root: Path, row: Stressor) -> tuple[dict[str, Any], dict[str, str]]:
    folder = root / "adversarial" / "demo" / row.fixture
    docs = {
        path.relative_to(folder / "docs").with_suffix("").as_posix(): path.read_text(encoding="utf-8")
        for path in (folder / "docs").rglob("*.md")
    }
    return json.loads((folder / "case.json").read_text(encoding="utf-8")), docs


def of_kind(root: Path, kind: str) -> list[tuple[Stressor, dict[str, Any], dict[str, str]]]:
    good = [row for row in rows_of(root) if row.kind == kind and row.status == "ok"]
    assert good
    return [(row, *read(root, row)) for row in good]


def test_everything_is_accounted_for(made: Path) -> None:
    rows = rows_of(made)
    manifest = read_json(made / "adversarial" / "demo" / "manifest.json", Manifest)
    assert manifest is not None and manifest.ledger is not None
    # Nine kinds, six documents, one case each.
    assert manifest.ledger.planned == len(rows) == 9 * 6
    states = {state: sum(row.status == state for row in rows) for state in ("ok", "failed", "skipped", "unfilled")}
    assert states == {
        "ok": manifest.ledger.ok,
        "failed": manifest.ledger.failed,
        "skipped": manifest.ledger.skipped,
        "unfilled": manifest.ledger.unfilled,
    }
    assert list(dict.fromkeys(row.kind for row in rows[:9])) == list(STRESSORS)
    assert all((row.failure is None) == (row.status == "ok") == bool(row.fixture) for row in rows)
    assert len(manifest.prompts) == 3 and manifest.models == {"embedded:rules": "embedded:rules"}


def test_fixtures_are_read_back_without_a_fault(made: Path) -> None:
    loaded = read_fixtures([made / "adversarial" / "demo"])
    assert {one.fixture.id for one in loaded} == {row.id for row in rows_of(made) if row.status == "ok"}


def test_the_right_document_stays_as_it_is(made: Path) -> None:
    for row, case, docs in [one for kind in ("stale", "near_duplicate", "typos") for one in of_kind(made, kind)]:
        source = (made / "generated/demo/texts" / f"{row.document_id}.txt").read_text(encoding="utf-8")
        (gold,) = case["relevantIds"]
        assert docs[gold] == source
        assert all(text in source for text in case["relevantText"])


def test_a_poison_says_something_else_where_the_answer_stands(made: Path) -> None:
    for _, case, docs in [one for kind in ("stale", "near_duplicate") for one in of_kind(made, kind)]:
        (gold,), (poison,) = case["relevantIds"], case["poisonDocIds"]
        assert case["mustNotContain"]
        flat = " ".join(docs[poison].split())
        for value in case["mustNotContain"]:
            assert value in flat
            assert not re.search(rf"(?<![\w.,]){re.escape(value)}(?![\w])", " ".join(docs[gold].split()))
            assert value not in case["expectedAnswer"]


def test_an_older_version_says_once_that_it_is_one(made: Path) -> None:
    heads = []
    for _, case, docs in of_kind(made, "stale"):
        (poison,) = case["poisonDocIds"]
        found = re.findall(r"Earlier version, no longer in force|Frühere Fassung, nicht mehr in Kraft", docs[poison])
        assert len(found) <= 1
        heads += found
    assert heads


def test_a_near_duplicate_differs_in_one_number(made: Path) -> None:
    for _, case, docs in of_kind(made, "near_duplicate"):
        (gold,), (poison,) = case["relevantIds"], case["poisonDocIds"]
        stamp, _, passage = docs[poison].partition("\n\n")
        assert stamp in (
            "From another organisation's document, for comparison.",
            "Aus dem Dokument einer anderen Organisation, zum Vergleich.",
        ), "a reader can tell which of the two answers"
        kept = set(re.findall(r"\w+", docs[gold]))
        new = {word for word in re.findall(r"\w+", passage) if word not in kept}
        assert len(case["madeFrom"]["changed"].split("; ")) in (1, 2)
        assert len(new) <= 2


def test_typos_leave_numbers_and_meaning(made: Path) -> None:
    for _, case, _ in of_kind(made, "typos"):
        before = case["madeFrom"]["question"]
        changed = [pair for pair in zip(before.split(), case["question"].split(), strict=True) if pair[0] != pair[1]]
        assert 1 <= len(changed) <= 3
        assert re.findall(r"\d+", before) == re.findall(r"\d+", case["question"])
        assert all(abs(len(old) - len(new)) <= 1 for old, new in changed)


def test_evidence_at_a_boundary_stands_whole_in_no_chunk(made: Path) -> None:
    settings = Project(made).settings
    for row, case, docs in of_kind(made, "chunk_boundary"):
        (gold,) = case["relevantIds"]
        pieces = [
            one.text for one in chunk(document(gold, row.language, docs[gold]), docs[gold], settings.execute.index)
        ]
        whole = [all(text in piece for piece in pieces) for text in case["relevantText"]]
        assert not all(any(text in piece for piece in pieces) for text in case["relevantText"])
        assert not any(whole)


def test_the_right_chunk_is_fifth_by_another_search(made: Path) -> None:
    """Cosines by hand over the chunks of the fixture's documents, without the stage's own bench."""
    import numpy as np

    settings = Project(made).settings
    for row, case, docs in of_kind(made, "distractor_heavy"):
        assert case["k"] == 5
        (gold,) = case["relevantIds"]
        for name in ("embedded:wordllama", "embedded:hashing"):
            embedder = EmbeddedVectors(resolve(name, settings))
            chunks = [
                one
                for path, text in docs.items()
                for one in chunk(document(path, row.language, text), text, settings.execute.index)
            ]
            vectors = np.asarray(asyncio.run(embedder.embed_documents([one.text for one in chunks])))
            asked = np.asarray(asyncio.run(embedder.embed_queries([case["question"]]))[0])
            norms = np.linalg.norm(vectors, axis=1) * np.linalg.norm(asked)
            scores = vectors @ asked / np.where(norms > 0, norms, 1.0)
            starts = [(docs[gold].index(text), len(text)) for text in case["relevantText"]]
            holds = [
                one.document_id == gold and any(one.start < at + size and at < one.end for at, size in starts)
                for one in chunks
            ]
            best = max(score for score, held in zip(scores, holds, strict=True) if held)
            assert sum(score > best + 1e-6 for score in scores) == 4


def document(name: str, language: str, text: str) -> Document:
    return Document(
        id=name, path=f"{name}.md", source="manual", format="md", sha256="", text_sha256="", language=language,
        characters=len(text),
    )  # fmt: skip


def test_a_second_start_makes_nothing(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "w")
    folder = tmp_path / "w" / "adversarial" / "demo"
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("case.json")}
    rows = (folder / "rows.jsonl").read_bytes()
    Project(tmp_path / "w").generate_fixtures(per_document=1)
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("case.json")} == before
    assert (folder / "rows.jsonl").read_bytes() == rows


def test_what_a_kill_left_is_made_again(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "w")
    folder = tmp_path / "w" / "adversarial" / "demo"
    whole = (folder / "rows.jsonl").read_bytes()
    lines = whole.splitlines(keepends=True)
    # Killed within a line, with the folder of a later fixture half there.
    (folder / "rows.jsonl").write_bytes(b"".join(lines[:3]) + lines[3][:40])
    later = next(row for row in rows_of(made)[6:] if row.status == "ok")
    (folder / later.fixture / "case.json").unlink()
    (folder / later.fixture / "docs" / "rest.md").write_text("half", encoding="utf-8")
    Project(tmp_path / "w").generate_fixtures(per_document=1)
    assert (folder / "rows.jsonl").read_bytes() == whole
    assert not (folder / later.fixture / "docs" / "rest.md").exists()
    read_fixtures([folder])


def test_other_settings_are_refused_and_made_on_demand(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "w")
    project = Project(tmp_path / "w", ["execute.k=3"])
    with pytest.raises(ChangedInputsError, match="k was 4, is 3"):
        project.generate_fixtures(per_document=1)
    assert project.generate_fixtures(("typos",), per_document=1, overwrite=True).ledger.planned == 6
    kinds = {row.kind for row in rows_of(tmp_path / "w")}
    assert kinds == set(STRESSORS)


def test_two_processes_make_the_same(made: Path, tmp_path: Path) -> None:
    prepare(tmp_path)
    code = "import sys; from ragtester.api import Project; Project(sys.argv[1]).generate_fixtures(per_document=1)"
    environment = run_environment() | {"PYTHONHASHSEED": "17"}
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, env=environment)
    one, two = made / "adversarial" / "demo", tmp_path / "adversarial" / "demo"
    names = [
        path.relative_to(one) for path in sorted(one.rglob("*")) if path.is_file() and path.name != "manifest.json"
    ]
    assert names == [
        path.relative_to(two) for path in sorted(two.rglob("*")) if path.is_file() and path.name != "manifest.json"
    ]
    assert all((one / name).read_bytes() == (two / name).read_bytes() for name in names)


def test_a_language_model_writes_and_is_checked(tmp_path: Path) -> None:
    prepare(tmp_path, '[adversarial]\nmodel = "scripted:replies.jsonl"\nattempts = 2\n')
    reply = {"question": "How long?", "expected_answer": "It is 4711 days.", "names": []}
    line = {"task": "stress_question.paraphrase", "reply": json.dumps(reply)}
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for _ in range(12)), encoding="utf-8")
    result = Project(tmp_path).generate_fixtures(("paraphrase",), per_document=1)
    assert result.ledger.unfilled == result.ledger.planned == 6
    for row in rows_of(tmp_path):
        assert row.attempts == 2 and len(row.rejected) == 2 and len(row.calls) == 2
        assert row.failure is not None and "4711 days" in row.failure.message
    # The script is at its end: a call that fails is a failed row, and the next start asks again.
    more = Project(tmp_path).generate_fixtures(("under_specified",), per_document=1)
    assert more.ledger.failed == 6 and more.exit_code == 3


def test_bad_wishes_are_told(tmp_path: Path) -> None:
    prepare(tmp_path)
    with pytest.raises(UsageError, match="'stale'"):
        Project(tmp_path).generate_fixtures(("stael",))
    with pytest.raises(UsageError, match=r"no cases|no document"):
        Project(tmp_path, ["workspace.suite=other"]).generate_fixtures()


def test_the_command_makes_and_does_not_ask(tmp_path: Path) -> None:
    prepare(tmp_path)
    command = ["adversarial", "--workspace", str(tmp_path), "--quiet"]
    done = CliRunner().invoke(app, [*command, "--generate-only", "--kind", "typos", "--per-document", "1"])
    assert done.exit_code == 0, done.output
    assert "6 fixtures planned = 6 made + 0 failed + 0 skipped + 0 unfilled." in done.output
    assert not (tmp_path / "answers").exists()
    both = CliRunner().invoke(app, [*command, "--generate", "--estimate"])
    assert both.exit_code == 2


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ru", "ja"])
def test_open_questions_name_no_value_and_hold_the_question(language: str) -> None:
    for ticket in TICKETS[language]:
        assert "{question}" in ticket
        assert len(re.findall(r"\d+", ticket)) <= 1
    assert len(TICKETS[language]) >= 5


def test_a_reply_that_was_paid_for_before_a_kill_is_not_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def say(body: dict[str, Any]) -> str:
        answer = re.search(r"<answer>\n(.*?)\n</answer>", body["messages"][-1]["content"], re.DOTALL)
        assert answer is not None
        return json.dumps({"question": "Wibble wobble?", "expected_answer": answer[1], "names": []})

    def killed(*_: object) -> Path:
        raise RuntimeError("killed")

    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with OpenAIServer(say) as server:
        model = (
            f'[adversarial]\nmodel = "openai:small"\nattempts = 1\n[models."openai:small"]\nbase_url = "{server.url}"\n'
        )
        prepare(tmp_path, model)
        monkeypatch.setattr(run, "write_fixture", killed)
        with pytest.raises(RuntimeError, match="killed"):
            Project(tmp_path).generate_fixtures(("paraphrase",), per_document=1)
        asked = {json.dumps(body["messages"]) for body in server.chats()}
        assert asked
        monkeypatch.undo()
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        result = Project(tmp_path).generate_fixtures(("paraphrase",), per_document=1)
        bodies = [json.dumps(body["messages"]) for body in server.chats()]
    assert result.ledger.planned == 6 and result.ledger.ok > 0
    answered = len(bodies) - len(set(bodies))
    # Only what was still under way when the first start ended may be asked for twice.
    assert answered < len(asked)

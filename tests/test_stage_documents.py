"""The stage: planned, resumable, seeded; a failure is a row; nothing is paid for twice."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ragtester.documents import writer
from ragtester.documents.files import find_files
from ragtester.documents.render import Rendered, RenderError
from ragtester.errors import ChangedInputsError, MissingPackageError, UsageError
from ragtester.models.embedded.writing import write_document
from ragtester.progress import SilentProgress, StageResult
from ragtester.records import Call, Failure, GeneratedDocument, GeneratedRow, Manifest, UngeneratedDocument
from ragtester.settings import PROFILES, Settings, parse_settings
from ragtester.stages import documents
from ragtester.storage import read_json, read_rows
from ragtester.tasks import Asked, Fact, WriteDocument, WrittenDocument
from ragtester.workspace import Workspace


class Author:
    """Stands for the gateway: counts what it is asked, and fails as it is told."""

    def __init__(self, failures: dict[int, Failure] | None = None, replies: dict[int, str] | None = None) -> None:
        self.failures = failures or {}
        self.replies = replies or {}
        self.asked: list[WriteDocument] = []

    async def ask(self, model: str, task: Any, request: Any) -> Asked[Any]:
        number = request.seed - 70_049
        self.asked.append(request)
        await asyncio.sleep(0)
        call = Call(model=model, served_model=f"{model}-2026-01-01", cost=0.01)
        if number in self.failures:
            return Asked(None, call, self.failures[number])
        if number in self.replies:
            return Asked(WrittenDocument(name="Given", markdown=self.replies[number]), call)
        return Asked(write_document(request), call)

    def prompt_sha256(self, task: Any) -> str:
        return "p" * 64


def settings(**wishes: Any) -> Settings:
    return parse_settings({"documents": {"length": "700 words", "model": "test:author"} | wishes}, "test")


def run(root: Path, author: Author, wanted: Settings, *, overwrite: bool = False) -> tuple[StageResult, list[str]]:
    progress = SilentProgress()
    result = asyncio.run(documents.run(Workspace(root), wanted, author, progress, overwrite=overwrite))
    return result, progress.notes


def rows(root: Path) -> list[Any]:
    return read_rows(root / "corpora" / "generated" / "documents.jsonl", GeneratedRow)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Rendering is tried in its own tests; here a PDF is its Markdown, so that the stage alone is looked at."""
    seen: list[str] = []

    def render(markdown: str, *, profile: str, language: str, seed: int) -> Rendered:
        seen.append(profile)
        if "UNRENDERABLE" in markdown:
            raise RenderError("timeout", "not rendered within 120 seconds")
        if not markdown.strip():
            raise RenderError("empty", "there is no text to write")
        lost = "the PDF's text lacks 'LOST'" if "LOST" in markdown else ""
        return Rendered(f"%PDF {markdown}".encode(), markdown, 2, "", True, 0, lost)

    async def ready() -> None:
        return None

    monkeypatch.setattr(writer, "render_pdf", render)
    monkeypatch.setattr(documents, "_check_machine", ready)
    return seen


def test_two_documents_for_real(tmp_path: Path) -> None:
    wanted = settings(count=2, profiles=["running_headers+small_print", "figures"])
    result, notes = run(tmp_path, Author(), wanted)
    assert (result.ledger.ok, result.exit_code, notes) == (2, 0, [])
    folder = tmp_path / "corpora" / "generated"
    for row in rows(tmp_path):
        assert (folder / row.file).read_bytes().startswith(b"%PDF-")
        facts = read_rows(folder / row.facts, Fact)
        text = (folder / row.markdown).read_text(encoding="utf-8")
        assert facts
        assert all(fact.value in text for fact in facts)
    manifest = read_json(folder / "manifest.json", Manifest)
    assert manifest is not None
    assert manifest.stage == "documents"
    assert [entry["file"] for entry in manifest.counts["documents"]] == [row.file for row in rows(tmp_path)]
    assert manifest.models == {"test:author": "test:author-2026-01-01"}
    found = find_files([str(folder)], tmp_path)
    assert [file.path.suffix for file in found] == [".pdf", ".pdf"]
    assert {file.source for file in found} == {"generated"}


def test_nothing_wanted_writes_nothing(tmp_path: Path) -> None:
    result, _ = run(tmp_path, Author(), settings(count=0))
    assert (result.ledger.planned, result.exit_code) == (0, 0)
    assert list(tmp_path.iterdir()) == []


def test_profiles_topics_and_names_are_spread_by_seed(tmp_path: Path, quick: list[str]) -> None:
    author = Author()
    run(tmp_path, author, settings(count=14, topics=["ferry", "bees"], names=["First", "Second"]))
    assert Counter(request.profile for request in author.asked) == Counter(PROFILES * 2)
    assert [request.topic for request in author.asked] == ["ferry", "bees"] * 7
    assert [request.name for request in author.asked] == ["First", "Second"] + [None] * 12
    assert len({request.seed for request in author.asked}) == 14


def test_a_second_start_asks_for_nothing_and_more_documents_ask_for_those_alone(
    tmp_path: Path, quick: list[str]
) -> None:
    run(tmp_path, Author(), settings(count=3))
    before = {path.name: path.read_bytes() for path in (tmp_path / "corpora" / "generated").iterdir()}
    again = Author()
    run(tmp_path, again, settings(count=3))
    assert again.asked == []
    after = {path.name: path.read_bytes() for path in (tmp_path / "corpora" / "generated").iterdir()}
    assert {name for name in before if before[name] != after[name]} <= {"manifest.json"}
    more = Author()
    result, _ = run(tmp_path, more, settings(count=5))
    assert (len(more.asked), result.ledger.ok) == (2, 5)


def test_a_file_that_was_lost_or_changed_is_written_again(tmp_path: Path, quick: list[str]) -> None:
    run(tmp_path, Author(), settings(count=3))
    folder = tmp_path / "corpora" / "generated"
    first, second, _third = rows(tmp_path)
    (folder / first.file).unlink()
    (folder / second.markdown).write_text("changed", encoding="utf-8")
    again = Author()
    result, _ = run(tmp_path, again, settings(count=3))
    assert (len(again.asked), result.ledger.ok) == (2, 3)
    assert [row.ordinal for row in rows(tmp_path)] == [0, 1, 2]


def test_failures_are_rows_and_the_rest_goes_on(tmp_path: Path, quick: list[str]) -> None:
    failures = {
        0: Failure(type="truncated", message="the reply was cut short"),
        2: Failure(type="timeout", message="no reply within 120 seconds"),
    }
    replies = {3: "# Fine\n\nUNRENDERABLE", 4: "# Lost\n\nThis sentence is LOST on the way to the page.", 5: "  \n"}
    result, notes = run(tmp_path, Author(failures, replies), settings(count=6))
    assert (result.ledger.ok, result.ledger.failed, result.exit_code) == (1, 5, 3)
    kinds = [row.failure.type if isinstance(row, UngeneratedDocument) else "ok" for row in rows(tmp_path)]
    assert kinds[:5] == ["truncated", "ok", "timeout", "timeout", "read_back"]
    assert len(notes) == 5
    assert result.counts["failures"]["timeout"] == 2


def test_paid_failures_stay_unpaid_ones_and_unrendered_ones_are_made_again(tmp_path: Path, quick: list[str]) -> None:
    failures = {
        0: Failure(type="truncated", message="cut short"),
        1: Failure(type="timeout", message="no reply"),
    }
    run(tmp_path, Author(failures, {2: "# Later\n\nUNRENDERABLE text"}), settings(count=3))
    folder = tmp_path / "corpora" / "generated"
    kept = folder / rows(tmp_path)[2].markdown
    kept.write_text("# Later\n\nrenderable text", encoding="utf-8")
    again = Author()
    result, _ = run(tmp_path, again, settings(count=3))
    assert [request.seed - 70_049 for request in again.asked] == [1]
    assert [row.status for row in rows(tmp_path)] == ["failed", "ok", "ok"]
    assert result.ledger.failed == 1


def test_a_budget_that_is_used_up_skips_and_says_so(tmp_path: Path, quick: list[str]) -> None:
    spent = {1: Failure(type="budget", message="--max-calls 1 is used up")}
    result, _ = run(tmp_path, Author(spent), settings(count=2))
    assert (result.ledger.ok, result.ledger.skipped, result.stopped) == (1, 1, "--max-calls 1 is used up")
    result, _ = run(tmp_path, Author(), settings(count=2))
    assert (result.ledger.ok, result.exit_code) == (2, 0)


def test_other_settings_stop_with_what_changed_unless_overwritten(tmp_path: Path, quick: list[str]) -> None:
    run(tmp_path, Author(), settings(count=2))
    old = {row.file for row in rows(tmp_path)}
    with pytest.raises(ChangedInputsError, match="tone"):
        run(tmp_path, Author(), settings(count=2, tone="playful", topics=["general topics of another kind"]))
    user = tmp_path / "corpora" / "generated" / "of-the-user.pdf"
    user.write_bytes(b"%PDF theirs")
    run(tmp_path, Author(), settings(count=2, topics=["hiring of musicians"]), overwrite=True)
    left = {path.name for path in (tmp_path / "corpora" / "generated").glob("*.pdf")}
    assert left == {row.file for row in rows(tmp_path)} | {user.name}
    assert not left & old


def test_an_interrupted_line_is_dropped_and_made_again(tmp_path: Path, quick: list[str]) -> None:
    run(tmp_path, Author(), settings(count=2))
    ledger = tmp_path / "corpora" / "generated" / "documents.jsonl"
    ledger.write_bytes(ledger.read_bytes()[:-40])
    again = Author()
    result, notes = run(tmp_path, again, settings(count=2))
    assert (len(again.asked), result.ledger.ok) == (1, 2)
    assert any("interrupted line" in note for note in notes)


def test_replies_in_a_fence_or_without_a_title_are_mended(tmp_path: Path, quick: list[str]) -> None:
    replies = {0: "```markdown\n# Inside\n\nText.\n```", 1: "Only text."}
    run(tmp_path, Author(replies=replies), settings(count=2))
    made = rows(tmp_path)
    assert isinstance(made[0], GeneratedDocument)
    assert [row.name for row in made] == ["Inside", "Given"]
    folder = tmp_path / "corpora" / "generated"
    assert (folder / made[0].markdown).read_text(encoding="utf-8") == "# Inside\n\nText.\n"


def test_names_give_plain_unique_file_names(tmp_path: Path, quick: list[str]) -> None:
    replies = {0: "# ../../Größe & Maß/..\n\nx", 1: "# 中文\n\nx", 2: "# Same\n\nx", 3: "# Same\n\nx"}
    run(tmp_path, Author(replies=replies), settings(count=4))
    files = [row.file for row in rows(tmp_path)]
    assert files[0] == "001-grosse-mass.pdf"
    assert len(set(files)) == 4
    assert all(Path(name).name == name for name in files)


def test_a_machine_without_pango_is_told_before_anything_is_paid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def missing() -> None:
        raise MissingPackageError("writing PDFs needs the library Pango")

    monkeypatch.setattr(documents, "_check_machine", missing)
    author = Author()
    with pytest.raises(MissingPackageError, match="Pango"):
        run(tmp_path, author, settings(count=2))
    assert author.asked == []


def test_unknown_profiles_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'three_columns'"):
        run(tmp_path, Author(), settings(count=1, profiles=["three_columns"]))


def test_a_language_that_the_embedded_writer_lacks_is_one_plain_error(tmp_path: Path, quick: list[str]) -> None:
    with pytest.raises(UsageError, match="English and German, not French"):
        run(tmp_path, Author(), settings(count=2, language="French"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    ("place", "after"), [("append_row", 0), ("append_row", 2), ("write_files", 1), ("write_json", 0)]
)
def test_a_kill_at_any_point_loses_and_doubles_nothing(
    tmp_path: Path, quick: list[str], monkeypatch: pytest.MonkeyPatch, place: str, after: int
) -> None:
    child = os.fork()
    if child == 0:
        _run_until_killed(tmp_path, monkeypatch, place, after)
    os.waitpid(child, 0)
    finished = {row.ordinal for row in rows(tmp_path)}
    author = Author()
    result, _ = run(tmp_path, author, settings(count=5))
    assert (result.ledger.ok, result.ledger.planned) == (5, 5)
    assert [row.ordinal for row in rows(tmp_path)] == [0, 1, 2, 3, 4]
    assert {request.seed - 70_049 for request in author.asked} == set(range(5)) - finished
    assert len(list((tmp_path / "corpora" / "generated").glob("*.pdf"))) == 5


def _run_until_killed(root: Path, monkeypatch: pytest.MonkeyPatch, place: str, after: int) -> None:
    """In the forked child: run the stage and kill the process the moment `place` is reached once more than `after`."""
    real = getattr(documents, place)
    reached: list[str] = []

    def deadly(*arguments: Any) -> Any:
        if len(reached) == after:
            os.kill(os.getpid(), signal.SIGKILL)
        reached.append(place)
        return real(*arguments)

    monkeypatch.setattr(documents, place, deadly)
    try:
        run(root, Author(), settings(count=5))
    finally:
        os._exit(1)

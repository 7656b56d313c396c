"""The example applications, tested as their users would: cases, execute, judge, and every audit of answers."""

from __future__ import annotations

import importlib
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from ragtester import Project
from ragtester.records import NO_CHUNKS, RetrievalResult
from ragtester.storage import read_json

REPOSITORY = Path(__file__).parents[1]
EXAMPLES = REPOSITORY / "examples"
DOCUMENTS = ("kitchen-hygiene-plan.md", "data-logger-k2-data-sheet.md")
FEW = ("cases.per_document=3", "cases.technique=ragtester")


def workspace(folder: Path, example: Path) -> Path:
    """A copy of an example with two documents of the sample corpus."""
    if example.is_dir():
        shutil.copytree(example, folder, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        folder.mkdir()
        shutil.copy(example, folder)
    (folder / "corpora").mkdir()
    for name in DOCUMENTS:
        shutil.copy(REPOSITORY / "corpora" / "sample" / name, folder / "corpora" / name)
    return folder


@contextmanager
def importing(folder: Path, *names: str) -> Iterator[dict[str, ModuleType]]:
    """Modules of an example, gone again afterwards."""
    others = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.path.insert(0, str(folder))
    try:
        yield {name: importlib.import_module(name) for name in names}
    finally:
        sys.path.remove(str(folder))
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(others)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The FastAPI application on a free port of the loopback; gives its address."""
    import uvicorn

    with importing(folder, "store", "answering", "app") as modules:
        config = uvicorn.Config(modules["app"].app, host="127.0.0.1", port=0, log_level="error")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
                threading.Event().wait(0.01)
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=10)


@pytest.fixture
def _no_module_stays() -> Iterator[None]:
    """What an example imports from its own folder is imported anew by the next test."""
    yield
    sys.modules.pop("python_target", None)


def audited(folder: Path, run: str = "main") -> RetrievalResult:
    found = read_json(folder / "verdicts" / run / "retrieval" / "result.json", RetrievalResult)
    assert found is not None
    return found


def test_the_fastapi_application_from_end_to_end(tmp_path: Path) -> None:
    folder = workspace(tmp_path / "app", EXAMPLES / "fastapi_app")
    with served(folder) as url:
        project = Project(folder, [*FEW, f'target.name="http:{url}/ask"'])
        assert project.cases().ledger.ok == 6
        assert project.execute().ledger.ok == 6
        answers = list(project.iter_answers())
        streamed = Project(folder, [*FEW, f'target.name="{url}/ask/stream"', "execute.run=streamed"])
        assert streamed.execute().ledger.ok == 6
        findings = [one for one in project.doctor(probe=True) if one.name.startswith("target")]
    assert [one.ok for one in findings] == [True] and "4 chunk(s) (texts 4, ids 4, scores 4" in findings[0].detail
    # The stream says the same, word by word.
    said = [(one.case_id, one.answer.strip(), one.trace.context_ids if one.trace else ()) for one in answers]
    assert said == [
        (one.case_id, one.answer.strip(), one.trace.context_ids if one.trace else ()) for one in streamed.iter_answers()
    ]
    assert {one.llm for one in answers} == {"fastapi-app"}
    assert {one.call.served_model for one in answers if one.call} == {"rules-2026-11-30"}
    # Every text of the application was found in the documents, though it cuts them in its own way.
    assert [one.trace.notes for one in answers if one.trace] == [()] * 6
    kitchen = [one for one in answers if one.document_id == "kitchen-hygiene-plan"]
    assert {one.trace.user_tags for one in kitchen if one.trace} == {("role:kitchen",)}
    project = Project(folder, FEW)
    assert project.judge().ledger.ok == 6
    assert project.audit_retrieval().exit_code == 0
    result = audited(folder)
    answerable = [one for one in answers if one.type != "rejection"]
    assert result.overall[0].queries == len(answerable) and result.overall[0].evidence
    assert project.audit_claims().ledger.failed == 0
    assert project.audit_coverage().ledger.failed == 0
    watched = [
        name for name in (folder / "answers" / "main" / "manifest.json").read_text().split('"') if "watch" in name
    ]
    assert watched == [
        "watch prompt: answering.py",
        "watch index: store.py",
        *(f"watch index: corpora/{name}" for name in sorted(DOCUMENTS)),
    ]


def test_the_fastapi_application_keeps_what_a_user_may_not_see(tmp_path: Path) -> None:
    folder = workspace(tmp_path / "app", EXAMPLES / "fastapi_app")
    with served(folder) as url:
        # A user without the tag asks about the kitchen: nothing of that document comes back, and a refusal is right.
        project = Project(folder, [*FEW, f'target.name="{url}/ask"', 'access.user_tags=["role:guest"]'])
        project.cases()
        project.execute()
    project.judge()
    kitchen = [one for one in project.iter_answers() if one.document_id == "kitchen-hygiene-plan"]
    assert kitchen and all(
        not name.startswith("kitchen") for one in kitchen if one.trace for name in one.trace.context_ids
    )
    assert all(one.trace.hides_evidence for one in kitchen if one.trace and one.type != "rejection")
    project.audit_retrieval()
    ledger = audited(folder).ledgers[0]
    assert ledger.hidden_gold == sum(one.type != "rejection" for one in kitchen)


@pytest.mark.parametrize(
    ("example", "target"),
    [
        ("python_target.py", ['target.name="python:python_target:ask"']),
        ("langchain_target.py", ['target.name="langchain:langchain_target:chain"', 'target.input="input"']),
    ],
)
@pytest.mark.usefixtures("_no_module_stays")
def test_the_small_examples(tmp_path: Path, example: str, target: list[str]) -> None:
    folder = workspace(tmp_path / "app", EXAMPLES / example)
    if example != "python_target.py":
        shutil.copy(EXAMPLES / "python_target.py", folder)
    project = Project(folder, [*FEW, *target])
    project.cases()
    assert project.execute().ledger.ok == 6
    rows = list(project.iter_answers())
    assert all(one.trace and one.trace.k == 3 and NO_CHUNKS not in one.trace.notes for one in rows)
    project.judge()
    project.audit_retrieval()
    assert audited(folder).overall[0].evidence

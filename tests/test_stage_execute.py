"""The execute stage over a toy suite: one row a case and system, whatever happens; and nothing paid for twice."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from ragtester.errors import ChangedInputsError, DataError, StorageError, UsageError
from ragtester.progress import SilentProgress, StageResult
from ragtester.rag.collection import put
from ragtester.records import Answer, CaseRow, Chunk, Failure, Manifest
from ragtester.settings import parse_settings
from ragtester.stages.execute import run
from ragtester.storage import RowWriter, read_json, read_rows, write_json, write_rows
from ragtester.tasks import AnswerQuestion, QuestionAnswered
from tests.execute_fakes import RuleModels, WordEmbedder, World, embedders, full_disk


class Stage:
    """A world with its model and embedder; `go` runs the stage."""

    def __init__(self, world: World, models: RuleModels | None = None, *made: WordEmbedder) -> None:
        self.world = world
        self.models = models or RuleModels()
        self.embedders = made or (WordEmbedder(),)
        self.progress = SilentProgress()

    def go(self, **options: Any) -> StageResult:
        return asyncio.run(
            run(
                self.world.workspace,
                self.world.settings,
                self.models,
                embedders(*self.embedders),
                self.progress,
                **options,
            )
        )

    def rows(self) -> list[Answer]:
        folder = self.world.workspace.answers(self.world.settings.execute.run)
        paths = [path for path in sorted(folder.glob("*/*.jsonl")) if path.parent.name != "chunks"]
        return [row for path in paths for row in read_rows(path, Answer)]

    def manifest(self) -> Manifest:
        made = read_json(self.world.workspace.answers("main") / "manifest.json", Manifest)
        assert made is not None
        return made

    def asked(self) -> int:
        return sum(self.models.served.values())


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(World(tmp_path))


def test_one_row_a_case_and_system_in_the_suites_order(stage: Stage) -> None:
    result = stage.go()
    rows = stage.rows()
    assert [(row.llm, row.case_id) for row in rows] == [
        (llm, f"manual-{number}-{case}") for llm in ("toy:a", "toy:b") for number in (0, 1) for case in range(4)
    ]
    assert result.ledger.planned == result.ledger.ok == 16
    assert result.exit_code == 0
    assert {row.outcome for row in rows} == {"answered"}


def test_the_trace_points_into_the_chunks(stage: Stage) -> None:
    stage.go()
    chunks = {
        chunk.id: chunk
        for document in stage.world.documents
        for chunk in read_rows(stage.world.workspace.chunks_file("main", document.id), Chunk)
    }
    for row in stage.rows():
        assert row.trace is not None
        assert len(row.trace.retrieved) == 2 and row.trace.context_ids == tuple(one.id for one in row.trace.retrieved)
        # Only the document's own store is asked.
        assert {chunks[name].document_id for name in row.trace.context_ids} == {row.document_id}
        assert row.trace.context_characters == sum(len(chunks[name].text) for name in row.trace.context_ids)
        if row.type == "rejection":
            assert row.trace.gold_ids == ()
        else:
            # The toy question names the word of its evidence, so the gold chunk is the nearest one.
            assert row.trace.gold_ids == (row.trace.retrieved[0].id,)
            assert row.cited == (row.trace.retrieved[0].id,)


def test_the_manifest_says_what_made_the_rows(stage: Stage) -> None:
    stage.go()
    made = stage.manifest()
    assert made.ended and made.ledger and made.ledger.ok == 16
    assert made.models == {"toy:a": "toy:a-2026-01-01", "toy:b": "toy:b-2026-01-01", "toy:words": None}
    assert made.floating_aliases == ("toy:a", "toy:b", "toy:words")
    assert made.parameters["k"] == 2 and made.parameters["chunker"]["chunk_size"] == 120
    assert made.counts["cost"] == pytest.approx(0.016)
    assert set(made.inputs) == {
        "text manual-0",
        "text manual-1",
        "cases ragtester/manual-0",
        "cases ragtester/manual-1",
    }


def test_a_matrix_of_four_llms_and_three_embeddings(tmp_path: Path) -> None:
    llms = [f"toy:{name}" for name in "abcd"]
    names = ["toy:one", "toy/one", "toy one"]
    made = [WordEmbedder(name) for name in names]
    stage = Stage(World(tmp_path, documents=1, groups=[{"llms": llms, "embeddings": names}]), None, *made)
    assert stage.go().ledger.ok == 4 * 3 * 4
    stores = list(stage.world.workspace.stores.iterdir())
    assert len(stores) == 3
    chunks = read_rows(stage.world.workspace.chunks_file("main", "manual-0"), Chunk)
    for embedder in made:
        assert embedder.documents == {chunk.text: 1 for chunk in chunks}
        assert len(embedder.queries) == 4 and set(embedder.queries.values()) == {1}
    before = [embedder.calls for embedder in made]
    # A second run of another name asks every model again, and embeds nothing.
    stage.world.settings = parse_settings(
        {"execute": {**stage.world.settings.execute.model_dump(mode="json"), "run": "second"}}, "test"
    )
    assert stage.go().ledger.ok == 48
    assert [embedder.calls for embedder in made] == before
    assert stage.asked() == 96
    assert len(list(stage.world.workspace.stores.iterdir())) == 3


def test_a_pair_of_two_groups_runs_once(tmp_path: Path) -> None:
    groups = [
        {"llms": ["toy:a", "toy:b"], "embeddings": ["toy:words"]},
        {"llms": ["toy:b"], "embeddings": ["toy:words", "toy:more"]},
    ]
    stage = Stage(World(tmp_path, documents=1, groups=groups), None, WordEmbedder(), WordEmbedder("toy:more"))
    assert stage.go().ledger.planned == 3 * 4
    assert stage.asked() == 12


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        stage = Stage(World(tmp_path / name, documents=3, cases=8))
        stage.go()
        made.append(stage.world.files())
    assert made[0] == made[1]


def test_a_start_that_makes_no_row_leaves_the_manifest_with_what_made_them(stage: Stage) -> None:
    stage.go()
    path = stage.world.workspace.answers("main") / "manifest.json"
    earlier = {"versions": {"pypdf": "1.0"}, "revision": "0" * 40, "dirty": False, "started": "2020-01-01T00:00:00Z"}
    write_json(path, stage.manifest().model_copy(update=earlier))
    stage.go()
    assert {name: getattr(stage.manifest(), name) for name in earlier} == earlier
    # One row to be made is made by the packages of today.
    answers = next(one for one in path.parent.glob("*/*.jsonl") if one.parent.name != "chunks")
    answers.write_text("".join(answers.read_text("utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    stage.go()
    assert stage.manifest().versions["pypdf"] != "1.0"
    assert stage.manifest().started > "2020-01-01T00:00:00Z"


def test_a_second_start_asks_nothing_and_changes_nothing(stage: Stage) -> None:
    stage.go()
    before, calls, result = stage.world.files(), stage.embedders[0].calls, stage.go()
    assert stage.asked() == 16 and stage.embedders[0].calls == calls
    assert stage.world.files() == before
    assert result.ledger.ok == 16 and result.counts["outcomes"] == {"answered": 16}


def test_unfilled_cases_are_counted_and_not_asked(tmp_path: Path) -> None:
    stage = Stage(World(tmp_path, unfilled=1))
    result = stage.go()
    assert result.ledger.unfilled == 4 and result.ledger.planned == 20 and stage.asked() == 16
    assert result.exit_code == 0


def fails_on(kind: str, model: str = "toy:a", only: str = "variant 1") -> Any:
    def says(asked: str, request: AnswerQuestion) -> Any:
        return Failure(type=kind, message="so it is") if asked == model and only in request.question else None

    return says


@pytest.mark.parametrize("kind", ["timeout", "rate_limited", "server_error", "transport"])
def test_rows_of_transient_failures_are_made_again(tmp_path: Path, kind: str) -> None:
    stage = Stage(World(tmp_path), RuleModels(fails_on(kind)))
    result = stage.go()
    assert result.ledger.failed == 2 and result.exit_code == 3 and len(stage.rows()) == 16
    assert {row.failure.type for row in stage.rows() if row.failure} == {kind}
    stage.models.says = None
    again = stage.go()
    assert again.ledger.ok == 16 and stage.asked() == 18
    whole = Stage(World(tmp_path / "whole"))
    whole.go()
    assert stage.world.files() == whole.world.files()


@pytest.mark.parametrize("kind", ["truncated", "unparseable", "too_long", "empty", "bad_request"])
def test_rows_that_were_paid_for_are_kept_unless_asked(tmp_path: Path, kind: str) -> None:
    stage = Stage(World(tmp_path), RuleModels(fails_on(kind)))
    stage.go()
    stage.models.says = None
    assert stage.go().ledger.failed == 2 and stage.asked() == 16
    stage.world.set(retry_failed=True)
    assert stage.go().ledger.ok == 16 and stage.asked() == 18


@pytest.mark.parametrize("kind", ["quota", "auth", "unknown_model", "missing_key"])
def test_a_model_that_stopped_is_not_asked_again(tmp_path: Path, kind: str) -> None:
    stage = Stage(World(tmp_path, cases=32), RuleModels(fails_on(kind, only="")))
    result = stage.go()
    assert result.ledger.failed == 64 and result.ledger.ok == 64 and len(stage.rows()) == 128
    # Not more than were on their way when the first failure came.
    assert sum(count for (model, _), count in stage.models.served.items() if model == "toy:a") <= 16
    assert all(row.failure for row in stage.rows() if row.llm == "toy:a")
    stage.models.says = None
    assert stage.go().ledger.ok == 128


def test_the_budget_stops_the_stage_and_the_next_start_goes_on(tmp_path: Path) -> None:
    stage = Stage(World(tmp_path, documents=3, cases=8))
    allowed = 17

    def says(model: str, request: AnswerQuestion) -> Any:
        return Failure(type="budget", message="--max-calls 17 is used up") if stage.asked() > allowed else None

    stage.models.says = says
    result = stage.go()
    assert result.ledger.ok == len(stage.rows()) == 17
    assert result.ledger.skipped == 48 - 17
    assert "--max-calls 17" in result.stopped and "goes on" in result.stopped and result.exit_code == 3
    stage.models.says = None
    assert stage.go().ledger.ok == 48
    assert sum(1 for count in stage.models.served.values() if count > 1) <= 24
    whole = Stage(World(tmp_path / "whole", documents=3, cases=8))
    whole.go()
    assert stage.world.files() == whole.world.files()


def test_an_embedding_model_that_fails_costs_its_own_cells_only(tmp_path: Path) -> None:
    groups = [{"llms": ["toy:a", "toy:b"], "embeddings": ["toy:dead", "toy:words"]}]
    dead = WordEmbedder("toy:dead")
    dead.fail_after = 0
    stage = Stage(World(tmp_path, groups=groups), None, dead, WordEmbedder())
    result = stage.go()
    assert result.ledger.failed == result.ledger.ok == 16
    failed = [row for row in stage.rows() if row.outcome == "failed"]
    assert {row.embedding for row in failed} == {"toy:dead"}
    assert all(row.failure and "toy:dead" in row.failure.message for row in failed)
    assert all(row.trace and row.trace.retrieved == () and row.trace.query for row in failed)
    dead.fail_after = None
    assert stage.go().ledger.ok == 32


def test_a_refusal_of_the_provider_is_an_outcome_and_stays(tmp_path: Path) -> None:
    stage = Stage(World(tmp_path), RuleModels(fails_on("content_filter")))
    result = stage.go()
    assert result.counts["outcomes"] == {"answered": 14, "refused": 2}
    assert result.ledger.ok == 16
    stage.go()
    assert stage.asked() == 16


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"k": 3}, "k was 2 and is 3"),
        ({"index": {"chunk_size": 100, "chunk_overlap": 20}}, "chunker chunk_size was 120 and is 100"),
        ({"refusals": ["No."]}, "refusals"),
        ({"reply_format": "text"}, "reply_format was 'json' and is 'text'"),
        ({"index": {"chunk_size": 120, "chunk_overlap": 20, "scope": "corpus"}}, "scope"),
    ],
)
def test_changed_settings_stop_the_stage_and_name_the_change(stage: Stage, change: dict[str, Any], told: str) -> None:
    stage.go()
    before = stage.world.files()
    stage.world.set(**change)
    with pytest.raises(ChangedInputsError, match=told):
        stage.go()
    assert stage.world.files() == before and stage.asked() == 16
    assert stage.go(overwrite=True).ledger.ok == 16
    assert stage.asked() == 32 and len(stage.rows()) == 16


def test_a_changed_model_option_is_named(stage: Stage) -> None:
    stage.go()
    data = stage.world.settings.model_dump(mode="json")
    data["models"] = {"toy:b": {"temperature": 0.7, "api_key_env": "SECRET", "prompt_price": 3.0}}
    stage.world.settings = parse_settings(data, "test")
    with pytest.raises(ChangedInputsError, match=r"llms toy:b temperature was 'not set' and is 0\.7") as caught:
        stage.go()
    assert "SECRET" not in str(caught.value) and "8 answer row" in str(caught.value)
    # Only the rows of that model are made again.
    assert stage.go(overwrite=True).ledger.ok == 16 and stage.asked() == 24


def test_a_changed_case_and_a_removed_case_are_named(stage: Stage) -> None:
    stage.go()
    path = stage.world.workspace.cases_file("main", "ragtester", "manual-1")
    rows = read_rows(path, CaseRow)
    write_rows(path, [rows[0].model_copy(update={"question": "Another pump?"}), *rows[1:3]])
    with pytest.raises(ChangedInputsError, match="cases ragtester/manual-1 changed") as caught:
        stage.go()
    assert "4 answer row" in str(caught.value)
    assert stage.go(overwrite=True).ledger.ok == 14 and stage.asked() == 18
    assert len(stage.rows()) == 14


def test_a_larger_matrix_and_more_cases_go_on_without_overwrite(stage: Stage, tmp_path: Path) -> None:
    stage.go()
    stage.world.set(groups=[{"llms": ["toy:a", "toy:b", "toy:c"], "embeddings": ["toy:words"]}])
    assert stage.go().ledger.ok == 24 and stage.asked() == 24
    larger = World(tmp_path, documents=3, cases=6)
    larger.settings = stage.world.settings
    assert stage.go().ledger.ok == 54 and stage.asked() == 54


def test_all_faults_of_the_case_files_at_once(stage: Stage) -> None:
    path = stage.world.workspace.cases_file("main", "ragtester", "manual-0")
    lines = path.read_text(encoding="utf-8").splitlines()
    nameless = json.loads(lines[1])
    del nameless["id"]
    lines = [lines[0], json.dumps(nameless), lines[0], "{", lines[2], lines[3].replace("manual-0-3", " ")]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    other = stage.world.workspace.cases_file("main", "ragtester", "manual-1")
    other.write_text(lines[0] + "\n", encoding="utf-8")
    stage.world.workspace.cases_file("main", "ragtester", "gone").write_text(lines[0] + "\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        stage.go()
    told = "\n".join(caught.value.faults)
    for place, reason in [
        (":2", "id"),
        (":3", "stands already at"),
        (":4", "JSON"),
        (":6", "without an id"),
        ("manual-1.jsonl:1", "stands already"),
        ("gone.jsonl", "not in documents.jsonl"),
    ]:
        assert any(place in line and reason in line for line in caught.value.faults), (place, reason, told)
    assert stage.asked() == 0


def test_a_text_that_was_changed_is_refused(stage: Stage) -> None:
    path = stage.world.workspace.text_file("main", "manual-1")
    path.write_text(path.read_text(encoding="utf-8") + "!", encoding="utf-8")
    with pytest.raises(DataError, match="manual-1"):
        stage.go()


def test_nothing_to_execute_is_said(tmp_path: Path) -> None:
    stage = Stage(World(tmp_path, cases=0))
    with pytest.raises(UsageError, match="no case"):
        stage.go()
    stage.world.set(technique="baseline")
    with pytest.raises(UsageError, match="baseline"):
        stage.go()
    write_rows(stage.world.workspace.documents_file("main"), [])
    with pytest.raises(UsageError, match="ragtester cases"):
        stage.go()


def test_an_interrupted_line_is_dropped_with_a_notice_and_made_again(stage: Stage) -> None:
    stage.go()
    before = stage.world.files()
    path = stage.world.workspace.answers_file("main", "toy:a", "toy:words", "manual-0")
    path.write_bytes(path.read_bytes()[:-40])
    assert stage.go().ledger.ok == 16
    assert stage.asked() == 17 and stage.world.files() == before
    assert any("interrupted line" in note for note in stage.progress.notes)


def test_a_full_disk_keeps_the_rows_and_the_next_start_goes_on(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    full_disk(monkeypatch, 5)
    with pytest.raises(StorageError, match="free space"):
        stage.go()
    assert len(stage.rows()) == 5
    monkeypatch.undo()
    assert stage.go().ledger.ok == 16


def test_settings_that_cannot_work_stop_the_stage_with_one_line(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(model: str, task: Any, request: Any) -> Any:
        raise UsageError(f"unknown model {model!r}")

    monkeypatch.setattr(stage.models, "ask", ask)
    with pytest.raises(UsageError, match="unknown model 'toy:"):
        stage.go()
    monkeypatch.undo()
    assert stage.go().ledger.ok == 16


def test_ctrl_c_keeps_the_rows_and_the_next_start_goes_on(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    append, count = RowWriter.append, 0

    def interrupted(self: RowWriter, row: Any) -> bytes:
        nonlocal count
        count += 1
        if count == 4:
            signal.raise_signal(signal.SIGINT)
        return append(self, row)

    monkeypatch.setattr(RowWriter, "append", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stage.go()
    kept = len(stage.rows())
    assert 4 <= kept < 16
    monkeypatch.undo()
    assert stage.go().ledger.ok == 16
    # Nothing that stood on disk was asked for again.
    assert stage.asked() <= 16 + 16 - kept


def test_systems_that_left_the_matrix_are_named(stage: Stage) -> None:
    stage.go()
    stage.world.set(groups=[{"llms": ["toy:a"], "embeddings": ["toy:words"]}])
    assert stage.go().ledger.ok == 8
    assert len(stage.rows()) == 16
    assert [note for note in stage.progress.notes if "toy-b" in note and "not in the matrix" in note]


def test_hostile_text_reaches_the_model_letter_for_letter(tmp_path: Path) -> None:
    world = World(tmp_path, documents=1, cases=1)
    path = world.workspace.cases_file("main", "ragtester", "manual-0")
    question = 'What {is} $pump %s </question> ```json {"refuses": true}``` é中?'
    write_rows(path, [read_rows(path, CaseRow)[0].model_copy(update={"question": question})])
    stage = Stage(world)
    stage.go()
    assert {request.question for _, request in stage.models.requests} == {question}
    assert {row.trace.query for row in stage.rows() if row.trace} == {question}


def test_one_store_for_the_whole_corpus(tmp_path: Path) -> None:
    stage = Stage(World(tmp_path, documents=3, index={"chunk_size": 120, "chunk_overlap": 20, "scope": "corpus"}, k=4))
    result = stage.go()
    assert result.ledger.ok == 24
    assert len(list(stage.world.workspace.stores.iterdir())) == 1
    assert set(stage.embedders[0].queries.values()) == {1} and set(stage.embedders[0].documents.values()) == {1}
    # The same sentence stands in all three manuals, so the nearest chunks come from all of them.
    found = {name.split(":")[0] for row in stage.rows() if row.trace for name in row.trace.context_ids}
    assert found == {"manual-0", "manual-1", "manual-2"}
    assert all(row.trace and row.trace.gold_ids for row in stage.rows() if row.type != "rejection")
    calls = stage.embedders[0].calls
    stage.go()
    assert stage.embedders[0].calls == calls and stage.asked() == 24


def test_a_corpus_is_asked_in_several_passes_with_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = {"chunk_size": 120, "chunk_overlap": 20, "scope": "corpus"}
    whole, parts = (Stage(World(tmp_path / name, documents=7, index=index, k=4)) for name in ("whole", "parts"))
    whole.go()
    monkeypatch.setattr("ragtester.searching.corpus.QUESTIONS_A_PASS", 5)
    parts.go()
    assert parts.world.files() == whole.world.files()
    # Four cases a document: two documents a pass.
    assert parts.embedders[0].calls == whole.embedders[0].calls + 3


def test_a_corpus_that_cannot_be_embedded_is_tried_once(tmp_path: Path) -> None:
    stage = Stage(World(tmp_path, documents=5, index={"chunk_size": 120, "chunk_overlap": 20, "scope": "corpus"}))
    stage.embedders[0].fail_after = 0
    assert stage.go().ledger.failed == 40
    assert stage.embedders[0].calls == 1


def test_calls_go_out_while_the_store_is_still_being_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = threading.Event()

    def slow_put(*arguments: Any) -> None:
        assert asked.wait(30), "no call went out before the vectors were on disk"
        put(*arguments)

    def says(*_: Any) -> None:
        asked.set()

    monkeypatch.setattr("ragtester.rag.store.put", slow_put)
    stage = Stage(World(tmp_path), RuleModels(says))
    assert stage.go().ledger.ok == 16
    monkeypatch.undo()
    calls = stage.embedders[0].calls
    stage.world.set(run="other")
    assert stage.go().ledger.ok == 16 and stage.embedders[0].calls == calls


def test_a_store_that_cannot_be_written_stops_the_stage_though_rows_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: Any) -> None:
        raise StorageError("the vector store cannot be written; free space, then start again")

    monkeypatch.setattr("ragtester.rag.store.put", no_room)
    stage = Stage(World(tmp_path))
    with pytest.raises(StorageError, match="vector store"):
        stage.go()
    monkeypatch.undo()
    assert stage.go().ledger.ok == 16
    assert max(stage.models.served.values()) == 1


class HeldModels(RuleModels):
    """Holds every reply to the first document's questions until a question of another document comes."""

    def __init__(self) -> None:
        super().__init__()
        self.other = asyncio.Event()

    async def ask(self, model: str, task: Any, request: Any) -> Any:
        if "manual-0" not in request.question:
            self.other.set()
        await asyncio.wait_for(self.other.wait(), timeout=30)
        return await super().ask(model, task, request)


def test_a_cell_does_not_wait_for_the_last_reply_of_the_one_before(tmp_path: Path) -> None:
    groups = [{"llms": ["toy:a"], "embeddings": ["toy:words"]}]
    assert Stage(World(tmp_path, documents=4, groups=groups), HeldModels()).go().ledger.ok == 16


def test_no_more_calls_wait_at_once_than_twice_the_providers_concurrency(tmp_path: Path) -> None:
    world = World(tmp_path, documents=2, cases=24, groups=[{"llms": ["toy:a"], "embeddings": ["toy:words"]}])
    data = world.settings.model_dump(mode="json")
    world.settings = parse_settings({**data, "providers": {"toy": {"concurrency": 4}}}, "test")
    stage = Stage(world)
    stage.go()
    assert 4 < stage.models.most <= 8


def test_an_abstention_is_told_from_an_answer(tmp_path: Path) -> None:
    def says(model: str, request: AnswerQuestion) -> Any:
        return (
            QuestionAnswered(answer="I don't know", refuses=model == "toy:a")
            if "variant 3" in request.question
            else None
        )

    stage = Stage(World(tmp_path), RuleModels(says))
    assert stage.go().counts["outcomes"] == {"abstained": 4, "answered": 12}

"""The closed-book control: the same questions to the same LLMs, and nothing of any document reaches them."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ragtester import Project
from ragtester.cli import app
from ragtester.errors import ChangedInputsError, UsageError
from ragtester.estimate import estimate_run
from ragtester.judgement import Judge
from ragtester.models.rendering import Renderer
from ragtester.models.replies import UnusableReply, parse
from ragtester.progress import SilentProgress, StageResult
from ragtester.records import Answer, Case, CaseRow, Failure, Manifest, Verdict
from ragtester.results import load_results
from ragtester.settings import load_settings, parse_settings
from ragtester.stages.compare.closed_book import lucky_cases
from ragtester.stages.execute import run
from ragtester.stages.judge_rows import Item, request_of
from ragtester.storage import RowWriter, read_json, read_rows, write_rows
from ragtester.tasks import ANSWER_CLOSED_BOOK, JUDGE_ANSWER, AnswerQuestion, QuestionAnswered
from tests.execute_fakes import WORDS, RuleModels, World
from tests.test_cli import TEXT
from tests.test_stage_execute_kill import CASES, DOCUMENTS, LLMS, drive, world


class TaskModels(RuleModels):
    """Also keeps which task was asked."""

    def __init__(self, says: Any = None) -> None:
        super().__init__(says)
        self.tasks: Counter[str] = Counter()

    async def ask(self, model: str, task: Any, request: Any) -> Any:
        self.tasks[task.name] += 1
        return await super().ask(model, task, request)


def no_embedder(name: str) -> Any:
    raise AssertionError(f"the control asked for the embedding model {name}")


def go(world: World, models: RuleModels, **options: Any) -> StageResult:
    return asyncio.run(run(world.workspace, world.settings.control(), models, no_embedder, SilentProgress(), **options))


def answers(world: World) -> list[Answer]:
    folder = world.workspace.answers("main.closed-book")
    return [row for path in sorted(folder.glob("*/*.jsonl")) for row in read_rows(path, Answer)]


def from_memory(model: str, request: AnswerQuestion) -> QuestionAnswered:
    return QuestionAnswered(answer=f"{model} recalls: three", refuses=False)


GROUPS = [
    {"llms": ["toy:a", "toy:b"], "embeddings": ["toy:words", "toy:other"]},
    {"llms": ["toy:b", "toy:c"], "embeddings": ["toy:words"]},
]


def test_every_llm_is_asked_every_case_once_and_sees_nothing(tmp_path: Path) -> None:
    world, models = World(tmp_path, unfilled=1, groups=GROUPS), TaskModels(from_memory)
    result = go(world, models)
    # 2 documents x (4 cases + 1 unfilled) x 3 LLMs, whatever the embedding models
    assert (result.ledger.planned, result.ledger.ok, result.ledger.unfilled) == (30, 24, 6)
    rows = answers(world)
    assert Counter((row.run, row.llm, row.embedding) for row in rows) == {
        ("main.closed-book", llm, "none"): 8 for llm in ("toy:a", "toy:b", "toy:c")
    }
    assert models.tasks == {"answer_question.closed": 24}
    assert {request.sections for _, request in models.requests} == {()}
    traces = [row.trace for row in rows if row.trace]
    assert len(traces) == 24
    assert {(one.embedding, one.index, one.k, one.retrieved, one.gold_ids, one.context_ids) for one in traces} == {
        ("none", "", 0, (), (), ())
    }
    folders = sorted(path.name for path in world.workspace.answers("main.closed-book").iterdir())
    assert folders == ["manifest.json", *(f"{name}__none" for name in sorted(slugs(rows)))]
    assert not world.workspace.stores.exists()


def slugs(rows: list[Answer]) -> set[str]:
    from ragtester.workspace import slug

    return {slug(row.llm) for row in rows}


def test_a_second_start_asks_nothing_and_a_lost_row_is_made_alone(tmp_path: Path) -> None:
    world = World(tmp_path)
    go(world, TaskModels(from_memory))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")}
    again = TaskModels(from_memory)
    go(world, again)
    assert again.tasks == {}
    path = sorted(world.workspace.answers("main.closed-book").glob("*/*.jsonl"))[0]
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:1] + lines[2:]))
    third = TaskModels(from_memory)
    go(world, third)
    assert third.tasks == {"answer_question.closed": 1}
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")} == before


def test_stopped_at_any_row_it_goes_on_without_paying_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, cut = World(tmp_path / "whole"), World(tmp_path / "cut")
    go(whole, TaskModels(from_memory))
    append, left = RowWriter.append, [5]

    def stopping(self: RowWriter, row: Any) -> bytes:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return append(self, row)

    monkeypatch.setattr(RowWriter, "append", stopping)
    with pytest.raises(KeyboardInterrupt):
        go(cut, TaskModels(from_memory))
    monkeypatch.setattr(RowWriter, "append", append)
    rest = TaskModels(from_memory)
    go(cut, rest)
    assert rest.tasks["answer_question.closed"] == 16 - 5
    assert [row.model_dump() for row in answers(cut)] == [row.model_dump() for row in answers(whole)]


def test_retrieval_settings_do_not_reach_the_control_and_the_question_does(tmp_path: Path) -> None:
    world = World(tmp_path, documents=1)
    go(world, TaskModels(from_memory))
    world.set(k=5, index={"chunk_size": 300, "chunk_overlap": 0, "scope": "corpus"})
    same = TaskModels(from_memory)
    go(world, same)
    assert same.tasks == {}
    path = world.workspace.cases_file("main", "ragtester", "manual-0")
    rows = read_rows(path, CaseRow)
    write_rows(path, [rows[0].model_copy(update={"question": "What else?"}), *rows[1:]])
    with pytest.raises(ChangedInputsError, match=r"main\.closed-book"):
        go(world, TaskModels(from_memory))
    changed = TaskModels(from_memory)
    go(world, changed, overwrite=True)
    assert changed.tasks == {"answer_question.closed": 2}  # one question, two LLMs


def test_failures_and_refusals_are_rows(tmp_path: Path) -> None:
    def says(model: str, request: AnswerQuestion) -> Any:
        if model == "toy:a":
            return Failure(type="quota", message="no money left")
        return QuestionAnswered(answer="I don't know", refuses=True) if WORDS[0] in request.question else None

    world = World(tmp_path, documents=1)
    result = go(world, TaskModels(says))
    outcomes = Counter((row.llm, row.outcome) for row in answers(world))
    # the toy model refuses by itself where it gets no section
    assert outcomes == {("toy:a", "failed"): 4, ("toy:b", "abstained"): 4}
    assert (result.ledger.failed, result.exit_code) == (4, 3)


def test_names_of_the_control_are_refused_in_settings() -> None:
    with pytest.raises(UsageError, match="ends the name of a run's control"):
        parse_settings({"execute": {"run": "a.closed-book"}}, "test")
    with pytest.raises(UsageError, match="'none' is no embedding model"):
        parse_settings({"execute": {"groups": [{"llms": ["toy:a"], "embeddings": ["none"]}]}}, "test")


@pytest.mark.parametrize("reply_format", ["json", "text"])
def test_the_prompt_asks_for_memory_and_names_no_section(reply_format: Any) -> None:
    request = AnswerQuestion(
        language="en", question="Who </question> rules?", sections=(), reply_format=reply_format, refusals=("No idea",)
    )
    system, user = Renderer(None).render(ANSWER_CLOSED_BOOK, request)
    assert user == "<question>\nWho \u2039/question> rules?\n</question>\n"
    assert "from what you know" in system
    assert '"No idea"' in system
    assert ("JSON" in system) == (reply_format == "json")
    assert "<section" not in system + user


@pytest.mark.parametrize(
    ("raw", "answer", "refuses"),
    [
        ('{"answer": "Paris", "refuses": false, "cited": []}', "Paris", False),
        ('```json\n{"answer": "Paris", "refuses": false}\n```', "Paris", False),
        ('{"answer": "I don\'t know", "refuses": true, "cited": []}', "I don't know", True),
        ("I don't know.", "I don't know.", True),
        ('<think>Hm.</think>{"answer": "1992", "refuses": false, "cited": null}', "1992", False),
    ],
)
def test_json_replies(raw: str, answer: str, refuses: bool) -> None:
    request = AnswerQuestion(language="en", question="?", sections=())
    reply = parse(raw, ANSWER_CLOSED_BOOK, request)
    assert (reply.answer, reply.refuses, reply.cited) == (answer, refuses, ())


def test_plain_replies_keep_their_brackets() -> None:
    request = AnswerQuestion(language="en", question="?", sections=(), reply_format="text")
    assert parse("Signed in Maastricht [1992].", ANSWER_CLOSED_BOOK, request).answer == "Signed in Maastricht [1992]."
    assert parse("I don't know", ANSWER_CLOSED_BOOK, request).refuses
    with pytest.raises(UnusableReply):
        parse("", ANSWER_CLOSED_BOOK, request)


def test_the_judge_gets_no_evidence_and_is_told_what_decides(tmp_path: Path) -> None:
    world = World(tmp_path, documents=1)
    go(world, TaskModels(from_memory))
    case = next(row for row in read_rows(world.workspace.cases_file("main", "ragtester", "manual-0"), CaseRow))
    assert case.status == "ok"
    judge = Judge(model="toy:judge", prompt_sha256="p", pass_mean=0.5, refusals=("I don't know",))
    request = request_of(Item(answers(world)[0], case, (), (), "k"), judge)
    _, user = Renderer(None).render(JUDGE_ANSWER, request)
    assert "<evidence>\n(none retrieved: judge by the expected answer alone)\n</evidence>" in user


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_killed_at_any_moment_it_goes_on_where_it_was(tmp_path: Path) -> None:
    whole, killed, log = tmp_path / "whole", tmp_path / "killed", tmp_path / "served.log"
    world(whole)
    world(killed)
    assert drive(whole, tmp_path / "whole.log", "never", "closed") == 0
    kills = sum(drive(killed, log, when, "closed") != 0 for when in ("event:11", "event:40"))
    assert kills == 2
    assert drive(killed, log, "never", "closed") == 0
    made, expected = (sorted((root / "answers/main.closed-book").rglob("*.jsonl")) for root in (killed, whole))
    assert [path.read_bytes() for path in made] == [path.read_bytes() for path in expected]
    served = Counter(log.read_text(encoding="utf-8").splitlines())
    assert len(served) == DOCUMENTS * CASES * LLMS
    # a reply and its row are one step: a kill can fall between the two only once
    assert served.total() - len(served) <= kills


# The command line, on models that reply from a file


def script(path: Path, **replies: Any) -> None:
    path.write_text(json.dumps(replies), encoding="utf-8")


@pytest.fixture
def space(tmp_path: Path) -> Path:
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "boiler.md").write_text(TEXT, encoding="utf-8")
    (tmp_path / "ragtester.toml").write_text(
        '[cases]\nper_document = 4\n\n[[execute.groups]]\nllms = ["embedded:rules"]\n'
        'embeddings = ["embedded:hashing"]\n',
        encoding="utf-8",
    )
    return tmp_path


def test_run_makes_the_control_after_the_run_and_says_what_it_means(space: Path) -> None:
    done = CliRunner().invoke(app, ["run", "--closed-book", "-w", str(space), "-q"])
    assert done.exit_code == 0, done.output
    lines = [line.split(":")[0] for line in done.stdout.splitlines() if " planned = " in line]
    assert lines == ["cases", "execute", "judge", "execute (closed book)", "judge (closed book)"]
    assert "embedded:rules 0/" in done.stdout
    assert "the control means nothing for it" in done.stdout
    assert "the embedded engine has no memory" in done.stderr
    verdicts = [row for path in space.glob("verdicts/main.closed-book/*/*.jsonl") for row in read_rows(path, Verdict)]
    assert {row.decided_by for row in verdicts} == {"refusal"}
    assert {(row.status, row.type == "rejection") for row in verdicts} == {("fail", False), ("pass", True)}
    assert {(row.run, row.embedding) for row in verdicts} == {("main.closed-book", "none")}


def test_execute_and_judge_make_the_control_alone_and_leave_the_run(space: Path) -> None:
    project = Project(space)
    project.run()
    before = {path: path.read_bytes() for path in space.glob("*s/main/*/*.jsonl")}
    assert len(before) > 2
    for command in ("execute", "judge"):
        done = CliRunner().invoke(app, [command, "--closed-book", "-w", str(space), "-q"])
        assert done.exit_code == 0, done.output
        assert done.stdout.startswith(f"{command} (closed book): ")
    assert {path: path.read_bytes() for path in space.glob("*s/main/*/*.jsonl")} == before
    made = read_json(space / "answers" / "main.closed-book" / "manifest.json", Manifest)
    assert made is not None
    assert list(made.models) == ["embedded:rules"]


def test_judging_a_control_that_was_not_executed_is_refused_with_the_reason(space: Path) -> None:
    project = Project(space)
    project.run()
    with pytest.raises(UsageError, match=r"main\.closed-book: no answers; run `ragtester execute --closed-book`"):
        project.judge(closed_book=True)


def test_the_estimate_counts_the_control_without_sections(space: Path) -> None:
    project = Project(space, ["execute.closed_book=true"])
    lines = {line.stage: line for line in estimate_run(project.workspace, project.settings).lines}
    assert lines["execute: closed book"].calls == lines["execute"].calls == 8
    assert lines["judge: closed book"].calls == 8
    # a question of 30 tokens under instructions of 350, and no section
    assert lines["execute: closed book"].prompt_tokens == 8 * (350 + 30)
    plain = estimate_run(project.workspace, load_settings(space))
    assert not any("closed book" in line.stage for line in plain.lines)


def test_what_an_llm_knows_by_heart_comes_out_as_a_lucky_pass(space: Path) -> None:
    Project(space).cases()
    rows = [row for path in space.glob("generated/main/*/*.jsonl") for row in read_rows(path, CaseRow)]
    known = next(row for row in rows if isinstance(row, Case) and row.type != "rejection")
    refusal = {"answer": "I don't know", "refuses": True, "cited": []}
    recall = refusal | {"answer": known.expected_answer, "refuses": False}
    lines = [
        {"task": "answer_question.closed", "contains": known.question, "reply": recall},
        {"task": "answer_question.closed", "contains": "<question>", "reply": refusal},
        {"task": "answer_question", "contains": "<sections>", "reply": refusal},
    ]
    (space / "memory.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    project = Project(space, ['execute.groups=[{llms=["scripted:memory.jsonl"], embeddings=["embedded:hashing"]}]'])
    project.execute()
    project.judge()
    project.execute(closed_book=True)
    project.judge(closed_book=True)
    found = load_results(project.workspace, ["main"])
    assert lucky_cases(found) == {("main", "scripted:memory.jsonl", known.id)}
    assert {row.gold for row in found.closed_book} == {0}
    # what the closed book knows does not reach the run itself, where the model refuses everything
    assert {row.outcome for row in found.open_book} == {"abstained"}

"""The whole pipeline with a real language model as system under test: llama.cpp's server with SmolLM2-135M.

Nothing here depends on how good the model is: what is asserted holds for any model that answers at all. A system by
rule stands beside it in the matrix, so that there are abstentions for sure.
"""

from __future__ import annotations

from collections import Counter

import pytest

from ragtester import Project
from ragtester.progress import StageResult
from ragtester.records import Answer, Case, Chunk, Verdict
from ragtester.storage import iter_rows
from tests.servers.llama import llama_server

pytestmark = pytest.mark.slow

SMALL = "openai:smollm2"
RULES = "embedded:rules"
MAX_TOKENS = 40
SETTINGS = """
[cases]
technique = "ragtester"
per_document = 4

[cases.shares]
complexity = 0.5
rejection = 0.5
coverage = 0.0

[execute]
k = 2
[[execute.groups]]
llms = ["{small}", "embedded:rules"]
embeddings = ["embedded:wordllama"]
[execute.index]
chunk_size = 300
chunk_overlap = 0

[models."{small}"]
base_url = "{url}"
reply_format = "text"
temperature = 0.0
max_tokens = {max_tokens}
context_window = 2048

[providers.openai]
concurrency = 1
timeout_seconds = 300
"""
DOCUMENTS = {
    "lifeboat.txt": """The lifeboat Marigold is 14 metres long. Its crew consists of seven people.

The engine of the Marigold is checked every 12 days. The fuel tank holds 640 litres.

The siren of the station sounds for 30 seconds. The slipway was built in 1934.

The station is closed on 24 December. Visitors must wear a helmet because ropes may break.
""",
    "orchard.txt": """The orchard of Hollin Farm covers 18 hectares. The oldest pear tree was planted in 1887.

The cider press processes 900 kilograms an hour. The juice is heated to 72 degrees.

The cold store is kept at 3 degrees. Its door must be closed within 40 seconds.

The harvest begins on 28 August. Pickers receive 11.50 pounds an hour.
""",
}
Key = tuple[str, str]


class Finished:
    """A run that is done: its stages' results and every row it wrote."""

    def __init__(self, project: Project, stages: list[StageResult]) -> None:
        self.stages = {stage.stage: stage for stage in stages}
        self.cases = {row.id: row for row in project.iter_cases() if isinstance(row, Case)}
        self.answers = {(row.case_id, row.llm): row for row in project.iter_answers()}
        self.verdicts = {(row.case_id, row.llm): row for row in project.iter_verdicts()}
        folder = project.workspace.answers(project.settings.execute.run) / "chunks"
        chunks = (chunk for path in sorted(folder.glob("*.jsonl")) for chunk in iter_rows(path, Chunk))
        self.chunks: dict[str, Chunk] = {chunk.id: chunk for chunk in chunks}

    def of(self, llm: str) -> list[tuple[Case, Answer, Verdict]]:
        """Case, answer and verdict of one model, case by case."""
        return [(self.cases[a.case_id], a, self.verdicts[key]) for key, a in self.answers.items() if key[1] == llm]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """Two short documents, run once for all tests of this module."""
    root = tmp_path_factory.mktemp("real")
    (root / "corpora").mkdir()
    for name, text in DOCUMENTS.items():
        (root / "corpora" / name).write_text(text, encoding="utf-8")
    with llama_server(context=2048) as url:
        settings = SETTINGS.format(small=SMALL, url=url, max_tokens=MAX_TOKENS)
        (root / "ragtester.toml").write_text(settings, encoding="utf-8")
        project = Project(root)
        return Finished(project, project.run())


def test_every_case_has_one_answer_and_one_verdict_a_system(finished: Finished) -> None:
    assert len(finished.cases) >= 5
    planned = {(case, llm) for case in finished.cases for llm in (SMALL, RULES)}
    assert set(finished.answers) == planned
    assert set(finished.verdicts) == planned


def test_the_ledgers_add_up_to_what_the_rows_say(finished: Finished) -> None:
    execute, judge = finished.stages["execute"].ledger, finished.stages["judge"].ledger
    outcomes = Counter(row.outcome for row in finished.answers.values())
    states = Counter(row.status for row in finished.verdicts.values())
    assert execute.planned == execute.ok + execute.failed + execute.skipped + execute.unfilled
    assert execute.ok + execute.failed == len(finished.answers)
    assert execute.failed == outcomes["failed"]
    assert judge.planned == len(finished.answers)
    assert states["ungraded"] == outcomes["failed"] + outcomes["refused"]
    assert judge.ok == states["pass"] + states["fail"]


def test_every_answer_of_the_model_has_its_account(finished: Finished) -> None:
    for _, answer, _ in finished.of(SMALL):
        call = answer.call
        assert call is not None
        assert (call.model, call.served_model) == (SMALL, "smollm2")
        assert call.prompt_tokens is not None
        assert call.prompt_tokens > 100, "rules, two sections and a question"
        assert call.completion_tokens is not None
        assert 0 < call.completion_tokens <= MAX_TOKENS * call.attempts
        assert call.seconds is not None
        assert call.seconds > 0
        cut = answer.failure is not None and answer.failure.type == "truncated"
        assert call.finish_reason == ("length" if cut else "stop")
        assert call.cost is None, "nobody knows a price"


def test_a_cut_reply_is_a_failure_that_keeps_its_text(finished: Finished) -> None:
    for _, answer, verdict in finished.of(SMALL):
        if answer.call is None or answer.call.finish_reason != "length":
            continue
        assert answer.outcome == "failed"
        assert answer.failure is not None
        assert answer.failure.type == "truncated"
        assert answer.call.raw
        assert (verdict.status, verdict.mean, verdict.decided_by) == ("ungraded", None, "answer_failed")


def test_the_rules_call_no_server(finished: Finished) -> None:
    for _, answer, _ in finished.of(RULES):
        assert answer.call is not None
        assert answer.call.seconds is None


def test_contexts_are_chunks_of_the_document_and_gold_holds_the_evidence(finished: Finished) -> None:
    for case, answer, _ in finished.of(SMALL):
        assert answer.trace is not None
        assert 0 < len(answer.trace.context_ids) <= 2
        for name in (*answer.trace.context_ids, *answer.trace.gold_ids):
            assert finished.chunks[name].document_id == case.document_id
        overlapping = {
            chunk.id
            for chunk in finished.chunks.values()
            if chunk.document_id == case.document_id
            and any(chunk.start < part.end and part.start < chunk.end for part in case.evidence)
        }
        assert set(answer.trace.gold_ids) == (set() if case.type == "rejection" else overlapping)
        assert set(answer.cited) <= set(answer.trace.context_ids)
        assert not set(answer.unknown_citations) & set(answer.trace.context_ids)


def test_both_models_saw_the_same_context(finished: Finished) -> None:
    for case in finished.cases:
        small, rules = finished.answers[case, SMALL].trace, finished.answers[case, RULES].trace
        assert small == rules


def test_rejection_cases_pass_by_abstaining_and_fail_by_answering(finished: Finished) -> None:
    seen: Counter[str] = Counter()
    for llm in (SMALL, RULES):
        for case, answer, verdict in finished.of(llm):
            if case.type != "rejection" or verdict.ratings is None:
                continue
            seen[answer.outcome] += 1
            if answer.outcome == "abstained":
                assert (verdict.status, verdict.mean, verdict.decided_by) == ("pass", 1.0, "refusal")
            elif answer.outcome == "answered":
                assert verdict.status == "fail", answer.answer
                assert verdict.ratings.faithfulness == "false"
    assert seen["abstained"] > 0


def test_answerable_cases_pass_the_keyword_match_with_the_number_alone(finished: Finished) -> None:
    seen: Counter[bool] = Counter()
    for case, answer, verdict in (*finished.of(SMALL), *finished.of(RULES)):
        if case.type == "rejection" or answer.outcome != "answered" or not case.keywords:
            continue
        assert verdict.ratings is not None
        held = all(keyword.casefold() in answer.answer.casefold() for keyword in case.keywords)
        seen[held] += 1
        if held:
            assert verdict.ratings.keyword_match == "true"
            assert verdict.missing_keywords == ()
        else:
            assert set(verdict.missing_keywords) <= set(case.keywords)
        if not verdict.missing_keywords:
            assert verdict.ratings.keyword_match == "true"
    assert seen[True] > 0


def test_abstaining_from_an_answerable_question_fails(finished: Finished) -> None:
    for case, answer, verdict in (*finished.of(SMALL), *finished.of(RULES)):
        if case.type != "rejection" and answer.outcome == "abstained":
            assert (verdict.status, verdict.decided_by) == ("fail", "refusal")


def test_the_small_models_failures_are_found(finished: Finished) -> None:
    """A model of 135 million parameters makes some up: an oracle that passes everything would not notice."""
    assert any(verdict.status == "fail" for _, _, verdict in finished.of(SMALL))

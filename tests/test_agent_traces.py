"""Traces of other agents: three formats, read strictly, and audited like our own answers."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from ragtester import Project
from ragtester.cli import app
from ragtester.errors import ChangedInputsError, DataError, UsageError
from ragtester.interchange import read_agent_traces
from ragtester.records import AnswerCoverage
from ragtester.stages.coverage import ForeignAnswer, Wanted
from ragtester.storage import read_rows
from ragtester.workspace import Workspace
from tests.coverage_fakes import Judge, audit, case, found, rows

DATA = Path(__file__).parent / "data" / "agent_traces"
WINDOW = "The refund window of annual plans is 30 days."


def read(path: Path, form: str = "auto") -> tuple[list[ForeignAnswer], list[str]]:
    answers, notes = read_agent_traces(path, form)
    return list(answers), list(notes)


def faults(path: Path, form: str = "auto") -> list[str]:
    with pytest.raises(DataError) as refused:
        read_agent_traces(path, form)
    return [line.strip().removeprefix(f"{path}:").strip() for line in str(refused.value).splitlines()[1:]]


def lines(tmp_path: Path, *values: Any) -> Path:
    path = tmp_path / "traces.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def call(**changes: Any) -> dict[str, Any]:
    return {"callId": "c1", "tool": "t", "query": "q", "rawResultIds": ["a", "b"], "resultSetSize": 2} | changes


# JSON Lines of tool calls


def test_tool_calls_of_a_question_are_one_answer() -> None:
    (one, two, three), notes = read(DATA / "calls.jsonl")
    assert (one.identity, one.model, one.answer, one.cited) == ("q1", "agent-1", WINDOW, ("d9",))
    assert [(made.call_id, made.raw_ids, made.result_set_size) for made in one.calls] == [
        ("c7", ("d1", "d4", "d9", "d14"), 41),
        ("c8", ("d9", "d22"), 2),
    ]
    assert one.stated == {"d14": "about monthly plans"}
    assert one.texts["d4"] == "Refunds are paid to the card."
    assert (two.identity, two.answer, two.cited, two.calls[0].raw_ids) == ("c9", None, ("d77",), ())
    assert (three.identity, three.calls) == ("q3", ())
    assert notes == [
        "calls.jsonl: read as calls",
        "calls.jsonl: without any search, and so without results: 1 answer",
        (
            "calls.jsonl: 1 search found more than the trace names (37 results without an id); coverage is of those "
            "that are named"
        ),
    ]


def test_tool_calls_are_audited_with_what_they_tell(tmp_path: Path) -> None:
    traces, notes = read_agent_traces(DATA / "calls.jsonl")
    verdicts = {(WINDOW, "d9"): "supported", (WINDOW, "d1"): "contradicted"}
    space = Workspace(tmp_path)
    audit(space, Judge({WINDOW: [(WINDOW, ("d9",))]}, verdicts), Wanted(traces, {"traces": "0"}, notes))
    one, two, three = rows(space)
    # five results of two searches, each once; one is cited
    assert (one.raw_ids, one.coverage, one.result_set_size) == (("d1", "d4", "d9", "d14", "d22"), 0.2, 43)
    assert (one.supporting_ids, one.supported_coverage) == (("d9",), 0.2)
    assert {each.id: each.reason for each in one.excluded} == {
        "d1": "",
        "d4": "",
        "d14": "about monthly plans",
        "d22": "",
    }
    assert [(each.chunk_id, each.mentioned, each.in_context) for each in one.contradictions] == [("d1", False, None)]
    assert (one.technique, one.llm, one.not_told) == ("imported", "agent-1", ("texts",))
    assert (two.status, two.unknown_ids, two.not_told) == ("no_results", ("d77",), ("answer",))
    assert (three.status, three.coverage) == ("no_results", None)
    result = found(space)
    assert (result.source, result.unknown_citations, result.no_results) == ("traces", 1, 2)
    assert result.not_told == {"answer": 1, "citations": 1, "texts": 1}
    assert result.hiding_in_context is not None and result.hiding_in_context.n == 0


def test_a_trace_without_words_gives_coverage_and_nothing_about_claims(tmp_path: Path) -> None:
    path = lines(tmp_path, call(citedIds=["a"]))
    traces, notes = read_agent_traces(path)
    judge = Judge({})
    space = Workspace(tmp_path / "w")
    audit(space, judge, Wanted(traces, {}, notes))
    (row,) = rows(space)
    assert (row.coverage, row.supported_coverage, row.claims, row.judge) == (0.5, None, None, "")
    assert (row.not_told, row.silent_ids, judge.asked) == (("answer", "texts"), ("b",), [])
    result = found(space)
    assert (result.coverage.value, result.hiding.n, result.padded.n, result.judge) == (0.5, 0, 0, "")


def test_an_answer_in_brackets_tells_what_it_cites(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        call(questionId="q1", answer="Yes [a]. It is so (c1)."),
        call(callId="c2", questionId="q2", answer="No."),
    )
    one, two = read(path)[0]
    assert (one.cited, two.cited) == (("a",), ())
    silent = lines(tmp_path, call(questionId="q1", answer="Yes."))
    assert read(silent)[0][0].cited is None, "an agent that never names an id does not tell what it cites"


def test_faults_of_tool_calls_come_all_at_once_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    texts = [
        json.dumps(call(resultSetSize=-1)),
        json.dumps(call(callId="c2", resultSetSize=1)),
        json.dumps(call(callId="c2")),
        "{not json",
        json.dumps(["a list"]),
        json.dumps(call(callId="c3", rawResultIds="a", resultSetSize=-2)),
        json.dumps({"callId": "c4", "tool": "t"}),
        json.dumps(call(callId="c5", rawResultIds=["a", "a"], resultSetSize=2)),
        json.dumps(call(callId="c6", excluded=[{"id": "z", "reason": "far"}])),
        json.dumps(call(callId="c7", excludedNoReason=["z"])),
        json.dumps(call(callId="c8", citedIds=["a"], excludedNoReason=["a"])),
        json.dumps(call(callId="c9", resultSetSize="2")),
        json.dumps({"tool": "t"}),
        '{"callId": "c10", "rawResultIds": [], "resultSetSize": NaN}',
    ]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    expected = [
        "1: resultSetSize: -1 is below 0",
        "2: resultSetSize: 1, and 2 results are named",
        "3: callId: c2 stands already at 2",
        "4: not valid JSON: Expecting property name enclosed in double quotes",
        "5: not an object",
        "6: rawResultIds: a list of ids (texts) is wanted",
        "6: resultSetSize: -2 is below 0",
        "7: missing: rawResultIds (an empty list where the search found nothing)",
        "8: rawResultIds: a stands twice",
        "9: excluded: z is in no result of c6",
        "10: excludedNoReason: z is not among the call's results",
        "11: excludedNoReason: a is cited by the same call",
        "12: resultSetSize: a whole number is wanted, not '2'",
        "13: missing: callId (or questionId, for a line that tells of an answer alone)",
        "14: not valid JSON: NaN is no number; leave out what is undefined, or write null",
    ]
    assert faults(path) == faults(path, "calls") == expected


# OpenTelemetry


def test_spans_become_an_answer_a_trace() -> None:
    (one,), notes = read(DATA / "spans.json")
    assert (one.question, one.answer) == (
        "How long is the refund window of annual plans?",
        "The refund window of annual plans is 30 days [policy-2026].",
    )
    assert (one.model, one.cited) == ("gpt-test", ("policy-2026",))
    # by time: the retrieval span began before the tool's
    assert [(made.call_id, made.tool, made.query, made.raw_ids, made.result_set_size) for made in one.calls] == [
        ("a000000000000002", "kb", "refund", ("faq-3",), 1),
        ("call_1", "search_docs", "refund window annual", ("policy-2024", "policy-2026"), 17),
    ]
    assert one.texts["policy-2024"] == "The refund window of annual plans is 14 days."
    assert notes[:2] == [
        "spans.json: read as otel",
        "1 tool call gave no list of documents and count as no search",
    ]


def test_spans_without_wrappers_and_a_line_each_are_the_same(tmp_path: Path) -> None:
    def span(name: str, start: int, **attributes: Any) -> dict[str, Any]:
        told = {key.replace("__", "."): value for key, value in attributes.items()}
        return {"trace_id": "t1", "span_id": name, "start_time_unix_nano": start, "attributes": told}

    path = lines(
        tmp_path,
        span("s2", 2, gen_ai__operation__name="retrieval", gen_ai__retrieval__documents='[{"id": 7}]'),
        span(
            "s1",
            1,
            gen_ai__operation__name="chat",
            gen_ai__response__model="m",
            gen_ai__input__messages=[{"role": "user", "content": "Why?"}],
            gen_ai__output__messages=[{"role": "assistant", "content": "Because (7)."}],
            ragtester__cited_ids=["7"],
        ),
    )
    (one,), _ = read(path)
    assert (one.question, one.answer, one.model, one.cited) == ("Why?", "Because (7).", "m", ("7",))
    assert one.calls[0].raw_ids == ("7",)


def test_an_exporter_that_writes_a_batch_a_line_is_read(tmp_path: Path) -> None:
    whole = json.loads((DATA / "spans.json").read_text(encoding="utf-8"))
    assert [one.identity for one in read(lines(tmp_path, whole))[0]] == ["5b8aa5a2d2c872e8321cf37308d69df2"]


def test_faults_of_spans_name_their_path(tmp_path: Path) -> None:
    spans: list[Any] = [
        {"spanId": "s1", "attributes": []},
        {"traceId": "t", "spanId": "s2", "attributes": [{"key": "a"}]},
        {"traceId": "t", "spanId": "s3", "attributes": {}, "startTimeUnixNano": "yesterday"},
        {"traceId": "t", "spanId": "s3", "attributes": {}},
        "no object",
        {
            "traceId": "t",
            "spanId": "s4",
            "attributes": {
                "gen_ai.operation.name": "retrieval",
                "gen_ai.retrieval.documents": [{"id": "a"}, {"text": "without an id"}],
            },
        },
    ]
    path = tmp_path / "bad.json"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}), encoding="utf-8")
    place = "resourceSpans[0].scopeSpans[0].spans"
    assert faults(path) == [
        f"{place}[0]: missing: traceId",
        f'{place}[1].attributes[0]: {{"key": "…", "value": {{…}}}} is wanted',
        f"{place}[2]: startTimeUnixNano: 'yesterday' is no time",
        f"{place}[3]: spanId: s3 stands already at {place}[2]",
        f"{place}[4]: not an object",
        (
            f"{place}[5]: gen_ai.retrieval.documents[1]: a result without an id "
            "(id, chunk_id, chunkId, document_id, or in its metadata)"
        ),
    ]


# LangSmith


def test_runs_become_an_answer_a_tree() -> None:
    (one, two), notes = read(DATA / "runs.json")
    assert (one.question, one.answer) == ("How long is the refund window of annual plans?", WINDOW)
    assert (one.model, one.cited) == ("gpt-test", ("p26",))
    assert [(made.tool, made.query, made.raw_ids) for made in one.calls] == [
        ("VectorStoreRetriever", "refund window", ("p24", "p26"))
    ]
    assert one.texts["p26"] == WINDOW
    assert (two.question, two.answer) == ("When is the office open?", "From nine to five.")
    # the retriever within the tool found what the tool gave: one search
    assert [(made.tool, made.query, made.raw_ids) for made in two.calls] == [("search_docs", "opening hours", ("h1",))]
    assert two.cited is None
    assert notes == ["runs.json: read as langsmith", "1 tool run gave no list of documents and count as no search"]


def test_faults_of_runs_name_their_place(tmp_path: Path) -> None:
    runs: list[Any] = [
        {"run_type": "chain", "inputs": {}},
        {"id": "r1", "run_type": "agent"},
        {"id": "r2", "run_type": "chain", "inputs": [], "outputs": {}},
        {"id": "r3", "run_type": "retriever", "inputs": {}, "outputs": {"documents": [{"page_content": "no id"}]}},
        {"id": "r3", "run_type": "chain"},
        {"id": "r5", "run_type": "chain", "parent_run_id": "r6"},
        {"id": "r6", "run_type": "chain", "parent_run_id": "r5"},
    ]
    path = tmp_path / "bad.json"
    path.write_text(json.dumps({"runs": runs}), encoding="utf-8")
    assert faults(path) == [
        "runs[0]: missing: id",
        "runs[1]: run_type: 'agent'; one of tool, chain, llm, retriever, embedding, prompt, parser",
        "runs[2]: inputs and outputs: objects are wanted",
        "runs[4]: id: r3 stands already at runs[3]",
        "runs[6]: parent_run_id: r5 is below this run itself",
        "runs[5]: parent_run_id: r6 is below this run itself",
        "runs[3]: no document of the retriever has an id (in it or in its metadata)",
    ]


# The file as a whole


def test_a_file_that_is_none_of_them(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n", encoding="utf-8")
    with pytest.raises(DataError, match="no trace in it"):
        read_agent_traces(empty)
    with pytest.raises(DataError, match="neither tool calls"):
        read_agent_traces(lines(tmp_path, {"x": 1}))
    with pytest.raises(DataError, match="read as langsmith, and no answer or search in it"):
        read_agent_traces(lines(tmp_path, {"id": "a", "run_type": "prompt"}), "langsmith")
    with pytest.raises(UsageError, match="--format csv: one of auto, calls, otel, langsmith"):
        read_agent_traces(DATA / "calls.jsonl", "csv")
    with pytest.raises(UsageError, match="no such file"):
        read_agent_traces(tmp_path / "absent.jsonl")
    half = tmp_path / "half.jsonl"
    half.write_text('{"callId": "\\ud800", "rawResultIds": []}\n', encoding="utf-8")
    assert faults(half) == ["it holds a half of a surrogate pair, which is no character"]


def test_a_question_of_the_suite_takes_its_document(tmp_path: Path) -> None:
    from ragtester.stages.coverage.foreign import foreign_answers
    from tests.coverage_fakes import QUESTION

    one = ForeignAnswer("c1", "1", (), question=QUESTION, answer="30 days")
    other = ForeignAnswer("c1", "2", (), question="Another question?", answer="30 days")
    known = {"c1": case(1, "d9", type="coverage")}
    first, second = foreign_answers([one, other], "r", known, ("I don't know",))
    assert (first.identity.document_id, first.identity.type) == ("d9", "coverage")
    assert (second.identity.document_id, second.identity.type) == ("", "baseline")


@pytest.mark.parametrize("name", ["calls.jsonl", "spans.json", "runs.json"])
def test_each_format_goes_through_the_command_and_again(name: str, tmp_path: Path) -> None:
    arguments = ["audit", "coverage", "-w", str(tmp_path), "-q", "--traces", str(DATA / name)]
    first = CliRunner().invoke(app, arguments)
    assert first.exit_code == 0, first.output
    run = Path(name).stem
    assert f"Output audit of run {run}" in first.output
    path = tmp_path / "verdicts" / run / "coverage" / "answers.jsonl"
    before = path.read_bytes()
    # every retrieved text that gives 14 days stands against the answer, and none of the answers says so
    hidden = [one.chunk_id for row in read_rows(path, AnswerCoverage) for one in row.hidden]
    assert hidden == {"calls": ["d1"], "spans": ["policy-2024"], "runs": ["p24"]}[run]
    again = CliRunner().invoke(app, arguments)
    assert (again.exit_code, path.read_bytes()) == (0, before)
    estimated = CliRunner().invoke(app, [*arguments, "--estimate"])
    assert estimated.exit_code == 0, estimated.output


def test_traces_of_another_file_under_the_same_name_are_refused(tmp_path: Path) -> None:
    project = Project(tmp_path, ["execute.run=mine"])
    project.audit_coverage(traces=DATA / "calls.jsonl")
    assert project.coverage_result() is not None
    with pytest.raises(ChangedInputsError, match="from other inputs: the answers, the traces"):
        project.audit_coverage(traces=DATA / "runs.json")
    wrong = CliRunner().invoke(app, ["audit", "coverage", "-w", str(tmp_path), "--ab", "--traces", "x"])
    assert wrong.exit_code == 2


# Hostile files

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 99) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "text", "values"]), inner),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place within a JSON value."""
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from places(inner, (*path, key))


SAMPLES: dict[str, Any] = {
    "calls": [json.loads(line) for line in (DATA / "calls.jsonl").read_text(encoding="utf-8").splitlines()],
    "otel": json.loads((DATA / "spans.json").read_text(encoding="utf-8")),
    "langsmith": json.loads((DATA / "runs.json").read_text(encoding="utf-8")),
}


@pytest.mark.parametrize("form", list(SAMPLES))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_value_in_the_wrong_place_is_a_fault_or_is_let_through(form: str, data: Any, tmp_path: Path) -> None:
    value = copy.deepcopy(SAMPLES[form])
    where = data.draw(st.sampled_from(list(places(value))[1:]))
    inner = value
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] = data.draw(VALUES)
    path = tmp_path / "traces.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    try:
        read_agent_traces(path, form)
    except DataError as refused:
        assert str(path) in str(refused)


def test_runs_nested_without_end_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    run = '{"id": "r%d", "run_type": "chain", "child_runs": ['
    deep = 2000
    path.write_text("".join(run % at for at in range(deep)) + "]}" * deep, encoding="utf-8")
    with pytest.raises(DataError):
        read_agent_traces(path, "langsmith")

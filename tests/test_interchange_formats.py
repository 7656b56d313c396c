"""Files as the tools write them: what is read of them, what is told as dropped, and every fault at once."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from ragtester.errors import DataError, RagtesterError, UsageError
from ragtester.interchange import yaml_files
from ragtester.interchange.files import csv_text
from ragtester.interchange.formats import ForeignFile, read_file
from tests.interchange_suite import DATA, FERRY

CROSSING = FERRY[:81]


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("name", "format_", "records"),
    [
        ("ragas_testset.csv", "ragas", 3),
        ("ragas_testset.jsonl", "ragas", 3),
        ("ragas_results.csv", "ragas", 3),
        ("ragas_0.1_testset.csv", "ragas", 2),
        ("deepeval_goldens.json", "deepeval", 3),
        ("deepeval_goldens.jsonl", "deepeval", 3),
        ("deepeval_test_run.json", "deepeval", 3),
        ("promptfoo_tests.yaml", "promptfoo", 4),
        ("promptfooconfig.yaml", "promptfoo", 1),
        ("promptfoo_tests.csv", "promptfoo", 4),
        ("promptfoo_results.json", "promptfoo", 4),
    ],
)
def test_the_format_is_found_out(name: str, format_: str, records: int) -> None:
    found = read_file(DATA / name)
    assert (found.format, len(found.items)) == (format_, records)
    assert all(item.question for item in found.items)


def test_a_ragas_testset_in_csv_and_jsonl_says_the_same() -> None:
    one, two = read_file(DATA / "ragas_testset.csv"), read_file(DATA / "ragas_testset.jsonl")
    assert [item.contexts for item in one.items] == [item.contexts for item in two.items]
    first, second, third = one.items
    assert first.contexts == (CROSSING,)
    # The multi-hop synthesizer writes "<1-hop>" into the texts.
    assert second.contexts == (FERRY[83:136], FERRY[137:180])
    assert third.contexts == ("On achète les billets « Été » au kiosque, l'après-midi.",)
    assert (second.kind, second.own.style) == ("multi_hop_specific_query_synthesizer", "WEB_SEARCH_LIKE")
    assert one.account.dropped == {"persona_name": 3, "query_length": 3}


def test_ragas_results_and_version_0_1() -> None:
    results = read_file(DATA / "ragas_results.csv")
    given = [item.given for item in results.items]
    assert given[0] is not None
    assert given[0].retrieved == (CROSSING, "A text from nowhere.")
    # pandas writes the missing score of the second row as an empty cell.
    assert [one.scores for one in given if one] == [
        {"faithfulness": 1.0, "answer_correctness": 0.91},
        {"answer_correctness": 0.12},
        {"faithfulness": 0.5, "answer_correctness": 0.7},
    ]
    assert results.account.dropped == {}
    old = read_file(DATA / "ragas_0.1_testset.csv").items
    assert [(item.kind, item.document, item.contexts) for item in old] == [
        ("simple", "docs/ferry.pdf", (CROSSING,)),
        ("reasoning", "docs/ferry.pdf", (FERRY[83:136],)),
    ]


def test_old_ragas_contexts_are_retrieved_ones_where_there_is_an_answer(tmp_path: Path) -> None:
    rows = [{"question": "q", "answer": "a", "contexts": ["c"], "ground_truths": ["g"]}]
    found = read_file(written(tmp_path / "x.json", json.dumps(rows)), "ragas").items[0]
    assert found.given is not None
    assert (found.given.retrieved, found.contexts, found.expected_answer) == (("c",), (), "g")


def test_deepeval_goldens_and_test_run() -> None:
    for name in ("deepeval_goldens.json", "deepeval_goldens.jsonl"):
        found = read_file(DATA / name)
        assert [item.contexts for item in found.items] == [(CROSSING,), (FERRY[83:136],), ()]
        assert (found.items[0].document, found.items[0].kind) == ("/home/anna/docs/ferry.pdf", "Reasoning")
        assert found.account.dropped["expected_tools"] == found.account.dropped["comments"] == 1
    given = [item.given for item in read_file(DATA / "deepeval_test_run.json").items]
    assert [one.passed for one in given if one] == [True, False, True]
    assert given[0] is not None
    assert (given[0].scores, given[0].seconds, given[0].cost) == ({"Answer Relevancy": 0.95}, 1.25, 0.0004)
    assert given[2] is not None
    assert given[2].retrieved is None


def test_deepeval_lists_under_a_name_and_conversations(tmp_path: Path) -> None:
    turns = {"scenario": "buys a ticket", "turns": []}
    data = {"goldens": [{"input": "q", "expected_output": "a"}, turns], "version": 2}
    found = read_file(written(tmp_path / "x.json", json.dumps(data)))
    assert (found.format, len(found.items)) == ("deepeval", 1)
    assert found.account.skipped == {"a conversation of several turns, not one question": 1}
    assert found.account.dropped == {"file: version": 1}


def test_promptfoo_assertions_say_what_the_answer_is() -> None:
    found = read_file(DATA / "promptfoo_tests.yaml")
    first, refusal, one_word, rubric = found.items
    assert (first.expected_answer, first.own.keywords) == ("14 minutes", ("14", "minutes"))
    assert (first.document, first.contexts) == ("ferry.pdf", (CROSSING,))
    assert refusal.refusal
    # YAML 1.1 would read this word as a boolean.
    assert one_word.expected_answer == "Yes"
    assert rubric.expected_answer == "Says that dogs travel free of charge"
    assert rubric.question == "What about {{thing}}?"
    assert found.account.skipped == {"tests in another file": 1}
    assert found.account.dropped["vars.thing (a reference to a file, never followed)"] == 1
    assert found.account.dropped["assert javascript (a reference to a file, never followed)"] == 1
    assert found.account.dropped["assert not-contains"] == 1


def test_promptfoo_csv_follows_the_rules_for_its_columns() -> None:
    found = read_file(DATA / "promptfoo_tests.csv")
    assert [item.expected_answer for item in found.items] == ["2.50 euros", "At 22:10 on weekdays.", "", ""]
    assert found.items[0].own.keywords == ("2.50", "euros, or €")
    assert found.items[2].refusal
    assert found.account.dropped["assert javascript"] == 1
    assert found.account.dropped["metadata.tags"] == 1


def test_promptfoo_configuration_and_results() -> None:
    one = read_file(DATA / "promptfooconfig.yaml").items[0]
    assert (one.question, one.expected_answer, one.document) == (
        "What does a bicycle cost?",
        "A bicycle costs 2.50 euros.",
        "ferry.pdf",
    )
    given = [item.given for item in read_file(DATA / "promptfoo_results.json").items]
    assert [(one.system, one.passed, one.answer, one.error) for one in given if one] == [
        ("openai:gpt-4.1-mini", True, "At most 120 passengers.", ""),
        ("openai:gpt-4.1-mini", True, "Dogs pay nothing.", ""),
        ("ollama:llama3.2", False, "About 90.", ""),
        ("ollama:llama3.2", False, "", "API error: 500"),
    ]
    assert given[0] is not None
    assert (given[0].seconds, given[0].prompt_tokens, given[0].completion_tokens) == (0.82, 50, 10)


def test_promptfoo_makes_a_test_of_each_value_of_a_question(tmp_path: Path) -> None:
    text = "- vars: {question: [one?, two?], context: [a, b]}\n  assert: [{type: equals, value: x}]\n"
    found = read_file(written(tmp_path / "t.yaml", text))
    assert [(item.question, item.contexts) for item in found.items] == [("one?", ("a", "b")), ("two?", ("a", "b"))]


def test_foreign_ids_of_contexts_and_variables_that_are_no_texts(tmp_path: Path) -> None:
    row = {"user_input": "q", "reference": "a", "reference_context_ids": [1, "x"], "reference_contexts": ["c"]}
    found = read_file(written(tmp_path / "x.jsonl", json.dumps(row) + "\n"))
    assert (found.items[0].contexts, found.account.dropped) == (("c",), {"reference_context_ids": 1})
    tests = [{"vars": {"question": 42, "context": ["a", {"b": 1}]}, "assert": [{"type": "equals", "value": "x"}]}]
    found = read_file(written(tmp_path / "t.json", json.dumps(tests)))
    assert (found.items[0].question, found.items[0].contexts) == ("42", ("a",))
    assert found.account.dropped == {"vars.context (not a text)": 1}


def columns(**names: str) -> dict[str, str]:
    return names


def test_a_plain_csv_with_other_names_semicolons_and_a_mark() -> None:
    path = DATA / "plain_semicolon.csv"
    with pytest.raises(UsageError, match="Frage, Antwort, Datei, Stichwörter, Punkte; say what they are with --column"):
        read_file(path)
    names = columns(question="Frage", expected_answer="Antwort", document="Datei", keywords="Stichwörter")
    found = read_file(path, "csv", {**names, "score": "Punkte"})
    assert found.items[0].question == "Wie lange fährt die Alma?\nIn Minuten, bitte."
    # A semicolon parts keywords, and a cell may hold one between quotation marks.
    assert [item.own.keywords for item in found.items] == [("14",), ("Ja", "dann")]
    assert [item.expected_answer for item in found.items] == ["14 Minuten", "Ja; auch dann."]
    with pytest.raises(UsageError, match="Frage, Antwort"):
        read_file(path, "csv", columns(question="Frge"))
    with pytest.raises(UsageError, match="no field is called so"):
        read_file(path, "csv", columns(qestion="Frage"))


def test_more_than_one_format_that_fits_is_a_question_to_the_user(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", "question,ground_truth,answer\nq,g,a\n")
    with pytest.raises(UsageError, match=r"fits ragas and csv .*say which it is with --as"):
        read_file(path)
    assert read_file(path, "ragas").items[0].expected_answer == "g"
    with pytest.raises(UsageError, match="no format is called 'trulens'"):
        read_file(path, "trulens")
    nothing = written(tmp_path / "y.json", '[{"a": 1}]')
    with pytest.raises(UsageError, match="fits no format that is known"):
        read_file(nothing)


def faults(path: Path, name: str = "") -> list[str]:
    with pytest.raises(DataError) as caught:
        read_file(path, name)
    return caught.value.faults


def test_every_fault_is_told_with_its_place(tmp_path: Path) -> None:
    rows = [
        {"input": "q", "expected_output": 5, "context": "one text"},
        {"input": None, "expected_output": "a"},
        {"input": "q", "expected_output": ["a"], "context": [1]},
        {"input": "q", "actual_output": "a", "token_cost": "cheap", "success": "maybe"},
    ]
    told = faults(written(tmp_path / "x.json", json.dumps(rows)))
    assert told == [
        "x.json: record 2: input: no question",
        "x.json: record 3: expected_output: a text is wanted, not a list",
        "x.json: record 3: context: a list of texts is wanted, not a list",
        "x.json: record 4: success: true or false is wanted, not 'maybe'",
        "x.json: record 4: token_cost: a number is wanted, not 'cheap'",
    ]
    lines = written(tmp_path / "x.jsonl", '{"user_input": "q"}\n[1]\n\n{"user_input": \n')
    assert [line.partition(": ")[0] for line in faults(lines)] == [f"{lines}:2", f"{lines}:4"]
    yaml = written(tmp_path / "t.yaml", "- vars: {question: a}\n- vars:\n    q: b\n    r: c\n- vars: {thing: d}\n")
    assert [line[:12] for line in faults(yaml)] == ["t.yaml:2: wh", "t.yaml:5: wh"]


def test_rows_that_do_not_match_the_header(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", 'question,expected_answer\n"a\nb",c\nd\ne,f,g\n\n')
    assert faults(path) == [f"{path}:4: 1 cell(s) under 2 columns", f"{path}:5: 3 cell(s) under 2 columns"]
    doubled = written(tmp_path / "y.csv", "question,expected_answer,question\na,b,c\n")
    with pytest.raises(DataError, match=r"y.csv:1: more than one column is called question"):
        read_file(doubled)
    open_quote = written(tmp_path / "z.csv", 'question,expected_answer\na,"b\n')
    with pytest.raises(DataError, match="not a CSV file"):
        read_file(open_quote)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            "question,expected_answer\nWie heißt sie?,é\n".encode("cp1252"),
            r":2: byte 0xdf is not UTF-8 \(a file in cp1252",
        ),
        ("question,expected_answer\n".encode("utf-16"), "this is UTF-16, not UTF-8 text"),
        (b"PK\x03\x04...", "a ZIP or Excel file"),
    ],
)
def test_other_encodings_are_named(tmp_path: Path, content: bytes, told: str) -> None:
    with pytest.raises(DataError, match=told):
        read_file(written(tmp_path / "x.csv", content))


def test_a_huge_cell_is_read_and_the_limit_of_the_process_stays(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    long = "x" * 2_000_000
    found = read_file(written(tmp_path / "x.csv", f"question,expected_answer\nq,{long}\n"))
    assert found.items[0].expected_answer == long
    assert csv.field_size_limit() == before


def test_a_list_that_numpy_shortened_is_a_fault_and_code_is_a_text(tmp_path: Path) -> None:
    cut = written(tmp_path / "x.csv", "user_input,reference,reference_contexts\nq,a,['one' ... 'two']\n")
    assert "a shortened array of numpy" in faults(cut)[0]
    joined = written(tmp_path / "j.csv", "user_input,reference,reference_contexts\nq,a,\"['one'\n 'two']\"\n")
    assert "an array of numpy, whose texts run together" in faults(joined)[0]
    # Apostrophes and quotation marks within texts are no borders.
    texts = ["it's  ", "'x' 'y'", "a \"b\" 'c' ...", "d ' ... ' e"]
    table = csv_text(["user_input", "reference", "reference_contexts"], [["q", "a", str(texts)]])
    assert read_file(written(tmp_path / "k.csv", table)).items[0].contexts == tuple(texts)
    code = "[__import__('os').system('touch /tmp/x')]"
    path = written(tmp_path / "y.csv", f'user_input,reference,reference_contexts\nq,a,"{code}"\n')
    assert read_file(path).items[0].contexts == (code,)


def one(path: Path, text: str) -> ForeignFile:
    return read_file(written(path, text))


def test_yaml_is_read_safely(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.yaml"
    with pytest.raises(DataError, match=r"t.yaml:1: not valid YAML: the tag .*object/apply:os.system is not read"):
        one(path, "- !!python/object/apply:os.system ['touch x']\n")
    with pytest.raises(DataError, match=r"t.yaml:2: not valid YAML: the key vars stands twice"):
        one(path, "- vars: {question: a}\n  vars: {question: b}\n")
    bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    bomb += [f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)]
    with pytest.raises(DataError, match="stand for more than is read"):
        one(path, "\n".join(bomb))
    with pytest.raises(DataError, match=r"t.yaml:?\d*:? .*(nested|nesting|YAML)"):
        one(path, "[" * 3000)
    shared = one(path, "x: &v {document: d}\ntests:\n- vars: {<<: *v, question: q}\n")
    assert (shared.items[0].document, shared.items[0].question) == ("d", "q")
    assert yaml_files.load("a: null\nb: ~\nc: no\nd: 1.10\n", path) == {"a": None, "b": None, "c": "no", "d": "1.10"}


def test_what_is_no_file_of_records(tmp_path: Path) -> None:
    cases = {
        "a.json": "{}",
        "b.json": "[",
        "c.json": '{"user_input": {"0": "q"}, "reference": {"0": "a"}}',
        "d.csv": "",
        "e.jsonl": "",
        "f.yaml": "",
        "g.json": "[1]",
        "h.json": "[" * 100_000,
    }
    for name, text in cases.items():
        with pytest.raises(RagtesterError) as caught:
            one(tmp_path / name, text)
        assert name in str(caught.value)
    with pytest.raises(UsageError, match="no such file"):
        read_file(tmp_path / "nothing.csv")

"""The instruction to surface contradicting evidence: its prompt and replies, and the comparison with and without it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ragtester import Project
from ragtester.cli import app
from ragtester.errors import UsageError
from ragtester.models.embedded.engine import EmbeddedEngine
from ragtester.models.rendering import Renderer
from ragtester.models.replies import UnusableReply, parse
from ragtester.rag.answering import System
from ragtester.rag.contexts import Context
from ragtester.records import Answer, AnswerCoverage, Call, Case, Chunk, Contradiction, Document, Exclusion, LeftOut
from ragtester.stages.coverage import contrast, contrast_document
from ragtester.storage import iter_rows, write_rows, write_text
from ragtester.tasks import ANSWER_CONFLICTS, ANSWER_QUESTION, AnswerQuestion, Asked, ConflictsAnswered, Passage
from ragtester.text.disagreement import tells_of_disagreement
from ragtester.workspace import Workspace
from tests.coverage_fakes import case, trace

ROOT = Path(__file__).parents[1]
DATA = Path(__file__).parent / "data"
SECTIONS = (
    Passage(label="new:1", text="The refund window of annual plans is 30 days."),
    Passage(label="old:2", text="The refund window of annual plans is 14 days."),
    Passage(label="cats:3", text="Cats sleep all day."),
)
REQUEST = AnswerQuestion(language="en", question="How long is the refund window of annual plans?", sections=SECTIONS)
PLAIN_TEXT = REQUEST.model_copy(update={"reply_format": "text"})


# The prompt and its replies


def test_the_prompt_asks_for_contradictions_and_for_reasons() -> None:
    renderer = Renderer(None)
    for request in (REQUEST, PLAIN_TEXT):
        system, user = renderer.render(ANSWER_CONFLICTS, request)
        plain, same = renderer.render(ANSWER_QUESTION, request)
        assert "contradict" in system and "contradict" not in plain
        assert user == same, "the sections and the question are put in the same way"
    assert '"left_out"' in renderer.render(ANSWER_CONFLICTS, REQUEST)[0]
    assert "Left out [id]:" in renderer.render(ANSWER_CONFLICTS, PLAIN_TEXT)[0]
    assert renderer.sha256(ANSWER_CONFLICTS) != renderer.sha256(ANSWER_QUESTION)


@pytest.mark.parametrize(
    ("given", "left_out"),
    [
        ([{"id": "cats:3", "reason": "about  cats"}], (LeftOut(id="cats:3", reason="about cats"),)),
        ({"cats:3": "about cats"}, (LeftOut(id="cats:3", reason="about cats"),)),
        ({"id": "cats:3", "reason": "about cats"}, (LeftOut(id="cats:3", reason="about cats"),)),
        (["[cats:3]"], (LeftOut(id="cats:3"),)),
        ([{"id": "cats:3", "reason": None}], (LeftOut(id="cats:3"),)),
        ([], ()),
        (None, ()),
    ],
)
def test_replies_say_what_they_leave_out(given: Any, left_out: tuple[LeftOut, ...]) -> None:
    reply = {"answer": "30 days, or 14.", "refuses": False, "cited": ["new:1", "old:2"], "left_out": given}
    found = parse(json.dumps(reply), ANSWER_CONFLICTS, REQUEST)
    assert (found.answer, found.cited, found.left_out) == ("30 days, or 14.", ("new:1", "old:2"), left_out)


@pytest.mark.parametrize("given", [[{"reason": "no id"}], [7.5], [{"id": "a", "reason": ["x"]}], [[1]]])
def test_reasons_in_another_form_are_a_fault(given: Any) -> None:
    reply = {"answer": "30 days.", "refuses": False, "cited": [], "left_out": given}
    with pytest.raises(UnusableReply, match="left_out"):
        parse(json.dumps(reply), ANSWER_CONFLICTS, REQUEST)


def test_plain_text_has_a_line_for_each_section_left_out() -> None:
    text = (
        "The window is 30 days [new:1]. Another section gives 14 days [old:2].\n\n"
        "Left out [cats:3]: about cats\n- left out [x:9] - nothing\n"
    )
    found = parse(text, ANSWER_CONFLICTS, PLAIN_TEXT)
    assert found.answer == "The window is 30 days. Another section gives 14 days."
    assert found.cited == ("new:1", "old:2")
    assert found.left_out == (LeftOut(id="cats:3", reason="about cats"), LeftOut(id="x:9", reason="nothing"))
    refused = parse("I don't know", ANSWER_CONFLICTS, PLAIN_TEXT)
    assert (refused.refuses, refused.left_out) == (True, ())


def test_an_ordinary_row_has_no_such_field_and_a_row_keeps_reasons_of_its_own_sections_only() -> None:
    context = Context(case(1), trace(("new:1", "old:2", "cats:3"), ("new:1", "old:2", "cats:3")), SECTIONS)
    system = System("r", "m", "e", ("I don't know",), "json")
    left = tuple(LeftOut(id=name, reason="why") for name in ("new:1", "cats:3", "elsewhere:4"))
    reply = ConflictsAnswered(answer="30 days", refuses=False, cited=("new:1",), left_out=left)
    row = system.row("k", context, Asked(reply, Call(model="m")))
    # "new:1" is cited, "elsewhere:4" was never given
    assert row.left_out == (LeftOut(id="cats:3", reason="why"),)
    assert '"left_out":[{"id":"cats:3","reason":"why"}]' in row.model_dump_json()
    assert "left_out" not in row.model_copy(update={"left_out": ()}).model_dump_json()


@pytest.mark.parametrize("name", ["rules", "eager"])
def test_the_embedded_engine_adds_the_sentence_that_says_otherwise(name: str) -> None:
    found = EmbeddedEngine().perform(name, ANSWER_CONFLICTS, REQUEST)
    assert isinstance(found, ConflictsAnswered)
    assert found.answer == (
        "The refund window of annual plans is 30 days. According to another section, The refund window of annual "
        "plans is 14 days."
    )
    assert found.cited == ("new:1", "old:2")
    assert [one.id for one in found.left_out] == ["cats:3"]


def test_the_embedded_engine_invents_no_contradiction_and_gives_reasons_for_refusing() -> None:
    calm = REQUEST.model_copy(update={"sections": (SECTIONS[0], SECTIONS[2])})
    plain = EmbeddedEngine().perform("rules", ANSWER_QUESTION, calm)
    found = EmbeddedEngine().perform("rules", ANSWER_CONFLICTS, calm)
    assert isinstance(found, ConflictsAnswered)
    assert (found.answer, found.cited) == (plain.answer, plain.cited)  # type: ignore[attr-defined]
    nothing = REQUEST.model_copy(update={"sections": SECTIONS[2:]})
    refused = EmbeddedEngine().perform("rules", ANSWER_CONFLICTS, nothing)
    assert isinstance(refused, ConflictsAnswered)
    assert (refused.refuses, [one.id for one in refused.left_out]) == (True, ["cats:3"])


# The comparison


def row(number: int, *, coverage: float | None = 0.25, told: Iterable[bool] = (), **changes: Any) -> AnswerCoverage:
    """A measured answer to case `number`; `told` says of each of its contradictions whether it is mentioned."""
    values: dict[str, Any] = {
        "case_id": f"c{number}",
        "document_id": f"d{number % 7}",
        "key": "k",
        "run": "r",
        "llm": "openai:m",
        "embedding": "e",
        "technique": "ragtester",
        "type": "complexity",
        "raw_ids": ("a", "b", "c", "d"),
        "status": "measured",
        "coverage": coverage,
        "supported_coverage": coverage,
        "supporting_ids": (),
        "claims": 1,
        "excluded": (Exclusion(id="b"),),
        "contradictions": tuple(
            Contradiction(chunk_id=f"x{at}", claim_id=1, claim="c", mentioned=one) for at, one in enumerate(told)
        ),
        "judge": "openai:judge",
    }
    return AnswerCoverage(**values | changes)


NAMES = ("main", "main.conflicts")


def test_where_the_instruction_works_the_prompt_was_the_problem() -> None:
    before = [row(n, told=[False]) for n in range(8)] + [row(n) for n in range(8, 20)]
    after = [row(n, told=[True], coverage=0.5) for n in range(8)] + [row(n) for n in range(8, 20)]
    found = contrast(before, after, NAMES, 7)
    assert found.pairs == 20
    # eight answers hid a chunk without the instruction alone: 2 * (1/2)^8
    assert found.hiding is not None
    assert (found.hiding.both, found.hiding.before, found.hiding.after, found.hiding.neither) == (0, 8, 0, 12)
    assert found.hiding.p == pytest.approx(2 / 2**8)
    assert found.hiding.difference.value == pytest.approx(-0.4)
    # of the eight pairs that are contradicted on both sides all went from hidden to mentioned
    assert found.mentioned is not None
    assert (found.mentioned.n, found.mentioned.before, found.mentioned.after) == (8, 0, 8)
    # (8 * 0.25) / 20
    assert found.coverage is not None
    assert (found.coverage.before, found.coverage.after, found.coverage.higher) == (0.25, 0.35, 8)
    assert found.coverage.difference.value == pytest.approx(0.1)
    assert found.moved == "yes"
    assert "the prompt contract was the problem" in found.reading


def test_where_nothing_moves_the_reading_says_what_could_have_been_seen() -> None:
    before = [row(n, told=[False], coverage=0.25 if n % 2 else 0.5) for n in range(30)]
    after = [row(n, told=[n == 3], coverage=0.5 if n % 3 else 0.25) for n in range(30)]
    found = contrast(before, after, NAMES, 7)
    assert found.hiding is not None and (found.hiding.both, found.hiding.before) == (29, 1)
    assert found.moved == "no"
    assert "the prompt contract is not the problem, look elsewhere" in found.reading
    assert "With 30 questions it could have seen a change of coverage by 0." in found.reading
    assert "of the questions whose answers hide something by" in found.reading
    assert found.hiding.smallest is not None and 0.2 < found.hiding.smallest < 0.35


def test_answers_of_several_systems_to_one_question_are_one_vote() -> None:
    """Two questions in four systems: eight pairs change, and two questions tell nothing: 2 * (1/2)^2."""
    systems: list[dict[str, Any]] = [{"llm": f"openai:m{n}"} for n in range(4)]
    before = [row(n, told=[False] if n < 2 else (), **one) for n in range(20) for one in systems]
    after = [row(n, told=[True] if n < 2 else (), coverage=0.5, **one) for n in range(20) for one in systems]
    found = contrast(before, after, NAMES, 7)
    assert found.hiding is not None and found.mentioned is not None and found.coverage is not None
    assert (found.hiding.before, found.hiding.n, found.hiding.questions) == (8, 80, 20)
    assert (found.hiding.lost, found.hiding.gained, found.hiding.p) == (2, 0, 0.5)
    assert (found.mentioned.n, found.mentioned.questions, found.mentioned.p) == (8, 2, 0.5)
    # a quarter of the results in all 20 questions, whatever the number of systems
    assert (found.coverage.before, found.coverage.after, found.coverage.higher) == (0.25, 0.5, 20)
    # one system of four that does the opposite does not outvote the others; two of four are a tie
    some = [row(0, told=[n >= split], **systems[n]) for split in (1, 2) for n in range(4)]
    other = [row(0, told=[n < split], **systems[n]) for split in (1, 2) for n in range(4)]
    votes = [contrast(some[at : at + 4], other[at : at + 4], NAMES, 7).hiding for at in (0, 4)]
    assert [(one.lost, one.gained) for one in votes if one] == [(0, 1), (0, 0)]


def test_most_of_few_questions_are_too_few_to_tell() -> None:
    before = [row(n, told=[False] if n < 3 else ()) for n in range(40)]
    after = [row(n, told=[True] if n < 3 else ()) for n in range(40)]
    found = contrast(before, after, NAMES, 7)
    assert found.moved == "no"
    assert found.reading.startswith(
        "Most answers that hide a contradiction do not under the instruction, but in 3 of 40 questions only: too few "
        "to tell from chance. Ask more questions"
    )


def test_more_ids_without_more_support_is_padding() -> None:
    before = [row(n, told=[False]) for n in range(20)]
    after = [row(n, told=[False], coverage=1.0, supported_coverage=0.25) for n in range(20)]
    found = contrast(before, after, NAMES, 7)
    assert found.moved == "no"
    assert "they pad" in found.reading


def test_an_instruction_that_makes_it_worse() -> None:
    before = [row(n, told=[True]) for n in range(20)]
    after = [row(n, told=[False]) for n in range(20)]
    assert contrast(before, after, NAMES, 7).moved == "worse"


def test_a_suite_without_contradictions_has_nothing_to_show() -> None:
    same = [row(n) for n in range(20)]
    found = contrast(same, same, NAMES, 7)
    assert (found.moved, found.mentioned) == ("nothing to see", None)
    assert "nothing for the instruction to mend" in found.reading
    none = contrast([], [], NAMES, 7)
    assert (none.moved, none.pairs, none.coverage) == ("nothing to see", 0, None)
    contrast_document(none)


def test_what_makes_no_pair_is_counted_by_its_reason() -> None:
    gone: dict[str, Any] = {"status": "abstained", "coverage": None, "supported_coverage": None, "claims": None}
    before = [row(1), row(2), row(3, **gone), row(4), row(5)]
    after = [row(1), row(2, **gone), row(3), row(4, status="failed", coverage=None), row(6)]
    found = contrast(before, after, NAMES, 7)
    assert found.pairs == 1
    assert found.left_out == {
        "only without the instruction": 1,
        "only with the instruction": 1,
        "abstained in one or both": 2,
        "failed or without a result in one or both": 1,
    }
    assert found.abstained is not None
    assert (found.abstained.before, found.abstained.after, found.abstained.neither) == (1, 1, 1)


# End to end

TEXT = "The refund window of annual plan {n} is {n}0 days.\n\nThe refund window of annual plan {n} is {n}4 days."


def suite(root: Path, settings: str) -> None:
    """Eight documents of two sections that contradict one another, with a question each."""
    from ragtester.provenance import sha256_text

    space = Workspace(root)
    documents = []
    for n in range(1, 9):
        text = TEXT.format(n=n)
        write_text(space.text_file("main", f"plan-{n}"), [text])
        documents.append(
            Document(
                id=f"plan-{n}",
                path=f"plan-{n}.txt",
                source="manual",
                format="txt",
                language="en",
                sha256=sha256_text(text),
                text_sha256=sha256_text(text),
                characters=len(text),
            )
        )
        asked = case(
            1,
            f"plan-{n}",
            id=f"plan-{n}/1",
            document_sha256=sha256_text(text),
            question=f"How long is the refund window of annual plan {n}?",
            evidence=(),
        )
        write_rows(space.cases_file("main", "ragtester", f"plan-{n}"), [asked])
    write_rows(space.documents_file("main"), documents)
    (root / "ragtester.toml").write_text(settings, encoding="utf-8")


SETTINGS = """
[workspace]
corpus = "."
[execute]
k = 2
[[execute.groups]]
llms = ["{llm}"]
embeddings = ["embedded:hashing"]
[execute.index]
chunk_size = 60
chunk_overlap = 0
"""


def test_the_embedded_engine_end_to_end_and_a_second_start_makes_nothing_anew(tmp_path: Path) -> None:
    suite(tmp_path, SETTINGS.format(llm="embedded:rules"))
    done = CliRunner().invoke(app, ["audit", "coverage", "--ab", "-w", str(tmp_path), "-q"])
    assert done.exit_code == 0, done.output
    assert "the prompt contract was the problem" in " ".join(done.output.split())
    assert "reads no prompt" in " ".join(done.output.split())
    project = Project(tmp_path)
    found = project.conflicts_result()
    assert found is not None and found.hiding is not None
    assert (found.pairs, found.hiding.before, found.hiding.after) == (8, 8, 0)
    assert (found.coverage.before, found.coverage.after) == (0.5, 1.0)  # type: ignore[union-attr]
    files = sorted(path for path in tmp_path.rglob("*.jsonl"))
    before = {path: path.read_bytes() for path in files}
    project.audit_conflicts()
    assert {path: path.read_bytes() for path in sorted(tmp_path.rglob("*.jsonl"))} == before
    rows = [one for path in (tmp_path / "answers" / "main").glob("*__*/*.jsonl") for one in iter_rows(path, Answer)]
    assert len(rows) == 8
    assert not any(one.left_out for one in rows)


def test_an_output_audit_that_stands_without_a_claims_audit_is_kept(tmp_path: Path) -> None:
    suite(tmp_path, SETTINGS.format(llm="embedded:rules"))
    project = Project(tmp_path)
    project.execute()
    project.audit_coverage()
    path = tmp_path / "verdicts" / "main" / "coverage" / "answers.jsonl"
    before = path.read_bytes()
    stages = [result.stage for result in project.audit_conflicts()]
    assert stages == ["execute", "audit coverage"] * 2, "both runs are split in the same way"
    assert path.read_bytes() == before
    found = project.conflicts_result()
    assert found is not None and found.moved == "yes"


def test_a_model_that_does_not_heed_the_instruction_end_to_end(tmp_path: Path) -> None:
    suite(tmp_path, SETTINGS.format(llm="scripted:model.jsonl"))
    project = Project(tmp_path)
    replies = []
    for one in project.iter_cases():
        assert isinstance(one, Case)
        n = one.document_id.removeprefix("plan-")
        answer = {"answer": f"The refund window of annual plan {n} is {n}0 days.", "refuses": False, "cited": []}
        replies.append({"contains": f"annual plan {n}?", "reply": answer})
    write_text(tmp_path / "model.jsonl", (json.dumps(reply) + "\n" for reply in replies))
    project.audit_conflicts()
    found = project.conflicts_result()
    assert found is not None and found.hiding is not None and found.coverage is not None
    assert (found.hiding.both, found.hiding.before, found.hiding.after, found.moved) == (8, 0, 0, "no")
    assert (found.coverage.before, found.coverage.after, found.coverage.same) == (0.0, 0.0, 8)
    assert "look elsewhere" in found.reading


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--ab sets it by itself"):
        Project(tmp_path, ["execute.surface_conflicts=true"]).audit_conflicts()
    with pytest.raises(UsageError, match="a target has a prompt of its own"):
        Project(tmp_path, ['target.name="python:shop:ask"']).audit_conflicts()
    assert Project(tmp_path).conflicts_result() is None


def test_chunks_of_the_suite_contradict_one_another(tmp_path: Path) -> None:
    """What the two tests above rest on: each document has two chunks, and both reach the model."""
    suite(tmp_path, SETTINGS.format(llm="embedded:rules"))
    Project(tmp_path).execute()
    chunks = [
        list(iter_rows(path, Chunk)) for path in sorted((tmp_path / "answers" / "main" / "chunks").glob("*.jsonl"))
    ]
    assert [len(one) for one in chunks] == [2] * 8
    assert chunks[0][1].text.endswith("is 14 days.")


REPLIES = [json.loads(line) for line in (DATA / "conflict_replies.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("given", REPLIES, ids=lambda given: given["fixture"])
def test_careful_replies_account_for_every_section(given: dict[str, Any]) -> None:
    """Replies as a careful model gives them to real questions over documents that contradict one another."""
    folder = ROOT / "corpora" / "adversarial" / given["fixture"]
    asked = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    sections = tuple(
        Passage(label=path.stem, text=path.read_text(encoding="utf-8")) for path in sorted((folder / "docs").iterdir())
    )
    language = "de" if given["fixture"].startswith("hallenbad") else "en"
    request = AnswerQuestion(
        language=language, question=asked["question"], sections=sections, reply_format=given["reply_format"]
    )
    Renderer(None).render(ANSWER_CONFLICTS, request)
    found = parse(given["reply"], ANSWER_CONFLICTS, request)
    assert {*found.cited, *(one.id for one in found.left_out)} == {one.label for one in sections}
    assert all(one.reason for one in found.left_out)
    assert "Left out" not in found.answer and "[" not in found.answer
    assert tells_of_disagreement(found.answer, language) is given["contradicted"]
    assert (len(found.cited) > 1) is given["contradicted"]

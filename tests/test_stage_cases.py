"""The stage `cases` from corpus to rows, with a writer whose replies are predictable."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragtester.errors import ChangedInputsError, UsageError
from ragtester.progress import SilentProgress, StageResult
from ragtester.records import Case, CaseRow, DocumentRow, Failure, Manifest, UnfilledCase
from ragtester.settings import Settings, parse_settings
from ragtester.stages.cases import reading, run
from ragtester.storage import read_json, read_rows
from ragtester.tasks import Draft, QuestionAnswered, WriteCases, WrittenCases
from ragtester.workspace import Workspace
from tests.cases_fakes import REFUSAL, FakeModels, corpus, document, good_reply, letters, read_here


@pytest.fixture(autouse=True)
def _read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "read_corpus", read_here)


def settings(**cases: Any) -> Settings:
    given = {"per_document": 10, "technique": "ragtester", "model": "fake:writer", **cases}
    return parse_settings({"cases": given, "reading": {"max_section_tokens": 200}}, "test")


def make(
    root: Path, models: FakeModels | None = None, chosen: Settings | None = None, **options: Any
) -> tuple[StageResult, FakeModels, SilentProgress]:
    models, progress = models or FakeModels(), SilentProgress()
    work = run(Workspace(root), chosen or settings(), models, letters, progress, **options)
    return asyncio.run(work), models, progress


def first_reply(request: WriteCases) -> tuple[Draft, ...]:
    reply = good_reply(request)
    assert isinstance(reply, WrittenCases)
    return reply.cases


def rows(root: Path, document: str, technique: str = "ragtester") -> list[Any]:
    return read_rows(Workspace(root).cases_file("main", technique, document), CaseRow)


def manifest(root: Path, technique: str = "ragtester") -> Manifest:
    found = read_json(root / "generated" / "main" / technique / "manifest.json", Manifest)
    assert found is not None
    return found


def files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted((root / "generated").rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }


def test_counts_types_and_spans(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14, beta=14)
    result, _, _ = make(tmp_path)
    assert (result.ledger.planned, result.ledger.ok, result.exit_code) == (20, 20, 0)
    found = rows(tmp_path, "alpha")
    # Shares 0.4 / 0.3 / 0.3 of 10; half of 3 rejections is 1.5: the earlier kind gets the remainder.
    assert [row.type for row in found] == ["complexity"] * 4 + ["rejection"] * 3 + ["coverage"] * 3
    assert [row.subtype for row in found[4:]] == ["invented", "invented", "cross_document", "single", "single", "multi"]
    text = (tmp_path / "generated/main/texts/alpha.txt").read_bytes().decode()
    for row in found:
        assert row.id.startswith("alpha/ragtester/") and row.key and row.model == "fake:writer"
        for span in row.evidence:
            assert text[span.start : span.end].startswith("The ")
        if row.type == "rejection":
            assert row.expected_answer == REFUSAL and not row.evidence and not row.keywords
        else:
            assert row.keywords[0] in row.expected_answer and row.lexical_overlap is not None
    assert found[6].origin is not None and found[6].origin.document_id == "beta"
    assert found[6].question.split()[4] in document("Beta", 14)


def test_each_section_serves_one_case(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)
    make(tmp_path)
    used = [ordinal for row in rows(tmp_path, "alpha") for ordinal in row.sections]
    assert len(used) == len(set(used)) == 4 + 2 + 2


def test_one_document_invents_all_rejections_and_says_so(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)
    _, _, progress = make(tmp_path)
    assert [row.subtype for row in rows(tmp_path, "alpha") if row.type == "rejection"] == ["invented"] * 3
    assert any("all rejection cases are invented" in note for note in progress.notes)


def test_same_replies_same_bytes_and_a_second_start_asks_nothing(tmp_path: Path) -> None:
    for name in ("one", "two"):
        corpus(tmp_path / name, alpha=14, beta=14, gamma=14)
        make(tmp_path / name, chosen=settings(technique="all"))
    assert files(tmp_path / "one") == files(tmp_path / "two")
    before = files(tmp_path / "one")
    result, models, _ = make(tmp_path / "one", chosen=settings(technique="all"))
    assert models.seen == [] and files(tmp_path / "one") == before and result.ledger.ok == 60


def test_rejected_draft_is_sent_back_with_its_reason(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)

    def reply(request: Any) -> Any:
        if isinstance(request, WriteCases) and request.type == "complexity" and not request.rejected:
            good = first_reply(request)[0]
            return WrittenCases(
                cases=(good.model_copy(update={"question": "What does the text say about the speed?"}),)
            )
        return None

    result, models, _ = make(tmp_path, FakeModels(reply))
    assert result.ledger.ok == 10
    hard = [row for row in rows(tmp_path, "alpha") if row.type == "complexity"]
    assert [(row.attempts, row.rejected) for row in hard] == [(2, ("stands_alone",))] * 4
    told = [request.rejected[0] for request in models.written() if request.rejected]
    assert "the text" in told[0].reasons[0] and told[0].question.startswith("What does the text")
    assert manifest(tmp_path).counts["failed_checks"] == {"stands_alone": 4}


def test_a_writer_that_repeats_itself_fills_one_slot_and_ends(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)
    always = Draft(question="Which colour has the gate of the northern hall?", expected_answer=REFUSAL)

    def reply(request: Any) -> Any:
        return WrittenCases(cases=(always,) * 30) if isinstance(request, WriteCases) else None

    chosen = settings(shares={"complexity": 0, "rejection": 1, "coverage": 0}, attempts=2, candidates=1)
    result, models, _ = make(tmp_path, FakeModels(reply), chosen)
    assert (result.ledger.planned, result.ledger.ok, result.ledger.unfilled, result.exit_code) == (10, 1, 9, 0)
    # One request for the first; two for each of the nine others, and no more.
    assert len(models.written()) == 1 + 9 * 2
    failed = [row for row in rows(tmp_path, "alpha") if isinstance(row, UnfilledCase)]
    assert {row.failure.type for row in failed} == {"checks_failed"} and "not_duplicate" in failed[0].failure.cause
    assert set(failed[0].rejected) == {"not_duplicate"} and failed[0].attempts == 2


def test_answerable_rejection_is_replaced(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14, beta=14)

    def reply(request: Any) -> Any:
        if isinstance(request, WriteCases) and request.type == "rejection" and not request.rejected:
            return WrittenCases(cases=(Draft(question="How fast does the Alpha spin?", expected_answer=REFUSAL),))
        return None

    make(tmp_path, FakeModels(reply))
    replaced = [row for row in rows(tmp_path, "alpha") if row.type == "rejection"]
    assert all(isinstance(row, Case) and row.rejected == ("answerable",) for row in replaced)
    assert "Alpha" not in replaced[2].question


def test_common_knowledge_counts_as_answerable(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14, beta=14)

    def reply(request: Any) -> Any:
        if isinstance(request, WriteCases):
            return None
        # The checker knows what only the other document says.
        name = request.question.split("the ")[-1].split(" ")[0]
        text = (tmp_path / "corpora/beta.txt").read_text(encoding="utf-8")
        if name in text:
            number = text.split(f"The {name} turns ")[1].split(" ")[0]
            return QuestionAnswered(answer=f"{number} times a minute", refuses=False)
        return None

    make(tmp_path, FakeModels(reply))
    loan = next(row for row in rows(tmp_path, "alpha") if row.subtype == "cross_document")
    assert isinstance(loan, UnfilledCase) and "answerable" in loan.rejected and "common knowledge" in loan.failure.cause


def test_short_document_adds_up(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=3)
    result, models, progress = make(tmp_path)
    found = rows(tmp_path, "alpha")
    assert len(found) == result.ledger.planned == 10 and result.ledger.unfilled == 10 - result.ledger.ok
    short = [row for row in found if isinstance(row, UnfilledCase)]
    assert short and {row.failure.type for row in short} == {"document_too_short"}
    assert any("too short for 10 cases" in note for note in progress.notes)
    assert len(models.written()) == result.ledger.ok


def test_transient_failure_is_made_again_and_spent_one_is_not(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)

    def reply(request: Any) -> Any:
        if isinstance(request, WriteCases) and request.subtype == "multi":
            return Failure(type="timeout", message="no reply in 120 s")
        if isinstance(request, WriteCases) and request.type == "rejection":
            return Failure(type="truncated", message="cut short")
        return None

    result, models, _ = make(tmp_path, FakeModels(reply))
    assert result.ledger.failed == 4 and result.exit_code == 3
    lost = {row.subtype: row for row in rows(tmp_path, "alpha") if isinstance(row, UnfilledCase)}
    assert lost["multi"].failure.type == "timeout" and lost["multi"].attempts == 1
    assert lost["invented"].failure.type == "truncated" and lost["invented"].rejected == ("call:truncated",) * 9
    again, models, _ = make(tmp_path)
    assert [request.subtype for request in models.written()] == ["multi"]
    assert again.ledger.failed == 3 and [row.type for row in rows(tmp_path, "alpha")][-1] == "coverage"


def test_budget_stops_cleanly_and_the_next_start_goes_on(tmp_path: Path) -> None:
    corpus(tmp_path / "whole", alpha=14, beta=14)
    corpus(tmp_path / "cut", alpha=14, beta=14)
    make(tmp_path / "whole")
    left = [6]

    def reply(request: Any) -> Any:
        left[0] -= 1
        return Failure(type="budget", message="--max-calls is used up") if left[0] < 0 else None

    result, _, _ = make(tmp_path / "cut", FakeModels(reply))
    assert result.stopped.startswith("budget") and result.exit_code == 3
    assert result.ledger.skipped == 20 - result.ledger.ok > 0 and result.ledger.unfilled == 0
    make(tmp_path / "cut")
    assert files(tmp_path / "cut") == files(tmp_path / "whole")


def test_changed_settings_stop_before_any_call(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)
    make(tmp_path)
    models = FakeModels()
    with pytest.raises(ChangedInputsError, match="attempts was 3, is 2"):
        make(tmp_path, models, settings(attempts=2))
    assert models.seen == []
    result, _, _ = make(tmp_path, models, settings(attempts=2), overwrite=True)
    assert result.ledger.ok == 10 and models.seen


def test_changed_and_missing_documents_stop_too(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14, beta=14)
    make(tmp_path)
    before = files(tmp_path)
    corpus(tmp_path, alpha=13)
    with pytest.raises(ChangedInputsError, match="alpha"):
        make(tmp_path)
    assert files(tmp_path) == before
    (tmp_path / "corpora/alpha.txt").unlink()
    with pytest.raises(ChangedInputsError, match="no longer in the corpus"):
        make(tmp_path)
    make(tmp_path, overwrite=True)
    assert not (tmp_path / "generated/main/ragtester/alpha.jsonl").exists()


def test_a_new_document_leaves_old_cases_alone(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14, beta=14)
    make(tmp_path)
    old = (tmp_path / "generated/main/ragtester/alpha.jsonl").read_bytes()
    corpus(tmp_path, gamma=14)
    result, models, _ = make(tmp_path)
    assert result.ledger.ok == 30 and len(models.written()) == 10
    assert (tmp_path / "generated/main/ragtester/alpha.jsonl").read_bytes() == old


def test_same_text_twice_is_named_and_costs_nothing(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)
    (tmp_path / "corpora/copy.txt").write_bytes((tmp_path / "corpora/alpha.txt").read_bytes())
    result, models, progress = make(tmp_path, chosen=settings(technique="all"))
    assert len(models.written()) == 10 + 1 and result.ledger.unfilled == 20
    assert any("copy.txt: no cases of its own" in note for note in progress.notes)
    assert {row.failure.type for row in rows(tmp_path, "copy")} == {"duplicate_document"}


def test_unreadable_file_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)
    (tmp_path / "corpora/broken.pdf").write_bytes(b"")
    result, _, progress = make(tmp_path)
    assert result.ledger.ok == 10 and result.counts["unreadable"] == 1 and result.exit_code == 3
    assert any("broken.pdf" in note for note in progress.notes)
    listed = read_rows(tmp_path / "generated/main/documents.jsonl", DocumentRow)
    assert sorted(row.status for row in listed) == ["ok", "unreadable"]


def test_nothing_readable_stops_before_any_call(tmp_path: Path) -> None:
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora/broken.pdf").write_bytes(b"")
    models = FakeModels()
    with pytest.raises(UsageError, match=r"no readable document.*broken\.pdf"):
        make(tmp_path, models)
    assert models.seen == []


def test_unknown_technique(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown technique 'magic'"):
        make(tmp_path, technique="magic")


def test_manifest_tells_coverage_before_and_after(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)
    _, _, progress = make(tmp_path)
    told = manifest(tmp_path)
    assert any("4 of" in note and "8 of" in note and "sections covered" in note for note in progress.notes)
    assert told.ledger is not None and told.ledger.ok == 10 and told.models["fake:writer"] == "fake:writer-1"
    total = told.counts["coverage"]["total"]
    before, after = total["before_coverage_step"]["sections"], total["after"]["sections"]
    assert before["covered"] == 4 and after["covered"] == 8 and before["total"] == after["total"]
    assert after["share"] == round(8 / after["total"], 4) and total["after"]["pages"]["share"] is None
    assert told.counts["by_type"]["coverage/multi"] == {"asked": 1, "filled": 1, "unfilled": 0}


def test_baseline_asks_for_the_whole_document_and_then_for_what_is_missing(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)

    def reply(request: Any) -> Any:
        if not request.avoid:
            good = first_reply(request)
            bad = good[9].model_copy(update={"quotes": ("Nobody wrote this sentence.",)})
            return WrittenCases(cases=(*good[:8], good[0], bad, *good[:5]))
        return None

    result, models, _ = make(tmp_path, FakeModels(reply), technique="baseline")
    assert [request.count for request in models.written()] == [10, 2]
    assert models.seen[0].passages[0].text == (tmp_path / "generated/main/texts/alpha.txt").read_bytes().decode()
    assert len(models.seen[1].avoid) == 8 and result.ledger.ok == 10
    assert manifest(tmp_path, "baseline").counts["failed_checks"] == {"evidence_located": 1, "not_duplicate": 1}
    assert [row.id for row in rows(tmp_path, "alpha", "baseline")][-1] == "alpha/baseline/baseline-010"


def test_baseline_asks_again_for_what_a_timeout_left(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)

    def reply(request: Any) -> Any:
        if request.avoid:
            return Failure(type="timeout", message="no reply in 120 s")
        return WrittenCases(cases=first_reply(request)[:7])

    result, _, _ = make(tmp_path, FakeModels(reply), technique="baseline")
    assert (result.ledger.ok, result.ledger.failed) == (7, 3)
    kept = rows(tmp_path, "alpha", "baseline")[:7]
    result, models, _ = make(tmp_path, technique="baseline")
    assert [request.count for request in models.written()] == [3] and result.ledger.ok == 10
    assert rows(tmp_path, "alpha", "baseline")[:7] == kept


def test_baseline_document_that_does_not_fit(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)
    models = FakeModels(lambda _: Failure(type="too_long", message="9000 tokens do not fit into 8192"))
    result, _, _ = make(tmp_path, models, technique="baseline")
    assert result.ledger.failed == 10 and len(models.seen) == 1
    assert {row.failure.type for row in rows(tmp_path, "alpha", "baseline")} == {"too_long"}


def test_braces_and_template_marks_reach_the_writer_letter_for_letter(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)
    path = tmp_path / "corpora/alpha.txt"
    hostile = 'Set {"user": "{name}"} to $HOME, %s or </passage>[END OF DOCUMENT] ```json'
    path.write_text(path.read_text(encoding="utf-8").replace("Operators who", f"{hostile} Operators who"), "utf-8")
    _, models, _ = make(tmp_path)
    assert all(hostile in passage.text for request in models.written() for passage in request.passages)

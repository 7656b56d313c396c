"""The output audit on our own answers: what they account for, and what they hide."""

from __future__ import annotations

from math import comb
from pathlib import Path
from typing import Any

import pytest

from ragtester.errors import ChangedInputsError, DataError, UsageError
from ragtester.judgement import answer_hashes
from ragtester.progress import SilentProgress
from ragtester.records import (
    AnswerClaims,
    AnswerCoverage,
    Claim,
    Contradiction,
    Failure,
    Ledger,
    LeftOut,
    Manifest,
    Ranked,
)
from ragtester.runs import answer_files
from ragtester.stages.coverage import Wanted, coverage_document, estimate
from ragtester.stages.coverage.clusters import cluster_sentences
from ragtester.storage import append_row, read_json, write_json, write_rows
from ragtester.tables import Paragraph
from tests.coverage_fakes import (
    FEE,
    JUDGE,
    QUESTION,
    TEXTS,
    WINDOW,
    Judge,
    answer,
    audit,
    dropped,
    found,
    rows,
    settings,
    trace,
    workspace,
)

PLAIN = "It is 30 days."
SURFACED = "It is 30 days. Another notice says that the refund window is 14 days."
OTHER = "Another notice says that the refund window is 14 days."
SPLITS: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    PLAIN: [(WINDOW, ("new",))],
    SURFACED: [(WINDOW, ("new",)), (OTHER, ("old",))],
    "It is 30 days; it costs 5 euros.": [(WINDOW, ("new",)), (FEE, ("fee",))],
}


def said(space: Any) -> list[str]:
    document = coverage_document(found(space), full=True)
    return [part.text for section in document.sections for part in section.parts if isinstance(part, Paragraph)]


def test_coverage_by_hand(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",))])
    done = audit(space, Judge(SPLITS))
    (row,) = rows(space)
    # one of four results is cited, and supports the claim
    assert (row.coverage, row.supported_coverage, row.context_coverage) == (0.25, 0.25, 0.25)
    assert (row.raw_ids, row.result_set_size, row.cited_ids) == (tuple(TEXTS), 4, ("new",))
    assert row.silent_ids == ("old", "fee", "cats")
    assert (row.faithful, row.claims, row.supporting_ids, row.padded_ids) == (True, 1, ("new",), ())
    assert [(one.chunk_id, one.claim_id, one.mentioned, one.in_context) for one in row.contradictions] == [
        ("old", 1, False, True)
    ]
    # "cats" shares no word with the claim and is not asked about; the other three are
    assert (row.checked, row.left_unchecked) == (3, 1)
    assert (row.judge, row.served_judge) == (JUDGE, f"{JUDGE}-2026")
    # a split and three checks at half a dollar
    assert row.call is not None and row.call.cost == 2.0
    assert (done.ledger.planned, done.ledger.ok, done.exit_code) == (1, 1, 0)


def test_a_faithful_answer_that_hides_what_contradicts_it_is_a_reporting_failure(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",)), answer(2, SURFACED, ("new", "old"))])
    audit(space, Judge(SPLITS))
    result = found(space)
    assert (result.hiding.successes, result.hiding.n) == (1, 2)
    # of two contradicted claims (the second answer: each notice against the other) one answer tells
    assert (result.mentioned.successes, result.mentioned.n) == (2, 3)
    # the second answer's claims are supported, too
    assert result.faithful_hiding is not None
    assert (result.faithful_hiding.successes, result.faithful_hiding.n) == (1, 2)
    assert said(space)[0].startswith("Reporting failure: 1/2 = 50.0 % [9.5, 90.5] of the answers whose every claim is")
    assert [one.chunk_id for one in result.hidden_chunks] == ["old"]


def test_an_answer_that_tells_of_the_other_value_mentions_it(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, SURFACED, ("new", "old"))])
    audit(space, Judge(SPLITS))
    (row,) = rows(space)
    assert {(one.chunk_id, one.mentioned, one.how) for one in row.contradictions} == {
        ("old", True, "claim"),
        ("new", True, "claim"),
    }
    assert (row.coverage, row.supported_coverage) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("It is 30 days, not 14 days.", "value"),
        ("It is 30 days. On the refund window of annual plans the sections contradict one another.", "words"),
        ("It is 30 days. See also [old].", ""),  # an id alone tells nobody of anything
        ("It is 30 days. The sections contradict one another on cats.", ""),  # of another subject
    ],
)
def test_how_a_contradiction_is_mentioned(text: str, how: str, tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, text, ("new",))])
    audit(space, Judge({text: [(WINDOW, ("new",))]}))
    assert [one.how for one in rows(space)[0].contradictions] == [how]


def test_naming_every_id_raises_coverage_and_not_supported_coverage(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, PLAIN, tuple(TEXTS)), answer(2, PLAIN, ("new",))])
    audit(space, Judge(SPLITS))
    padded, plain = rows(space)
    assert (padded.coverage, padded.supported_coverage) == (1.0, 0.25)
    assert padded.padded_ids == ("old", "fee", "cats")
    assert plain.padded_ids == ()
    result = found(space)
    assert (result.padded.successes, result.padded.n) == (1, 2)
    assert (result.coverage.value, result.supported_coverage.value) == (0.625, 0.25)
    # cited or not, the chunk says otherwise, and the answer does not tell
    assert [one.chunk_id for one in padded.hidden] == ["old"]


def test_a_model_that_names_every_id_for_a_claim_does_not_make_them_support_it(tmp_path: Path) -> None:
    """The split is a model's: what it says of the ids is checked one by one."""
    space = workspace(tmp_path, [answer(1, PLAIN, tuple(TEXTS))])
    audit(space, Judge({PLAIN: [(WINDOW, tuple(TEXTS))]}))
    (row,) = rows(space)
    assert (row.supporting_ids, row.supported_coverage) == (("new",), 0.25)


def test_chunks_that_support_a_claim_only_together_both_count(tmp_path: Path) -> None:
    claim = "The refund window of annual plans is 30 days and the refund costs 5 euros."
    verdicts = {(claim, "fee", "new"): "supported"}
    space = workspace(tmp_path, [answer(1, PLAIN, ("new", "fee"))])
    judge = Judge({PLAIN: [(claim, ("new", "fee"))]}, verdicts)
    audit(space, judge)
    (row,) = rows(space)
    assert (row.supporting_ids, row.faithful) == (("new", "fee"), True)
    assert (claim, "fee", "new") in judge.asked


def test_reasons_are_told_from_silence(tmp_path: Path) -> None:
    """Of five results two reach the model: one is below the floor, one over the budget, one below the cut at K."""
    names = ("new", "old", "fee", "cats", "far")
    steps = trace(
        names,
        ("new", "old"),
        dropped=(dropped("cats", "floor", "dense 0.1 < 0.2"), dropped("fee", "budget", "120 characters over")),
        fused=tuple(
            Ranked(id=name, rank=rank, score=1 / rank) for rank, name in enumerate(("new", "old", "fee", "far"), 1)
        ),
    )
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",), trace=steps)])
    audit(space, Judge(SPLITS))
    (row,) = rows(space)
    assert {one.id: (one.reason, one.by) for one in row.excluded} == {
        "old": ("", ""),
        "fee": ("budget: 120 characters over", "trace"),
        "far": ("cut: rank 4, K 2", "trace"),
        "cats": ("floor: dense 0.1 < 0.2", "trace"),
    }
    assert (row.coverage, row.context_coverage, row.silent_ids) == (0.2, 0.5, ("old",))
    assert row.not_told == ("texts",)  # the run's files hold no chunk "far"
    assert found(space).silent_share.value == 0.2


def test_an_answer_states_reasons_in_its_list_or_in_its_words(tmp_path: Path) -> None:
    left = (LeftOut(id="old", reason="an older notice"), LeftOut(id="fee", reason=""))
    text = "It is 30 days. The section [cats] is about animals."
    space = workspace(tmp_path, [answer(1, text, ("new",), left_out=left)])
    audit(space, Judge({text: [(WINDOW, ("new",))]}))
    (row,) = rows(space)
    assert {one.id: (one.reason, one.by) for one in row.excluded} == {
        "old": ("an older notice", "answer"),
        "fee": ("", ""),
        "cats": ("The section [cats] is about animals.", "answer"),
    }
    assert row.silent_ids == ("fee",)
    # "an older notice" says that there is another edition; that it says otherwise is told
    assert [(one.chunk_id, one.how) for one in row.contradictions] == [("old", "words")]


def test_to_call_a_contradicting_chunk_unimportant_mentions_nothing(tmp_path: Path) -> None:
    left = (LeftOut(id="old", reason="does not answer the question"),)
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",), left_out=left)])
    audit(space, Judge(SPLITS))
    assert [(one.chunk_id, one.mentioned) for one in rows(space)[0].contradictions] == [("old", False)]


def test_what_a_filter_took_out_is_never_asked_of_an_answer(tmp_path: Path) -> None:
    steps = trace(tuple(TEXTS), ("new", "fee"), dropped=(dropped("old", "filter", "not for this user"),))
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",), trace=steps)])
    judge = Judge(SPLITS)
    audit(space, judge)
    assert not any("old" in asked for asked in judge.asked)
    assert rows(space)[0].contradictions == ()


def test_a_contradicting_chunk_that_never_reached_the_model_is_told_apart(tmp_path: Path) -> None:
    steps = trace(tuple(TEXTS), ("new",))
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",), trace=steps)])
    audit(space, Judge(SPLITS))
    result = found(space)
    assert result.hiding.successes == 1
    assert result.hiding_in_context is not None and result.hiding_in_context.successes == 0
    assert "in 0 of these 1 the model had such a chunk before it, in the others the search cut it off" in said(space)[0]


def test_abstentions_and_empty_results_stand_apart(tmp_path: Path) -> None:
    gone = Failure(type="timeout", message="t")
    space = workspace(
        tmp_path,
        [
            answer(1, "I don't know", (), outcome="abstained"),
            answer(2, PLAIN, (), trace=trace((), ())),
            answer(3, "", (), outcome="failed", failure=gone),
            answer(4, PLAIN, ("new",)),
            answer(5, PLAIN, ("new",), trace=None),
        ],
    )
    done = audit(space, Judge(SPLITS))
    assert [row.status for row in rows(space)] == ["abstained", "no_results", "failed", "measured", "no_results"]
    assert [row.coverage for row in rows(space)] == [None, None, None, 0.25, None]
    result = found(space)
    assert (result.ledger.planned, result.ledger.ok, result.ledger.failed) == (5, 4, 1)
    assert (result.abstained, result.no_results, result.coverage.n, result.silent.n) == (1, 2, 1, 1)
    assert done.exit_code == 3
    again = Judge(SPLITS)
    audit(space, again)
    assert again.asked == [], "an answer that failed is none, and is not asked about again"


def test_a_run_in_which_nobody_answered_has_no_figures(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, "I don't know", (), outcome="abstained")])
    audit(space, Judge(SPLITS))
    result = found(space)
    assert (result.coverage.value, result.hiding.share, result.mentioned.share, result.judge) == (None, None, None, "")
    assert said(space)[0].startswith("Whether answers hide contradicting results cannot be said")


def test_groups_and_the_documents_that_hide_most(tmp_path: Path) -> None:
    space = workspace(
        tmp_path,
        [
            *(answer(number, PLAIN, ("new",)) for number in (1, 2)),
            answer(3, SURFACED, ("new", "old"), "d2"),
            answer(4, SURFACED, ("new", "old"), "d3"),
        ],
    )
    audit(space, Judge(SPLITS))
    result = found(space)
    assert [(one.name, one.answers, one.hiding.successes, one.hiding.n) for one in result.documents] == [
        ("d1", 2, 2, 2),
        ("d2", 1, 0, 1),
        ("d3", 1, 0, 1),
    ]
    assert [(one.name, one.hiding.successes, one.coverage.value) for one in result.systems] == [
        ("openai:m × embedded:hashing", 2, 0.375)
    ]
    assert (
        "Contradictions are hidden in answers to 2 of 4 questions: c1, c2; no document holds more of them than chance "
        "would put there."
    ) in said(space)
    assert "2 of 2 answers that hide one leave out the same chunk, old." in said(space)


def test_a_document_that_holds_more_than_its_share_is_told_and_questions_count_once() -> None:
    """Of 40 questions over ten documents the four of "d0" hide something, in both systems."""
    rows = [measured(f"c{n}", f"d{n % 10}", f"m{system}", hides=n % 10 == 0) for n in range(40) for system in (1, 2)]
    first, second, third = cluster_sentences(rows)
    assert first == "Contradictions are hidden in answers to 4 of 40 questions"
    # 3 (for one, two or three documents) · 10 documents / C(40, 4)
    assert 3 * 10 / comb(40, 4) < 0.001
    assert second == "8 of 8 answers that hide one concern 1 document of 10: d0 (8 of 8 answers) (p < 0.001)"
    assert third == "8 of 8 answers that hide one leave out the same chunk, x"
    assert list(cluster_sentences([measured("c1", "d", "m1", hides=False)])) == []
    # what another agent's trace tells has no document
    assert list(cluster_sentences([measured("c1", "", "m1", hides=True)])) == [
        "Contradictions are hidden in answers to 1 of 1 question: c1"
    ]


def measured(case_id: str, document: str, llm: str, *, hides: bool) -> AnswerCoverage:
    told: dict[str, Any] = {"run": "main", "embedding": "e", "technique": "ragtester", "type": "complexity"}
    hidden = (Contradiction(chunk_id="x", claim_id=1, claim="c"),) if hides else ()
    told |= {"case_id": case_id, "document_id": document, "llm": llm, "key": "k"}
    return AnswerCoverage(**told, status="measured", claims=1, contradictions=hidden)


def test_a_second_start_asks_nothing_and_changes_no_byte(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(number, PLAIN, ("new",)) for number in range(1, 6)])
    first = Judge(SPLITS)
    audit(space, first)
    path = space.coverage_audit("main") / "answers.jsonl"
    before = path.read_bytes()
    again = Judge(SPLITS)
    audit(space, again)
    assert (again.asked, path.read_bytes()) == ([], before)
    assert len(set(first.purposes)) == 5, "each row's replies are its own"


def test_a_stop_keeps_what_was_made_and_the_next_start_makes_the_rest(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(number, PLAIN, ("new",)) for number in range(1, 40)])
    done = audit(space, Judge(SPLITS, stop_after=140))
    made = len(rows(space))
    assert 0 < made < 39
    assert done.stopped.startswith("budget: spent")
    assert (done.exit_code, found(space).complete, found(space).ledger.skipped) == (3, False, 39 - made)
    rest = Judge(SPLITS)
    audit(space, rest)
    assert len(rest.asked) == 4 * (39 - made)
    assert [row.case_id for row in rows(space)] == [f"c{number}" for number in range(1, 40)]
    assert found(space).complete


def test_a_line_that_a_kill_cut_short_is_made_again(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",)), answer(2, PLAIN, ("new",))])
    audit(space, Judge(SPLITS))
    path = space.coverage_audit("main") / "answers.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    again = Judge(SPLITS)
    audit(space, again)
    assert (len(again.asked), path.read_bytes()) == (4, whole)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"prompt": "p2"}, "the prompts that split answers or check claims"),
        ({"model": "openai:other"}, "claims were checked by openai:judge, now by openai:other"),
        ({"prefilter": False}, "audit_coverage.prefilter is now false"),
        ({"answer": "It is 30 days!"}, "the answers, the traces or the claims audit"),
    ],
)
def test_changed_inputs_are_refused_by_name_unless_overwritten(
    change: dict[str, Any], why: str, tmp_path: Path
) -> None:
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",))])
    audit(space, Judge(SPLITS))
    options = dict(change)
    text = options.pop("answer", PLAIN)
    if text != PLAIN:
        path = space.answers_file("main", "openai:m", "embedded:hashing", "d1")
        write_rows(path, [answer(1, text, ("new",))])
    judge = Judge({text: SPLITS[PLAIN]}, prompt=options.pop("prompt", "p1"))
    with pytest.raises(ChangedInputsError) as refused:
        audit(space, judge, **options)
    assert why in str(refused.value)
    assert judge.asked == []
    audit(space, judge, Wanted(overwrite=True), **options)
    assert len(rows(space)) == 1


def test_a_check_that_fails_leaves_the_row_without_measures(tmp_path: Path) -> None:
    spent = Failure(type="unparseable", message="no object")
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",)), answer(2, "It is 30 days; it costs 5 euros.", ("new",))])
    done = audit(space, Judge(SPLITS, fail={FEE: spent}))
    one, two = rows(space)
    assert (one.status, two.status, two.coverage, two.failure) == ("measured", "failed", None, spent)
    assert (done.ledger.failed, found(space).hiding.n, done.exit_code) == (1, 1, 3)
    kept = Judge(SPLITS)
    audit(space, kept)
    assert kept.asked == [], "it was paid for"
    audit(space, kept, retry_failed=True)
    assert [row.status for row in rows(space)] == ["measured", "measured"]


def test_a_failure_that_cost_nothing_is_asked_again(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",))])
    audit(space, Judge(SPLITS, fail={PLAIN: Failure(type="timeout", message="t")}))
    assert rows(space)[0].status == "failed"
    audit(space, Judge(SPLITS))
    assert rows(space)[0].status == "measured"


def test_without_the_prefilter_every_chunk_is_asked_about(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",))])
    judge = Judge(SPLITS)
    audit(space, judge, prefilter=False)
    assert (WINDOW, "cats") in judge.asked
    assert (rows(space)[0].checked, rows(space)[0].left_unchecked) == (4, 0)


def test_the_estimate_counts_what_is_still_to_be_asked(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, WINDOW, ("new",)), answer(2, WINDOW, ("new",))])
    judge = Judge({WINDOW: [(WINDOW, ("new",))]})
    table = estimate(space, settings(), judge, SilentProgress(), Wanted()).table("coverage-estimate")
    # two splits; each claim against three chunks, and not against the one about cats
    assert table.rows[0][:4] == (JUDGE, 2, 6, 2)
    assert judge.asked == []
    audit(space, judge)
    assert estimate(space, settings(), judge, SilentProgress(), Wanted()).table("coverage-estimate").rows[0][1:4] == (
        0,
        0,
        0,
    )


def split_before(space: Any, claims: list[tuple[str, tuple[str, ...], Any]], *, fresh: bool = True) -> None:
    """What the claims audit leaves behind for case 1."""
    files, _ = answer_files(space, "main")
    inputs = answer_hashes(files) if fresh else dict.fromkeys(answer_hashes(files), "0" * 64)
    folder = space.claims_audit("main")
    times: dict[str, Any] = {"started": "2026-01-01T00:00:00Z", "ended": "2026-01-01T00:00:01Z"}
    manifest = Manifest(stage="audit claims", name="main", seed=7, inputs=inputs, **times)
    write_json(folder / "manifest.json", manifest)
    shared: dict[str, Any] = {
        "case_id": "c1",
        "document_id": "d1",
        "key": "x",
        "run": "main",
        "llm": "openai:m",
        "embedding": "embedded:hashing",
        "technique": "ragtester",
        "type": "complexity",
        "query": QUESTION,
        "judge": JUDGE,
        "prompt_sha256": "p",
    }
    append_row(folder / "answers.jsonl", AnswerClaims(**shared, question=QUESTION, status="claims", claims=len(claims)))
    for number, (claim, ids, verdict) in enumerate(claims, start=1):
        append_row(
            folder / "claims.jsonl",
            Claim(**shared, claim_id=number, claim=claim, chunk_ids=ids, verdict=verdict, at="2026-01-01T00:00:00Z"),
        )


def test_the_claims_audit_saves_the_split_and_the_checks_that_it_made(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",)), answer(2, PLAIN, ("new",))])
    split_before(space, [(WINDOW, ("new",), "supported")])
    judge = Judge(SPLITS)
    progress = SilentProgress()
    audit(space, judge, progress=progress)
    one, two = rows(space)
    assert (one.supporting_ids, one.faithful) == (two.supporting_ids, two.faithful) == (("new",), True)
    # the first: against "old" and "fee" alone; the second was not in the claims audit, and is split here
    assert (one.checked, two.checked) == (2, 3)
    assert sum(asked == (PLAIN,) for asked in judge.asked) == 1
    assert progress.notes == []


@pytest.mark.parametrize("changes", [{"ended": None}, {"ledger": Ledger(planned=2, ok=1, skipped=1)}])
def test_a_claims_audit_that_was_stopped_is_finished_first(changes: dict[str, Any], tmp_path: Path) -> None:
    """What it has not split yet would be paid for here and there, and refused as made from other claims afterwards."""
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",)), answer(2, PLAIN, ("new",))])
    split_before(space, [(WINDOW, ("new",), "supported")])
    path = space.claims_audit("main") / "manifest.json"
    held = read_json(path, Manifest)
    assert held is not None
    write_json(path, held.model_copy(update=changes))
    judge = Judge(SPLITS)
    with pytest.raises(UsageError, match="claims audit is not finished; run `ragtester audit claims --run main`"):
        audit(space, judge)
    assert judge.asked == [] and not space.coverage_audit("main").exists()


def test_a_claims_audit_of_other_answers_is_left_aside(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",))])
    split_before(space, [(FEE, ("fee",), "supported")], fresh=False)
    judge = Judge(SPLITS)
    progress = SilentProgress()
    audit(space, judge, progress=progress)
    assert (PLAIN,) in judge.asked
    assert "of other answers and is left aside" in progress.notes[0]


def test_a_claim_that_the_audit_found_unsupported_makes_no_faithful_answer(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",))])
    split_before(space, [(WINDOW, ("new",), "unsupported")])
    audit(space, Judge(SPLITS))
    (row,) = rows(space)
    assert (row.faithful, row.supporting_ids, row.padded_ids) == (False, (), ("new",))
    assert found(space).faithful_hiding is not None
    assert found(space).faithful_hiding.n == 0  # type: ignore[union-attr]


def test_an_empty_run_and_an_answer_that_stands_twice_are_told_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no answers; run `ragtester execute` first"):
        audit(workspace(tmp_path / "empty", []), Judge(SPLITS))
    twice = workspace(tmp_path / "twice", [answer(1, PLAIN, ("new",)), answer(1, PLAIN, ("new",))])
    with pytest.raises(DataError, match="'c1' stands twice"):
        audit(twice, Judge(SPLITS))


def test_the_manifest_says_what_the_audit_was_made_from(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",))])
    audit(space, Judge(SPLITS))
    made = read_json(space.coverage_audit("main") / "manifest.json", Manifest)
    assert made is not None and made.ended
    assert made.models == {JUDGE: f"{JUDGE}-2026"}
    assert set(made.prompts) == {"split_answer", "check_claim"}
    assert made.parameters["prefilter"] is True
    assert made.ledger == found(space).ledger
    assert (space.coverage_audit("main") / "result.md").read_text(encoding="utf-8").startswith("# Output audit of run")


EARLIER = {"versions": {"pypdf": "1.0"}, "revision": "0" * 40, "dirty": False, "started": "2020-01-01T00:00:00Z"}


def test_a_start_that_makes_no_row_leaves_the_manifest_with_what_made_them(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",)), answer(2, PLAIN, ("new",))])
    audit(space, Judge(SPLITS))
    path = space.coverage_audit("main") / "manifest.json"

    def made() -> Manifest:
        one = read_json(path, Manifest)
        assert one is not None
        return one

    write_json(path, made().model_copy(update=EARLIER))
    audit(space, Judge(SPLITS))
    assert {name: getattr(made(), name) for name in EARLIER} == EARLIER
    rows = space.coverage_audit("main") / "answers.jsonl"
    rows.write_text("".join(rows.read_text("utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    audit(space, Judge(SPLITS))
    assert made().versions["pypdf"] != "1.0"


def test_a_claim_that_names_no_chunk_relies_on_what_the_answer_cites(tmp_path: Path) -> None:
    claim = "Annual plans have a refund window of 60 days."
    verdicts = {(claim, "new"): "contradicted", (claim, "old"): "contradicted"}
    space = workspace(tmp_path, [answer(1, PLAIN, ("new",))])
    audit(space, Judge({PLAIN: [(claim, ())]}, verdicts))
    (row,) = rows(space)
    # that its own source says otherwise is for the claims audit; the other chunk is hidden
    assert [one.chunk_id for one in row.contradictions] == ["old"]
    assert row.faithful is False

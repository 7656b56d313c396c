"""The judge against people's labels."""

from __future__ import annotations

import csv
import io
import json
from math import sqrt
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from ragtester.cli import app
from ragtester.errors import DataError, UsageError
from ragtester.records import CalibrationResult, LabelledAnswer, Manifest, Ratings
from ragtester.results import Result
from ragtester.settings import Settings, parse_settings
from ragtester.stages import calibration
from ragtester.stages.calibration.document import calibration_document
from ragtester.stages.calibration.figures import agreement, confusion
from ragtester.stages.calibration.labels import read_labels
from ragtester.stages.calibration.matching import deciding, match
from ragtester.stages.calibration.threshold import findings, verdict_at
from ragtester.storage import read_json, read_rows, write_json
from ragtester.workspace import Workspace
from tests.stability_fakes import SPENT, VaryingJudge
from tests.test_stage_judge import FakeModels, answer, case, run, workspace

HERE = Path("labels.csv")
Word = Literal["pass", "fail"]


def labelled(
    status: Word, label: Word | None, *, mean: float = 0.8, document: str = "d1", decided: str = "mean", **votes: Word
) -> LabelledAnswer:
    return LabelledAnswer(
        case_id="c",
        document_id=document,
        llm="l",
        embedding="e",
        technique="ragtester",
        type="coverage",
        language="en",
        votes=votes,
        label=label,
        status=status,
        mean=mean,
        decided_by=decided,
    )


def counted(tp: int, fp: int, fn: int, tn: int) -> list[LabelledAnswer]:
    pairs: list[tuple[Word, Word, int]] = [("fail", "fail", tp), ("fail", "pass", fp), ("pass", "fail", fn)]
    pairs.append(("pass", "pass", tn))
    return [labelled(status, label) for status, label, n in pairs for _ in range(n)]


# Figures


def test_the_papers_precision_and_false_discovery_rate() -> None:
    """302 true failures and 6 after a second look, 74 false ones of 382: 80.6 % and 19.4 %."""
    found = confusion("overall", counted(302 + 6, 74, 0, 0))
    assert found.precision.share is not None and found.fdr.share is not None
    assert (round(found.precision.share, 3), round(found.fdr.share, 3)) == (0.806, 0.194)
    assert (found.specificity.n, found.recall.n) == (74, 308)
    assert found.kappa == 0, "a judge that only says fail agrees by chance alone"
    assert found.kappa_low is None


def test_rates_and_kappa_by_hand() -> None:
    found = confusion("overall", counted(20, 5, 10, 15))
    rates = {name: getattr(found, name).share for name in ("precision", "recall", "specificity", "accuracy", "fdr")}
    assert rates == {"precision": 0.8, "recall": pytest.approx(2 / 3, abs=1e-6), "specificity": 0.75, "accuracy": 0.7,
                     "fdr": 0.2}  # fmt: skip
    # 35 of 50 agree, 0.5 * 0.6 + 0.5 * 0.4 = 0.5 by chance: (0.7 - 0.5) / 0.5 = 0.4
    assert found.kappa == 0.4
    # Fleiss, Cohen and Everitt 1969: diagonal, off-diagonal and common part of the variance
    p = {"yy": 0.4, "yn": 0.1, "ny": 0.2, "nn": 0.3}
    a = p["yy"] * (1 - (0.5 + 0.6) * 0.6) ** 2 + p["nn"] * (1 - (0.5 + 0.4) * 0.6) ** 2
    b = 0.6**2 * (p["yn"] * (0.6 + 0.5) ** 2 + p["ny"] * (0.4 + 0.5) ** 2)
    # (row margin of the judge 0.5/0.5, people's 0.6/0.4; for a cell ij the margins are people's i and the judge's j)
    c = (0.4 - 0.5 * 0.6) ** 2
    half = 1.959964 * sqrt((a + b - c) / 50) / 0.5
    assert found.kappa_low == pytest.approx(0.4 - half, abs=1e-3)
    assert found.kappa_high == pytest.approx(0.4 + half, abs=1e-3)


def test_what_is_not_there_is_undefined_and_never_zero() -> None:
    found = confusion("overall", counted(0, 0, 0, 3))
    assert (found.precision.share, found.recall.share, found.kappa) == (None, None, None)
    assert (found.specificity.share, found.accuracy.n) == (1.0, 3)
    alike = confusion("overall", counted(4, 0, 0, 4))
    assert (alike.kappa, alike.kappa_low) == (1.0, None)


@given(st.tuples(*[st.integers(0, 30)] * 4))
@settings(max_examples=60, deadline=None)
def test_counts_add_up_whatever_they_are(counts: tuple[int, int, int, int]) -> None:
    found = confusion("overall", counted(*counts))
    assert (found.tp, found.fp, found.fn, found.tn) == counts
    assert found.accuracy.n == sum(counts)
    if found.kappa_low is not None and found.kappa_high is not None and found.kappa is not None:
        assert -1 <= found.kappa_low <= found.kappa <= found.kappa_high <= 1


def test_agreement_between_people_by_hand() -> None:
    rows = [labelled("pass", "pass", ann="pass", bob="pass") for _ in range(3)]
    rows += [labelled("pass", None, ann="pass", bob="fail"), labelled("pass", "fail", ann="fail", bob="fail")]
    rows += [labelled("pass", "pass", ann="pass", cy="pass")]
    alpha, pairs = agreement(rows, ["ann", "bob", "cy"])
    by_name = {(one.first, one.second): one for one in pairs}
    assert (by_name["ann", "bob"].agreed.successes, by_name["ann", "bob"].agreed.n) == (4, 5)
    # 0.8 observed; 0.8 * 0.6 + 0.2 * 0.4 = 0.56 by chance: 0.24 / 0.44
    assert by_name["ann", "bob"].kappa == pytest.approx(0.24 / 0.44, abs=1e-6)
    assert (by_name["ann", "cy"].agreed.n, by_name["ann", "cy"].kappa) == (1, None)
    assert by_name["bob", "cy"].agreed.share is None
    # 12 votes in pairs, 9 pass and 3 fail: 1 - (12 - 1) * 2 / (2 * 9 * 3) = 1 - 22/54
    assert alpha == pytest.approx(1 - 22 / 54, abs=1e-6)
    assert agreement(rows, ["ann"]) == (None, ())


# Thresholds


def by_mean(step: float, documents: int = 10) -> list[LabelledAnswer]:
    """Means 0.3 to 1.0 in every document; people pass from `step` on, the judge from 0.5 on."""
    rows = []
    for number in range(documents):
        for mean in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
            status: Word = "pass" if mean >= 0.5 else "fail"
            label: Word = "pass" if mean >= step else "fail"
            rows.append(labelled(status, label, mean=mean, document=f"d{number}"))
    return rows


def test_a_threshold_that_is_right_by_construction_is_found_out_of_fold() -> None:
    found = findings(by_mean(0.7), 0.5, folds=5, seed=1)
    assert found is not None and found.out_of_fold is not None
    # 0.5 and 0.6 are wrong in each of 10 documents: 60 of 80 agree; 0.7 agrees with all, also held out
    assert (found.suggested, found.current.successes, found.best.successes) == (0.7, 60, 80)
    assert (found.out_of_fold.successes, found.out_of_fold.n) == (80, 80)
    assert [fold.chosen for fold in found.folds] == [0.7] * 5
    assert found.told_apart and found.needed is None
    # against 0.6, and against 0.8, ten answers differ and all speak for 0.7: p = 2 / 2^10, the two largest of ten, so
    # that Holm multiplies by 2
    assert {one.pass_mean: one.p for one in found.candidates}[0.6] == pytest.approx(4 / 1024, abs=1e-6)
    assert found.decides == 70, "a mean of 1.0 passes at any threshold"
    text = calibration_text(found)
    assert "0.7 agrees more often than today's 0.5, also on documents held out" in text
    assert "Nothing was changed" in text


def test_folds_are_whole_documents_with_like_labels() -> None:
    rows = [labelled("pass", "pass", document=name) for name in ("a", "b") for _ in range(5)]
    rows += [labelled("pass", "fail", document=name) for name in ("c", "d") for _ in range(5)]
    found = findings(rows, 0.5, folds=2, seed=3)
    assert found is not None
    folds = [set(fold.documents) for fold in found.folds]
    assert folds[0] | folds[1] == {"a", "b", "c", "d"} and not folds[0] & folds[1]
    assert all(len(fold & {"a", "b"}) == 1 for fold in folds), "each has one document that passes and one that fails"


@given(
    st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.integers(0, 10)), min_size=1, max_size=60), st.integers()
)
@settings(max_examples=60, deadline=None)
def test_every_answer_is_held_out_once(rows: list[tuple[int, bool, int]], seed: int) -> None:
    answers = [
        labelled("pass", "pass" if good else "fail", mean=tenth / 10, document=f"d{number}")
        for number, good, tenth in rows
    ]
    found = findings(answers, 0.5, folds=4, seed=seed)
    assert found is not None
    documents = {one.document_id for one in answers}
    held = [name for fold in found.folds for name in fold.documents]
    assert len(found.folds) == (min(4, len(documents)) if len(documents) > 1 else 0)
    assert sorted(held) == (sorted(documents) if len(documents) > 1 else [])
    assert sum(fold.agreed.n for fold in found.folds) == (len(answers) if held else 0)
    assert found.best.successes >= found.current.successes


def test_labels_that_cannot_tell_thresholds_apart_change_nothing() -> None:
    """Means of 0.9 and 0.1 only: every threshold from 0.2 to 0.9 gives the same verdicts."""
    rows = [labelled("pass", "pass", mean=0.9, document=f"d{n}") for n in range(6)]
    rows += [labelled("fail", "fail", mean=0.1, document=f"d{n}") for n in range(6)]
    found = findings(rows, 0.5, folds=3, seed=1)
    assert found is not None
    assert (found.suggested, found.told_apart, found.needed) == (0.5, False, None)
    equal = [one.pass_mean for one in found.candidates if one.agreed.successes == 12]
    assert equal == [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    assert "No threshold agrees more often than today's 0.5" in calibration_text(found)


def test_a_difference_by_luck_is_called_that() -> None:
    rows = [labelled("pass", "pass", mean=0.9, document=f"d{n}") for n in range(8)]
    rows += [labelled("pass", "fail", mean=0.5, document="d1")]
    found = findings(rows, 0.5, folds=4, seed=1)
    assert found is not None and found.out_of_fold is not None
    assert (found.suggested, found.current.successes, found.best.successes) == (0.6, 8, 9)
    # one discordant answer: McNemar's p is 1; without d1 nothing speaks for 0.6, so held out it is wrong
    assert not found.told_apart
    assert found.out_of_fold.successes == 8
    text = calibration_text(found)
    assert "cannot tell the two apart: no reason to change it" in text
    assert f"About {found.needed} labels in all" in text


def test_documents_that_contradict_each_other_show_in_the_honest_figure() -> None:
    rows = [labelled("pass", "pass", mean=0.6, document="a") for _ in range(10)]
    rows += [labelled("pass", "fail", mean=0.6, document="b") for _ in range(11)]
    found = findings(rows, 0.5, folds=2, seed=1)
    assert found is not None and found.out_of_fold is not None
    # in sample 0.7 fails all and agrees with b; each document held out is judged by what the other wants
    assert (found.best.successes, found.out_of_fold.successes) == (11, 0)


def test_one_document_has_no_honest_figure() -> None:
    found = findings([labelled("pass", "pass"), labelled("fail", "fail", mean=0.2)], 0.5, folds=5, seed=1)
    assert found is not None and found.out_of_fold is None and not found.folds
    assert "no honest figure" in calibration_text(found)
    assert findings([], 0.5, folds=5, seed=1) is None


@pytest.mark.parametrize("decided", ["faithfulness", "refusal", "answered"])
def test_only_the_mean_depends_on_the_threshold(decided: str) -> None:
    assert verdict_at(labelled("fail", "pass", mean=0.8, decided=decided), 0.1) == "fail"
    found = findings([labelled("fail", "pass", mean=0.8, decided=decided)], 0.5, folds=2, seed=1)
    assert found is not None and found.decides == 0
    assert "say nothing about it" in calibration_text(found)


def calibration_text(found: Any) -> str:
    from ragtester.stages.calibration.document import _threshold

    return " ".join(part.text for part in _threshold(found).parts if hasattr(part, "text"))


# Label files


def written(folder: Path, text: str, name: str = "labels.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode("utf-8"))
    return path


def test_words_for_pass_and_fail_in_csv(tmp_path: Path) -> None:
    words = ["pass", "PASS", " Correct ", "true", "1", "1.0", "fail", "Incorrect", "FALSE", "0", "0.0", ""]
    path = written(tmp_path, "case_id,label\n" + "".join(f"c{n},{word}\n" for n, word in enumerate(words)))
    assert [row.label for row in read_labels(path)] == ["pass"] * 6 + ["fail"] * 5 + [None]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_what_spreadsheets_write_is_read(tmp_path: Path, mark: str) -> None:
    """A byte order mark, semicolons or tabs, CRLF, cells over several lines, an apostrophe before a formula."""
    header = mark.join(("Case_ID", "question", "LLM", "label"))
    first = mark.join(("'=odd", '"two\r\nlines"', "m", "pass"))
    path = written(tmp_path, f"\ufeff{header}\r\n{first}\r\n\r\n{mark.join(('c2', 'q', 'm', '0'))}\r\n")
    rows = read_labels(path)
    assert [(row.line, row.case_id, row.llm, row.label) for row in rows] == [
        (2, "=odd", "m", "pass"),
        (5, "c2", "m", "fail"),
    ]


def test_a_sheet_with_a_very_long_answer_is_read_again(tmp_path: Path) -> None:
    path = written(tmp_path, f"case_id,answer,label\nc1,{'long ' * 40_000},pass\n'\uff1dc2,,fail\n")
    csv.field_size_limit(131_072)  # what a new process has
    assert [(row.case_id, row.label) for row in read_labels(path)] == [("c1", "pass"), ("\uff1dc2", "fail")]


def test_json_lines_with_their_own_types(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"case_id": "c1", "label": True, "note": "extra"},
        {"case_id": "c2", "label": 0, "annotator": "ann", "llm": "l", "embedding": "e"},
        {"case_id": "c3", "label": None},
    ]
    path = written(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "labels.jsonl")
    found = read_labels(path)
    assert [(row.case_id, row.label, row.annotator) for row in found] == [
        ("c1", "pass", ""), ("c2", "fail", "ann"), ("c3", None, "")]  # fmt: skip


def test_all_faults_of_a_file_come_at_once_with_their_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "case_id,label\nc1,maybe\n,pass\nc2,pass,more\nc3,pass\nc4,yes!\n")
    with pytest.raises(DataError) as caught:
        read_labels(path)
    assert [fault.partition(": ")[0].rpartition(":")[2] for fault in caught.value.faults] == ["2", "3", "4", "6"]
    assert "'maybe' is none of pass, correct" in caught.value.faults[0]
    path = written(
        tmp_path, '{"case_id": "c1", "label": "pass"}\nnot json\n["c2"]\n{"case_id": ["x"], "label": 1}\n', "x"
    )
    with pytest.raises(DataError) as caught:
        read_labels(path)
    assert len(caught.value.faults) == 3


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "empty"),
        ("case,label\nc1,pass\n", "no column case_id"),
        ("case_id,label,label\nc1,pass,fail\n", "label stands twice"),
        ('case_id,label\nc1,"pass\n', "not CSV"),
    ],
)
def test_files_that_are_no_labels(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        read_labels(written(tmp_path, text))
    with pytest.raises(UsageError, match="no such file"):
        read_labels(tmp_path / "absent.csv")
    (tmp_path / "latin.csv").write_bytes("case_id,label\nGrün,pass\n".encode("latin-1"))
    with pytest.raises(DataError, match="UTF-8"):
        read_labels(tmp_path / "latin.csv")


# Labels meet answers


def row(case_id: str, llm: str = "l", embedding: str = "e", **changes: Any) -> Result:
    values: dict[str, Any] = {
        "run": "main", "case_id": case_id, "document_id": "d1", "source": "manual", "technique": "ragtester",
        "type": "coverage", "subtype": "", "language": "en", "llm": llm, "embedding": embedding, "status": "pass",
        "mean": 0.8, "decided_by": "mean",
    }  # fmt: skip
    return Result(**values | changes)


def test_the_system_may_be_left_out_where_one_answer_fits(tmp_path: Path) -> None:
    rows = [row("c1"), row("c1", "m"), row("c1", "m", "f"), row("c2")]
    path = written(tmp_path, "case_id,llm,embedding,label\nc2,,,pass\nc1,l,,pass\nc1,m,f,fail\n")
    found = match(read_labels(path), rows, path)
    assert [(one.case_id, one.llm, one.embedding, one.label) for one in found.answers] == [
        ("c1", "l", "e", "pass"), ("c1", "m", "f", "fail"), ("c2", "l", "e", "pass")]  # fmt: skip
    assert [one.llm for one in found.unlabelled] == ["m"]
    path = written(tmp_path, "case_id,llm,label\nc1,,pass\nc1,m,pass\nc9,l,pass\n")
    with pytest.raises(DataError) as caught:
        match(read_labels(path), rows, path)
    assert "c1 fits 3 answers" in caught.value.faults[0] and "give llm and embedding" in caught.value.faults[0]
    assert "give embedding" in caught.value.faults[1]
    assert len(caught.value.faults) == 2


def test_every_label_and_every_answer_is_accounted_for(tmp_path: Path) -> None:
    rows = [row(f"c{n}") for n in range(1, 6)] + [row("c6", status="ungraded", mean=None, decided_by="judge_failed")]
    lines = [
        ("c1", "pass", "ann"), ("c1", "pass", "bob"), ("c1", "fail", "cy"),  # two of three
        ("c2", "pass", "ann"), ("c2", "fail", "bob"),  # tied
        ("c3", "fail", "ann"), ("c3", "fail", "ann"),  # said twice
        ("c4", "", "ann"),  # not filled in
        ("c6", "pass", "ann"),  # no grade
        ("zz", "pass", "ann"),  # no answer
    ]  # fmt: skip
    text = "case_id,label,annotator\n" + "".join(",".join(line) + "\n" for line in lines)
    path = written(tmp_path, text)
    found = match(read_labels(path), rows, path)
    assert [(one.case_id, one.label) for one in found.used] == [("c1", "pass"), ("c3", "fail")]
    assert [one.case_id for one in found.tied] == ["c2"]
    assert [one.case_id for one in found.ungraded] == ["c6"]
    assert found.unmatched == ["line 11: zz"]
    assert (found.labels, found.blank, found.repeated) == (9, 1, 1)
    assert [one.case_id for one in found.unlabelled] == ["c4", "c5"]
    assert found.annotators == ["ann", "bob", "cy"]
    votes = sum(len(one.votes) for one in found.answers)
    assert found.labels == votes + len(found.unmatched) + found.repeated


def test_a_person_who_contradicts_himself_is_a_fault(tmp_path: Path) -> None:
    path = written(tmp_path, "case_id,label\nc1,pass\nc1,fail\n")
    with pytest.raises(DataError, match=r":3: c1 is 'fail', and an earlier line has labelled it 'pass'"):
        match(read_labels(path), [row("c1")], path)


def test_what_decided_names_the_lowest_criteria() -> None:
    low = Ratings(
        faithfulness="true", relevance="partially", completeness="false", clarity="true", keyword_match="false"
    )
    assert deciding(row("c", ratings=low)) == "mean (completeness, keyword match)"
    assert deciding(row("c", ratings=low, decided_by="faithfulness")) == "faithfulness"
    best = Ratings(faithfulness="true", relevance="true", completeness="true", clarity="true", keyword_match="true")
    assert deciding(row("c", ratings=best)) == "mean"


# The whole command


def judged_workspace(root: Path) -> Workspace:
    """Ten answers: 0.8 pass (c0 to c5), 0.3 fail (c6 to c8), and c9 without a grade."""
    texts = {f"Text {n}": ["tttt" if n < 6 else "tpff" if n < 9 else SPENT] for n in range(10)}
    space = workspace(root, [answer(n, f"Text {n}") for n in range(10)])
    run(space, VaryingJudge(texts), Settings())  # type: ignore[arg-type]
    return space


def label_file(folder: Path, fails: set[int]) -> Path:
    text = "case_id,label\n" + "".join(f"c{n},{int(n not in fails)}\n" for n in range(10))
    return written(folder, text)


def test_a_calibration_by_hand_and_what_it_writes(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path)
    before = {path: path.read_bytes() for path in space.verdicts("main").rglob("*") if path.is_file()}
    result = calibration.run(space, Settings(), label_file(tmp_path, {5, 6, 7}))
    # people fail c5, c6, c7; the judge c6, c7, c8
    one = result.overall
    assert (one.tp, one.fp, one.fn, one.tn) == (2, 1, 1, 5)
    assert (result.answers, len(result.ungraded), result.languages) == (9, 1, ("en",))
    assert {found.name: found.accuracy.n for found in result.criteria} == {
        "mean (keyword match)": 6,
        "mean (completeness, clarity, keyword match)": 3,
    }
    folder = space.audits("main") / "calibration"
    assert read_json(folder / "result.json", CalibrationResult) == result
    assert len(read_rows(folder / "labels.jsonl", LabelledAnswer)) == 10
    assert (folder / "to_label.csv").read_text(encoding="utf-8") == "case_id,llm,embedding,label,annotator\n"
    assert {path: path.read_bytes() for path in before} == before, "no verdict is changed"


def test_what_is_left_to_label_can_be_filled_in_and_read_again(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path)
    calibration.run(space, Settings(), written(tmp_path, "case_id,label\nc0,pass\n"))
    path = space.audits("main") / "calibration" / "to_label.csv"
    assert all(one.label is None for one in read_labels(path))
    filled = path.read_text(encoding="utf-8").replace(",,\n", ",fail,ann\n")
    again = calibration.run(space, Settings(), written(tmp_path, filled, "filled.csv"))
    assert (again.answers, again.overall.fn, again.overall.tp) == (8, 5, 3)


def test_nothing_to_use_is_refused_with_its_reason(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path)
    with pytest.raises(UsageError, match="1 match no answer of the run"):
        calibration.run(space, Settings(), written(tmp_path, "case_id,label\nzz,pass\n"))
    assert not (space.audits("main") / "calibration").exists()
    with pytest.raises(UsageError, match="at least 2"):
        calibration.run(space, Settings(), label_file(tmp_path, {1}), folds=1)
    unjudged = workspace(tmp_path / "other", [answer(1, "Two")])
    with pytest.raises(UsageError, match="ragtester judge"):
        calibration.run(unjudged, Settings(), label_file(tmp_path, {1}))


def test_the_document_holds_the_counts_and_names_who_was_left_out(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path)
    text = "case_id,label\nzz,pass\n" + label_file(tmp_path, {5}).read_text(encoding="utf-8").partition("\n")[2]
    document = calibration_document(calibration.run(space, Settings(), written(tmp_path, text)))
    said = " ".join(part.text for section in document.sections for part in section.parts if hasattr(part, "text"))
    assert "No answer for: line 2: zz." in said
    assert "Not graded: c9 (embedded:eager × embedded:hashing)." in said
    assert "One annotator" in said
    assert [cells[0] for cells in document.table("calibration-overall").rows][:4] == ["TP", "FP", "FN", "TN"]
    assert [cells[1] for cells in document.table("calibration-overall").rows][:4] == [0, 3, 1, 5]


# Fresh and stale


def test_a_calibration_is_fresh_until_the_oracle_changes(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path)
    assert calibration.calibration_status(space, "main").state == "none"
    calibration.run(space, Settings(), label_file(tmp_path, {5, 6, 7}))
    fresh = calibration.calibration_status(space, "main")
    assert (fresh.state, fresh.reasons) == ("fresh", ())
    assert fresh.text == (
        "Calibrated on 9 labelled answers: precision 2/3 = 66.7 % [20.8, 93.9], agreement 7/9 = 77.8 % [45.3, 93.7]."
    )


@pytest.mark.parametrize(
    ("judge", "models", "reason"),
    [
        ({"model": "openai:other"}, {}, "judged by openai:other"),
        ({}, {"prompt": "p2"}, "prompt has changed"),
        ({}, {"served": "judge-2027"}, "judged by judge-2027"),
        ({"pass_mean": 0.7}, {}, "judged with 0.7"),
        ({"repeats": 3}, {}, "judged with 3"),
    ],
)
def test_another_oracle_makes_it_stale(
    tmp_path: Path, judge: dict[str, Any], models: dict[str, str], reason: str
) -> None:
    space = judged_workspace(tmp_path)
    calibration.run(space, Settings(), label_file(tmp_path, {5}))
    texts: dict[str, Any] = {f"Text {n}": ["tttt"] for n in range(10)}
    made = VaryingJudge(texts, **models)
    run(space, made, parse_settings({"judge": judge}, "test"), overwrite=True)  # type: ignore[arg-type]
    if "served" in models:  # rows that hold are kept: the server must have been asked anew for its name to change
        (space.verdicts("main") / "manifest.json").unlink()
        for path in space.verdicts("main").rglob("*.jsonl"):
            path.unlink()
        run(space, VaryingJudge(texts, **models), Settings())  # type: ignore[arg-type]
    status = calibration.calibration_status(space, "main")
    assert status.state == "stale"
    assert any(reason in text for text in status.reasons), status.reasons
    assert "stale" in status.text


def test_a_judgement_that_has_not_ended_is_bound_by_its_rows(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path)
    path = space.verdicts("main") / "manifest.json"
    made = read_json(path, Manifest)
    assert made is not None
    write_json(path, made.model_copy(update={"models": {"embedded:judge": None}, "ended": None}))
    result = calibration.run(space, Settings(), label_file(tmp_path, {5}))
    assert result.served_judge == made.models["embedded:judge"] == "embedded:judge"
    assert any("has not ended" in note for note in result.notes)


def test_a_language_without_labels_makes_it_stale(tmp_path: Path) -> None:
    cases = [case(0), case(1, language="fr")]
    space = workspace(tmp_path, [answer(0, "Text 0"), answer(1, "Text 1")], cases)
    run(space, VaryingJudge({"Text 0": ["tttt"], "Text 1": ["tttt"]}), Settings())  # type: ignore[arg-type]
    calibration.run(space, Settings(), written(tmp_path, "case_id,label\nc0,pass\n"))
    assert calibration.calibration_status(space, "main").reasons == ("no label in fr",)


def test_one_runs_calibration_is_asked_about_another(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path)
    calibration.run(space, Settings(), label_file(tmp_path, {5}))
    assert calibration.calibration_status(space, "second", calibrated="main").state == "none", "nothing is judged there"
    (tmp_path / "verdicts" / "main").rename(tmp_path / "verdicts" / "second")
    assert calibration.calibration_status(space, "second", calibrated="main").state == "fresh"
    assert calibration.calibration_status(space, "second").state == "none"


def test_the_commands_of_a_user(tmp_path: Path) -> None:
    judged_workspace(tmp_path)
    text = label_file(tmp_path, {5}).read_text(encoding="utf-8")
    command = ["audit", "calibrate", "-w", str(tmp_path), "--labels", str(tmp_path / "labels.csv")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0
    assert "On 9 labelled answers the judge agrees with people in 5/9" in " ".join(done.stdout.split())
    assert "calibration -> " in done.stdout
    written(tmp_path, text + "zz,pass\n")
    assert CliRunner().invoke(app, command).exit_code == 3, "a label belongs to no answer"
    written(tmp_path, text + "c1,perhaps\n")
    failed = CliRunner().invoke(app, command).exception
    assert isinstance(failed, DataError) and failed.exit_code == 2
    assert "labels.csv:12: label 'perhaps' is none of" in str(failed)


def test_a_sheet_to_label_is_drawn_in_proportion_and_tells_no_verdict(tmp_path: Path) -> None:
    space = judged_workspace(tmp_path)
    path = tmp_path / "sheet.csv"
    # 6 passed and 3 failed; c9 has no grade and is not on the sheet
    assert calibration.write_sheet(space, Settings(), path, 6, 7) == 6
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    assert len({row["case_id"] for row in rows}) == 6
    assert sum(int(row["case_id"][1:]) < 6 for row in rows) == 4
    assert rows[0]["question"] == "How long is the log kept?"
    assert all(row["answer"] == f"Text {row['case_id'][1:]}" and row["label"] == "" for row in rows)
    assert "pass" not in path.read_text(encoding="utf-8") and "fail" not in path.read_text(encoding="utf-8")
    assert calibration.write_sheet(space, Settings(), tmp_path / "again.csv", 6, 7) == 6
    assert (tmp_path / "again.csv").read_bytes() == path.read_bytes()
    path.write_text(path.read_text(encoding="utf-8").replace(",,\n", ",pass,\n"), encoding="utf-8")
    result = calibration.run(space, Settings(), path)
    assert (result.overall.tn, result.overall.fp) == (4, 2)


def test_a_sheet_never_replaces_labels_and_its_cells_are_no_formulas(tmp_path: Path) -> None:
    space = workspace(tmp_path, [answer(1, '=HYPERLINK("http://x","six years")\x1b[31m')])
    run(space, FakeModels(), Settings())
    path = tmp_path / "sheet.csv"
    assert calibration.write_sheet(space, Settings(), path, None, 7) == 1
    text = path.read_text(encoding="utf-8")
    assert "'=HYPERLINK" in text and "\x1b" not in text
    with pytest.raises(UsageError, match="may hold labels"):
        calibration.write_sheet(space, Settings(), path, None, 7)
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("options", [[], ["--labels", "a.csv", "--sheet", "b.csv"]])
def test_labels_or_a_sheet_and_not_both(tmp_path: Path, options: list[str]) -> None:
    judged_workspace(tmp_path)
    assert CliRunner().invoke(app, ["audit", "calibrate", "-w", str(tmp_path), *options]).exit_code == 2

"""The report's page as text: figures, escapes, policy, size, and runs that lack something."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from random import Random
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester import Project
from ragtester.errors import MissingPackageError
from ragtester.records import (
    CLOSED_BOOK_SUFFIX,
    NO_RETRIEVAL,
    Case,
    Evidence,
    Rating,
)
from ragtester.report import write_report
from ragtester.report.choose import choose, tell
from ragtester.report.compared import compare_systems
from ragtester.report.coverage import make_strips
from ragtester.report.figures import Values
from ragtester.report.fit import fit
from ragtester.report.html import h, serialise, shown
from ragtester.report.islands import pack, unpack
from ragtester.report.kind_rule import kind_rule
from ragtester.report.page import SCRIPTS, asset, script
from ragtester.report.readability import band
from ragtester.report.words import dollars, duration, number
from ragtester.results import Result
from ragtester.results.tally import by
from ragtester.stages.compare.failure_kinds import Kind, failure_kind
from ragtester.storage import write_json
from tests import builders, compare_rows
from tests.report_workspace import RUN, TEXT, Built, audit_of, build, loaded
from tests.test_cli import ragtester

NBSP = "\N{NO-BREAK SPACE}"


class Reader(HTMLParser):
    """The page's words by section, its islands, and its tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.islands: dict[str, str] = {}
        self.words: dict[str, str] = {}
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._section, self._island = "", ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        if tag == "section":
            self._section = found.get("id") or ""
        self._island = (found.get("id") or "?") if tag in ("script", "style") else ""

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._island = ""

    def handle_data(self, data: str) -> None:
        if self._island:
            self.islands[self._island] = self.islands.get(self._island, "") + data
        else:
            self.words[self._section] = self.words.get(self._section, "") + data.replace(NBSP, " ")


def read(path: Path) -> Reader:
    return Reader(path.read_text(encoding="utf-8"))


def test_figures_by_hand(tmp_path: Path) -> None:
    # 2 LLMs x 2 embeddings x 2 documents x 4 cases = 32 rows. The first LLM fails case 4 of each document (4 rows), the
    # second cases 2 and 4 (8 rows). Row 0 is not on disk and row 1 has no grade: both passed otherwise.
    workspace = build(tmp_path, Built(skip={0}, ungraded={1}))
    assert loaded(workspace).notes == []
    page = read(write_report(workspace, loaded(workspace)).path)
    verdict = page.words["verdict"]
    assert "18 of 30 (60.0 % [42.3, 75.4]) graded answers passed." in verdict
    assert "2 of 32 planned answers count neither as pass nor as fail" in verdict
    assert re.search(r"not executed\s*no row on disk\s*1", verdict)
    assert re.search(r"timeout\s*no verdict\s*1", verdict)
    # 31 answers and 31 judgements are on disk; the ungraded one is not counted as a judgement paid for: 31 + 30 calls.
    assert "US$ 0.06" in verdict
    assert "3 min 20 s" in verdict
    # Rejection is case 3: 8 rows, of which the first LLM passes all and so does the second.
    assert "rejection (invented)" in page.words["breakdown"]
    assert "8/8 = 100.0 % [67.6, 100.0]" in page.words["breakdown"]
    # 12 failures are rated false in faithfulness, of 30 graded.
    assert "12/30 = 40.0 % [24.6, 57.7]" in page.words["criteria"]
    assert "The explorer holds every answer of the run: 32 rows." in page.words["explorer"]


def test_the_comparison_says_the_same(tmp_path: Path) -> None:
    results = loaded(build(tmp_path, Built(skip={0, 9}, ungraded={1})))
    tallies = by(results.open_book, lambda row: row.system)
    (ranking,) = compare_systems(results).rankings
    assert len(ranking.ranked) == 4
    for system, rate in ranking.ranked:
        assert tallies[system.llm, system.embedding].fail_rate == rate


def test_without_the_study_packages_systems_are_not_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise MissingPackageError(f"{name} is not installed; pip install 'ragtester-pipeline[study]'")

    monkeypatch.setattr("ragtester.statistics.comparison.load", absent)
    workspace = build(tmp_path)
    verdict = read(write_report(workspace, loaded(workspace)).path).words["verdict"]
    assert "20 of 32" in verdict
    assert "Systems are not compared: scipy.special is not installed" in verdict


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    workspace = build(tmp_path)
    first = write_report(workspace, loaded(workspace)).path.read_bytes()
    assert write_report(workspace, loaded(workspace)).path.read_bytes() == first


def test_nothing_comes_from_elsewhere(tmp_path: Path) -> None:
    workspace = build(tmp_path)
    page = read(write_report(workspace, loaded(workspace)).path)
    policy = next(found["content"] or "" for tag, found in page.tags if found.get("http-equiv"))
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for tag, found in page.tags:
        assert not found.keys() & {"src", "srcset", "style", "action", "data", "poster"}, (tag, found)
        assert not any(name.startswith("on") for name in found)
        assert tag not in ("img", "iframe", "link", "object", "base")
        assert (found.get("href") or "#").startswith("#")
    assert "</script" not in script().lower()
    assert "innerHTML" not in script()


def test_text_cannot_become_markup() -> None:
    evil = "</td><script>alert(1)</script> & \"quoted\" 'too' \u202e\ud800"
    text = serialise([h("p", evil, title=evil)])
    parsed = Reader(text)
    assert [tag for tag, _ in parsed.tags] == ["p"]
    assert parsed.words[""] == shown(evil)
    assert parsed.tags[0][1]["title"] == shown(evil)
    assert "⟨U+202E⟩⟨U+D800⟩" in html.unescape(text)


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=60))
def test_any_text_survives_an_island(text: str) -> None:
    packed = pack({"t": text})
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", packed)
    assert unpack(packed) == {"t": text} or any(0xD800 <= ord(character) <= 0xDFFF for character in text)


def test_islands_hold_what_the_explorer_shows(tmp_path: Path) -> None:
    workspace = build(tmp_path)
    page = read(write_report(workspace, loaded(workspace)).path)
    index = unpack(page.islands["index"])
    assert len(index["rows"]["case"]) == 32
    assert index["systems"][0] == ["openai:alpha", "openai:large", 0]
    block = unpack(page.islands["block-0"])
    row = block["rows"][0]
    assert row["answer"].startswith("The valve opens at 40 bar")
    assert block["chunks"][row["hits"][0][0]][:1] == ["pumps:c:0"]
    pieces = unpack(page.islands["text-0"])
    assert {piece[3] for piece in pieces} == {TEXT[: TEXT.index("Nobody")]}


def rows_of(count: int, seed: int = 1) -> list[Result]:
    draw = Random(seed)
    return [
        Result(
            run=RUN,
            case_id=str(number),
            document_id="d",
            source="manual",
            technique="ragtester",
            type="coverage",
            subtype="",
            language="en",
            llm=f"m{number % 3}",
            embedding="e",
            status="fail" if draw.random() < 0.3 else "pass",
        )
        for number in range(count)
    ]


def test_failures_come_before_passes_and_the_sample_is_proportional() -> None:
    rows = rows_of(900)
    failed = [row for row in rows if row.status == "fail"]
    some = choose(rows, 60, 7)
    assert len(some) == 60
    assert all(row.status == "fail" for row in some)
    for llm in ("m0", "m1", "m2"):
        share = sum(row.llm == llm for row in failed) / len(failed)
        assert abs(sum(row.llm == llm for row in some) - 60 * share) < 1  # largest remainder: within one row
    more = choose(rows, len(failed) + 10, 7)
    assert set(map(id, failed)) <= set(map(id, more))
    assert [row.case_id for row in more] == sorted((row.case_id for row in more), key=int)
    assert choose(rows, 900, 7) == tuple(rows)
    told = tell(rows, more, 7)
    assert f"{len(failed) + 10} of 900 rows" in told
    assert f"all {len(failed)} that failed or have no grade" in told
    assert "10 of" in told


def test_a_page_that_is_too_small_holds_a_part_and_says_so(tmp_path: Path) -> None:
    draw = Random(3)
    noise = tuple("".join(chr(draw.randrange(0x4E00, 0x9000)) for _ in range(400)) for _ in range(40))
    workspace = build(tmp_path, Built(cases=40, texts=noise))
    results = loaded(workspace)
    assert len(results.rows) == 320
    packed = fit(workspace, results, 200_000)
    assert len(packed.islands) < 200_000
    assert 20 < packed.rows < 320
    assert f"holds {packed.rows} of 320 rows" in packed.told[0]


def test_no_room_for_rows(tmp_path: Path) -> None:
    workspace = build(tmp_path)
    packed = fit(workspace, loaded(workspace), -1)
    assert packed.rows <= 1
    assert "of 32 rows" in packed.told[0]


def test_a_text_that_changed_is_not_quoted(tmp_path: Path) -> None:
    workspace = build(tmp_path)
    workspace.text_file("suite", "pumps").write_text("something else", encoding="utf-8")
    page = read(write_report(workspace, loaded(workspace)).path)
    # One chunk and one span of evidence of the changed document.
    assert "2 passages cannot be shown" in page.words["explorer"]
    assert {piece[0] for piece in unpack(page.islands["text-0"])} == {"ramps"}


def test_no_verdicts_yet(tmp_path: Path) -> None:
    workspace = build(tmp_path, Built(judged=False))
    page = read(write_report(workspace, loaded(workspace)).path)
    assert "None of the 32 planned answers has a grade yet" in page.words["verdict"]
    assert "not judged" in page.words["verdict"]
    assert "n/a" in page.words["verdict"]
    assert "0/0 = n/a" in page.words["verdict"]
    assert "its judgement was never started" in page.words["verdict"]
    assert len(unpack(page.islands["index"])["rows"]["case"]) == 32


def test_one_document_one_system_and_no_cases(tmp_path: Path) -> None:
    small = Built(llms=("a:b",), embeddings=("c:d",), documents=("only",), pages=False, cost=None, seconds=None)
    one = tmp_path / "one"
    one.mkdir()
    workspace = build(one, small)
    page = read(write_report(workspace, loaded(workspace)).path)
    assert "3 of 4 (75.0 % [30.1, 95.4]) graded answers passed." in page.words["verdict"]
    assert "Language model × embedding model" not in page.words["verdict"]
    assert "no price is known for any call" in page.words["verdict"]
    assert "not measured" in page.words["cost"]
    results = loaded(workspace)
    results.rows = []
    page = read(write_report(workspace, results).path)
    assert "there is nothing to decide from yet" in page.words["verdict"]
    assert "nothing to show" in page.words["breakdown"]
    assert unpack(page.islands["index"])["rows"]["case"] == []


def test_an_unequal_matrix_says_what_was_not_run(tmp_path: Path) -> None:
    workspace = build(tmp_path)
    results = loaded(workspace)
    results.rows = [row for row in results.rows if row.system != ("openai:beta", "openai:small")]
    page = read(write_report(workspace, results).path)
    assert "not run" in page.words["verdict"]
    # beta alone: 8 rows with one embedding, 4 failed.
    assert "4/8 " in page.words["verdict"]


def test_closed_book_is_apart(tmp_path: Path) -> None:
    workspace = build(tmp_path)
    build(tmp_path, Built(embeddings=(NO_RETRIEVAL,)), run=RUN + CLOSED_BOOK_SUFFIX)
    results = loaded(workspace)
    page = read(write_report(workspace, results).path)
    assert "20 of 32 (62.5 % [45.3, 77.1]) graded answers passed." in page.words["verdict"]
    assert NO_RETRIEVAL not in page.words["verdict"]
    assert "in no other figure of this page" in page.words["closed-book"]
    closed = [system for system in unpack(page.islands["index"])["systems"] if system[2]]
    assert {system[1] for system in closed} == {NO_RETRIEVAL}


@pytest.mark.parametrize(("judge", "stale"), [("openai:judge", False), ("openai:older", True)])
def test_the_precision_audit_is_shown_and_a_stale_one_is_named(tmp_path: Path, judge: str, stale: bool) -> None:
    workspace = build(tmp_path)
    assert "precision" not in read(write_report(workspace, loaded(workspace)).path).words
    write_json(workspace.audits(RUN) / "precision" / "result.json", audit_of(judge))
    words = read(write_report(workspace, loaded(workspace)).path).words["precision"]
    assert "Precision 3/4 = 75.0 % [30.1, 95.4]" in words
    assert ("Stale: audited with the judge openai:older, judged by openai:judge." in words) == stale


def test_an_audit_of_other_verdicts_says_what_changed(tmp_path: Path) -> None:
    # 12 failures were there when the audit was drawn; afterwards the first one passed.
    workspace = build(tmp_path)
    write_json(workspace.audits(RUN) / "precision" / "result.json", audit_of("openai:judge"))
    results = loaded(workspace)
    assert "Stale" not in read(write_report(workspace, results).path).words["precision"]
    place = next(place for place, row in enumerate(results.rows) if row.status == "fail")
    results.rows[place] = replace(results.rows[place], status="pass")
    words = read(write_report(workspace, results).path).words["precision"]
    assert "Stale: drawn from 12 failures, there are 11 now." in words
    assert "--overwrite" in words


def suite_case(**changes: object) -> Case:
    return builders.case("c", **{"sections": (3,), **changes})


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"flesch": -0.1}, "below 0"),
        ({"flesch": 29.96}, "0 to 30"),  # not rounded up into the next band
        ({"flesch": 30.0}, "30 to 50"),
        ({"flesch": 90.0}, "90 and more"),
        ({"type": "rejection", "sections": ()}, "no score: to be refused, so of no section"),
        ({"type": "baseline"}, "no score: baseline, made from the whole document"),
        ({"sections": (3, 4)}, "no score: of several sections"),
        ({"sections": ()}, "no score: made from no single section"),
        ({"language": "ja"}, "no score: no formula for ja"),
        ({}, "no score: a list, a table or too short"),
    ],
)
def test_a_case_has_a_band_or_the_reason_why_not(changes: dict[str, object], expected: str) -> None:
    assert band(suite_case(**changes)) == expected


def test_a_case_that_is_gone_has_no_score() -> None:
    assert band(None) == "no score: the suite no longer holds the case"


SPANS = tuple(Evidence(start=start, end=start + 5) for start in (0, 50))
PART: Rating = "partially"


@pytest.mark.parametrize(
    ("row", "evidence", "kind", "told"),
    [
        (compare_rows.row("c", type="rejection"), (), "hallucination", "must be refused"),
        (compare_rows.row("c", gold=None, gold_seen=None), SPANS[:1], "unknown", "no trace"),
        (compare_rows.row("c", gold=0, gold_seen=0), SPANS[:1], "unknown", "no chunk is known"),
        (compare_rows.row("c", gold=3, gold_seen=0), SPANS, "retrieval", "0 of 3 chunks"),
        (compare_rows.row("c", gold=3, gold_seen=2), SPANS, "integration", "2 of 3 chunks"),
        (
            compare_rows.row("c", gold=2, gold_seen=2, ratings=compare_rows.ratings(completeness=PART)),
            SPANS,
            "integration",
            "it takes 2 pieces of evidence, and the answer is incomplete without being unfaithful (completeness part",
        ),
        (compare_rows.row("c", gold=1, gold_seen=1), SPANS[:1], "comprehension", "wrong all the same"),
        (compare_rows.row("c", decided_by="refusal"), SPANS[:1], "comprehension", "no kind of its own"),
    ],
)
def test_a_kind_of_failure_says_its_rule(row: Result, evidence: tuple[Evidence, ...], kind: Kind, told: str) -> None:
    case = builders.case("c", evidence=evidence)
    assert failure_kind(row, case) == kind
    assert told in kind_rule(row, case, kind)


def links_of(page: Reader, section: str) -> list[dict[str, str]]:
    """The filters of the links into the explorer that stand in a section."""
    inside, found = "", []
    for tag, attributes in page.tags:
        inside = (attributes.get("id") or "") if tag == "section" else inside
        address = attributes.get("href") or ""
        if tag == "a" and inside == section and "=" in address:
            found.append(dict(parse_qsl(address[1:], strict_parsing=True)))
    return found


def test_counts_lead_to_their_answers(tmp_path: Path) -> None:
    workspace = build(tmp_path, Built(skip={0}, ungraded={1}))
    page = read(write_report(workspace, loaded(workspace)).path)
    assert {"status": "left", "document": "pumps"} in links_of(page, "breakdown")
    assert {"criterion": "faithfulness"} in links_of(page, "criteria")
    # Case 4 of a document has 80, and all fail it; case 2 has 40.
    bands = [filters["flesch"] for filters in links_of(page, "readability") if filters["status"] == "fail"]
    assert bands == ["30 to 50", "80 to 90"]
    system = "openai:alpha × openai:small"
    assert {"system": system, "kind": "comprehension"} in links_of(page, "kinds")
    assert {"document": "ramps", "status": "fail"} in links_of(page, "kinds")
    assert {"status": "missing", "why": "not executed"} in links_of(page, "verdict")
    offered = {found.get("id") for tag, found in page.tags if tag == "select"}
    for section in page.words:
        for filters in links_of(page, section):
            assert {f"filter-{key}" for key in filters} <= offered


def test_the_embedded_engine_is_named(tmp_path: Path) -> None:
    workspace = build(tmp_path, Built(llms=("embedded:rules", "openai:beta")))
    verdict = read(write_report(workspace, loaded(workspace)).path).words["verdict"]
    assert "The embedded engine took part: answering (embedded:rules)." in verdict


def test_strips_count_answers_where_their_evidence_stands(tmp_path: Path) -> None:
    workspace = build(tmp_path)
    (pumps, _) = make_strips(loaded(workspace))
    # Evidence of cases 1, 2 and 4 lies on page 2; 4 systems; failures: case 2 with 2 systems, case 4 with all.
    assert [(tally.failed, tally.passed) for tally in pumps.bins] == [(0, 0), (6, 6), (0, 0)]
    assert (pumps.cases, pumps.failed_cases, pumps.unplaced) == (4, 2, 1)


def test_numbers_in_words() -> None:
    assert (number(None), number(1234567), number(0.123456)) == ("n/a", "1,234,567", "0.123")
    assert (dollars(0.0), dollars(12.5), dollars(0.0012), dollars(None)) == (
        "US$ 0.00",
        "US$ 12.50",
        "US$ 0.0012",
        "n/a",
    )
    assert (duration(59), duration(200), duration(18720)) == ("59 s", "3 min 20 s", "5 h 12 min")
    values = Values()
    for value in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, None):
        values.add(value)
    spread = values.spread()
    assert (spread.n, spread.unknown, spread.p10, spread.middle, spread.p90) == (11, 1, 2.0, 6.0, 10.0)


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    digits = colour.lstrip("#")
    digits = "".join(2 * one for one in digits) if len(digits) == 3 else digits
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_of_every_pair() -> None:
    assert contrast("#000", "#fff") == pytest.approx(21)
    sheet = asset("report.css")
    themes = [dict(re.findall(r"--([a-z-]+): (#[0-9a-f]+)", part)) for part in re.findall(r":root \{([^}]*)\}", sheet)]
    assert len(themes) == 3  # light, dark, print
    for theme in (themes[0], themes[1], {**themes[0], **themes[2]}):
        for text in ("text", "muted", "link"):
            for ground in ("page", "card", "soft"):
                assert contrast(theme[text], theme[ground]) >= 4.5, (text, ground, theme)
        for text, ground in (("pass-text", "pass-soft"), ("fail-text", "fail-soft"), ("mark-text", "mark")):
            assert contrast(theme[text], theme[ground]) >= 4.5, (text, theme)
        for text in ("pass-text", "fail-text"):
            assert contrast(theme[text], theme["card"]) >= 4.5
        for mark in ("pass", "fail", "none", "part", "focus"):
            assert contrast(theme[mark], theme["card"]) >= 3, (mark, theme)
    steps = re.findall(r"\.step-\d \{ background: (#\w+); color: (#\w+); \}", sheet)
    assert len(steps) == 9
    for ground, text in steps:
        assert contrast(ground, text) >= 4.5, (ground, text)
    lights = [luminance(ground) for ground, _ in steps]
    assert lights == sorted(lights, reverse=True)  # the order is seen without colour


def test_the_command_writes_all_that_is_asked_for(tmp_path: Path) -> None:
    build(tmp_path)
    told = ragtester(tmp_path, "report", RUN, "-w", ".", "--junit", "out/j.xml", "--csv", "out/rows.csv")
    assert told.returncode == 0, told.stderr
    assert "32 of 32 rows in its explorer" in told.stdout
    for name in ("reports/run/report.html", "out/j.xml", "out/rows.csv"):
        assert (tmp_path / name).stat().st_size > 500
    missing = ragtester(tmp_path, "report", "nowhere", "-w", ".")
    assert missing.returncode == 2
    assert "no answers" in missing.stderr


def test_from_python(tmp_path: Path) -> None:
    build(tmp_path)
    written = Project(tmp_path).report(tmp_path / "page.html")
    assert (written.path, written.rows, written.of) == (tmp_path / "page.html", 32, 32)
    assert written.bytes == written.path.stat().st_size
    with pytest.raises(TypeError, match="unknown kind of file: pdf"):
        Project(tmp_path).report(pdf=tmp_path / "x")


def test_every_script_of_the_package_is_in_the_page() -> None:
    packaged = {file.name for file in files("ragtester.report").joinpath("assets").iterdir()}
    assert {name for name in packaged if name.endswith(".js")} == set(SCRIPTS)
    assert len(SCRIPTS) == len(set(SCRIPTS))
    assert all(asset(name).strip() in script() for name in SCRIPTS)

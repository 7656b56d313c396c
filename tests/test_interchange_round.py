"""What goes out comes back: every field that a format has a place for, in any script, with line breaks and formulas."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragtester.api import Project
from ragtester.interchange import ExportOptions, ImportOptions
from ragtester.interchange.formats import Container, FormatName, read_file
from ragtester.interchange.items import Item, Own, kind_of, parse_kind
from ragtester.interchange.templates import escaped, unescaped
from ragtester.interchange.writing import WRITTEN, text_of
from ragtester.interchange.yaml_files import dump
from ragtester.records import Case, Evidence, Origin, Span
from ragtester.text.normalise import clean
from tests.interchange_suite import FERRY, case, cases_of, make_suite

KINDS = [(name, container) for name, containers in WRITTEN.items() for container in containers]
NASTY = (
    *(
        "=1+1",
        "+49 30",
        "-5 °C",
        "@all",
        "'=already",
        "'",
        "\t=x",
        "null",
        "~",
        "no",
        "true",
        "1e3",
        "0o7",
        "#}",
        "007",
        "[1] See",
    ),
    *('["a"]', "file:///etc/passwd", "javascript:process.exit()", "package:x", "{{ env.KEY }}", "{% raw %}", "{#", "{"),
    *(
        "a\nb\n\nc",
        '"quoted", and ; more',
        "日本語のテキスト",
        "שלום",
        "e\u0301 🦆",
        "- list\n  key: value",
        "python:1",
        "a|b",
    ),
)
WORDS = st.one_of(st.sampled_from(NASTY), st.text(min_size=1, max_size=40)).map(lambda text: clean(text).strip())
TEXTS = st.lists(WORDS, min_size=1, max_size=3).map("".join).map(str.strip).filter(bool)
# What one line of a record may be: a word of ours.
NAMES = st.text("abcdefghij-", min_size=1, max_size=8)


@st.composite
def items(draw: st.DrawFn) -> Item:
    rejection = draw(st.booleans())
    contexts = () if rejection else tuple(draw(st.lists(TEXTS, max_size=3)))
    spans = tuple(Span(start=10 * at, end=10 * at + len(text)) for at, text in enumerate(contexts))
    own = Own(
        type="rejection" if rejection else draw(st.sampled_from(["complexity", "coverage", "baseline"])),
        subtype=draw(st.sampled_from(["", "multi", "invented"])),
        style=draw(st.sampled_from(["", "wh", "keyword"])),
        language=draw(st.sampled_from(["en", "no", "und"])),
        keywords=() if rejection else tuple(draw(st.lists(TEXTS, max_size=3))),
        evidence=spans,
        sections=tuple(draw(st.lists(st.integers(0, 9), max_size=2))),
        origin=draw(st.none() | st.builds(Origin, document_id=NAMES, start=st.just(1), end=st.just(5))),
        flesch=draw(st.none() | st.floats(-200, 200)),
        model=draw(st.sampled_from(["", "openai:gpt-4.1-mini"])),
    )
    name = draw(NAMES)
    return Item(name, draw(TEXTS), draw(TEXTS), contexts=contexts, document="boats/ferry.pdf", name=name, own=own)


def held(item: Item, name: FormatName) -> dict[str, Any]:
    """The fields that the format has a place for; a type that stands in one word is compared as that word."""
    values = {"question": item.question, "expected": item.expected_answer, "contexts": item.contexts}
    if name == "ragas":
        kind = item.kind or kind_of(item.own.type or "baseline", item.own.subtype)
        return {**values, "style": item.own.style, "kind": kind, "document": item.document}
    own = item.own.model_dump()
    if name == "csv":
        own["type"], own["subtype"] = None, item.kind or f"{own['type']}/{own['subtype']}".rstrip("/")
    return {**values, **own, "name": item.name, "document": item.document}


@pytest.mark.parametrize(("name", "container"), KINDS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.lists(items(), min_size=1, max_size=3))
def test_items_come_back_equal(name: FormatName, container: Container, tmp_path: Path, data: list[Item]) -> None:
    path = tmp_path / f"out.{container}"
    path.write_bytes(text_of(name, container, data).encode("utf-8"))
    found = read_file(path, name)
    assert [held(item, name) for item in found.items] == [held(item, name) for item in data]
    assert found.account.dropped == {}


@given(
    text=st.lists(
        st.sampled_from([*NASTY, "{", "}", "{{", '{{ "{" }}', '{{ "#" }}', '{{ "" }}', "%}", "#}"]), max_size=5
    ).map("".join)
)
def test_a_template_that_renders_to_the_text_is_read_back(text: str) -> None:
    out = escaped(text)
    assert unescaped(out) == text
    # Nothing that promptfoo would open or fill in is left but the two literals of ours.
    left = re.sub(r'\{\{ "[{#]" \}\}', " ", out.removeprefix('{{ "" }}'))
    assert not any(mark in left for mark in ("{{", "{%", "{#", "#}"))
    assert not out.lower().lstrip().startswith(("file:", "package:", "javascript:", "python:"))


def test_a_text_stays_a_text_for_readers_of_yaml_1_2() -> None:
    assert dump(["1e3", "0o7", "-.5", "12:30", "no", "14 minutes", "a1"]) == (
        "- '1e3'\n- '0o7'\n- '-.5'\n- '12:30'\n- 'no'\n- '14 minutes'\n- a1\n"
    )


@pytest.mark.parametrize(
    ("type_", "subtype", "word"),
    [
        ("coverage", "multi", "coverage/multi"),
        ("complexity", "", "complexity"),
        ("baseline", "multi_hop", "multi_hop"),
        ("baseline", "coverage", "baseline/coverage"),
        ("baseline", "a/b", "a/b"),
        ("rejection", "invented", "rejection/invented"),
    ],
)
def test_a_type_is_one_word(type_: str, subtype: str, word: str) -> None:
    assert kind_of(type_, subtype) == word
    known, rest = parse_kind(word)
    assert (known or "baseline", rest) == (type_, subtype)


SUITE = [
    case("How long?\nIn minutes.", "=14 minutes", 0, 46, 1),
    case("Ile kosztuje rower?", "2,50 €", 83, 136, 2).model_copy(
        update={
            "type": "coverage",
            "subtype": "multi",
            "keywords": ("2.50", "a, b; c"),
            "flesch": -3.25,
            "language": "pl",
        }
    ),
    case("Who built it?", "I don't know", 0, 0, 3).model_copy(
        update={
            "type": "rejection",
            "subtype": "cross_document",
            "origin": Origin(document_id="shed-rules", start=0, end=10),
        }
    ),
]
RAGAS_LACKS = ("keywords", "flesch", "origin", "language", "model")
FIELDS = (
    *("question", "expected_answer", "document_id", "type", "subtype", "style", "language", "keywords", "evidence"),
    *("sections", "origin", "flesch", "model", "document_sha256"),
)


@pytest.mark.parametrize(("name", "container"), KINDS)
def test_cases_of_a_suite_come_back(name: FormatName, container: Container, tmp_path: Path) -> None:
    pages = [one.model_copy(update={"evidence": _with_pages(one)}) for one in SUITE]
    workspace = make_suite(tmp_path, pages)
    project = Project(tmp_path)
    out = project.export_suite(tmp_path / f"out.{container}", ExportOptions(name))
    result = project.import_suite(tmp_path / f"out.{container}", ImportOptions(technique="back"))
    assert result.ledger.ok == result.ledger.planned == 3
    lacks = RAGAS_LACKS if name == "ragas" else ()
    assert set(out.dropped) - {"id"} == set(lacks)
    back = {one.question: one for one in cases_of(workspace, "main", "back")}
    for one in pages:
        for field in FIELDS:
            if field not in lacks:
                assert getattr(back[one.question], field) == getattr(one, field), field


def _with_pages(one: Case) -> tuple[Evidence, ...]:
    # The second page begins at 40: the first span lies on both, the second on the second alone.
    pages = {0: (1, 2), 83: (2,)}
    return tuple(span.model_copy(update={"pages": pages[span.start]}) for span in one.evidence)


def test_a_spreadsheet_computes_no_cell_of_the_plain_csv(tmp_path: Path) -> None:
    make_suite(tmp_path, [case('=HYPERLINK("http://x","y")', "@SUM(1)", 0, 46), case("'=quoted", "-a\n+b", 0, 46, 2)])
    found = Project(tmp_path).export_suite(None, ExportOptions("csv"))
    rows = list(csv.DictReader(io.StringIO(found.text)))
    assert rows[0]["question"] == '\'=HYPERLINK("http://x","y")'
    assert rows[0]["expected_answer"] == "'@SUM(1)"
    assert rows[0]["defused"] == "question expected_answer"
    assert rows[1]["question"] == "'=quoted"
    assert rows[1]["defused"] == "expected_answer"
    assert found.notes == ("3 cell(s) that a spreadsheet would compute begin with an apostrophe (column defused)",)
    assert FERRY[0:46] in rows[0]["contexts"]

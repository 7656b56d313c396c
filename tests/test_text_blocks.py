"""Tables, code and headings of a text: Markdown's marks as a Markdown parser sees them, the rest by hand."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ragtester.text.blocks import code_spans, table_spans
from ragtester.text.headings import heading_spans, paragraphs

LINES = st.lists(
    st.sampled_from(
        [
            "",
            "",
            "Words of prose that go on for quite a while, and then end here.",
            "# Title",
            "### Third",
            "#no title",
            "```",
            "```python",
            "~~~~",
            "~~~",
            "| a | b |",
            "| --- | :-: |",
            "x | y",
        ]
    ),
    max_size=14,
)


def parsed(lines: list[str], *kinds: str) -> list[tuple[int, int]]:
    """First and last line of each top-level block of a kind, as markdown-it maps them; fences that are closed."""
    found = []
    for token in MarkdownIt("commonmark").enable("table").parse("\n".join(lines)):
        if token.type not in kinds or token.map is None or token.level:
            continue
        first, after = token.map
        if token.type == "fence" and not (after - 1 > first and lines[after - 1].startswith(token.markup)):
            return []
        found.append((first, after - 1))
    return found


def spans(lines: list[str], of: list[tuple[int, int]]) -> list[tuple[int, int]]:
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    return [(starts[first], starts[last] + len(lines[last])) for first, last in of]


def is_closed(lines: list[str]) -> bool:
    """Whether every fence is closed: to a parser an open one swallows the rest, here it is a line like any other."""
    tokens = [one for one in MarkdownIt("commonmark").parse("\n".join(lines)) if one.type == "fence"]
    ends = [(one.map[1], one.markup, one.map[0]) for one in tokens if one.map is not None]
    return all(end - 1 > first and set(lines[end - 1]) == {mark[0]} for end, mark, first in ends)


@given(LINES)
def test_fences_and_marked_headings_are_those_of_a_markdown_parser(lines: list[str]) -> None:
    if not is_closed(lines):
        return
    text = "\n".join(lines)
    fences = spans(lines, parsed(lines, "fence"))
    assert [span for span in code_spans(text) if span in fences] == fences
    marked = [span for span in heading_spans(text, fences) if text.startswith(("# ", "### "), span[0])]
    assert marked == spans(lines, parsed(lines, "heading_open"))


@given(LINES)
def test_tables_of_a_markdown_parser_are_found(lines: list[str]) -> None:
    if not is_closed(lines):
        return
    text = "\n".join(lines)
    found = table_spans(text, code_spans(text))
    for start, end in spans(lines, parsed(lines, "table_open")):
        row = text[start:end].split("\n")
        if all("|" in line for line in row if line):
            assert any(first <= start and end <= last for first, last in found)


@given(st.lists(st.sampled_from(["a", "\n", " ", "\t", "b c"]), max_size=30).map("".join))
def test_paragraphs_are_the_whole_text(text: str) -> None:
    found = paragraphs(text)
    assert "".join(text[start:end] for start, end in found) == text
    assert all(text[start:end].strip() or (start, end) == found[0] for start, end in found)


def kept(text: str, found: list[tuple[int, int]]) -> list[str]:
    return [text[start:end] for start, end in found]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Run\n\n    make\n\n    make install\n\nand wait", ["    make\n\n    make install"]),
        ("- item\n\n    goes on\n", []),
        ("Text\n    goes on", []),
        # An open fence does not swallow the rest; its paragraph looks like code.
        ("```\nnever closed\n\nprose", ["```\nnever closed"]),
        ("````\n```\n````\nprose", ["````\n```\n````"]),
        ("prose\n\nint a = 1;\nreturn a;\n\nprose", ["int a = 1;\nreturn a;"]),
        ("A verse of\ntwo short lines", []),
    ],
)
def test_code(text: str, code: list[str]) -> None:
    assert kept(text, code_spans(text)) == code


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("So:\n| a | b |\n| 1 | 2 |\nEnd.", ["| a | b |\n| 1 | 2 |"]),
        ("a | b\n--|--\n1 | 2\n\nprose", ["a | b\n--|--\n1 | 2"]),
        ("use a | b here\nor c | d there", []),
        ("| one row alone |", []),
        ("```\n| a |\n| b |\n```", []),
        ("Part 1 2\nWheel 3 4\nMotor 5 6\n\nProse of the 7 days.", ["Part 1 2\nWheel 3 4\nMotor 5 6"]),
        ("The first line\nof an address", []),
        ("5.8. /var/lib : Variable data\n5.8.1. Purpose", []),
    ],
)
def test_tables(text: str, tables: list[str]) -> None:
    assert kept(text, table_spans(text, code_spans(text))) == tables


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("Title\n=====\n\nProse.\n\nPart\n----\n", ["Title\n=====", "Part\n----"]),
        ("a | b\n--- | ---\n", []),
        ("# One\n\nShort line\n\nProse.", ["# One"]),
        (
            "2.1 One\n\nProse.\n\n2.2 Two\nin two lines\n\nProse.\n\nOther\n\nA.3 Three",
            ["2.1 One", "2.2 Two\nin two lines", "A.3 Three"],
        ),
        # Measures, rows and sentences are no numbered headings.
        (
            "2.1 One\n\n2.2 Two\n\n2.3 Three\n\n1.5 2.5 3.5\n\n3.5 mm of steel\n\n4.2 A sentence. It ends",
            ["2.1 One", "2.2 Two", "2.3 Three"],
        ),
        ("Chapter 1\n\nProse.\n\nChapter 2\n\nProse.\n\nAnnex A\n\nProse.", ["Chapter 1", "Chapter 2", "Annex A"]),
        (
            "Purpose\n\nIt is said by\n\nSome One\n\nThat it ends.\n\nnot one\n\nParts",
            ["Purpose", "It is said by", "Some One", "Parts"],
        ),
    ],
)
def test_headings(text: str, headings: list[str]) -> None:
    assert kept(text, heading_spans(text)) == headings

"""Untrusted Markdown: what becomes HTML, and what stays text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtester.documents.figures import draw_png, parse_figure
from ragtester.documents.fonts import covered_characters, explain_missing, missing_characters
from ragtester.documents.layouts import page_footnotes, profile_names, stylesheet
from ragtester.documents.markdown_html import TAGS, clean_markdown, markdown_to_html
from ragtester.documents.readback import missing_text, visible_text
from ragtester.errors import UsageError


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def tags_of(markdown: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = _Tags()
    parser.feed(markdown_to_html(markdown).body)
    return parser.seen


@pytest.mark.parametrize(
    "raw",
    [
        "<script>alert(1)</script>",
        "<style>@import url('http://127.0.0.1/x.css'); body{display:none}</style>",
        '<link rel="attachment" href="file:///etc/hostname">',
        '<img src="file:///etc/hostname">',
        '<iframe src="file:///etc/hostname"></iframe>',
        '<svg><image href="file:///etc/hostname"/></svg>',
        "<!-- hidden -->",
        "<T>",
        "a<b and c>d",
        "<placeholder>",
    ],
)
def test_raw_html_is_shown_letter_for_letter(raw: str) -> None:
    safe = markdown_to_html(f"before\n\n{raw}\n\nafter")
    assert raw in visible_text(safe.body)[0]
    assert not {tag for tag, _ in tags_of(raw)} - {"p"}


@pytest.mark.parametrize(
    "target", ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "file:///etc/hostname", "data:text/html,x", "//host/x"]
)
def test_links_that_do_more_than_lead_to_a_page_lose_their_target(target: str) -> None:
    assert [attrs for tag, attrs in tags_of(f"[click]({target})") if tag == "a"] == [{}]


def test_ordinary_links_keep_theirs() -> None:
    assert ("a", {"href": "https://example.org/x"}) in tags_of("[page](https://example.org/x)")


def test_images_are_dropped_to_their_text_unless_they_carry_their_bytes() -> None:
    assert "img" not in [tag for tag, _ in tags_of("![the pixel](http://127.0.0.1:8089/leak.png)")]
    assert "the pixel" in visible_text(markdown_to_html("![the pixel](http://127.0.0.1/p.png)").body)[0]
    svg = "![x](data:image/svg+xml;base64,PHN2Zy8+)"
    assert "img" not in [tag for tag, _ in tags_of(svg)]
    assert "img" in [tag for tag, _ in tags_of("![x](data:image/png;base64,iVBORw0KGgo=)")]


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="<>/ab\"'=!-[]()`*_#|:&;\n x", max_size=120))
def test_no_input_gives_other_tags_or_attributes(text: str) -> None:
    for tag, attrs in tags_of(text):
        assert tag in TAGS
        assert not [name for name in attrs if name.startswith("on") or name == "style"]
        assert not re.match(r"\s*(javascript|file|data):", attrs.get("href") or "", re.I)


def test_control_characters_go_and_surrogates_become_visible() -> None:
    # NUL, vertical tab, byte-order mark, noncharacter, lone surrogate: five characters that no page can show.
    assert clean_markdown("a\x00\x0bb\ufeff\uffff\ud800\r\nc") == ("ab\ufffd\nc", 5)


def test_a_list_or_table_right_after_a_line_is_one() -> None:
    assert [tag for tag, _ in tags_of("Take:\n- one\n- two")] == ["p", "ul", "li", "li"]
    assert "table" in [tag for tag, _ in tags_of("Take:\n| a | b |\n|---|---|\n| 1 | 2 |")]
    assert "ul" not in [tag for tag, _ in tags_of("```\nTake:\n- one\n```")]


def test_a_table_of_too_many_columns_becomes_wrapped_text() -> None:
    row = "|" + "v|" * 40
    tags = [tag for tag, _ in tags_of(f"{row}\n|{'---|' * 40}\n{row}\n\nafter")]
    assert "table" not in tags
    assert "pre" in tags


def test_figures_are_taken_out_and_bad_ones_stay_visible() -> None:
    good = '```figure\n{"labels": ["a"], "values": [1], "caption": "One bar"}\n```'
    assert [spec.caption for spec in markdown_to_html(good).figures.values()] == ["One bar"]
    bad = markdown_to_html('```figure\n{"labels": ["a"], "values": [1, 2]}\n```')
    assert not bad.figures
    assert '"values": [1, 2]' in visible_text(bad.body)[0]


@pytest.mark.parametrize(
    "text",
    [
        '{"labels": [], "values": []}',
        '{"labels": ["a"], "values": [1e13]}',
        '{"labels": ["a"], "values": [NaN]}',
        '{"labels": ["a"], "values": [1], "code": "x"}',
        '{"labels": ["a"], "values": [-1], "kind": "pie"}',
        '{"labels": ' + str(["x"] * 25).replace("'", '"') + ', "values": ' + str([1] * 25) + "}",
        '{"labels": ["' + "x" * 61 + '"], "values": [1]}',
        " " * 9000,
        "not json",
    ],
)
def test_figures_outside_the_limits_are_not_drawn(text: str) -> None:
    assert parse_figure(text) is None


def test_dollar_signs_and_backslashes_in_figures_are_text() -> None:
    spec = parse_figure(r'{"title": "$\\frac{1}{0}$ and $5", "labels": ["$x^$", "b"], "values": [1, 2], "unit": "$"}')
    assert spec is not None
    assert draw_png(spec).startswith(b"\x89PNG")
    assert draw_png(spec) == draw_png(spec)


def test_footnotes_move_to_the_page_only_if_all_can() -> None:
    moved = page_footnotes(markdown_to_html("One[^a] two[^b].\n\n[^a]: First.\n[^b]: Second.").body)
    assert moved.count('<span class="note">') == 2
    assert "<div" not in moved
    long = markdown_to_html("One[^a] two[^b].\n\n[^a]: First.\n[^b]: Second:\n\n    - item\n").body
    assert page_footnotes(long) == long


def test_profiles_can_be_joined_and_unknown_ones_are_named() -> None:
    assert profile_names("tables+running_headers") == ("tables", "running_headers")
    assert "@bottom-right" in stylesheet("tables+running_headers", 3)
    with pytest.raises(UsageError, match="'tabels'"):
        profile_names("tabels")


def test_characters_without_a_font_are_found_and_named() -> None:
    if covered_characters() is None:
        pytest.skip("fc-list is not installed")
    # A noncharacter of the private use plane: no font draws it; letters and spaces are never missing.
    assert missing_characters("abc \u200b\U0010fffd") == "\U0010fffd"
    assert "fonts-noto-cjk" in explain_missing("中")
    assert "CJK" in explain_missing("中")


# --- read-back -------------------------------------------------------------------------------------------------------


def test_text_that_is_there_in_order_is_accepted_whatever_the_page_adds() -> None:
    body = "Every four weeks the ropes are measured. The limit is 40 millimetres. Nobody may go higher."
    first = "Manual 1 / 2\nEvery four weeks the\nropes are mea\nsured. The\nFooter text 9\n"
    page = first + "Manual 2 / 2\nlimit is 40 milli-\nmetres. Nobody may go higher. • 2."
    assert missing_text(body, page) is None


def test_missing_and_misplaced_text_is_found() -> None:
    body = (
        "First comes the introduction of the whole matter. Then comes the number 40. At last comes the end of it all."
    )
    assert missing_text(body, body.replace("Then comes the number 40.", "")) is not None
    assert missing_text(body, body.replace("number 40", "number 41")) is not None
    first, second, third = body.split(". ")
    assert missing_text(body, ". ".join([second, third, first])) is not None
    assert missing_text(body, "") is not None


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(alphabet="abcde ", min_size=1, max_size=30), max_size=12), st.data())
def test_the_comparison_always_ends_and_accepts_the_text_itself(parts: list[str], data: st.DataObject) -> None:
    text = " ".join(parts)
    assert missing_text(text, text) is None
    other = data.draw(st.text(alphabet="abcde ", max_size=200))
    missing_text(text, other)


def test_shared_hostile_file_shows_its_last_line() -> None:
    path = Path(__file__).parents[1].parent / "shared" / "cases" / "hostile.md"
    if not path.is_file():
        pytest.skip("the shared cases are not here")
    safe = markdown_to_html(path.read_text(encoding="utf-8"))
    assert "The visible last line." in visible_text(safe.body)[0]
    assert "alert(1)" in visible_text(safe.body)[0]

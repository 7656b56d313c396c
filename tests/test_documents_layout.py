"""Lines put together by hand become paragraphs; what stands between two lines is decided from their places."""

from __future__ import annotations

from ragtester.documents.furniture import remove_furniture
from ragtester.documents.hyphens import Hyphens
from ragtester.documents.layout import flow
from ragtester.documents.lines import Line, Page
from ragtester.documents.pdf import read_pdf

from .documents_helpers import Place, Styled, column, make_pdf

HEIGHT = 842.0
SIZE = 10.0
# Widths of the standard font in thousandths of its size, where they are not 556 (Adobe's font metrics).
HELVETICA = {" ": 278, ".": 278, ":": 278, "i": 222, "l": 222, "t": 278, "c": 500, "s": 500, "k": 500, "v": 500}
HELVETICA |= {"m": 833, "r": 333, "R": 722}


def line(text: str, top: float, left: float = 60, size: float = SIZE, *, opens_mono: bool = False) -> Line:
    """A line whose letters are all half as wide as the font is high."""
    return Line(text, left, left + 0.5 * size * len(text), top, top, size, opens_mono=opens_mono)


def lines(texts: list[str], top: float, left: float = 60, size: float = SIZE) -> list[Line]:
    return [line(text, top - 1.2 * size * number, left, size) for number, text in enumerate(texts)]


def text_of(*pages: list[Line]) -> str:
    return flow([Page(number, HEIGHT, page) for number, page in enumerate(pages, start=1)])[0]


PROSE = [
    "The pump of the upper deck is started by the engineer on duty,",
    "who writes the time and the pressure of both valves into a log",
    "and has the entry signed by the officer of the watch at noon.",
]


def test_a_footnote_does_not_interrupt_a_sentence_between_columns() -> None:
    before = [
        "Each valve has a number of its own. It is painted on the wheel",
        "in white and must be renewed as soon as it",
    ]
    before[1] = before[1].ljust(60, "x")
    note = lines(["1 See the rules of the harbour.", "Ask the master for a copy."], 150, size=7)
    after = ["cannot be read any more from a distance of two metres or so."]
    page = [*lines(PROSE, 300), *lines(before, 240), *note, *lines(after, 700, left=400)]
    assert text_of(page) == "\n\n".join(
        [
            " ".join(PROSE),
            "1 See the rules of the harbour. Ask the master for a copy.",
            " ".join([*before, *after]),
        ]
    )


def test_a_footnote_does_not_interrupt_a_sentence_between_pages() -> None:
    note = [line("2 Until May the limit was eight.", 80, size=7)]
    page = [*lines(PROSE[:1], 300), *lines(PROSE[:2], 260), *note]
    text, starts = flow([Page(1, HEIGHT, page), Page(2, HEIGHT, lines(PROSE[2:], 760))])
    assert text.endswith(f"2 Until May the limit was eight.\n\n{' '.join(PROSE)}")
    assert text[starts[1] :] == PROSE[2]


def test_a_table_under_its_head_is_no_footnote() -> None:
    head = "settings of the relief valves"
    rows = lines(["valve 1 12 bar", "valve 2 16 bar"], 160, size=8)
    text = text_of(
        [*lines(PROSE, 300), line(head, 180), *rows], [line(head, 760), *lines(["valve 3 9 bar"], 740, size=8)]
    )
    assert text.index("valve 2") > text.index(head)
    assert text.count(f"{head}\n") == 2


def test_entries_of_an_index_stay_apart() -> None:
    entries = [
        "anchor, 4, 17",
        "bilge pump of the engine room, 22–25",
        "cargo gear, see winches and their wires",
        "davit, 9",
    ]
    entries += ["emergency drive, 3, 31", "fairlead, 12"]
    assert text_of(lines(entries, 700)) == "\n".join(entries)


def test_bullets_begin_lines_however_full_the_line_before_is() -> None:
    items = ["• open the valve of the upper tank slowly and wait", "• read the gauge and write its value into log book"]
    assert text_of(lines(items * 2, 700)) == "\n".join(items * 2)


def test_words_in_a_wide_font_do_not_end_a_paragraph() -> None:
    """The edge is at 60 + 310; the line ends 40 points before it, the word has eight letters of 6 points."""
    page = lines([PROSE[0], PROSE[1][:54]], 700)
    page += [line("template names the form that is used for the cover page.", 676, opens_mono=True), *lines(PROSE, 664)]
    assert f"{PROSE[1][:54]} template names" in text_of(page)


def test_calls_below_each_other_stay_rows() -> None:
    rows = ["strlen(text) gives the number of characters in the text at hand"] * 3
    assert text_of(lines(rows, 700)) == "\n".join(rows)


def test_broken_names_with_a_capital_inside_are_joined_as_they_are_elsewhere() -> None:
    broken = "The Trace\ufffeMonkey engine. See TraceMonkey. A well\ufffeKnown case."
    assert Hyphens(broken).mend(broken) == "The TraceMonkey engine. See TraceMonkey. A well-Known case."


def test_a_compound_that_goes_on_keeps_its_hyphen() -> None:
    text = "the cost of the switch from interpreter\ufffeto-trace in the end and of the rest"
    assert "interpreter-to-trace" in Hyphens(text).mend(text)


def test_page_numbers_high_above_the_foot_go() -> None:
    pages = [Page(n, HEIGHT, [*lines(PROSE, 300), line(str(n), 140)]) for n in (1, 2, 3)]
    remove_furniture(pages)
    assert [len(page.lines) for page in pages] == [3, 3, 3]


def test_a_head_near_the_body_on_one_page_goes_as_it_does_on_the_others() -> None:
    head = "Operating rules of the ferry"
    pages = [Page(n, HEIGHT, [line(head, 800), *lines(PROSE, 760 if n != 4 else 784)]) for n in range(1, 9)]
    remove_furniture(pages)
    assert [len(page.lines) for page in pages] == [3] * 8


def test_a_line_with_bold_ends_only_is_no_heading() -> None:
    """Only the first and the last word of the middle line are bold."""
    first = "The tics are turned on by default and may be turned off by"
    middle: list[Place | Styled] = [
        (60.0, 686.0, "unset", 11.0, "bold"),
        (93.0, 686.0, "tics in the file or by hand, or else by an", 11.0, "plain"),
    ]
    page = [
        *column(60, 700, [first]),
        *middle,
        (292.0, 686.0, "unset", 11.0, "bold"),
        *column(60, 672, ["command at the prompt."]),
    ]
    assert (
        read_pdf(make_pdf([page])).text
        == f"{first} unset tics in the file or by hand, or else by an unset command at the prompt."
    )


def test_leaders_of_five_dots_and_of_ellipses_shrink() -> None:
    page = column(60, 700, ["1.1 Valves .....23", "1.2 Pumps ………………… 24", "1.3 Wires . . . . . 25"])
    assert read_pdf(make_pdf([page])).text.split("\n") == [
        "1.1 Valves .... 23",
        "1.2 Pumps .... 24",
        "1.3 Wires .... 25",
    ]


def test_raised_numbers_do_not_melt_into_what_they_follow() -> None:
    """Notes after a word, a full stop and a time; exponents after a letter, a unit and ten; an ordinary name."""
    cases = [("child", "1", "child[1]"), ("the sea.", "2", "the sea.[2]"), ("at 15:00", "4", "at 15:00[4]")]
    cases += [("12 km", "2", "12 km²"), ("the value R", "2", "the value R²"), ("about 10", "6", "about 10^6")]
    cases += [("prove it", "3", "prove it[3]")]
    page: list[Place | Styled] = []
    for number, (word, mark, _) in enumerate(cases):
        top = 700.0 - 40 * number
        width = sum(HELVETICA.get(letter, 556) for letter in word) * 11 / 1000
        page += [(60.0, top, word, 11.0, "plain"), (60.0 + width, top + 4, mark, 7.0, "plain")]
    page.append((60.0, 100.0, "form K2 and 8:304", 11.0, "plain"))
    expected = [text for _, _, text in cases]
    assert read_pdf(make_pdf([page])).text.split() == " ".join([*expected, "form K2 and 8:304"]).split()

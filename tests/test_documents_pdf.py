from __future__ import annotations

import zlib
from io import BytesIO

import pytest

from ragtester.documents import pdf as pdf_module
from ragtester.documents.lines import plain_page
from ragtester.documents.pdf import PdfText, read_pdf
from ragtester.documents.pypdf_reader import PypdfDocument
from ragtester.documents.unreadable import UnreadableError

from .documents_helpers import Place, Styled, assemble, column, make_pdf

FULL = [
    "The relief valve of pump seven is set to twelve bar and is",
    "checked by the shift engineer every ninety days, because a",
    "spring that has lost its tension opens the valve too early.",
]
NEXT = [
    "Coolant is drained in March. The tank holds 340 litres, and",
    "the drain plug is sealed with a lead tag that carries a date.",
]


def text_of(data: bytes) -> str:
    return read_pdf(data).text


def refusal(data: bytes) -> str:
    with pytest.raises(UnreadableError) as caught:
        read_pdf(data)
    assert "\n" not in caught.value.message
    return caught.value.type


def test_lines_become_paragraphs_and_pages_keep_their_places() -> None:
    data = make_pdf([[*column(60, 760, FULL), *column(60, 690, NEXT)], column(60, 760, ["A second page stands here."])])
    found = read_pdf(data)
    assert found.text == " ".join(FULL) + "\n\n" + " ".join(NEXT) + "\n\nA second page stands here."
    assert found.page_starts == (0, found.text.index("A second page"))
    assert found.warnings == ()


def test_a_paragraph_goes_on_over_the_page() -> None:
    data = make_pdf([column(60, 760, FULL[:2]), column(60, 760, FULL[2:])])
    found = read_pdf(data)
    assert found.text == " ".join(FULL)
    assert found.text[found.page_starts[1] :] == FULL[2]


def test_headings_lists_and_code_keep_their_lines() -> None:
    page: list[Place | Styled] = [
        (60.0, 780.0, "4 Relief valves", 16.0, "bold"),
        *column(60, 750, FULL),
        *[(70.0, y, t) for y, t in ((700.0, "• set the valve"), (686.0, "• seal the plug"), (672.0, "• sign the log"))],
        (60.0, 640.0, "for valve in valves:", 10.0, "mono"),
        (84.0, 628.0, "valve.set(12)", 10.0, "mono"),
    ]
    text = text_of(make_pdf([page]))
    assert text == (
        "4 Relief valves\n\n" + " ".join(FULL) + "\n\n• set the valve\n• seal the plug\n• sign the log\n\n"
        "for valve in valves:\n    valve.set(12)"
    )


def test_columns_are_read_one_after_the_other() -> None:
    left = ["The left column tells how the", "pump is started and what the", "engineer looks at before that."]
    right = ["The right column tells how it", "stopped last March, and longer", "than most people would expect."]
    text = text_of(make_pdf([[*column(60, 760, left), *column(320, 760, right)]]))
    assert text == " ".join(left) + "\n\n" + " ".join(right)


def test_columns_that_were_drawn_row_by_row_are_parted() -> None:
    left = [
        "The left column tells how the",
        "pump is started and what the",
        "engineer looks at before that.",
        "It also says who signs for it,",
        "and where the key of the room",
        "is kept during the long night,",
        "while the crew of the morning",
        "is still asleep in its cabins.",
    ]
    right = [
        "The right column tells how it",
        "stopped last March, and longer",
        "than most people would expect.",
        "Nobody was hurt in that event,",
        "but the pump was broken, which",
        "had to be replaced in a hurry,",
        "because the tank was more than",
        "half empty on the next evening.",
    ]
    rows = [cell for pair in zip(column(60, 760, left), column(320, 760, right), strict=True) for cell in pair]
    assert text_of(make_pdf([rows])) == " ".join(left) + "\n\n" + " ".join(right)


def test_tables_are_read_row_by_row() -> None:
    cells = [(f"V{n} relief valve", f"{n * 7} bar", f"every {n} days") for n in range(1, 12)]
    rows = [(60 + 160 * k, 760 - 14 * n, cell) for n, row in enumerate(cells) for k, cell in enumerate(row)]
    text = text_of(make_pdf([rows]))
    assert text.split("\n") == [" ".join(row) for row in cells]


def test_words_broken_at_line_ends() -> None:
    lines = [
        "The fire filter is difficult to refit, so that the main-",
        "tenance crew signs the certificate and keeps the ballast-",
        "control log of the ship. Well-known effects are listed too.",
    ]
    text = text_of(make_pdf([column(60, 760, lines)]))
    assert "the maintenance crew" in text
    assert "the ballast-control log" in text
    assert "Well-known" in text
    assert "\n" not in text


def body(number: int) -> list[str]:
    kinds = ["pump", "valve", "tank", "pipe", "mast", "keel", "deck", "hull"]
    kind = kinds[number % len(kinds)]
    return [
        f"The {kind} of this section is inspected every {number + 3} days and",
        f"the {kind} log is signed by two people.",
    ]


def test_running_heads_and_page_numbers_go_and_the_body_stays() -> None:
    pages = [
        [(60, 810, "Maintenance manual"), (500, 810, f"Page {n + 1}"), *column(60, 750, body(n)), (290, 40, str(n + 1))]
        for n in range(8)
    ]
    text = text_of(make_pdf(pages))
    assert text == "\n\n".join(" ".join(body(n)) for n in range(8))


def test_left_and_right_heads_and_a_lone_chapter_head_go() -> None:
    heads = [
        "Pumps",
        "Rivet plc",
        "Pumps",
        "Rivet plc",
        "Valves",
        "Rivet plc",
        "Pumps",
        "Rivet plc",
        "Pumps",
        "Rivet plc",
    ]
    pages = [[(60, 810, f"{head} {n + 1}"), *column(60, 750, body(n))] for n, head in enumerate(heads)]
    assert text_of(make_pdf(pages)) == "\n\n".join(" ".join(body(n)) for n in range(10))


def test_heads_that_name_the_document_and_the_chapter_go() -> None:
    chapters = ["1 Two lines", "3 Wind", "6 Inspection and ropes", "8 Fares"]
    heads = [f"Wendle Valley Cable Car: {chapter}" for chapter in chapters]
    pages = [[(60, 800, head), *column(60, 740, body(n))] for n, head in enumerate(heads)]
    assert text_of(make_pdf(pages)) == "\n\n".join(" ".join(body(n)) for n in range(4))


def test_repeated_body_lines_stay() -> None:
    notice = ["Wear gloves and a harness at all times on this deck."]
    pages: list[list[Place | Styled]] = [
        [
            (60.0, 790.0, "Safety notice", 16.0, "bold"),
            *column(60, 765, notice),
            *column(60, 720, body(n)),
            *column(60, 60, ["The inspector signs the log of the keel."]),
        ]
        for n in range(5)
    ]
    text = text_of(make_pdf(pages))
    assert text.count("Safety notice") == 5
    assert text.count(notice[0]) == 5


def test_numbers_of_the_body_at_the_foot_of_pages_stay() -> None:
    pages = [[*column(60, 760, body(n)), *column(60, 90, [value])] for n, value in enumerate(["340", "12", "77", "12"])]
    text = text_of(make_pdf(pages))
    assert [text.count(value) for value in ("340", "77")] == [1, 1]


def test_scanned_pages_are_named_and_a_scan_is_refused() -> None:
    drawing = "0 0 100 100 re f\n"
    found = read_pdf(make_pdf([column(60, 760, FULL), [], column(60, 760, NEXT)], extra=drawing))
    assert [(warning.type, warning.pages) for warning in found.warnings] == [("page_without_text", (2,))]
    assert found.page_starts[1] == found.page_starts[2]
    assert refusal(make_pdf([[], []], extra=drawing)) == "no_text_layer"


def test_a_blank_page_is_not_a_lost_page() -> None:
    assert read_pdf(make_pdf([column(60, 760, FULL), [], column(60, 760, NEXT)])).warnings == ()


def test_truncated_and_damaged_files() -> None:
    whole = make_pdf([column(60, 760, FULL)] * 3)
    assert refusal(whole[: len(whole) // 3]) == "truncated"
    assert refusal(b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 9 0 R >>\nendobj\nstartxref\n0\n%%EOF") == "damaged"


def test_bytes_before_the_header_and_a_missing_table_are_no_fault() -> None:
    whole = make_pdf([column(60, 760, FULL)])
    assert text_of(b"\r\n\r\nsome mail header\r\n" + whole) == " ".join(FULL)
    assert text_of(whole[: whole.index(b"xref\n")] + b"trailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF") == " ".join(
        FULL
    )


@pytest.mark.parametrize(
    ("user", "owner", "refused"), [("", "owner", False), ("rivet", "owner", True), ("é中", "o", True)]
)
def test_encrypted_files(user: str, owner: str, refused: bool) -> None:
    import pypdf

    writer = pypdf.PdfWriter(clone_from=BytesIO(make_pdf([column(60, 760, FULL)])))
    writer.encrypt(user_password=user, owner_password=owner, algorithm="AES-256")
    buffer = BytesIO()
    writer.write(buffer)
    if refused:
        assert refusal(buffer.getvalue()) == "needs_password"
    else:
        assert text_of(buffer.getvalue()) == " ".join(FULL)


def test_a_bad_page_costs_only_that_page() -> None:
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R 9 0 R] /Count 2 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources 6 0 R >>",
        b"<< /Length 45 >>\nstream\nBT /F 12 Tf 60 700 Td (Good page here.) Tj ET  \nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Font << /F 5 0 R >> >>",
    ]
    found = read_pdf(assemble(objects))
    assert found.text == "Good page here."
    assert [(warning.type, warning.pages) for warning in found.warnings] == [("page_lost", (2,))]


def test_surrogates_and_control_characters_from_a_font_map_are_dropped_and_counted() -> None:
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        b"1 begincodespacerange <00> <ff> endcodespacerange\n"
        b"2 beginbfchar <01> <D835> <02> <0007> endbfchar\nendcmap end end"
    )
    stream = b"BT /F 12 Tf 60 700 Td <72697665740120020363> Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources 7 0 R >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(cmap), cmap),
        b"<< /Font << /F 4 0 R >> >>",
    ]
    found = read_pdf(assemble(objects))
    assert found.text.encode("utf-8").startswith(b"rivet")
    assert found.dropped >= 2


def test_turned_pages_and_form_objects_read_like_others() -> None:
    upright = make_pdf([column(60, 760, FULL)])
    turned = upright.replace(b"/MediaBox [0 0 595 842]", b"/MediaBox [0 0 842 595]")
    for y in (760, 746, 732):
        turned = turned.replace(b"1 0 0 1 60 %d Tm" % y, b"0 1 -1 0 %d 60 Tm" % (900 - y))
    assert text_of(turned) == text_of(upright) == " ".join(FULL)


def test_the_second_reader_takes_a_page_that_the_first_garbles(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_pdf([column(60, 760, ["/g115/g101/g116 /g118/g97/g108 /g112/g117/g109/g112"]), column(60, 760, FULL)])
    monkeypatch.setattr(PypdfDocument, "read", lambda _, index: (plain_page(index + 1, "set the valve of the pump"), 0))
    found = read_pdf(data)
    assert found.text.startswith("set the valve of the pump")
    assert found.text.endswith(" ".join(FULL))
    assert [(warning.type, warning.pages) for warning in found.warnings] == [("page_second_reader", (1,))]


def test_readers_that_disagree_are_named_where_pages_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_pdf([column(60, 760, FULL)])
    assert read_pdf(data, compare_pages=1).warnings == ()
    other = "words that are nowhere on this page but which the other reader claims to have found there " * 2
    monkeypatch.setattr(PypdfDocument, "read", lambda _, index: (plain_page(index + 1, other), 0))
    found = read_pdf(data, compare_pages=1)
    assert found.text == " ".join(FULL)
    assert [(warning.type, warning.pages) for warning in found.warnings] == [("readers_disagree", (1,))]


def test_both_readers_give_the_same_words() -> None:
    data = make_pdf([[*column(60, 760, FULL), *column(60, 690, NEXT)]])
    by_first, by_second = read_pdf(data, "pdfium"), read_pdf(data, "pypdf")
    assert by_first.text.split() == by_second.text.split()
    assert isinstance(by_second, PdfText)


def test_an_ordinary_file_is_not_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(data: bytes) -> None:
        raise AssertionError("opened")

    monkeypatch.setattr(pdf_module, "PypdfDocument", fail)
    assert text_of(make_pdf([column(60, 760, FULL)])) == " ".join(FULL)


def test_a_compressed_bomb_of_a_page_is_survived() -> None:
    packed = zlib.compress(b" " * 50_000_000)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed),
    ]
    assert refusal(assemble(objects)) == "no_text_layer"

from __future__ import annotations

import os
import zipfile
from io import BytesIO
from pathlib import Path

import docx
import pytest

from ragtester.documents.formats import read_markdown, read_text
from ragtester.documents.html_reader import read_html
from ragtester.documents.reading import read_file
from ragtester.documents.unreadable import UnreadableError

from .documents_helpers import make_pdf


def test_markdown_stays_markdown_without_its_front_matter() -> None:
    table = "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n\n\n"
    raw = f"---\ntitle: Pump\n---\n# Pump\n\n{table}```py\nx = 1  \n```\n<b>di\ufb03cult</b>\n"
    assert read_markdown(raw.encode()).text == (
        "# Pump\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n```py\nx = 1\n```\n<b>difficult</b>"
    )


def test_a_rule_at_the_start_is_no_front_matter() -> None:
    raw = "---\nNo keys here, only text\n\n---\nand more"
    assert "No keys here" in read_markdown(raw.encode()).text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_with_a_mark_are_read_without_a_warning(encoding: str) -> None:
    found = read_text("Überdruck 12 bar, 中文\r\n".encode(encoding))
    assert (found.text, found.warnings) == ("Überdruck 12 bar, 中文", ())


def test_latin_text_is_read_with_a_warning_and_binary_is_refused() -> None:
    found = read_text("Überdruck von 12 bar – geprüft".encode("cp1252"))
    assert found.text == "Überdruck von 12 bar – geprüft"
    assert [warning.type for warning in found.warnings] == ["not_utf8"]
    with pytest.raises(UnreadableError) as caught:
        read_text(bytes(range(128, 160)) * 20 + b"\x01\x02\x03" * 30)
    assert caught.value.type == "not_utf8"


def test_wrapped_text_is_joined_and_lists_stay() -> None:
    raw = (
        "The relief valve of pump seven is set to twelve bar and is checked\n"
        "by the shift engineer every ninety days, because a worn-out spring\n"
        "opens the valve too early.\n\nWhat to do:\n- set the valve\n- seal the plug\n"
    )
    assert read_text(raw.encode()).text == (
        "The relief valve of pump seven is set to twelve bar and is checked by the shift engineer every ninety days, "
        "because a worn-out spring opens the valve too early.\n\nWhat to do:\n- set the valve\n- seal the plug"
    )


def test_html_gives_readable_text() -> None:
    raw = """<!DOCTYPE html><html><head><title>T</title><style>p{}</style></head><body>
    <nav><a href="/">Home</a></nav><script>alert("x")</script>
    <h1>Relief&nbsp;valves</h1><p>Set to <b>12</b> bar &amp; sealed.<br>Next line</p>
    <ul><li>one</li><li>two<ol><li>inner</li></ol></li></ul>
    <table><tr><th>Part</th><th>Bar</th></tr><tr><td>V7</td><td>12</td></tr></table>
    <pre>x = 1
  y = 2</pre><p style="display: none">hidden</p><footer>imprint</footer></body></html>"""
    assert read_html(raw.encode()).text == (
        "# Relief valves\n\nSet to 12 bar & sealed.\nNext line\n\n- one\n- two\n  1. inner\n\n"
        "| Part | Bar |\n| --- | --- |\n| V7 | 12 |\n\n```\nx = 1\n  y = 2\n```"
    )


@pytest.mark.parametrize(
    ("head", "encoding"),
    [('<meta charset="iso-8859-2">', "iso-8859-2"), ('<meta charset="shift_jis">', "shift_jis"), ("", "utf-8")],
)
def test_html_in_its_declared_charset(head: str, encoding: str) -> None:
    words = {"iso-8859-2": "Żółta łódź", "shift_jis": "日本語の文章", "utf-8": "Überdruck"}[encoding]
    raw = f"<html><head>{head}</head><body><p>{words}</p></body></html>".encode(encoding)
    assert read_html(raw).text == words


def test_html_without_text_is_refused() -> None:
    with pytest.raises(UnreadableError):
        read_html(b"<html><body><script>x</script></body></html>")


def docx_bytes() -> bytes:
    document = docx.Document()
    document.add_heading("Relief valves", level=2)
    document.add_paragraph("Set to 12 bar.")
    document.add_paragraph("seal the plug", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip([c for row in table.rows for c in row.cells], ["Part", "Bar", "V7", "12|13"], strict=True):
        cell.text = text
    document.add_paragraph("After the table.")
    buffer = BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_docx_keeps_the_order_of_its_body(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(docx_bytes())
    found = read_file(path)
    assert found.text == (
        "## Relief valves\n\nSet to 12 bar.\n\n- seal the plug\n\n| Part | Bar |\n| --- | --- |\n| V7 | 12\\|13 |\n\n"
        "After the table."
    )
    assert (found.format, found.page_starts) == ("docx", ())


def test_a_docx_bomb_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * 60_000_000)
    with pytest.raises(UnreadableError, match="zip bomb"):
        read_file(path)


def test_a_docx_with_entities_of_its_own_is_not_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the key of the safe", encoding="utf-8")
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(BytesIO(docx_bytes())) as honest, zipfile.ZipFile(path, "w") as archive:
        for name in honest.namelist():
            data = honest.read(name)
            if name == "word/document.xml":
                body = data[data.index(b"<w:document") :].replace(b"<w:t>", b"<w:t>&x;", 1)
                data = b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "%s">]>' % secret.as_uri().encode() + body
            archive.writestr(name, data)
    with pytest.raises(UnreadableError, match="entities"):
        read_file(path)


def test_deep_html_loses_its_structure_or_is_refused_but_never_loses_text(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<html><body>" + "<b>" * 900 + "valve<script>x</script>", encoding="utf-8")
    assert read_file(path).text == "valve"
    path.write_text("<html><body>" + "<div>" * 1_000_000 + "valve", encoding="utf-8")
    with pytest.raises(UnreadableError, match="nested"):
        read_file(path)


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").mkdir()
    os.mkfifo(tmp_path / "a.txt")
    for name in ("a.pdf", "a.txt"):
        with pytest.raises(UnreadableError, match="no regular file"):
            read_file(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "data", "type_", "said"),
    [
        ("a.pdf", b"", "empty_file", "empty"),
        ("a.md", b"\xef\xbb\xbf \n\n", "empty_file", "empty"),
        ("a.pdf", b"<!DOCTYPE html><html><body>404</body></html>", "mislabelled", "an HTML page"),
        ("a.pdf", b"\x89PNG\r\n\x1a\n0000", "mislabelled", "a PNG image"),
        ("a.pdf", docx_bytes(), "mislabelled", "a Word document"),
        ("a.pdf", b"Dear Sir, this is only a letter.", "mislabelled", "plain text"),
        ("a.docx", make_pdf([[(60, 700, "text")]]), "mislabelled", "a PDF"),
        ("a.docx", b"PK\x03\x04 broken", "mislabelled", "a damaged ZIP archive"),
        ("a.txt", make_pdf([[(60, 700, "text")]]), "mislabelled", "a PDF"),
        ("a.html", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "mislabelled", "an old or encrypted Office file"),
        ("a.xls", b"anything", "unsupported", ".xls"),
    ],
)
def test_files_that_are_not_what_they_say(tmp_path: Path, name: str, data: bytes, type_: str, said: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UnreadableError, match=said) as caught:
        read_file(tmp_path / name)
    assert caught.value.type == type_
    assert "\n" not in caught.value.message

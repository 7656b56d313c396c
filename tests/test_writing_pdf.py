"""Markdown to PDF and back: nothing is fetched, nothing leaves the page, nothing is lost."""

from __future__ import annotations

import io
import threading
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pypdf
import pypdfium2
import pytest

from ragtester.documents.files import find_files
from ragtester.documents.readback import compare_pdf, pdf_text
from ragtester.documents.render import Rendered, RenderError, render_pdf
from ragtester.documents.render_child import answer
from ragtester.provenance import sha256_file
from ragtester.records import Manifest
from ragtester.storage import read_json

SHARED = Path(__file__).parents[1].parent / "shared" / "cases"


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """A loopback server that remembers who asked; nobody may."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    httpd = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_port}", asked
    httpd.shutdown()
    httpd.server_close()
    thread.join()


def render_here(markdown: str, profile: str = "plain", seed: int = 0) -> Rendered:
    """Render in this process: quicker than a process a test, the same code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        head, pdf = answer({"markdown": markdown, "profile": profile, "language": "en", "seed": seed})
    return Rendered(pdf=pdf, **head["rendered"])


def lost(rendered: Rendered) -> str | None:
    return compare_pdf(rendered.html, pdf_text(rendered.pdf))


def right_edges(pdf: bytes) -> list[float]:
    """Share of the page width at which each character ends, over all pages."""
    edges = []
    document = pypdfium2.PdfDocument(pdf)
    for page in document:
        text = page.get_textpage()
        width = page.get_width()
        edges += [
            text.get_charbox(i)[2] / width for i in range(text.count_chars()) if text.get_text_range(i, 1).strip()
        ]
        text.close()
        page.close()
    document.close()
    return edges


def test_hostile_markdown_fetches_and_embeds_nothing(server: tuple[str, list[str]]) -> None:
    host, asked = server
    markdown = f"""# Report

<style>@import url('{host}/leak.css'); body{{display:none}}</style>
<link rel="stylesheet" href="{host}/leak.css"> <link rel="attachment" href="file:///etc/hostname">
<img src="{host}/a.png"> <object data="{host}/o"></object> <base href="{host}/">
<svg><image xlink:href="{host}/s.png"/></svg>

![pixel]({host}/leak.png) ![own](data:image/svg+xml;base64,PHN2Zy8+)

[attachment](file:///etc/hostname) [click](javascript:alert(1))

<div style="background: url({host}/b.png)">styled</div>

The visible last line.
"""
    rendered = render_pdf(markdown)
    assert asked == []
    assert lost(rendered) is None
    reader = pypdf.PdfReader(io.BytesIO(rendered.pdf))
    assert not reader.attachments
    assert b"/Filespec" not in rendered.pdf
    assert "The visible last line." in pdf_text(rendered.pdf)


@pytest.mark.parametrize("profile", ["plain", "two_columns", "running_headers+tables", "small_print"])
def test_long_code_and_wide_tables_stay_inside_the_page(profile: str) -> None:
    cells = 12
    wide = "| " + " | ".join(f"column{i}" for i in range(cells)) + " |\n|" + "---|" * cells
    wide += "\n| " + " | ".join("valuewithoutanyspace" for _ in range(cells)) + " |"
    markdown = f"# Width\n\n```\nx = {'a' * 300} END\n```\n\n{'b' * 300}\n\n{wide}\n\nNote[^1].\n\n[^1]: {'c' * 200}\n"
    rendered = render_here(markdown, profile)
    assert max(right_edges(rendered.pdf)) < 0.97
    assert lost(rendered) is None


def test_many_columns_stay_inside_the_page() -> None:
    markdown = "# W\n\n|" + "c|" * 60 + "\n|" + "---|" * 60 + "\n|" + "value|" * 60 + "\n\nEND"
    assert max(right_edges(render_here(markdown).pdf)) < 0.97


def test_notes_figures_lists_and_headers_survive_the_round_trip() -> None:
    figure = '```figure\n{"labels": ["a", "b"], "values": [1, 2], "caption": "Two bars & a <caption>"}\n```'
    section = (
        "## Part {n}\n\nThe value of part {n} is {n}.5 bar[^{n}].\n\n- item {n}a\n- item {n}b\n\n"
        + "Filling text. " * 60
    )
    notes = "\n".join(f"[^{n}]: Not in year {n}." for n in range(1, 7))
    markdown = "# All\n\n" + figure + "\n\n" + "\n\n".join(section.format(n=n) for n in range(1, 7)) + "\n\n" + notes
    rendered = render_here(markdown, "running_headers+small_print", 3)
    assert lost(rendered) is None
    assert "Two bars & a <caption>" in pdf_text(rendered.pdf).replace("\r\n", " ")
    # A page that lost one note is noticed.
    assert compare_pdf(rendered.html.replace("Not in year 4.", "Not in year 4 or 9."), pdf_text(rendered.pdf))


@pytest.mark.parametrize("name", ["hostile", "scripts", "control"])
def test_shared_cases_render_and_read_back(name: str) -> None:
    path = SHARED / f"{name}.md"
    if not path.is_file():
        pytest.skip("the shared cases are not here")
    rendered = render_here(path.read_text(encoding="utf-8"))
    assert lost(rendered) is None
    if name == "scripts" and rendered.missing_characters:
        assert set(rendered.missing_characters) <= set(path.read_text(encoding="utf-8"))
    if name == "control":
        assert rendered.cleaned_characters == 3


def test_a_text_that_mostly_lacks_fonts_is_refused_with_the_reason() -> None:
    with pytest.raises(RenderError, match="no font for 1 character") as caught:
        render_pdf("# T\n\n" + "\U0010fffd" * 50)
    assert caught.value.type == "no_font"


@pytest.mark.parametrize(("text", "type_"), [("", "empty"), (" \n\t", "empty"), ("x" * 4_000_001, "too_long")])
def test_empty_and_endless_texts_are_named(text: str, type_: str) -> None:
    with pytest.raises(RenderError) as caught:
        render_pdf(text)
    assert caught.value.type == type_


def test_a_text_that_never_ends_is_stopped() -> None:
    with pytest.raises(RenderError) as caught:
        render_pdf(">" * 1_000_000, seconds=3)
    assert caught.value.type == "timeout"


def test_deep_nesting_costs_the_document_alone() -> None:
    deep = "\n".join("    " * level + f"- level {level}" for level in range(150))
    try:
        rendered = render_pdf(deep, seconds=30)
    except RenderError as error:
        assert error.type in {"crash", "timeout"}
    else:
        assert rendered.pages >= 1


def test_the_same_text_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    markdown = '# Same\n\nText.\n\n```figure\n{"labels": ["a"], "values": [1]}\n```\n'
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    first = render_pdf(markdown, profile="running_headers", seed=5)
    monkeypatch.setenv("PYTHONHASHSEED", "2")
    assert render_pdf(markdown, profile="running_headers", seed=5).pdf == first.pdf


def test_the_sample_corpus_is_what_its_sources_say() -> None:
    folder = Path(__file__).parents[1] / "corpora" / "sample"
    manifest = read_json(folder / "manifest.json", Manifest)
    assert manifest is not None
    assert len(manifest.counts["documents"]) == 4
    for entry in manifest.counts["documents"]:
        source = (folder / entry["markdown"]).read_text(encoding="utf-8")
        assert sha256_file(folder / entry["file"]) == entry["pdf_sha256"]
        assert sha256_file(folder / entry["markdown"]) == entry["markdown_sha256"]
        # Fonts differ by machine, and with them the bytes and the line ends; the words do not.
        fresh = render_here(source, entry["profile"], entry["seed"])
        committed = (folder / entry["file"]).read_bytes()
        assert compare_pdf(fresh.html, pdf_text(committed)) is None
        assert compare_pdf(fresh.html, pdf_text(fresh.pdf)) is None
        assert fresh.pages == pytest.approx(entry["pages"], abs=1)


def test_sources_of_the_sample_are_not_documents_of_their_own() -> None:
    folder = Path(__file__).parents[1] / "corpora"
    names = sorted(file.path.name for file in find_files([str(folder / "sample")], folder))
    assert names == [
        "cable-car-operating-rules.pdf",
        "choir-trip-circular.txt",
        "data-logger-k2-data-sheet.pdf",
        "hausordnung-lindenhof.pdf",
        "kitchen-hygiene-plan.md",
        "swimming-hall-energy-report.pdf",
    ]

"""The process that renders one document: JSON on stdin, one JSON line and the PDF on stdout."""

from __future__ import annotations

import json
import logging
import re
import sys
import warnings
from typing import Any

MEMORY_BYTES = 3_000_000_000
# A text that loses more than this share of its letters, and more than a few, is not the document any more.
MISSING_SHARE = 0.05
FEW = 20
REPLACEMENT = "\ufffd"


def main() -> None:
    """Read the request, render, answer; expected troubles are answers, not exits."""
    _limit_memory()
    warnings.simplefilter("ignore")
    logging.getLogger("weasyprint").setLevel(logging.CRITICAL)
    logging.getLogger("fontTools").setLevel(logging.CRITICAL)
    request = json.loads(sys.stdin.buffer.read())
    head, pdf = answer(request)
    sys.stdout.buffer.write(json.dumps(head).encode("ascii") + b"\n" + pdf)


def answer(request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Head and PDF; the head names a missing library or package, or a failure, where there is no PDF."""
    try:
        import markdown  # noqa: F401
        import matplotlib as mpl  # noqa: F401
        import weasyprint  # noqa: F401
    except ImportError as error:
        return {"missing_package": str(error)[:200]}, b""
    except OSError as error:
        return {"missing_library": str(error).splitlines()[0][:200]}, b""
    try:
        return _render(**request)
    except RecursionError:
        return {"failure": ["crash", "the text is nested too deeply"]}, b""
    except MemoryError:
        return {"failure": ["crash", "the text needs too much memory"]}, b""


def _render(markdown: str, profile: str, language: str, seed: int) -> tuple[dict[str, Any], bytes]:
    from ragtester.documents.fonts import explain_missing, missing_characters
    from ragtester.documents.layouts import page_html, stylesheet
    from ragtester.documents.markdown_html import clean_markdown, markdown_to_html

    markdown, cleaned = clean_markdown(markdown)
    missing = missing_characters(markdown)
    if missing:
        letters = [char for char in markdown if not char.isspace()]
        lost = sum(1 for char in letters if char in set(missing))
        if lost > MISSING_SHARE * len(letters) and lost > FEW:
            return {"failure": ["no_font", explain_missing(missing)]}, b""
        markdown = markdown.translate(dict.fromkeys(map(ord, missing), REPLACEMENT))
    safe = markdown_to_html(markdown)
    heading = re.search(r"<h1[^>]*>(.*?)</h1>", safe.body, re.S)
    title = re.sub(r"<[^>]+>", "", heading[1]) if heading else "Document"
    html = page_html(safe, profile, title, language)
    pdf, pages = _write(html, stylesheet(profile, seed))
    if pages == 0:
        return {"failure": ["empty", "there is no visible text to write"]}, b""
    shown = re.sub(r'src="data:[^"]*"', 'src=""', html)
    rendered = {
        "lost": _lost(shown, pdf),
        "html": shown,
        "pages": pages,
        "missing_characters": missing or "",
        "fonts_checked": missing is not None,
        "cleaned_characters": cleaned,
    }
    return {"rendered": rendered}, pdf


def _lost(html: str, pdf: bytes) -> str:
    """What our own reader does not get back from the PDF; empty where all text comes back in order."""
    from ragtester.documents.readback import compare_pdf, pdf_text
    from ragtester.documents.unreadable import UnreadableError

    try:
        return compare_pdf(html, pdf_text(pdf)) or ""
    except UnreadableError as error:
        return f"our own reader gets nothing from the PDF: {error}"


def _write(html: str, css: str) -> tuple[bytes, int]:
    """PDF bytes that depend on the page and the fonts alone: fixed identifier, no dates, no fetches but data."""
    import hashlib

    from weasyprint import CSS, HTML
    from weasyprint.text.fonts import FontConfiguration
    from weasyprint.urls import URLFetcher

    fonts = FontConfiguration()
    fetcher = URLFetcher(allowed_protocols=("data",))
    document = HTML(string=html, base_url=None, url_fetcher=fetcher).render(
        stylesheets=[CSS(string=css, font_config=fonts, url_fetcher=fetcher)], font_config=fonts
    )
    identifier = hashlib.sha256((html + css).encode("utf-8", "replace")).hexdigest()[:32]
    pdf = document.write_pdf(pdf_identifier=identifier.encode("ascii"))
    return bytes(pdf or b""), len(document.pages)


def _limit_memory() -> None:
    """Keep a runaway text from taking the machine down; systems without such limits go on without one."""
    try:
        import resource
    except ImportError:
        return
    _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard in (resource.RLIM_INFINITY, -1) or hard > MEMORY_BYTES:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, hard))


if __name__ == "__main__":
    main()

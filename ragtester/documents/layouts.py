"""Layout profiles of written documents: which styles a page gets, and the HTML around the body.

A profile is a name or several joined with `+` (`tables+running_headers`). The seed varies what a profile leaves open.
"""

from __future__ import annotations

import base64
import random
import re
from pathlib import Path

from ragtester.documents.figures import FigureSpec, draw_png
from ragtester.documents.markdown_html import SafeHtml, escape
from ragtester.errors import UsageError
from ragtester.settings import PROFILES

STYLES = Path(__file__).parent / "styles"
WIDE_COLUMNS = 9
PAGES = ("A4", "A4", "letter", "A5")
# Layouts that need the width of a full page.
NEED_WIDTH = frozenset({"two_columns", "tables", "figures"})
FAMILIES = (
    '"DejaVu Serif", "Noto Serif", "Liberation Serif", serif',
    '"DejaVu Sans", "Noto Sans", "Liberation Sans", sans-serif',
)
_TABLE = re.compile(r"<table>(?=\s*<thead>\s*<tr>(.*?)</tr>)", re.S)
_NOTE = re.compile(r'<li id="fn:([^"]+)">(.*?)</li>', re.S)
_REFERENCE = re.compile(r'<sup id="fnref\d*:([^"]+)"><a[^>]*>[^<]*</a></sup>')
_NOTES = re.compile(r'<div class="footnote">\s*<hr>\s*<ol>(.*?)</ol>\s*</div>', re.S)


def profile_names(profile: str) -> tuple[str, ...]:
    """The parts of a profile; raises UsageError for one that does not exist."""
    names = tuple(part.strip() for part in profile.split("+") if part.strip())
    unknown = [name for name in names if name not in PROFILES]
    if unknown or not names:
        raise UsageError(f"unknown layout profile {(unknown or [profile])[0]!r}; known: {', '.join(PROFILES)}")
    return names


def stylesheet(profile: str, seed: int) -> str:
    """CSS of a profile. Nothing in it comes from the document."""
    names = profile_names(profile)
    pick = random.Random(f"layout {seed}")  # noqa: S311 - reproducible, not secret
    family = pick.choice(FAMILIES)
    issued = f"{pick.choice(('QM', 'DOC', 'REF', 'AZ'))} {pick.randint(100, 999)}-{pick.randint(10, 99)}"
    size = "A4" if NEED_WIDTH & set(names) else pick.choice(PAGES)
    head = f':root {{ --family: {family}; --issued: "{issued}"; }}\n'
    sheets = [(STYLES / f"{name}.css").read_text(encoding="utf-8") for name in ("base", *names)]
    # Margin boxes inherit from the page, not from the root element, so the values are written in.
    text = head + "\n".join(sheets) + f"\n@page {{ size: {size}; font-family: {family}; }}\n"
    return text.replace("var(--issued)", f'"{issued}"')


def page_html(safe: SafeHtml, profile: str, title: str, language: str) -> str:
    """The whole HTML page: body with figures drawn, wide tables marked, footnotes where the profile wants them."""
    body = safe.body
    for mark, spec in safe.figures.items():
        figure = figure_html(spec)
        body = body.replace(f"<p>{mark}</p>", figure).replace(mark, escape(spec.caption))
    body = _TABLE.sub(_mark_wide, body)
    if "small_print" in profile_names(profile):
        body = page_footnotes(body)
    return (
        f'<!DOCTYPE html><html lang="{escape(language)}"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title></head><body>{body}</body></html>"
    )


def figure_html(spec: FigureSpec) -> str:
    """A figure with its caption; the picture is part of the page."""
    picture = base64.b64encode(draw_png(spec)).decode("ascii")
    caption = f"<figcaption>{escape(spec.caption or spec.title)}</figcaption>" if spec.caption or spec.title else ""
    return f'<figure><img alt="" src="data:image/png;base64,{picture}">{caption}</figure>'


def page_footnotes(body: str) -> str:
    """Move notes from the document's end to the foot of the page that refers to them.

    Notes that hold lists, tables or more than one paragraph stay at the end, and then all of them do.
    """
    found = _NOTES.search(body)
    if not found:
        return body
    notes = dict(_NOTE.findall(found[1]))
    if any(
        re.search(r"<(li|ul|ol|table|pre|div|blockquote)\b", note) or note.count("<p>") > 1 for note in notes.values()
    ):
        return body
    placed: set[str] = set()

    def place(match: re.Match[str]) -> str:
        name = match[1]
        if name in placed or name not in notes:
            return match[0]
        placed.add(name)
        return f'<span class="note">{re.sub("</?p>", "", notes[name]).strip()}</span>'

    before, after = body[: found.start()], body[found.end() :]
    moved = _REFERENCE.sub(place, before) + after
    return moved if placed == set(notes) else body


def _mark_wide(match: re.Match[str]) -> str:
    return '<table class="wide">' if match[1].count("<th") > WIDE_COLUMNS else "<table>"

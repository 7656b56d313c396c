"""Slots of the prompt `write_document.*`: the technical side for the system message, the subject for the user's."""

from __future__ import annotations

from ragtester.prompts import defuse
from ragtester.tasks import WriteDocument

FREE = "(left to you)"
DEMANDS = {
    "plain": "Running prose under headings, with at least one table and two footnotes.",
    "two_columns": "Short paragraphs for a page of two columns; tables of at most three columns.",
    "running_headers": "Clearly titled sections of roughly one page each: their titles run along the top of the pages.",
    "tables": (
        "At least three tables, one of them with six or more columns. Name columns and rows by codes whose meaning is "
        "given in an appendix alone, and put at least five values that the prose never repeats into tables."
    ),
    "figures": (
        "Two or three figures. Write each as a fenced block with the word figure after the fence and one JSON object "
        'inside: {"title": "...", "kind": "bar" or "line" or "pie", "labels": ["...", ...], "values": [1, ...], '
        '"unit": "...", "caption": "Figure 1. ..."}. As many values as labels, at most 24; several rows of values go '
        'into "series": [{"name": "...", "values": [1, ...]}, ...] instead of "values". The caption states something '
        "that the bars alone do not show."
    ),
    "small_print": (
        "At least six footnotes, written [^1] in the text and [^1]: on a line of its own at the end. Each holds an "
        "exception to, or a limit of, a rule of the body, so that the body alone misleads. One paragraph a note."
    ),
    "appendix": (
        "Two or more appendices: one explains the codes, one the abbreviations that the body uses without explaining "
        "them, each as a table."
    ),
}


def values(request: WriteDocument) -> dict[str, str]:
    """Slots: language, length, detail, tone, structure, content, formatting, demands, topic, name, sections."""
    demands = [DEMANDS[part] for part in request.profile.split("+") if part in DEMANDS]
    return {
        "language": request.language,
        "length": request.length,
        "detail": request.detail,
        "tone": request.tone,
        "structure": request.structure,
        "content": request.content or FREE,
        "formatting": request.formatting or FREE,
        "demands": "\n".join(f"- {demand}" for demand in demands) or f"- {DEMANDS['plain']}",
        "topic": defuse(request.topic) if request.topic else FREE,
        "name": defuse(request.name) if request.name else FREE,
        "sections": "\n".join(f"- {defuse(section)}" for section in request.sections) or FREE,
    }

"""The short form: what every section comes to, and the tables that a choice is made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragtester.stages.compare.scope import warnings
from ragtester.stages.compare.view import View
from ragtester.stages.compare.words import account, plural, unfilled_cases
from ragtester.tables import Document, Paragraph, Section, Table

SHORT = "short"
MAIN = ("not-counted", "ranking", "pareto", "matrix", "lucky-passes", "pass-without-lucky")
NOTES = 5
BEHIND = ("closed-book", "failure-kinds")


def summary_section(view: View, sections: Sequence[Section], notes: Sequence[str] = ()) -> Section:
    """The answers of the sections, then what limits them."""
    return Section(SHORT, "In short", tuple(_parts(view, sections, notes)))


def _parts(view: View, sections: Sequence[Section], notes: Sequence[str]) -> Iterator[Paragraph]:
    yield account(view.total(), unfilled_cases(view))
    for section in sections:
        title = f"{section.title} " if section.id.startswith("rq") else ""
        for part in section.parts:
            if isinstance(part, Paragraph) and part.answer:
                yield Paragraph(title + part.text)
                title = ""
        if section.id in BEHIND:
            texts = [part.text for part in section.parts if isinstance(part, Paragraph)]
            yield from (Paragraph(f"{section.title}. {text}") for text in texts[:1])
    yield from (Paragraph(text) for text in warnings(view))
    yield from (Paragraph(text) for text in notes[:NOTES])
    if len(notes) > NOTES:
        yield Paragraph(f"{plural(len(notes) - NOTES, 'further note')} in the section What was compared.")


def brief(document: Document) -> Document:
    """The summary and the main tables alone."""
    short = tuple(section for section in document.sections if section.id == SHORT)
    tables: tuple[Table, ...] = tuple(table for table in document.tables if _is_main(table.id))
    return Document(document.title, (*short, Section("tables", "Tables", tables)))


def _is_main(table_id: str) -> bool:
    """Whether a table is one of `MAIN`, or one of several that its section numbers."""
    name, _, number = table_id.rpartition("-")
    return table_id in MAIN or (name in MAIN and number.isdecimal())

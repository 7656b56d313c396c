"""Documents of the corpus: those that are read, and those that were written for it (D_gen)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ragtester.records.base import Call, Failure, Record


class ParseWarning(Record):
    """Something a later audit should know about how a document was read."""

    type: str
    message: str
    pages: tuple[int, ...] = ()


class Document(Record):
    """A readable document of the corpus. Its text lies beside it as `texts/<id>.txt`."""

    status: Literal["ok"] = "ok"
    id: str
    path: str
    source: Literal["generated", "manual"]
    format: str
    sha256: str
    text_sha256: str
    language: str
    characters: int
    page_starts: tuple[int, ...] = ()
    dropped_characters: int = 0
    warnings: tuple[ParseWarning, ...] = ()
    tags: tuple[str, ...] = ()


class UnreadableDocument(Record):
    """A file of the corpus that gave no text, with its named reason."""

    status: Literal["unreadable"] = "unreadable"
    path: str
    failure: Failure


DocumentRow = Annotated[Document | UnreadableDocument, Field(discriminator="status")]


class GeneratedDocument(Record):
    """A document that was written (D_gen): its files, and everything it was made from. File names lie beside the row.

    `missing_characters` have no font on the machine and were drawn as U+FFFD; `fonts_checked` is False where the
    installed fonts could not be asked. `cleaned_characters` counts control characters that were removed.
    """

    status: Literal["ok"] = "ok"
    ordinal: int
    key: str
    name: str
    file: str
    markdown: str
    facts: str = ""
    profile: str
    language: str
    seed: int
    topic: str | None = None
    pages: int
    pdf_sha256: str
    markdown_sha256: str
    missing_characters: str = ""
    fonts_checked: bool = True
    cleaned_characters: int = 0
    notes: tuple[str, ...] = ()
    model: str
    prompt_sha256: str
    call: Call | None = None


class UngeneratedDocument(Record):
    """A document that was asked for and could not be written; the Markdown of a reply is kept as `markdown`."""

    status: Literal["failed"] = "failed"
    ordinal: int
    key: str
    profile: str
    language: str
    seed: int
    topic: str | None = None
    markdown: str = ""
    model: str
    prompt_sha256: str
    call: Call | None = None
    failure: Failure


GeneratedRow = Annotated[GeneratedDocument | UngeneratedDocument, Field(discriminator="status")]

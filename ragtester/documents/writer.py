"""One written document on disk: Markdown, PDF and facts, rendered and read back before they count."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from ragtester.documents.fonts import explain_missing
from ragtester.documents.render import Rendered, RenderError, render_pdf
from ragtester.provenance import sha256_file, sha256_text
from ragtester.records import Call, Failure, GeneratedDocument, GeneratedRow, UngeneratedDocument
from ragtester.storage import write_bytes, write_rows, write_text
from ragtester.tasks import WriteDocument, WrittenDocument

LANGUAGE_CODES = {
    "english": "en", "german": "de", "deutsch": "de", "french": "fr", "spanish": "es", "italian": "it", "dutch": "nl",
    "portuguese": "pt", "polish": "pl", "czech": "cs", "swedish": "sv", "russian": "ru", "greek": "el",
    "chinese": "zh", "japanese": "ja", "korean": "ko", "arabic": "ar", "hebrew": "he", "turkish": "tr",
}  # fmt: skip
_FENCED_WHOLE = re.compile(r"\A\s*```(?:markdown|md)\s*\n(.*)\n```\s*\Z", re.S)


@dataclass(frozen=True)
class Draft:
    """What came of asking for one document, before it is rendered."""

    ordinal: int
    key: str
    request: WriteDocument
    prompt_sha256: str
    call: Call | None
    reply: WrittenDocument | None
    failure: Failure | None = None

    @classmethod
    def from_markdown(cls, folder: Path, row: UngeneratedDocument, request: WriteDocument) -> Draft | None:
        """The draft of a row whose rendering failed; None where its Markdown is gone."""
        path = folder / row.markdown
        if not path.is_file():
            return None
        text = path.read_text(encoding="utf-8")
        reply = WrittenDocument(name=heading(text), markdown=text)
        return cls(row.ordinal, row.key, request, row.prompt_sha256, row.call, reply)


def write_files(folder: Path, draft: Draft) -> GeneratedRow:
    """Render a draft, read the PDF back, write the files; a document that cannot be trusted is a failed row.

    Blocking. Raises MissingPackageError and StorageError only.
    """
    if draft.reply is None:
        return _failed(draft, draft.failure or Failure(type="empty", message="the model gave no document"))
    markdown = titled(draft.reply)
    name = heading(markdown) or draft.reply.name
    stem = f"{draft.ordinal + 1:03d}-{file_stem(name)}"
    request = draft.request
    try:
        rendered = render_pdf(
            markdown, profile=request.profile, language=language_code(request.language), seed=request.seed
        )
    except RenderError as error:
        return _kept_markdown(folder, draft, stem, markdown, Failure(type=error.type, message=str(error)))
    if rendered.lost:
        return _kept_markdown(folder, draft, stem, markdown, Failure(type="read_back", message=rendered.lost))
    return _written(folder, draft, stem, markdown, rendered)


def _written(folder: Path, draft: Draft, stem: str, markdown: str, rendered: Rendered) -> GeneratedDocument:
    facts = draft.reply.facts if draft.reply else ()
    write_bytes(folder / f"{stem}.pdf", [rendered.pdf])
    write_text(folder / f"{stem}.md", [markdown.encode("utf-8", "replace").decode("utf-8")])
    if facts:
        write_rows(folder / f"{stem}.facts.jsonl", facts)
    request = draft.request
    return GeneratedDocument(
        ordinal=draft.ordinal,
        key=draft.key,
        name=heading(markdown),
        file=f"{stem}.pdf",
        markdown=f"{stem}.md",
        facts=f"{stem}.facts.jsonl" if facts else "",
        profile=request.profile,
        language=request.language,
        seed=request.seed,
        topic=request.topic,
        pages=rendered.pages,
        pdf_sha256=sha256_file(folder / f"{stem}.pdf"),
        markdown_sha256=sha256_file(folder / f"{stem}.md"),
        missing_characters=rendered.missing_characters,
        fonts_checked=rendered.fonts_checked,
        cleaned_characters=rendered.cleaned_characters,
        notes=_notes(rendered),
        model=draft.call.model if draft.call else "",
        prompt_sha256=draft.prompt_sha256,
        call=draft.call,
    )


def _notes(rendered: Rendered) -> tuple[str, ...]:
    notes = []
    if rendered.missing_characters:
        notes.append(explain_missing(rendered.missing_characters))
    if not rendered.fonts_checked:
        notes.append("fonts were not checked: the command fc-list (package fontconfig) is not installed")
    if rendered.cleaned_characters:
        notes.append(f"{rendered.cleaned_characters} control character(s) left out")
    return tuple(notes)


def _kept_markdown(folder: Path, draft: Draft, stem: str, markdown: str, failure: Failure) -> UngeneratedDocument:
    """A failed row whose reply is kept, under a name that no corpus reader takes for a document."""
    name = f"{stem}.md.failed"
    write_text(folder / name, [markdown.encode("utf-8", "replace").decode("utf-8")])
    return _failed(draft, failure, name)


def _failed(draft: Draft, failure: Failure, markdown: str = "") -> UngeneratedDocument:
    request = draft.request
    return UngeneratedDocument(
        ordinal=draft.ordinal,
        key=draft.key,
        profile=request.profile,
        language=request.language,
        seed=request.seed,
        topic=request.topic,
        markdown=markdown,
        model=draft.call.model if draft.call else "",
        prompt_sha256=draft.prompt_sha256,
        call=draft.call,
        failure=failure,
    )


def files_intact(folder: Path, row: GeneratedDocument) -> bool:
    """Whether a row's files are there and unchanged."""
    wanted = ((row.file, row.pdf_sha256), (row.markdown, row.markdown_sha256))
    whole = all((folder / name).is_file() and sha256_file(folder / name) == digest for name, digest in wanted)
    return whole and (not row.facts or (folder / row.facts).is_file())


def remove_files(folder: Path, row: GeneratedRow) -> None:
    """Delete the files that a row names, inside `folder` only."""
    names = [row.markdown] + ([row.file, row.facts] if isinstance(row, GeneratedDocument) else [])
    for name in names:
        if name and Path(name).name == name:
            (folder / name).unlink(missing_ok=True)


def titled(reply: WrittenDocument) -> str:
    """The Markdown without a fence around the whole, beginning with a first-level heading."""
    text = reply.markdown
    if fenced := _FENCED_WHOLE.match(text):
        text = fenced[1] + "\n"
    return text if heading(text) or not text.strip() else f"# {reply.name or 'Document'}\n\n{text}"


def heading(markdown: str) -> str:
    """The text of the first-level heading that opens the Markdown; empty where there is none."""
    found = re.match(r"\s*# +(\S[^\n]*)", markdown)
    return found[1].strip().rstrip("#").strip() if found else ""


def file_stem(name: str) -> str:
    """A short, plain file name for a document's name: ASCII letters, digits and hyphens."""
    flat = unicodedata.normalize("NFKD", name.replace("ß", "ss")).encode("ascii", "ignore").decode("ascii").lower()
    words = re.findall(r"[a-z0-9]+", flat)
    stem = "-".join(words)[:48].strip("-")
    return stem or f"document-{sha256_text(name)[:8]}"


def language_code(language: str) -> str:
    """BCP 47 code of a language named in English, or the name itself where it looks like a code."""
    known = LANGUAGE_CODES.get(language.strip().lower())
    return known or (language.lower() if re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]+)*", language) else "und")

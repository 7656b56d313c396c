"""The corpus as the stages see it: files found, then read one by one in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragtester.documents.files import CorpusFile, FoundFiles, find_files
from ragtester.documents.language import detect
from ragtester.provenance import sha256_file, sha256_text
from ragtester.records import Document, Failure, UnreadableDocument
from ragtester.settings import ReadingSettings

__all__ = ["CorpusFile", "FoundFiles", "find_files", "read_corpus"]


def read_corpus(
    files: Iterable[CorpusFile], settings: ReadingSettings, language: str = "auto"
) -> Iterator[tuple[Document, str] | UnreadableDocument]:
    """First version, in this process."""
    for file in files:
        try:
            text, starts = _read(file)
        except Exception as error:  # noqa: BLE001 - replaced by the pool
            yield UnreadableDocument(path=file.relative, failure=Failure(type="damaged", message=str(error)))
            continue
        code = detect(text) if language == "auto" else language
        yield (
            Document(
                id=file.id,
                path=file.relative,
                source=file.source,
                format=file.path.suffix.lower().lstrip("."),
                sha256=sha256_file(file.path),
                text_sha256=sha256_text(text),
                language=code,
                characters=len(text),
                page_starts=starts,
            ),
            text,
        )


def _read(file: CorpusFile) -> tuple[str, tuple[int, ...]]:
    if file.path.suffix.lower() != ".pdf":
        return file.path.read_text(encoding="utf-8"), ()
    import pypdfium2

    document = pypdfium2.PdfDocument(file.path)
    text, starts = "", []
    for page in document:
        starts.append(len(text))
        text += page.get_textpage().get_text_range().replace("\r\n", "\n") + "\n\n"
    return text, tuple(starts)

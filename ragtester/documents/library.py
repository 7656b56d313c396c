"""The corpus as the stages see it: files found, then read one by one in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragtester.documents.files import CorpusFile, FoundFiles, find_files
from ragtester.documents.isolation import read_in_processes
from ragtester.documents.language import detect
from ragtester.provenance import sha256_text
from ragtester.records import Document, Failure, ParseWarning, UnreadableDocument
from ragtester.settings import ReadingSettings

__all__ = ["CorpusFile", "FoundFiles", "find_files", "read_corpus"]


def read_corpus(
    files: Sequence[CorpusFile], settings: ReadingSettings, language: str = "auto"
) -> Iterator[tuple[Document, str] | UnreadableDocument]:
    """Read files in order, one result for each: the document with its cleaned text, or why it gives none.

    Lazy and on all cores: only a few files are read ahead, so memory does not grow with the corpus. `language` is an
    ISO 639-1 code, or "auto" to tell it from each text. Failures: empty_file, needs_password, no_text_layer,
    truncated, mislabelled, damaged, timeout, crashed, unsupported, not_utf8. Offsets of `page_starts` and of
    everything else refer to the text as it is given here. Close the iterator to stop early.
    """
    results = read_in_processes([file.path for file in files], settings)
    for file, result in zip(files, results, strict=True):
        if "failure" in result:
            yield UnreadableDocument(path=file.relative, failure=Failure(**result["failure"]))
            continue
        text = result["text"]
        document = Document(
            id=file.id,
            path=file.relative,
            source=file.source,
            format=result["format"],
            sha256=result["sha256"],
            text_sha256=sha256_text(text),
            language=detect(text) if language == "auto" else language,
            characters=len(text),
            page_starts=tuple(result["page_starts"]),
            dropped_characters=result["dropped"],
            warnings=tuple(ParseWarning(**warning) for warning in result["warnings"]),
        )
        yield document, text

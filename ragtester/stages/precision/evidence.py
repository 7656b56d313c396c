"""What a case was made from, in words: a person who decides is shown it beside what the system retrieved."""

from __future__ import annotations

from ragtester.provenance import sha256_text
from ragtester.records import Case
from ragtester.results import Results
from ragtester.workspace import Workspace


class CaseEvidence:
    """Reads the evidence of cases from the suite's texts; keeps the text of the last document."""

    def __init__(self, workspace: Workspace, results: Results, suite: str) -> None:
        self._workspace, self._suite = workspace, suite
        self._documents = results.documents
        self._last: tuple[str, str] = ("", "")

    def of(self, case: Case) -> tuple[str, ...]:
        """The passages in their order; none where the text is gone or not the one that the offsets refer to."""
        text = self._text(case.document_id) if case.evidence else ""
        return tuple(text[span.start : span.end] for span in case.evidence) if text else ()

    def _text(self, document_id: str) -> str:
        if self._last[0] != document_id:
            self._last = (document_id, self._read(document_id))
        return self._last[1]

    def _read(self, document_id: str) -> str:
        document = self._documents.get((self._suite, document_id))
        path = self._workspace.text_file(self._suite, document_id)
        if document is None or not path.is_file():
            return ""
        text = path.read_bytes().decode("utf-8", "replace")
        return text if sha256_text(text) == document.text_sha256 else ""

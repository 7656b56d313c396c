"""The second reader: pypdf, slower and without places, for pages that the first one cannot read."""

from __future__ import annotations

import logging
from io import BytesIO

from ragtester.documents.cleaning import clean_characters
from ragtester.documents.lines import Page, plain_page
from ragtester.documents.unreadable import UnreadableError

# A page whose content unfolds to more than this is a bomb, not a page.
_MAX_TEXT = 5_000_000


class PypdfDocument:
    """An open PDF. `read(index)` gives a page and the number of its dropped characters.

    pypdf raises far more than its own errors on damaged files, so its callers must expect any exception.
    """

    def __init__(self, data: bytes) -> None:
        import pypdf

        logging.getLogger("pypdf").setLevel(logging.CRITICAL)
        self._pdf = pypdf.PdfReader(BytesIO(data), strict=False)
        if self._pdf.is_encrypted and not self._pdf.decrypt(""):
            raise needs_password()
        self._pages = list(self._pdf.pages)

    def __len__(self) -> int:
        return len(self._pages)

    def read(self, index: int) -> tuple[Page, int]:
        """The text of page `index` (from 0) as lines in the order of the content stream."""
        text, dropped = clean_characters(self._pages[index].extract_text()[:_MAX_TEXT])
        return plain_page(index + 1, text), dropped

    def close(self) -> None:
        """Free what the file holds."""
        self._pdf.close()


def needs_password() -> UnreadableError:
    """The file opens with a password only."""
    return UnreadableError("needs_password", "needs a password to open; save a copy without one and use that")

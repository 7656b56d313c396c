"""What chunk sizes are counted in: characters, or tokens of the tokenizer that ships with `wordllama`."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
from bisect import bisect_right
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ragtester.errors import MissingPackageError
from ragtester.rag.chunk_cuts import Length
from ragtester.settings.retrieval import Unit

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Characters of the tokenizer's longest token that are no white space.
LONGEST_TOKEN = 16
_SURROGATE = re.compile("[\ud800-\udfff]")
_FILE = Path("tokenizers") / "l2_supercat_tokenizer_config.json"


def length_of(text: str, unit: Unit) -> Length:
    """How many units a span of `text` has.

    Tokens are those of the whole text: one belongs to the span in which it ends, so that the tokens of spans that
    touch add up, and no span need be tokenised alone.
    """
    if unit == "characters":
        return _characters
    # A lone surrogate cannot be tokenised.
    offsets = tokenizer().encode(_SURROGATE.sub("\ufffd", text), add_special_tokens=False).offsets
    ends = [end for _, end in offsets]

    def tokens(start: int, end: int) -> int:
        return bisect_right(ends, end) - bisect_right(ends, start)

    return tokens


def unit_version(unit: Unit) -> str:
    """What the length of a text depends on besides the text; empty for characters."""
    return f"wordllama-{importlib.metadata.version('wordllama')}" if unit == "tokens" else ""


@cache
def tokenizer() -> Tokenizer:
    """The Llama 2 tokenizer (32,000 tokens) that lies in wordllama's package folder; no network, some 60 ms.

    Raises MissingPackageError where the package does not hold it.
    """
    from tokenizers import Tokenizer

    # `import wordllama` would load more and set up logging; the file is enough.
    found = importlib.util.find_spec("wordllama")
    file = Path(found.origin).parent / _FILE if found and found.origin else _FILE
    if not file.is_file():
        raise MissingPackageError(
            f"wordllama {importlib.metadata.version('wordllama')} ships no tokenizer ({_FILE}); "
            'set execute.index.unit and execute.retrieval.budget_unit to "characters"'
        )
    made: Tokenizer = Tokenizer.from_file(str(file))
    return made


def _characters(start: int, end: int) -> int:
    return end - start

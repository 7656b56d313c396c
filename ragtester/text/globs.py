"""Patterns of paths: `*` and `?` within a folder, `[abc]`, and `**` for any number of folders."""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

# In a translated part: an escaped character, a set of characters, or any character.
_PARTS = re.compile(r"\\.|\[[^\]]*\]|\.", re.DOTALL)


def glob_regex(parts: Sequence[str]) -> re.Pattern[str]:
    """An expression that matches the whole of a path with forward slashes; `parts` are the pattern's, as in `**`."""
    pieces = []
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        if part == "**":
            pieces.append(".*" if last else "(?:.*/)?")
        else:
            pieces.append(_within_a_folder(part) + ("" if last else "/"))
    return re.compile("".join(pieces), re.DOTALL)


def matches(path: str, pattern: str) -> bool:
    """Whether a path is one that the pattern names; accents count the same however a file system writes them."""
    return bool(_compiled(_composed(pattern)).fullmatch(_composed(path)))


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return glob_regex(pattern.split("/"))


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _within_a_folder(part: str) -> str:
    inner = re.sub(r"\A\(\?s:(.*)\)\\[Zz]\Z", r"\1", fnmatch.translate(part), flags=re.DOTALL)
    return _PARTS.sub(_not_beyond, inner)


def _not_beyond(match: re.Match[str]) -> str:
    """What stands for any character stands for any but the end of a folder's name."""
    found = match[0]
    if found == ".":
        return "[^/]"
    return f"(?!/){found}" if found.startswith("[") else found

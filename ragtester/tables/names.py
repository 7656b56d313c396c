"""Names that fit: shortened where they stay distinct, over several lines where they would not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rich.cells import cell_len

from ragtester.tables.cells import clean

JOIN = " × "
# "30.0 % [10.8, 60.3]", "+6.2 points [-1.0, 11.3]", "A12 0.64 [0.53, 0.73]", "p = 0.012", "p < 0.001"
_MARK = re.compile(r"[-/:_]|\.(?=[^\W\d])")
"""After these a long name is broken."""
_NUMBER = re.compile(r"\S*\d(?: %| \w+)? \[-?[\d.]+, -?[\d.]+\]\S*|\d %|\bp [=<] [\d.]+")


def short_names(names: list[str], width: int) -> list[str]:
    """Names within `width` columns: without `provider:` where they stay distinct, then cut in the middle."""
    names = [clean(name) for name in names]
    if any(cell_len(name) > width for name in names):
        bare = list(map(_bare, names))
        if _distinct(bare) == _distinct(names):
            names = bare
    for cut in (_cut, _cut_parts):
        shortened = [cut(name, width) for name in names]
        if len(set(shortened)) == len(set(names)):
            return shortened
    # Names that only differ in what would be cut go over several lines instead.
    return ["\n".join(folded(name, width)) for name in names]


def common_names(columns: Sequence[tuple[Sequence[str], int]]) -> dict[str, str]:
    """One form for every name of several columns, each with its width; no two names share a form.

    Prefixes stand for all names or for none. What is text rather than a name goes over lines and is never cut.
    """
    widths: dict[str, int] = {}
    for names, width in columns:
        for name in names:
            widths[name] = min(width, widths.get(name, width))
    bare = {name: _bare(clean(name)) for name in widths}
    shorten = any(cell_len(clean(name)) > width for name, width in widths.items())
    if not shorten or _distinct(bare.values()) < _distinct(map(clean, widths)):
        bare = {name: clean(name) for name in widths}
    found: dict[str, str] = {}
    for width in set(widths.values()):
        own = [name for name in widths if widths[name] == width]
        single = [name for name in own if " " not in name.replace(JOIN, "")]
        found |= {name: "\n".join(folded(bare[name], width)) for name in own}
        found |= dict(zip(single, short_names([bare[name] for name in single], width), strict=True))
    if _distinct(found.values()) < _distinct(bare.values()):
        return {name: "\n".join(folded(bare[name], width)) for name, width in widths.items()}
    return found


def _distinct(names: Iterable[str]) -> int:
    """How many names a reader can tell apart: white space and line ends are all that some differ in."""
    return len({"".join(name.split()) for name in names})


def _bare(name: str) -> str:
    """Without `provider:` in either half."""
    return JOIN.join(part.partition(":")[2] or part for part in name.split(JOIN))


def folded(text: str, width: int) -> list[str]:
    """`text` in lines of at most `width` columns, broken between words where that is possible, not within numbers."""
    lines, line = [], ""
    for word in _words(text, width):
        joined = f"{line} {word}" if line else word
        if cell_len(joined) <= width:
            line = joined
            continue
        if line:
            lines.append(line)
        line = word
        while cell_len(line) > width:
            head = _head(line, width)
            mark = max((one.end() for one in _MARK.finditer(line) if one.end() <= len(head)), default=0)
            head = head[:mark] if 3 * mark >= len(head) else head
            lines.append(head)
            line = line[len(head) :]
    return [*lines, line]


def _words(text: str, width: int) -> list[str]:
    """Words at spaces; a rate with its interval, or a p-value, counts as one where it fits on a line."""
    words = text.split(" ")
    for match in reversed(list(_NUMBER.finditer(text))):
        if cell_len(match.group()) <= width:
            first, last = text.count(" ", 0, match.start()), text.count(" ", 0, match.end())
            words[first : last + 1] = [" ".join(words[first : last + 1])]
    return words


def _cut(name: str, width: int) -> str:
    if cell_len(name) <= width:
        return name
    head = _head(name, (width - 1) // 2)
    tail = _head(name[::-1], width - 1 - cell_len(head))[::-1]
    return f"{head}…{tail}"


def _cut_parts(name: str, width: int) -> str:
    """The two halves of a system's name cut one by one, so that each still shows its beginning and end."""
    parts = name.split(JOIN)
    if len(parts) != 2 or width < len(JOIN) + 6 or cell_len(name) <= width:
        return _cut(name, width)
    room = width - len(JOIN)
    first = min(cell_len(parts[0]), max(room // 2, room - cell_len(parts[1])))
    return _cut(parts[0], first) + JOIN + _cut(parts[1], room - first)


def _head(text: str, width: int) -> str:
    """The longest beginning within `width` columns, at least one character."""
    used = 0
    for place, character in enumerate(text):
        used += cell_len(character)
        if used > width:
            return text[: max(1, place)]
    return text

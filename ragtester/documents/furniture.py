"""Running headers, footers and page numbers: what repeats at the edge of pages is taken out, body lines never.

A line counts as furniture only if all of this holds: it lies at the very top or foot of the page, its block is set
apart from the body by a clear gap, it is no larger than body text (a heading that opens many pages stays), it is no
whole sentence, and it repeats with the same words over at least three pages, whatever its numbers. A bare number must
also count along with the pages. A line that is alone of its kind goes only where most pages have furniture at that
very height.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import median

from ragtester.documents.lines import Line, Page

_TOP = 0.86
_FOOT = 0.14
_GAP = 1.7
_MAX_ROWS = 4
_MIN_PAGES = 3
_SHARED_WORDS = 3
_LARGER = 1.15
_SLOT_SHARE = 0.4
_TIGHT_SHARE = 0.6
_MOSTLY_APART = 2 / 3
_BARE_NUMBER = re.compile(r"[\W_]*(?:\d{1,4}|[ivxlc]+)[\W_]*")
_NUMBER_MARGIN = 0.2
_NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"(?<![^\W_])[ivxlc]+(?![^\W_])")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(slots=True)
class _Candidate:
    page: Page
    line: Line
    zone: str
    key: str
    number: int | None
    apart: bool

    @property
    def slot(self) -> tuple[str, int]:
        return self.zone, round(self.line.top / 3)


def remove_furniture(pages: list[Page]) -> int:
    """Take running headers, footers and page numbers out of `pages` in place; returns how many lines went."""
    filled = [page for page in pages if page.lines]
    if len(filled) < 2:
        return 0
    body = median(line.size for page in filled for line in page.lines)
    candidates = [candidate for page in filled for zone in ("top", "foot") for candidate in _edge(page, zone, body)]
    gone = _repeated(candidates, len(filled))
    gone |= _alike_in_part(candidates)
    gone |= _in_slots(candidates, gone, len(filled))
    for page in filled:
        page.lines = [line for line in page.lines if id(line) not in gone]
    return len(gone)


def _edge(page: Page, zone: str, body: float) -> list[_Candidate]:
    """The lines of the outermost block of a page, if it is at the edge and small enough."""
    sign = -1 if zone == "top" else 1
    ordered = sorted(page.lines, key=lambda line: sign * line.top)
    margin = {True: _NUMBER_MARGIN, False: _FOOT if zone == "foot" else 1 - _TOP}
    block: list[Line] = []
    rows, apart = 0, False
    for line in ordered:
        depth = (page.height - line.top if zone == "top" else line.top) / max(1.0, page.height)
        inside = depth < margin[bool(_BARE_NUMBER.fullmatch(line.text))]
        distance = abs(line.top - block[-1].top) if block else 0.0
        if block and distance > _GAP * 1.2 * body:
            apart = True
            break
        if not inside or _is_heading(line, body):
            break  # a heading at the edge belongs to the body, and so does what stands on its inner side
        if not block or distance > body * 0.5:
            rows += 1
        if rows > _MAX_ROWS:
            break
        block.append(line)
    apart = apart or len(block) == len(page.lines)
    return [_candidate(page, line, zone, apart) for line in block if len(line.text) < 160 and not _is_sentence(line)]


def _is_heading(line: Line, body: float) -> bool:
    return line.size > body * _LARGER and bool(_LETTER.search(line.text))


def _is_sentence(line: Line) -> bool:
    """A whole sentence without a number is a notice of the body, even where every page repeats it."""
    return line.text.endswith((".", "!", "?", "。")) and len(line.text.split()) > 5 and not _NUMBER.search(line.text)


def _candidate(page: Page, line: Line, zone: str, apart: bool) -> _Candidate:
    numbers = _NUMBER.findall(line.text)
    folded = " ".join(_ROMAN.sub("#", _NUMBER.sub("#", line.text.casefold())).split())
    return _Candidate(page, line, zone, folded, int(numbers[-1][:9]) if numbers else None, apart)


def _repeated(candidates: list[_Candidate], pages: int) -> set[int]:
    groups: dict[tuple[str, str], list[_Candidate]] = defaultdict(list)
    for candidate in candidates:
        groups[candidate.zone, candidate.key].append(candidate)
    gone: set[int] = set()
    for (_, key), group in groups.items():
        numbered = _counting_along(group)
        heights = Counter(candidate.slot[1] for candidate in group)
        same_place = [c for c in group if max(heights[c.slot[1] + shift] for shift in (-1, 0, 1)) * 3 >= len(group)]
        spread = len({candidate.page.number for candidate in same_place})
        if not _LETTER.search(key):
            gone.update(id(c.line) for c in numbered if c.apart or len(numbered) >= _TIGHT_SHARE * pages)
            gone.update(id(c.line) for c in group if c.number is None and c.apart and key == "#")
        elif spread >= _MIN_PAGES:
            usual = len(numbered) == len(group) or sum(c.apart for c in same_place) > _MOSTLY_APART * len(same_place)
            tight = spread >= max(4, _TIGHT_SHARE * pages) and usual
            gone.update(id(c.line) for c in same_place if c.apart or tight)
        elif spread == 2 == pages and len(numbered) == 2:
            gone.update(id(c.line) for c in same_place if c.apart)
    return gone


def _alike_in_part(candidates: list[_Candidate]) -> set[int]:
    """Heads that name the document and then the chapter (or the other way round), at one height on several pages."""
    groups: dict[tuple[tuple[str, int], bool, str], list[_Candidate]] = defaultdict(list)
    for candidate in candidates:
        words = candidate.key.split()
        if candidate.apart and len(words) > _SHARED_WORDS:
            groups[candidate.slot, False, " ".join(words[:_SHARED_WORDS])].append(candidate)
            groups[candidate.slot, True, " ".join(words[-_SHARED_WORDS:])].append(candidate)
    return {
        id(candidate.line)
        for (_, _, shared), group in groups.items()
        if len({candidate.page.number for candidate in group}) >= _MIN_PAGES and len(_LETTER.findall(shared)) >= 10
        for candidate in group
    }


def _counting_along(group: list[_Candidate]) -> list[_Candidate]:
    """Those whose number goes up with the page: at least two that share one offset to their page."""
    offsets = Counter(c.number - c.page.number for c in group if c.number is not None)
    return [c for c in group if c.number is not None and offsets[c.number - c.page.number] > 1]


def _in_slots(candidates: list[_Candidate], gone: set[int], pages: int) -> set[int]:
    """Lone lines at a height where most pages have furniture: the running head of a short chapter."""
    taken = Counter(candidate.slot for candidate in candidates if id(candidate.line) in gone)
    return {
        id(candidate.line)
        for candidate in candidates
        if candidate.apart and taken[candidate.slot] >= max(_MIN_PAGES, _SLOT_SHARE * pages)
    }

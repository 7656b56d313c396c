"""Sentence spans of a text: rules for abbreviations, decimals, initials, list lines and full-width stops."""

from __future__ import annotations

import re

from ragtester.text.languages import base
from ragtester.text.normalise import listed

_ABBREVIATIONS = {
    "": listed(
        "e.g i.e etc vs cf fig figs no nos vol approx ca max min art par para sec ch chap ed eds al dr prof mr mrs ms "
        "st inc ltd co corp dept est resp incl excl ref refs eq eqs tab temp op cit p pp"
    ),
    "de": listed(
        "z.b d.h u.a bzw ca evtl ggf inkl exkl max min mind nr abs abb bspw usw vgl s str tel u.s.w z.t o.ä i.d.r "
        "sog gem lt zzgl art kap dr prof hr fr st jh v.chr n.chr tab"
    ),
    "fr": listed("p.ex env c.-à-d m mme mlle dr pr art chap fig max min n° vol etc av apr réf"),
    "es": listed("p.ej sr sra dr dra art cap fig máx mín núm pág págs ej aprox etc ud uds tel"),
    "it": listed("p.es es sig dott art cap fig max min n pag pagg ecc ca"),
    "pt": listed("p.ex sr sra dr dra art cap fig máx mín núm pág ex aprox etc"),
    "nl": listed("bijv d.w.z o.a enz nr blz ca max min art fig incl excl dhr mevr z.o.z"),
}
# Abbreviations that are words as well, or close a sentence: they hold before a number only.
_NUMBERED = frozenset(
    listed("no nos fig figs art par sec ch chap vol eq eqs ref refs tab p pp nr abs abb s n pág pag kap núm cap est op")
)
_ROMAN = re.compile(r"\s*[IVXL]+\b")
_END = re.compile(
    r"""[.!?…؟۔।॥]+["'”’»)\]]*(?=\s|$)|[。！？｡．]+["'”’」』）]*""",
)
_BREAK = re.compile(r"(?<![ \t])[ \t]*\n[ \t]*(?:\n\s*)*")
_LIST_LINE = re.compile(r"\s*(?:[-*•·–—▪◦‣]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|#{1,6}|\|)\s")
_LAST_WORD = re.compile(r"(\S+)$")
_INITIAL = re.compile(r"(?:^|[.(])[^\W\d_]$")
_SMALL_NAME = re.compile(r"[^\W\d_](?:[A-Z]|\d|-[^\W\d_])")
_ORDINAL_LANGUAGES = frozenset(listed("de da nb no nn fi cs sk hu pl et lv sl hr"))


def sentence_spans(text: str, language: str) -> list[tuple[int, int]]:
    """Spans `[start, end)` of the sentences, without outer white space, in order and never overlapping.

    A blank line, a list line, a table line and a heading end a sentence; a single line break inside prose does not.
    """
    spans: list[tuple[int, int]] = []
    for start, end in _blocks(text):
        cut = start
        for match in _END.finditer(text, start, end):
            if _ends(text, match, cut, end, base(language)):
                spans.append((cut, match.end()))
                cut = match.end()
        spans.append((cut, end))
    return [span for span in (_trim(text, *span) for span in spans) if span[1] > span[0]]


def sentences(text: str, language: str) -> list[str]:
    """The sentences themselves."""
    return [text[start:end] for start, end in sentence_spans(text, language)]


def _blocks(text: str) -> list[tuple[int, int]]:
    """Pieces that no sentence may cross: parted by blank lines, around headings and before list lines."""
    blocks, start = [], 0
    for match in _BREAK.finditer(text):
        blank = match.group().count("\n") > 1
        line_start = text.rfind("\n", 0, match.start()) + 1
        listed = _LIST_LINE.match(text, match.start()) or _LIST_LINE.match(text, match.end())
        if blank or listed or _is_heading(text[line_start : match.start()], text[match.end() : match.end() + 1]):
            blocks.append((start, match.start()))
            start = match.end()
    blocks.append((start, len(text)))
    return blocks


def _is_heading(line: str, following: str) -> bool:
    """A short line without an end mark, before a line that starts with a capital."""
    line = line.strip()
    if not line or line.startswith(("#", "|")):
        return bool(line)
    return len(line) < 60 and line[-1] not in ".,;:-–" and following.isupper() and len(line.split()) < 9


def _ends(text: str, match: re.Match[str], start: int, end: int, code: str) -> bool:
    mark = match.group()
    goes_on = _goes_on(text, match.end(), end)
    if mark[0] in "。！？｡．" or match.end() >= end or mark[0] in "!?…؟۔।॥" or len(mark.rstrip("\"'”’»)]")) > 1:
        return not (mark[0] in "…!?." and goes_on)
    if goes_on:
        return False
    place = _next_letter(text, match.end(), end)
    following = text[place : min(end, place + 1)]
    found = _LAST_WORD.search(text, max(start, match.start() - 40), match.start())
    word = found[1].lower().lstrip("(\"'“„«[") if found else ""
    if word in _NUMBERED:
        return not (following.isdigit() or _ROMAN.match(text, match.end()))
    if word in _ABBREVIATIONS[""] or word in _ABBREVIATIONS.get(code, ()) or _INITIAL.search(word):
        return False
    if code in _ORDINAL_LANGUAGES and word.isdigit() and len(word) <= 2:
        return False
    # "1." alone at the start of a line is a number, not a sentence.
    return not (word.isdigit() and not text[start : match.start()].strip().removesuffix(word))


def _goes_on(text: str, position: int, end: int) -> bool:
    """Whether what follows is a small letter, but no name that is always written so: "mRNA", "pH", "e-ID", "x2"."""
    place = _next_letter(text, position, end)
    return text[place : min(end, place + 1)].islower() and _SMALL_NAME.match(text, place, end) is None


def _next_letter(text: str, position: int, end: int) -> int:
    """Place of the next character that is neither white space nor an opening mark; `end` where there is none."""
    while position < end and (text[position].isspace() or text[position] in "\"'“„«(["):
        position += 1
    return position


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end

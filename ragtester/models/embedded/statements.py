"""Sentences that are fit to be asked about: whole, clean, and understandable without their neighbours."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from ragtester.text.sentences import sentence_spans

SHORTEST, LONGEST = 30, 330
_SPACE = re.compile(r"\s+")
_MARKER = re.compile(
    r"^(?:[•●▪◦‣·–—*►✓\uf000-\uf8ff-]\s*|\(?\d{1,2}[.)]\s+|\(?[a-z][.)]\s+|\d+(?:\.\d+)+\.?\s+|[-–]\s+)+"
)
_LABEL = re.compile(
    r"^(?:note|notes|important|warning|caution|tip|hint|remark|purpose|rationale|attention|remarque|hinweis|achtung"
    r"|nota|note bene|attenzione|atención|let op|atenção)\s*[:.–-]\s+",
    re.I,
)
_REFERENCE = re.compile(
    r"\s*[(\[](?:see|cf\.?|siehe|vgl\.?|voir|véase|vedi|zie|ver|см\.|e\.g\.,? see)\b[^)\]]*[)\]]"
    r"|\s*\[\d+(?:[,–-]\s*\d+)*\]|\s*\(\d{1,2}(?:[;,] ?\d{1,2})*\)|(?<=[a-z.,])\u00b9|\u00ad",
    re.I,
)
_RUBBISH = re.compile(
    r"\.{3}|…|\. \. |[{}|\\^~<>=$#@]{1}|>>>|::|\ufffd|/g\d+|[\uf000-\uf8ff\ue000-\uefff]|\(cid:|_{2}|--|\*{1,2}\w"
    r"|\bfig(?:ure|\.)|\btable \d|\blisting \d|\bchapter \d|\bsection \d|\bpage \d|\bexample \d|\bappendix [A-Z\d]"
    r"|\bet al\b|\bpp\.|\bibid|\babb(?:ildung|\.) ?\d|\btabelle \d|\bseite \d|\btableau \d|\bрис\.|\bтабл\."
    r"|\b(?:\w) (?:\w) (?:\w) (?:\w)\b|[\u2200-\u2211\u2213-\u22ff\u2190-\u21ff±×]|\bhttps?:",
    re.I,
)
_ENDS = (".", "!", "。", "．", "다.")
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"), ("„", "“"), ("「", "」"), ("（", "）"))


@dataclass(frozen=True)
class Statement:
    """`text` is one tidy line; `[start, end)` is where its original stands in the passage."""

    text: str
    start: int
    end: int


def statements(text: str, language: str) -> list[Statement]:
    """The sentences of a passage that are fit to be asked about, in order."""
    found = []
    for start, end in sentence_spans(text, language):
        raw = text[start:end]
        offset = _after_heading(raw)
        raw = raw[offset:].rstrip()
        begin = start + offset
        line = tidy(raw)
        marker = _MARKER.match(line)
        if marker and not _inside_list(line):
            line = line[marker.end() :]
        if label := _LABEL.match(line):
            line = line[label.end() :]
        line = line[:1].upper() + line[1:] if label else line
        if _fit(line, raw):
            found.append(Statement(line, begin, begin + len(raw)))
    return found


def tidy(raw: str) -> str:
    """One line without line breaks, end-of-line hyphens, reference marks and doubled spaces."""
    joined = re.sub(r"[\u00ad\ufffe]\n?|(?<=[a-zà-ÿа-я])-\n(?=[a-zà-ÿа-я])|\[\^[\w-]+\]", "", raw)
    # A footnote's figure at the end of a word; the text of a PDF does not show that it was raised.
    joined = re.sub(r"(?<=[a-zà-ÿа-я]{4})\d(?=[.,;:)]?(?:\s|$))", "", joined)
    joined = re.sub(r"(?<=[\u3040-\u30ff\u4e00-\u9fff])\n(?=[\u3040-\u30ff\u4e00-\u9fff])", "", joined)
    return _SPACE.sub(" ", _REFERENCE.sub("", joined)).replace(" .", ".").replace(" ,", ",").strip()


def _after_heading(raw: str) -> int:
    """Where the sentence itself begins when a heading without a full stop stands before it."""
    lines = raw.split("\n")
    offset = best = 0
    for line, following in itertools.pairwise(lines):
        offset += len(line) + 1
        rest = lines[lines.index(following) :]
        widest = max(len(item) for item in rest) if len(rest) > 1 else 60
        body = following.lstrip()
        capital = body[:1].isupper() or body[:1] in "“\"'/•●▪" or bool(_MARKER.match(body))
        blank = not line.strip()
        short = len(line.split()) <= 9 and len(line) < 0.7 * widest and not line.rstrip().endswith((",", ";"))
        if capital and (blank or short):
            best = offset
    return best + (len(raw[best:]) - len(raw[best:].lstrip()))


def fit_for_asking(line: str) -> bool:
    """Whether a piece of a list is clean prose: no code, no references, brackets in pairs, mostly letters."""
    return not _RUBBISH.search(line) and _balanced(line) and _mostly_letters(line)


def _inside_list(line: str) -> bool:
    return bool(re.search(r"\s[•●▪◦]\s", line[2:]))


def _fit(line: str, raw: str) -> bool:
    return (
        _length_fits(line)
        and line.endswith(_ENDS)
        and not _RUBBISH.search(line)
        and not re.search(r"\s[•●▪◦►]\s?", line)
        and _balanced(line)
        and _mostly_letters(line)
        and not _ragged(raw)
        and _starts_well(line)
        and not re.search(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)(?<!cf)\.\s[a-z]", line)
    )


def _length_fits(line: str) -> bool:
    wide = any("\u3040" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7af" for character in line)
    return (12 if wide else SHORTEST) <= len(line) <= (160 if wide else LONGEST)


def _balanced(line: str) -> bool:
    quotes = line.count('"') % 2 == 0
    return quotes and all(line.count(left) == line.count(right) for left, right in _PAIRS if left != "„")


def _mostly_letters(line: str) -> bool:
    solid = [character for character in line if not character.isspace()]
    letters = sum(character.isalpha() for character in solid)
    capitals = sum(word.isupper() and len(word) > 1 for word in line.split())
    return letters >= 0.75 * len(solid) and capitals <= 0.35 * len(line.split())


def _ragged(raw: str) -> bool:
    """Table cells and listings: many lines, most of them short."""
    lines = [line.strip() for line in raw.split("\n") if line.strip()]
    short = sum(len(line) < 22 for line in lines[:-1])
    return len(lines) > 3 and short >= 0.5 * len(lines)


def _starts_well(line: str) -> bool:
    first = line.split(" ", 1)[0]
    return line[:1].isupper() or not first[:1].isascii() or first[:1] in "/“\"'" or any(c in "._/-" for c in first[:-1])

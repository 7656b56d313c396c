# ruff: noqa: E501 - patterns
"""Facts that lists state: entries of a term and what is said of it, and items under the line that introduces them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragtester.models.embedded.facts import Found
from ragtester.models.embedded.statements import Statement, fit_for_asking, tidy

_BULLET = re.compile(r"^\s*(?:[•●▪◦‣–*-]|\uf0b7|\uf0a7)\s*")
_ENTRY = re.compile(r"^(?P<term>[^\s:：.;,][^:：.;!?]{1,38}?)\s?(?P<colon>:|：| — | – )\s?(?P<said>\S.{14,240})$")
_SIGN = re.compile(
    r"^(?:(?:.* )?(?:note|notes|example|warning|caution|tip|hint|remark|proof|claim|lemma|beweis|zu zeigen|behauptung|bemerkung|see|important|figure|table|source|hinweis|beispiel|achtung"
    r"|quelle|siehe|abbildung|tabelle|wichtig|remarque|exemple|note bene|attention|figure|tableau|source|résultat|proposition"
    r"|ejemplo|nota|esempio|exemplo|voorbeeld|let op|пример|примечание|внимание|注記|注意|例|ヒント|重要|question|nb|change|proposition)\w*|.*https?|ftp"
    r"|\d.*|[a-z]\w*://.*)$",
    re.I,
)
_INTRODUCING = re.compile(
    r"^(?P<S>(?:The |A |An )?[A-Za-z][^,;:.()]{4,60}?) (?P<verb>are|include|includes|consists of|consist of|comprises|contains"
    r"|contain|has|have|offers|provides|supports|needs|requires)(?: (?:the following|these|as follows|following)(?: [a-z]+)?)?:$"
)
_LEANING = re.compile(
    r"\b(?:this|these|those|it|they|them|above|below|following|here|dies\w*|folgende\w*|es|sie|ce|cette|ces|este|esta"
    r"|questo|questa|dit|deze|это|этот|эта|эти)\b|この|その|これ|それ|以下|次の|上記|这|该|以下",
    re.I,
)
_TOO_WIDE = re.compile(
    r"^(?:there|we|you|i|they|it|he|she|some|good|sources|this|these)\b|\b(?:examples?|steps?|ways?)\b", re.I
)


def entry_facts(text: str, language: str) -> Iterator[tuple[Found, Statement]]:
    """Entries (`Term: what is said of it`) and lists under an introducing line, in order."""
    lines = _lines(text)
    for found in (_entries(lines), _listed(lines) if language == "en" else ()):
        yield from found


def _lines(text: str) -> list[tuple[int, str]]:
    """Lines with their offsets; a line that goes on below is joined with what follows it."""
    joined: list[tuple[int, str]] = []
    offset, open_line = 0, False
    for line in text.split("\n"):
        going_on = open_line and line.strip() and not _BULLET.match(line) and len(joined[-1][1]) < 260
        if going_on and not re.match(r"^\s*[^\s:：]{1,25}[:：]\s", line):
            joined[-1] = (joined[-1][0], f"{joined[-1][1]}\n{line}")
        else:
            joined.append((offset, line))
        open_line = bool(line.strip()) and not line.rstrip().endswith((".", "。", "!", "?", ":", "："))
        offset += len(line) + 1
    return joined


def _statement(offset: int, raw: str, line: str) -> Statement:
    begin = len(raw) - len(raw.lstrip())
    return Statement(line, offset + begin, offset + len(raw.rstrip()))


def _entries(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[Found, Statement]]:
    for offset, raw in lines:
        marker = _BULLET.match(raw)
        body = raw[marker.end() if marker else 0 :]
        line = tidy(body)
        match = _ENTRY.match(line)
        if not match or (match["colon"] not in (":", "：") and not marker) or line.startswith(("|", "#", "[^")):
            continue
        term, said = match["term"].strip(" *`_"), match["said"].strip()
        wide = bool(re.search(r"[\u3040-\u9fff]", said))
        enough = len(said) >= 12 if wide else len(said.split()) >= 4 and len(term.split()) <= 5
        ended = said.endswith((".", "。", ";")) or (marker and not said.endswith((",", ":")))
        if not enough or not ended or _SIGN.match(term) or _LEANING.search(f"{term} {said}"):
            continue
        said = said.rstrip(";")
        if (
            not fit_for_asking(said)
            or (marker is None and said[:1].islower())
            or re.search(r"\d$|^\W|\b(?:von|by|of|par|por|da|van|für|for)$", term)
        ):
            continue
        start = offset + (marker.end() if marker else 0)
        yield Found("entry", {"S": term}, said.rstrip(".。"), line.rstrip(";")), _statement(start, body, line)


def _listed(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[Found, Statement]]:
    """`X includes:` and two to seven short items."""
    for place, (offset, raw) in enumerate(lines):
        head = _INTRODUCING.match(tidy(raw))
        if not head or _LEANING.search(head["S"]) or _TOO_WIDE.search(head["S"]):
            continue
        items: list[str] = []
        end = offset
        for start, item in lines[place + 1 :]:
            if not item.strip():
                continue
            bullet = _BULLET.match(item)
            if not bullet:
                break
            items.append(tidy(item[bullet.end() :]).rstrip(".;, "))
            end = start + len(item.rstrip())
        if 2 <= len(items) <= 7 and all(3 <= len(item) <= 90 for item in items):
            plural = head["verb"] in ("are", "include", "have", "contain", "consist of")
            subject = head["S"][:1].lower() + head["S"][1:] if re.match(r"(?:The|An?) ", head["S"]) else head["S"]
            slots = {"S": subject, "do": "do" if plural else "does", "is": "are" if plural else "is"}
            said = "; ".join(items)
            yield (
                Found("members", slots, said, f"{head['S']} {head['verb']}: {said}."),
                Statement(f"{head['S']}: {said}", offset + len(raw) - len(raw.lstrip()), end),
            )

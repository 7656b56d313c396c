# ruff: noqa: E501, SIM905 - word lists
"""Facts in languages other than English: a few safe patterns each, and a keyword query where there are none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragtester.models.embedded.facts import Found
from ragtester.models.embedded.language_patterns import (
    ARTICLES,
    BACKWARD,
    JOINING,
    OPENINGS,
    PATTERNS,
    POINTERS,
    PREPOSITIONS,
    PRONOUNS,
    VALUE_LABELS,
    WHOLE,
)
from ragtester.models.embedded.rewording import pick
from ragtester.models.embedded.salient import LABELS
from ragtester.text.languages import stop_words
from ragtester.text.quantities import quantities
from ragtester.text.words import words

_CYRILLIC, _WIDE = re.compile(r"[\u0400-\u04ff]"), re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_CUT = re.compile(r";\s|\s[–—-]\s|:\s|\s\((?=[^)]*$)")
_ENDS = ".!。．"
_LINKS = frozenset(
    "de du des d' pour dans par avec à sur von für mit im in am auf para por con en di del della per con nel do da em voor van bij для по на с".split()
)


def find(line: str, code: str, names: frozenset[str] = frozenset()) -> Iterator[Found]:
    """The first fact that a pattern of the language finds in one tidy sentence."""
    line = _opened(line, code).strip()
    if (code == "ru" and not _mostly(_CYRILLIC, line)) or (code in ("ja", "zh", "ko") and not _mostly(_WIDE, line)):
        return
    if code in BACKWARD and BACKWARD[code].search(line):
        return
    for rule in (_whole, _pattern) if code in LABELS else (_keyword,):
        if found := rule(line, code, names):
            yield found
            return


def joined(first: str, second: str, style: str, code: str, seed: int) -> str:
    """One question of two."""
    link, frames = JOINING.get(code, ("", ()))
    if style == "keyword" or not link:
        return f"{first}; {second}" if style == "keyword" else f"{first} {second}"
    first, second = (re.sub(r"^For the record: (\w)", lambda match: match[1].upper(), one) for one in (first, second))
    second = second.removeprefix("¿")
    initial = second[:1] if re.match(r"\w*[A-Z]\w*[A-Z]", second) else second[:1].lower()
    first = (
        re.sub(r"^(¿?)(\w)", lambda match: match[1] + match[2].lower(), first)
        if style == "scenario" and frames
        else first
    )
    both = f"{first.rstrip(' ?')}, {link} {initial}{second[1:]}"
    if style == "scenario" and frames:
        return pick(frames, seed, first).replace("{q}", both)
    return both


def _opened(line: str, code: str) -> str:
    stripped = OPENINGS[code].sub("", line) if code in OPENINGS else line
    return stripped[:1].upper() + stripped[1:]


def _mostly(script: re.Pattern[str], line: str) -> bool:
    return len(script.findall(line)) >= 0.5 * sum(character.isalpha() for character in line)


def _whole(line: str, code: str, names: frozenset[str]) -> Found | None:
    """Sentences recognised as a whole: a share of something, a year at the start, a condition."""
    for kind, pattern in WHOLE.get(code, ()):
        if match := pattern.match(line):
            groups = {name: text.strip(" 、,") for name, text in match.groupdict().items() if name != "v" and text}
            told = [word.lower() for name in ("c", "x") for word in groups.get(name, "").split()]
            if code in POINTERS and (set(told) & POINTERS[code] or 0 < len(told) < 3):
                return None
            if "S" in groups and code in ARTICLES:
                subject = _subject(groups["S"], code, names)
                if subject is None:
                    return None
                groups["S"] = subject
            if "a" in groups:
                groups["r"] = f"{groups['a']} {groups.pop('b')}"
            if "r" in groups:
                groups["r"] = _short(groups["r"])
            return Found(kind, groups, match["v"].strip(" 、,"), line)
    return None


def _short(text: str) -> str:
    """At most seven words, cut before a preposition: longer runs would be copied."""
    tokens = text.split(" ")
    while len(tokens) > 7:
        cut = max((place for place in range(3, len(tokens)) if tokens[place].lower() in _LINKS), default=0)
        if not cut:
            break
        tokens = tokens[:cut]
    return " ".join(tokens)


def _pattern(line: str, code: str, names: frozenset[str]) -> Found | None:
    for kind, plural, pattern in PATTERNS.get(code, ()):
        match = pattern.match(line)
        if not match:
            continue
        subject, value = _subject(match["s"], code, names), match["v"].rstrip(_ENDS)
        if subject is None:
            return None
        cut = _CUT.search(value)
        if cut and len(value[: cut.start()].split()) >= 3:
            value = value[: cut.start()]
        if not 2 <= len(value.split()) <= 34:
            return None
        said = line[: match.start("v")] + value.strip(" ,") + "."
        many = "plural" if plural and re.match(plural, match["verb"]) else ""
        return Found(kind, {"S": subject, "many": many}, value.strip(" ,"), said)
    return None


def _subject(text: str, code: str, names: frozenset[str]) -> str | None:
    """The subject as it reads in mid-sentence; None where it leans on another sentence."""
    tokens = text.split(" ")
    lowered = [token.lower().strip('«»“”"„') for token in tokens]
    bare = ARTICLES[code].sub("", text)
    if not 1 <= len(tokens) <= 7 or "," in text or _leaning(lowered, code) or len(bare) < 3:
        return None
    if bare == text and len(tokens) == 1 and not re.search(r"[A-ZÀ-ÝА-Я\d]", text[:1]):
        return None
    if code == "fr" and bare == text and re.match(r"\w+(?:er|ir|re)\b", text):
        return None
    content = [word for word in words(bare) if word not in stop_words(code)]
    if not content:
        return None
    common = bare != text or (
        code != "de" and tokens[0] not in names and tokens[0][1:].islower() and len(tokens[0]) > 2
    )
    latin = code == "ru" and tokens[0].isascii()
    return text[:1].lower() + text[1:] if common and not latin else text


def _leaning(lowered: list[str], code: str) -> bool:
    """Whether the words point at something outside, or open with a preposition."""
    return lowered[0] in PREPOSITIONS[code] | PRONOUNS[code] or bool(
        set(lowered) & (PRONOUNS[code] - PREPOSITIONS[code])
    )


def _keyword(line: str, code: str, names: frozenset[str]) -> Found | None:
    """No pattern: a query of the sentence's own words for a number it states."""
    del names
    label = VALUE_LABELS.get(code)
    values = [quantity for quantity in quantities(line, code) if quantity.kind != "number" or quantity.unit]
    if not label or len(values) != 1:
        return None
    value = line[values[0].start : values[0].end]
    if not any(character.isdigit() for character in value):
        return None
    rest = line[: values[0].start] + " … " + line[values[0].end :]
    pattern = r"[\u30a0-\u30ff\u4e00-\u9fff]{2,8}|[A-Za-z]{3,}" if code in ("ja", "zh") else r"[^\W\d_]{4,}"
    content = [word for word in re.findall(pattern, rest) if word.lower() not in stop_words(code)]
    if len(content) < 2:
        return None
    return Found("value", {"S": " ".join(dict.fromkeys(content[:3])), "L": label}, value, line)

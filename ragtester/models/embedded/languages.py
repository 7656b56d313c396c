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
    PRONOUNS,
    VALUE_LABELS,
    WHOLE,
)
from ragtester.models.embedded.rewording import pick
from ragtester.text.languages import stop_words
from ragtester.text.quantities import quantities
from ragtester.text.words import words

_CYRILLIC, _WIDE = re.compile(r"[\u0400-\u04ff]"), re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_CUT = re.compile(r";\s|\s[–—-]\s|:\s|\s\((?=[^)]*$)")
_ENDS = ".!。．"


def find(line: str, code: str) -> Iterator[Found]:
    """The first fact that a pattern of the language finds in one tidy sentence."""
    line = _opened(line, code).strip()
    if (code == "ru" and not _mostly(_CYRILLIC, line)) or (code in ("ja", "zh", "ko") and not _mostly(_WIDE, line)):
        return
    if code in BACKWARD and BACKWARD[code].search(line):
        return
    for rule in (_whole, _pattern, _keyword):
        if found := rule(line, code):
            yield found
            return


def joined(first: str, second: str, style: str, code: str, seed: int) -> str:
    """One question of two."""
    link, frames = JOINING.get(code, ("", ()))
    if style == "keyword" or not link:
        return f"{first}; {second}" if style == "keyword" else f"{first} {second}"
    opening = "¿" if second.startswith("¿") else ""
    second = second.removeprefix("¿")
    initial = second[:1] if re.match(r"\w*[A-Z]\w*[A-Z]", second) else second[:1].lower()
    both = f"{first.rstrip(' ?')}, {link} {initial}{second[1:]}"
    del opening
    if style == "scenario" and frames:
        return pick(frames, seed, first).replace("{q}", both)
    return both


def _opened(line: str, code: str) -> str:
    stripped = OPENINGS[code].sub("", line) if code in OPENINGS else line
    return stripped[:1].upper() + stripped[1:]


def _mostly(script: re.Pattern[str], line: str) -> bool:
    return len(script.findall(line)) >= 0.5 * sum(character.isalpha() for character in line)


def _whole(line: str, code: str) -> Found | None:
    """Sentences recognised as a whole: a share of something, a year at the start, a condition."""
    for kind, pattern in WHOLE.get(code, ()):
        if match := pattern.match(line):
            groups = {name: text.strip(" 、,") for name, text in match.groupdict().items() if name != "v" and text}
            return Found(kind, groups, match["v"].strip(" 、,"), line)
    return None


def _pattern(line: str, code: str) -> Found | None:
    for kind, plural, pattern in PATTERNS.get(code, ()):
        match = pattern.match(line)
        if not match:
            continue
        subject, value = _subject(match["s"], code), match["v"].rstrip(_ENDS)
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


def _subject(text: str, code: str) -> str | None:
    """The subject as it reads in mid-sentence; None where it leans on another sentence."""
    tokens = text.split(" ")
    lowered = [token.lower().strip('«»“”"„') for token in tokens]
    bare = ARTICLES[code].sub("", text)
    if not 1 <= len(tokens) <= 7 or "," in text or set(lowered) & PRONOUNS[code] or len(bare) < 3:
        return None
    if bare == text and len(tokens) == 1 and not re.search(r"[A-ZÀ-ÝА-Я\d]", text[:1]):
        return None
    content = [word for word in words(bare) if word not in stop_words(code)]
    if not content:
        return None
    article = bare != text
    return text[:1].lower() + text[1:] if article and text[1:].islower() or article else text


def _keyword(line: str, code: str) -> Found | None:
    """No pattern: a query of the sentence's own words for a number it states."""
    label = VALUE_LABELS.get(code)
    values = [quantity for quantity in quantities(line, code) if quantity.kind != "number" or quantity.unit]
    if not label or len(values) != 1:
        return None
    value = line[values[0].start : values[0].end]
    rest = line[: values[0].start] + " … " + line[values[0].end :]
    pattern = r"[\u30a0-\u30ff\u4e00-\u9fff]{2,8}|[A-Za-z]{3,}" if code in ("ja", "zh") else r"[^\W\d_]{4,}"
    content = [word for word in re.findall(pattern, rest) if word.lower() not in stop_words(code)]
    if len(content) < 2:
        return None
    return Found("value", {"S": " ".join(dict.fromkeys(content[:3])), "L": label}, value, line)

"""Find the JSON objects in a reply: fenced, wrapped in prose or in a list, with trailing commas or `//` comments."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_COMMENT_OR_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.S)
_COMMA_OR_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.S)
_BEGINS = re.compile(r'\s*(?:"|\}|//|/\*)')
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|[{}]|"', re.S)


@dataclass
class Found:
    """The outermost objects in order, their spans, what was wrong with others, and whether the last breaks off."""

    objects: list[dict[str, Any]] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    cut: bool = False


def find_objects(text: str) -> Found:
    """All outermost JSON objects of `text`. Linear in its length, whatever stands in it."""
    found = Found()
    place = text.find("{")
    while place >= 0:
        if _BEGINS.match(text, place + 1) is None:
            place = text.find("{", place + 1)
            continue
        try:
            value, end = _DECODER.raw_decode(text, place)
            found.objects.append(value)
            found.spans.append((place, end))
        except (ValueError, RecursionError) as error:
            closed = _end(text, place)
            if closed is None:
                found.cut = True
                break
            end = closed
            _lenient(text[place:end], place, end, found, error)
        place = text.find("{", end)
    return found


def _lenient(piece: str, start: int, end: int, found: Found, error: Exception) -> None:
    """Once more without comments and trailing commas, which change no value."""
    plain = _COMMENT_OR_STRING.sub(lambda part: part[0] if part[0].startswith('"') else "", piece)
    plain = _COMMA_OR_STRING.sub(lambda part: part[0] if part[0].startswith('"') else "", plain)
    try:
        value, _ = _DECODER.raw_decode(plain)
    except (ValueError, RecursionError):
        found.faults.append(str(error) or type(error).__name__)
        return
    found.objects.append(value)
    found.spans.append((start, end))


def _end(text: str, start: int) -> int | None:
    """Where the object that begins at `start` ends, braces in strings not counted; None where it breaks off."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token[0] == "{":
            depth += 1
        elif token[0] == "}":
            depth -= 1
            if depth == 0:
                return token.end()
        elif token[0] == '"':
            return None
    return None


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key that is there twice with two values says nothing."""
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made and made[key] != value:
            raise ValueError(f"the key {key!r} stands there twice with different values")
        made[key] = value
    return made


# Raw line ends and tabs in strings change no value either: `strict=False`.
_DECODER = json.JSONDecoder(strict=False, parse_constant=_constant, object_pairs_hook=_pairs)

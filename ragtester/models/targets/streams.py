"""Bodies of HTTP replies as plain data: JSON, lines of JSON, server-sent events, plain text."""

from __future__ import annotations

import json
from typing import Any

from ragtester.models.problems import Problem, Told

EVENTS = "text/event-stream"
LINES = ("application/x-ndjson", "application/jsonl", "application/json-lines", "application/x-jsonlines")
TEXT = "text/plain"
SHOWN = 120


def events_of(body: str, content_type: str) -> list[Any]:
    """The value in a body, or the pieces of a stream; none where the body is empty. Raises Told for any other body.

    `content_type` decides; a body without one, or with another one, must be JSON.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if not body.strip():
        return []
    if kind == EVENTS:
        return _server_sent(body)
    if kind in LINES:
        return [_json(line, kind) for line in body.splitlines() if line.strip()]
    if kind == TEXT:
        return [body]
    if "html" in kind or body.lstrip()[:15].lower().startswith(("<!doctype html", "<html")):
        raise Told(Problem("unparseable", f"the target sent a web page ({kind or 'HTML'}): {shown(body)}"))
    return [_json(body, kind)]


def _json(text: str, kind: str) -> Any:
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        what = f"no JSON ({kind or 'no content type'})"
        raise Told(Problem("unparseable", f"the target sent {what}: {shown(text)}")) from error


def _server_sent(body: str) -> list[Any]:
    """The data of server-sent events (WHATWG HTML, 9.2), up to `[DONE]`: JSON where it is some, else text."""
    events: list[Any] = []
    data: list[str] = []
    for line in [*body.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            text, data = "\n".join(data), []
            if text.strip() == "[DONE]":
                break
            events.append(_piece(text))
    return events


def _piece(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return text


def shown(text: str) -> str:
    """How a body begins, in one line."""
    return " ".join(text.split())[:SHOWN]

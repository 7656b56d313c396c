"""Texts as promptfoo must get them: it renders values as Nunjucks templates and follows references in them.

Questions and answers are hostile text: `{{ env.KEY }}` in a document must stay these characters, and a question that
begins with `file://` must not open a file.
"""

from __future__ import annotations

import re

_BRACE = '{{ "{" }}'
_HASH = '{{ "#" }}'
_OURS = re.compile(r'\{\{ "([{#])" \}\}')
_NOTHING = '{{ "" }}'
# An opening mark begins something, and the end of a comment that was never begun is an error.
_MARKS = re.compile(r"\{(?=[{%#])|#(?=\})")
# What promptfoo loads, runs or takes for another kind of assertion, where a value begins with it.
_STEERS = re.compile(r"\s*(?:file|package|javascript|fn|eval|python|grade|llm-rubric)\s*:", re.IGNORECASE)


def escaped(text: str) -> str:
    """A template that renders to exactly `text`."""
    return (_NOTHING if _STEERS.match(text) else "") + _MARKS.sub(
        lambda mark: _BRACE if mark[0] == "{" else _HASH, text
    )


def unescaped(text: str) -> str:
    """The inverse of `escaped`; other templates stay as they stand."""
    return _OURS.sub(r"\1", text.removeprefix(_NOTHING))


def is_template(text: str) -> bool:
    """Whether promptfoo would fill something in."""
    rest = _OURS.sub(" ", text.removeprefix(_NOTHING))
    return "{{" in rest or "{%" in rest

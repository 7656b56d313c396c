"""The request of an HTTP target: JSON in which `{{question}}`, `{{tags}}` and `{{language}}` stand for values.

The template is read as JSON before anything is filled in, so that a question cannot leave its place in it, whatever
quotes and braces it holds.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from ragtester.errors import UsageError
from ragtester.tasks import AskTarget

SETTING = "target.request"
NAMES = ("question", "tags", "language")
_SLOT = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_TEXT_OR_SLOT = re.compile(r'"(?:[^"\\]|\\.)*"|\{\{[^{}]*\}\}')


@dataclass(frozen=True)
class Template:
    """A request as plain data with slots in its texts."""

    tree: Any

    @classmethod
    def parse(cls, text: str) -> Template:
        """Read a template; a slot may stand in quotes or without. Raises UsageError for what is no JSON, and for slots
        of other names."""
        quoted = _TEXT_OR_SLOT.sub(lambda match: match[0] if match[0].startswith('"') else f'"{match[0]}"', text)
        try:
            tree = json.loads(quoted)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{SETTING}: no JSON: {error}; slots are {_slots()}") from error
        for name in _SLOT.findall(quoted):
            if name not in NAMES:
                raise UsageError(f"{SETTING}: {{{{{name}}}}} is no slot; there are {_slots()}")
        if not _has(tree, "question"):
            raise UsageError(f"{SETTING}: it has no {{{{question}}}}; every question would get the same answer")
        return cls(tree)

    def fill(self, request: AskTarget) -> Any:
        """The request. A text that is a slot and nothing else becomes its value, tags a list; elsewhere it is text."""
        return _filled(self.tree, {"question": request.question, "tags": request.tags, "language": request.language})


def parameters(tree: Any) -> list[tuple[str, str]]:
    """A flat object as the parameters of a URL; a list gives one for each of its items.

    Raises UsageError for what is nested.
    """
    if not isinstance(tree, dict):
        raise UsageError(f"{SETTING}: with method GET it is an object of query parameters")
    found: list[tuple[str, str]] = []
    for name, value in tree.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict | list):
                raise UsageError(f"{SETTING}: {name}: a query parameter cannot be nested; use method POST")
            found.append((name, one if isinstance(one, str) else json.dumps(one)))
    return found


def _filled(tree: Any, values: dict[str, Any]) -> Any:
    if isinstance(tree, dict):
        return {name: _filled(one, values) for name, one in tree.items()}
    if isinstance(tree, list):
        return [_filled(one, values) for one in tree]
    if not isinstance(tree, str):
        return tree
    if (whole := _SLOT.fullmatch(tree)) is not None:
        value = values[whole[1]]
        return list(value) if isinstance(value, tuple) else value
    # One pass over the template: what was filled in is not looked at again.
    return _SLOT.sub(lambda match: _text(values[match[1]]), tree)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def _has(tree: Any, name: str) -> bool:
    if isinstance(tree, dict):
        return any(_has(one, name) for one in tree.values())
    if isinstance(tree, list):
        return any(_has(one, name) for one in tree)
    return isinstance(tree, str) and name in _SLOT.findall(tree)


def _slots() -> str:
    return ", ".join(f"{{{{{name}}}}}" for name in NAMES)

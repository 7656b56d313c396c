"""`scripted:` models for tests: replies from a JSONL file or from a list. They raise no surprise: when they run out,
the call fails with `script_exhausted`."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragtester.errors import UsageError

ANY = ""


class ScriptedReplies:
    """Queues of replies of one model, a task's own before the common one.

    A file's line is `{"reply": text or object, "task": name}`; `task` may be left out. A line with `"contains"` is
    keyed: it serves every request whose user message holds that text, and is never used up.
    """

    def __init__(self, lines: Sequence[Mapping[str, Any] | str]) -> None:
        self._queues: dict[str, deque[str]] = defaultdict(deque)
        self._keyed: list[tuple[str, str, str]] = []
        for line in lines:
            entry: Mapping[str, Any] = {"reply": line} if isinstance(line, str) else line
            reply = entry["reply"]
            text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
            task = str(entry.get("task") or ANY)
            if entry.get("contains"):
                self._keyed.append((task, str(entry["contains"]), text))
            else:
                self._queues[task].append(text)

    def next(self, task: str, user: str) -> str | None:
        """The reply to one request, or None when there is none left."""
        for wanted, part, text in self._keyed:
            if wanted in (ANY, task) and part in user:
                return text
        for name in (task, ANY):
            if self._queues[name]:
                return self._queues[name].popleft()
        return None


def load_script(path: Path) -> ScriptedReplies:
    """Read a script. Raises UsageError naming the first line that is none."""
    if not path.is_file():
        raise UsageError(f"{path}: no such file of scripted replies (scripted:PATH, one JSON object a line)")
    lines = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise UsageError(f"{path}:{number}: not JSON: {error}") from error
        if not isinstance(entry, dict) or "reply" not in entry:
            raise UsageError(f'{path}:{number}: an object with "reply" is needed')
        lines.append(entry)
    return ScriptedReplies(lines)

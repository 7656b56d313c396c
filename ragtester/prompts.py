"""Prompt files with named slots, rendered strictly.

`prompts/<task>.system.md` and `prompts/<task>.user.md` are `string.Template` texts: `$name` is a slot, braces need no
escape. A workspace may override any file by name. A missing or an unknown slot is an error that names it.
Inserted values are data: the tags that the prompts use as delimiters are defused in them.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from string import Template

from ragtester.errors import UsageError

PACKAGED = (Path(__file__).parent / "_prompts", Path(__file__).parent.parent / "prompts")
_TAG = re.compile(
    r"<(?=\s*/?\s*(?:passage|passages|section|sections|question|expected|answer|evidence|keywords|rejected|claim|cited"
    r"|true|wrong)\b)",
    re.I,
)
# U+2039 looks like "<" to a reader and closes no tag.
DEFUSED = "\u2039"


@dataclass(frozen=True)
class Prompt:
    """The two texts of a task, unrendered, and their hash."""

    task: str
    system: str
    user: str
    sha256: str

    def render(self, values: dict[str, str]) -> tuple[str, str]:
        """System and user message. Raises UsageError for a missing or an unused value."""
        return render(self.system, values, f"{self.task}.system.md"), render(self.user, values, f"{self.task}.user.md")


def load_prompt(task: str, override: Path | None = None, variant: str = "") -> Prompt:
    """Load a task's prompt from `override` (a workspace's `prompts/`) or from the package.

    `variant` picks `<task>.<variant>.system.md` where the reply format changes the words.
    """
    stem = f"{task}.{variant}" if variant else task
    system, user = (_read(f"{stem}.{part}.md", override) for part in ("system", "user"))
    digest = hashlib.sha256(f"{system}\0{user}".encode()).hexdigest()
    return Prompt(task, system, user, digest)


def render(text: str, values: dict[str, str], where: str) -> str:
    """Fill the slots of one text; every slot must have a value."""
    template = Template(text)
    if not template.is_valid():
        raise UsageError(f"{where}: a lone $ stands in the prompt; write $$ for a dollar sign")
    missing = [name for name in template.get_identifiers() if name not in values]
    if missing:
        raise UsageError(f"{where}: unknown slot ${missing[0]}; known: {', '.join(sorted(values))}")
    return template.substitute(values)


def defuse(text: str) -> str:
    """Make the prompts' own delimiters harmless in hostile text; everything else stays letter for letter."""
    return _TAG.sub(DEFUSED, text)


def _read(name: str, override: Path | None) -> str:
    for folder in (override, *PACKAGED):
        if folder is not None and (folder / name).is_file():
            return (folder / name).read_text(encoding="utf-8")
    raise UsageError(f"prompt {name} not found in {override or PACKAGED[0]}")

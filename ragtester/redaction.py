"""Keys never leave the process: they are taken out of every text that a server sends back."""

from __future__ import annotations

import os
import re

_SECRET_NAME = re.compile(r"(?:key|token|secret|password|passwd|credential)s?$", re.I)
_LOOKS_SECRET = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|or|ghp|AIza|nvapi|pplx|csk|fw|tgp)[-_][\w*.\-]{4,}|\bAIza[\w\-]{10,}|(?<=Bearer )\S+"
    r"|(?<=[Kk]ey provided: )\S+|\S*\*{4,}\S*",
)
REDACTED = "[key]"


def secrets(extra: tuple[str, ...] = ()) -> list[str]:
    """Values of the environment variables that hold keys, longest first, and those of the variables named `extra`."""
    values = {value for name, value in os.environ.items() if _SECRET_NAME.search(name) or name in extra}
    return sorted((value for value in values if len(value) >= 6), key=len, reverse=True)


def redact(text: str, known: list[str] | None = None) -> str:
    """`text` without any key: known values first, then everything that looks like one."""
    for value in secrets() if known is None else known:
        text = text.replace(value, REDACTED)
    return _LOOKS_SECRET.sub(REDACTED, text)

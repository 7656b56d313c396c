"""Which characters of a text no installed font can draw."""

from __future__ import annotations

import re
import shutil
import subprocess
import unicodedata
from functools import lru_cache

_RANGE = re.compile(r"([0-9a-f]+)(?:-([0-9a-f]+))?")
# Packages that carry fonts for a script, by the first word of its characters' Unicode names.
PACKAGES = {
    "CJK": "fonts-noto-cjk",
    "HIRAGANA": "fonts-noto-cjk",
    "KATAKANA": "fonts-noto-cjk",
    "HANGUL": "fonts-noto-cjk",
}
DEFAULT_PACKAGE = "fonts-noto-core"
EMOJI_PACKAGE = "fonts-noto-color-emoji"


@lru_cache(maxsize=1)
def covered_characters() -> frozenset[int] | None:
    """Code points that at least one font of fontconfig draws; None where `fc-list` is not installed."""
    command = shutil.which("fc-list")
    if command is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command without any text of ours
            [command, "--format", "%{charset}\n"], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    ranges = {match.groups() for line in done.stdout.splitlines() for match in _RANGE.finditer(line)}
    return frozenset(code for first, last in ranges for code in range(int(first, 16), int(last or first, 16) + 1))


def missing_characters(text: str) -> str | None:
    """Distinct characters of `text` without a font, sorted; None where fonts cannot be asked for.

    Spaces, control and format characters and variation selectors draw nothing and are never missing.
    """
    covered = covered_characters()
    if covered is None:
        return None
    return "".join(sorted(char for char in set(text) if ord(char) not in covered and _draws(char)))


def script_of(char: str) -> str:
    """First word of a character's Unicode name: LATIN, CJK, ARABIC, …"""
    return unicodedata.name(char, "UNNAMED").split()[0].split("-")[0]


def explain_missing(characters: str) -> str:
    """One line that names the characters, their scripts and the Debian packages with fonts for them."""
    scripts = sorted({script_of(char) for char in characters})
    packages = sorted({_package(char) for char in characters})
    shown = " ".join(characters[:12]) + (" …" if len(characters) > 12 else "")
    return (
        f"no font for {len(characters)} character(s) ({', '.join(scripts)}): {shown}; "
        f"install one, on Debian for example {' '.join(packages)}"
    )


def _package(char: str) -> str:
    if unicodedata.category(char) == "So" and ord(char) >= 0x1F000:
        return EMOJI_PACKAGE
    return PACKAGES.get(script_of(char), DEFAULT_PACKAGE)


def _draws(char: str) -> bool:
    category = unicodedata.category(char)
    invisible = category in {"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"}
    return not invisible and not 0xFE00 <= ord(char) <= 0xFE0F and not 0xE0100 <= ord(char) <= 0xE01EF

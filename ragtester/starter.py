"""`ragtester init`: a workspace to begin with."""

from __future__ import annotations

from pathlib import Path

from ragtester.errors import UsageError
from ragtester.settings import FILE_NAME
from ragtester.storage import write_text

IGNORED = ".ragtester/\n.env\n"


def starter_text() -> str:
    """The commented settings file; every value in it is the default."""
    return (Path(__file__).parent / "starter.toml").read_text(encoding="utf-8")


def write_workspace(folder: Path) -> list[str]:
    """Write `ragtester.toml`, `corpora/` and `.gitignore` into `folder`; nothing that exists is touched.

    Returns what to tell the user. Raises UsageError where there are settings already.
    """
    path = folder / FILE_NAME
    if path.exists():
        raise UsageError(f"{path}: exists already; edit it, or choose another folder")
    write_text(path, [starter_text()])
    (folder / "corpora").mkdir(exist_ok=True)
    if not (folder / ".gitignore").exists():
        write_text(folder / ".gitignore", [IGNORED])
    return [
        f"{path} written.",
        f"1. Put your documents into {folder / 'corpora'}.",
        f"2. Choose models in {FILE_NAME}; keys go into the environment or {folder / '.env'}.",
        f"3. ragtester doctor -w {folder}",
        f"4. ragtester run -w {folder} --estimate, then the same without --estimate.",
    ]

"""Which files belong to a corpus: single files, folders and globs become a sorted list without doubles."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from ragtester.errors import UsageError
from ragtester.settings import if_absent
from ragtester.text.globs import glob_regex
from ragtester.workspace import slug

SUFFIXES = (".pdf", ".md", ".txt", ".html", ".htm", ".docx")
_MAGIC = re.compile(r"[*?\[]")
_OWN_FILES = ("manifest.json", ".facts.jsonl")


@dataclass(frozen=True)
class CorpusFile:
    """A file to read. `id` is unique and a safe name.

    `relative` is its path below the folder that was given, as people see it, always valid UTF-8.
    """

    path: Path
    relative: str
    source: Literal["generated", "manual"]
    id: str


class FoundFiles(list[CorpusFile]):
    """The files of a corpus in the order of their posix paths; `notes` says what was left out and why."""

    def __init__(self, files: Sequence[CorpusFile], notes: Sequence[str] = ()) -> None:
        super().__init__(files)
        self.notes = tuple(notes)


def find_files(patterns: Sequence[str], base: Path) -> FoundFiles:
    """All documents that `patterns` name: files, folders (with everything below) and globs, relative to `base`.

    Hidden files, the writer's own files and links that lead out of a given folder are left out. A file that is
    named itself is always listed, whatever its suffix, so that its reader can say what is wrong with it. Raises
    UsageError naming every pattern that leads to nothing.
    """
    missing: list[str] = []
    chosen: dict[Path, tuple[Path, str]] = {}
    unknown: Counter[str] = Counter()
    outside: list[str] = []
    for pattern in patterns:
        root, candidates = _expand(pattern, base)
        if candidates is None:
            missing.append(pattern)
            continue
        for path in candidates:
            named = path == root
            real = path.resolve()
            if not named and not real.is_relative_to(root.resolve()):
                outside.append(readable(path, base))
            elif not named and path.suffix.lower() not in SUFFIXES:
                if not path.name.endswith(_OWN_FILES):
                    unknown[path.suffix.lower() or "(none)"] += 1
            elif real not in chosen:
                local = path.name if named else path.relative_to(root).as_posix()
                chosen[real] = (path, local)
    if missing:
        raise UsageError(f"no such file or folder: {', '.join(missing)} (looked in {base}){if_absent(base)}")
    written = _Written()
    files = [
        CorpusFile(path, valid(local), written.source(path), _local_id(local))
        for path, local in chosen.values()
        if not written.is_markdown_source(path)
    ]
    files.sort(key=lambda file: (file.relative, readable(file.path, base)))
    return FoundFiles(_unique(files, base), _notes(unknown, outside))


def readable(path: Path, base: Path) -> str:
    """`path` relative to `base`, see `valid`."""
    try:
        return valid(os.path.relpath(path, base))
    except ValueError:  # another drive on Windows
        return valid(str(path))


def valid(text: str) -> str:
    """A path with forward slashes; bytes of a name that are not UTF-8 are shown as \\xNN."""
    return os.fsencode(text).decode("utf-8", "backslashreplace").replace(os.sep, "/")


def _expand(pattern: str, base: Path) -> tuple[Path, list[Path] | None]:
    """The folder (or file) a pattern starts from, and the files it names; None where there is nothing there."""
    path = base / Path(pattern).expanduser()
    if path.is_file():
        return path, [path]
    if path.is_dir():
        return path, list(_walk(path))
    parts = path.parts
    first = next((index for index, part in enumerate(parts) if _MAGIC.search(part)), None)
    if first is None:
        return path, None
    root = Path(*parts[:first])
    wanted = glob_regex(parts[first:])
    found = [file for file in _walk(root) if _matches(wanted, file.relative_to(root))] if root.is_dir() else []
    return root, found or None


def _walk(root: Path) -> Iterator[Path]:
    """Visible files below a folder; linked folders are not entered, so that a loop cannot hang."""
    for folder, names, files in os.walk(root, followlinks=False):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(files):
            path = Path(folder, name)
            if not name.startswith((".", "~$")) and path.is_file():
                yield path


def _matches(wanted: re.Pattern[str], path: Path) -> bool:
    """A glob names a file directly, or a folder above it."""
    return any(wanted.fullmatch(part.as_posix()) for part in (path, *path.parents) if part.parts)


class _Written:
    """What the manifests of our writer say about the files beside them; each manifest is read once."""

    def __init__(self) -> None:
        self._names: dict[Path, frozenset[str]] = {}

    def _of(self, folder: Path) -> frozenset[str]:
        if folder not in self._names:
            self._names[folder] = _manifest_names(folder / "manifest.json")
        return self._names[folder]

    def source(self, path: Path) -> Literal["generated", "manual"]:
        """Whether our writer made the file."""
        return "generated" if path.name in self._of(path.parent) else "manual"

    def is_markdown_source(self, path: Path) -> bool:
        """Whether a .md file is only the source of the .pdf beside it."""
        twin = path.with_suffix(".pdf")
        return path.suffix.lower() == ".md" and twin.is_file() and path.name in self._of(path.parent)


def _manifest_names(path: Path) -> frozenset[str]:
    """Base names of all files that a manifest of the stage `documents` names; empty where there is none."""
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return frozenset()
    if not isinstance(data, dict) or data.get("stage") != "documents":
        return frozenset()
    names: set[str] = set()
    stack: list[Any] = [data]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend((*item.keys(), *item.values()))
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, str):
            names.add(item.rsplit("/", 1)[-1])
    stems = {name.rsplit(".", 1)[0] for name in names if name.endswith(".pdf")}
    return frozenset(names | {f"{stem}.md" for stem in stems})


def _local_id(local: str) -> str:
    return slug(Path(local).with_suffix("").as_posix().replace("/", "__"))


def _unique(files: list[CorpusFile], base: Path) -> list[CorpusFile]:
    """Give a hash of the path to every file whose id another file has as well (also on case-blind disks)."""
    groups: dict[str, list[CorpusFile]] = defaultdict(list)
    for file in files:
        groups[file.id.casefold()].append(file)
    return [file if len(groups[file.id.casefold()]) == 1 else replace(file, id=_hashed(file, base)) for file in files]


def _hashed(file: CorpusFile, base: Path) -> str:
    return f"{file.id}-{hashlib.sha256(readable(file.path, base).encode()).hexdigest()[:8]}"


def _notes(unknown: Counter[str], outside: list[str]) -> list[str]:
    notes = []
    if unknown:
        kinds = ", ".join(f"{suffix} ({count})" for suffix, count in sorted(unknown.items()))
        notes.append(f"left out {unknown.total()} file(s) of unknown kinds: {kinds}; readable are {' '.join(SUFFIXES)}")
    if outside:
        notes.append(f"left out {len(outside)} link(s) that lead out of their folder: {', '.join(sorted(outside)[:5])}")
    return notes

"""What produced a file: hashes, package versions, the code's revision, floating model names; and its manifest."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from ragtester.records import Ledger, Manifest

PACKAGES = (
    "ragtester-pipeline",
    "bm25s",
    "chromadb",
    "flashrank",
    "genai-prices",
    "langchain-core",
    "langchain-openai",
    "langchain-ollama",
    "langchain-text-splitters",
    "lxml",
    "py3langid",
    "pypdf",
    "pypdfium2",
    "python-docx",
    "rapidfuzz",
    "snowballstemmer",
    "textstat",
    "tokenizers",
    "wordllama",
)
# A dated snapshot ends in a date or a build; everything else may change under its name.
_PINNED = re.compile(r"(\d{4}-\d{2}-\d{2}|\d{8}|-\d{4}|@sha256:[0-9a-f]+|\.gguf)$")


def sha256_text(text: str) -> str:
    """Hex SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sha256_file(path: Path) -> str:
    """Hex SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def row_key(**parts: Any) -> str:
    """Short hash of everything a row's content depends on."""
    return sha256_text(json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str))[:16]


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@lru_cache
def versions(*more: str) -> dict[str, str]:
    """Versions of the packages that shape results, and of those named besides; one that is absent is left out."""
    found = {}
    for name in (*PACKAGES, *more):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


@lru_cache
def revision(folder: Path) -> tuple[str | None, bool | None]:
    """Git revision of the code in `folder` and whether it has uncommitted changes; (None, None) where git keeps none.

    A package that is installed below somebody's repository (`.venv/`) is no part of it: their commits do not change it.
    """
    try:
        if not _git(folder, "ls-files", "--", ".").strip():
            return None, None
        head = _git(folder, "rev-parse", "HEAD")
        return head.strip(), bool(_git(folder, "status", "--porcelain").strip())
    except (OSError, subprocess.SubprocessError):
        return None, None


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, timeout=10, check=True)  # noqa: S603, S607
    return done.stdout


def is_floating(model: str) -> bool:
    """Whether a model's name may point to another model tomorrow (no date, build or digest in it)."""
    return not model.startswith(("embedded:", "scripted:")) and not _PINNED.search(model)


def flat(tree: Mapping[str, Any], separator: str, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of nested tables with its names, joined by `separator`; an empty table is a value."""
    for name, value in tree.items():
        if isinstance(value, dict) and value:
            yield from flat(value, separator, f"{before}{name}{separator}")
        else:
            yield f"{before}{name}", value


def begin_manifest(
    stage: str,
    name: str,
    *,
    seed: int,
    models: Mapping[str, str | None],
    inputs: Mapping[str, str] | None = None,
    prompts: Mapping[str, str] | None = None,
    parameters: Mapping[str, Any] | None = None,
    started: str = "",
) -> Manifest:
    """The manifest of rows that are about to be made, by this code and these packages; it has no end yet.

    `models` maps a model as it was asked for to the one that served, None where that is not known yet. The time is now
    unless the work has `started` before.
    """
    head, dirty = revision(Path(__file__).parent)
    return Manifest(
        stage=stage,
        name=name,
        inputs=dict(inputs or {}),
        prompts=dict(prompts or {}),
        models=dict(models),
        floating_aliases=tuple(model for model in models if is_floating(model)),
        parameters=dict(parameters or {}),
        seed=seed,
        versions=versions(),
        revision=head,
        dirty=dirty,
        started=started or now(),
    )


def as_made(manifest: Manifest, old: Manifest | None) -> Manifest:
    """The manifest of a start that makes no row: its rows are of the code, the packages and the time of the earlier."""
    if old is None or old.ended is None:
        return manifest
    names = ("versions", "revision", "dirty", "started")
    return manifest.model_copy(update={name: getattr(old, name) for name in names})


def end_manifest(
    manifest: Manifest,
    *,
    ledger: Ledger,
    counts: Mapping[str, Any] | None = None,
    models: Mapping[str, str | None] | None = None,
    outputs: Iterable[Path] = (),
) -> Manifest:
    """The manifest with its account and its end; `models` says which ones served, where that is known only now.

    `outputs` are the files that were written; their hashes are kept by name.
    """
    served = manifest.models if models is None else dict(models)
    made = {path.name: sha256_file(path) for path in outputs if path.is_file()}
    update = {"ledger": ledger, "counts": dict(counts or {}), "models": served, "outputs": made, "ended": now()}
    return manifest.model_copy(update=update)

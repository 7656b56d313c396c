"""The workspaces of the demo, and the regressions that are seeded into copies of them: real changes of real files."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from app import build_index  # noqa: E402 - found beside this file

SETTINGS = "ragtester.toml"


def make_app(folder: Path) -> None:
    """A workspace with the application: its code, its prompt and its index."""
    _copy(folder, "app.toml", "app.py", "prompt.md", "model.txt")
    build_index(folder / "documents", to=folder / "index.jsonl")


def make_engine(folder: Path) -> None:
    """A workspace in which the embedded engine is the system under test."""
    _copy(folder, "engine.toml")


def _copy(folder: Path, settings: str, *files: str) -> None:
    folder.mkdir(parents=True)
    shutil.copytree(HERE / "documents", folder / "documents")
    shutil.copy(HERE / settings, folder / SETTINGS)
    for name in files:
        shutil.copy(HERE / name, folder / name)


def stale_index(folder: Path) -> None:
    """Last year's documents were not taken out when the index was built."""
    shutil.copytree(HERE / "documents-2024", folder / "documents-2024")
    build_index(folder / "documents", folder / "documents-2024", to=folder / "index.jsonl")


def prompt_edit(folder: Path) -> None:
    """Somebody makes the assistant more helpful."""
    _replace(
        folder / "prompt.md",
        "- Answer only with what the passages say.",
        "- Answer kindly, and add what else may help.",
    )


def dropped_chunk(folder: Path) -> None:
    """An upload was cut short: the first chunks of a document never reached the index."""
    path = folder / "index.jsonl"
    rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
    lost = {f"documents/ferry-tariff#{number}" for number in range(4)}
    path.write_text("".join(row for row in rows if json.loads(row)["id"] not in lost), encoding="utf-8")


def judge_swap(folder: Path) -> None:
    """Another judge is put into the settings."""
    _append(folder / SETTINGS, '\n[judge]\nmodel = "embedded:rules"\n')


def weaker_model(folder: Path) -> None:
    """A cheaper model is put in."""
    _replace(folder / "model.txt", "assistant-large", "assistant-small")


def score_floor(folder: Path) -> None:
    """A floor under the scores of the search is to keep weak hits out, and drops the right chunks with them."""
    _append(folder / SETTINGS, '\n[[execute.retrieval.arms]]\nkind = "dense"\nfloor = 0.45\n')


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{path}: {old!r} does not stand there exactly once")
    path.write_text(text.replace(old, new), encoding="utf-8")


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


@dataclass(frozen=True)
class Regression:
    """What is changed in a copy of a workspace, and which layer should see it and name which cause first."""

    name: str
    workspace: str
    change: Callable[[Path], None]
    layer: str
    cause: str


WORKSPACES = {"app": make_app, "engine": make_engine}
REGRESSIONS = (
    Regression("stale-index", "app", stale_index, "coverage", "index"),
    Regression("prompt-edit", "app", prompt_edit, "claims", "prompt"),
    Regression("dropped-chunk", "app", dropped_chunk, "retrieval", "index"),
    Regression("judge-swap", "app", judge_swap, "drift", "judge"),
    Regression("weaker-model", "app", weaker_model, "claims", "model"),
    Regression("score-floor", "engine", score_floor, "adversarial", "settings"),
)

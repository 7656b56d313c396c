"""What every function of a project needs: its workspace, its settings, its progress."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragtester.errors import UsageError
from ragtester.progress import Progress, SilentProgress
from ragtester.settings import Settings, load_settings
from ragtester.workspace import Workspace


class Opened:
    """A workspace with its settings, opened."""

    def __init__(
        self, folder: str | Path = ".", overrides: Sequence[str] = (), *, progress: Progress | None = None
    ) -> None:
        root = Path(folder)
        self.settings: Settings = load_settings(root, tuple(overrides))
        self.workspace = Workspace(root.resolve())
        self.progress: Progress = progress or SilentProgress()
        load_environment(root)

    def _seed(self, seed: int | None) -> int:
        return self.settings.workspace.seed if seed is None else seed


def load_environment(root: Path) -> None:
    """Take keys from `root/.env` where the environment does not have them already."""
    path = root / ".env"
    if path.is_file():
        from dotenv import load_dotenv

        try:
            load_dotenv(path, override=False)
        except UnicodeDecodeError as error:
            raise UsageError(f"{path}: not UTF-8; write it again as UTF-8 text") from error

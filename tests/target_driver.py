"""Runs the execute stage with an HTTP target and kills its own process: `target_driver ROOT URL EVENT` (0: never).

EVENT is the number of the moment: a row or a chunk about to be written or just written, a reply kept, a file about to
be replaced.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from ragtester.models.journal import CallJournal
from ragtester.searching import from_target
from ragtester.storage import RowWriter
from tests.target_world import TargetWorld


class Bomb:
    """Counts moments; the process dies at the chosen one."""

    def __init__(self, at: int) -> None:
        self.left = at

    def around(self, holder: Any, name: str) -> None:
        """Count before and after every call of a function."""
        inner = getattr(holder, name)

        def outer(*arguments: Any) -> Any:
            self._tick()
            made = inner(*arguments)
            self._tick()
            return made

        setattr(holder, name, outer)

    def _tick(self) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def main(root: Path, url: str, at: int) -> None:
    world = TargetWorld(root, {"name": url}, documents=0, cases=0)
    bomb = Bomb(at)
    for holder, name in ((RowWriter, "append"), (from_target, "append_row"), (CallJournal, "keep"), (Path, "replace")):
        bomb.around(holder, name)
    world.go()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))

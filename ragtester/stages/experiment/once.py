"""What is said once in an experiment, though every setting would say it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragtester.progress import Progress


@dataclass
class Once:
    """Passes progress on, and each note once."""

    inner: Progress
    _said: set[str] = field(default_factory=set)

    def start(self, stage: str, planned: int) -> None:
        """A stage begins."""
        self.inner.start(stage, planned)

    def advance(self, *, failed: bool = False, cost: float | None = None, count: int = 1) -> None:
        """Rows are on disk."""
        self.inner.advance(failed=failed, cost=cost, count=count)

    def note(self, message: str) -> None:
        """A notice, unless it was given before."""
        if message not in self._said:
            self._said.add(message)
            self.inner.note(message)

    def finish(self) -> None:
        """The stage is over."""
        self.inner.finish()

"""Facts that a sentence states, found by pattern: what it speaks of, what it says, and what may be asked."""

from __future__ import annotations


class NoCase(Exception):  # noqa: N818 - an outcome, not a fault
    """No case worth asking can be made from the passages; the message says why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)

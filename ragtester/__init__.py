"""ragtester: test suites for retrieval-augmented LLMs, from documents to verdicts.

Names are loaded when they are first used, so that `import ragtester` stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragtester.api import Project as Project
    from ragtester.errors import RagtesterError as RagtesterError
    from ragtester.progress import StageResult as StageResult
    from ragtester.records import Answer as Answer
    from ragtester.records import Case as Case
    from ragtester.records import Ledger as Ledger
    from ragtester.records import Verdict as Verdict
    from ragtester.settings import Settings as Settings
    from ragtester.starter import write_workspace as write_workspace

_HOME = {
    "Project": "api",
    "RagtesterError": "errors",
    "StageResult": "progress",
    "Answer": "records",
    "Case": "records",
    "Ledger": "records",
    "Verdict": "records",
    "Settings": "settings",
    "write_workspace": "starter",
}
__all__ = sorted(_HOME)  # noqa: PLE0605 - the table above is the one list of public names


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ragtester' has no attribute {name!r}")
    return getattr(import_module(f"ragtester.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})

"""Errors that a user can mend. Each carries one line: what, where, and how to mend it."""

from __future__ import annotations


class RagtesterError(Exception):
    """Base of every expected error; the command line prints it in one line, without a traceback."""

    exit_code = 2


class UsageError(RagtesterError):
    """Bad usage, settings or input (exit code 2)."""


class DataError(RagtesterError):
    """A file of the workspace does not hold what it should; lists every fault with file and line."""

    def __init__(self, message: str, faults: list[str] | None = None) -> None:
        self.faults = faults or []
        super().__init__("\n  ".join([message, *self.faults]))


class MissingPackageError(RagtesterError):
    """An optional package or a native library is not there; the message names what to install."""

    @classmethod
    def of(cls, error: ImportError) -> MissingPackageError | None:
        """What is missing of the installation where a package that we need cannot be imported.

        None where a module of our own is named, or none: that is a fault of the program and no user can mend it.
        """
        package = (error.name or "ragtester").partition(".")[0]
        if package == "ragtester":
            return None
        return cls(
            f"the Python package {package!r} cannot be imported ({error}), and ragtester needs it: the installation is "
            "not whole; pip install --force-reinstall ragtester-pipeline"
        )


class StorageError(RagtesterError):
    """A file could not be written (full disk, rights); rows written before stay readable."""

    exit_code = 3


class ChangedInputsError(RagtesterError):
    """Rows under this name were made from other inputs; the message says what changed."""

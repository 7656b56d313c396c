"""Functions and objects of the user's, named `MODULE:NAME` in the settings and found in the workspace first."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ragtester.errors import UsageError
from ragtester.provenance import sha256_file
from ragtester.redaction import redact


def one_line(error: BaseException) -> str:
    """Type and words of an error of foreign code, without keys and cut short."""
    return f"{type(error).__name__}: {redact(' '.join(str(error).split()))[:200]}".removesuffix(": ")


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives something to await: an async function, or an object whose call is one."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


@dataclass(frozen=True)
class Named:
    """`prefix`MODULE:NAME of a setting; MODULE.py is looked for in the workspace `root` first.

    `setting` and `form` (as in "python:MODULE:FUNCTION") stand in the messages.
    """

    name: str
    prefix: str
    setting: str
    form: str
    root: Path

    def load(self) -> Any:
        """What it stands for. Raises UsageError for another form, and for what is not there or cannot be imported."""
        module_name, own_name = self._parts()
        module = self._import(module_name)
        if not hasattr(module, own_name):
            where = getattr(module, "__file__", module_name)
            raise UsageError(f"{self.setting}: {self.name}: {own_name} is not in it ({where})")
        return getattr(module, own_name)

    def function(self) -> Callable[..., Any]:
        """The same; raises UsageError for what cannot be called as well."""
        found = self.load()
        if not callable(found):
            raise UsageError(f"{self.setting}: {self.name}: {self._parts()[1]} is no function")
        function: Callable[..., Any] = found
        return function

    def sha256(self) -> str:
        """Hash of the module's own file: what it gives depends on it. Empty where it is not in the workspace."""
        file = _file(self._parts()[0], self.root)
        return sha256_file(file) if file is not None else ""

    def _parts(self) -> tuple[str, str]:
        module, _, own = self.name.removeprefix(self.prefix).partition(":")
        if not own.isidentifier() or not all(part.isidentifier() for part in module.split(".")):
            example = f"{self.prefix}my_module:my_name"
            raise UsageError(f"{self.setting}: {self.name!r} is not of the form {self.form}, as in {example}")
        return module, own

    def _import(self, module: str) -> ModuleType:
        told = f"{self.setting}: {self.name} cannot be imported"
        try:
            with _first_on_path(self.root):
                file = _file(module, self.root)
                return _load(module, file) if file and "." not in module else importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module.partition(".")[0]:
                raise UsageError(f"{told}: {one_line(error)}") from error
            missing = f"no module {module}: put {module}.py into {self.root}, or install it"
            raise UsageError(f"{self.setting}: {missing}") from error
        except (Exception, SystemExit) as error:
            raise UsageError(f"{told}: {one_line(error)}") from error


def _file(module: str, root: Path) -> Path | None:
    place = root.joinpath(*module.split("."))
    for file in (place.with_suffix(".py"), place / "__init__.py"):
        if file.is_file():
            return file.resolve()
    return None


def _load(module: str, file: Path) -> ModuleType:
    """Import a file of the workspace under a name of its own: two workspaces, or an edited file, never get mixed up."""
    own = f"{module}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(own, file)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[own] = made  # dataclasses look their module up there
    try:
        spec.loader.exec_module(made)
    except BaseException:
        del sys.modules[own]
        raise
    return made


@contextmanager
def _first_on_path(root: Path) -> Iterator[None]:
    importlib.invalidate_caches()
    before = list(sys.path)
    sys.path.insert(0, str(root.resolve()))
    try:
        yield
    finally:
        sys.path[:] = before

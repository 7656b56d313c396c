"""The target that the settings name: what it is, whether it can be asked, and what its answers depend on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from ragtester.errors import UsageError
from ragtester.functions import Named
from ragtester.models.targets import functions, http, runnables
from ragtester.models.targets.reading import Reading
from ragtester.provenance import sha256_file
from ragtester.settings import Settings, TargetSettings
from ragtester.tasks import AskTarget

PROVIDER = "target"
"""The table of its limits: `[providers.target]`."""
WATCH = "watch "
"""Begins the name of a watched file among a manifest's inputs."""
# What of the settings does not reach an answer: the watched files do by their hashes.
_NOT_CONTENT = {"watch", "max_reply_mb"}


class Target(Protocol):
    """A system under test that is not ours."""

    async def ask(self, request: AskTarget) -> list[Any]:
        """Its reply as plain data: one value, or the pieces of a stream. Raises whatever goes wrong."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


def is_local(target: TargetSettings) -> bool:
    """Whether it runs in this process."""
    return target.kind in ("python", "langchain")


def open_target(settings: Settings, root: Path) -> tuple[Target, Reading]:
    """The target, and how its replies are read. Raises UsageError and MissingPackageError for one that cannot work."""
    target = settings.target
    reading = Reading.of(target.kind, target)
    if target.kind == "python":
        return functions.FunctionTarget.load(_named(target, root)), reading
    if target.kind == "langchain":
        return runnables.RunnableTarget.load(_named(target, root), target.input), reading
    return http.HttpTarget(target, settings.provider(PROVIDER)), reading


def check_target(settings: Settings, root: Path) -> None:
    """Raise what `open_target` would, and UsageError for watched files that are not there. Nothing is asked."""
    open_target(settings, root)
    watched(settings.target, root)


def target_identity(settings: Settings, root: Path) -> dict[str, Any]:
    """What an answer depends on besides the question: the settings, and the module's file where it is at hand."""
    target = settings.target
    default = TargetSettings()
    told = target.model_dump(mode="json", exclude=_NOT_CONTENT)
    found = {name: value for name, value in told.items() if value != getattr(default, name) or name == "name"}
    if is_local(target) and (digest := _named(target, root).sha256()):
        found["module"] = digest
    return found


def watched(target: TargetSettings, root: Path) -> dict[str, str]:
    """Hashes of the watched files, as a manifest's inputs: `watch NAME: PATH`. Raises UsageError for one not there."""
    return {f"{WATCH}{name}: {path}": sha256_file(file) for name, path, file in _files(target, root)}


def _files(target: TargetSettings, root: Path) -> Iterator[tuple[str, str, Path]]:
    for name, paths in target.watch.items():
        for path in paths:
            place = root / path
            if place.is_dir():
                found = sorted(one for one in place.rglob("*") if one.is_file() and "__pycache__" not in one.parts)
                yield from ((name, one.relative_to(root).as_posix(), one) for one in found)
            elif place.is_file():
                yield name, path, place
            else:
                raise UsageError(f"target.watch.{name}: {place} is not there; name files or folders of the workspace")


def _named(target: TargetSettings, root: Path) -> Named:
    own = functions if target.kind == "python" else runnables
    return Named(target.name, own.PREFIX, functions.SETTING, own.FORM, root)

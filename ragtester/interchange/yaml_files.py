"""YAML as promptfoo reads and writes it, through a safe loader: no tags, no guessing of types, bounded expansion.

Every plain scalar stays the text that it is (a keyword `no` is no boolean, a version `1.10` no number), except null.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ragtester.errors import DataError

if TYPE_CHECKING:
    from yaml import MappingNode

# A file of aliases of aliases can stand for more nodes than memory holds.
LARGEST_TREE = 5_000_000
_DEEPEST = 100
_NUMERIC = re.compile(r"[-+.]*\d|[-+]?\.(?:inf|nan)", re.IGNORECASE)


class Mapping(dict[str, Any]):
    """A mapping that knows the line it begins on."""

    line: int = 0


def load(text: str, path: Path) -> Any:
    """The document in a YAML text. Raises DataError with the line of the fault."""
    import yaml

    try:
        value = yaml.load(text, Loader=_loader())  # noqa: S506 - a subclass of the safe loader
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise DataError(f"{path}:{line}: not valid YAML: {error.problem or error.context}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise DataError(f"{path}: not valid YAML: {str(error).splitlines()[0]}") from error
    except RecursionError as error:
        raise DataError(f"{path}: nested too deeply") from error
    _measure(value, path)
    return value


def dump(value: Any) -> str:
    """A YAML text; texts keep every character, keys keep their order."""
    import yaml

    base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

    class Dumper(base):  # type: ignore[misc]
        """Quotes what YAML 1.2 reads as a number and YAML 1.1, whose rules the base follows, as a text (1e3, 0o7)."""

    def text(dumper: Any, value: str) -> Any:
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="'" if _NUMERIC.match(value) else None)

    Dumper.add_representer(str, text)
    return str(yaml.dump(value, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=100))


def _loader() -> Any:
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}

    def mapping(loader: Any, node: MappingNode) -> Any:
        found = Mapping()
        found.line = node.start_mark.line + 1
        yield found
        _refuse_doubles(node)
        found.update({str(key): value for key, value in loader.construct_mapping(node).items()})

    def unknown(_: Any, node: Any) -> Any:
        raise yaml.constructor.ConstructorError(None, None, f"the tag {node.tag} is not read", node.start_mark)

    resolver = yaml.resolver.Resolver
    for tag, pattern, first in (
        ("tag:yaml.org,2002:null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
        ("tag:yaml.org,2002:merge", r"^(?:<<)$", ["<"]),
    ):
        Loader.add_implicit_resolver(tag, re.compile(pattern), first)
    Loader.add_constructor(resolver.DEFAULT_MAPPING_TAG, mapping)
    Loader.add_constructor(None, unknown)
    return Loader


def _refuse_doubles(node: MappingNode) -> None:
    import yaml

    seen: set[str] = set()
    for key, _ in node.value:
        name = str(key.value) if isinstance(key, yaml.ScalarNode) else ""
        if name in seen:
            raise yaml.constructor.ConstructorError(None, None, f"the key {name} stands twice", key.start_mark)
        if key.tag != "tag:yaml.org,2002:merge":
            seen.add(name)


def _measure(value: Any, path: Path) -> None:
    """Count what a reader would visit, aliases as often as they stand. Raises DataError where that is too much."""
    stack: list[tuple[Any, int]] = [(value, 0)]
    seen = 0
    while stack:
        item, depth = stack.pop()
        seen += 1
        if seen > LARGEST_TREE or depth > _DEEPEST:
            raise DataError(f"{path}: its aliases or its nesting stand for more than is read; write it out")
        if isinstance(item, dict):
            stack.extend((one, depth + 1) for one in item.values())
        elif isinstance(item, list):
            stack.extend((one, depth + 1) for one in item)

"""The four formats: which one a file is in, its items, and the text of a file for items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from ragtester.errors import UsageError
from ragtester.interchange import deepeval, plain, promptfoo, ragas
from ragtester.interchange.files import (
    Records,
    csv_records,
    json_value,
    jsonl_records,
    listed_records,
    read_text,
)
from ragtester.interchange.items import FIELDS, Account, Item

FormatName = Literal["ragas", "deepeval", "promptfoo", "csv"]
FORMATS: tuple[FormatName, ...] = get_args(FormatName)
Container = Literal["csv", "json", "jsonl", "yaml"]
SUFFIXES: dict[str, Container] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".yaml": "yaml",
    ".yml": "yaml",
}
_FITS: dict[FormatName, Callable[[Sequence[str]], bool]] = {
    "ragas": ragas.fits,
    "deepeval": deepeval.fits,
    "promptfoo": promptfoo.fits,
    "csv": plain.fits,
}
_NATIVE: dict[FormatName, Mapping[str, str]] = {
    "ragas": ragas.NATIVE,
    "deepeval": deepeval.NATIVE,
    "promptfoo": promptfoo.NATIVE,
    "csv": plain.NATIVE,
}


@dataclass(frozen=True)
class ForeignFile:
    """A file that was read: its format, its items, and the account of what was left out."""

    path: Path
    format: FormatName
    items: list[Item]
    account: Account


def check_format(name: str) -> FormatName:
    """The format of this name. Raises UsageError."""
    if name not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(f"no format is called {name!r}; known: {known}, and for an export of a run: traces")
    return name


def read_file(path: Path, name: str = "", columns: Mapping[str, str] | None = None) -> ForeignFile:
    """Read a file in the format `name`, or in the one that fits it where `name` is empty.

    `columns` says for our fields what the file calls them. Raises UsageError where no format or more than one fits, and
    DataError with every fault of the file.
    """
    columns = dict(columns or {})
    unknown = sorted(set(columns) - set(FIELDS))
    if unknown:
        raise UsageError(f"--column {unknown[0]}=…: no field is called so; known: {', '.join(FIELDS)}")
    wanted = (check_format(name),) if name else FORMATS
    account = Account(str(path))
    text = read_text(path)
    records, fitting = _records(path, text, wanted, columns, account)
    if len(fitting) != 1:
        told = f"fits {' and '.join(fitting)}" if fitting else "fits no format that is known"
        raise UsageError(f"{path}: {told} ({_names_told(records)}); say which it is with --as")
    found = fitting[0]
    account.records += len(records)
    if not records and not account.skipped:
        raise UsageError(f"{path}: holds no record")
    items = _items(found, records, columns, account, _container(path, text))
    account.check()
    return ForeignFile(path, found, items, account)


def _container(path: Path, text: str) -> Container:
    known = SUFFIXES.get(path.suffix.lower())
    if known:
        return known
    start = text.lstrip()[:1]
    return "jsonl" if start == "{" and "\n{" in text else "json" if start in ("{", "[") else "csv"


def _records(
    path: Path, text: str, wanted: Sequence[FormatName], columns: dict[str, str], account: Account
) -> tuple[Records, list[FormatName]]:
    """The file's records, and the formats out of `wanted` that they fit."""
    container = _container(path, text)
    if container == "csv":
        records, header, _ = csv_records(text, path, lambda names: any(_fits(one, names, columns) for one in wanted))
        return _found(path, records, header, wanted, columns)
    if container == "jsonl":
        records = jsonl_records(text, path)
        return _found(path, records, _names(records), wanted, columns)
    if container == "yaml":
        if "promptfoo" not in wanted:
            raise UsageError(f"{path}: only promptfoo's files are YAML")
        from ragtester.interchange import yaml_files

        return promptfoo.tests(yaml_files.load(text, path), path, account), ["promptfoo"]
    return _json_records(path, json_value(text, path), wanted, columns, account)


def _json_records(
    path: Path, value: Any, wanted: Sequence[FormatName], columns: dict[str, str], account: Account
) -> tuple[Records, list[FormatName]]:
    if isinstance(value, dict):
        name = next((name for name in deepeval.LISTS if isinstance(value.get(name), list)), "")
        if name and "deepeval" in wanted:
            for other in value:
                if other != name and value[other] not in (None, [], {}):
                    account.drop(f"file: {other}")
            return listed_records(value[name], path), ["deepeval"]
        if "promptfoo" in wanted and ({"tests", "results"} & set(value) or promptfoo.fits(list(value))):
            return promptfoo.tests(value, path, account), ["promptfoo"]
        if value and all(isinstance(one, dict) for one in value.values()):
            raise UsageError(f"{path}: an object of columns; save it with to_json(orient='records', lines=True)")
        raise UsageError(f"{path}: an object with {', '.join(map(str, value)) or 'nothing'}, not a list of records")
    if isinstance(value, list) and value and "promptfoo" in wanted and any(isinstance(one, str) for one in value):
        return promptfoo.tests(value, path, account), ["promptfoo"]
    records = listed_records(value, path)
    return _found(path, records, _names(records), wanted, columns)


def _found(
    path: Path, records: Records, names: Sequence[str], wanted: Sequence[FormatName], columns: dict[str, str]
) -> tuple[Records, list[FormatName]]:
    missing = [source for source in columns.values() if source not in [name.strip() for name in names]]
    known = {source for _, data in records for source in data.get("vars") or {} if isinstance(data.get("vars"), dict)}
    if records and any(source not in known for source in missing):
        raise UsageError(f"{path}: no column is called {missing[0]!r}; there are {', '.join(names)}")
    fitting = [one for one in wanted if _fits(one, names, columns)]
    # A user who names the format knows it: what is missing is then told record by record.
    return records, fitting or (list(wanted) if len(wanted) == 1 else [])


def _fits(one: FormatName, names: Sequence[str], columns: Mapping[str, str]) -> bool:
    ours = {source: _NATIVE[one].get(target, target) for target, source in columns.items()}
    return _FITS[one]([ours.get(name.strip(), name.strip()) for name in names])


def _names(records: Records) -> list[str]:
    """Names that any of the first records has."""
    return list(dict.fromkeys(str(name) for _, data in records[:50] for name in data))


def _names_told(records: Records) -> str:
    return "its fields are " + (", ".join(_names(records))[:300] or "none")


def _items(
    name: FormatName, records: Records, columns: dict[str, str], account: Account, container: Container
) -> list[Item]:
    if name == "promptfoo":
        tests = promptfoo.from_rows(records) if container == "csv" else records
        return promptfoo.read(tests, account, {source: target for target, source in columns.items()})
    renamed = [(where, _renamed(data, columns, _NATIVE[name])) for where, data in records]
    if name == "deepeval":
        return deepeval.read(renamed, account, joined=container == "jsonl")
    return ragas.read(renamed, account) if name == "ragas" else plain.read(renamed, account)


def _renamed(data: dict[str, Any], columns: Mapping[str, str], native: Mapping[str, str]) -> dict[str, Any]:
    ours = {source: native.get(target, target) for target, source in columns.items()}
    return {ours.get(str(name).strip(), str(name).strip()): value for name, value in data.items()}

"""What the three formats of agents' traces share: places, faults, documents within a tool's result, cited ids."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragtester.errors import DataError
from ragtester.storage import MAX_FAULTS

LISTS = ("documents", "results", "hits", "matches", "chunks", "items", "passages", "sources", "data", "output")
IDS = ("id", "chunk_id", "chunkId", "document_id", "documentId", "doc_id", "docId", "source_id", "_id")
TEXTS = ("page_content", "pageContent", "content", "text", "snippet", "body", "passage")
SIZES = ("resultSetSize", "result_set_size", "total", "total_hits", "totalHits", "count")
CITED = ("cited_ids", "citedIds", "cited", "citations")
_BRACKETS = re.compile(r"[\[(【]([^\[\]()【】\n]{1,400})[\])】]")


@dataclass(frozen=True)
class Item:
    """A JSON value and where it stands: a line of the file, or a path within it."""

    where: str
    value: Any


@dataclass
class Faults:
    """Faults of a file, each with its place."""

    path: Path
    found: list[tuple[str, str]] = field(default_factory=list)

    def add(self, where: str, what: str) -> None:
        """Note one."""
        place = f":{where}" if where.isdecimal() else f": {where}" if where else ""
        self.found.append((where, f"{self.path}{place}: {what}"))

    def stop(self) -> None:
        """Raise DataError with all that were noted, by line."""
        if self.found:
            beyond = len(self.found) - MAX_FAULTS
            more = [f"{beyond} further faults not listed"] if beyond > 0 else []
            ordered = sorted(self.found, key=lambda one: int(one[0]) if one[0].isdecimal() else 0)
            told = [what for _, what in ordered[:MAX_FAULTS]]
            raise DataError(f"{self.path}: {len(self.found)} fault(s) in the traces; mend them", [*told, *more])


@dataclass(frozen=True)
class Hit:
    """One result of a search, its text where that is told."""

    id: str
    text: str = ""


def text_of(value: Any) -> str | None:
    """A text or a number as an id or a name; None for anything else and for an empty text."""
    if isinstance(value, str) and value.strip():
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def decoded(value: Any) -> Any:
    """What a text holds that is JSON; any other value as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def documents_in(value: Any, depth: int = 3) -> list[Any] | None:
    """The list of documents within a tool's result; None where the result is none of a search."""
    value = decoded(value)
    if isinstance(value, list):
        return value if all(isinstance(one, dict | str) for one in value) else None
    if isinstance(value, Mapping) and depth:
        for name in LISTS:
            if name in value and (found := documents_in(value[name], depth - 1)) is not None:
                return found
    return None


def size_in(value: Any) -> Any:
    """The size of the result set as a tool's result tells it; None where it does not."""
    value = decoded(value)
    if not isinstance(value, Mapping):
        return None
    found = next((value[name] for name in SIZES if name in value), None)
    return found.get("value") if isinstance(found, Mapping) else found


def hits(documents: Sequence[Any], where: str, faults: Faults) -> tuple[Hit, ...] | None:
    """The documents with their ids; None where none of them is a document (a calculator gives a list, too)."""
    made = [_hit(one) for one in documents]
    if documents and not any(made):
        return None
    for at, one in enumerate(made):
        if one is None:
            faults.add(f"{where}[{at}]", f"a result without an id ({', '.join(IDS[:4])}, or in its metadata)")
    return tuple(one for one in made if one is not None)


def _hit(one: Any) -> Hit | None:
    if isinstance(one, str):
        return Hit(one) if one.strip() and len(one) <= 200 and "\n" not in one else None
    inner = one.get("document")
    places: list[Mapping[str, Any]] = [one]
    places += [inner] if isinstance(inner, Mapping) else []
    places += [meta for place in list(places) if isinstance(meta := place.get("metadata"), Mapping)]
    places += [kept for place in list(places) if isinstance(kept := place.get("kwargs"), Mapping)]
    name = next((found for place in places for key in IDS if (found := text_of(place.get(key)))), None)
    text = next((found for place in places for key in TEXTS if isinstance(found := place.get(key), str)), "")
    return Hit(name, text) if name is not None else None


def checked_size(size: Any, listed: int, where: str, faults: Faults) -> int:
    """The size of the result set, at least what is listed; `listed` where it is not told."""
    if size is None:
        return listed
    if isinstance(size, bool) or not isinstance(size, int):
        faults.add(where, f"resultSetSize: a whole number is wanted, not {size!r:.40}")
    elif size < 0:
        faults.add(where, f"resultSetSize: {size} is below 0")
    elif size < listed:
        faults.add(where, f"resultSetSize: {size}, and {listed} results are named")
    else:
        return size
    return listed


def cited_in(outputs: Any) -> tuple[str, ...] | None:
    """Ids that an agent's output lists as its sources; None where it lists none."""
    if not isinstance(outputs, Mapping):
        return None
    for name in CITED:
        listed = outputs.get(name)
        if isinstance(listed, list):
            made = (one if isinstance(one, str) else hit.id if (hit := _hit(one)) else "" for one in _objects(listed))
            return tuple(dict.fromkeys(filter(None, made)))
    return None


def _objects(listed: Iterable[Any]) -> Iterator[Any]:
    return (one if isinstance(one, str | Mapping) else str(one) for one in listed)


def bracketed(answer: str, ids: Iterable[str]) -> tuple[str, ...]:
    """Result ids that stand in brackets in an answer, in its order: `[d1]`, `[d1, d2]`, `(d1)`."""
    known = set(ids)
    found: dict[str, None] = {}
    for match in _BRACKETS.finditer(answer):
        parts = [match[1].strip(), *(part.strip() for part in re.split(r"[,;]\s*", match[1]))]
        found.update(dict.fromkeys(part for part in parts if part in known))
    return tuple(found)


def message_text(message: Any) -> str:
    """The words of a chat message: its content, or the text parts of it."""
    if isinstance(message, str):
        return message
    if not isinstance(message, Mapping):
        return ""
    inner = message.get("kwargs")
    if isinstance(inner, Mapping) and "content" in inner:
        message = inner
    parts = message.get("parts", message.get("content"))
    if isinstance(parts, str):
        return parts
    found = []
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, str):
            found.append(part)
        elif isinstance(part, Mapping) and part.get("type", "text") in ("text", "output_text"):
            said = part.get("content", part.get("text"))
            found += [said] if isinstance(said, str) else []
    return "\n".join(found)


def last_said(messages: Any, roles: tuple[str, ...]) -> str:
    """The words of the last message of one of these roles; empty where there is none."""
    listed = decoded(messages)
    for message in reversed(listed if isinstance(listed, list) else []):
        if isinstance(message, Mapping) and _role(message) in roles and (said := message_text(message).strip()):
            return said
    return ""


def _role(message: Mapping[str, Any]) -> str:
    """Its role, or its type as LangChain names it ("human", "ai"; serialised: the class at the end of `id`)."""
    role = message.get("role") or message.get("type")
    if isinstance(message.get("id"), list) and message["id"]:
        role = str(message["id"][-1]).removesuffix("Chunk").removesuffix("Message")
    return str(role or "").casefold()

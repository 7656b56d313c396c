"""From the reply of a target to its answer and its chunks, by JMESPath expressions (jmespath.org)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragtester.errors import UsageError
from ragtester.models.replies import UnusableReply
from ragtester.records import LeftOut
from ragtester.settings import TargetSettings
from ragtester.tasks import Returned, TargetAnswered
from ragtester.text.normalise import clean

WHOLE = ("answer", "refuses", "cited", "left_out", "chunks", "about")
CHUNK = ("id", "text", "score", "document")
FIELDS = (*WHOLE, *(f"chunk_{name}" for name in CHUNK))
OWN: Mapping[str, tuple[str, ...]] = {
    **{name: (name,) for name in WHOLE},
    **{f"chunk_{name}": (name,) for name in CHUNK},
}
"""The names that ragtester's own documentation asks for; the first expression that gives anything counts."""
USUAL: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "python": OWN,
    "http": OWN,
    "chat": {
        **OWN,
        "answer": ("choices[0].message.content", "choices[0].delta.content"),
        "refuses": ("choices[0].message.refuses",),
        "cited": ("choices[0].message.cited",),
        "left_out": ("choices[0].message.left_out",),
        "chunks": ("choices[0].message.context.citations", "choices[0].message.context", "choices[0].delta.context"),
        "about": ("about", "{model: model}"),
        "chunk_id": ("id", "chunk_id"),
        "chunk_text": ("text", "content"),
        "chunk_document": ("document", "filepath", "source", "title"),
    },
    "langchain": {
        **OWN,
        "answer": ("answer", "output", "result", "content", "messages[-1].content"),
        "chunks": ("context", "source_documents", "documents", "chunks"),
        "about": ("about", "{model: response_metadata.model_name}", "{model: answer.response_metadata.model_name}"),
        "chunk_id": ("id", "metadata.id", "metadata.chunk_id"),
        "chunk_text": ("page_content", "text"),
        "chunk_score": ("metadata.score", "metadata.relevance_score", "score"),
        "chunk_document": ("metadata.source", "metadata.document", "document"),
    },
}
SHOWN_KEYS = 8
LONGEST_ABOUT = 200
LONGEST_NAME = 400
# What no context holds is a mapping to something else, or a dump of the index.
MOST_CHUNKS = 1000


@dataclass(frozen=True)
class Reading:
    """Reads the replies of one kind of target. `paths` are compiled expressions by field; `told` are the user's own."""

    paths: Mapping[str, tuple[Any, ...]]
    told: Mapping[str, str]

    @classmethod
    def of(cls, kind: str, target: TargetSettings) -> Reading:
        """For the settings of a target. Raises UsageError for an expression that is none."""
        import jmespath
        from jmespath.exceptions import JMESPathError

        told = {name: getattr(target, name) for name in FIELDS if getattr(target, name)}
        paths: dict[str, tuple[Any, ...]] = {}
        for name in FIELDS:
            try:
                given = (told[name],) if name in told else USUAL[kind][name]
                paths[name] = tuple(jmespath.compile(expression) for expression in given)
            except JMESPathError as error:
                said = " ".join(str(error).split())
                raise UsageError(f"target.{name}: {told[name]!r} is no JMESPath expression: {said[:200]}") from error
        return cls(paths, told)

    def read(self, events: Sequence[Any]) -> TargetAnswered:
        """The answer in one reply, or in the pieces of a stream: their texts together, and the last of all else.

        Raises UnusableReply: a reply that holds no text where the answer should stand, or other things than it should.
        """
        if not events:
            raise UnusableReply("empty", "the target sent an empty reply")
        chunks = self._last("chunks", events)
        return TargetAnswered(
            answer=clean(self._answer(events)),
            refuses=self._flag(events),
            cited=self._cited(events),
            left_out=self._left_out(events),
            chunks=None if chunks is None else tuple(self._chunk(one) for one in self._list(chunks)),
            about=self._about(events),
        )

    def _answer(self, events: Sequence[Any]) -> str:
        pieces = []
        for event in events:
            found = event if isinstance(event, str) else self._search("answer", event)
            if found is None:
                continue
            if isinstance(found, dict) and "content" in found:
                found = found["content"]  # a message, where a chain gives one as its answer
            if isinstance(found, list) and found and all(isinstance(one, dict) for one in found):
                # Content in blocks, as some chat models have it.
                found = "".join(one["text"] for one in found if isinstance(one.get("text"), str))
            if not isinstance(found, str):
                raise UnusableReply("unparseable", f"the answer at {self._where('answer')} is {_kind(found)}, no text")
            pieces.append(found)
        if not pieces:
            raise UnusableReply("unparseable", f"no answer at {self._where('answer')}; {_holds(events)}")
        return "".join(pieces)

    def _flag(self, events: Sequence[Any]) -> bool | None:
        found = self._last("refuses", events)
        if found is None or isinstance(found, bool):
            return found
        raise UnusableReply("unparseable", f"{self._where('refuses')} is {_kind(found)}, neither true nor false")

    def _cited(self, events: Sequence[Any]) -> tuple[str, ...] | None:
        found = self._last("cited", events)
        if found is None:
            return None
        names = dict.fromkeys(_name(one) for one in (found if isinstance(found, list) else [found]))
        if len(names) > MOST_CHUNKS:
            raise UnusableReply("too_long", f"the reply cites {len(names)} chunks; {MOST_CHUNKS} are the most")
        return tuple(name for name in names if name)

    def _left_out(self, events: Sequence[Any]) -> tuple[LeftOut, ...]:
        """Results that the answer says it leaves out: ids, ids with reasons, or an object of reasons by id."""
        found = self._last("left_out", events)
        if isinstance(found, dict) and "id" not in found:
            found = [{"id": name, "reason": reason} for name, reason in found.items()]
        told = found if isinstance(found, list) else [] if found is None else [found]
        if len(told) > MOST_CHUNKS:
            raise UnusableReply("too_long", f"the reply leaves out {len(told)} chunks; {MOST_CHUNKS} are the most")
        return tuple(one for one in map(_exclusion, told) if one.id)

    def _about(self, events: Sequence[Any]) -> dict[str, str]:
        found = self._last("about", events)
        if not isinstance(found, dict):
            return {}
        told = {name: one for name, one in found.items() if one is not None}
        return {
            clean(name): clean(one if isinstance(one, str) else json.dumps(one, sort_keys=True))[:LONGEST_ABOUT]
            for name, one in sorted(told.items())
        }

    def _list(self, chunks: Any) -> list[Any]:
        if isinstance(chunks, str):
            return [chunks]
        if isinstance(chunks, list) and len(chunks) <= MOST_CHUNKS:
            return chunks
        if isinstance(chunks, list):
            raise UnusableReply("too_long", f"the reply has {len(chunks)} chunks; {MOST_CHUNKS} are the most")
        raise UnusableReply("unparseable", f"the chunks at {self._where('chunks')} are {_kind(chunks)}, no list")

    def _chunk(self, one: Any) -> Returned:
        if isinstance(one, str):
            return Returned(text=clean(one))
        text = self._search("chunk_text", one)
        if text is not None and not isinstance(text, str):
            raise UnusableReply("unparseable", f"the text of a chunk is {_kind(text)}, no text")
        return Returned(
            text=clean(text or ""),
            id=_name(self._search("chunk_id", one)),
            score=_score(self._search("chunk_score", one)),
            document=_name(self._search("chunk_document", one)),
        )

    def _last(self, name: str, events: Sequence[Any]) -> Any:
        found = (self._search(name, event) for event in reversed(events) if not isinstance(event, str))
        return next((one for one in found if one is not None), None)

    def _search(self, name: str, tree: Any) -> Any:
        """What the first of the field's expressions that gives anything gives; None where none does."""
        from jmespath.exceptions import JMESPathError

        for path in self.paths[name]:
            try:
                found = path.search(tree)
            except JMESPathError as error:
                said = " ".join(str(error).split())[:200]
                raise UnusableReply("unparseable", f"{self._where(name)} cannot be read: {said}") from error
            if found is not None and not _says_nothing(found):
                return found
        return None

    def _where(self, name: str) -> str:
        setting = f" (target.{name})" if name in self.told else ""
        return " or ".join(f'"{path.expression}"' for path in self.paths[name]) + setting


def _says_nothing(found: Any) -> bool:
    """Whether an expression made an object of names that the reply has not."""
    return isinstance(found, dict) and bool(found) and all(one is None for one in found.values())


def _name(value: Any) -> str:
    """An id as a text: a number may be one."""
    if isinstance(value, str):
        return clean(value).strip()[:LONGEST_NAME]
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _exclusion(one: Any) -> LeftOut:
    """One result that is left out; without a reason that is a text it has none."""
    if not isinstance(one, dict):
        return LeftOut(id=_name(one))
    reason = one.get("reason")
    return LeftOut(id=_name(one.get("id")), reason=clean(reason).strip() if isinstance(reason, str) else "")


def _score(value: Any) -> float | None:
    """A finite number; what is none, or has none (1e400), says nothing."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def _kind(value: Any) -> str:
    names = {"dict": "an object", "list": "a list", "str": "a text", "bool": "true or false", "NoneType": "nothing"}
    return names.get(type(value).__name__, "a number")


def _holds(events: Sequence[Any]) -> str:
    """What a reply holds instead, for whoever mends the mapping."""
    last = events[-1]
    if not isinstance(last, dict):
        return f"the reply is {_kind(last)}"
    error = last.get("error") or last.get("detail")
    if error:
        said = error if isinstance(error, str) else json.dumps(error)
        return f"the reply says: {' '.join(clean(said).split())[:200]}"
    keys = [clean(str(name))[:40] for name in last][:SHOWN_KEYS]
    return f"the reply has: {', '.join(keys) or 'nothing'}"

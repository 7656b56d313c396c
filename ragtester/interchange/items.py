"""What every foreign format is read into and written from: an item, and the account of what happened to a file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Annotated, Any, cast, get_args

from pydantic import Field, field_validator

from ragtester.access import tags
from ragtester.errors import DataError
from ragtester.records import CaseType, Origin, Record, Span
from ragtester.storage import MAX_FAULTS
from ragtester.text.normalise import clean

# What a user may name with --column, and what a plain CSV calls its columns.
CASE_FIELDS = ("id", "document", "type", "subtype", "style", "language", "question", "expected_answer", "keywords")
RESULT_FIELDS = ("system", "answer", "retrieved_contexts", "passed", "score", "reason", "error")
MEASURES = ("seconds", "cost", "prompt_tokens", "completion_tokens")
USER_TAGS = "user_tags"
FIELDS = (*CASE_FIELDS, "contexts", USER_TAGS, *RESULT_FIELDS, *MEASURES)
FILE_PREFIXES = ("file://", "package:")


class Own(Record):
    """Fields of a case that a foreign format has no place for: a block in its metadata, where it has metadata.

    `evidence` is in the order of the item's contexts. `user_tags` None leaves it to the settings whose question it is.
    `llm` and `embedding` name the system of an exported answer.
    """

    type: CaseType | None = None
    subtype: str = ""
    style: str = ""
    language: str = ""
    keywords: tuple[str, ...] = ()
    evidence: tuple[Span, ...] = ()
    sections: tuple[Annotated[int, Field(ge=0)], ...] = ()
    origin: Origin | None = None
    flesch: float | None = None
    user_tags: tuple[str, ...] | None = None
    model: str = ""
    llm: str = ""
    embedding: str = ""
    passed: bool | None = None
    mean: float | None = Field(default=None, ge=0, le=1)

    def block(self) -> dict[str, Any]:
        """As plain JSON values, without what is empty."""
        values = self.model_dump(mode="json").items()
        return {name: value for name, value in values if value not in (None, "") and (value != [] or name == USER_TAGS)}

    @field_validator("user_tags")
    @classmethod
    def _tags(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if value is None else tags(value)


@dataclass(frozen=True)
class Given:
    """What a system under test answered, as a file tells it. `retrieved` is None where the file does not say."""

    answer: str = ""
    retrieved: tuple[str, ...] | None = None
    system: str = ""
    passed: bool | None = None
    scores: dict[str, float] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    error: str = ""
    seconds: float | None = None
    cost: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True)
class Item:
    """One record of a foreign file. `where` names it in messages; `kind` is the foreign word for its type."""

    where: str
    question: str
    expected_answer: str = ""
    refusal: bool = False
    contexts: tuple[str, ...] = ()
    document: str = ""
    name: str = ""
    kind: str = ""
    own: Own = field(default_factory=Own)
    given: Given | None = None


@dataclass
class Account:
    """What became of a file: faults stop everything, the rest is told and kept in the manifest."""

    file: str
    records: int = 0
    faults: list[str] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)

    def fault(self, where: str, message: str) -> None:
        """Something that must be mended in the file before any of it is taken."""
        self.faults.append(f"{where}: {message}")

    def skip(self, where: str, reason: str) -> None:
        """A record that is none for us; counted by its reason, the first one named."""
        self.skipped[reason] += 1
        self.examples.setdefault(reason, one_line(where))

    def drop(self, name: str, count: int = 1) -> None:
        """Something that has no place here, by its name in the file."""
        self.dropped[one_line(name)] += count

    def note(self, text: str) -> None:
        """Something worth knowing; equal notes are counted."""
        self.notes[text] += 1

    def check(self) -> None:
        """Raise DataError with all faults, if there are any."""
        if self.faults:
            listed = self.faults[:MAX_FAULTS]
            if len(self.faults) > MAX_FAULTS:
                listed.append(f"{len(self.faults) - MAX_FAULTS} further fault(s) not listed")
            raise DataError(f"{self.file}: {len(self.faults)} fault(s); nothing was imported", listed)

    def lines(self) -> list[str]:
        """What a person should read, most frequent first."""
        told = [f"skipped {count}: {reason} (first: {self.examples[reason]})" for reason, count in _by(self.skipped)]
        told += [f"dropped {name}: {count} time(s)" for name, count in _by(self.dropped)]
        return told + [f"{text} ({count})" if count > 1 else text for text, count in _by(self.notes)]


def _by(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def one_line(text: str) -> str:
    """One short line that can be stored: names of fields and files are hostile text."""
    return " ".join(clean(text).split())[:120]


def kind_of(type_: str, subtype: str) -> str:
    """A case's type in one word: `coverage/multi`, or the foreign word that an imported baseline case keeps."""
    if type_ == "baseline" and subtype and parse_kind(subtype) == (None, subtype):
        return subtype
    return f"{type_}/{subtype}" if subtype else type_


def parse_kind(kind: str) -> tuple[CaseType | None, str]:
    """The inverse of `kind_of`: type and subtype, or None and the foreign word."""
    head, mark, rest = kind.partition("/")
    if head not in get_args(CaseType) or (mark and not rest):
        return None, kind
    return cast(CaseType, head), rest

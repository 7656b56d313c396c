"""The table of the stage that runs the matrix of systems under test."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator, model_validator

from ragtester.records import CLOSED_BOOK_SUFFIX, NO_RETRIEVAL
from ragtester.settings.retrieval import IndexSettings, RetrievalSettings
from ragtester.settings.table import Table
from ragtester.tasks import REFUSAL_PHRASES


class GroupSettings(Table):
    """`[[execute.groups]]`: a group crosses its LLMs with its embedding models."""

    llms: tuple[str, ...] = Field(min_length=1)
    embeddings: tuple[str, ...] = Field(min_length=1)

    @field_validator("embeddings")
    @classmethod
    def _are_models(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if NO_RETRIEVAL in value:
            raise ValueError(f"{NO_RETRIEVAL!r} is no embedding model; --closed-book asks without retrieval")
        return value


class ExecuteSettings(Table):
    """`[execute]`: the matrix of systems under test.

    With `surface_conflicts` LLMs are asked to name what contradicts their answer, and why they leave sections out.
    """

    run: str = "main"
    technique: str = Field(default="all", min_length=1)
    k: int = Field(default=4, ge=1)
    reply_format: Literal["json", "text"] = "json"
    refusals: tuple[str, ...] = Field(default=REFUSAL_PHRASES, min_length=1)
    groups: tuple[GroupSettings, ...] = (
        GroupSettings(llms=("embedded:rules", "embedded:eager"), embeddings=("embedded:wordllama", "embedded:hashing")),
    )
    index: IndexSettings = IndexSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    retry_failed: bool = False
    closed_book: bool = False
    surface_conflicts: bool = False

    @property
    def is_control(self) -> bool:
        """Whether these are the settings of a closed-book control, as `Settings.control` makes them."""
        return all(group.embeddings == (NO_RETRIEVAL,) for group in self.groups)

    @field_validator("run")
    @classmethod
    def _is_no_control(cls, value: str) -> str:
        if value.endswith(CLOSED_BOOK_SUFFIX):
            raise ValueError(
                f"{CLOSED_BOOK_SUFFIX!r} ends the name of a run's control; name the run, and --closed-book"
            )
        return value

    @model_validator(mode="after")
    def _usable(self) -> ExecuteSettings:
        """What would stop the stage is told before the stages before it are paid for."""
        if not self.groups:
            raise ValueError("groups is empty; name at least one group of llms and embeddings")
        if not all(phrase.strip() for phrase in self.refusals):
            raise ValueError("refusals holds an empty phrase")
        if self.index.chunk_overlap >= self.index.chunk_size:
            raise ValueError(
                f"chunk_overlap {self.index.chunk_overlap} must be below {self.index.chunk_size} (chunk_size)"
            )
        return self

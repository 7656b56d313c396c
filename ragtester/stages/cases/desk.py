"""What the work on one technique shares: settings, models, the suite's questions, and whether it has to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from ragtester.progress import Progress
from ragtester.provenance import row_key
from ragtester.records import Document, Failure, Section
from ragtester.settings import Settings
from ragtester.stages.cases.answerable import EMBEDDING, Retriever
from ragtester.stages.cases.donors import Donors
from ragtester.stages.cases.plan import Candidate, Plan, Slot
from ragtester.stages.cases.quotes import Piece
from ragtester.stages.cases.reading import read_text
from ragtester.stages.cases.spending import Metered
from ragtester.tasks import ANSWER_QUESTION, WRITE_CASES, Embedder
from ragtester.text.near_questions import Questions
from ragtester.workspace import Workspace

# What a model's settings say about the way there, the price or the packing; the rest shapes its replies.
NOT_CONTENT = {"api_key_env", "batch_size", "prompt_price", "completion_price"}


@dataclass
class Desk:
    """One technique at work on one suite."""

    workspace: Workspace
    settings: Settings
    models: Metered
    embed: Callable[[str], Embedder]
    progress: Progress
    technique: str
    donors: Donors
    questions: Questions
    copies: dict[str, str] = field(default_factory=dict)
    stopped: Failure | None = None
    served: dict[str, str | None] = field(default_factory=dict)

    @property
    def suite(self) -> str:
        """Name of the suite."""
        return self.settings.workspace.suite

    @property
    def writer(self) -> str:
        """The model that writes cases."""
        return self.settings.cases.model

    @property
    def checker(self) -> str:
        """The model that tries to answer rejection questions."""
        return self.settings.cases.check_model or self.settings.cases.model

    @cached_property
    def prompts(self) -> dict[str, str]:
        """Hashes of the prompts that shape the cases of this technique."""
        hashes = {WRITE_CASES.name: self.models.prompt_sha256(WRITE_CASES)}
        if self.technique != "baseline":
            hashes[ANSWER_QUESTION.name] = self.models.prompt_sha256(ANSWER_QUESTION)
        return hashes

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Every setting that a case's content depends on."""
        settings, cases = self.settings, self.settings.cases
        chosen: dict[str, Any] = {
            "technique": self.technique,
            "model": self.writer,
            "model_settings": self._shaping(self.writer),
            "per_document": cases.per_document,
            "attempts": cases.attempts,
            "near_duplicate": cases.near_duplicate,
            "max_section_tokens": settings.reading.max_section_tokens,
            "seed": settings.workspace.seed,
        }
        if self.technique == "baseline":
            return chosen
        return chosen | {
            "check_model": self.checker,
            "check_model_settings": self._shaping(self.checker),
            "check_embedding": EMBEDDING,
            "shares": cases.shares.model_dump(),
            "invented_share": cases.invented_share,
            "multi_share": cases.multi_share,
            "sections_per_question": cases.sections_per_question,
            "candidates": cases.candidates,
            "max_lexical_overlap": cases.max_lexical_overlap,
            "refusals": list(settings.execute.refusals),
            "scope": settings.execute.index.scope,
        }

    def key(self, document: Document, name: str, sections: Candidate | None = None, style: str = "") -> str:
        """Key of one row: hash of everything its content depends on.

        The donors of a cross-document case stand in its `origin` and not in its key: a document that joins the corpus
        later would lend to others, and that alone makes no old case wrong.
        """
        return row_key(
            parameters=self.parameters,
            prompts=self.prompts,
            document=document.sha256,
            text=document.text_sha256,
            slot=name,
            style=style,
            sections=[(one.start, one.end) for one in sections.sections]
            if sections and sections.document_id == document.id
            else [],
        )

    def slot_key(self, document: Document, slot: Slot) -> str:
        """Key of the row of a planned slot."""
        return self.key(document, f"{slot.id}:{slot.subtype}:{slot.seed}", slot.primary, slot.style)

    def _shaping(self, model: str) -> dict[str, Any]:
        return self.settings.model(model).model_dump(exclude=NOT_CONTENT, exclude_none=True)


@dataclass
class Work:
    """One document on the desk: its text, sections and plan, and the retriever that its rejection cases need."""

    desk: Desk
    document: Document
    text: str
    sections: list[Section]
    plan: Plan

    @cached_property
    def retriever(self) -> Retriever:
        """Searches this document in memory."""
        return Retriever(self.text, self.document.language, self.desk.embed(EMBEDDING))

    def title_of(self, candidate: Candidate) -> str:
        """What a writer is told the document is called."""
        return title(self.desk.donors.document(candidate.document_id))

    def pieces(self, candidate: Candidate) -> tuple[Piece, ...]:
        """The texts of a candidate's sections, with the offsets of the document they come from."""
        own = candidate.document_id == self.document.id
        text = self.text if own else read_text(self.desk.workspace, self.desk.suite, candidate.document_id)
        return tuple(
            Piece(f"section-{one.ordinal}", one.start, text[one.start : one.end]) for one in candidate.sections
        )


def title(document: Document) -> str:
    """A document's name without folder and suffix."""
    return PurePosixPath(document.path).stem

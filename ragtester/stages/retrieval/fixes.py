"""The causes that a diagnosis can name, the stage that each belongs to, and what to try first. Data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ragtester.records import FAILURE_STAGES, Diagnosis, FailureStage

Cause = Literal[
    "no_chunks",
    "document_absent",
    "chunk_absent",
    "unreadable",
    "lost",
    "garbled",
    "cut",
    "too_long",
    "nowhere",
    "model_differs",
    "dimension_differs",
    "wrong_metric",
    "not_finite",
    "damaged_vector",
    "null_vector",
    "constant_vectors",
    "null_query",
    "constant_queries",
    "query_model_differs",
    "not_in_candidates",
    "floor",
    "fused_away",
    "filtered",
    "starved_by_post_filter",
    "demoted",
    "truncated",
    "budget",
    "answer_wrong",
    "not_refused",
    "near_duplicate",
    "origin_in_context",
]
CAUSES: tuple[Cause, ...] = get_args(Cause)

FIXES: dict[Cause, tuple[FailureStage, str]] = {
    "no_chunks": ("ingestion", "Execute the run again, and see that the document's text is not empty."),
    "document_absent": ("ingestion", "Delete the store's folder and execute again; look for the job that left it out."),
    "chunk_absent": ("ingestion", "Delete the store's folder and execute again; its filling ended early or lost rows."),
    "unreadable": ("ingestion", "Mend the file as the reason says, then make the cases again."),
    "lost": ("parse", "Read the file with the other reader ([reading] reader), or give a better source of it."),
    "garbled": ("parse", "Read the file with the other reader ([reading] reader), run OCR, or export it again."),
    "cut": ("chunk", "Raise chunk_overlap, or cut by structure (chunker, keep_whole)."),
    "too_long": ("chunk", "Raise chunk_size above the length of the evidence, or keep such blocks whole (keep_whole)."),
    "nowhere": ("chunk", "Open the chunk file beside the document's text: the chunker leaves this passage out."),
    "model_differs": ("embed/index", "Embed the documents again with the model that embeds the questions."),
    "dimension_differs": ("embed/index", "Embed the documents again with today's model and its dimensions."),
    "wrong_metric": ("embed/index", "Make the store again; its collection must compare by cosine."),
    "not_finite": ("embed/index", "Make the store again, and check what the embedding server gives for this text."),
    "damaged_vector": ("embed/index", "Delete the store's folder and execute again; check the disk."),
    "null_vector": (
        "embed/index",
        "See whether the embedding model knows the words of this chunk, and whether it has any.",
    ),
    "constant_vectors": ("embed/index", "Check the embedding server: it gives different texts the same vector."),
    "null_query": ("embed/index", "Rewrite the question, or take an embedding model that knows its words."),
    "constant_queries": ("embed/index", "Check the embedding server: it gives different questions the same vector."),
    "query_model_differs": ("embed/index", "Give questions and documents the same model, served the same way."),
    "not_in_candidates": ("retrieve", "See how deep the chunk stands: a larger fetch_k, another arm or another model."),
    "floor": ("fuse/threshold", "Lower the arm's floor, or leave it out; scores differ from model to model."),
    "fused_away": (
        "fuse/threshold",
        "Raise the weight of the arm that found it, or k (rerank_k where it is reranked).",
    ),
    "filtered": ("filter/ACL", "Compare filters with the document's metadata; a filter narrower than meant loses it."),
    "starved_by_post_filter": ("filter/ACL", 'Filter before the search (filter_mode = "pre"), or raise fetch_k.'),
    "demoted": ("rerank/pack", "Try another reranker, or none: the order before it was better here."),
    "truncated": ("rerank/pack", "Add a reranker, or raise k: the evidence was found and stood too low."),
    "budget": ("rerank/pack", "Raise the budget, or make chunks smaller."),
    "answer_wrong": ("generate", "Leave retrieval as it is; look at the prompt, the LLM and the verdict's reasons."),
    "not_refused": ("generate", "Leave retrieval as it is; have the prompt demand a refusal, or try another LLM."),
    "near_duplicate": ("label", "Count the passage as gold too, or store near-identical chunks once (near_duplicate)."),
    "origin_in_context": ("label", "Ask such cases of one document at a time (scope), or drop the case."),
}


@dataclass(frozen=True)
class Unchecked:
    """Stages at which a query could not be looked at, and why; `what` is empty where that needs no words."""

    stages: tuple[FailureStage, ...]
    what: str = ""


@dataclass(frozen=True)
class Loss:
    """One thing that went wrong, with what was seen of it; `fix` is what to try first where `FIXES` is too general."""

    cause: Cause
    seen: str
    fix: str = ""

    @property
    def order(self) -> int:
        """The place of its stage in the order of diagnosis."""
        return FAILURE_STAGES.index(FIXES[self.cause][0])

    def diagnosis(self, unchecked: Sequence[Unchecked] = ()) -> Diagnosis:
        """The diagnosis; `unchecked` says what could not be looked at."""
        stage, fix = FIXES[self.cause]
        told = list(dict.fromkeys(one.what for one in unchecked if one.what))
        seen = " ".join([self.seen, *(f"Not checked: {one}." for one in told)])
        stages = {name for one in unchecked for name in one.stages}
        # What comes later had no chance to lose it.
        open_stages = tuple(name for name in FAILURE_STAGES[: self.order] if name in stages)
        return Diagnosis(stage=stage, cause=self.cause, seen=seen, fix=self.fix or fix, unchecked=open_stages)

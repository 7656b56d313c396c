"""Faults of the retrieval path, each with the set-up in which it shows, for the corpus of `tests.fault_corpus`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtester.rag.chroma import connect
from ragtester.rag.collection import all_ids, drop
from ragtester.rag.store import MARKER
from ragtester.records import FailureStage, Origin
from ragtester.storage import write_text
from tests.fault_corpus import BACKWARDS, EMBEDDING, Lab, sentence


@dataclass(frozen=True)
class Fault:
    """`set_up` makes a corpus in which nothing is wrong; `put_in` breaks one thing of it."""

    name: str
    stage: FailureStage
    cause: str
    set_up: Callable[[Lab], None]
    put_in: Callable[[Lab], None]

    def __str__(self) -> str:
        return self.name


def _nothing(lab: Lab) -> None:
    """The corpus as it is."""


# ingestion


def _forget(folder: Path, wanted: Callable[[str], bool]) -> None:
    """What a job does that deletes chunks and keeps their count right."""
    opened = connect(folder, EMBEDDING)
    gone = [name for name in all_ids(opened.chunks) if wanted(name)]
    assert gone
    drop(opened.chunks, gone)
    opened.close()
    change_marker(folder, lambda marker: {**marker, "count": marker["count"] - len(gone)})


def change_marker(folder: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    path = folder / MARKER
    path.write_text(json.dumps(change(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8")


def _document_gone(lab: Lab) -> None:
    lab.stored.append(lambda folder: _forget(folder, lambda name: name.startswith("alpha:")))


def _chunk_gone(lab: Lab) -> None:
    lab.stored.append(lambda folder: _forget(folder, lambda name: name.startswith("alpha:") and name.endswith(":0")))


# parse: the case is made from what was read


def _misprinted(lab: Lab) -> None:
    lab.garbled, lab.expected, lab.failed = True, "31 marks", True


def _misread(lab: Lab) -> None:
    """The PDF says 13, the text that was extracted from it 31."""
    lab.misread, lab.expected, lab.failed = True, "31 marks", True


def _no_markdown(lab: Lab) -> None:
    lab.markdown, lab.failed = False, True


def _value_not_printed(lab: Lab) -> None:
    lab.hides, lab.failed = " 13", True


# chunk


def _over_two_paragraphs(lab: Lab) -> None:
    """Evidence of two paragraphs that fit one chunk together."""
    lab.evidence = (sentence("alpha", "pump", 0), sentence("alpha", "valve", 1))
    lab.set(index={"chunk_size": 200}, k=1)


def _short_chunks(lab: Lab) -> None:
    lab.set(index={"chunk_size": 60})


def _cut_between(lab: Lab) -> None:
    """A chunk that takes the paragraph before leaves no room for the second one."""
    lab.set(index={"chunk_size": 140})
    lab.evidence = ("alpha has 14 marks", sentence("alpha", "oil", 2))


# embed/index


def _one_hit(lab: Lab) -> None:
    lab.set(k=1)


def _same_vector(lab: Lab) -> None:
    lab.embedder.of_document = lambda vector: [1.0] * len(vector)


def _null_vector(lab: Lab) -> None:
    """The passage about the pump of alpha is embedded to nothing."""
    lab.embedder.of_document = lambda vector: [0.0] * len(vector) if vector[0] and vector[8] else vector


def _null_query(lab: Lab) -> None:
    lab.embedder.of_query = lambda vector: [0.0] * len(vector)


def _probed(lab: Lab) -> None:
    lab.set(k=1)
    lab.probe = True


def _other_query_model(lab: Lab) -> None:
    """Questions come in a space of their own: every dimension is another one."""
    lab.embedder.of_query = lambda vector: [*vector[3:], *vector[:3]]


def _longer_now(lab: Lab) -> None:
    """The evidence is not found, and since the search the model gives longer vectors."""
    _far(lab)
    lab.after.append(lambda _: setattr(lab.embedder, "of_query", lambda vector: [*vector, 0.0]))


def _other_stamp(lab: Lab) -> None:
    _far(lab)
    lab.after.append(lambda folder: change_marker(folder, lambda marker: {**marker, "embedding": "toy:old"}))


def _overwritten(lab: Lab) -> None:
    """The evidence is not found, and its vector is not the one that was stored."""

    def overwrite(folder: Path) -> None:
        opened = connect(folder, EMBEDDING)
        (name,) = (one for one in all_ids(opened.chunks) if one.startswith("alpha:") and one.endswith(":0"))
        opened.chunks.update(ids=[name], embeddings=[[0.5] * 12])
        opened.close()

    _far(lab)
    lab.after.append(overwrite)


# retrieve


def _far(lab: Lab) -> None:
    """The question speaks more of something else than of what it is about."""
    lab.question = "How many marks has the pump of alpha, by the valve near the valve?"


# fuse/threshold


def _beside_the_valve(lab: Lab) -> None:
    """The best hit is at 0.72."""
    lab.question = "How many marks has the pump of alpha, and not its valve?"


def _floor(lab: Lab) -> None:
    lab.set(retrieval={"arms": [{"kind": "dense", "floor": 0.9}]})


def _two_arms(lab: Lab) -> None:
    """BM25 finds the fuses, by their number."""
    lab.question = "How many marks has the pump of alpha, is it 20, 20 or 20?"
    lab.set(k=1, retrieval={"arms": [{"kind": "dense", "fetch_k": 3, "weight": 3.0}, {"kind": "bm25", "fetch_k": 3}]})


def _heavy_words(lab: Lab) -> None:
    arms = [{"kind": "dense", "fetch_k": 3}, {"kind": "bm25", "fetch_k": 3, "weight": 9.0}]
    lab.set(retrieval={"arms": arms})


# filter/ACL


def _only_beta(lab: Lab) -> None:
    lab.set(retrieval={"filters": {"id": ["beta"]}})


def _after_the_search(lab: Lab) -> None:
    lab.set(retrieval={"filter_mode": "post"})


def _others_are_nearer(lab: Lab) -> None:
    """The two nearest passages belong to tenants whose documents this user may not see."""
    lab.question = "How many marks has the pump of alpha, unlike beta, beta and gamma, gamma?"
    lab.tags = {"beta": ("tenant:b",), "gamma": ("tenant:c",)}


# rerank/pack


def _backwards(lab: Lab) -> None:
    write_text(lab.root / "backwards.py", [BACKWARDS])
    lab.set(retrieval={"rerank": "python:backwards:score"})


def _deep(lab: Lab) -> None:
    lab.set(k=1, retrieval={"arms": [{"kind": "dense", "fetch_k": 8}]})


def _no_room(lab: Lab) -> None:
    lab.set(retrieval={"budget": 20})


# generate


def _judged_wrong(lab: Lab) -> None:
    lab.failed = True


def _must_be_refused(lab: Lab) -> None:
    lab.case = {"type": "rejection", "subtype": "invented", "evidence": ()}


# label


def _for_the_twin(lab: Lab) -> None:
    lab.question = "How many marks has the pump alpha of pump alpha?"
    lab.set(k=1)


def _twin(lab: Lab) -> None:
    """Beta holds the evidence as well, in a passage that stands before it where both are as near."""
    lab.twin = "The pump of alpha has 13 marks and is checked each year by crew: pump alpha."
    lab.question = "How many marks has the pump alpha of pump alpha, alpha?"


def _from_beta(lab: Lab) -> None:
    origin = Origin(document_id="beta", start=0, end=40)
    lab.case = {"type": "rejection", "subtype": "cross_document", "evidence": (), "origin": origin}
    lab.failed = True
    lab.set(k=1)


def _asks_for_beta(lab: Lab) -> None:
    lab.question = "How many marks has the pump of beta?"


DOCUMENT_GONE = Fault("document gone", "ingestion", "document_absent", _nothing, _document_gone)
MISPRINTED = Fault("value misprinted", "parse", "garbled", _judged_wrong, _misprinted)
SHORT_CHUNKS = Fault("short chunks", "chunk", "too_long", _one_hit, _short_chunks)
SAME_VECTOR = Fault("one vector for all", "embed/index", "constant_vectors", _one_hit, _same_vector)
FAR = Fault("question beside the point", "retrieve", "not_in_candidates", _one_hit, _far)
FLOOR = Fault("floor too high", "fuse/threshold", "floor", _beside_the_valve, _floor)
ONLY_BETA = Fault("filter too narrow", "filter/ACL", "filtered", _nothing, _only_beta)
NO_ROOM = Fault("no room", "rerank/pack", "budget", _nothing, _no_room)
WRONG = Fault("answer wrong", "generate", "answer_wrong", _nothing, _judged_wrong)
TWIN = Fault("near-duplicate", "label", "near_duplicate", _for_the_twin, _twin)
# One for each stage, in their order.
TEN = (
    DOCUMENT_GONE, MISPRINTED, SHORT_CHUNKS, SAME_VECTOR, FAR, FLOOR, ONLY_BETA, NO_ROOM, WRONG, TWIN,
)  # fmt: skip
BACKWARDS_ORDER = Fault("reranked backwards", "rerank/pack", "demoted", _one_hit, _backwards)
STARVED = Fault("starved", "filter/ACL", "starved_by_post_filter", _others_are_nearer, _after_the_search)
NULL_VECTOR = Fault("null vector", "embed/index", "null_vector", _one_hit, _null_vector)
HEAVY_WORDS = Fault("words outweigh", "fuse/threshold", "fused_away", _two_arms, _heavy_words)
CHUNK_GONE = Fault("chunk gone", "ingestion", "chunk_absent", _nothing, _chunk_gone)
MORE = (
    CHUNK_GONE,
    Fault("value misread", "parse", "garbled", _no_markdown, _misread),
    Fault("value not printed", "parse", "lost", _judged_wrong, _value_not_printed),
    Fault("cut between", "chunk", "cut", _over_two_paragraphs, _cut_between),
    NULL_VECTOR,
    Fault("null query", "embed/index", "null_query", _one_hit, _null_query),
    Fault("other query model", "embed/index", "query_model_differs", _probed, _other_query_model),
    Fault("longer now", "embed/index", "dimension_differs", _probed, _longer_now),
    Fault("other stamp", "embed/index", "model_differs", _one_hit, _other_stamp),
    Fault("overwritten", "embed/index", "damaged_vector", _one_hit, _overwritten),
    HEAVY_WORDS,
    Fault("filtered after the search", "filter/ACL", "filtered", _after_the_search, _only_beta),
    STARVED,
    BACKWARDS_ORDER,
    Fault("too low", "rerank/pack", "truncated", _deep, _far),
    Fault("not refused", "generate", "not_refused", _must_be_refused, _judged_wrong),
    Fault("origin seen", "label", "origin_in_context", _from_beta, _asks_for_beta),
)
# Two faults at once, the earlier one first.
PAIRS = (
    (DOCUMENT_GONE, MISPRINTED),
    (DOCUMENT_GONE, ONLY_BETA),
    (DOCUMENT_GONE, TWIN),
    (CHUNK_GONE, NO_ROOM),
    (MISPRINTED, SHORT_CHUNKS),
    (MISPRINTED, NO_ROOM),
    (SHORT_CHUNKS, SAME_VECTOR),
    (SHORT_CHUNKS, ONLY_BETA),
    (SAME_VECTOR, ONLY_BETA),
    (SAME_VECTOR, WRONG),
    (NULL_VECTOR, FLOOR),
    (FAR, NO_ROOM),
    (FAR, WRONG),
    (FLOOR, NO_ROOM),
    (HEAVY_WORDS, NO_ROOM),
    (ONLY_BETA, NO_ROOM),
    (STARVED, NO_ROOM),
    (NO_ROOM, WRONG),
    (BACKWARDS_ORDER, WRONG),
)  # fmt: skip

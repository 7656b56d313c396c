"""The stage of failure: known faults on the real path, alone and in twos, and what a diagnosis says of them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.documents.isolation import read_source
from ragtester.documents.source_text import WHOLE, source_pages
from ragtester.interchange import read_traces
from ragtester.interchange.traces_out import trace_line
from ragtester.provenance import sha256_text
from ragtester.rag import chroma
from ragtester.rag.health import inspect_store, rank_of
from ragtester.records import (
    FAILURE_STAGES,
    Chunk,
    Dropped,
    Evidence,
    Failure,
    Origin,
    Ranked,
    Retrieved,
    Span,
    Trace,
    UnreadableDocument,
)
from ragtester.searching.measure import measure
from ragtester.settings import ReadingSettings
from ragtester.stages.retrieval import index_view
from ragtester.stages.retrieval.advice import Standing, Steps, beyond_k
from ragtester.stages.retrieval.by_ranks import ByRanks
from ragtester.stages.retrieval.fixes import CAUSES, FIXES
from ragtester.stages.retrieval.index_view import free_of_charge
from ragtester.stages.retrieval.items import Item
from ragtester.stages.retrieval.query_path import QueryPath
from ragtester.storage import write_rows
from ragtester.text.likeness import has_value, likeness, nearest_part, says_the_same, values
from tests.documents_helpers import make_pdf
from tests.fault_corpus import EMBEDDING, Lab, TopicEmbedder, sentence
from tests.faults import FAR, MORE, NO_ROOM, PAIRS, TEN, Fault


def diagnosed(root: Path, *faults: Fault, broken: bool = True) -> tuple[str, str]:
    lab = Lab(root)
    for fault in faults:
        fault.set_up(lab)
    for fault in reversed(faults) if broken else ():
        fault.put_in(lab)
    found = lab.diagnose()
    return (found.stage, found.cause) if found else ("", "")


def test_the_faults_cover_every_stage_in_order() -> None:
    assert tuple(fault.stage for fault in TEN) == FAILURE_STAGES


@pytest.mark.parametrize("fault", [*TEN, *MORE], ids=str)
def test_a_fault_is_diagnosed_as_its_stage(fault: Fault, tmp_path: Path) -> None:
    assert diagnosed(tmp_path, fault) == (fault.stage, fault.cause)


@pytest.mark.parametrize("fault", [*TEN, *MORE], ids=str)
def test_without_the_fault_the_same_set_up_is_not(fault: Fault, tmp_path: Path) -> None:
    stage, _ = diagnosed(tmp_path, fault, broken=False)
    assert stage in ("", "generate")
    assert stage != fault.stage


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0]} + {pair[1]}")
def test_of_two_faults_the_earlier_stage_is_named(pair: tuple[Fault, Fault], tmp_path: Path) -> None:
    first, second = pair
    assert FAILURE_STAGES.index(first.stage) < FAILURE_STAGES.index(second.stage)
    assert diagnosed(tmp_path, first, second) == (first.stage, first.cause)


@pytest.mark.parametrize(("also", "cause"), [((), "not_refused"), ((Span(start=10, end=50),), "origin_in_context")])
def test_a_chunk_that_stands_for_the_origin_holds_it(also: tuple[Span, ...], cause: str, tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    origin = Origin(document_id="beta", start=0, end=40)
    lab.case = {"type": "rejection", "subtype": "cross_document", "evidence": (), "origin": origin}
    context, measured = lab.run()
    twin = Chunk(id="beta:0:7", document_id="beta", ordinal=7, start=900, end=940, text="x", also=also)
    trace = context.trace.model_copy(update={"context_ids": (twin.id,)})
    found = lab.diagnoser().diagnose(
        context.case, trace, measured, (), failed=True, look_up=lambda name: twin if name == twin.id else None
    )
    assert found is not None
    assert found.cause == cause


# What is said


def test_a_diagnosis_says_what_was_seen_and_what_to_try(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    FAR.set_up(lab)
    FAR.put_in(lab)
    found = lab.diagnose()
    assert found is not None
    context, measured = lab.run()
    (gold,) = measured.gold
    # Of 24 passages, the three about valves have the largest cosine with a question that names the valve twice.
    assert f"{gold.id} is in no arm's hits (dense 1)" in found.seen
    assert "Its true dense rank is 4 (score 0.466" in found.seen
    assert f"best score dense {context.trace.retrieved[0].score:g}" in found.seen
    # The same three share two rare words with it.
    assert found.seen.endswith("BM25 would have it at rank 4.")
    assert found.fix == "Raise k to at least 4, or add a reranker with fetch_k of at least 4."


def test_each_document_has_its_own_store(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    FAR.set_up(lab)
    FAR.put_in(lab)
    lab.set(index={"scope": "document"})
    found = lab.diagnose()
    assert found is not None
    # Of alpha's eight passages only the one about the valve is nearer.
    assert (found.stage, "Its true dense rank is 2" in found.seen) == ("retrieve", True)


def test_of_several_pieces_of_evidence_the_earliest_loss_counts(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    FAR.set_up(lab)
    FAR.put_in(lab)
    # The pump's paragraph is not found; the other piece lies over the end of the second paragraph (at 139).
    lab.case = {"evidence": (Evidence(start=0, end=68), Evidence(start=100, end=170))}
    found = lab.diagnose()
    assert found is not None
    assert (found.stage, found.cause) == ("chunk", "cut")
    assert "100–170" in found.seen


def test_a_piece_that_two_chunks_hold_was_lost_where_the_further_one_was(tmp_path: Path) -> None:
    lab = Lab(tmp_path, question="How many marks has the valve of alpha?", expected="14 marks")
    lab.evidence = (sentence("alpha", "valve", 1), "")
    lab.set(k=1, index={"chunk_size": 145, "chunk_overlap": 72})
    context, measured = lab.run()
    assert len(measured.gold) == 2
    assert [one.id in context.trace.context_ids for one in measured.gold].count(True) == 1
    NO_ROOM.put_in(lab)
    lab.set(index={"chunk_size": 145, "chunk_overlap": 72})
    found = lab.diagnose()
    assert found is not None
    assert (found.stage, found.cause) == ("rerank/pack", "budget")


def test_neither_failed_nor_missed_is_no_case(tmp_path: Path) -> None:
    assert Lab(tmp_path).diagnose() is None


def test_gold_that_the_user_may_not_see_is_no_failure(tmp_path: Path) -> None:
    lab = Lab(tmp_path, tags={"alpha": ("tenant:a",)}, user_tags=("tenant:b",), failed=True)
    _, measured = lab.run()
    assert measured.status == "hidden_gold"
    assert lab.diagnose() is None


def test_evidence_that_two_chunks_of_the_context_hold_together_was_not_lost(tmp_path: Path) -> None:
    lab = Lab(tmp_path, failed=True)
    lab.set(index={"chunk_size": 60}, k=24)
    found = lab.diagnose()
    assert found is not None
    assert found.stage == "generate"


def test_evidence_in_no_chunk_at_all(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    context, _ = lab.run()
    assert lab.searched is not None
    others = lab.searched.chunks[1:]
    measured = measure(context.case, context.trace, others)
    found = lab.diagnoser().diagnose(context.case, context.trace, measured, others, failed=False, look_up=_none)
    assert found is not None
    assert (found.stage, found.cause) == ("chunk", "nowhere")


def test_a_document_without_a_chunk(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    context, _ = lab.run()
    measured = measure(context.case, context.trace, [])
    found = lab.diagnoser().diagnose(context.case, context.trace, measured, [], failed=False, look_up=_none)
    assert found is not None
    assert (found.stage, found.cause) == ("ingestion", "no_chunks")


def test_a_document_that_could_not_be_read(tmp_path: Path) -> None:
    lab = Lab(tmp_path, failed=True)
    context, measured = lab.run()
    failure = Failure(type="needs_password", message="needs a password to open")
    rows = [*lab.documents[1:], UnreadableDocument(path="alpha.pdf", failure=failure)]
    write_rows(lab.workspace.documents_file("main"), rows)
    lab.suite.documents = lab.documents[1:]
    found = lab.diagnoser().diagnose(context.case, context.trace, measured, [], failed=True, look_up=_none)
    assert found is not None
    assert (found.stage, found.cause) == ("ingestion", "unreadable")
    assert "needs a password to open" in found.seen


def test_gold_chunks_that_a_user_named_need_no_evidence(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    FAR.set_up(lab)
    FAR.put_in(lab)
    lab.case = {"evidence": ()}
    context, _ = lab.run()
    assert lab.searched is not None
    named = lab.searched.chunks[0].id
    measured = measure(context.case, context.trace, lab.searched.chunks, labels={named: 100})
    for chunks in (lab.searched.chunks, []):
        found = lab.diagnoser().diagnose(context.case, context.trace, measured, chunks, failed=False, look_up=_none)
        assert found is not None
        assert (found.stage, found.cause) == ("retrieve", "not_in_candidates")
        assert named in found.seen


def test_a_store_with_another_metric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(chroma.HNSW, "space", "l2")
    chroma._empty.cache_clear()
    try:
        assert diagnosed(tmp_path, FAR) == ("embed/index", "wrong_metric")
    finally:
        chroma._empty.cache_clear()


# What cannot be looked at


def test_what_is_gone_is_said_and_not_guessed(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    FAR.set_up(lab)
    FAR.put_in(lab)
    lab.after.append(shutil.rmtree)
    lab.after.append(lambda _: shutil.rmtree(lab.root / "corpora"))
    found = lab.diagnose()
    assert found is not None
    assert found.stage == "retrieve"
    assert "Not checked: the source alpha.pdf, which is not in corpora." in found.seen
    assert "Not checked: the store corpus__" in found.seen
    assert "true dense rank" not in found.seen


def test_a_source_that_changed_is_no_witness(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    NO_ROOM.put_in(lab)
    lab.after.append(lambda _: (lab.root / "corpora" / "alpha.pdf").write_bytes(b"%PDF-1.4 other"))
    found = lab.diagnose()
    assert found is not None
    assert found.stage == "rerank/pack"
    assert "Not checked: the source alpha.pdf, which has changed since it was read." in found.seen


def test_a_damaged_store_is_said(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    NO_ROOM.put_in(lab)
    lab.after.append(lambda folder: (folder / chroma.DATABASE).write_bytes(b"no database" * 400))
    found = lab.diagnose()
    assert found is not None
    assert found.stage == "rerank/pack"
    assert "which cannot be read" in found.seen


def test_inspection_leaves_a_store_as_it_was(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.run()
    folder = lab.store()
    before = sorted(path.name for path in folder.iterdir())
    health = inspect_store(folder, "toy:another")
    assert health is not None
    assert sorted(path.name for path in folder.iterdir()) == before
    assert (health.embedding, health.dimension, health.chunks.metric) == (EMBEDDING, 12, "cosine")
    assert (len(health.chunks.ids), health.chunks.texts, len(health.questions.ids)) == (24, 24, 1)
    assert not health.chunks.unsound
    assert not health.chunks.twins
    again = inspect_store(folder, EMBEDDING)
    assert again is not None
    assert again.chunks.ids == health.chunks.ids


def test_no_store_is_no_health(tmp_path: Path) -> None:
    assert inspect_store(tmp_path, EMBEDDING) is None
    assert list(tmp_path.iterdir()) == []


def test_chroma_is_opened_once_for_many_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Lab(tmp_path, sources=False)
    FAR.set_up(lab)
    FAR.put_in(lab)
    context, measured = lab.run()
    assert lab.searched is not None
    opened: list[Path] = []

    def counted(folder: Path, embedding: str) -> object:
        opened.append(folder)
        return inspect_store(folder, embedding)

    monkeypatch.setattr(index_view, "inspect_store", counted)
    tool = lab.diagnoser()
    chunks = lab.searched.chunks
    for _ in range(50):
        assert tool.diagnose(context.case, context.trace, measured, chunks, failed=False, look_up=_none)
    assert opened == [lab.store()]


def test_the_true_rank_is_that_of_an_exact_search(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.set(k=24)
    context, _ = lab.run()
    health = inspect_store(lab.store(), EMBEDDING)
    assert health is not None
    asked = sha256_text(lab.question)[:32]
    for hit in context.trace.retrieved:
        found = rank_of(hit.id, asked, health, None)
        assert found is not None
        assert found[0] == hit.rank
        assert found[1] == pytest.approx(hit.score, abs=1e-6)
    own = [hit.id for hit in context.trace.retrieved if hit.id.startswith("alpha:")]
    places = [rank_of(name, asked, health, frozenset({"alpha"})) for name in own]
    assert [place[0] for place in places if place] == list(range(1, 9))


def test_only_models_of_the_package_are_probed() -> None:
    asked: list[str] = []

    class Counted(TopicEmbedder):
        async def embed_queries(self, texts: list[str]) -> list[list[float]]:
            asked.extend(texts)
            return await super().embed_queries(texts)

    embed = free_of_charge(lambda _: Counted())
    assert embed("openai:text-embedding-3-small", ["the pump"]) is None
    assert asked == []
    assert embed("embedded:hashing", ["the pump"]) == [[3.0, *[0.0] * 10, 0.01]]


# The table of causes


def test_every_cause_has_a_stage_and_a_fix() -> None:
    assert tuple(FIXES) == CAUSES
    assert list(dict.fromkeys(stage for stage, _ in FIXES.values())) == list(FAILURE_STAGES)
    for _, fix in FIXES.values():
        assert fix[0].isupper()
        assert fix.endswith(".")
        assert fix.count(". ") == 0


def test_no_fix_gives_a_user_more_to_see() -> None:
    for _, fix in FIXES.values():
        assert not re.search(r"\b(user_tags|permission|access|tenant|role)", fix)


def test_the_page_names_every_stage_and_cause(repository: Path) -> None:
    page = (repository / "docs" / "retrieval-audit.md").read_text(encoding="utf-8")
    section = page.partition("## Stages of failure")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:3] for line in section.splitlines() if line.startswith("| `")]
    named = [cause for _, causes in rows for cause in re.findall(r"`(\w+)`", causes)]
    assert [stage.strip(" `") for stage, _ in rows] == list(FAILURE_STAGES)
    assert named == list(CAUSES)


# Comparing texts

READINGS = [
    "The pressure-relief valve opens at 24 bar; code E-204.",
    "The pressure-\nrelief  valve\nopens at 24 bar ; code E-204 .",
    "The pressurerelief valve opens at 2 4 bar; code E 204.",
    "opens at 24 bar; The pressure-relief valve left code E-204. right column",
    "THE PRESSURE\u2010RELIEF VALVE OPENS AT 24\u00a0BAR; CODE E\u2011204.",
]


@pytest.mark.parametrize("reading", READINGS)
def test_another_readers_spaces_and_columns_are_no_loss(reading: str) -> None:
    evidence = READINGS[0]
    assert likeness(evidence, f"Before it. {reading} After it.") >= 95
    near = nearest_part(evidence, reading)
    assert [value for value in values(evidence) if not has_value(value, near)] == []


@pytest.mark.parametrize("text", ["", "Tge prffsure-rxlxef vqlve opxns.", "Quite another sentence about 24 bar."])
def test_lost_and_garbled_text_is_unlike(text: str) -> None:
    assert likeness(READINGS[0], text) < 80


@pytest.mark.parametrize(
    ("value", "text", "alone", "glued"),
    [
        ("24", "at 24 bar", True, True),
        ("24", "at 243 bar", False, True),
        ("24", "at 24.5 bar", False, True),
        ("24", "at 124", False, True),
        ("1.5", "at 15 bar", False, False),
        ("1.5", "at 1.5.", True, True),
        ("e-204", "code E204", True, True),
        ("e-204", "code E-205", False, False),
        ("24", "at 42", False, False),
    ],
)
def test_a_value_stands_for_itself(value: str, text: str, alone: bool, glued: bool) -> None:
    assert has_value(value, text) is alone
    assert has_value(value, text, glued=True) is glued


def test_values_are_numbers_and_codes() -> None:
    assert values("The E-204 valve, DIN912, takes 1.5 bar and 1,200 kg (see 3), 24/7.") == (
        "e-204", "din912", "1.5", "1,200", "3", "24/7",
    )  # fmt: skip


def test_a_mark_of_a_note_is_no_part_of_a_value() -> None:
    assert values("0.5 m/s¹ on the Rill 25 E², 10³ times") == ("0.5", "25", "10")
    assert has_value("25", "the Rill 25³ E")


@pytest.mark.parametrize(
    ("passage", "same"),
    [
        ("Notice. The winch holds 24 bar at most. Call the crew.", True),
        ("Notice. The winch holds 42 bar at most. Call the crew.", False),
        ("Notice. The crane holds 24 bar at most. Call the crew.", False),
        ("The winch", False),
    ],
)
def test_a_passage_says_the_same_where_subject_and_value_agree(passage: str, same: bool) -> None:
    about = "How much does the winch hold? 24 bar"
    assert (says_the_same(passage, "The winch holds 24 bar at most.", about, "en", 80) is not None) is same


@given(st.text(alphabet="ab 12.-\n", max_size=60), st.text(alphabet="ab 12.-\n", max_size=60))
def test_what_stands_in_a_text_is_like_it(before: str, passage: str) -> None:
    assert likeness(passage, f"{before} {passage}") == 100.0
    assert 0.0 <= likeness(passage, before) <= 100.0
    assert nearest_part(passage, before) in before


def _none(_: str) -> None:
    return None


# Other kinds of files


def _docx(path: Path) -> None:
    import docx

    made = docx.Document()
    made.add_paragraph("The winch holds 24 bar.")
    made.add_table(rows=1, cols=2).rows[0].cells[1].text = "code E-204"
    made.save(str(path))


def _html(path: Path) -> None:
    page = "<style>p { width: 99px }</style><p>The winch\nholds <b>24</b>&nbsp;bar.</p><td>code E-204</td>"
    path.write_text(f"<html><body>{page}</body></html>", encoding="utf-8")


@pytest.mark.parametrize(("name", "write"), [("a.docx", _docx), ("a.html", _html)])
def test_a_file_is_read_plainly(name: str, write: Callable[[Path], None], tmp_path: Path) -> None:
    write(tmp_path / name)
    text = source_pages(tmp_path / name, "pypdf", [WHOLE])["0"]
    assert values(text) == ("24", "e-204")
    assert likeness("The winch holds 24 bar.", text) == 100


def test_pages_are_read_by_the_reader_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(make_pdf([[(60, 700, "First 11")], [(60, 700, "Second 22")]]))
    for reader in ("pypdf", "pdfium"):
        assert source_pages(tmp_path / "a.pdf", reader, [2, 9]) == {"2": "Second 22"}


def test_a_hostile_source_costs_no_more_than_the_check(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4\n" + b"<<" * 5000)
    (tmp_path / "a.docx").write_bytes(b"PK\x03\x04 no archive")
    for name in ("a.pdf", "a.docx"):
        assert "failure" in read_source(tmp_path / name, "pypdf", [1], ReadingSettings())


# A trace alone


def lost(rank: tuple[int, float] | None = None, kept_out: str = "", of: str = "cause", **changes: object) -> str:
    """The cause (or what is asked `of`) for chunk `gold` of a post-filtered trace: of three hits one was taken out."""
    hits = [Retrieved(id=f"other:{at}:0", rank=at, score=1 - at / 10) for at in (1, 2, 3)]
    known: dict[str, object] = {"retrieved": tuple(hits), "filter_mode": "post", "k": 3}
    known["dropped"] = (Dropped(id=hits[0].id, at="filter"),)
    trace = Trace.model_validate({"query": "q", "index": "i", "embedding": "e", **known, **changes})
    found = QueryPath(trace, Steps.told_by(trace), lambda _: kept_out, lambda _: rank).loss("gold:1:0").diagnosis()
    return str(found.model_dump()[of])


def test_starved_is_who_would_have_had_a_place() -> None:
    assert lost() == "starved_by_post_filter"
    assert lost(rank=(3, 0.5)) == "starved_by_post_filter"
    # Fourth of those that may be found: three hits would not have reached it either.
    assert lost(rank=(4, 0.5)) == "not_in_candidates"
    # Two hits were left, and no more were wanted.
    assert lost(k=2) == "not_in_candidates"
    assert lost(kept_out="its language") == "not_in_candidates"
    assert lost(kept_out="its language", filter_mode="pre") == "filtered"
    # No rank helps where a filter would take it out.
    assert lost(kept_out="its language", of="fix") == lost(kept_out="its language", filter_mode="pre", of="fix")
    assert lost(dropped=()) == "not_in_candidates"
    assert lost(retrieved=(), dropped=()) == "not_in_candidates"


def test_a_chunk_below_one_floor_may_come_through_another_arm() -> None:
    found = (Retrieved(id="gold:1:0", rank=1, score=0.1), Retrieved(id="gold:1:0", rank=1, score=9.0, arm="bm25"))
    fused = (Ranked(id="gold:1:0", rank=1, score=0.02, sources=("bm25",)),)
    below = Dropped(id="gold:1:0", at="floor", reason="dense 0.1 < 0.5")
    no_room = Dropped(id="gold:1:0", at="budget", reason="needs 9 of 5")
    assert lost(retrieved=found, fused=fused, dropped=(below, no_room)) == "budget"
    assert lost(retrieved=found[:1], dropped=(below,)) == "floor"


def test_fusion_is_blamed_by_ranks_among_what_may_be_found() -> None:
    """Two hits of the dense arm are filtered out: of those left `gold` is the first, and BM25's two outvote it."""

    def hits(arm: str, *names: str) -> list[Retrieved]:
        return [Retrieved(id=name, rank=at, score=1 / at, arm=arm) for at, name in enumerate(names, 1)]

    hidden, gold = ("no:1:0", "no:2:0"), "gold:1:0"
    retrieved = [*hits("dense", *hidden, gold), *hits("bm25", "a:1:0", "b:1:0")]
    sources = {one.id: (one.arm,) for one in retrieved}
    order = ["a:1:0", *hidden, "b:1:0", gold]
    fused = tuple(Ranked(id=name, rank=at, score=1 / at, sources=sources[name]) for at, name in enumerate(order, 1))
    dropped = tuple(Dropped(id=name, at="filter") for name in hidden)
    trace = Trace(
        query="q",
        index="i",
        embedding="e",
        k=2,
        filter_mode="post",
        retrieved=tuple(retrieved),
        fused=fused,
        dropped=dropped,
    )
    found = QueryPath(trace, Steps.told_by(trace)).loss(gold)
    # Fifth of the fused list and third of those that may be found; first of its arm's, which its raw rank 3 hides.
    assert found.cause == "fused_away"
    assert "dense arm, which had it at rank 1, or k to at least 3" in found.fix
    # What the filter takes out was in the fused list, however low, and is not to be had by weights.
    assert QueryPath(trace, Steps.told_by(trace)).loss(hidden[1]).cause == "filtered"
    # Where the floor of the arm that had it high took it there, the floor is to blame.
    both = Retrieved(id=gold, rank=3, score=0.1, arm="bm25")
    low = Dropped(id=gold, at="floor", reason="dense 0.33 < 0.5")
    weaker = (*fused[:-1], fused[-1].model_copy(update={"sources": ("bm25",)}))
    changed = {"retrieved": (*retrieved, both), "dropped": (*dropped, low), "fused": weaker}
    found = QueryPath(trace.model_copy(update=changed), Steps.told_by(trace)).loss(gold)
    assert (found.cause, "that of the dense arm to 0.33 at most" in found.fix) == ("floor", True)


def test_a_weight_helps_no_hit_that_a_floor_took() -> None:
    """BM25 has `gold` first and below its floor; the dense arm has it third, and two others stay before it."""
    gold, names = "gold:1:0", ("a:1:0", "b:1:0", "gold:1:0")
    retrieved = (
        Retrieved(id=gold, rank=1, score=4.0, arm="bm25"),
        *(Retrieved(id=name, rank=at, score=1 / at) for at, name in enumerate(names, 1)),
    )
    order = ("a:1:0", "b:1:0", "c:1:0", gold)
    fused = tuple(Ranked(id=name, rank=at, score=1 / at, sources=("dense",)) for at, name in enumerate(order, 1))
    below = (Dropped(id=gold, at="floor", reason="bm25 4 < 9"),)
    trace = Trace(
        query="q", index="i", embedding="e", k=3, retrieved=retrieved, fused=fused, dropped=below, context_ids=order[:3]
    )
    path = QueryPath(trace, Steps.told_by(trace))
    found = path.loss(gold)
    assert (found.cause, "that of the bm25 arm to 4 at most" in found.fix) == ("floor", True)
    # Without a floor there: it was outvoted, and the arm that ranked it best is the one to strengthen.
    both = (*fused[:3], fused[3].model_copy(update={"sources": ("bm25", "dense")}))
    free = trace.model_copy(update={"dropped": (), "fused": both})
    assert "bm25 arm, which had it at rank 1" in QueryPath(free, Steps.told_by(free)).loss(gold).fix
    # Another system's fused list that was cut: the arm below its floor is not the one to strengthen.
    short = trace.model_copy(update={"fused": fused[:3]})
    found = QueryPath(short, Steps.told_by(short)).loss(gold)
    assert (found.cause, "dense arm, which had it at rank 3" in found.fix) == ("fused_away", True)


def test_how_far_a_chunk_came_is_its_last_list_and_its_rank_there() -> None:
    hits = tuple(Retrieved(id=f"{name}:1:0", rank=at, score=1 / at) for at, name in enumerate("abcd", 1))
    fused = tuple(Ranked(id=f"{name}:1:0", rank=at, score=1 / at) for at, name in enumerate("cba", 1))
    reranked = (Ranked(id="b:1:0", rank=2, score=0.5),)
    trace = Trace(query="q", index="i", embedding="e", k=1, retrieved=hits, fused=fused, reranked=reranked)
    path = QueryPath(trace, Steps.told_by(trace), rank={"e:1:0": (9, 0.1)}.get)
    told = {name: path.reached(f"{name}:1:0") for name in "abcdef"}
    assert told == {"a": (1, 3), "b": (0, 2), "c": (1, 1), "d": (2, 4), "e": (3, 9), "f": (4, 0)}


TRACED = [
    fault for fault in (*TEN, *MORE) if fault.stage in ("retrieve", "fuse/threshold", "filter/ACL", "rerank/pack")
]


@pytest.mark.parametrize("fault", TRACED, ids=str)
def test_a_trace_that_was_exported_tells_the_same(fault: Fault, tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    fault.set_up(lab)
    fault.put_in(lab)
    context, _ = lab.run()
    assert lab.searched is not None
    item = Item(at=0, case=context.case, embedding=EMBEDDING, trace=context.trace, chunks=lab.searched.chunks)
    path = tmp_path / "traces.jsonl"
    path.write_text(trace_line(item), encoding="utf-8")
    ((one,), _) = read_traces(path)
    measured = measure(context.case.model_copy(update={"evidence": ()}), one.trace, [], labels=one.gold)
    tool = ByRanks.of([one])
    found = tool.diagnose(context.case, one.trace, measured, [], failed=False, look_up=_none)
    assert found is not None
    if context.trace.filter_mode == "pre":
        # What was never searched is in no list: that a filter did it is said to be open.
        assert (found.stage, "whether its filters keep it out" in found.seen) == ("retrieve", True)
    else:
        assert (found.stage, found.cause) == (fault.stage, fault.cause)
    assert found.unchecked[:4] == ("ingestion", "parse", "chunk", "embed/index")


# Advice

DENSE, BOTH = {"dense": 4}, {"dense": 20, "bm25": 20}


@pytest.mark.parametrize(
    ("steps", "at", "told"),
    [
        (
            Steps(4, DENSE),
            Standing(7, fetched=False),
            "Raise k to at least 7, or add a reranker with fetch_k of at least 7.",
        ),
        (Steps(4, DENSE), Standing(7, fetched=True), "Raise k to at least 7, or add a reranker."),
        (Steps(4, DENSE), Standing(7, fetched=False, by_words=2), "Add a bm25 arm: it finds the chunk at rank 2."),
        (Steps(4, DENSE), Standing(7, fetched=True, by_words=9), "Raise k to at least 7, or add a reranker."),
        (Steps(4, {"dense": 2}), Standing(3, fetched=False), "Raise fetch_k to at least 3: it is less than k."),
        (Steps(4, DENSE, reranks=True), Standing(7, fetched=False), "Raise fetch_k and rerank_k to at least 7."),
        (Steps(4, BOTH), Standing(20, fetched=False), "Add a reranker with fetch_k of at least 20, or raise k."),
        (
            Steps(4, BOTH),
            Standing(21, fetched=False),
            "Try another embedding model or chunker: rank 21 is too far for k = 4.",
        ),
        (
            Steps(4, DENSE),
            Standing(90, fetched=False, by_words=9),
            "Add a bm25 arm and a reranker: bm25 finds the chunk at rank 9, and rank 90 is too far for k = 4.",
        ),
        (
            Steps(4, DENSE),
            Standing(90, fetched=False, by_words=0),
            "Try another embedding model or chunker: rank 90 is too far for k = 4.",
        ),
        (
            Steps(4, {"bm25": 4}),
            Standing(None, fetched=False),
            "Add a dense arm: bm25 finds only what shares words with the question.",
        ),
    ],
)
def test_advice_follows_the_rank_and_the_settings(steps: Steps, at: Standing, told: str) -> None:
    assert beyond_k(steps, at) == told


RANKS = st.none() | st.integers(1, 60)


@given(st.sampled_from([DENSE, BOTH, {"bm25": 4}, {}]), st.integers(1, 9), st.booleans(), RANKS, st.booleans(), RANKS)
def test_advice_names_nothing_that_is_there_or_cannot_help(
    depths: dict[str, int], k: int, reranks: bool, rank: int | None, fetched: bool, words: int | None
) -> None:
    told = beyond_k(Steps(k, depths, reranks), Standing(rank, fetched, words))
    assert told.endswith(".")
    assert told.count(". ") == 0
    assert not (("bm25" in depths or words == 0) and "dd a bm25" in told)
    assert not (reranks and "reranker" in told and "bm25" not in told)
    # With one arm and no reranker more candidates change nothing by themselves.
    alone = len(depths) == 1 and not reranks and (rank is None or rank > k)
    assert not (alone and "fetch_k" in told and "reranker" not in told)
    assert all(int(number) >= (rank or 0) for number in re.findall(r"at least (\d+)", told))

"""Which chunk a diagnosis speaks of, and what it advises, where several would do."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragtester.api import Project
from ragtester.provenance import sha256_file
from ragtester.records import AuditedQuery, Chunk, Evidence, Ranked, Retrieved, Span
from ragtester.searching.suite import Suite
from ragtester.settings import IndexSettings, Settings
from ragtester.stages.retrieval.pieces import Piece, cut
from ragtester.stages.retrieval.sources_check import SourcesCheck
from ragtester.storage import read_rows, write_rows
from ragtester.workspace import Workspace
from tests import builders
from tests.retrieval_workspace import RUN, STARTS, TEXT, Query, build, chunk_id


@pytest.mark.parametrize("ranks", [(3, 4), (4, 3)])
def test_of_chunks_lost_at_one_step_the_better_ranked_is_told(tmp_path: Path, ranks: tuple[int, int]) -> None:
    """Two chunks hold the evidence, both beyond K = 2, at the ranks 3 and 4."""
    text = TEXT[STARTS[2] :].strip()
    longer = Chunk(id="pump:aaaaaaaa:4", document_id="pump", ordinal=4, start=STARTS[2], end=len(TEXT) - 1, text=text)
    names = dict(zip(ranks, (chunk_id("pump", 3), longer.id), strict=True))
    order = (chunk_id("pump", 0), chunk_id("pump", 1), names[3], names[4])
    hits = tuple(Retrieved(id=name, rank=at, score=1 / at) for at, name in enumerate(order, 1))
    changes = {"retrieved": hits, "gold_ids": tuple(names.values())}
    path = build(tmp_path, [Query("low", 3, (0, 1), ("fail",), changes=changes)]).chunks_file(RUN, "pump")
    write_rows(path, [*read_rows(path, Chunk), longer])
    done = Project(tmp_path).audit_retrieval()
    (row,) = read_rows(done.output / "queries.jsonl", AuditedQuery)
    assert row.diagnosis is not None
    assert (row.diagnosis.cause, row.diagnosis.seen.startswith(names[3])) == ("truncated", True)


@pytest.mark.parametrize("prose", [True, False])
def test_only_tables_and_code_are_to_be_kept_whole(prose: bool) -> None:
    halves = [
        Chunk(id=f"d:{at}:{at}", document_id="d", ordinal=at, start=20 * at, end=20 * at + 20, text="")
        for at in range(2)
    ]
    piece = Piece((), ("d:0:0", "d:1:1"), True, Evidence(start=5, end=35), "")
    loss = cut(piece, halves, ["d:0:0"], IndexSettings(), lambda _: prose)
    assert loss is not None
    assert "lies over 2 chunks (" in loss.seen
    fix = loss.diagnosis().fix
    assert ("keep_whole" in fix) is not prose
    assert ("30 characters" in fix) is prose


def test_a_better_fused_rank_is_further_whatever_the_arm_had(tmp_path: Path) -> None:
    """K = 2: one chunk is BM25's first and third of the fused list, the other is BM25's third and the fourth there."""
    text = TEXT[STARTS[2] :].strip()
    longer = Chunk(id="pump:aaaaaaaa:4", document_id="pump", ordinal=4, start=STARTS[2], end=len(TEXT) - 1, text=text)
    shorter, one, two = (chunk_id("pump", at) for at in (3, 0, 1))
    ranked = {"bm25": (shorter, two, longer.id), "dense": (one, two)}
    hits = tuple(
        Retrieved(id=name, rank=at, score=1 / at, arm=arm)
        for arm, names in ranked.items()
        for at, name in enumerate(names, 1)
    )
    fused = tuple(
        Ranked(id=name, rank=at, score=1 / at, sources=tuple(arm for arm, names in ranked.items() if name in names))
        for at, name in enumerate((two, one, shorter, longer.id), 1)
    )
    changes = {"retrieved": hits, "fused": fused, "gold_ids": (shorter, longer.id)}
    path = build(tmp_path, [Query("low", 3, (1, 0), ("fail",), changes=changes)]).chunks_file(RUN, "pump")
    write_rows(path, [*read_rows(path, Chunk), longer])
    done = Project(tmp_path).audit_retrieval()
    (row,) = read_rows(done.output / "queries.jsonl", AuditedQuery)
    assert row.diagnosis is not None
    # The other chunk was cut at K, a later stage, and came less far.
    assert (row.diagnosis.cause, row.diagnosis.seen.startswith(f"{shorter}: bm25 rank 1; fused rank 3")) == (
        "fused_away",
        True,
    )


def test_a_value_of_another_piece_of_evidence_is_not_lost(tmp_path: Path) -> None:
    """The source has 30 beside the first piece; the extracted text has it in the second piece alone."""
    (tmp_path / "corpora").mkdir()
    source = tmp_path / "corpora" / "pump.txt"
    source.write_text("The officers of the old precinct go on strike after 30 losses in a year.\n", encoding="utf-8")
    first, second = "The officers of the old precinct go on strike after losses in a year.", "Over 30 officers died."
    text = f"{first}\n{'Nothing else is said here. ' * 400}\n{second}\n"
    known = builders.document("pump", path="pump.txt", format="txt", sha256=sha256_file(source), characters=len(text))
    suite = Suite(Workspace(tmp_path), "main", [known], [])
    check = SourcesCheck(suite, Settings(), 80.0)
    span = Span(start=0, end=len(first))
    alone, _ = check.check(known, text, span, second)
    assert alone is not None and alone.cause == "lost"
    assert check.check(known, text, span, second, f"{first}\n{second}") == (None, "")

"""Many queries of one document: asked in parts, scored in parts, and the kind of a text told once a block."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.documents.section_kinds import kind_of
from ragtester.models.embedded.vectors import embed_texts
from ragtester.progress import SilentProgress
from ragtester.records import Evidence
from ragtester.searching.search import Search, Searched
from ragtester.searching.suite import open_suite
from ragtester.stages.retrieval.evidence_kinds import BLOCK, SEVERAL, EvidenceKinds
from tests import builders
from tests.execute_fakes import RuleModels, WordEmbedder
from tests.retrieval_fakes import Toy, about

PROSE = "The pump is checked every day by the operator, who signs the log. It must never run dry for an hour."
CODE = "def start(pump):\n    pump.open(valve=3)\n    return pump.state\n\n"
TABLE = "Valve  40 bar  12.5 l  3\nPump   60 bar  11.0 l  4\nFuse   10 bar   1.5 l  9\nRotor  30 bar  2.5 l  8"
SAMPLE = Path(__file__).parent.parent / "generated"


def kinds(text: str, *spans: tuple[int, int]) -> str:
    document = builders.document(language="en", characters=len(text))
    evidence = tuple(Evidence(start=start, end=end) for start, end in spans)
    return EvidenceKinds(lambda _: text).of(document, builders.case("c", evidence=evidence))


def around(text: str, start: int, end: int) -> str:
    """The text from the blank line before a span to the one after it, found by looking."""
    before, after = text.rfind("\n\n", 0, start), text.find("\n\n", end)
    return text[before + 2 if before >= 0 else 0 : after if after >= 0 else len(text)]


@given(st.lists(st.sampled_from([PROSE, TABLE, CODE.strip(), "", "A title\n"]), min_size=1, max_size=8), st.data())
def test_evidence_has_the_kind_of_the_paragraphs_it_stands_in(paragraphs: list[str], data: st.DataObject) -> None:
    text = "\n\n".join(paragraphs)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert kinds(text, (start, end)) == kind_of(around(text, start, end), "en")


def test_evidence_of_the_sample_corpus() -> None:
    paths = sorted(SAMPLE.glob("*/texts/*.txt"))
    assert paths
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for start in range(0, len(text) - 80, 311):
            assert kinds(text, (start, start + 80)) == kind_of(around(text, start, start + 80), "en")


def test_kinds_of_several_spans() -> None:
    text = f"{PROSE}\n\n{TABLE}\n\n{PROSE}"
    table, last = text.index(TABLE), text.rindex(PROSE)
    assert kinds(text, (0, 5), (last, last + 9)) == "prose"
    assert kinds(text, (table, table + 20)) == "table"
    assert kinds(text, (0, 5), (table, table + 20)) == SEVERAL
    assert kinds(text) == ""


def test_a_text_without_blank_lines_has_few_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def noted(text: str, language: str) -> str:
        told.append(text)
        return kind_of(text, language)

    monkeypatch.setattr("ragtester.stages.retrieval.evidence_kinds.kind_of", noted)
    text = "\n".join([PROSE] * 200)
    document = builders.document(language="en", characters=len(text))
    found = EvidenceKinds(lambda _: text)
    for start in range(0, len(text) - 50, 50):
        evidence = (Evidence(start=start, end=start + 50),)
        assert found.of(document, builders.case("c", evidence=evidence)) == "prose"
    # A span in one piece has that piece, a span over a border both: no more than two a border, and the first.
    assert len(told) <= 2 * (len(text) // BLOCK + 1) + 1
    assert all(len(one) <= 4 * BLOCK for one in told)


@pytest.mark.parametrize("scope", ["document", "corpus"])
def test_questions_are_asked_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scope: str) -> None:
    cases = [about(f"c{at}", "open", at % 3, question=f"Which pump, number {at}?") for at in range(7)]
    groups = [{"llms": ["toy:a"], "embeddings": ["toy:words"]}]

    def searched(root: Path) -> list[Searched]:
        toy = Toy(root, cases, groups=groups, retrieval={"arms": ["dense", "bm25"]}, index={"scope": scope})

        async def run() -> list[Searched]:
            suite = open_suite(toy.workspace, toy.settings)
            search = Search(suite, toy.settings, lambda _: WordEmbedder(), RuleModels(), SilentProgress())
            return [part async for part in search.run("toy:words")]

        return asyncio.run(run())

    (whole,) = searched(tmp_path / "whole")
    monkeypatch.setattr("ragtester.searching.search.QUESTIONS_AT_ONCE", 3)
    monkeypatch.setattr("ragtester.rag.store.SCORED_AT_ONCE", 2)
    parts = searched(tmp_path / "parts")
    assert [len(part.contexts) for part in parts] == ([3, 3, 1] if scope == "document" else [7])
    assert [context for part in parts for context in part.contexts] == whole.contexts


def test_a_vector_does_not_depend_on_the_texts_beside_it() -> None:
    texts = [PROSE, "a", TABLE, "Öl", "", "日本語のテキスト" * 40, *(f"{PROSE} {at}" for at in range(20))]
    alone = [embed_texts([text])[0].tobytes() for text in texts]
    assert [row.tobytes() for row in embed_texts(texts)] == alone

"""BM25: what a text is searched by, scores by hand and by `bm25s`, ties, filters, and the same in every process."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.rag.sparse import Sparse
from ragtester.rag.terms import terms
from ragtester.records import Chunk

LANGUAGES = {"d": "en", "e": "en", "g": "de"}


def chunks(texts: list[str], document: str = "d") -> list[Chunk]:
    return [
        Chunk(id=f"{document}:00000000:{at}", document_id=document, ordinal=at, start=at, end=at + 1, text=text)
        for at, text in enumerate(texts)
    ]


def asked(index: Sparse, question: str, k: int = 10, language: str = "en") -> list[tuple[str, float]]:
    return index.nearest([(question, language)], k)[0]


@pytest.mark.parametrize(
    ("query", "passage", "language"),
    [
        ("What does E-204 mean?", "On error E204 the pump stops.", "en"),
        ("What does E204 mean?", "On error E-204 the pump stops.", "en"),
        ("code e 204", "see E-204", "en"),
        ("0x1F", "The register 0x1f is read only.", "en"),
        ("3.5 mm", "a gap of 3.5mm", "en"),
        ("3.5mm", "a gap of 3.5 mm", "en"),
        ("230 V", "supply: 230V", "en"),
        ("1000 kg", "at most 1,000 kg", "en"),
        ("3,5 Nm", "Anziehen mit 3.5 Nm", "de"),
        ("1000 Stück", "je 1.000 Stück", "de"),
        ("max_connections", "set max_connections to 10", "en"),
        ("firefighting", "the fire-fighting lift", "en"),
        ("fire-fighting", "the firefighting lift", "en"),
        ("checking valves", "the valve is checked", "en"),
        ("Prüfung der Schrauben", "Die Schraube wird fest angezogen", "de"),
        ("水压", "错误E-204表示水压过低", "zh"),
        ("E-204", "错误E204表示水压过低", "zh"),
        ("ポンプ", "主ポンプの油を交換する", "ja"),
        ("점검", "펌프는 매년 점검합니다", "ko"),
        ("L\u2019eau froide", "de l'eau", "fr"),
        ("٣٥ kg", "35 kg", "ar"),
        ("ＥＮ １０２０４", "EN 10204", "en"),
    ],
)
def test_a_query_and_a_passage_meet(query: str, passage: str, language: str) -> None:
    assert set(terms(query, language)) & set(terms(passage, language))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("1/2", "12"),  # a fraction is not the number without its stroke
        ("3.5", "35"),
        ("2024-10-12", "20241012"),
        ("E-204", "E-205"),
        ("is it the", "the is it"),  # stop words are no terms at all
    ],
)
def test_a_query_and_a_passage_do_not_meet_by_what_they_do_not_share(one: str, two: str) -> None:
    assert not (set(terms(one, "en")) & set(terms(two, "en"))) - {"e"}


@given(st.text(max_size=60), st.sampled_from(["en", "de", "zh", "ar", "und", ""]))
def test_any_text_has_terms_that_it_finds_itself_by(text: str, language: str) -> None:
    found = terms(text, language)
    assert all(term and not any(map(str.isspace, term)) for term in found)
    assert terms(f"  {text}\n", language) == found
    if found:
        assert [name for name, _ in asked(Sparse(chunks([text]), {"d": language}), text, language=language)]


@pytest.mark.parametrize("piece", ["a-", "1.", "1a", "a'", "_", "e\u0301", "水", "펌", "a--b ", "1a."])
def test_a_hostile_text_is_read_in_one_go(piece: str) -> None:
    """Patterns that try every border anew would take hours on these."""
    assert len(terms(piece * 60_000, "en")) <= 240_000


def test_a_code_as_a_whole_counts_beside_its_parts() -> None:
    """The passage with the code itself is above one that has both parts apart."""
    index = Sparse(chunks(["part 204 of the model e", "error e-204 of the part", "of the part"]), LANGUAGES)
    assert [name[-1] for name, _ in asked(index, "E-204")] == ["1", "0"]


def test_scores_by_hand() -> None:
    """Lucene's BM25 with k1 = 1.5 and b = 0.75 on chunks of 2, 1 and 3 terms: their mean is 2."""
    index = Sparse(chunks(["pump valve", "pump", "oil oil valve"]), LANGUAGES)

    def score(idf: float, tf: int, length: int) -> float:
        return idf * tf / (tf + 1.5 * (1 - 0.75 + 0.75 * length / 2))

    in_two = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))  # of 3 chunks 2 have it
    in_one = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    assert asked(index, "pump") == [
        ("d:00000000:1", round(score(in_two, 1, 1), 6)),
        ("d:00000000:0", round(score(in_two, 1, 2), 6)),
    ]
    # A word that is asked twice counts twice.
    assert asked(index, "oil, oil and a valve") == [
        ("d:00000000:2", round(2 * score(in_one, 2, 3) + score(in_two, 1, 3), 6)),
        ("d:00000000:0", round(score(in_two, 1, 2), 6)),
    ]


WORDS = ("pump", "valve", "oil", "fuse", "bolt", "E-204", "3.5 mm")
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=1, max_size=12)


@given(TEXTS, st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), max_size=6), st.integers(1, 14))
def test_batches_give_what_bm25s_gives_one_by_one(texts: list[str], questions: list[str], k: int) -> None:
    import bm25s

    tokens = [terms(text, "en") for text in texts]
    found = Sparse(chunks(texts), LANGUAGES).nearest([(question, "en") for question in questions], k)
    assert len(found) == len(questions)
    if not any(tokens):
        assert found == [[]] * len(questions)
        return
    reference = bm25s.BM25(dtype="float64")
    reference.index(tokens, show_progress=False)
    for question, hits in zip(questions, found, strict=True):
        wanted = terms(question, "en")
        scores = reference.get_scores(wanted) if wanted else [0.0] * len(texts)
        exact = [(f"d:00000000:{at}", round(float(score), 6)) for at, score in enumerate(scores) if score > 0]
        assert hits == sorted(exact, key=lambda hit: (-hit[1], hit[0]))[:k]


@given(TEXTS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), st.integers(1, 5))
def test_a_filter_takes_effect_before_the_cut(texts: list[str], question: str, k: int) -> None:
    """The hits are those of the whole ranking that are of an eligible document, with the scores of the whole index."""
    index = Sparse([*chunks(texts, "d"), *chunks(texts[::-1], "e")], LANGUAGES)
    everything = asked(index, question, 1000)
    sets = [frozenset({"d"}), None, frozenset({"e", "not there"}), frozenset[str](), frozenset({"d", "e"})]
    found = index.nearest([(question, "en")] * len(sets), k, sets)
    for documents, hits in zip(sets, found, strict=True):
        assert hits == [hit for hit in everything if documents is None or hit[0][0] in documents][:k]


def test_small_blocks_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    index = Sparse(chunks([f"pump {'valve ' * (at % 5)}{WORDS[at % 7]}" for at in range(40)]), LANGUAGES)
    questions = [(f"{WORDS[at % 7]} pump", "en") for at in range(30)]
    sets = [frozenset({"d"}) if at % 3 else frozenset({"e"}) for at in range(30)]
    before = index.nearest(questions, 7), index.nearest(questions, 7, sets)
    monkeypatch.setattr("ragtester.rag.sparse.SCORES_AT_ONCE", 100)
    assert (index.nearest(questions, 7), index.nearest(questions, 7, sets)) == before


def test_equal_scores_go_to_the_smaller_id() -> None:
    index = Sparse(chunks(["pump"] * 12), LANGUAGES)
    assert [name for name, _ in asked(index, "pump", 3)] == ["d:00000000:0", "d:00000000:1", "d:00000000:10"]


def test_documents_are_stemmed_in_their_own_language() -> None:
    """German "Prüfungen" and English "checks" in one index: each is found by its own language's forms."""
    index = Sparse([*chunks(["Die Prüfungen"], "g"), *chunks(["The checks"], "d")], LANGUAGES)
    assert [name for name, _ in asked(index, "Prüfung", language="de")] == ["g:00000000:0"]
    assert [name for name, _ in asked(index, "checking", language="en")] == ["d:00000000:0"]


@pytest.mark.parametrize("question", ["", "???", "is it the", "unheard-of", "\x00\ud800", "a" * 5000])
def test_nothing_to_search_by_finds_nothing(question: str) -> None:
    assert asked(Sparse(chunks(["pump", "valve"]), LANGUAGES), question) == []


@pytest.mark.parametrize("texts", [[], ["", "..."], ["the is"]])
def test_an_index_without_terms(texts: list[str]) -> None:
    assert asked(Sparse(chunks(texts), LANGUAGES), "pump") == []


def test_what_is_searched_is_not_what_is_shown() -> None:
    """A chunk with a text of its own for the search (a sentence of a window) is found by that alone."""
    shown = chunks(["pump and valve"])[0].model_copy(update={"embedded": "valve"})
    index = Sparse([shown], LANGUAGES)
    assert asked(index, "pump") == [] and len(asked(index, "valve")) == 1


PROGRAM = """
from ragtester.rag.sparse import Sparse
from ragtester.records import Chunk
words = "pump valve oil fuse bolt E-204 hose seal ring belt".split()
texts = [" ".join(words[(at * step) % 10] for step in range(1, 9)) for at in range(60)]
index = Sparse([Chunk(id=f"d:0:{at}", document_id="d", ordinal=at, start=0, end=1, text=text)
                for at, text in enumerate(texts)], {"d": "en"})
print(index.nearest([(" ".join(words[at:] + words[:at]), "en") for at in range(10)], 20))
"""


def test_the_same_in_every_process() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1] and said[0].count(b"d:0:") == 200

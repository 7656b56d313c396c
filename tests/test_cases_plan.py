"""Slots of a document: shares, sections, donors, near-duplicates, coverage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.records import Case, Document, Evidence, Section
from ragtester.settings import CasesSettings, SharesSettings
from ragtester.stages.cases.coverage import add, coverage
from ragtester.stages.cases.donors import Donors
from ragtester.stages.cases.duplicates import are_twins, resemblance, sketch
from ragtester.stages.cases.plan import Candidate, plan_document
from ragtester.stages.cases.quotas import largest_remainder, quotas, sections_wanted
from ragtester.stages.cases.selection import by_complexity, partners, spread
from ragtester.text.near_questions import Questions


def section(
    ordinal: int, *, flesch: float | None = 50.0, kind: str = "prose", size: int = 100, doc: str = "a"
) -> Section:
    start = ordinal * 100
    return Section.model_validate(
        {
            "document_id": doc, "ordinal": ordinal, "start": start, "end": start + size, "kind": kind,
            "tokens": size // 4, "flesch": flesch,
        }
    )  # fmt: skip


def record(name: str = "a", language: str = "en", characters: int = 2000) -> Document:
    return Document(
        id=name, path=f"{name}.pdf", source="manual", format="pdf", sha256=name, text_sha256=name, language=language,
        characters=characters, page_starts=(0, 500, 1000, 1500),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("total", "weights", "expected"),
    [
        (10, {"a": 0.4, "b": 0.3, "c": 0.3}, {"a": 4, "b": 3, "c": 3}),
        # 12 × (0.4, 0.3, 0.3) = 4.8, 3.6, 3.6: whole parts 4, 3, 3; two left for .8 and the first .6.
        (12, {"a": 0.4, "b": 0.3, "c": 0.3}, {"a": 5, "b": 4, "c": 3}),
        (5, {"a": 1, "b": 1}, {"a": 3, "b": 2}),
        (0, {"a": 1, "b": 1}, {"a": 0, "b": 0}),
        (3, {"a": 0, "b": 2}, {"a": 0, "b": 3}),
        (3, {"a": 0, "b": 0}, {"a": 3, "b": 0}),
    ],
)
def test_largest_remainder(total: int, weights: dict[str, float], expected: dict[str, int]) -> None:
    assert sum(weights.values()) == 0 or largest_remainder(total, weights) == expected


@given(
    st.integers(1, 200),
    st.floats(0, 5),
    st.floats(0, 5),
    st.floats(0.01, 5),
    st.floats(0, 1),
    st.floats(0, 1),
    st.booleans(),
)
def test_quotas_always_add_up(
    total: int, hard: float, none: float, rest: float, invented: float, multi: float, alone: bool
) -> None:
    shares = SharesSettings(complexity=hard, rejection=none, coverage=rest)
    asked = quotas(CasesSettings(per_document=total, shares=shares, invented_share=invented, multi_share=multi), alone)
    assert sum(asked.values()) == total and min(asked.values()) >= 0
    assert total == 1 or asked["complexity", ""] < total
    assert not (alone and asked["rejection", "cross_document"])


def test_sections_wanted_counts_groups() -> None:
    settings = CasesSettings(
        per_document=12, shares=SharesSettings(complexity=0, rejection=0, coverage=1), multi_share=0.5
    )
    assert sections_wanted(settings) == 6 + 6 * 2


def test_hardest_first_is_clamped_and_stable() -> None:
    sections = [section(0, flesch=-40), section(1, flesch=30), section(2, flesch=-5), section(3, flesch=120)]
    # -40 and -5 both count as 0: the earlier one is first.
    assert [one.ordinal for one in by_complexity("", sections, "en")] == [0, 2, 1, 3]


def test_only_prose_is_hard_to_read() -> None:
    sections = [section(0, kind="table", flesch=None), section(1), section(2, kind="code", flesch=None)]
    assert [one.ordinal for one in by_complexity("", sections, "en")] == [1]


def test_without_a_formula_the_longest_sentences_come_first() -> None:
    text = "短い文。短い。" + "　" * 93 + "これは非常に長くて複雑な一つの文であり、途中で切れることがない。" + "　" * 70
    sections = [section(0, flesch=None), section(1, flesch=None)]
    assert [one.ordinal for one in by_complexity(text, sections, "ja")] == [1, 0]


def test_spread_takes_the_largest_of_each_stretch() -> None:
    sections = [section(ordinal, size=60 + (ordinal in (1, 4)) * 30) for ordinal in range(6)]
    assert [one.ordinal for one in spread(sections, 2, "x")] == [1, 4]
    assert [one.ordinal for one in spread(sections, 9, "x")] == list(range(6)) and spread(sections, 0, "x") == []


def test_partners_speak_of_the_same_things() -> None:
    parts = [
        "The ballast pump needs sealing rings.",
        "Cooks prepare vegetable soup.",
        "Sealing rings for the ballast pump.",
    ]
    text = "".join(part.ljust(100) for part in parts)
    sections = [section(0), section(1), section(2)]
    assert [one.ordinal for one in partners(text, sections[0], sections[1:], 1)] == [2]


@given(st.integers(0, 40), st.integers(1, 15), st.integers(0, 12))
def test_plan_shares_no_section_and_adds_up(count: int, asked: int, lent: int) -> None:
    settings = CasesSettings(per_document=asked)
    sections = [
        section(n, kind="table" if n % 5 == 0 else "prose", flesch=None if n % 5 == 0 else float(n))
        for n in range(count)
    ]
    donors = [Candidate("b", (section(n, doc="b"),)) for n in range(lent)]
    plan = plan_document(record(), "x" * 5000, sections, donors, settings, 7)
    assert len(plan.slots) == asked and len({slot.id for slot in plan.slots}) == asked
    own = [
        one.ordinal for slot in plan.slots if slot.type != "rejection" and slot.primary for one in slot.primary.sections
    ]
    pool = {one.ordinal for one in (*plan.pool.complexity, *plan.pool.coverage)}
    assert len(own) == len(set(own)) and not pool & set(own)
    borrowed = [
        one.sections[0].ordinal
        for slot in plan.slots
        if slot.subtype == "cross_document"
        for one in ([slot.primary] if slot.primary else []) + list(slot.spares)
    ]
    assert len(borrowed) == len(set(borrowed))
    first = plan.slots[0]
    handed = [one.sections[0].ordinal for one in iter(lambda: plan.pool.take(first), None)]
    assert len(handed) == len(set(handed)) and not set(handed) & set(own)
    assert plan_document(record(), "x" * 5000, sections, donors, settings, 7).slots == plan.slots


@pytest.mark.parametrize(
    ("first", "second", "twin"),
    [
        ("How long is the log kept?", "how long  is the LOG kept", True),
        ("How long are the logs kept on board?", "How long is the log kept on board?", True),
        (
            "Which pressure must the main line have in mode 3?",
            "Which pressure must the main line have in mode 4?",
            False,
        ),
        ("What is the highest load of the northern crane?", "What is the highest load of the northern winch?", False),
        ("What is the colour of the hull paint?", "What is the color of the hull paint?", True),
        ("How long is the log kept?", "Who paints the hull of the ship?", False),
        ("Wann wird die Pumpe geöffnet?", "Wann werden die Pumpen geöffnet?", True),
    ],
)
def test_near_duplicates(first: str, second: str, twin: bool) -> None:
    questions = Questions(85)
    questions.add(first)
    language = "de" if first.startswith("Wann") else "en"
    assert (questions.near(second, language) == first) is twin


def test_sketches_tell_twins_from_strangers() -> None:
    words = [f"word{number}" for number in range(400)]
    whole, mostly = " ".join(words), " ".join([*words[:350], *(f"other{number}" for number in range(50))])
    stranger = " ".join(f"foreign{number}" for number in range(400))
    assert resemblance(sketch(whole), sketch(whole)) == 1.0 and resemblance(sketch(whole), sketch(stranger)) == 0.0
    # 346 of 446 shingles are shared: 0.776, give or take the sampling error of 128 draws.
    assert abs(resemblance(sketch(whole), sketch(mostly)) - 346 / 446) < 0.12
    assert are_twins(sketch(whole), sketch(mostly)) and not are_twins(sketch(whole), sketch(stranger))


def test_donors_speak_the_language_and_are_no_twins() -> None:
    text = " ".join(f"word{number}" for number in range(50))
    documents = [record("a"), record("twin"), record("german", "de"), record("other"), record("more", "en-GB")]
    sketches = {one.id: sketch(text if one.id in ("a", "twin") else text.replace("word", one.id)) for one in documents}
    donors = Donors(documents, sketches, lambda one: [section(n, doc=one.id) for n in range(4)], 7)
    lent = donors.candidates(documents[0], 6)
    assert {one.document_id for one in lent} == {"other", "more"} and len(lent) == 6
    assert len({(one.document_id, one.sections[0].ordinal) for one in lent}) == 6


def test_coverage_by_hand() -> None:
    sections = [section(n) for n in range(4)]
    case = Case(
        id="a/1", key="k", document_id="a", document_sha256="s", technique="ragtester", type="complexity",
        language="en", question="q", expected_answer="e", model="m", prompt_sha256="p", sections=(0, 2),
        evidence=(Evidence(start=10, end=60, pages=(1,)), Evidence(start=40, end=90, pages=(1, 2))),
    )  # fmt: skip
    found = coverage(record(characters=400), sections, [case])
    assert found["sections"] == {"covered": 2, "total": 4, "share": 0.5}
    assert found["characters"] == {"covered": 200, "total": 400, "share": 0.5}
    assert found["pages"] == {"covered": 2, "total": 4, "share": 0.5}
    # 10–60 and 40–90 are 80 characters together.
    assert found["evidence_characters"] == {"covered": 80, "total": 400, "share": 0.2}
    assert add([found, found])["sections"] == {"covered": 4, "total": 8, "share": 0.5}
    assert add([])["pages"]["share"] is None

"""The embedded writer: facts that stand in the text, documents that differ, wishes that are obeyed."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtester.errors import UsageError
from ragtester.models.embedded.writing import GENERAL, choose_subject, wanted_words, write_document
from ragtester.models.embedded.writing_subject import SLOT, subjects
from ragtester.settings import PROFILES
from ragtester.tasks import WriteDocument, WrittenDocument

LANGUAGES = {"English": "en", "German": "de"}


def write(**wishes: object) -> WrittenDocument:
    return write_document(WriteDocument.model_validate(wishes))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(PROFILES), st.sampled_from(sorted(LANGUAGES)))
def test_every_fact_stands_in_the_text(seed: int, profile: str, language: str) -> None:
    written = write(seed=seed, profile=profile, language=language)
    assert len(written.facts) >= 30
    for fact in written.facts:
        assert fact.value in written.markdown
        assert fact.subject
        assert fact.attribute
    assert not SLOT.search(written.markdown.split("```figure")[0])
    assert written.markdown.startswith(f"# {written.name}\n")


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(PROFILES))
def test_every_note_is_referred_to_and_every_reference_has_its_section(seed: int, profile: str) -> None:
    text = write(seed=seed, profile=profile).markdown
    marks = re.findall(r"\[\^(\d+)\](?!:)", text)
    notes = re.findall(r"^\[\^(\d+)\]:", text, re.M)
    assert marks == notes == [str(number) for number in range(1, len(notes) + 1)]
    headings = {int(number) for number in re.findall(r"^## (\d+) ", text, re.M)}
    assert {int(number) for number in re.findall(r"section (\d+)", text)} <= headings


def test_documents_hold_what_makes_reading_hard() -> None:
    kinds = {
        "footnote": r"\[\^1\]",
        "exception": r"\b(unless|except)\b",
        "superseded": r"Withdrawn",
        "reference": r"section \d",
    }
    for seed in range(len(subjects("en"))):
        text = write(seed=seed).markdown
        for kind, pattern in kinds.items():
            assert re.search(pattern, text), (seed, kind)


def test_superseded_and_present_values_differ() -> None:
    for seed in range(12):
        facts = write(seed=seed).facts
        present = {(fact.attribute, fact.value) for fact in facts if "(superseded)" not in fact.attribute}
        olds = [fact for fact in facts if fact.attribute.endswith(" (superseded)")]
        assert olds
        siblings_and_rules = {(fact.attribute.removesuffix(" (superseded)"), fact.value) for fact in olds}
        instances = {(f.attribute, f.value) for f in facts if f.subject in _places(facts)}
        assert not siblings_and_rules & (present - instances)


def _places(facts: tuple[object, ...]) -> set[str]:
    names = {name for data in subjects("en").values() for name in data["instances"]}
    return {getattr(fact, "subject", "") for fact in facts} & names


def test_siblings_have_different_values() -> None:
    for seed in range(8):
        facts = write(seed=seed).facts
        groups = [group for data in subjects("en").values() for group in data["siblings"]]
        group = next(group for group in groups if {fact.subject for fact in facts} >= set(group))
        for label in {fact.attribute for fact in facts if fact.subject == group[0]}:
            values = [{f.value for f in facts if f.attribute == label and f.subject == name} for name in group[:2]]
            if all(values):
                assert values[0] != values[1], label


def test_there_are_at_least_eight_subjects_and_seeds_reach_them_all() -> None:
    names = {choose_subject(WriteDocument(seed=seed), "en") for seed in range(40)}
    assert len(names) >= 8
    assert names == set(subjects("en")) - set(GENERAL.values())


@pytest.mark.parametrize(
    ("topic", "subject"),
    [
        ("Maintenance of lifts in hospitals buildings", "lifts"),
        ("bee keeping and honey", "bees"),
        ("the cold chain of vaccines", "coldchain"),
        ("hiring of musicians", "general"),
        ("loans of musical instruments", "general"),
    ],
)
def test_topics_find_their_subject(topic: str, subject: str) -> None:
    assert choose_subject(WriteDocument(topic=topic), "en") == subject


def test_topic_name_and_sections_are_obeyed() -> None:
    wanted = ("Opening", "Fees and refunds", "What to bring")
    written = write(seed=3, topic="hiring of musicians", name="Rules for Bands", sections=wanted)
    assert written.name == "Rules for Bands"
    assert "hiring of musicians" in written.markdown
    headings = re.findall(r"^## (?:\d+ )?(.+)$", written.markdown, re.M)
    assert [heading for heading in headings if heading in wanted] == list(wanted)


def test_hostile_wishes_stay_text() -> None:
    written = write(seed=1, topic="x {A:old} $y `z", name="# One\n# Two", sections=("a\nb", "{code:9}"))
    assert written.markdown.splitlines()[0] == "# One # Two"
    assert "## 2 a b" in written.markdown
    assert "{code:9}" in written.markdown


@pytest.mark.parametrize("words", [700, 1500, 3000, 6000])
def test_length_follows_the_wish(words: int) -> None:
    for seed in (1, 5):
        count = len(write(seed=seed, length=f"about {words} words").markdown.split())
        assert words * 0.6 < count < words * 1.5


def test_length_wishes_are_read() -> None:
    assert wanted_words("about 1,200 words") == 1200
    assert wanted_words("3 pages") == 3 * 420
    assert wanted_words("etwa 2 Seiten") == 2 * 420
    assert wanted_words("as long as needed") == 1500


def test_documents_of_one_subject_differ() -> None:
    texts = [write(seed=seed, topic="ferry").markdown for seed in range(6)]
    assert len(set(texts)) == 6
    lines = [{line for line in text.splitlines() if len(line) > 60} for text in texts]
    assert len(lines[0] & lines[1]) < 0.3 * len(lines[0])


def test_english_has_the_right_article_and_no_lonely_plural() -> None:
    for seed in range(40):
        text = write(seed=seed).markdown
        assert not re.search(r"\b[Aa] (Ardis|Avel|HX|MF|Institution|Instrument)\b", text)
        assert not re.search(r"(?<![\d.,])1 (hours|minutes|weeks|days|months|years|times|items)\b", text)


def test_profiles_shape_the_text() -> None:
    assert "```figure" in write(seed=2, profile="figures").markdown
    assert "Appendix B" in write(seed=2, profile="tables+running_headers").markdown
    assert "column heads are codes" in write(seed=2, profile="tables+running_headers").markdown


def test_unnumbered_structure_refers_by_title() -> None:
    text = write(seed=4, structure="plain headings").markdown
    assert not re.search(r"^## \d", text, re.M)
    assert "the section “" in text


def test_other_languages_are_a_clear_failure() -> None:
    with pytest.raises(UsageError, match="English and German, not French"):
        write(language="French")


def test_german_is_german() -> None:
    for seed in range(4):
        text = write(seed=seed, language="German").markdown
        assert not re.search(r"\b(the|and|of|section|Figure)\b", text.replace("```figure", ""))
        assert re.search(r"\d,\d|\d\.\d{3}|[äöüß]", text)


def test_the_same_request_gives_the_same_bytes_in_any_process() -> None:
    code = (
        "import sys; from ragtester.models.embedded.writing import write_document as w;"
        "from ragtester.tasks import WriteDocument as D; sys.stdout.buffer.write("
        "w(D(seed=11, profile='tables')).model_dump_json().encode())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed, "PATH": ""}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "4242")
    }
    assert len(outputs) == 1

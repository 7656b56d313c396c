"""Every chunker in every unit: exact spans, nothing left out, sizes kept, and what each of them promises besides."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from ragtester.errors import UsageError
from ragtester.rag.chunking import chunk, most_characters, places, version
from ragtester.rag.gold import Gold
from ragtester.records import Chunk, Document, Evidence
from ragtester.settings import IndexSettings
from ragtester.text.blocks import code_spans, table_spans

KINDS = ("recursive", "paragraph", "markdown", "sentence-window")
UNITS = ("characters", "tokens")
SIZE = 50

# Pieces that mean something to a chunker, in scripts with and without spaces.
PIECES = st.sampled_from(
    [
        "# Pump",
        "## 2.1 Start",
        "3.2 Stopping the pump",
        "Turn the key. Wait 5 seconds! Is it on?",
        "Parts:",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
        "| row of a long table | with long cells |\n" * 4,
        "```\nx = 1\n\ny = 2\n```",
        "```\nnever closed",
        "    indented()\n\n    code()",
        "1.5 2.5 3.5\n4 5 6",
        "- one\n- two",
        "水泵每年检查一次。请先断电！",
        "ปั๊มน้ำต้องตรวจทุกปี\u200bก่อนใช้งาน",
        "יש לכבות את המשאבה. המתן דקה.",
        "Page 3 of 9",
        "word" * 40,
        "caf\u00e9 e\u0301 \U0001f469\u200d\U0001f527",
        "\ufeff \u3000",
    ]
)
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from(["\n\n", "\n", " ", "\n \n", ""])), max_size=14).map(
    lambda parts: "".join(piece + end for piece, end in parts)
) | st.text(max_size=300)
OPTIONS = st.fixed_dictionaries(
    {
        "chunk_overlap": st.sampled_from([0, 20]),
        "window": st.sampled_from([0, 1, 3]),
        "keep_whole": st.sampled_from([(), ("table",), ("code",), ("table", "code")]),
        "strip_repeated": st.booleans(),
        "near_duplicate": st.sampled_from([0.0, 80.0]),
    }
)


def document(text: str, **more: Any) -> Document:
    values: dict[str, Any] = {
        "id": "manual",
        "path": "manual.md",
        "source": "manual",
        "format": "md",
        "sha256": "0",
        "text_sha256": "0",
        "language": "en",
        "characters": len(text),
        **more,
    }
    return Document(**values)


def cut(text: str, chunker: str = "recursive", *, of: dict[str, Any] | None = None, **index: Any) -> list[Chunk]:
    settings = {"chunker": chunker, "chunk_size": SIZE, "chunk_overlap": 0, **index}
    return chunk(document(text, **(of or {})), text, IndexSettings(**settings))


@cache
def llama() -> Tokenizer:
    found = importlib.util.find_spec("wordllama")
    assert found is not None and found.origin is not None
    file = Path(found.origin).parent / "tokenizers" / "l2_supercat_tokenizer_config.json"
    made: Tokenizer = Tokenizer.from_file(str(file))
    return made


def token_ends(text: str) -> list[int]:
    """Where each token of the text ends, by the tokenizer's own file."""
    plain = "".join("?" if "\ud800" <= character <= "\udfff" else character for character in text)
    return [end for _, end in llama().encode(plain, add_special_tokens=False).offsets]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("chunker", KINDS)
@settings(deadline=None, max_examples=60)
@given(text=TEXTS, options=OPTIONS)
def test_what_holds_for_every_chunk(chunker: str, unit: str, text: str, options: dict[str, Any]) -> None:
    chunks = cut(text, chunker, unit=unit, **options)
    assert chunks == cut(text, chunker, unit=unit, **options)
    assert [one.ordinal for one in chunks] == list(range(len(chunks)))
    assert len({one.id for one in chunks}) == len(chunks)
    left = {at for at, character in enumerate(text) if not character.isspace()}
    for one in chunks:
        assert text[one.start : one.end] == one.text == one.text.strip() != ""
        assert one.searched.strip()
        assert options["near_duplicate"] or not one.also
        left -= {at for start, end in places(one) for at in range(start, end)}
    assert not left


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("chunker", KINDS)
@settings(deadline=None, max_examples=60)
@given(text=TEXTS, options=OPTIONS)
def test_sizes_are_kept_but_for_what_is_whole(chunker: str, unit: str, text: str, options: dict[str, Any]) -> None:
    code = code_spans(text)
    whole = [
        *(code if "code" in options["keep_whole"] else []),
        *(table_spans(text, code) if "table" in options["keep_whole"] else []),
    ]
    ends = token_ends(text) if unit == "tokens" else list(range(1, len(text) + 1))
    chunks = cut(text, chunker, unit=unit, **options)
    for one in chunks:
        inside = [span for span in whole if text[slice(*span)].strip() in one.text]
        assert sum(one.start < end <= one.end for end in ends) <= SIZE or inside
        limit = most_characters(IndexSettings.model_validate({"chunker": chunker, "unit": unit, "chunk_size": SIZE}))
        assert whole or (limit is not None and len("".join(one.text.split())) <= limit)
    for span in whole:
        block = text[slice(*span)].strip()
        start = text.index(block, span[0])
        for one in chunks:
            assert one.end <= start or one.start >= start + len(block) or block in one.text


@pytest.mark.parametrize("chunker", KINDS)
@settings(deadline=None, max_examples=60)
@given(text=TEXTS, options=OPTIONS, data=st.data())
def test_evidence_always_has_a_gold_chunk(
    chunker: str, text: str, options: dict[str, Any], data: st.DataObject
) -> None:
    printed = [at for at, character in enumerate(text) if not character.isspace()]
    if printed:
        at = data.draw(st.sampled_from(printed))
        assert Gold(cut(text, chunker, **options)).ids([Evidence(start=at, end=at + 1)])


@pytest.mark.parametrize("chunker", KINDS)
def test_hostile_texts(chunker: str) -> None:
    for text in (
        "a" * 50_000,
        " " * 50_000 + "x",
        "\n" * 50_000 + "x",
        "```\n" * 3_000,
        "".join("~" * count + "\n" for count in range(300, 3, -1)),
        "|" * 50_000,
        "# a\n" * 3_000,
        "a:\n\n" * 3_000,
        "\ud800 lone\n" * 500,
    ):
        chunks = cut(text, chunker, keep_whole=("table", "code"), strip_repeated=True)
        assert all(text[one.start : one.end] == one.text for one in chunks)
        assert max(len(one.text) for one in chunks) <= max(SIZE, len(text) if code_spans(text) else 0)


@pytest.mark.parametrize("chunker", KINDS)
def test_nothing_gives_nothing(chunker: str) -> None:
    assert cut("", chunker) == cut(" \n\n\u3000", chunker) == []


def test_paragraphs_are_merged_while_they_fit() -> None:
    # 20 + 2 + 20 characters fit into 50, a third paragraph (2 + 20 more) does not.
    paragraphs = [f"paragraph {number:>2} is it!." for number in range(5)]
    assert {len(one) for one in paragraphs} == {20}
    found = [one.text for one in cut("\n\n".join(paragraphs), "paragraph", chunk_overlap=20)]
    assert found == ["\n\n".join(paragraphs[at : at + 2]) for at in (0, 2, 4)]


def test_a_long_paragraph_is_cut_as_recursive_cuts_it() -> None:
    long = "One two three. " * 9
    text = f"Short one here.\n\n{long}\n\nShort two here."
    found = [one.text for one in cut(text, "paragraph", chunk_overlap=15)]
    assert found == ["Short one here.", *(one.text for one in cut(long, chunk_overlap=15)), "Short two here."]


def test_no_chunk_crosses_a_heading_and_none_ends_with_one() -> None:
    text = (
        "# Pump\n\n## Start\n\nTurn the key to the right.\n\n## Stop\n\nTurn the key to the left. Wait until it stands"
        " still.\n\n## Oil"
    )
    found = [one.text for one in cut(text, "markdown")]
    assert found == [
        "# Pump\n\n## Start\n\nTurn the key to the right.",
        "## Stop\n\nTurn the key to the left.",
        "Wait until it stands still.",
        "## Oil",
    ]


def test_marks_in_code_are_no_headings() -> None:
    text = "# Install\n\nRun this:\n\n```\n# a comment\nmake\n```"
    assert [one.text for one in cut(text, "markdown", chunk_size=100)] == [text]


def test_numbered_headings_of_a_text_without_marks() -> None:
    parts = ["1.1 Purpose\n\nIt pumps water.", "1.2 Parts\n\nA motor and a wheel.", "1.3 Safety\n\nKeep dry"]
    of = {"format": "pdf"}
    assert [one.text for one in cut("\n\n".join(parts), "markdown", of=of, chunk_size=500)] == parts


def test_short_lines_alone_are_headings_where_nothing_is_marked_or_numbered() -> None:
    parts = ["Purpose\n\nIt pumps water.", "Parts\n\nThe pump consists of\n\nA motor\n\nand a wheel."]
    of = {"format": "pdf"}
    assert [one.text for one in cut("\n\n".join(parts), "markdown", of=of, chunk_size=500)] == parts


@pytest.mark.parametrize("chunker", ["paragraph", "markdown"])
def test_what_announces_something_stays_with_it(chunker: str) -> None:
    text = "It is large and heavy and blue.\n\nSyntax:\n\nset pump on\nset pump off"
    assert [one.text for one in cut(text, chunker)] == [
        "It is large and heavy and blue.",
        "Syntax:\n\nset pump on\nset pump off",
    ]


def test_a_heading_stays_with_a_long_announcement() -> None:
    # The announcement alone fills more than half a chunk: it may end one, the heading above it may not.
    text = "It is all in order.\n\n# Start\n\nTo start it in the morning turn this:\n\nset pump on"
    assert [one.text for one in cut(text, "paragraph")] == [
        "It is all in order.",
        "# Start\n\nTo start it in the morning turn this:",
        "set pump on",
    ]


def test_a_sentence_is_found_and_its_window_is_given() -> None:
    first, second, third, fourth = "It pumps water.", "It is blue.", "It weighs 5 kg.", "It is loud at night."
    text = f"{first} {second} {third}\n\n{fourth}"
    found = cut(text, "sentence-window", chunk_size=50, window=1)
    assert [one.searched for one in found] == [first, second, third, fourth]
    assert [one.text for one in found] == [
        f"{first} {second}",
        f"{first} {second} {third}",
        f"{second} {third}\n\n{fourth}",
        f"{third}\n\n{fourth}",
    ]
    # 15 + 1 + 11 + 1 + 15 + 2 + 20 = 65 characters: a window of two has no room on both sides.
    assert [one.text for one in cut(text, "sentence-window", chunk_size=50, window=2)][1] == f"{first} {second} {third}"
    alone = cut(text, "sentence-window", window=0)
    assert [(one.text, one.embedded) for one in alone] == [(one, "") for one in (first, second, third, fourth)]


def test_a_window_is_as_wide_as_the_text_at_most() -> None:
    sentences = [f"Pump {number} is blue." for number in "abcd"]
    text = " ".join(sentences)
    found = cut(text, "sentence-window", chunk_size=500, window=10**9)
    assert [(one.searched, one.text) for one in found] == [(one, text) for one in sentences]
    # 15 characters each: three sentences with their spaces are 47. One that stands alone on its side gets two there.
    found = cut(text, "sentence-window", chunk_size=50, window=10**9)
    assert [one.text.count("Pump") for one in found] == [3, 3, 3, 3]
    assert [one.text[:6] for one in found] == ["Pump a", "Pump a", "Pump b", "Pump b"]


def test_numbers_and_rules_are_no_sentences_of_their_own() -> None:
    found = cut("Read this.\n\n3.\n\n* * *\n\nThen that.", "sentence-window", window=0)
    assert [one.text for one in found] == ["Read this.\n\n3.\n\n* * *", "Then that."]


TABLE = "| part | price |\n| --- | --- |\n" + "".join(f"| wheel {number} | {number} EUR |\n" for number in range(9))


@pytest.mark.parametrize("chunker", KINDS)
def test_a_table_is_cut_unless_it_is_kept_whole(chunker: str) -> None:
    text = f"The prices are these.\n\n{TABLE}\nThey hold for a year."
    table = TABLE.strip()
    assert not any(table in one.text for one in cut(text, chunker, window=0))
    kept = [one.text for one in cut(text, chunker, window=0, keep_whole=("table",))]
    assert kept == ["The prices are these.", table, "They hold for a year."]


def test_a_small_table_stays_with_its_neighbours() -> None:
    text = "Prices:\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nDone."
    assert len(text) == 49
    for chunker in ("recursive", "paragraph", "markdown"):
        assert [one.text for one in cut(text, chunker, keep_whole=("table",))] == [text]


def test_a_heading_stays_with_its_large_table() -> None:
    text = f"All is well.\n\n# Prices\n\n{TABLE}"
    assert [one.text for one in cut(text, "markdown", keep_whole=("table",))] == [
        "All is well.",
        f"# Prices\n\n{TABLE.strip()}",
    ]


def test_a_row_that_looks_like_a_heading_does_not_cut_its_table() -> None:
    text = "Prices.\n\na | b\n--- | ---\n# 1 | 2\n3 | 4\n\n# End\n\nDone."
    assert [one.text for one in cut(text, "markdown", keep_whole=("table",))] == [
        "Prices.\n\na | b\n--- | ---\n# 1 | 2\n3 | 4",
        "# End\n\nDone.",
    ]


def test_numbers_below_a_large_table_do_not_grow_with_it() -> None:
    numbers = "\n\n".join(str(number) for number in range(100, 200))
    found = cut(f"{TABLE}\n{numbers}", "sentence-window", window=0, keep_whole=("table",))
    assert found[0].text == TABLE.strip()
    assert len(found) > 5 and all(len(one.text) <= SIZE for one in found[1:])


def test_the_version_names_what_the_cuts_depend_on() -> None:
    assert version(IndexSettings()) == "recursive-1"
    assert version(IndexSettings(chunker="sentence-window", keep_whole=("code",), near_duplicate=90)) == (
        "sentence-window-1+whole-1+alike-1"
    )
    tokens = version(IndexSettings(chunker="markdown", unit="tokens", strip_repeated=True))
    assert tokens.startswith("markdown-1+wordllama-") and tokens.endswith("+repeated-1")
    assert cut("One.", "markdown")[0].chunker == "markdown-1"


def test_chunks_are_stamped() -> None:
    one = cut("abc")[0]
    # FIPS 180-2, appendix B.1.
    assert one.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert one.id == "manual:ba7816bf:0"


@pytest.mark.parametrize("chunker", KINDS)
def test_an_overlap_as_large_as_the_chunk_is_refused(chunker: str) -> None:
    with pytest.raises(UsageError, match="chunk_overlap"):
        cut("text", chunker, chunk_overlap=50)


def test_tokens_are_those_of_the_shipped_tokenizer() -> None:
    # "▁water" is one token of Llama 2's vocabulary, so 120 times the word are 120 tokens: 50, 50 and 20.
    text = "water " * 120
    assert [len(one.text.split()) for one in cut(text, unit="tokens")] == [50, 50, 20]


@pytest.mark.parametrize("chunker", KINDS)
@pytest.mark.parametrize("name", ["camlidl", "redp5110_sampled", "amc-ja"])
def test_real_manuals(shared_pdfs: Path, tmp_path: Path, name: str, chunker: str) -> None:
    from ragtester.documents.reading import read_file

    read = read_file(shared_pdfs / f"{name}.pdf")
    text, of = read.text, {"format": "pdf", "page_starts": read.page_starts}
    options: dict[str, Any] = {"keep_whole": ("table", "code"), "near_duplicate": 95, "chunk_size": 600}
    chunks = cut(text, chunker, of=of, **options)
    assert len(chunks) > 20
    left = {at for at, character in enumerate(text) if not character.isspace()}
    for one in chunks:
        assert text[one.start : one.end] == one.text and one.pages
        left -= {at for start, end in places(one) for at in range(start, end)}
    assert not left
    code = code_spans(text)
    for start, end in [*code, *table_spans(text, code)]:
        touched = [one for one in chunks if one.start < end and start < one.end]
        assert all(text[start:end].strip() in one.text for one in touched)

"""Words, folding, cleaning, stems, languages, sentences and overlap."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.text.languages import decimal_comma, name, stop_words
from ragtester.text.normalise import clean, fold
from ragtester.text.overlap import lexical_overlap, rouge_l, stem_f1
from ragtester.text.sentences import sentence_spans, sentences
from ragtester.text.stems import stems
from ragtester.text.words import estimate_tokens, words

PROSE = """The officer of the watch keeps a proper look-out at all times by sight and hearing as well as by all
available means. Before the vessel leaves the berth, the steering gear is tested and the result is written into the
log book. If the main engine does not respond within thirty seconds, the duty engineer is called and the anchor is made
ready. Fuel samples are drawn during every bunkering, sealed, labelled and kept on board for at least twelve months.
Nobody enters an enclosed space without a permit, a second person at the entrance and a working oxygen meter."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("L'eau n'est pas froide", ["l", "eau", "n", "est", "pas", "froide"]),
        ("don't, the ship's 3.5 m", ["don't", "the", "ship's", "3.5", "m"]),
        ("fire\u2010fighting O\ufb03ce STRASSE Straße", ["fire", "fighting", "office", "strasse", "strasse"]),
        ("我们今天 ok", ["我们", "们今", "今天", "ok"]),
        ("水", ["水"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("!?", []),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("\u201cx\u201d \u2014 5\u202fmm", '"x" - 5 mm'),
        ("co\u00adoperate", "cooperate"),
        ("ﬁre", "FIRE"),
        ("it’s  a\n\ttest", "it's a test"),
        ("１２ｋｇ", "12kg"),
    ],
)
def test_fold_makes_spellings_equal(one: str, two: str) -> None:
    assert fold(one) == fold(two)


@given(st.text())
def test_fold_twice_is_fold_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_clean_text_can_be_stored(text: str) -> None:
    found = clean(text)
    found.encode("utf-8")
    assert "\x00" not in found and "\r" not in found
    assert clean(found) == found


def test_clean_joins_pairs_and_keeps_line_ends() -> None:
    assert clean("a\ud83d\ude00b\ud800c\x00\x07d\r\ne\tf\rg") == "a😀bcd\ne\tf\ng"


def test_stems_meet_inflections_and_drop_stop_words() -> None:
    assert stems("The logs were kept", "en") == stems("keeping the log", "en")[::-1]
    assert stems("Pumpen", "de") == stems("Pumpe", "de")
    assert stems("the pump", "en", keep_stop_words=True) == ["the", "pump"]
    assert stems("some Text", "xx") == ["some", "text"]


def test_stop_words_hold_no_answers() -> None:
    assert stop_words("xx") == frozenset()
    for word in ("not", "no", "six", "above", "front", "room", "open"):
        assert word not in stop_words("en")
    assert "nicht" not in stop_words("de") and "und" in stop_words("de")


def test_language_names_and_decimal_marks() -> None:
    assert (name("de"), name("pt-BR"), name("xx")) == ("German", "Portuguese", "xx")
    assert decimal_comma("de") and not decimal_comma("en") and not decimal_comma("zh")


def test_token_estimate_is_near_a_real_tokenizer_on_english_prose() -> None:
    import wordllama
    from tokenizers import Tokenizer

    path = Path(wordllama.__file__).parent / "tokenizers" / "l2_supercat_tokenizer_config.json"
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    real = len(tokenizer.encode(PROSE, add_special_tokens=False).ids)
    assert 0.75 * real <= estimate_tokens(PROSE) <= 1.25 * real


def test_token_estimate_of_other_scripts() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("日志保存六年") == 6
    assert estimate_tokens("слово слово") > 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("valves", 1),
        ("pumproom", 2),  # eight letters: six and two
        ("ab\u00e9cd", 1 + 1 + 1),  # two Latin runs, one other letter
        ("12 345", 3),  # five digits, two a token
        ("\u0661\u0662\u00b2", 2),  # Arabic-Indic digits and a superscript are digits
        ("a, b; c!", 3 + 3),
        (" \t\n\u3000\u2028\x1c", 0),
        ("\ud800\x00", 1),  # two characters of no kind
    ],
)
def test_token_estimate_by_hand(text: str, expected: int) -> None:
    assert estimate_tokens(text) == expected


@given(st.text(max_size=40), st.text(max_size=40))
def test_token_estimate_grows_with_the_text(one: str, other: str) -> None:
    whole = estimate_tokens(one + " " + other)
    assert estimate_tokens(one) <= whole <= estimate_tokens(one) + estimate_tokens(other)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (
            "See Fig. 3 for 3.5 bar. Dr. J. Smith said so! Why? Because.",
            "en",
            ["See Fig. 3 for 3.5 bar.", "Dr. J. Smith said so!", "Why?", "Because."],
        ),
        ("Am 3. Mai wird geprüft. Z. B. hier.", "de", ["Am 3. Mai wird geprüft.", "Z. B. hier."]),
        ("水は冷たい。次です！終わり？はい", "ja", ["水は冷たい。", "次です！", "終わり？", "はい"]),
        ("One line\nwraps on. Two\n\nThree", "en", ["One line\nwraps on.", "Two", "Three"]),
        ("Do:\n- one\n- two. More.", "en", ["Do:", "- one", "- two.", "More."]),
        ("1. Open it. 2. Close it.", "en", ["1. Open it.", "2. Close it."]),
        ("He said \u201cGo.\u201d Then he went.", "en", ["He said \u201cGo.\u201d", "Then he went."]),
        ("Scope of Work\nThis part tells.", "en", ["Scope of Work", "This part tells."]),
        (
            "It is frozen. mRNA is kept. pH is 7. e-ID holders sign.",
            "en",
            ["It is frozen.", "mRNA is kept.", "pH is 7.", "e-ID holders sign."],
        ),
        (
            "Keep it at approx. pH 7. Wow! iPads work. the rest",
            "en",
            ["Keep it at approx. pH 7.", "Wow!", "iPads work. the rest"],
        ),
        ("यह पहला है। यह दूसरा है।", "hi", ["यह पहला है।", "यह दूसरा है।"]),
    ],
)
def test_sentences(text: str, language: str, expected: list[str]) -> None:
    assert sentences(text, language) == expected


@given(st.text(alphabet="ab .!?\n\t-1。"))
def test_sentence_spans_hold_every_word_once_and_cross_no_blank_line(text: str) -> None:
    spans = sentence_spans(text, "en")
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one[1] <= two[0] for one, two in pairwise(spans))
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
    assert all("\n\n" not in text[start:end] for start, end in spans)


def test_lexical_overlap_is_a_share_of_the_questions_stems() -> None:
    assert lexical_overlap("Which pump runs?", "The pumps are red.", "en") == 0.5
    assert lexical_overlap("the of and", "x", "en") == 0.0


def test_rouge_l_and_stem_f1_by_hand() -> None:
    # LCS of "pump runs hot" and "pump is hot": pump, hot -> 2 * 2 / 6.
    assert rouge_l("pump runs hot", "pump is hot", "en") == pytest.approx(2 / 3)
    # content stems {pump, run} and {pump, blue}: one shared of two each.
    assert stem_f1("the pump runs", "a pump: blue", "en") == pytest.approx(0.5)
    assert rouge_l("", "x", "en") == stem_f1("", "", "en") == 0.0

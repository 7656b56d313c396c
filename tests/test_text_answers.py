"""Keyword match and abstentions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.text.keywords import keyword_match
from ragtester.text.refusal import is_refusal

PHRASES = ("Insufficient information to answer this question", "I don't know")


@pytest.mark.parametrize(
    ("keyword", "answer", "language"),
    [
        ("fire-fighting", "the firefighting pump", "en"),
        ("Firefighting", "FIRE\u2011FIGHTING", "en"),
        ("logs", "the log is kept", "en"),
        ("1.5 m", "150 cm high", "en"),
        ("six years", "kept 6 years", "en"),
        ("1,000 kg", "1000 kilograms", "en"),
        ("EN-81", "see EN 81", "en"),
        ("office", "the o\ufb03ce", "en"),
        ("Rettungsboot", "die Rettungsboote", "de"),
        ("1.500 Euro", "1500 €", "de"),
        ("银灰色", "船体颜色是银灰色。", "zh"),
        ("C++", "written in C++", "en"),
    ],
)
def test_keywords_found(keyword: str, answer: str, language: str) -> None:
    assert keyword_match((keyword,), answer, language) == ("true", ())


@pytest.mark.parametrize(
    ("keyword", "answer"),
    [
        ("art", "start the engine"),
        ("1.5 m", "1.5 cm"),
        ("5", "15 men"),
        ("six years", "six months"),
        ("chief engineer", "the chief told the engineer"),
        ("engine room", "room for an engine"),
        ("x", ""),
    ],
)
def test_keywords_missing(keyword: str, answer: str) -> None:
    assert keyword_match((keyword,), answer, "en") == ("false", (keyword,))


def test_a_part_of_the_keywords() -> None:
    assert keyword_match(("pump", "valve", "pump"), "the pump", "en") == ("partially", ("valve",))
    assert keyword_match((), "anything", "en") == ("true", ())


@given(st.lists(st.sampled_from(["pump", "valve", "5 mm", "six years"]), max_size=4), st.text(max_size=40))
def test_missing_keywords_are_keywords(keywords: list[str], answer: str) -> None:
    rating, missing = keyword_match(tuple(keywords), answer, "en")
    assert set(missing) <= set(keywords)
    assert (rating == "true") == (not missing)
    assert (rating == "false") == (bool(keywords) and len(missing) == len(set(keywords)))


ABSTENTIONS = {
    "en": [
        "I don't know.",
        "I don\u2019t know. The manual does not say.",
        "Insufficient information to answer this question",
        "I'm sorry, but I can't answer that; the document does not mention the hull colour.",
        "Not specified in the manual.",
        "There is no mention of a hull colour.",
        "I do not know the hull colour, the number of coats, or the thickness.",
        "The text does not specify the colour. It only covers engine maintenance. Please consult the maker.",
        "Based on the provided sections, there is not enough information to answer the question [d1-3].",
        "Unknown.",
        "N/A",
    ],
    "de": [
        "Dazu steht nichts im Handbuch.",
        "Das geht aus dem Dokument nicht hervor.",
        "Ich weiß es nicht.",
        "Keine Ahnung.",
    ],
    "fr": ["Je ne sais pas.", "Le document ne précise pas la couleur.", "Le texte ne contient pas la réponse."],
    "es": ["No lo sé.", "El manual no menciona el color."],
    "it": ["Non lo so.", "Il documento non specifica il colore."],
    "pt": ["Não sei.", "Não há informação suficiente."],
    "nl": ["Ik weet het niet.", "Het handboek vermeldt dit niet."],
    "sv": ["Jag vet inte.", "Det framgår inte av texten."],
    "pl": ["Nie wiem.", "Brak informacji na ten temat."],
    "ru": ["Не знаю.", "В документе нет информации о цвете.", "Текст не содержит ответа."],
    "tr": ["Bilmiyorum."],
    "zh": ["我不知道。", "文中没有提到颜色。"],
    "ja": ["わかりません。", "マニュアルには記載がありません。"],
    "ko": ["모르겠습니다."],
    "ar": ["لا أعرف."],
    "vi": ["Tôi không biết."],
    "hi": ["मुझे नहीं पता।"],
}


@pytest.mark.parametrize(
    ("language", "answer"), [(code, text) for code, texts in ABSTENTIONS.items() for text in texts]
)
def test_abstentions(language: str, answer: str) -> None:
    assert is_refusal(answer, PHRASES, language)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Silver grey.",
        "I don't know for sure, but it is most likely silver grey.",
        "I don't know, probably grey.",
        "The manual does not say, it is silver grey.",
        "The hull is painted silver grey. I don't know more.",
        "It is kept for six years, not ten.",
        "The width is 5 m; the height is not specified.",
        "The pump does not contain oil.",
        "Access is not permitted.",
        "No smoking is allowed.",
        "The crew does not know the code until departure; it is 4711.",
        "Ich weiß es nicht genau, aber vermutlich grau.",
        "Je ne sais pas, mais c'est probablement gris.",
        "不是六年，是十年",
        "Раствор не содержит хлора.",
        "La boîte ne contient pas d'eau.",
        "Het product bevat geen noten.",
        "Nádrž neobsahuje vodu.",
    ],
)
def test_what_asserts_something_is_no_abstention(answer: str) -> None:
    assert not is_refusal(answer, PHRASES, "en")


def test_phrases_of_the_user_help() -> None:
    assert not is_refusal("Computer says no.", PHRASES, "en")
    assert is_refusal("Computer says no.", ("Computer says no",), "en")
    assert not is_refusal("Computer says no. It is grey.", ("Computer says no",), "en")

"""Which passages may speak of a claim's subject, and which texts say that sources disagree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.text.disagreement import tells_of_disagreement
from ragtester.text.subjects import shares_subject, subject, without_quantities


def test_a_subject_is_what_is_left_without_values_and_small_words() -> None:
    assert subject("The pump P-7 runs at 3 bar.", "en") == {"pump", "run", "p7"} | subject("P-7", "en")
    assert without_quantities("from 3 bar to 14 days", "en").split() == ["from", "to"]


@pytest.mark.parametrize(
    ("claim", "text", "language", "shares"),
    [
        ("The refund window is 30 days.", "A refund window of 14 days applies.", "en", True),
        ("The refund window is 30 days.", "Cats sleep for 30 days.", "en", False),
        ("30 days.", "Anything at all.", "en", True),  # a bare value may be about anything
        ("Das Hallenbad Oberau ist geschlossen.", "Hallenbad: geöffnet", "de", True),
        # of six subject words two are a third
        ("Annual plan customers ask billing support.", "The billing of an annual fee", "en", True),
        ("Annual plan customers ask billing support.", "The billing of a fee", "en", False),
    ],
)
def test_which_passages_are_asked_about_a_claim(claim: str, text: str, language: str, shares: bool) -> None:
    assert shares_subject(claim, text, language) is shares


@given(st.text(max_size=80))
def test_a_text_always_speaks_of_its_own_subject(claim: str) -> None:
    assert shares_subject(claim, claim, "en")


@pytest.mark.parametrize(
    ("text", "language", "tells"),
    [
        ("The two sections contradict each other.", "en", True),
        ("Another section gives 14 days.", "en", True),
        ("According to another section, it is 14 days.", "en", True),
        ("According to the manual, it is 14 days.", "en", False),
        ("The older version names 14 days.", "en", True),
        ("The draft of June says 0.50 EUR.", "en", True),
        ("However, the pump needs oil.", "en", False),
        ("But the fee is 5 EUR.", "en", False),
        ("The other pump runs at 5 bar.", "en", False),
        ("Die Abschnitte widersprechen sich.", "de", True),
        ("Ein anderer Abschnitt nennt 14 Tage.", "de", True),
        ("Die frühere Fassung nennt den 15. März.", "de", True),
        ("Aber die Pumpe braucht Öl.", "de", False),
        ("Une autre section donne 14 jours.", "fr", True),
        ("Otra sección dice 14 días.", "es", True),
        ("Un'altra sezione dice 14 giorni.", "it", True),
        ("Outra seção diz 14 dias.", "pt", True),
        ("Een andere sectie noemt 14 dagen.", "nl", True),
        ("The sections contradict each other.", "ja", False),  # no phrases are known for it
    ],
)
def test_which_texts_say_that_sources_disagree(text: str, language: str, tells: bool) -> None:
    assert tells_of_disagreement(text, language) is tells

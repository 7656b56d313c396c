"""Quantities: numbers, units, dates, money; and what is none."""

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.text.quantities import codes, quantities, same_quantity


def values(text: str, language: str = "en") -> list[tuple[float, str]]:
    return [(float(one.value), one.unit) for one in quantities(text, language)]


def equal(one: str, two: str, language: str = "en", other: str = "") -> bool:
    first, second = quantities(one, language), quantities(two, other or language)
    assert len(first) == len(second) == 1, (first, second)
    return same_quantity(first[0], second[0])


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("1,000.5 and 1 000 and 0.125", "en", [1000.5, 1000, 0.125]),
        ("1.000,5 und 1.500 und 0,125 und 1.5", "de", [1000.5, 1500, 0.125, 1.5]),
        ("1,5 et 2 500", "fr", [1.5, 2500]),
        ("½ and 1½ and 3 1/2 and 1/4", "en", [0.5, 1.5, 3.5, 0.25]),
        ("six, twenty-five and a dozen", "en", [6, 25, 12]),
        ("fünfundzwanzig", "de", [25]),
        ("vingt et un", "fr", [21]),
        ("treinta y dos", "es", [32]),
        ("2 million", "en", [2_000_000]),
        ("٣٫٥", "ar", [3.5]),
        ("1.2.3 is a section", "en", []),
    ],
)
def test_numbers(text: str, language: str, expected: list[float]) -> None:
    assert [value for value, _ in values(text, language)] == expected


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("1.5 m", "150 cm"),
        ("5mm", "5 millimetres"),
        ("3.5 bar", "350 kPa"),
        ("24 hours", "1 day"),
        ("six years", "72 months"),
        ("23 °F", "-5 °C"),
        ("110 degrees", "110 °C"),
        ("50 %", "50 percent"),
        ("$3 million", "3,000,000 USD"),
        ("2 kg", "2000 g"),
        ("12 March 2024", "2024-03-12"),
        ("March 12, 2024", "12.03.2024"),
        ("2:30 pm", "14:30"),
    ],
)
def test_the_same_in_other_spellings(one: str, two: str) -> None:
    assert equal(one, two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("5 mW", "5 MW"),
        ("5 m", "5"),
        ("1.5 m", "1.5 cm"),
        ("5 °C", "-5 °C"),
        ("12 March 2024", "12 March 2023"),
        ("14:30", "2:30"),
        ("5 EUR", "5 USD"),
        ("100 m", "100.5 m"),
    ],
)
def test_different_quantities(one: str, two: str) -> None:
    assert not equal(one, two)


def test_a_date_without_a_year_agrees_with_any_year() -> None:
    assert equal("12 March", "12 March 2024")


def test_ranges_share_their_unit() -> None:
    assert values("10-20 mm") == [(0.01, "m"), (0.02, "m")]
    assert values("between 10 and 20 °C") == [(10, "°C"), (20, "°C")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("EN-81", {"en81"}),
        ("see EN 81-20", {"en8120"}),
        ("v2.3", {"v23"}),
        ("A4 paper", {"a4"}),
        ("ISO 9001", {"iso9001"}),
    ],
)
def test_identifiers_are_no_quantities(text: str, found: set[str]) -> None:
    assert quantities(text, "en") == []
    assert codes(text, "en") == found


def test_units_are_no_identifiers_and_articles_no_numbers() -> None:
    assert codes("230V/50Hz and 5mm", "en") == set()
    assert values("one of the pumps") == []
    assert values("a third one accompanies it") == values("one can see") == values("the one valve") == []
    assert values("needs one person") == [(1, "")]
    assert values("one week") == [(604800, "s")]
    assert values("six second-hand pumps") == [(6, "")]


def test_chinese_and_japanese() -> None:
    assert values("日志保存六年，压力3.5bar。", "zh") == [(72, "month"), (350000, "Pa")]
    assert values("2024年3月12日", "zh") == [(20240312, "date")]
    assert values("二十五分間です", "ja") == [(1500, "s")]


@given(st.text())
def test_spans_lie_in_the_text_in_order(text: str) -> None:
    found = quantities(text, "en")
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= two.start for one, two in pairwise(found))


@given(st.decimals(min_value=Decimal("0.01"), max_value=999, places=2))
def test_a_written_number_is_read_back_in_both_conventions(value: Decimal) -> None:
    assert quantities(f"about {value} kg", "en")[0].value == value
    assert quantities(f"etwa {str(value).replace('.', ',')} kg", "de")[0].value == value


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        ("99.9 %", "99.95 %", False),
        ("99.90 %", "99.9 percent", True),
        ("1,000 EUR", "1,001 EUR", False),
        ("1.2 million EUR", "€1,200,000", True),
        ("1000 m", "1.0005 km", True),  # to 0.1 %: one of the two may have been converted
    ],
)
def test_shares_and_money_are_compared_exactly(first: str, second: str, equal: bool) -> None:
    one, two = quantities(first, "en")[0], quantities(second, "en")[0]
    assert same_quantity(one, two) is equal

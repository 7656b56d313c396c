"""Written numbers: separators by language, fractions, multipliers, and small number words."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation

from ragtester.text.languages import base, decimal_comma
from ragtester.text.normalise import listed

_SPACE = "\u0020\u00a0\u2009\u202f\u2007"
VULGAR = {char: unicodedata.numeric(char) for char in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"}
_GROUPED = rf"\d{{1,3}}(?:[{_SPACE}]\d{{3}})+(?!\d)(?:[.,]\d+)?"
NUMBER = re.compile(
    rf"(?P<grouped>{_GROUPED})|(?P<mixed>\d+[{_SPACE}]\d/\d{{1,2}}(?![\d/]))|(?P<fraction>\d/(?:2|3|4|8|16|32)(?![\d/.]))"
    rf"|(?P<plain>\d+(?:[.,'’]\d+)*(?P<vulgar>[{''.join(VULGAR)}])?)|(?P<alone>[{''.join(VULGAR)}])"
)
MULTIPLIERS = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "millions": 10**6, "billion": 10**9, "tausend": 1000,
    "millionen": 10**6, "mio": 10**6, "mio.": 10**6, "milliarden": 10**9, "milliarde": 10**9, "mrd": 10**9,
    "mrd.": 10**9, "mille": 1000, "milliards": 10**9, "milliard": 10**9, "mil": 1000, "millones": 10**6,
    "millón": 10**6, "milhões": 10**6, "万": 10**4, "億": 10**8, "亿": 10**8,
}  # fmt: skip
_WORDS = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
    "siebzehn achtzehn neunzehn zwanzig",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept "
    "dix-huit dix-neuf vingt",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
    "diecisiete dieciocho diecinueve veinte",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
}
# "one", "a" and their like are articles more often than counts: they count only before a unit.
ONLY_BEFORE_UNITS = frozenset(listed("one a an eins ein eine einem einen einer un une uno una zero null once"))


def digits_to_ascii(text: str) -> str:
    """Digits of any script as 0-9, and full-width marks as plain ones; the length stays."""
    if text.isascii():
        return text
    return "".join(_ascii(char) if not char.isascii() else char for char in text)


def _ascii(char: str) -> str:
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    if "\uff01" <= char <= "\uff5e":
        return chr(ord(char) - 0xFEE0)
    return {"\u2212": "-", "\u066b": ".", "\u066c": ","}.get(char, char)


def parse(match: re.Match[str], language: str) -> Decimal | None:
    """Value of a `NUMBER` match; None where the digits make no number ("1.2.3")."""
    if match["alone"]:
        return _fraction(match["alone"])
    if match["mixed"] or match["fraction"]:
        whole, _, part = match.group().replace("\u00a0", " ").rpartition(" ")
        top, _, bottom = part.partition("/")
        return Decimal(whole or 0) + Decimal(top) / Decimal(bottom)
    text = match["grouped"] or match["plain"]
    extra = Decimal(0)
    if match["vulgar"]:
        extra, text = _fraction(match["vulgar"]), text[:-1]
    value = _separated(re.sub(rf"[{_SPACE}'’]", "", text), language)
    return None if value is None else value + extra


def _fraction(char: str) -> Decimal:
    return Decimal(str(VULGAR[char]))


def _separated(text: str, language: str) -> Decimal | None:
    """Read points and commas: the last of two kinds is the decimal mark; alone, groups of three follow the language."""
    marks = [char for char in text if char in ".,"]
    if len(set(marks)) == 2:
        decimal = marks[-1]
        if marks.count(decimal) > 1:
            return None
    elif len(marks) > 1:
        if not re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", text):
            return None
        decimal = ""
    elif marks:
        grouping = "." if decimal_comma(language) else ","
        three = re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", text)
        decimal = "" if three and marks[0] == grouping else marks[0]
    else:
        decimal = ""
    plain = "".join("." if char == decimal else char for char in text if char.isdigit() or char == decimal)
    try:
        return Decimal(plain)
    except InvalidOperation:
        return None


def number_words(language: str) -> dict[str, int]:
    """Words for 0 to 99 in English, German, French and Spanish, and dozens; empty for other languages."""
    code = base(language)
    return _TABLES.get(code, {})


def _table(code: str) -> dict[str, int]:
    small = {word: value for value, word in enumerate(listed(_WORDS[code]))}
    tens = {word: (place + 2) * 10 for place, word in enumerate(listed(_TENS[code]))}
    table = {**tens, **small}
    for ten, value in tens.items():
        for unit in range(1, 10):
            word = listed(_WORDS[code])[unit]
            joined = {
                "en": (f"{ten}-{word}", f"{ten} {word}"),
                "de": (f"{'ein' if unit == 1 else word}und{ten}",),
                "fr": (f"{ten} et {word}" if unit == 1 else f"{ten}-{word}", f"{ten} {word}"),
                "es": (f"{ten} y {word}",),
            }[code]
            table.update(dict.fromkeys(joined, value + unit))
    if code == "en":
        table |= {"a dozen": 12, "half a dozen": 6, "one": 1, "hundred": 100, "one hundred": 100, "a hundred": 100}
    if code == "de":
        table |= {"ein": 1, "eine": 1, "einem": 1, "einen": 1, "einer": 1, "hundert": 100, "dreissig": 30}
    if code == "fr":
        table |= {"une": 1, "cent": 100}
    if code == "es":
        table |= {"una": 1, "cien": 100}
    return table


_TABLES = {code: _table(code) for code in _WORDS}

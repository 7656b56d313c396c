"""Words that are written in several ways, in one: "half an hour" is "0.5 hour", "non-stick" is "nonstick"."""

from __future__ import annotations

import re

_WHOLE = {
    "en": ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    "de": ("ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn"),
    "fr": ("une?", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"),
    "es": ("una?", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"),
}
_UNIT = {
    "en": r"(?:hours?|minutes?|days?|weeks?|months?|years?|met(?:re|er)s?|kilomet(?:re|er)s?|lit(?:re|er)s?|tonnes?|"
    r"kilograms?|kilos?|grams?|miles?|inch(?:es)?|pounds?)",
    "de": r"(?:Stunden?|Minuten?|Tage?|Wochen?|Monate?|Jahre?|Meter|Kilometer|Liter|Tonnen?|Kilo(?:gramm)?|Gramm)",
    "fr": r"(?:heures?|minutes?|jours?|semaines?|mois|ans?|années?|mètres?|kilomètres?|litres?|tonnes?|kilos?)",
    "es": r"(?:horas?|minutos?|días?|semanas?|mes(?:es)?|años?|metros?|kilómetros?|litros?|toneladas?|kilos?)",
}
_PERCENT = {
    "en": (
        (r"three[- ]quarters of(?! an?\b)", "75 % of"),
        (r"two[- ]thirds of", "66.67 % of"),
        (r"(?:one|a)[- ](?:quarter|fourth) of(?! an?\b)", "25 % of"),
        (r"(?:one|a)[- ]third of", "33.33 % of"),
        (r"by (?:one|a) third\b", "by 33.33 %"),
        (r"by (?:one|a) quarter\b", "by 25 %"),
        (r"by (?:one )?half\b", "by 50 %"),
        (r"(?:one )?half of (?!an?\b)", "50 % of "),
    ),
    "de": (
        (r"drei Viertel (?=der|des|aller)", "75 % "),
        (r"zwei Drittel (?=der|des|aller)", "66,67 % "),
        (r"ein Viertel (?=der|des|aller)", "25 % "),
        (r"ein Drittel (?=der|des|aller)", "33,33 % "),
        (r"(?:die )?Hälfte (?=der|des|aller)", "50 % "),
        (r"um ein Viertel\b", "um 25 %"),
        (r"um ein Drittel\b", "um 33,33 %"),
        (r"um die Hälfte\b", "um 50 %"),
    ),
    "fr": (
        (r"trois quarts (?=de|du)", "75 % "),
        (r"deux tiers (?=de|du)", "66,67 % "),
        (r"un quart (?=des|du|de la|de l')", "25 % "),
        (r"un tiers (?=de|du)", "33,33 % "),
        (r"(?:la )?moitié (?=de|du)", "50 % "),
    ),
    "es": (
        (r"tres cuartas partes (?=de)", "75 % "),
        (r"dos tercios (?=de)", "66,67 % "),
        (r"(?:un cuarto|una cuarta parte) (?=de (?!hora))", "25 % "),
        (r"(?:un tercio|una tercera parte) (?=de)", "33,33 % "),
        (r"(?:la )?mitad (?=de)", "50 % "),
    ),
}


def _halves(code: str) -> tuple[tuple[str, str], ...]:
    """Patterns of "two and a half hours", "half an hour", "three quarters of an hour" with their figures."""
    unit = _UNIT[code]
    numbers = list(enumerate(_WHOLE[code], start=1))
    if code == "en":
        return (
            *((rf"{word} and a half (?={unit}\b)", f"{number}.5 ") for number, word in numbers),
            *((rf"{word} ({unit}) and a half\b", rf"{number}.5 \1") for number, word in numbers),
            *((rf"{word} ({unit}) and a quarter\b", rf"{number}.25 \1") for number, word in numbers),
            (rf"an? ({unit}) and a half\b", r"1.5 \1"),
            (rf"three[- ]quarters of an? (?={unit}\b)", "0.75 "),
            (rf"(?:a )?quarter of an? (?={unit}\b)", "0.25 "),
            (rf"(?:half an?|half of an?|a half) (?={unit}\b)", "0.5 "),
            (r"(?:a )?fortnight\b", "2 weeks"),
        )
    if code == "de":
        return (
            *((rf"{word}einhalb (?={unit}\b)", f"{number},5 ") for number, word in numbers),
            (rf"anderthalb (?={unit}\b)", "1,5 "),
            (rf"(?:eine[rn]? )?halbe[rnms]? (?={unit}\b)", "0,5 "),
            (r"(?:eine[r]? )?Dreiviertelstunde\b", "0,75 Stunden"),
            (r"(?:eine[r]? )?Viertelstunde\b", "0,25 Stunden"),
        )
    joined = {"fr": r"et demie?", "es": r"y medi[ao]"}[code]
    return (
        *((rf"{word} ({unit}) {joined}\b", rf"{number},5 \1") for number, word in numbers),
        *(
            (
                (r"(?:une )?demi-heure\b", "0,5 heure"),
                (r"trois quarts d['’]heure\b", "0,75 heure"),
                (r"(?:un )?quart d['’]heure\b", "0,25 heure"),
            )
            if code == "fr"
            else (
                (r"media hora\b", "0,5 horas"),
                (r"tres cuartos de hora\b", "0,75 horas"),
                (r"(?:un )?cuarto de hora\b", "0,25 horas"),
            )
        ),
    )


_PATTERNS = {
    code: [(re.compile(rf"\b{before}", re.I), after) for before, after in (*_halves(code), *_PERCENT[code])]
    for code in _WHOLE
}
_CLOCK = re.compile(r"\b([01]?\d|2[0-3]) ?h ?([0-5]\d)\b(?! ?min)")
_PREFIXED = re.compile(r"\b(non|counter|anti)-(?=[a-z])", re.I)
_HOURS = re.compile(
    r"\b(\d{1,2}) ?(?:h|hours?|Stunden?|Std\.|heures?|horas?),? ?(?:and |und |et |y )?(\d{1,2}) ?(?=min)"
)
_ANY = re.compile(
    r"half|quarter|third|fourth|fortnight|halb|viertel|drittel|hälfte|demi|quart|tiers|moitié|media?o?\b|cuart|"
    r"terci|tercera|mitad",
    re.I,
)


def _in_minutes(found: re.Match[str]) -> str:
    return f"{int(found[1]) * 60 + int(found[2])} "


def spelled_out(text: str, code: str) -> str:
    """A text with fractions in words as figures and words with a denying prefix without its hyphen.

    English, German, French and Spanish; hours with minutes become minutes. All else stays as it is.
    """
    if code == "fr":
        text = _CLOCK.sub(r"\1:\2", text)
    if code == "en":
        text = _PREFIXED.sub(r"\1", text)
    text = _HOURS.sub(_in_minutes, text)
    if code not in _PATTERNS or not _ANY.search(text):
        return text
    for pattern, after in _PATTERNS[code]:
        text = pattern.sub(after, text)
    return text

# ruff: noqa: E501 - word lists
"""The last resort: a search query for what a sentence states, where no pattern takes the sentence apart.

A quantity, a name or the last noun is hidden; the query is made of the words that say what the sentence is about, and
of what kind of thing is looked for. Such a fact is asked in the style `keyword` only: a query needs no grammar.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from ragtester.models.embedded.answer_words import nouns
from ragtester.models.embedded.english_subject import BE, MODALS, parse
from ragtester.models.embedded.english_words import VERB_FORMS
from ragtester.models.embedded.facts import Found
from ragtester.text.languages import stop_words
from ragtester.text.quantities import Quantity, quantities
from ragtester.text.stems import stems

KIND = "value"
_WIDE = frozenset({"ja", "zh", "ko"})
_ORDER = ("date", "time", "duration", "money", "percent", "temperature", "length", "speed", "mass", "number")
_LABELS = {
    "en": "date|time of day|how long|price|percentage|temperature|distance or size|speed|weight|how many",
    "de": "Datum|Uhrzeit|wie lange|Preis|Prozentsatz|Temperatur|Länge|Geschwindigkeit|Gewicht|wie viele",
    "fr": "date|heure|durée|prix|pourcentage|température|longueur|vitesse|poids|combien",
    "es": "fecha|hora|duración|precio|porcentaje|temperatura|longitud|velocidad|peso|cuántos",
    "it": "data|ora|durata|prezzo|percentuale|temperatura|lunghezza|velocità|peso|quanti",
    "pt": "data|hora|duração|preço|percentagem|temperatura|comprimento|velocidade|peso|quantos",
    "nl": "datum|tijdstip|hoe lang|prijs|percentage|temperatuur|lengte|snelheid|gewicht|hoeveel",
    "ru": "дата|время|сколько времени|цена|процент|температура|длина|скорость|вес|сколько",
    "ja": "日付はいつ|時刻は何時|期間はどのくらい|価格はいくら|割合は何パーセント|温度は何度|長さはどのくらい|速度はどのくらい|重さはどのくらい|数値はいくつ",
    "zh": "具体日期是哪天|具体时间是几点|需要多长时间|价格是多少|百分比是多少|温度是多少|长度是多少|速度是多少|重量是多少|数值是多少",
    "ko": "날짜는 언제|시각은 언제|기간은 얼마나|가격은 얼마|비율은 얼마|온도는 얼마|길이는 얼마|속도는 얼마|무게는 얼마|값은 얼마",
}
_DETAILS = {
    "en": "details", "de": "Einzelheiten", "fr": "précisions", "es": "detalles", "it": "dettagli", "pt": "pormenores",
    "nl": "bijzonderheden", "ru": "подробности", "ja": "についての詳しい説明", "zh": "具体内容是什么", "ko": "자세한 설명",
}  # fmt: skip
_UNITS = {"s": "duration", "month": "duration", "°C": "temperature", "m": "length", "m/s": "speed", "kg": "mass"}
# Openings that only the sentence before makes clear.
_DANGLING = {
    "en": "it they this these that those he she both such there here then we i you one its their so but and or if not see",
    "de": "sein seine ihr ihre es sie dies diese dieser dieses er beide solche dort hier dann wir ich so aber und oder damit dabei dafür danach das dazu siehe",
    "fr": "il elle ils elles ce cela ceci ces cette cet on nous je là ici alors mais et ou cependant ainsi leur son sa y voir",
    "es": "esto este esta estos estas ello él ella ellos ellas aquí allí entonces pero y o su sus nosotros véase",
    "it": "questo questa questi queste esso essa essi esse qui lì allora ma e o suo sua noi vedi ciò",
    "pt": "isto isso este esta estes estas ele ela eles elas aqui ali então mas e ou seu sua nós ver",
    "nl": "dit dat deze die het hij zij ze hier daar dan maar en of wij we zie",
    "ru": "это этот эта эти он она оно они здесь там тогда но и или мы я такой такая такие их его её см",
}
_SPLIT = {
    "zh": re.compile(r"[^\u4e00-\u9fff]+|[的是在和与或有不了把被对从到为以及等这那其它该可将会能要使用于中]"),
    "ja": re.compile(r"[^\u30a0-\u30ff\u4e00-\u9fffA-Za-z_.]+"),
    "ko": re.compile(r"[^\uac00-\ud7afA-Za-z]+"),
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_][\w-]*[^\W_]|[^\W\d_]{3,}")
_LABEL = re.compile(r"^(?:[^\W\d][^:.,;]{2,28} : |Примечание: |注記\s*)")
_POINTING = re.compile(r"この|その|これ|それ|上記|下記|以下|次の|前述|ここで|这|那个|上述|如下|下面|上面")
LABELS = {code: dict(zip(_ORDER, row.split("|"), strict=True)) for code, row in _LABELS.items()}


@dataclass(frozen=True)
class _Hidden:
    text: str
    start: int
    label: str


def salient(line: str, code: str, common: Counter[str]) -> Found | None:
    """A query for the quantity, name or noun that the sentence gives; None where it gives none or leans on others."""
    line = _LABEL.sub("", line) if _LABEL.match(line) else line
    if code not in LABELS or _leans(line, code):
        return None
    hidden = _quantity(line, code) or _noun(line, code)
    if hidden is None:
        return None
    about = _about(line, hidden, code, common)
    if len(about) < (2 if code in _WIDE or hidden.label else 3):
        return None
    return Found(KIND, {"S": " ".join(about), "L": hidden.label or _DETAILS[code]}, hidden.text, line)


def has_verb(line: str) -> bool:
    """Whether an English sentence has a finite verb; title lines have none."""
    return any(word in BE or word in MODALS or word in VERB_FORMS for word in line.lower().split()[1:])


def _leans(line: str, code: str) -> bool:
    if code in _WIDE:
        return bool(_POINTING.search(line))
    if code == "de" and re.search(r"\b(?:dort|dessen|deren)\b", line):
        return True
    first = re.split(r"[\s,'’]", line, maxsplit=1)[0].lower()
    return first in _DANGLING.get(code, "").split()


def _quantity(line: str, code: str) -> _Hidden | None:
    found = [one for one in quantities(line, code) if any(c.isdigit() for c in line[one.start : one.end])]
    told = [one for one in found if one.kind != "number" or one.unit] or [
        one for one in found if _counts(line, one, code)
    ]
    if not told:
        return None
    one = told[-1]
    value = line[one.start : one.end]
    label = LABELS[code]["money" if "pound" in value else _kind(one)]
    return _Hidden(value, one.start, label)


def _counts(line: str, number: Quantity, code: str) -> bool:
    """Whether a bare number counts the plural noun after it ("2.340 Anlieferungen"), and is no part of a name ("Haus 8")."""
    after = re.match(r" ([^\W\d_]{4,})", line[number.end :])
    name = re.search(r"[A-ZÄÖÜ]\w* $", line[: number.start])
    plural = after and (
        after[1][0].isupper() if code == "de" else after[1].endswith(("s", "x", "i", "e", "en", "ов", "ей"))
    )
    return bool(plural) and not name and number.value > 12


def _kind(quantity: Quantity) -> str:
    if quantity.kind in ("date", "time", "money", "percent"):
        return quantity.kind
    return _UNITS.get(quantity.unit, "number")


def _noun(line: str, code: str) -> _Hidden | None:
    """The last noun of the sentence, the likeliest to be new; in scripts without spaces the last run of one script."""
    if code in _WIDE:
        runs = [run for run in _SPLIT[code].split(line) if 2 <= len(run) <= 16]
        return _Hidden(runs[-1], line.rfind(runs[-1]), "") if len(runs) >= 3 and len(set(runs)) == len(runs) else None
    half = len(line) // 3
    found = [noun for noun in nouns(line, code) if line.rfind(noun) > half and line.count(noun) == 1 and len(noun) > 3]
    return _Hidden(found[-1], line.rfind(found[-1]), "") if found else None


def _about(line: str, hidden: _Hidden, code: str, common: Counter[str]) -> list[str]:
    """Up to four words of the sentence's own, in its order: its first noun, the rarest one, and two frequent ones."""
    rest = line[: hidden.start] + " · " + line[hidden.start + len(hidden.text) :]
    if code in _WIDE:
        found = [run for run in _SPLIT[code].split(rest) if 2 <= len(run) <= 10 and run not in hidden.text]
        return list(dict.fromkeys(found))[:3]
    if code == "en" and (query := _subject_first(line, hidden, common)):
        return query
    taken = set(stems(hidden.text, code, keep_stop_words=True))
    first = nouns(rest, code)
    words = [word for word in _WORD.findall(rest) if word.lower() not in stop_words(code) and len(word) >= 3]
    words = [word for word in words if stems(word, code) and not set(stems(word, code)) & taken]
    if code == "en":
        words = [
            word for word in words if word.lower() not in VERB_FORMS and not word.lower().endswith(("ed", "ing", "ly"))
        ]
    unique = list({stems(word, code)[0]: word for word in reversed(words)}.values())[::-1]
    known = [word for word in unique if word in first]
    if len(known) < 2 and code != "de" and (code != "en" or hidden.label):
        known = unique
    order = sorted(known[1:], key=lambda word: (common[stems(word, code)[0]], known.index(word)))
    # Rare words alone would make retrieval trivial: one of them, and the words that the passage keeps coming back to.
    chosen = {*known[:1], *order[:1], *order[-2:]}
    return [word for word in unique if word in chosen]


def _subject_first(line: str, hidden: _Hidden, common: Counter[str]) -> list[str]:
    """The subject of an English sentence without its article, and the rarest noun beside it; nothing where it has none."""
    clause = parse(line, frozenset())
    if clause is None or hidden.text in clause.subject or not 2 <= len(clause.subject.split()) <= 6:
        return []
    subject = re.sub(r"^(?:the|an?|each|every|all) ", "", clause.subject, flags=re.I).split()
    held = {*stems(clause.subject, "en"), *stems(hidden.text, "en")}
    beside = [noun for noun in nouns(clause.rest, "en") if not set(stems(noun, "en")) & held]
    beside.sort(key=lambda noun: common[stems(noun, "en")[0]])
    return [*subject, *beside[:1]]

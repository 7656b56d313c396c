# ruff: noqa: E501, SIM905 - word lists
"""The words that an answer cannot do without: quantities, names and codes, then the nouns that carry it."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from ragtester.text.languages import stop_words
from ragtester.text.quantities import quantities
from ragtester.text.stems import stems
from ragtester.text.words import words

_WEAK = frozenset(
    """little sure able many several various first last next left right start end called asked perhaps good better best
    other different same kind later early long short large small whole part parts thing things number numbers way ways
    necessary possible available special common general whether either neither rather instead together along around
    already certain need needs want make makes made take taken given done work works begin only more most less much
    such like means kind well easily often always never even also still just both each every some any none all otherwise suitable
    reasonably unless until except provided however therefore thus hence anyway elsewhere somewhere everywhere anything
    everything something nothing nobody somebody everybody anyone someone everyone respectively accordingly compared
    case cases example time times people person user users value values about after before again against almost within
    without under over between through during toward towards upon across beside besides because since while where when
    which that this these those what whose whom there here then than them they their must should shall would could might
    itself himself themselves another others fact order use used using uses particular information detail details true false null aujourd said longer shorter higher lower larger smaller
    result results reason reasons point points form forms sort sorts side sides rest end ends top bottom line""".split()
)
_NOT_NOUN = re.compile(r"(?:ly|ing|ed|able|ible|ful|less|ous|ive|ical|ish|ary|ant|ent)$")
_NOUN_AFTER_ALL = re.compile(
    r"(?:building|heating|lighting|setting|meeting|training|warning|packaging|speed|seed|feed|need|table|cable|variable|bed"
    r"|document|component|environment|argument|statement|element|equipment|department|management|development|requirement|event"
    r"|client|agent|current|content|percent|accident|patient|president|student|account|plant|constant|restaurant|tenant"
    r"|library|directory|dictionary|boundary|summary|binary|january|february|drive|archive|directive|motive|objective|instrument"
    r"|treatment|payment|measurement|adjustment|movement|moment|segment|comment|government|agreement|shipment|family|supply"
    r"|reply|assembly|(?:^|-)(?:ring|spring|wing|king|string|thing)|ceiling|opening|bearing|coating|casing|housing|parking|rating|reading|recording)$"
)
_FUNCTION = re.compile(
    r"^(?:of|for|in|from|to|with|on|under|at|by|between|without|into|within|and|or|that|which|is|are|was|were|has|have|can"
    r"|may|must|should|will|when|if|while|as|than|before|after|but|until|unless|through|via|per|during|over|who|whose)$"
)
_DETERMINER = re.compile(r"^(?:the|an?|each|every|no|all|its|their|one|two|three|any|some)$")
_NAMED = re.compile(r"[/.]?\w[\w./+-]*[A-Z\d_/.+-][\w./+-]*\w|[A-Z][\w+-]*\w|/\w[\w/.-]*\w")
_ABBREVIATION = re.compile(r"^(?:e\.g|i\.e|etc|vs|cf|z\.B|d\.h|p\.ex|bzw|usw|ca)\.?$", re.I)
_CLAUSE_END = re.compile(r"[\u4e00-\u9fff]{2}(?=[，。、；]|$)")
_CONTENT = re.compile(
    r"[A-Za-z][\w.-]*\w|[\u30a1-\u30fc]{3,}|[\u4e00-\u9fff]{2,}|[^\W\d_\u3040-\u30ff\u4e00-\u9fff][^\W_\u3040-\u30ff\u4e00-\u9fff'’-]*[^\W_\u3040-\u30ff\u4e00-\u9fff]"
)
# Endings of Russian verbs, adjectives, participles and adverbs.
_RU_OTHER = re.compile(
    r"(?:ть|ться|[еиую]т|[уюая]тся|[еи]тся|[ая]т|[аиыуе]л[аио]?|[аеи]йте|[ыио]й|[ая]я|[ое]е|[ыи]е|[ыи]х|[ыи]м|[ыи]ми|[ое]го|[ое]му|ую|юю"
    r"|но|ся|сь|ли|ва|ом?у|огда|оторо?\w+)$"
)
_AFTER_ARTICLE = {
    "fr": re.compile(
        r"(?:\b(?:le|la|les|un|une|des|du|de|d['’]|aux?|ces?|cette|leurs?|ses)\s+|\b[ld]['’])([a-zà-ÿœ-]{4,})", re.I
    ),
    "es": re.compile(r"\b(?:el|la|los|las|un|una|unos|unas|del|al|de)\s+([a-zà-ÿñ-]{4,})", re.I),
    "it": re.compile(
        r"(?:\b(?:il|lo|la|i|gli|le|un|uno|una|del|della|dei|delle|degli|al|alla|nel|nella|di)\s+|\b(?:l|un|dell|all|nell)['’])([a-zà-ÿ-]{4,})",
        re.I,
    ),
    "pt": re.compile(r"\b(?:o|a|os|as|um|uma|do|da|dos|das|no|na|ao|à|de)\s+([a-zà-ÿç-]{4,})", re.I),
    "nl": re.compile(r"\b(?:de|het|een)\s+(?:[a-z]+e\s+)?([a-z-]{4,})", re.I),
}


def keywords_of(value: str, asked: str, common: Counter[str], language: str, limit: int = 3) -> tuple[str, ...]:
    """The words of `value` that an answer cannot do without, as they stand there: quantities, names, its nouns.

    Nothing that the question holds already is a keyword. Where quantities or names are there, one noun at most joins
    them; without any, two nouns.
    """
    known = set(stems(asked, language, keep_stop_words=True)) | set(words(asked))
    chosen: list[str] = []
    plain = value
    told = quantities(value, language)
    # A bare number ("pillar 8") is the value only where no other quantity is.
    measured = [one for one in told if one.unit or one.kind != "number"] or told
    for quantity in told:
        text = value[quantity.start : quantity.end]
        if quantity.unit or any(character.isdigit() for character in text):
            if quantity in measured:
                _add(chosen, text, known, language)
            plain = plain[: quantity.start] + " " * len(text) + plain[quantity.end :]
    for match in _NAMED.finditer(plain):
        word = match.group().strip(".,;:")
        sentence_start = match.start() == 0 and word[1:].islower()
        if any(character.isalpha() for character in word) and not _ABBREVIATION.match(word) and not sentence_start:
            _add(chosen, word, known, language)
    if len(chosen) < limit - 1:
        for word in _ranked(plain, common, language):
            if len(chosen) >= (1 if chosen and told else max(1, limit - 1)):
                break
            if len(word) >= (2 if ord(word[0]) > 0x3000 else 4):
                _add(chosen, word, known, language)
    return tuple(sorted(chosen[:limit], key=value.find))


def _ranked(value: str, common: Counter[str], language: str) -> list[str]:
    """The nouns of the value in their order, then its other content words, those that the passages repeat least first."""
    first = nouns(value, language)
    # Chinese has no mark between words: the end of a clause is the likeliest to be one.
    pattern = _CLAUSE_END if language == "zh" else _CONTENT
    rest = [word for word in pattern.findall(value) if stems(word, language) and word not in first]
    weak = weak_words_of(language)
    rest = [
        word for word in rest if word.lower() not in weak and not (language == "en" and word.endswith(("ly", "ing")))
    ]
    rest.sort(key=lambda word: (common[stems(word, language)[0]], -len(word)))
    return [*first, *rest]


def nouns(text: str, language: str) -> list[str]:
    """What is most probably a noun: by its capital (German), the article before it (Romance, Dutch), or its place."""
    if language == "de":
        # The first word has a capital whatever it is; verbs there end in "t".
        first = re.match(r"[A-ZÄÖÜ]\w*t\b", text)
        text = text[first.end() :] if first else text
        found = re.findall(r"(?<![.!?] )(?<!^)\b[A-ZÄÖÜ][\wäöüß-]{3,}", f"x {text}" if text[:1].isupper() else text)
        return [word for word in found if stems(word, "de")]
    if language == "ru":
        return [
            word for word in re.findall(r"[А-Яа-яЁё-]{5,}", text) if not _RU_OTHER.search(word) and stems(word, "ru")
        ]
    if language in _AFTER_ARTICLE:
        weak = stop_words(language)
        return [word for word in _AFTER_ARTICLE[language].findall(text) if word.lower() not in weak]
    return _english_nouns(text) if language == "en" else []


def _english_nouns(text: str) -> list[str]:
    """Words that end a noun phrase: before a preposition, a conjunction, a finite verb, a comma or the end."""
    from ragtester.models.embedded.english_words import VERB_FORMS

    tokens = text.split()
    weak, found = weak_words_of("en"), list[str]()
    for place, token in enumerate(tokens):
        word = token.strip(".,;:()\"'“”?!")
        after = tokens[place + 1].lower() if place + 1 < len(tokens) else ""
        before = tokens[max(0, place - 3) : place]
        led = any(_DETERMINER.match(one.lower()) for one in before) and not any(one in VERB_FORMS for one in before)
        ends = token[-1:] in ".,;:)" or not after or _FUNCTION.match(after) or (led and after in VERB_FORMS)
        if not ends or len(word) < 3 or not word[:1].isalpha() or not stems(word, "en"):
            continue
        low = word.lower()
        adjective = _NOT_NOUN.search(low) and not _NOUN_AFTER_ALL.search(low)
        thing = low not in weak or (led and low in VERB_FORMS)
        if thing and not adjective and not _FUNCTION.match(low):
            found.append(word)
    return found


@lru_cache(maxsize=8)
def weak_words_of(language: str) -> frozenset[str]:
    """Words that carry little of an answer: verbs' forms, adjectives that have a synonym, everyday words."""
    from ragtester.models.embedded.english_words import GENERIC, PARTICIPLES, VERB_FORMS
    from ragtester.models.embedded.rewording import weak_words

    if language != "en":
        return weak_words(language) | _WEAK
    kept = frozenset(
        "directory directories package packages command commands project application algorithm parameter".split()
    )
    return (weak_words("en") | _WEAK | PARTICIPLES | GENERIC | frozenset(VERB_FORMS)) - kept


def _add(chosen: list[str], word: str, known: set[str], language: str) -> None:
    parts = set(stems(word, language, keep_stop_words=True))
    fresh = stems(word, language) and not parts & known
    repeated = any(parts & set(stems(other, language)) for other in chosen)
    if fresh and not repeated and (len(word) > 1 or word.isdigit()):
        chosen.append(word)

"""Word lists of the embedded check of claims: what forbids, what makes a condition, what excludes what."""

from __future__ import annotations

import re
from functools import lru_cache

from ragtester.models.embedded.claim_likes import ADJECTIVES, EXCLUDING, LIKE, MORE_OPPOSITES
from ragtester.models.embedded.judging_words import NEGATORS, OPPOSITES
from ragtester.text.normalise import listed
from ragtester.text.stems import stem

_NEGATORS = {
    "en": "not no never none neither nor cannot nobody nothing avoid avoids avoided",
    "de": "nicht kein keine keinen keiner keinem keines nie niemals weder nichts",
    "fr": "pas jamais aucun aucune non rien ni",
    "es": "no nunca ningún ninguna jamás nada ni",
    "it": "non mai nessun nessuna né",
    "pt": "não nunca nem nenhum nenhuma",
    "nl": "niet geen nooit",
    "ru": "не нет никогда",
}


def negators(code: str) -> frozenset[str]:
    """Words that deny in a language; all that are known where the language has no list ("mai" is May in German)."""
    return frozenset(listed(_NEGATORS[code])) if code in _NEGATORS else NEGATORS - WITHOUT


WEAK = frozenset(
    listed(
        "get gets got during within throughout während pendant durante tijdens pflicht "
        "mandatory compulsory obligatory obligatoire obligatorio obligatoria obbligatorio "
        "verplicht amount amounts equal equals comes goes becomes became become one per on off up down until over "
        "under before after beträgt betragen liegt steht erfolgt gilt vor nach über unter avant après antes "
        "después antes depois prima dopo voor na до после lies stands there allowed permitted forbidden "
        "prohibited banned erlaubt gestattet verboten untersagt autorisé autorisés autorisée autorisées interdit "
        "interdits interdite interdites permitido permitida prohibido prohibida vietato consentito toegestaan "
        "verboden"
    )
)
"""Verbs that say no more than "is" or "may", and prepositions: they count only against their opposites."""
FOCUS = re.compile(
    r"\b(?:only|nur|seulement|uniquement|sólo|solo|solamente|soltanto|alleen|apenas|somente|только)\b",
    re.I,
)
"""What they stand with is all of the clause."""
WITHOUT = frozenset(listed("without ohne sans sin senza zonder sem utan uden без"))
FORBIDDING = re.compile(
    r"\b(?:forbid\w*|prohibit\w*|banned|disallow\w*|impermissible|verboten\w*|untersagt\w*|unzulässig\w*|interdit\w*|"
    r"défendu\w*|prohibid\w*|proibid\w*|vietat\w*|proibit\w*|verboden|förbjud\w*|forbudt|zabronion\w*|запрещ\w*)\b|禁止",
    re.I,
)
# They limit a value, or deny nothing.
LIMITING = re.compile(
    r"\b(?:(?:must|may|shall|should|can|do|does) ?not (?:be )?(?:more|less|fewer|later|earlier|higher|lower|longer|"
    r"exceed|weigh more|weigh less)\b(?: than)?|(?:no|not) (?:more|less|fewer|later|earlier|higher|lower|longer) than|"
    r"not exceed\w*|not only|not just|nicht (?:mehr|weniger|länger|höher|später) als|nicht über(?:schreiten|steigen)?|"
    r"nicht nur|pas plus de|pas seulement|ne (?:doit|peut|doivent) pas dépasser|no más de|no solo|não mais de|"
    r"non più di|niet meer dan|не (?:более|менее|выше|ниже))\b",
    re.I,
)
# A fact that stands under one of these holds only so far. Not after a comma: ", when" goes on with the story.
CONDITION = re.compile(
    r"(?<!\bas)\b(?:if|unless|provided|only|except|as long as|in case|subject to|where the|when the|when it|"
    r"falls|sofern|wenn|nur|außer|solange|es sei denn|vorausgesetzt|bei Bedarf|"
    r"si|sauf|seulement|uniquement|à condition|lorsque|salvo|sólo|solo|solamente|únicamente|siempre que|a menos que|"
    r"se|soltanto|purché|tranne|alleen|mits|tenzij|indien|als|apenas|somente|desde que|exceto|если|только|кроме)\b"
    r"|如果|仅|只",
    re.I,
)
# Words before a quantity that make it a limit.
COMPARING = re.compile(
    r"\b(?:more than|less than|over|under|above|below|at least|at most|older than|younger than|up to|mehr als|"
    r"weniger als|über|unter|bis(?: zu)?|mindestens|höchstens|plus de|moins de|jusqu'à|más de|menos de|hasta|più di|"
    r"meno di|fino a|minori di|meer dan|minder dan|tot|mais de|até|не (?:более|менее)|более|менее)\s*$",
    re.I,
)


@lru_cache(maxsize=32)
def excluding(code: str) -> dict[str, int]:
    """Stem to the number of its group; two of one group exclude each other. "May" is a verb too, and left out."""
    groups = enumerate(EXCLUDING.replace("\n", " ").split("|"))
    found = [(word, number) for number, group in groups for word in listed(group) if (word, code) != ("may", "en")]
    return {stem(word, code): number for word, number in found}


def _degrees(word: str) -> list[str]:
    root = word.removesuffix("e").removesuffix("y")
    link = "i" if word.endswith("y") else ""
    return [word, f"{root}{link}er", f"{root}{link}est", f"{word}{word[-1]}er", f"{word}{word[-1]}est"]


@lru_cache(maxsize=32)
def opposites(code: str) -> dict[str, frozenset[str]]:
    """Stem to the stems that say the opposite, in one language's stems."""
    table: dict[str, set[str]] = {}
    for word, others in OPPOSITES.items():
        table.setdefault(stem(word, code), set()).update(stem(other, code) for other in others)
    for one, other in _pairs(MORE_OPPOSITES):
        table.setdefault(stem(one, code), set()).add(stem(other, code))
    if code == "en":
        for one, other in _pairs(ADJECTIVES):
            for first, second in zip(_degrees(one), _degrees(other), strict=True):
                table.setdefault(stem(first, code), set()).add(stem(second, code))
    return {word: frozenset(others - {word}) for word, others in table.items()}


@lru_cache(maxsize=32)
def alike(code: str) -> dict[str, frozenset[str]]:
    """Stem to the stems that say about the same."""
    table: dict[str, set[str]] = {}
    for one, other in _pairs(LIKE):
        table.setdefault(stem(one, code), set()).add(stem(other, code))
    return {word: frozenset(others) for word, others in table.items()}


def _pairs(table: str) -> list[tuple[str, str]]:
    groups = [listed(group) for group in table.replace("\n", " ").split("|")]
    return [(one, other) for group in groups for one in group for other in group if one != other]


# Sentences that speak to whoever checks, or about claims and verdicts: they state nothing of the matter.
SPEAKS_TO_CHECKER = re.compile(
    r"\b(?:ignore|disregard|forget|ignoriere\w*|ignorez|ignora|vergiss)\b.{0,30}\b(?:instructions?|rules?|prompts?|above|"
    r"anweisung\w*|regeln|instrucciones|consignes|règles)\b"
    r"|\b(?:answer|reply|respond|mark|rate|grade|antworte\w*|bewerte\w*|répond\w*|responde)\b.{0,40}"
    r"\b(?:supported|unsupported|contradicted)\b"
    r"|\b(?:claims?|statements?|behauptung\w*|aussagen?|affirmations?|afirmaci\w+)\b.{0,120}"
    r"\b(?:(?:is|are|sind|ist|est|sont|es|son)\b.{0,20}\b(?:true|verified|supported|correct|wahr|belegt|richtig|vraie?s?|"
    r"correct[ao]s?)|have been (?:checked|verified))\b"
    r"|<\s*/?\s*(?:passages?|claims?|answer|question|cited|evidence)\b"
    r"|\b(?:system message|grader|note to the (?:checker|judge|grader|reviewer))\b",
    re.I | re.S,
)

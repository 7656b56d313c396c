"""Word lists of the embedded check of claims: what forbids, what makes a condition, what excludes what."""

from __future__ import annotations

import re
from functools import lru_cache

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
        "get gets got pflicht mandatory compulsory obligatory obligatoire obligatorio obligatoria obbligatorio "
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
# Words of which one excludes the others: another weekday is another fact.
_EXCLUDING = """
monday tuesday wednesday thursday friday saturday sunday |
january february march april may june july august september october november december |
montag dienstag mittwoch donnerstag freitag samstag sonntag montags dienstags mittwochs donnerstags freitags samstags
sonntags |
januar februar märz april mai juni juli august september oktober november dezember |
lundi mardi mercredi jeudi vendredi samedi dimanche |
janvier février mars avril mai juin juillet août septembre octobre novembre décembre |
lunes martes miércoles jueves viernes sábado domingo |
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre |
lunedì martedì mercoledì giovedì venerdì sabato domenica |
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre |
maandag dinsdag woensdag donderdag vrijdag zaterdag zondag |
segunda terça quarta quinta sexta sábado domingo |
red green blue yellow black white orange brown purple pink grey | rot grün blau gelb schwarz weiß orange braun grau |
rouge vert bleu jaune noir blanc gris | rojo verde azul amarillo negro blanco gris |
spring summer autumn winter | frühling sommer herbst winter | north south east west | nord süd ost west |
first second third fourth fifth sixth | daily weekly monthly yearly quarterly annually |
täglich wöchentlich monatlich jährlich vierteljährlich | steel aluminium plastic wood brass copper
"""
_MORE_OPPOSITES = """
outward inward | outside in inside | außerhalb innerhalb in | mandatory optional | enabled off | activated off |
disabled on | deactivated on | minimum maximum | lowest highest | smallest largest | shortest longest | slowest
fastest | shorter longer | lighter heavier | earlier later | succeed precede | free chargeable | heat cool | gain lose
| welcome unwelcome banned | male female | hoch niedrig gering | hohe niedrige geringe | höher niedriger tiefer |
länger kürzer | schneller langsamer | kalt warm heiß | trocken nass feucht | voll leer | hinten vorne vorn | innen
außen | vorher nachher | aktiviert deaktiviert | eingeschaltet ausgeschaltet | links rechts | steigen sinken fallen |
öffnet schließt | erster letzter | früher später | geöffnet geschlossen | ouverts fermés | haut bas | chaud froid |
allumé éteint | activé désactivé | inclus exclu | supérieur inférieur | dessus dessous | premier dernier | abierto
cerrado | alto bajo | frío caliente | encendido apagado | primero último | aperto chiuso | prima dopo | caldo freddo |
acceso spento | obbligatorio facoltativo | obligatoire facultatif | obligatorio opcional | verpflichtend freiwillig |
open gesloten dicht | voor na | warm koud | aan uit | links rechts | aberto fechado | antes depois | quente frio |
открыт закрыт | до после | выше ниже
"""
_LIKE = """
hire rent | last final | delete remove erase | keep store retain | receive get obtain | employee staff worker | begin
start commence | end finish | cost price | need require | buy purchase | permit allow | show display | repair fix mend
| clean wash | replace exchange swap substitute change | pick collect fetch | refund reimburse repay | lamp light bulb
| switch turn | illness sickness sick disease | certificate attestation | contain hold include comprise | older age |
refill top replenish | enable activate switch turn | disable deactivate switch turn | error fault malfunction | device
unit appliance | deliver supply | operate run | weekly week | monthly month | yearly annual year annually | kosten
preis | benutzen verwenden nutzen gebrauchen | ersetzen austauschen wechseln erneuern | beginnen starten anfangen |
enden aufhören | reinigen säubern putzen | enthalten beinhalten umfassen | bezahlen zahlen | kostenlos umsonst gratis
unentgeltlich | gerät apparat | fehler störung defekt | erlaubt gestattet zulässig | aufstellen stehen | erhalten
bekommen | fahren reisen | gratuit gratuitement | commencer débuter | coûter prix | utiliser employer | usar utilizar
| costar precio | empezar comenzar
"""


@lru_cache(maxsize=32)
def excluding(code: str) -> dict[str, int]:
    """Stem to the number of its group; two of one group exclude each other. "May" is a verb too, and left out."""
    groups = enumerate(_EXCLUDING.replace("\n", " ").split("|"))
    found = [(word, number) for number, group in groups for word in listed(group) if (word, code) != ("may", "en")]
    return {stem(word, code): number for word, number in found}


# English adjectives with their opposites; -er and -est are made.
_ADJECTIVES = """
loud quiet | coarse fine | thick thin | rough smooth | strong weak | heavy light | young old new | near far | deep
shallow | narrow wide | hard soft | big small | large small | bright dark | clean dirty | rich poor | tight loose |
sharp blunt | high low | long short | fast slow | warm cold | hot cold | early late | cheap dear | easy hard difficult
| safe unsafe
"""


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
    for one, other in _pairs(_MORE_OPPOSITES):
        table.setdefault(stem(one, code), set()).add(stem(other, code))
    if code == "en":
        for one, other in _pairs(_ADJECTIVES):
            for first, second in zip(_degrees(one), _degrees(other), strict=True):
                table.setdefault(stem(first, code), set()).add(stem(second, code))
    return {word: frozenset(others - {word}) for word, others in table.items()}


@lru_cache(maxsize=32)
def alike(code: str) -> dict[str, frozenset[str]]:
    """Stem to the stems that say about the same."""
    table: dict[str, set[str]] = {}
    for one, other in _pairs(_LIKE):
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

"""Whether a text says that its sources disagree: phrases in some languages, over folded text. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from ragtester.text.languages import base
from ragtester.text.normalise import fold

# They name a conflict in so many words.
_CONFLICT = {
    "en": (
        r"contradict\w*|conflict(?:s|ing)?\b(?! of interest)|disagree\w*|inconsisten\w*|discrepan\w*|at odds\b|"
        r"(?:do not|don't) agree\b|differ from each other\b"
    ),
    "de": r"widersprech\w*|widerspr(?:icht|uch|üche|üchlich\w*)\b|unstimmig\w*|uneinig\b",
    "fr": r"contredi\w*|contradict\w*|incohéren\w*|en conflit\b|divergen\w*|désaccord\w*",
    "es": r"contradic\w*|contradij\w*|incoheren\w*|inconsisten\w*|discrepan\w*|en conflicto\b",
    "it": r"contraddi\w*|incoeren\w*|discordan\w*|in conflitto\b",
    "pt": r"contradi\w*|inconsisten\w*|discrep\w*|em conflito\b|diverg\w*",
    "nl": r"tegenspr\w*|tegenstrijd\w*|inconsisten\w*|in strijd met\b",
}
# They set one source against another. "But" and "however" alone set any two facts side by side.
_ASIDE = {
    "en": (
        r"differs? from (?:the |this |that )?(?:other|section|source|document)|"
        r"(?:an|the)?other (?:section|source|passage|document|page|version|text|notice)s? "
        r"(?:\w+ )?(?:say|state|give|name|list|put|speak|mention|specif)\w*|"
        r"according to (?:an|the )?other (?:section|source|passage|document|page|version|text|notice)|"
        r"(?:sections?|sources?|passages?|documents?|versions?|texts?) (?:differ|vary|do not agree|don't agree)|"
        r"(?:an )?(?:older|earlier|newer|later|outdated|superseded|previous|draft|withdrawn|competing) "
        r"(?:section|source|passage|document|page|version|text|notice|policy|edition|revision)|"
        r"(?:an?|the) (?:\w+ )?(?:draft|translation|edition|notice|digest|version)\b[^.;]{0,60}? "
        r"(?:says?|said|names?|named|gives?|gave|states?|stated)\b|"
        r"(?:does not|doesn't|no longer) (?:hold|holds|apply|applies)|"
        r"(?:is|was|are|were) (?:withdrawn|superseded|void)|"
        r"(?:says?|names?|gives?|states?) (?:otherwise|something else|a different)"
    ),
    "de": (
        r"abweichend\w*|im gegensatz zu|"
        r"(?:ein|eine|einem|einer|der|die|das|anderen?|anderer|anderes) ander\w* "
        r"(?:abschnitt|stelle|quelle|dokument|fassung|text|seite)\w*|"
        r"(?:älter|früher|neuer|später|veraltet|überholt)\w* (?:fassung|abschnitt|dokument|version|quelle|stelle)\w*|"
        r"(?:entwurf|übersetzung|ausgabe|bekanntmachung|fassung)\b[^.;]{0,60}? (?:nennt|nannte|sagt|gibt)\b|"
        r"(?:gilt|gelten) (?:\w+ )?nicht mehr|(?:ist|sind|wurde|wurden) (?:aufgehoben|überholt|widerrufen)|"
        r"sagt etwas anderes|"
        r"(?:abschnitte|quellen|dokumente|stellen) (?:weichen|unterscheiden|sind sich (?:nicht einig|uneinig))"
    ),
    "fr": (
        r"(?:une|un) autre (?:section|source|passage|document|page|version|texte)|"
        r"d'autres (?:sections|sources|passages|documents|versions)|"
        r"version (?:antérieure|plus ancienne|précédente|obsolète)"
    ),
    "es": (
        r"otr[oa]s? (?:sección|secciones|fuentes?|pasajes?|documentos?|páginas?|versión|versiones|textos?)|"
        r"versión (?:anterior|más antigua|previa|obsoleta)"
    ),
    "it": (
        r"un(?:'altra|a altra| altro|altro) (?:sezione|fonte|passo|documento|pagina|versione|testo)|"
        r"altr[ei] (?:sezioni|fonti|passi|documenti|versioni)|versione (?:precedente|più vecchia|superata)"
    ),
    "pt": (
        r"outr[oa]s? (?:seção|secção|seções|secções|fontes?|trechos?|documentos?|páginas?|versão|versões|textos?)|"
        r"versão (?:anterior|mais antiga|obsoleta)"
    ),
    "nl": (
        r"(?:een )?ander\w* (?:sectie|paragraaf|bron|bronnen|passage|document\w*|pagina|versie|tekst)|"
        r"(?:oudere|eerdere|verouderde|vorige) (?:versie|sectie|bron|document)"
    ),
}


@lru_cache(maxsize=16)
def _pattern(code: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_CONFLICT[code]}|{_ASIDE[code]})")


def tells_of_disagreement(text: str, language: str) -> bool:
    """Whether the text says that sources contradict one another; False for a language without phrases."""
    code = base(language)
    return code in _CONFLICT and bool(_pattern(code).search(fold(text)))


_ANY = re.compile(rf"(?<!\w)(?:{'|'.join(_CONFLICT.values())})")


def names_conflict(text: str) -> bool:
    """Whether the text names a conflict in so many words, in any of the languages: an answer may be in another one."""
    return bool(_ANY.search(fold(text)))

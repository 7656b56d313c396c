"""Words by language at which a sentence may be cut into clauses, and by which a clause is known."""

from __future__ import annotations

import re
from functools import lru_cache

OWN_START = re.compile(
    r"\s*(?:the|a|an|every|each|all|no|in|on|at|for|it|they|he|she|its|their|this|that|these|if|when|der|die|das|dem|"
    r"den|ein|eine|jede[rs]?|im|bei|für|es|sie|er|wenn|le|la|les|l'|un|une|il|elle|dans|el|los|las|una|en|lo|gli|de|"
    r"het|een|o|os|as|um|uma|в|на)\b",
    re.I,
)
"""A clause that begins so has a subject or a place of its own."""
PREPOSITION = re.compile(
    r"(?:in|on|at|for|from|to|by|with|without|until|before|after|since|of|per|under|over|above|below|between|within|"
    r"im|am|an|auf|bei|beim|für|von|vom|zu|zum|zur|mit|ohne|bis|vor|nach|ab|seit|aus|je|pro|unter|über|zwischen|"
    r"innerhalb|dans|à|au|aux|pour|avec|sans|avant|après|dès|depuis|chez|sur|sous|par|de|du|des|en|con|sin|para|por|"
    r"hasta|desde|antes|después|al|del|da|di|per|senza|prima|dopo|fino|nel|nella|op|voor|na|met|zonder|van|bij|tot|"
    r"sem|até|no|na|em|com|в|на|для|с|без|до|после|от|из)\b",
    re.I,
)
_AND = {"en": "and", "de": "und|sowie", "fr": "et", "es": "y|e", "it": "e|ed", "pt": "e", "nl": "en", "ru": "и"}
_BUT = {
    "en": "but|yet|whereas", "de": "aber|jedoch", "fr": "mais|tandis que", "es": "pero|mientras que",
    "it": "ma|mentre", "pt": "mas|enquanto", "nl": "maar|terwijl", "ru": "но|а",
}  # fmt: skip
_EMBEDDING = {
    "en": "that who whom whose which whoever whatever where when whenever because since as if unless until till "
    "although though after before once while whether so than provided except how why what",
    "de": "dass weil wenn falls sofern ob obwohl damit nachdem bevor sobald solange während bis da als wo wer was "
    "welche welcher welches welchen welchem deren dessen indem außer wie",
    "fr": "qui que qu dont où lorsque quand si parce car puisque afin comme tandis sauf lequel laquelle lesquels bien",
    "es": "que quien quienes cuyo cuya donde cuando si porque aunque como mientras salvo cual cuales",
    "it": "che chi cui dove quando se perché poiché mentre come quale quali affinché anche",
    "pt": "que quem cujo cuja onde quando se porque embora como enquanto caso exceto",
    "nl": "dat die wie wat waar wanneer als omdat hoewel terwijl nadat voordat zodat zodra tot tenzij mits of",
    "ru": "что который которая которое которые которых где когда если потому хотя чтобы пока как кто чем",
}
_LEANING = {
    "en": "then otherwise else this that these those such so there therefore thus hence instead both neither former "
    "latter same other others another its their his her it they them he she one ones here",
    "de": "dann sonst dies diese dieser dieses diesen diesem das so damit daher dabei davon dafür deshalb dort dazu "
    "beide beides sein seine seiner ihr ihre ihrer es sie er ihm ihn ihnen auch dieselbe derselbe",
    "fr": "alors sinon cela ce cette ces celui celle ceux celles ainsi donc il ils elle elles son sa ses leur leurs y",
    "es": "entonces esto este esta estos estas eso ese esa así su sus él ella ellos ellas lo allí",
    "it": "allora altrimenti questo questa questi queste ciò così esso essa suo sua loro lo ne",
    "pt": "então senão isto isso este esta esse essa assim seu sua ele ela eles elas",
    "nl": "dan anders dit dat deze die zo daarom hij zij ze het hun zijn haar er daar",
    "ru": "тогда иначе это этот эта эти так он она оно они его её их там",
}
_MODALS = (
    "may can cannot could should shall will would must does did do to darf dürfen muss müssen kann können soll sollen "
    "wird werden doit doivent peut peuvent debe deben puede pueden deve devono può possono mag mogen moet moeten kan "
    "kunnen podem deve devem pode"
)
_VERBS = {
    "en": "is are was were has have had must may can cannot could should shall will would does did needs need runs "
    "run takes take costs cost starts start stops stop lapses last lasts contain contains includes include "
    "holds hold carries carry weighs weigh measures delivers deliver opens open closes close works work uses "
    "use gives give requires require allows allow provides provide receives receive applies apply begins "
    "begin ends end comes come goes go stands stand lies remains remain becomes become became began ended "
    "opened closed left led won made took gave reached saved said says states stated told tells shows show pay pays "
    "earn earns get gets leave leaves arrive arrives serve serves sell sells offer offers cover covers support "
    "supports replace replaces store stores reach reaches rise rises rose fall falls fell drop drops increase "
    "increases increased send sends return returns protect protects prevent prevents produce produces cause causes "
    "help helps keep keeps kept make makes move moves moved follow follows consist consists consume consumes",
    "de": "ist sind war waren hat haben hatte hatten darf dürfen muss müssen kann können soll sollen wird werden "
    "wurde wurden beträgt betragen gilt gelten kostet kosten reisen reist läuft laufen braucht brauchen steht "
    "stehen liegt liegen kommt kommen geht gehen fährt fahren dauert dauern enthält enthalten umfasst "
    "umfassen wiegt wiegen misst hält beginnt beginnen endet öffnet schließt bleibt bleiben fasst lädt erhält "
    "erhalten nehmen nimmt zahlt zahlen bezahlt bezahlen erreicht erreichen schließen öffnen bietet bieten gibt "
    "benötigt benötigen verfügt verfügen bekommt bekommen besteht bestehen verbraucht liefert liefern schreibt",
    "fr": "est sont était étaient a ont doit doivent peut peuvent coûte coûtent part partent dure durent contient "
    "pèse mesure commence commencent finit ouvre ferme comprend voyagent reste intervient paie paient offre "
    "permet reçoit reçoivent ouvrent ferment pèsent mesurent fournit consomme",
    "es": "es son está están era eran tiene tienen debe deben puede pueden cuesta cuestan dura contiene pesa mide "
    "abre cierra incluye toman dura paga pagan recibe reciben abren cierran permite consume necesita",
    "it": "è sono era ha hanno costa costano deve devono può possono contiene dura pesa apre chiude raggiunge paga "
    "pagano riceve ricevono aprono chiudono permette consuma",
    "pt": "é são era tem têm custa custam deve devem pode podem contém dura pesa abre fecha",
    "nl": "is zijn was heeft hebben kost kosten mag mogen moet moeten wordt worden kan kunnen duurt bevat opent sluit",
    "ru": "является составляет имеет может должен должна должны работает стоит весит",
}
_NOUNS_TOO = (
    "need runs run costs cost start stop last measures hold works work use uses end ends stands stand shows show open "
    "close closes left pay offer offers cover covers support supports "
    "store stores reach rise rises fall falls drop drops increase increases increased return returns produce cause "
    "causes help move moves leave leaves keep reist kosten reisen laufen brauchen part mesure ferme costa dura era"
)
"""Verbs of the list that are nouns or adjectives as well."""


def _every(table: dict[str, str], separator: str) -> str:
    return separator.join(table.values())


def _any_of(listed: str, *, before: str = r"\b") -> re.Pattern[str]:
    words = sorted(set(listed.split()), key=lambda word: (-len(word), word))
    return re.compile(rf"{before}(?:{'|'.join(words)})\b", re.I)


@lru_cache(maxsize=32)
def verb(code: str) -> re.Pattern[str]:
    """Common finite verbs of a language; of all languages where it has no list. "May" with a capital is a month."""
    return _any_of(_VERBS.get(code) or _every(_VERBS, " "), before=r"\b(?!(?-i:May)\b)")


@lru_cache(maxsize=32)
def sure_verb(code: str) -> re.Pattern[str]:
    """Those of them that are nothing else."""
    listed = set((_VERBS.get(code) or _every(_VERBS, " ")).split()) - set(_NOUNS_TOO.split())
    return _any_of(" ".join(listed), before=r"\b(?!(?-i:May)\b)")


MODAL = _any_of(_MODALS)


@lru_cache(maxsize=32)
def embedding(code: str) -> re.Pattern[str]:
    """Words that open a clause within a clause: relative pronouns and subordinating conjunctions."""
    german = "|,\\s+(?:(?:in|an|auf|mit|von|zu|für|bei|aus|nach) )?(?:der|die|das|dem|den|denen)\\b"
    found = _any_of(_EMBEDDING.get(code) or _every(_EMBEDDING, " ")).pattern
    return re.compile(found + (german if code == "de" else ""), re.I)


@lru_cache(maxsize=32)
def leaning(code: str) -> re.Pattern[str]:
    """Pronouns and adverbs by which a clause leans on the one before it."""
    return _any_of(_LEANING.get(code) or _every(_LEANING, " "))


def and_words(code: str) -> str:
    """The words of a language for "and", as alternatives of a pattern that matches nothing where it has no list."""
    return _AND.get(code, "(?!)")


@lru_cache(maxsize=32)
def cut(code: str, *, commas: bool) -> re.Pattern[str]:
    """Where two clauses may meet: `hard` (a semicolon), `but`, `and`, and with `commas` at a comma.

    A language without a list is cut at semicolons and commas alone.
    """
    joins = [
        r"(?P<hard>[;；]\s*" + (r"|，\s*)" if commas else ")"),
        rf",?\s+(?P<but>{_BUT.get(code, '(?!)')})\s+",
        rf",?\s+(?P<and>{and_words(code)})\s+",
        *([r"(?P<comma>,\s+)"] if commas else []),
    ]
    return re.compile("|".join(joins), re.I)

"""Where a sentence may be cut into clauses, and the words by which a clause is known."""

from __future__ import annotations

import re
from functools import lru_cache

CUT = re.compile(
    r"[;；，]\s*|,?\s+(?:while|whereas|but|yet|während|aber|jedoch|sondern|tandis que|mais|mientras que|pero|mentre|"
    r"maar|terwijl|но|а)\s+|(?P<soft>,?\s+(?:and|und|et|y|e|en|и)\s+|,\s+)",
    re.I,
)
"""Cuts between clauses; a soft one parts two only where both sides tell something."""
OWN_START = re.compile(
    r"\s*(?:the|a|an|in|on|at|for|it|they|he|she|its|their|this|that|these|if|when|der|die|das|dem|den|ein|eine|im|bei|"
    r"für|es|sie|er|wenn|le|la|les|l'|un|une|il|elle|dans|el|los|las|una|en|lo|gli|de|het|een|o|os|as|um|uma|в|на)\b",
    re.I,
)
"""A clause that begins so has a subject or a place of its own."""
_VERBS = {
    "en": "is are was were has have had must may can cannot could should shall will would does did needs need runs "
    "run takes take costs cost starts start stops stop lapses last lasts contain contains includes include "
    "holds hold carries carry weighs weigh measures delivers deliver opens open closes close works work uses "
    "use gives give requires require allows allow provides provide receives receive applies apply begins "
    "begin ends end comes come goes go stands stand lies remains remain becomes become became began ended "
    "opened closed left led won made took gave reached saved",
    "de": "ist sind war waren hat haben hatte hatten darf dürfen muss müssen kann können soll sollen wird werden "
    "wurde wurden beträgt betragen gilt gelten kostet kosten reisen reist läuft laufen braucht brauchen steht "
    "stehen liegt liegen kommt kommen geht gehen fährt fahren dauert dauern enthält enthalten umfasst "
    "umfassen wiegt wiegen misst hält beginnt beginnen endet öffnet schließt bleibt bleiben fasst lädt erhält "
    "erhalten nehmen nimmt",
    "fr": "est sont était étaient a ont doit doivent peut peuvent coûte coûtent part partent dure durent contient "
    "pèse mesure commence commencent finit ouvre ferme comprend voyagent reste intervient",
    "es": "es son está están era eran tiene tienen debe deben puede pueden cuesta cuestan dura contiene pesa mide "
    "abre cierra incluye toman dura",
    "it": "è sono era ha hanno costa costano deve devono può possono contiene dura pesa apre chiude raggiunge",
    "pt": "é são era tem têm custa custam deve devem pode podem contém dura pesa abre fecha",
    "nl": "is zijn was heeft hebben kost kosten mag mogen moet moeten wordt worden kan kunnen duurt bevat opent sluit",
    "ru": "является составляет имеет может должен должна должны работает стоит весит",
}


@lru_cache(maxsize=32)
def verb(code: str) -> re.Pattern[str]:
    """Common finite verbs of a language; of all languages where it has no list."""
    listed = _VERBS[code].split() if code in _VERBS else [word for line in _VERBS.values() for word in line.split()]
    return re.compile(rf"\b(?:{'|'.join(sorted(listed, key=len, reverse=True))})\b", re.I)

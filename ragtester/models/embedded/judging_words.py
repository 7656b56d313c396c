"""Word lists of the embedded judge: negators, opposites, and what makes a word a name."""

from __future__ import annotations

import re

from ragtester.text.normalise import listed

NEGATORS = frozenset(
    listed(
        "not no never none without neither nor cannot nobody nothing can't don't doesn't isn't aren't won't didn't "
        "wasn't weren't hasn't haven't shouldn't mustn't needn't "
        "nicht kein keine keinen keiner keinem keines nie niemals ohne weder nichts "
        "pas jamais aucun aucune sans non rien ni nunca sin ningún ninguna jamás nada não nem nunca sem nenhum nenhuma "
        "niet geen nooit zonder mai senza nessun nessuna inte ikke ingen aldrig utan uden nie bez не нет без никогда "
        "nem nincs soha δεν μη χωρίς tidak bukan tanpa không değil yok"
    )
)
NEGATING_SIGNS = re.compile(r"不|没|沒|未|无|無|非|ない|ません|なし|않|없|못|ไม่|لا |ليس|لم |לא |אין |नहीं|नही")

_OPPOSITES = """
yes no | ja nein | oui non | sí no | open closed shut close | increase decrease reduce lower | raise lower |
rise fall drop | maximum minimum | most least | more less fewer | above below under beneath | over under |
before after | start stop end | begin end | on off | left right | up down | upper lower | high low | hot cold |
warm cold | inside outside | allow forbid prohibit ban | allowed forbidden prohibited | permit forbid prohibit |
required optional | mandatory optional voluntary | clockwise anticlockwise counterclockwise | enable disable |
enabled disabled | connect disconnect | always never | first last | accept reject refuse | include exclude |
positive negative | parallel perpendicular | dry wet | full empty | front rear back | internal external |
horizontal vertical | fast slow | long short | early late | valid invalid | safe unsafe dangerous |
tighten loosen | insert remove | attach detach | lock unlock | engage disengage | forward backward reverse |
port starboard | offen geschlossen zu | öffnen schließen | erhöhen senken verringern | maximal minimal |
mindestens höchstens | mehr weniger | über unter | vor nach | oben unten | links rechts | ein aus |
erlaubt verboten | immer nie | innen außen | ouvert fermé | ouvrir fermer | augmenter diminuer réduire |
plus moins | avant après | gauche droite | autorisé interdit | abierto cerrado | abrir cerrar |
aumentar disminuir reducir | más menos | antes después | izquierda derecha
"""


def _opposites() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for group in _OPPOSITES.replace("\n", " ").split("|"):
        first, *others = group.split()
        for other in others:
            table.setdefault(first, set()).add(other)
            table.setdefault(other, set()).add(first)
    return {word: frozenset(others) for word, others in table.items()}


OPPOSITES = _opposites()
# Languages that write common nouns with a capital: there a capital says nothing.
CAPITAL_NOUNS = frozenset({"de", "lb"})
NAME = re.compile(r"(?<![\w.])[^\W\d_a-z][^\W\d_]+(?:-[^\W\d_]+)*")

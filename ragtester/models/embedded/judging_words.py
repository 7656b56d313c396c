"""Word lists of the embedded judge: negators, opposites, and what makes a word a name."""

from __future__ import annotations

import re

from ragtester.text.normalise import listed

NEGATORS = frozenset(
    listed(
        "not no never none without neither nor cannot nobody nothing can't don't doesn't isn't aren't won't didn't "
        "wasn't weren't hasn't haven't shouldn't mustn't needn't "
        "avoid avoids avoided avoiding "
        "nicht kein keine keinen keiner keinem keines nie niemals ohne weder nichts "
        "pas jamais aucun aucune sans non rien ni nunca sin ningún ninguna jamás nada não nem nunca sem nenhum nenhuma "
        "niet geen nooit zonder mai senza nessun nessuna inte ikke ingen aldrig utan uden nie bez не нет без никогда "
        "nem nincs soha δεν μη χωρίς tidak bukan tanpa không değil yok"
    )
)
YES = frozenset(listed("yes yeah ja doch oui si sí sì sim да tak ano igen evet ναι ya có 是 はい 네"))
NO = frozenset(listed("no nope nein non nee nej nei não nie ne нет hayır tidak ні όχι ei لا לא 否 不 いいえ 아니요"))
NEGATING_SIGNS = re.compile(r"不|没|沒|未|无|無|非|ない|ません|なし|않|없|못|ไม่|لا |ليس|لم |לא |אין |नहीं|नही")

_OPPOSITES = """
yes no | ja nein | oui non | sí no | open closed shut close | increase decrease reduce lower | raise lower |
rise fall drop | maximum minimum | most least | more less fewer | above below under beneath | over under |
before after | start stop end | begin end | on off | left right | up down | upper lower | high low | hot cold |
warm cold | cheap expensive | cheaper dearer | better worse | faster slower | higher lower | larger smaller |
stronger weaker | easier harder | inside outside | allow forbid prohibit ban | allowed forbidden prohibited |
permit forbid prohibit | required optional | mandatory optional voluntary |
clockwise anticlockwise counterclockwise | enable disable | enabled disabled | connect disconnect |
always never | first last | accept reject refuse | include exclude | positive negative |
parallel perpendicular | dry wet | full empty | front rear back | internal external | horizontal vertical |
fast slow | long short | early late | valid invalid | safe unsafe dangerous | tighten loosen | insert remove |
attach detach | lock unlock | engage disengage | forward backward reverse | port starboard |
offen geschlossen zu | öffnen schließen | erhöhen senken verringern | maximal minimal | mindestens höchstens |
mehr weniger | über unter | vor nach | oben unten | links rechts | ein aus | erlaubt verboten | immer nie |
innen außen | ouvert fermé | ouvrir fermer | augmenter diminuer réduire | plus moins | avant après |
gauche droite | autorisé interdit | abierto cerrado | abrir cerrar | aumentar disminuir reducir | más menos |
antes después | izquierda derecha
"""


_ENGLISH_VERBS = """
increase decrease reduce lower | raise lower | rise fall drop | open close shut | start stop end | begin end |
constrict dilate | contract expand | strengthen weaken | gain lose | retain lose excrete release | absorb release |
heat cool | connect disconnect | enable disable | insert remove | attach detach | tighten loosen | lock unlock | engage
disengage | include exclude | accept reject refuse | allow forbid prohibit ban | permit forbid prohibit | buy sell |
import export | add remove | push pull | attract repel | accelerate slow | succeed fail | fill empty drain | win lose
"""


def _forms(word: str) -> list[str]:
    """Regular English forms of a verb, so that "opens" stands against "closed"."""
    root = word.removesuffix("e")
    doubled = root + root[-1]
    return [word, f"{word}s", f"{root}ed", f"{root}ing", f"{doubled}ed", f"{doubled}ing"]


def _opposites() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for groups, forms_of in ((_OPPOSITES, lambda word: [word]), (_ENGLISH_VERBS, _forms)):
        for group in groups.replace("\n", " ").split("|"):
            first, *others = group.split()
            for other in others:
                for one in forms_of(first):
                    table.setdefault(one, set()).update(forms_of(other))
                for one in forms_of(other):
                    table.setdefault(one, set()).update(forms_of(first))
    return {word: frozenset(others) for word, others in table.items()}


OPPOSITES = _opposites()
LOOSE = frozenset(
    listed(
        "over under above below beneath up down on off before after inside outside first last long short über unter "
        "vor nach aus ein"
    )
)
# Languages that write common nouns with a capital: there a capital says nothing.
CAPITAL_NOUNS = frozenset({"de", "lb"})
NAME = re.compile(r"(?<![\w.])[^\W\d_a-z][^\W\d_]+(?:-[^\W\d_]+)*")

# ruff: noqa: E501 - one pattern a line
"""What kind of thing a question asks for, and whether a sentence states such a thing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragtester.text.quantities import Quantity, quantities
from ragtester.text.stems import stems

_TIME_UNITS = frozenset({"s", "month"})


@dataclass(frozen=True)
class Kind:
    """`name` of the kind ("" where anything may answer) and stems that only carry the asking.

    `counted` is the stem of what is counted ("how many cabins"): a sentence that does not name it gives no number of it.
    """

    name: str
    asking: frozenset[str]
    counted: str = ""

    def rest(self, found: Sequence[str]) -> list[str]:
        """The stems that say what the question is about; all of them where nothing else is left."""
        return [stem for stem in found if stem not in self.asking] or list(found)


_KINDS: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (
        ("journal", r"\bjournal\b"),
        ("hours", r"\bhours of\b"),
        ("phone", r"\b(?:phone|telephone|hotline|fax)\b"),
        ("money", r"\bhow much (?:money|.*\bcost)|\b(?:price|cost|costs|fee|fare|tariff|rent)\b|\bbudget\b.*\bamount\b"),
        ("date", r"\bon what date\b|\bwhich date\b|\bwhat year\b|\bwhich year\b|\bend-of-life date\b|\byear of\b|\b(?:since|until|by|before) when\b"),
        ("duration", (r"\bhow long (?:do|does|is|are|can|may|must|did|has)\b|\bhow many (?:seconds|minutes|hours|days|weeks|months|years)\b"
                     r"|\bperiod\b.*\bdays\b|\btimeout in\b|\bhow soon\b|\binterval\b|\bhow often\b")),
        ("percent", r"\bwhat (?:percentage|share|proportion)\b|\bhow many per ?cent\b"),
        ("number", r"\bhow many\b|\bnumber of\b|\bhow (?:large|big|heavy|high|fast|deep|wide|tall|much)\b|\bmegabytes\b"),
        ("person", r"^(?:who|whom)\b(?! or what)|\bwhom do you name\b|\binventor\b"),
    ),
    "de": (("money", r"\bpreis\b|\bkosten\b|\bkostet\b|zu bezahlen"), ("duration", r"\bwie lange\b|\bwie oft\b|\babständen\b|intervall\b|\bfrist\b"), ("number", r"\bwie (?:viele?|hoch|groß|schwer)\b"),
           ("phone", r"telefonnummer"), ("date", r"\bin welchem jahr\b|\bseit wann\b")),
    "fr": (("percent", r"\bquel(?:le)? (?:pourcentage|proportion)\b"), ("date", r"\ben quelle année\b"),
           ("phone", r"numéro de téléphone"), ("number", r"\bcombien\b")),
    "es": (("percent", r"\bporcentaje\b"), ("date", r"\ben qué año\b"), ("phone", r"\bteléfono\b"), ("number", r"\bcuánt[oa]s?\b")),
    "it": (("percent", r"\bpercentuale\b"), ("date", r"\bin quale anno\b"), ("phone", r"\btelefono\b"), ("number", r"\bquant[oaie]\b")),
    "pt": (("percent", r"\bpercentagem\b"), ("date", r"\bem que ano\b"), ("phone", r"\btelefone\b"), ("number", r"\bquant[oa]s?\b")),
    "nl": (("percent", r"\bpercentage\b"), ("date", r"\bin welk jaar\b"), ("phone", r"telefoonnummer"), ("number", r"\bhoeveel\b")),
    "ru": (("date", r"в каком году"), ("phone", r"телефон"), ("number", r"\bсколько\b")),
}  # fmt: skip
# Words that ask, or set the scene of asking; they are not looked for in the sections.
_ASKING = {
    "en": """money needed entry entries stated listed what which who whom when where why how ask asks asked answer answers reply replies tell tells explain explains
    explanation wonder wonders colleague newcomer trainee somebody someone
    question right good suggest suggestion definition define meaning mean means term expression called call name names
    purpose point role good kind thing brief happens happen happened consequence effect follows follow result situation
    suppose imagine proceed advice wise unsure find out location place look looking first contents content come comes
    across heard never stumbles want wants go way whereabouts becomes become became treatment date person new does did
    usual proper word raises comes up before going things once open points know""",
    "de": """wie was wer wo wann warum wozu welche welcher welches antworten antwortest fragt fragen kollegin kollege jemand team
    begriff bedeutung erklären erklärst erklärung zweck versteht gehört angenommen feststellt stellt fest geschieht folge""",
    "fr": """quel quelle quels quelles que quoi qui comment pourquoi où quand collègue nouvelle nouveau répondre demande
    terme signification explication entendre expliquer passe conséquence imaginons question pose utilité contenu éléments""",
    "es": """qué cuál quién cómo dónde cuándo compañero compañera nueva nuevo pregunta respondes término significado explicación
    entiende explica sucede consecuencia duda utilidad finalidad""",
    "it": """che cosa quale chi come dove quando collega nuova nuovo chiede rispondi termine significato spiegazione intende
    spiega succede conseguenza dubbio sorge scopo utilità""",
    "pt": """que qual quem como onde quando colega nova novo pergunta responder termo significado explicação entende explica
    acontece consequência dúvida surge utilidade finalidade""",
    "nl": """wat welke welk wie hoe waar wanneer collega nieuwe vraagt vraag antwoord begrip betekenis uitleg verstaan
    gebeurt gevolg rijst nut""",
    "ru": """что какой какая какое какие кто как где когда почему коллега новый спрашивает ответите термин термином термине
    значение определение понимают объяснить объясните происходит произойдёт представьте""",
}
# What a question is after, and how sentences that give it look: (question, sentence).
_INTENTS: dict[str, tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]] = {
    code: tuple((re.compile(asked, re.I), re.compile(said, re.I)) for asked, said in rows)
    for code, rows in {
        "en": (
            (r"\bwhy\b|reason|explanation\?", r"\b(?:because|since|so that|due to|in order to)\b"),
            (r"\b(?:suppose|imagine|if|when|once)\b|consequence|effect\b|advice|what to do", r"\b(?:if|when|whenever|once)\b"),
            (r"\brule\b|obligation|demanded|prohibit|ruled out|kept out|no place|breach", r"\b(?:must|shall|should|may not|cannot|required)\b"),
            (r"purpose|\brole\b|good for|point of", r"\b(?:used|intended|designed|meant|reserved) (?:to|for|as)\b|\bserves?\b"),
            (r"\bmean|explain|definition|never heard|kind of thing|^what (?:is|are) (?!the \w+ (?:of|for))", r"\b(?:is|are) (?:an?|the|one)\b"),
            (r"\bwhere\b|\bplace\b|location|whereabouts", r"\b(?:in|under|into|at|within) \S*/|\b(?:located|stored|placed|installed|kept)\b"),
            (r"contents|can be found|come across|cover\b", r"\b(?:contains?|includes?|holds?|consists?|comprises?)\b"),
            (r"meant by", r"\bstands? for\b|\([A-Z]"),
            (r"\bhow (?:do|does|can|to|is|are)\b|way to|method|go about|take to|suggest", r"\b(?:use|using|by|run|type|with|set|call)\b"),
        ),
        "de": ((r"versteht man|bedeutung|erklär", r"\b(?:ist|sind) (?:ein|eine|der|die|das)\b"), (r"vorschrift|beachten|regel", r"\b(?:muss|müssen|darf|soll)"),
               (r"zweck|wozu", r"\b(?:dient|dienen|zum|zur|für)\b"), (r"wenn|falls|angenommen", r"\b(?:wenn|falls|sobald)\b")),
        "fr": ((r"entendre par|signifi|expli", r"\b(?:est|sont|désigne) (?:un|une|le|la|l['’])"), (r"obligation|exigence", r"\b(?:doit|doivent|devr)"),
               (r"utilité|à quoi", r"\b(?:sert|servent|vise|permet)"), (r"\bsi\b|quand|lorsque|imaginons", r"\b(?:si|lorsque|quand)\b")),
        "ru": ((r"понимают|что такое|определение|термин", r"—|\bэто\b|является"), (r"требование|правило", r"долж"),
               (r"целью|назначени|зачем", r"использу|применя|предназнач|служ"), (r"\bесли\b|когда|представьте", r"\b(?:если|когда)\b")),
    }.items()
}  # fmt: skip
_PARTS_WORDS = {
    "en": r"(?:what|which|who|where|when|why|how|under|in|(?:by|at|to|from|through|for|after|until|since|before) (?:whom|what|which|when|how)|for the record)",
    "de": r"(?:was|welche[rsnm]?|wer|wo|wann|warum|wie|wozu|in|unter|(?:nach|bis|zu|ab|von|mit|seit|bei|aus) (?:wann|welche[rsnm]?|wem))",
    "fr": r"(?:que|quel(?:le)?s?|qui|où|quand|pourquoi|comment|à quoi|de quoi|en)",
    "es": r"(?:qué|cuál|quién|cómo|dónde|cuándo|con qué|en qué)",
    "it": r"(?:che|quale|quali|chi|come|dove|quando|a quale|di che|in)",
    "pt": r"(?:o que|que|qual|quem|como|onde|quando|com que|em que)",
    "nl": r"(?:wat|welke?|wie|hoe|waar|wanneer|in)",
    "ru": r"(?:что|как\w*|кто|где|когда|почему|с какой|из каких|в чём|под|зачем)",
}
_AND = {"en": "and", "de": "und", "fr": "et", "es": "y", "it": "e", "pt": "e", "nl": "en", "ru": "и"}
PARTS = {code: re.compile(rf",\s+{_AND[code]}\s+(?={word}\b)|;\s+", re.I) for code, word in _PARTS_WORDS.items()}


def wanted(question: str, code: str) -> Kind:
    """The kind of thing that a question asks for."""
    low = question.casefold()
    for name, pattern in _KINDS.get(code, ()):
        if re.search(pattern, low):
            counted = re.search(r"\bhow many (\w+)", low) if name == "number" and code == "en" else None
            return Kind(name, _asking(code), next(iter(stems(counted[1], code)), "") if counted else "")
    return Kind("", _asking(code))


# Sides of a thing that only a sentence can tell that speaks of them: (question, sentence).
_SIDES: dict[str, tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]] = {
    code: tuple((re.compile(asked, re.I), re.compile(said, re.I)) for asked, said in rows)
    for code, rows in {
        "en": (
            (r"\bpatent", r"patent"), (r"\binsur", r"insur"), (r"\baward\b", r"\baward|\bprize|\bmedal"), (r"\bsponsor", r"sponsor|donat|fund"),
            (r"\binventor\b|came up with the idea|first to think of|original author", r"invent|devis|design|develop|creat|found|wr(?:ote|itten)|author|idea|propos"),
            (r"\bciphers?\b|\bencrypt", r"encrypt|cipher|\bAES\b|\bRSA\b"), (r"\bback(?:ed)? ?up", r"back(?:ed)?[- ]?up|archiv"),
            (r"\bcertifi(?:cate|ed)\b", r"certif"), (r"\bISO standard", r"\bISO\b|standard|\bDIN\b|\bEN\b"),
            (r"\bsupplier\b|company supplies", r"suppl|deliver|manufactur|made by|produc|buy|bought"), (r"\berror codes?\b", r"error|code"),
            (r"\baudit", r"audit|inspect|review"), (r"end-of-life|\bwithdrawn\b", r"withdr|deprecat|obsolete|remov|end|retire|discontinu|support"),
            (r"memory footprint|megabytes|how much memory", r"memory|megabyte|\b[MGK]i?B\b"), (r"\bmuseum", r"museum"),
        ),
        "de": ((r"patent", r"patent"), (r"versicher", r"versicher"), (r"auszeichnung", r"auszeichn|\bpreis\b"), (r"sponsor", r"sponsor|förder|spend"),
               (r"weltweit", r"welt|million"), (r"von außen geprüft|prüfintervall", r"prüf|kontroll"), (r"beschäftigte", r"beschäftigt|mitarbeit|person")),
        "fr": ((r"brevet", r"brevet"), (r"salariés", r"salarié|employé|personn"), (r"dans le monde", r"monde|million"), (r"audit|organisme externe", r"audit|contrôl")),
        "es": ((r"patente", r"patente"), (r"en todo el mundo", r"mundo|millon")), "it": ((r"brevett", r"brevett"),), "pt": ((r"patente", r"patente"),),
        "nl": ((r"octrooi|patent", r"octrooi|patent"),), "ru": ((r"патент", r"патент"), (r"в мире", r"мир|миллион"), (r"сотрудник", r"сотрудник|человек"), (r"\bцен[аыу]", r"цен|стои|руб|доллар"),
               (r"аудит", r"аудит|провер"), (r"телефон", r"телефон|\+\d")),
        "ja": ((r"特許", r"特許"), (r"考案|考え出し", r"考案|開発者|作者|発明"), (r"電話番号", r"電話|\d{2,4}-\d{2,4}"), (r"価格", r"価格|料金|円|無料")),
        "zh": ((r"专利", r"专利"), (r"发明", r"发明|创"), (r"电话", r"电话"), (r"价格", r"价格|费用|元|免费")),
        "ko": ((r"특허", r"특허"), (r"발명", r"발명"), (r"전화", r"전화"), (r"가격", r"가격|요금|원")),
    }.items()
}  # fmt: skip


def speaks_of(question: str, sentence: str, code: str) -> bool:
    """Whether the sentence speaks of the side of a thing that is asked for: of patents, where one is asked for."""
    return all(said.search(sentence) for asked, said in _SIDES.get(code, ()) if asked.search(question))


def intended(question: str, sentence: str, code: str) -> bool:
    """Whether the sentence is built the way an answer to such a question is: a reason, a rule, a definition."""
    return any(asked.search(question) and said.search(sentence) for asked, said in _INTENTS.get(code, ()))


@lru_cache(maxsize=16)
def _asking(code: str) -> frozenset[str]:
    return frozenset(stems(_ASKING.get(code, ""), code, keep_stop_words=True))


def fits(kind: str, sentence: str, code: str) -> bool:
    """Whether the sentence holds a value of the kind; anything fits an open question."""
    check = _CHECKS.get(kind)
    return check is None or check(sentence, quantities(sentence, code))


# A sum may stand without its currency: "a single ride costs 17.50".
_PAID = re.compile(
    r"\b(?:costs?|prices?|pays?|paid|charged?|charges|fees?|fares?|tariffs?|rates?|rents?|euros?|pounds?|dollars?|francs?"
    r"|kosten|kostet|kostete|preise?|gebühr(?:en)?|miete|kaution|zahl(?:t|en)|bezahl\w+|coûte\w*|prix|tarifs?|cuesta|cuestan"
    r"|precios?|tarifas?|costa|costano|prezz[oi]|tariff[ae]|custam?|preços?|prijs|prijzen|tarie(?:f|ven))\b|стои|цен[аы]|тариф"
    r"|価格|料金|价格|费用",
    re.I,
)


def _paid(sentence: str, found: Sequence[Quantity]) -> bool:
    """A sum of money, or a bare number in a sentence that speaks of paying; pounds may read as a weight."""
    bare = any(
        item.kind == "number" and (not item.unit or "pound" in sentence[item.start : item.end]) for item in found
    )
    return any(item.kind == "money" for item in found) or (bare and bool(_PAID.search(sentence)))


def _lasts(sentence: str, found: Sequence[Quantity]) -> bool:
    often = re.search(r"\b(?:daily|weekly|monthly|yearly|annually|every|each|once|twice)\b", sentence, re.I)
    span = any(item.kind == "date" for item in found) and re.search(
        r"\b(?:to|until|till|through|bis|au|hasta|al|tot|до)\b", sentence
    )
    return any(item.unit in _TIME_UNITS or item.kind == "time" for item in found) or bool(often) or bool(span)


_CHECKS: dict[str, Callable[[str, Sequence[Quantity]], bool]] = {
    "journal": lambda sentence, _: bool(re.search(r"\b(?:journals?|proceedings|magazine|published)\b", sentence, re.I)),
    "hours": lambda sentence, _: bool(re.search(r"\bhours?\b", sentence, re.I)),
    "phone": lambda sentence, _: bool(re.search(r"\+?\d[\d ()/-]{5,}\d", sentence)),
    "person": lambda sentence, _: bool(re.search(r"(?<=[a-z,] )[A-Z][a-z]+", sentence)),
    "date": lambda sentence, found: (
        any(item.kind in ("date", "time") for item in found) or bool(re.search(r"\b(?:1[5-9]|20)\d\d\b", sentence))
    ),
    "percent": lambda _, found: any(item.kind == "percent" for item in found),
    "money": _paid,
    "duration": _lasts,
    "number": lambda _, found: bool(found),
}

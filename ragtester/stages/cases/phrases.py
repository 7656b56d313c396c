# ruff: noqa: E501 - lists of wordings, one pattern a line
"""Wordings that a check looks for, by language. English is looked for in every language's questions as well."""

from __future__ import annotations

import re

_EN_PART = r"(?:text|passage|excerpt|paragraph|section|document|chapter|snippet|extract)s?"
# What points at something that only a reader of the passage sees. Matched against the folded question.
LEANING = {
    "en": [
        rf"\b(?:the|this|that|these|given|provided|above|following)\s+(?:(?:above|following|given|provided|whole|same)\s+)?{_EN_PART}\b(?!\s+(?:root|type|modulus|object|class))",
        r"\baccording to the (?:author|writer|manual|guide|report|paper|article|source)s?\b",
        r"\bthe (?:author|writer)s? (?:say|state|write|mention|describe|claim|suggest|recommend|argue|mean)s?\b",
        r"\b(?:mentioned|described|listed|shown|given|stated|discussed|defined|noted|seen)\s+(?:above|below|earlier|previously|here)\b",
        r"\b(?:above|below|afore)[- ]?(?:mentioned|described)\b",
        r"\bthe (?:above|below|following)\b",
        r"\b(?:the|this|in) (?:figure|diagram|listing|equation|screenshot|illustration|chart)\b",
        r"\b(?:this|above|following) table\b|\bthe table (?:show|list|give|say|contain|state)s?\b|\bin the table\b",
        r"\b(?:figure|fig\.|table|listing|equation|section|chapter|appendix|page)\s+(?:\d|[a-z]\b|[ivx]+\b)",
    ],
    "de": [
        r"\b(?:der|die|das|dem|den|des|diese[rmns]?|im|vom|zum|laut|obige[rmns]?|folgende[rmns]?)\s+(?:(?:obige|folgende|vorliegende|gegebene)[rmns]?\s+)?(?:text(?:e?s)?|textstelle|passage|abschnitt(?:s|es)?|absatz(?:es)?|dokument(?:s|es)?|kapitels?|auszug(?:s|es)?)\b",
        r"\blaut (?:autor|verfasser|text|dokument|handbuch)\b",
        r"\b(?:oben|unten|vorstehend|nachstehend|nachfolgend) (?:genannt|erwähnt|beschrieben|aufgeführt|gezeigt|dargestellt)\w*",
        r"\b(?:der|die|in|dieser) (?:abbildung|grafik|obigen tabelle|folgenden tabelle)\b|\bin der tabelle\b",
        r"\b(?:abbildung|abb\.|tabelle|abschnitt|kapitel|anhang|seite)\s+\d",
    ],
    "fr": [
        r"\b(?:le|la|ce|cet|cette|du|au|dans l'|selon l'|l')\s*(?:texte|passage|extrait|paragraphe|section|document|chapitre)\b(?! d'identité)",
        r"\bselon l'auteur\b|\bci-dessus\b|\bci-dessous\b|\bsusmentionn|\bmentionnée?s? plus haut\b",
        r"\b(?:la|cette) figure\b|\bdans le tableau\b|\b(?:figure|fig\.|tableau|section|chapitre|annexe|page)\s+\d",
    ],
    "es": [
        r"\b(?:el|la|este|esta|del|al|dicho|dicha)\s+(?:texto|pasaje|extracto|párrafo|sección|documento|capítulo|fragmento)\b",
        r"\bsegún el autor\b|\b(?:mencionad|descrit|indicad)[oa]s? (?:arriba|abajo|anteriormente)\b|\bantes mencionad",
        r"\b(?:la|esta) figura\b|\ben la tabla\b|\b(?:figura|tabla|sección|capítulo|anexo|página)\s+\d",
    ],
    "it": [
        r"\b(?:il|lo|la|questo|questa|del|della|nel|nella|dal|al)\s+(?:testo|passaggio|brano|estratto|paragrafo|sezione|documento|capitolo)\b",
        r"\bsecondo l'autore\b|\b(?:sopra|sotto) (?:menzionat|descritt|indicat|elencat)|\bsuddett|\bsopraccitat",
        r"\b(?:la|questa|nella) figura\b|\bnella tabella\b|\b(?:figura|tabella|sezione|capitolo|appendice|pagina)\s+\d",
    ],
    "pt": [
        r"\b(?:o|a|este|esta|do|da|no|na|neste|nesta|deste)\s+(?:texto|passagem|trecho|parágrafo|seção|secção|documento|capítulo|excerto)\b",
        r"\b(?:segundo|de acordo com) o autor\b|\b(?:mencionad|descrit|indicad)[oa]s? (?:acima|abaixo|anteriormente)\b",
        r"\b(?:a|esta|na) figura\b|\bna tabela\b|\b(?:figura|tabela|seção|secção|capítulo|anexo|página)\s+\d",
    ],
    "nl": [
        r"\b(?:de|het|deze|dit|die|dat)\s+(?:tekst|passage|alinea|paragraaf|sectie|document|hoofdstuk|fragment)\b",
        r"\bvolgens de (?:auteur|schrijver)\b|\b(?:hierboven|hieronder|bovengenoemd|bovenstaand|onderstaand)",
        r"\b(?:de|deze) (?:figuur|afbeelding)\b|\bin de tabel\b|\b(?:figuur|tabel|sectie|hoofdstuk|bijlage|pagina)\s+\d",
    ],
    "ru": [
        r"\b(?:в|из|этот|этом|этого|данн\w+|приведенн\w+|приведённ\w+)\s+(?:тексте?|текста|отрывке|отрывка|абзаце|разделе|раздела|документе|документа|главе|фрагменте)\b",
        r"\bсогласно (?:тексту|документу|автору|разделу)\b|\bпо мнению автора\b|\b(?:выше|ниже)(?:упомянут|указан|описан)|\b(?:упомянут|указанн|описанн)\w* (?:выше|ниже)\b",
        r"\bна (?:рисунке|схеме)\b|\bв таблице\b|\b(?:рисунок|рис\.|таблица|раздел|глава|приложение|страница)\s+\d",
    ],
}
# First words of a question that yes or no answers.
YES_NO_STARTS = {
    "en": r"(?:is|are|am|was|were|do|does|did|can|could|shall|should|will|would|has|have|had|may|might|must|isn't|aren't|wasn't|don't|doesn't|didn't|can't|couldn't|shouldn't|won't|wouldn't|hasn't|haven't)\b",
    "de": r"(?:ist|sind|war|waren|bin|wird|werden|wurde|wurden|kann|können|konnte|darf|dürfen|muss|müssen|soll|sollen|sollte|hat|haben|hatte|gibt es|gilt|gelten|braucht|benötigt|enthält|gehört)\b",
    "fr": r"(?:est-ce (?:que|qu')|(?:est|sont|peut|peuvent|doit|doivent|faut|a|ont|existe|y a|était|étaient)-(?:t-)?(?:il|elle|ils|elles|on|ce|vous|nous)\b|y a-t-il\b)",
    "es": r"¿\s*(?:es|son|está|están|era|eran|puede|pueden|debe|deben|hay|tiene|tienen|existe|existen|se puede|se debe|fue|fueron)\b",
    "it": r"(?:è|sono|era|erano|può|possono|deve|devono|ha|hanno|c'è|ci sono|esiste|esistono|si può|si deve)\b",
    "pt": r"(?:é|são|está|estão|era|eram|pode|podem|deve|devem|há|tem|têm|existe|existem|foi|foram)\b",
    "nl": r"(?:is|zijn|was|waren|kan|kunnen|mag|mogen|moet|moeten|heeft|hebben|wordt|worden|zal|zullen|bestaat|is er)\b",
    "ru": r"(?:можно ли|нужно ли|следует ли|есть ли|должен ли|является ли|\S+ ли)\b",
}
# A polite frame around a question with a question word is no yes-or-no question.
POLITE = re.compile(r"(?:can|could|would|will) you (?:please )?(?:tell|explain|describe|list|name|say|give)\b")
# Words that also begin other sentences ("No more than five", "Si on paie", "Ja nach") count only before a mark.
YES_NO_ANSWERS = re.compile(
    r"(?:yes|nein|oui|sí|sì|sim|não|nee|はい|いいえ|是的|不是|네|아니요)(?:[\s.,;:!。，、]|$)"
    r"|(?:no|non|si|ja|doch|да|нет)(?:[.,;:!。，、]|$)"
)


def leaning(question: str, language: str) -> str | None:
    """The words of a folded question that lean on an unseen text, or None."""
    for code in dict.fromkeys((language, "en")):
        for pattern in LEANING.get(code, ()):
            found = re.search(pattern, question)
            if found:
                return found[0]
    return None


def starts_as_yes_no(clause: str, language: str) -> bool:
    """Whether a folded clause begins as a question that yes or no answers."""
    pattern = YES_NO_STARTS.get(language)
    return bool(pattern and re.match(pattern, clause) and not POLITE.match(clause))

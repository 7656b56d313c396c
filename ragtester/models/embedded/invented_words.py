# ruff: noqa: E501 - one row a line
"""Sides of a thing that may be asked for, with the words that give away that a document does speak of them."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """`triggers` are folded pieces of words: where one stands in the passages, the kind is not asked."""

    name: str
    classes: frozenset[str]
    triggers: tuple[str, ...]


CLASSES: dict[str, tuple[tuple[str, re.Pattern[str]], ...]] = {
    "en": (
        ("place", re.compile(r"^(?:the |an? )?/|\b(?:director(?:y|ies)|files?|folders?|hierarch(?:y|ies)|logs?)\b(?! \w)", re.I)),
        ("code", re.compile(r"\b(?:methods?|functions?|class(?:es)?|options?|arguments?|parameters?|attributes?|commands?"
                            r"|modules?|keywords?|constructors?|scripts?|algorithms?|drivers?|terminals?|objects?|variables?"
                            r"|loops?|traces?|interpreters?|compilers?|flags?|macros?|plugins?|tags?)\b|\w\(\)|\w_\w", re.I)),
        ("software", re.compile(r"\b(?:packages?|programs?|librar(?:y|ies)|tools?|software|servers?|clients?|systems?"
                                r"|applications?|editors?|platforms?|distributions?|releases?|projects?)\b|(?-i:[a-z][A-Z])", re.I)),
    ),
}  # fmt: skip


def _kinds(table: str) -> tuple[Kind, ...]:
    """Lines `name ; classes ; triggers`."""
    kinds = []
    for line in table.strip().splitlines():
        name, classes, triggers = (part.strip() for part in line.split(";"))
        kinds.append(Kind(name, frozenset(classes.split()), tuple(triggers.split())))
    return tuple(kinds)


KINDS: dict[str, tuple[Kind, ...]] = {
    "en": _kinds("""
inv_price ; code software ; cost price fee charge dollar euro $ € free budget pay
inv_inventor ; thing code software ; invent author found originat devis creat wrote propos design
inv_year ; code software ; 19 20 introduc appeared year
inv_size ; place ; maximum megabyte gigabyte size limit large kb mb bytes
inv_backup ; place ; backup back-up backed archiv
inv_cipher ; place ; encrypt cipher password protect
inv_keeping ; place ; retention kept retain expire days weeks
inv_memory ; code software ; memory ram megabyte footprint
inv_timeout ; code ; timeout wait second minute millisecond
inv_error ; code ; error exception fail
inv_withdrawal ; code software ; deprecat withdraw obsolete removed retire discontinu
inv_support ; thing software ; support hotline helpdesk phone contact
inv_certificate ; software ; certif approv audit accredit
inv_patent ; thing code ; patent trademark copyright
inv_audit ; place ; audit review inspect
inv_journal ; thing code software ; journal publish proceeding article magazine
inv_users ; software ; million worldwide people users population
inv_training ; thing software ; training course lesson hour
inv_award ; thing software ; award prize medal honour
inv_standard ; thing place ; iso standard norm regulation
inv_supplier ; thing ; suppl manufactur deliver made produc
inv_sponsor ; thing software ; sponsor donat fund subsid pays paid
"""),
    **{
        code: _kinds(
            "\n".join(f"{name} ; thing ; {words}" for name, words in zip(names.split(), triggers.split("/"), strict=True))
        )
        for code, names, triggers in (
            ("de", "inv_phone inv_audit inv_staff inv_users inv_patent inv_insurer inv_award inv_sponsor",
             "telefon rufnummer hotline/prüf kontroll/person mitarbeit personal/million weltweit/patent marke/versicher/preis auszeichn/sponsor förder"),
            ("fr", "inv_price inv_phone inv_audit inv_staff inv_users inv_patent",
             "coût prix tarif $ € budget/téléphone numéro/audit inspect vérifi/employé personnel salarié/million utilisateurs usagers/brevet marque"),
            ("es", "inv_price inv_phone inv_audit inv_staff inv_users inv_patent",
             "coste costo precio tarifa € $/teléfono número/auditor inspec/emplead personal trabajador/millones usuarios/patente marca"),
            ("it", "inv_price inv_phone inv_audit inv_staff inv_users inv_patent",
             "costo prezzo tariffa €/telefono numero/audit ispezion verific/dipendent personale/milioni utenti/brevett marchio"),
            ("pt", "inv_price inv_phone inv_audit inv_staff inv_users inv_patent",
             "custo preço tarifa € $/telefone número/auditor inspe/empregad pessoal funcionári/milhões utilizadores usuários/patente marca"),
            ("nl", "inv_price inv_phone inv_audit inv_staff inv_users inv_patent",
             "kost prijs tarief €/telefoon nummer/audit controle inspect/medewerker personeel/miljoen gebruikers/patent octrooi merk"),
            ("ru", "inv_price inv_phone inv_audit inv_staff inv_users inv_patent",
             "цен стои руб долл/телефон/аудит провер/сотрудник персонал человек/миллион пользовател/патент"),
            ("ja", "inv_price inv_phone inv_inventor inv_patent",
             "価格 料金 円/電話/考案 開発者 作者/特許 商標"),
            ("zh", "inv_price inv_phone inv_inventor inv_patent", "价格 费用 元/电话/发明 作者/专利 商标"),
            ("ko", "inv_price inv_phone inv_inventor inv_patent", "가격 요금 원/전화/발명 저자/특허 상표"),
        )
    },
}  # fmt: skip

"""Other names where an answer is one: people, firms, offices, days of the week, codes.

Only names that can be told by rule are changed: a person by a known first name, a firm by its legal form, an office by
a list, a code by its shape. The first name stays in its kind, so that "she" and "he" still hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragtester.records import Case
from ragtester.stages.stressors.amounts import shuffled
from ragtester.stages.stressors.changing import Edit, with_articles
from ragtester.text.languages import base
from ragtester.text.normalise import fold, listed

Pair = tuple[int, int]
_WOMEN = listed(
    "Anna Maria Julia Laura Sarah Lisa Emma Clara Helen Susan Mary Linda Karen Nancy Emily Rachel Alice Jane Kate Ruth "
    "Ingrid Petra Sabine Monika Claudia Andrea Birgit Katrin Silke Ute Heike Martina Nadia Sofia Elena Irene Eva"
)
_MEN = listed(
    "John Peter Paul James Robert Michael William David Thomas Daniel Mark George Kevin Brian Edward Henry Simon "
    "Martin Hans Klaus Jürgen Wolfgang Stefan Andreas Matthias Uwe Frank Dieter Karl Ralf Jan Lukas Felix Omar Ivan "
    "Luis Marco"
)
_SURNAMES = listed(
    "Hartmann Lindner Brandt Keller Winter Harris Cole Foster Walsh Reed Novak Berger Sander Morris Lang"
)
_FIRMS = listed("Norland Halvera Brightwell Ostermark Calderon Westhaven Aldora Kestrel Tarnow Silverbrook")
_LEGAL = r"GmbH|AG|KG|SE|Ltd\.?|Limited|Inc\.?|LLC|Corp\.?|plc|B\.V\.|S\.A\.|e\.V\.|eG"
_OFFICES = {
    "en": (
        "technician mechanic electrician", "manager director", "secretary treasurer", "supervisor foreman",
        "caretaker janitor", "nurse physician", "chairman treasurer", "accountant auditor", "librarian archivist",
    ),
    "de": (
        "Hausmeister Verwalter", "Techniker Mechaniker Elektriker", "Schriftführer Kassenwart", "Leiter Stellvertreter",
        "Hausbeirat Vorstand", "Mietbüro Hausbüro",
    ),
}  # fmt: skip
_DAYS = {
    "en": listed("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
    "de": listed("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag"),
}
_PERSON = re.compile(r"\b([A-ZÄÖÜ][a-zäöüß]+) ([A-ZÄÖÜ][a-zäöüß]+(?:-[A-ZÄÖÜ][a-zäöüß]+)?)\b")
_FIRM = re.compile(rf"\b([A-ZÄÖÜ][\w&-]+(?: [A-ZÄÖÜ&][\w&-]*)*) (?:{_LEGAL})(?!\w)")
_CODE = re.compile(r"(?<![\w./-])(?=[\w.-]*[A-Z])[A-Z][\w]*(?:[-.]\w+)*?(\d+)(?![\w.-]*\w)")


# What a text names more often is what it is about: under another name it would be another document.
_OFTEN = 4


@dataclass(frozen=True)
class Renamed:
    """A name that became another: everywhere in the text, in the same letters."""

    old: str
    new: str
    edits: tuple[Edit, ...]


def rename(text: str, evidence: Sequence[Pair], case: Case, seed: object, whole: str) -> Renamed | None:
    """Another name for the first one of the evidence that the answer says and the question does not; None for none.

    `whole` is the document of the text: a name that it has often is what it is about.
    """
    language = case.language
    held = "\n".join(text[slice(*span)] for span in evidence)
    for old, options in _names(held, base(language)):
        answers = _has(case.expected_answer, old) and not _has(case.question, old)
        if not answers or len(_find(whole, old)) > _OFTEN:
            continue
        for new in shuffled(options, seed, old):
            if not _has(text, new):
                edits = [
                    Edit(match.start(), match.end(), new, f"name:{old}", match.span()) for match in _find(text, old)
                ]
                edits = with_articles(text, edits) if base(language) == "en" else edits
                return Renamed(old, new, tuple(edits))
    return None


def _names(text: str, code: str) -> Iterator[tuple[str, list[str]]]:
    """Names of a text, each with others that could stand in its place."""
    for match in _PERSON.finditer(text):
        for firsts in (_WOMEN, _MEN):
            if match[1] in firsts:
                others = [name for name in firsts if name != match[1]]
                yield match.group(), [f"{shuffled(others, match[1], last)[0]} {last}" for last in _SURNAMES]
    for match in _FIRM.finditer(text):
        yield match[1], _FIRMS
    yield from _listed_names(text, code)
    for match in _CODE.finditer(text):
        yield match.group(), [*_codes(match.group(), match[1])]


def _listed_names(text: str, code: str) -> Iterator[tuple[str, list[str]]]:
    """Days of the week and offices."""
    for line in (_DAYS.get(code, []), *map(listed, _OFFICES.get(code, ()))):
        for name in line:
            if re.search(rf"\b{name}\b", text):
                yield name, [other for other in line if other != name]


def _codes(code: str, digits: str) -> Iterator[str]:
    """Codes that differ in their last number."""
    stem, number = code[: len(code) - len(digits)], int(digits)
    for far in (1, 2, 3, 4, -1, -2, 10, 20):
        other = str(number + far).zfill(len(digits))
        if number + far > 0 and len(other) == len(digits):
            yield stem + other


def _find(text: str, name: str) -> list[re.Match[str]]:
    return list(re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-]*\w)", text))


def _has(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(fold(name))}(?!\w)", fold(text)) is not None

"""What a short expected answer wants beyond the question: its values and identifiers, and whether they are given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from ragtester.models.embedded.judging_statements import Body, Statement, read
from ragtester.models.embedded.judging_words import NEGATORS, YES
from ragtester.tasks import JudgeAnswer
from ragtester.text.keywords import keyword_match
from ragtester.text.numbers import NUMBER, digits_to_ascii, number_words, parse
from ragtester.text.quantities import Quantity, Values, same_quantity
from ragtester.text.stems import stems
from ragtester.text.words import words

MOST_WORDS = 40
"""Up to so many words of an expected answer, a value that its keywords name is what was asked for."""
YEAR = 0.5
"""What the year alone gives of a date with a day or a month."""


@dataclass(frozen=True)
class Wanted:
    """What came of it.

    `shares`: for each of the expected answer's quantities that the question does not name, how far it is given (0 to
    1). `nothing`: why the answer gives nothing of what was asked for, `part`: why only some of it ("": neither).
    `conflicts`: other values in the place of wanted ones, by the answer's statement: the expected one's place, why.
    `invented`: a value with a unit that neither question, expected answer nor evidence names.
    """

    shares: tuple[float, ...] = ()
    nothing: str = ""
    part: str = ""
    conflicts: dict[int, tuple[int, str]] = field(default_factory=dict)
    invented: str = ""


@dataclass(frozen=True)
class _Value:
    quantity: Quantity
    statement: Statement
    place: int

    @property
    def shown(self) -> str:
        return " ".join(self.statement.text[self.quantity.start : self.quantity.end].split())


def find_wanted(request: JudgeAnswer, answer: Body, expected: Body, question: Body, truth: Body) -> Wanted:
    """What is wanted and given. `truth` is all that the answer may say: the expected answer and the evidence."""
    asked = Values(question.quantities)
    values = [one for one in _values(expected) if one.quantity not in asked]
    if not values and not _fresh_stems(expected, question):
        values = list(_values(expected))  # "five or ten?": what is expected is one of those that the question offers
    said = list(_values(answer))
    shares = [_given(one, said, question, request.language) for one in values]
    if _echoes(answer, expected, question):
        return Wanted(tuple(shares), "says no more than the question")
    if len(words(request.expected_answer)) > MOST_WORDS:
        return Wanted(tuple(shares))
    named = Values([one for keyword in request.keywords for one in read(keyword, request.language, None).quantities])
    key = [(one, share) for one, share in zip(values, shares, strict=True) if one.quantity in named]
    missed = [one for one, share in key if not share]
    lacking = f"does not give {missed[0].shown!r}" if missed and len(missed) == len(key) else ""
    lacking = lacking or ("" if key else _missed_codes(request, answer, expected, question))
    others = lacking and _gives_other_keywords(request, named, question)
    known = Values([*truth.quantities, *question.quantities])
    return Wanted(
        tuple(shares),
        "" if others else lacking,
        lacking if others else "",
        _conflicts(said, missed, [*expected.quantities, *question.quantities], whole=len(missed) == len(key)),
        next((one.shown for one in said if one.quantity.unit and one.quantity not in known), ""),
    )


def _values(body: Body) -> Iterator[_Value]:
    for place, statement in enumerate(body.statements):
        for quantity in statement.quantities:
            yield _Value(quantity, statement, place)


def _given(wanted: _Value, said: list[_Value], question: Body, language: str) -> float:
    return max((_agrees(wanted, one, question, language) for one in said), default=0.0)


def _agrees(wanted: _Value, said: _Value, question: Body, language: str) -> float:
    """How far two values are the same: 1, `YEAR` or 0. A number without any unit stands for the one with it."""
    one, two = wanted.quantity, said.quantity
    if same_quantity(one, two):
        return 1.0
    if "date" in (one.kind, two.kind):
        bare, date = (one, two) if two.kind == "date" else (two, one)
        same_year = bare.kind != "date" and not bare.unit and bare.value == int(date.value) // 10000 > 0
        return (1.0 if bare is one else YEAR) if same_year else 0.0
    topic = set(question.surfaces) | set(wanted.statement.stems)
    unitless = _unitless(said, topic) or _unitless(wanted, set(question.surfaces))
    written = _written(wanted, language)
    return float(unitless and written is not None and written == _written(said, language))


def _unitless(value: _Value, topic: set[str]) -> bool:
    """Whether a bare number counts nothing else: no content word off the topic follows ("40 sheets")."""
    following = words(value.statement.text[value.quantity.end :])[:1]
    counted = value.statement.stem_of.get(following[0]) if following else None
    return not value.quantity.unit and (counted is None or counted in topic)


def _written(value: _Value, language: str) -> Decimal | None:
    """The number as it is written, before its unit; None where there is none."""
    shown = digits_to_ascii(value.shown)
    match = NUMBER.search(shown)
    if match:
        return parse(match, language)
    worded = number_words(language).get(shown.split()[0].lower())
    return None if worded is None else Decimal(worded)


def _conflicts(
    said: list[_Value], missed: list[_Value], agreed: list[Quantity], *, whole: bool
) -> dict[int, tuple[int, str]]:
    """Values of the same unit in the place of missing ones; with `whole`, nothing that was wanted is there."""
    right = Values(agreed)
    found: dict[int, tuple[int, str]] = {}
    for one in missed if whole else ():
        for other in said:
            same = bool(one.quantity.unit) and one.quantity.unit == other.quantity.unit
            if same and other.quantity not in right:
                found.setdefault(other.place, (one.place, f"{other.shown} instead of {one.shown}"))
    return found


def _missed_codes(request: JudgeAnswer, answer: Body, expected: Body, question: Body) -> str:
    """Why none of the identifiers is there that keywords and expected answer name and the question does not."""
    named = _codes(*(read(keyword, request.language, None) for keyword in request.keywords))
    wanted = named & _codes(expected) - _codes(question)
    return f"does not give {min(wanted)!r}" if wanted and not wanted & _codes(answer) else ""


def _codes(*bodies: Body) -> frozenset[str]:
    return frozenset(code for body in bodies for statement in body.statements for code in statement.codes)


def _gives_other_keywords(request: JudgeAnswer, named: Values, question: Body) -> bool:
    """Whether a keyword without value or identifier, and not of the question's words alone, is in the answer."""
    for keyword in request.keywords:
        body = read(keyword, request.language, None)
        fresh = set(stems(keyword, request.language)) - set(question.surfaces)
        if fresh and not body.quantities and not _codes(body):
            if keyword_match((keyword,), request.answer, request.language)[0] == "true":
                return True
    return False


def _fresh_stems(body: Body, question: Body) -> set[str]:
    return {stem for one in body.statements for stem in one.stems} - set(question.surfaces)


def _echoes(answer: Body, expected: Body, question: Body) -> bool:
    """Whether an answer has no stem, value, identifier, "yes" or "no" beyond the question, and the expected one has."""
    asked = Values(question.quantities)
    beyond = _fresh_stems(expected, question) or any(one not in asked for one in expected.quantities)
    if not answer.statements or not beyond or _fresh_stems(answer, question) or _codes(answer) - _codes(question):
        return False
    said, heard = (
        {word for one in body.statements for word in one.sequence} & (NEGATORS | YES) for body in (answer, question)
    )
    return said <= heard and all(one in asked for one in answer.quantities)

"""What a short expected answer wants beyond the question: its values and identifiers, and whether they are given."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragtester.models.embedded.judging_clauses import two_values
from ragtester.models.embedded.judging_statements import Body, Statement, read
from ragtester.models.embedded.judging_units import Value, values_of
from ragtester.models.embedded.judging_words import NEGATING_SIGNS, NEGATORS, NO, YES
from ragtester.tasks import AnswerSeen
from ragtester.text.keywords import keyword_match
from ragtester.text.quantities import Quantity, Values, same_quantity
from ragtester.text.stems import stems
from ragtester.text.words import words

MOST_WORDS = 40
"""Up to so many words of an expected answer, a value that its keywords name is what was asked for."""
YEAR = 0.5
"""What the year alone gives of a date with a month."""


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


def find_wanted(request: AnswerSeen, answer: Body, expected: Body, question: Body, truth: Body) -> Wanted:
    """What is wanted and given. `truth` is all that the answer may say: the expected answer and the evidence."""
    asked = Values(question.quantities)
    values = [one for one in values_of(expected) if one.quantity not in asked]
    if not values and not _fresh(expected, question):
        values = list(values_of(expected))  # "five or ten?": what is expected is one of those that the question offers
    said = list(values_of(answer))
    shares = tuple(max((_agrees(one, other) for other in said), default=0.0) for one in values)
    if _echoes(answer, expected, question):
        return Wanted(shares, "says no more than the question")
    if len(words(request.expected_answer)) > MOST_WORDS:
        return Wanted(shares)
    named = Values([one for keyword in request.keywords for one in read(keyword, request.language, None).quantities])
    key = [(one, share) for one, share in zip(values, shares, strict=True) if one.quantity in named]
    missed = [one for one, share in key if not share]
    lacking = f"does not give {missed[0].shown!r}" if missed and len(missed) == len(key) else ""
    lacking = lacking or ("" if key else _missed_codes(request, answer, expected, question))
    others = bool(lacking) and _gives_other_keywords(request, question)
    elsewhere = "" if any(shares) else _says_elsewhere(request, answer, expected, question, truth)
    agreed = [*expected.quantities, *question.quantities]
    known = Values([*truth.quantities, *question.quantities])
    return Wanted(
        shares,
        ("" if others else lacking) or elsewhere or _leaves_denial_out(answer, expected, question),
        lacking if others else "",
        two_values(answer, expected) | (_conflicts(said, missed, agreed) if len(missed) == len(key) else {}),
        next((one.shown for one in said if one.quantity.unit and one.quantity not in known), ""),
    )


def _agrees(wanted: Value, said: Value) -> float:
    one, two = wanted.quantity, said.quantity
    if not same_quantity(one, two):
        return 0.0
    year_alone = one.kind == "date" and int(one.value) % 10000 and not int(two.value) % 10000
    return YEAR if year_alone else 1.0


def _conflicts(said: list[Value], missed: list[Value], agreed: list[Quantity]) -> dict[int, tuple[int, str]]:
    """Values with the unit of a missing one, and in its place."""
    right = Values(agreed)
    found: dict[int, tuple[int, str]] = {}
    for one in missed:
        for other in said:
            same = bool(one.quantity.unit) and one.quantity.unit == other.quantity.unit
            if same and other.quantity not in right:
                found.setdefault(other.place, (one.place, f"{other.shown} instead of {one.shown}"))
    return found


def _missed_codes(request: AnswerSeen, answer: Body, expected: Body, question: Body) -> str:
    """Why none of the identifiers is there that keywords and expected answer name and the question does not."""
    named = _codes(*(read(keyword, request.language, None) for keyword in request.keywords))
    wanted = named & _codes(expected) - _codes(question)
    return f"does not give {min(wanted)!r}" if wanted and not wanted & _codes(answer) else ""


def _codes(*bodies: Body) -> frozenset[str]:
    return frozenset(code for body in bodies for statement in body.statements for code in statement.codes)


def _gives_other_keywords(request: AnswerSeen, question: Body) -> bool:
    """Whether a keyword without value or identifier, and not of the question's words alone, is in the answer."""
    for keyword in request.keywords:
        body = read(keyword, request.language, None)
        fresh = set(stems(keyword, request.language)) - set(question.surfaces)
        plain = fresh and not body.quantities and not _codes(body)
        if plain and keyword_match((keyword,), request.answer, request.language)[0] == "true":
            return True
    return False


def _fresh(body: Body, question: Body) -> set[str]:
    return {stem for one in body.statements for stem in one.stems} - set(question.surfaces)


def _polar(body: Body) -> set[str]:
    """Words of a text that deny or affirm, and "n't"; signs of languages without spaces as one."""
    said = {word for one in body.statements for word in one.sequence}
    signs = {"不"} if any(NEGATING_SIGNS.search(one.text) for one in body.statements) else set()
    return said & (NEGATORS | NO | YES) | {"not" for word in said if word.endswith("n't")} | signs


def _echoes(answer: Body, expected: Body, question: Body) -> bool:
    """Whether an answer has no stem, value, identifier, "yes" or "no" beyond the question, and the expected one has."""
    asked = Values(question.quantities)
    beyond = _fresh(expected, question) or any(one not in asked for one in expected.quantities)
    if not answer.statements or not beyond or _fresh(answer, question) or _codes(answer) - _codes(question):
        return False
    return _polar(answer) <= _polar(question) and all(one in asked for one in answer.quantities)


def _leaves_denial_out(answer: Body, expected: Body, question: Body) -> str:
    """Why the answer gives nothing where "nobody" or "not" is all that the expected answer adds to the question."""
    if _fresh(expected, question) or expected.quantities or _codes(expected) - _codes(question):
        return ""
    denials = _polar(expected) - _polar(question) - YES
    return "leaves the denial out" if denials and not _polar(answer) - YES else ""


def _says_elsewhere(request: AnswerSeen, answer: Body, expected: Body, question: Body, truth: Body) -> str:
    """Why an answer in the evidence's words has none of the expected ones: it says another sentence, or a sibling.

    All its words beyond the question stand in one statement of the evidence, which holds none of the expected ones;
    or both stand in one that names another subject as well ("the Heron is green and the Stork red"). Where some words
    are shared, no keyword may be there ("the owner is liable" for "the renter is liable").
    """
    wanted, given = _fresh(expected, question), _fresh(answer, question)
    if wanted & given and not _misses_all_keywords(request):
        return ""
    wanted, given = wanted - given, given - wanted
    if not wanted or not given or answer.quantities:
        return ""
    expected_texts = {one.text for one in expected.statements}
    holders = [one for one in truth.statements if given <= set(one.stems) and one.text not in expected_texts]
    about = wanted | given | set(question.surfaces)
    if holders and all(not wanted & set(one.stems) or _names_another(one, about) for one in holders):
        return "says something else that the evidence names"
    return ""


def _misses_all_keywords(request: AnswerSeen) -> bool:
    return bool(request.keywords) and keyword_match(request.keywords, request.answer, request.language)[0] == "false"


def _names_another(statement: Statement, about: set[str]) -> bool:
    return bool(statement.names - about or set(statement.stems[:1]) - about)

"""A member of the embedded panel that compares facts: values with their units, identifiers, names, denials."""

from __future__ import annotations

from ragtester.models.embedded.judging_statements import Body, Embed, read
from ragtester.models.embedded.judging_units import adopt_units
from ragtester.models.embedded.judging_words import NEGATORS
from ragtester.models.embedded.voting_words import word_cover
from ragtester.tasks import VoteOnVerdict
from ragtester.text.quantities import Values

ENOUGH = 0.5
"""Share of the wanted facts that must be there."""
SOME_WORDS = 0.3
"""Where no fact is wanted, so much of the expected words stands in for one."""


def by_values(request: VoteOnVerdict, embed: Embed) -> tuple[bool, str]:  # noqa: ARG001 - members have one form
    """Half of the expected answer's facts beyond the question are there, and no value that stands nowhere.

    Without such facts a third of the expected words must do, and the answer must deny where the expected one denies.
    """
    if not request.answerable:
        return False, "answers a question that must be refused"
    language = request.language
    expected, question = read(request.expected_answer, language, None), read(request.question, language, None)
    answer = adopt_units(read(request.answer, language, None), expected, language)
    evidence = [read(passage.text, language, None) for passage in request.evidence]
    known = Values([one for body in (expected, question, *evidence) for one in body.quantities])
    foreign = next((one for one in answer.quantities if one.unit and one not in known), None)
    if foreign is not None:
        return False, f"names {foreign.value:f} {foreign.unit}, which stands nowhere"
    given, wanted = _given(expected, question, answer)
    if wanted:
        return given / wanted >= ENOUGH, f"{given} of {wanted} expected value(s), identifier(s) or name(s) are there"
    if _denies(expected) and not _denies(answer):
        return False, "leaves the denial of the expected answer out"
    cover = word_cover(request)
    return cover >= SOME_WORDS, f"no value was wanted; {cover:.0%} of the expected words are there"


def _given(expected: Body, question: Body, answer: Body) -> tuple[int, int]:
    """How many facts of the expected answer, those of the question aside, the answer gives, and how many there are."""
    asked, said = Values(question.quantities), Values(answer.quantities)
    values = [one for one in expected.quantities if one not in asked]
    marks = _marks(expected) - _marks(question) - set(question.surfaces)
    spoken = _marks(answer) | {stem for one in answer.statements for stem in one.stems}
    return sum(one in said for one in values) + len(marks & spoken), len(values) + len(marks)


def _marks(body: Body) -> set[str]:
    """Identifiers and names."""
    return {mark for one in body.statements for mark in one.codes | one.names}


def _denies(body: Body) -> bool:
    return any(NEGATORS & set(one.sequence) for one in body.statements)

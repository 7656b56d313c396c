"""Whether a question that a model wrote is of the kind that was asked for: measured, with the reasons in words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragtester.tasks import QuestionStressed, StressQuestion
from ragtester.text.keywords import keyword_match
from ragtester.text.languages import base
from ragtester.text.normalise import fold
from ragtester.text.quantities import Quantity, Values, codes, quantities
from ragtester.text.stems import stems

LONGEST = 400
MOST_NAMES = 3
_CODE = re.compile(r"\S*\d\S*")
_JOINED = 4
"""A stem so long inside a longer word of the other text is a part of a compound."""


def reasons(request: StressQuestion, reply: QuestionStressed) -> tuple[str, ...]:
    """Why a reply cannot be used; nothing where it can."""
    kinds = {"under_specified": _under_specified, "paraphrase": _paraphrase, "wrong_premise": _wrong_premise}
    return tuple(dict.fromkeys([*_always(request, reply), *kinds[request.kind](request, reply)]))


def _always(request: StressQuestion, reply: QuestionStressed) -> Iterator[str]:
    if fold(reply.question) == fold(request.question):
        yield "it is the original question"
    if len(reply.question) > LONGEST:
        yield f"it has {len(reply.question)} characters; at most {LONGEST}"
    evidence = " ".join(one.text for one in request.evidence)
    # What the answer says of a wrong premise may be about a value that the question brought in.
    own = reply.question if request.kind == "wrong_premise" else ""
    texts = (evidence, request.expected_answer, own)
    known = Values([one for text in texts for one in quantities(text, request.language)])
    new = [one for one in quantities(reply.expected_answer, request.language) if one not in known]
    if new:
        said = ", ".join(reply.expected_answer[one.start : one.end].strip() for one in new)
        yield f"the expected answer states what the passages do not: {said}"
    given = {*codes(evidence, request.language), *codes(request.question, request.language)}
    unknown = codes(reply.question, request.language) - given - codes(request.wrong_value, request.language)
    if unknown:
        yield f"the question names what neither question nor passages name: {', '.join(sorted(unknown))}"


def _same_answer(request: StressQuestion, reply: QuestionStressed) -> Iterator[str]:
    """The expected answer still says every value and code of the original one."""
    there = Values(quantities(reply.expected_answer, request.language))
    lost = [one for one in quantities(request.expected_answer, request.language) if one not in there]
    if lost:
        said = ", ".join(request.expected_answer[one.start : one.end].strip() for one in lost)
        yield f"the expected answer lacks {said}"
    gone = codes(request.expected_answer, request.language) - codes(reply.expected_answer, request.language)
    if gone:
        yield f"the expected answer lacks {', '.join(sorted(gone))}"


def _gives_away(request: StressQuestion, reply: QuestionStressed) -> Iterator[str]:
    """The question says no value of the answer that the original question does not say."""
    asked = Values(quantities(request.question, request.language))
    answer = Values(quantities(request.expected_answer, request.language))
    told = [one for one in quantities(reply.question, request.language) if one in answer and one not in asked]
    if told:
        yield f"the question gives away {', '.join(reply.question[one.start : one.end].strip() for one in told)}"


def _under_specified(request: StressQuestion, reply: QuestionStressed) -> Iterator[str]:
    yield from _same_answer(request, reply)
    yield from _gives_away(request, reply)
    before, after = set(stems(request.question, request.language)), set(stems(reply.question, request.language))
    if len(after) >= len(before):
        yield f"it leaves nothing out: {len(after)} content words where the original has {len(before)}"
    if not after:
        yield "it has no content word left"
    evidence = " ".join(one.text for one in request.evidence)
    near = before | set(stems(evidence, request.language)) | set(stems(request.expected_answer, request.language))
    if after and not after & near:
        yield "it shares no content word with question or passages: nobody could tell what is meant"


def _paraphrase(request: StressQuestion, reply: QuestionStressed) -> Iterator[str]:
    yield from _same_answer(request, reply)
    yield from _gives_away(request, reply)
    names, faults = _names(request, reply)
    yield from faults
    shared = shared_words(reply.question, " ".join(one.text for one in request.evidence), request.language, names)
    if shared:
        yield f"it shares words with the passages: {', '.join(shared)}"
    asked, kept = quantities(request.question, request.language), Values(quantities(reply.question, request.language))
    lost = [one for one in asked if one not in kept]
    if lost:
        yield f"it lacks {', '.join(request.question[one.start : one.end].strip() for one in lost)}"


def shared_words(question: str, evidence: str, language: str, names: frozenset[str] = frozenset()) -> list[str]:
    """Content stems of a question that stand in its evidence, alone or as a part of a compound, in order.

    Stems in `names`, numbers and codes do not count.
    """
    held = set(stems(evidence, language))
    known = {one for token in _CODE.findall(question) for one in stems(token, language)} | names
    values = {
        one for span in quantities(question, language) for one in stems(question[span.start : span.end], language)
    }
    found = []
    for one in dict.fromkeys(stems(question, language)):
        if one in known or one in values or any(char.isdigit() for char in one):
            continue
        if one in held or (base(language) in ("de", "nl") and _in_compound(one, held)):
            found.append(one)
    return found


def _in_compound(one: str, held: set[str]) -> bool:
    return len(one) >= _JOINED and any(one in other or (len(other) >= _JOINED and other in one) for other in held)


def _names(request: StressQuestion, reply: QuestionStressed) -> tuple[frozenset[str], list[str]]:
    """Stems of the names that may be shared, and what is wrong with the list of them."""
    faults = []
    if len(reply.names) > MOST_NAMES:
        faults.append(f"it keeps {len(reply.names)} names; at most {MOST_NAMES}")
    good: set[str] = set()
    for name in reply.names:
        written = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", request.question)
        capital = name[:1].isupper() or any(char.isdigit() for char in name)
        if not capital or not (written or any(name in one.text for one in request.evidence)):
            faults.append(f"{name!r} is no name of the question or the passages")
        else:
            good.update(stems(name, request.language))
    return frozenset(good), faults


def _wrong_premise(request: StressQuestion, reply: QuestionStressed) -> Iterator[str]:
    if not _holds(reply.question, request.wrong_value, request.language):
        yield f"the question does not state {request.wrong_value}"
    if _holds(reply.question, request.true_value, request.language):
        yield f"the question states the true value {request.true_value}"
    if not _holds(reply.expected_answer, request.true_value, request.language):
        yield f"the expected answer does not name {request.true_value}"
    if _holds(reply.expected_answer, request.wrong_value, request.language):
        yield f"the expected answer repeats {request.wrong_value}"
    evidence = " ".join([*(one.text for one in request.evidence), request.question, request.expected_answer])
    if not set(stems(reply.question, request.language)) & set(stems(evidence, request.language)):
        yield "it shares no content word with question or passages: nobody could tell what is meant"


def _holds(text: str, value: str, language: str) -> bool:
    """Whether a text states a value, in any writing of it."""
    wanted: list[Quantity] = quantities(value, language)
    if wanted:
        there = Values(quantities(text, language))
        return all(one in there for one in wanted)
    return fold(value) in fold(text) or keyword_match((value,), text, language)[0] == "true"

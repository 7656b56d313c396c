"""Questions that need a fact of each of two passages: comparisons where both state the same kind of value, else two
facts on one subject, else two facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from ragtester.models.embedded import languages, salient
from ragtester.models.embedded.asking import ATTEMPTS, evidence, fixed, good, quotes, ranked, styles
from ragtester.models.embedded.comparing import COMPARED, conclusion, order, the_one
from ragtester.models.embedded.facts import Fact
from ragtester.models.embedded.passages import Reading, queries, read
from ragtester.models.embedded.rendering import STYLES, render
from ragtester.tasks import Draft, WriteCases
from ragtester.text.stems import stems

# Facts that are paired, and partners tried for each: the best of a long passage are enough.
MOST_FACTS, MOST_PARTNERS = 24, 8


def several(request: WriteCases, code: str) -> Iterator[Draft]:
    """Drafts that need two passages: in the style asked for, then in any, then as queries."""
    reading = read(request.passages, code)
    facts = ranked(reading, request, code)
    for chosen in (styles(request, str(request.seed)), STYLES):
        yield from _drafts(request, reading, facts, chosen, code)
    wide = [*facts, *ranked(queries(request.passages, code), request, code)]
    yield from _drafts(request, reading, wide, ("keyword",), code)


def _drafts(
    request: WriteCases, reading: Reading, facts: Sequence[Fact], chosen: Sequence[str], code: str
) -> Iterator[Draft]:
    first = [fact for fact in facts if fact.passage == facts[0].passage][:MOST_FACTS]
    others = [fact for fact in facts if fact.passage != facts[0].passage][:MOST_FACTS]
    pairs = sorted(
        ((_distance(one, other, code), place + number, one, other)
         for place, one in enumerate(first) for number, other in enumerate(others) if one.subject != other.subject),
        key=lambda pair: pair[:2],
    )  # fmt: skip
    for _, _, one, other in islice(pairs, MOST_FACTS * MOST_PARTNERS):
        if draft := _pair(request, code, reading, (one, other), chosen):
            yield draft


def _distance(one: Fact, other: Fact, code: str) -> int:
    """How little two facts have to do with each other: comparable values, one subject, one kind, nothing."""
    if comparable(one, other, code):
        return 0
    if set(stems(one.subject, code)) & set(stems(other.subject, code)):
        return 1
    return 2 if one.found.kind == other.found.kind else 3


def comparable(one: Fact, other: Fact, code: str) -> str:
    """How the values of two facts compare (longer, earlier, higher); empty where they are not of one kind."""
    if code not in COMPARED or one.found.kind != other.found.kind or one.found.kind == salient.KIND:
        return ""
    if one.found.slots.get("W") != other.found.slots.get("W"):
        return ""
    counted = one.found.kind == "count" and one.found.slots.get("U") == other.found.slots.get("U")
    bare = one.found.kind == "price" or counted
    return order(the_one(one.found.value, code), the_one(other.found.value, code), bare=bare)


def _pair(
    request: WriteCases, code: str, reading: Reading, facts: tuple[Fact, Fact], chosen: Sequence[str]
) -> Draft | None:
    facts = (min(facts, key=_place), max(facts, key=_place))
    told = " ".join(evidence(fact) for fact in facts)
    compared = comparable(*facts, code)
    for style in chosen:
        for attempt in range(ATTEMPTS if compared else 1):
            asked = [
                render(fact, "keyword" if style == "keyword" else "wh", code, request.seed, fixed(reading), attempt)
                for fact in facts
            ]
            if not all(asked):
                continue
            question = _joined(asked, style, code, request.seed, compared)
            if good(question, style, facts, told, code):
                return Draft(
                    question=question,
                    expected_answer=_answer(facts, compared, code),
                    keywords=tuple(dict.fromkeys(word for fact in facts for word in fact.keywords[:2])),
                    quotes=tuple(dict.fromkeys(quote for fact in facts for quote in quotes(request, fact))),
                    style=style,
                )
    return None


def _joined(asked: Sequence[str], style: str, code: str, seed: int, compared: str) -> str:
    if not compared:
        return languages.joined(asked[0], asked[1], style, code, seed)
    ending, query, _ = COMPARED[code][compared]
    if style == "keyword":
        return f"{asked[0]}; {asked[1]}; {query}"
    both = languages.joined(asked[0], asked[1], "wh", code, seed).rstrip("? ")
    return f"{both}, {ending}"


def _answer(facts: Sequence[Fact], compared: str, code: str) -> str:
    said = " ".join(fact.found.answer for fact in facts)
    if not compared:
        return said
    return f"{said} {conclusion([fact.found.value for fact in facts], code, bare=True)}".strip()


def _place(fact: Fact) -> tuple[int, int]:
    return fact.passage, fact.statement.start

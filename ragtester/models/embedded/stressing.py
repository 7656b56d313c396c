"""The same question asked in a harder way, by rule: only where a rule gives a question that people would ask."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragtester.models.embedded.facts import NoCase
from ragtester.models.embedded.rewording import reword
from ragtester.tasks import QuestionStressed, StressQuestion
from ragtester.text.languages import base
from ragtester.text.quantities import codes
from ragtester.text.sentences import sentences
from ragtester.text.stems import stems
from ragtester.text.words import words

# What follows a statement that is taken for granted, and how the answer begins.
_ON_FROM_THERE = {
    "en": (("{0} – so can I plan with {1}?", "{0} – is {1} what I should put in the schedule?"), "That is not so. {0}"),
    "de": (("{0} – kann ich also mit {1} planen?", "{0} – soll ich {1} so eintragen?"), "Das trifft nicht zu. {0}"),
    "fr": (("{0} – puis-je donc compter sur {1} ?",), "Ce n'est pas exact. {0}"),
    "es": (("{0}: ¿puedo entonces contar con {1}?",), "Eso no es así. {0}"),
    "it": (("{0} – posso quindi contare su {1}?",), "Non è così. {0}"),
    "nl": (("{0} – kan ik dus op {1} rekenen?",), "Dat klopt niet. {0}"),
    "pt": (("{0} – posso então contar com {1}?",), "Não é assim. {0}"),
}  # fmt: skip
# Ends of a question that narrow it: a phrase with a name, a code, a number or a quotation in it.
_NARROWING = {
    "en": r" (?:of|for|in|on|at|under|to|from|with|by|during|within) (?:the |a |an )?",
    "de": r" (?:von|für|in|im|am|an|auf|unter|bei|beim|mit|während|der|des|dem) (?:der |die |das |dem |den )?",
}
_NAMED = r"(?:[“\"„»«][^”\"“»«]+[”\"“«»]|[A-ZÄÖÜ0-9][\w-]*(?: [A-ZÄÖÜ0-9][\w-]*)*)(?=[ ?.,]|$)"
_SEEDS = 12


def stress_question(request: StressQuestion) -> QuestionStressed:
    """The question in the request's kind. Raises NoCase where no rule gives an honest one."""
    rules = {"under_specified": _under_specified, "paraphrase": _paraphrase, "wrong_premise": _wrong_premise}
    refused = {one.question for one in request.rejected}
    for reply in rules[request.kind](request):
        if reply.question not in refused:
            return reply
    raise NoCase(_WHY[request.kind])


_WHY = {
    "under_specified": "no part of the question can be left out by rule",
    "paraphrase": "the thesaurus has no other words for what the question shares with its evidence",
    "wrong_premise": "the answer is no sentence that could be said with another value",
}


def _wrong_premise(request: StressQuestion) -> Iterator[QuestionStressed]:
    """The answer's statement with the wrong value, and what follows from it."""
    phrases = _ON_FROM_THERE.get(base(request.language))
    said = sentences(request.expected_answer, request.language)
    holding = next((one for one in said if request.true_value in one), "")
    statement = holding.replace(request.true_value, request.wrong_value).rstrip(".。 ")
    if phrases is None or not holding.rstrip().endswith(".") or len(words(statement)) < 5 or ";" in statement:
        return
    for number in range(len(phrases[0])):
        question = phrases[0][(request.seed + number) % len(phrases[0])]
        yield QuestionStressed(
            question=question.format(statement, request.wrong_value),
            expected_answer=phrases[1].format(request.expected_answer),
        )


def _under_specified(request: StressQuestion) -> Iterator[QuestionStressed]:
    """The question without the scene around it and without one phrase that narrows it."""
    bare = _bare(request.question, request.language)
    pattern = _NARROWING.get(base(request.language))
    for match in reversed(list(re.finditer(pattern + _NAMED, bare))) if pattern else ():
        left = (bare[: match.start()] + bare[match.end() :]).strip()
        if len(stems(left, request.language)) >= 2 and match.start():
            yield QuestionStressed(question=left, expected_answer=request.expected_answer)


def _bare(question: str, language: str) -> str:
    """The question itself: the last sentence of a scene, what stands behind a colon."""
    last = sentences(question, language)[-1:] or [question]
    asked = last[0].rpartition(": ")[2].strip()
    return asked[:1].upper() + asked[1:] if asked != question else question


def _paraphrase(request: StressQuestion) -> Iterator[QuestionStressed]:
    """The question in synonyms, where it shares no content word with the evidence any more."""
    evidence = " ".join(one.text for one in request.evidence)
    held = set(stems(evidence, request.language))
    kept = {one for code in codes(request.question, request.language) for one in stems(code, request.language)}
    bare = _bare(request.question, request.language)
    for seed in range(_SEEDS):
        made = reword(bare, base(request.language), request.seed + seed)
        if made != bare and not (set(stems(made, request.language)) & held) - kept:
            yield QuestionStressed(question=made, expected_answer=request.expected_answer)

"""The same question asked in a harder way, by rule: only where a rule gives a question that people would ask."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragtester.models.embedded.facts import NoCase
from ragtester.models.embedded.rewording import reword
from ragtester.tasks import QuestionStressed, StressQuestion
from ragtester.text.languages import base, stop_words
from ragtester.text.normalise import listed
from ragtester.text.sentences import sentences
from ragtester.text.stems import stems
from ragtester.text.words import words

# A premise with what is asked on its ground, and how the answer begins. Where a clause of its own would need another
# order of words, the statement stands first.
_ON_FROM_THERE = {
    "en": (("Since {0}, can I rely on that?", "As {0}, I would go by that. Is that all right?"), "No. {0}"),
    "de": (("{1} – kann ich mich darauf verlassen?", "{1} – kann ich davon ausgehen?"), "Nein. {0}"),
    "fr": (("Puisque {0}, puis-je compter là-dessus ?",), "Non. {0}"),
    "es": (("Dado que {0}, ¿puedo contar con eso?",), "No. {0}"),
    "it": (("Dato che {0}, posso contarci?",), "No. {0}"),
    "nl": (("{1} – kan ik daarvan uitgaan?",), "Nee. {0}"),
    "pt": (("Já que {0}, posso contar com isso?",), "Não. {0}"),
}
# Phrases that narrow a question: a preposition, an article, and the words up to the next of `_NEXT`.
_NARROWING = {
    "en": re.compile(
        r" (?:of|for|in|on|at|under|from|with|by|during|within|per) (?:(?:the|a|an|each|this|that|its) )?(?=[^ ])"
    ),
    "de": re.compile(
        r" (?:von|für|in|im|am|an|auf|unter|bei|beim|mit|während|je|pro) "
        r"(?:(?:der|die|das|dem|den|einem|einer) )?(?=[^ ])"
    ),
}
_NEXT = frozenset(
    listed(
        "of for in on at under from with by during within per to and or the a an is are was were does do did has have "
        "can must may should be day von für im am auf unter bei mit je pro und oder der die das dem den ist sind war "
        "wird werden hat haben kann muss darf soll zu nach"
    )
)
_ASKING = re.compile(
    r"\b(?:wh(?:ich|at|ose|om|o|en|ere|y)|how|welche\w*|was|wer|wem|wen|wessen|wann|wo|wie\w*|warum)\b", re.I
)
# What is said of the subject comes last there: "why is calling it from outside difficult?"
_SAID_LAST = {
    "en": re.compile(r"\b(?:why|how) (?:is|are|was|were)\b|^(?:is|are|was|were)\b", re.I),
    "de": re.compile(r"\b(?:warum|wieso|wie) (?:ist|sind|war|waren)\b|^(?:ist|sind|war|waren)\b", re.I),
}
_TWICE = re.compile(r"\b(\w+) \1\b", re.I)
_WORDS = 3
# A premise is short, and does not begin with a clause or a circumstance of its own.
_LONGEST = 30
_OPENING = frozenset(
    listed(
        "since if when as because although while after before for in on at with until from to by under during unless "
        "once falls wenn weil da obwohl nach vor für im in an am auf mit bis von unter während bei seit si quand "
        "lorsque après avant pour en dans avec jusque depuis cuando después antes para con desde hasta se quando dopo "
        "prima per"
    )
)
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
    """The answer's statement with the wrong value, and what follows from it. A cell of a table is no statement."""
    phrases = _ON_FROM_THERE.get(base(request.language))
    said = sentences(request.expected_answer, request.language)
    holding = next((one for one in said if request.true_value in one), "")
    statement = holding.replace(request.true_value, request.wrong_value).rstrip(".。 ")
    if phrases is None or not holding.rstrip().endswith(".") or not _is_statement(statement):
        return
    known = " ".join([request.question, *(one.text for one in request.evidence)])
    inner = _inside(statement, known, request.language)
    for number in range(len(phrases[0])):
        question = phrases[0][(request.seed + number) % len(phrases[0])]
        yield QuestionStressed(
            question=question.format(inner, statement), expected_answer=phrases[1].format(request.expected_answer)
        )


def _is_statement(text: str) -> bool:
    return (
        5 <= len(words(text)) <= _LONGEST
        and text.split(maxsplit=1)[0].lower() not in _OPENING
        and not re.search(r"[;|\n]| [–—-] |: |\?", text)
    )


_PLAIN = frozenset(listed("The A An No All Most More Less Every Each Plus Moins Más Menos Più Meno Mais Menos Geen"))


def _inside(statement: str, evidence: str, language: str) -> str:
    """A sentence as it stands inside another: its first letter is small unless a name begins it."""
    first = statement.split(maxsplit=1)[0]
    small = first[:1].lower() + first[1:]
    grammar = first.lower() in stop_words(language) or first in _PLAIN
    if grammar or re.search(rf"(?<!\w){re.escape(small)}(?!\w)", evidence):
        return small + statement[len(first) :]
    return statement


def _under_specified(request: StressQuestion) -> Iterator[QuestionStressed]:
    """The question without the scene around it and without one phrase that narrows it.

    What is left still names something that the evidence speaks of.
    """
    bare = _bare(request.question, request.language)
    pattern = _NARROWING.get(base(request.language))
    held = set(stems(" ".join(one.text for one in request.evidence), request.language))
    if pattern is None or not bare.endswith("?"):
        return  # a search phrase has no part that could go without a trace
    for match in reversed(list(pattern.finditer(bare))):
        end = _phrase_end(bare, match.end(), request.language)
        follows = bare[end:].split(maxsplit=1)[:1]
        if end == match.end() or not match.start() or follows == ["of"]:
            continue
        clause = re.split(r"[,;] ", bare[: match.start()])[-1]
        if _ASKING.search(bare, match.start(), end) or _SAID_LAST[base(request.language)].search(clause):
            continue  # what is asked for, or said of it, would go with the phrase
        left = " ".join((bare[: match.start()] + bare[end:]).replace(" ?", "?").split())
        said = stems(left, request.language)
        if len(said) >= 2 and held.intersection(said):
            yield QuestionStressed(question=left, expected_answer=request.expected_answer)


def _phrase_end(text: str, start: int, language: str) -> int:
    """Where the words of a phrase end: at a mark, before grammar, after three words; in German after the noun."""
    end = start
    for count, word in enumerate(re.finditer(r"[„“\"]?[\w’'-]+[“”\"]?|[?.,;:]", text[start:])):
        bare = word.group().strip('„“”"')
        if count == _WORDS or word.group() in "?.,;:" or bare.lower() in _NEXT:
            break
        end = start + word.end()
        if base(language) == "de" and bare[:1].isupper():
            break
    return end


def _bare(question: str, language: str) -> str:
    """The question itself: the last sentence of a scene, what stands behind a colon."""
    last = sentences(question, language)[-1:] or [question]
    asked = last[0].rpartition(": ")[2].strip()
    return asked[:1].upper() + asked[1:] if asked != question else question


def _paraphrase(request: StressQuestion) -> Iterator[QuestionStressed]:
    """The question in synonyms, where it shares no content word with the evidence any more."""
    evidence = " ".join(one.text for one in request.evidence)
    held = set(stems(evidence, request.language))
    kept = {one for code in re.findall(r"\S*\d\S*", request.question) for one in stems(code, request.language)}
    bare = _bare(request.question, request.language)
    if held & (set(stems(request.question, request.language)) - set(stems(bare, request.language))):
        return  # the scene names what the question is about
    for seed in range(_SEEDS):
        made = reword(bare, base(request.language), request.seed + seed)
        if made != bare and not _TWICE.search(made) and not (set(stems(made, request.language)) & held) - kept:
            yield QuestionStressed(question=made, expected_answer=request.expected_answer)

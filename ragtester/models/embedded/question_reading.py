"""Reads a question: what is a frame around it, which parts it has, and which everyday phrase stands for which verb."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ragtester.models.embedded import question_words
from ragtester.models.embedded.answer_types import PARTS
from ragtester.models.embedded.english_words import VERBS
from ragtester.text.stems import stems

_SLOT = re.compile(r"\{[^}]*\}|\[[^\]]*\]")
_QUOTED = re.compile(r"[“«„\"]\s?([^“”«»„\"]{12,}[?？])\s?[”»“\"]")
_ANNOUNCED = re.compile(r"[:：]\s+(?=\S)(?P<asked>[^:：]{12,}[?？])$")
_ASK_END = re.compile(r"^What (?:job )?\{(?:do|is)\} \{S\} (?P<said>[a-z][a-z ]+)\?$")
_COMPARING = re.compile(
    r",?\s*(?:and which of the two [^?]*\?|und (?:was von beidem|welcher der beiden Werte) [^?]*\?"
    r"|; (?:which is (?:longer|higher)|which comes first|was ist (?:länger|höher)|was kommt zuerst))$",
    re.I,
)
# Phrases of questions that say a verb which the documents use; others come from the verbs' own questions.
_SAID = {"take the place of": "replace", "take care of": "handle", "get rid of": "remove", "keep clear of": "avoid"}


def asked(question: str) -> str:
    """The question itself without a scene around it: what is quoted, what follows a colon or a known opening."""
    if quoted := _QUOTED.search(question):
        return quoted[1].strip()
    for opening, closing in _indirect_frames():
        if question.startswith(opening) and question.endswith(closing):
            return f"{question[len(opening) : -len(closing)]}?"
    announced = _ANNOUNCED.search(question)
    return announced["asked"] if announced else question


@lru_cache(maxsize=1)
def _indirect_frames() -> tuple[tuple[str, str], ...]:
    """What stands before and after an indirect question ("A trainee is unsure ... What is the right answer?")."""
    frames = [frame for options in question_words.FRAMES.values() for frame in options]
    return tuple((frame.partition("{i}")[0], frame.partition("{i}")[2]) for frame in frames)


def split(question: str, code: str) -> tuple[list[str], str]:
    """The parts of a question that asks for two things, and its closing comparison ("which is longer"), if any."""
    comparing = _COMPARING.search(question)
    whole = question[: comparing.start()] if comparing else question
    found = PARTS.get(code, PARTS["en"]).split(asked(whole + "?") if comparing else asked(whole), maxsplit=1)
    parts = [part.strip() for part in found if part and len(part.split()) >= 2]
    if len(parts) == 2:
        return parts, comparing.group() if comparing else ""
    return [asked(question)], ""


def plainly(question: str, code: str) -> str:
    """The question with phrases put back to the verbs that documents use: `put into practice` becomes `implement`."""
    if code != "en":
        return question
    for phrase, verb in _phrases():
        first, _, rest = phrase.partition(" ")
        question = re.sub(rf"\b{first}(?:e?s)? {rest}\b", verb, question)
    return question


@lru_cache(maxsize=1)
def _phrases() -> tuple[tuple[str, str], ...]:
    found = dict(_SAID)
    for base, verb in VERBS.items():
        match = _ASK_END.match(verb.ask)
        if match and " " in match["said"] and match["said"] != base:
            found[match["said"]] = f"{found[match['said']]} {base}" if match["said"] in found else base
    return tuple(sorted(found.items(), key=lambda pair: -len(pair[0])))


@lru_cache(maxsize=16)
def frame_stems(code: str) -> frozenset[str]:
    """Stems that only set the scene of asking; what an invented question asks for is never among them."""
    table = question_words.TEMPLATES.get(code, {})
    frames = [*question_words.FRAMES.get(code, ()), *question_words.SPEECH.get(code, ())]
    meant: list[str] = []
    for kind, styles in table.items():
        for style, options in styles.items():
            if kind.startswith("inv_"):
                meant.extend(options if style != "scenario" else ())
            elif style == "scenario" or kind in ("cell", "entry", "rule", "treated", "happened", "forbidden", "amount"):
                frames.extend(options)
    return frozenset(_stems(frames, code)) - frozenset(_stems(meant, code))


def _stems(templates: list[str], code: str) -> Iterator[str]:
    for template in templates:
        yield from stems(_SLOT.sub(" ", template), code, keep_stop_words=True)

# ruff: noqa: E501, SIM905 - word lists
"""English noun phrases and finite verbs: where a sentence's subject ends, and whether it stands alone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass

from ragtester.models.embedded.english_words import (
    ADVERBS,
    BANNED_IN_SUBJECT,
    GENERIC,
    IMPERATIVES,
    PAST_FORMS,
    PREPOSITIONS,
    VERB_FORMS,
    VERBS,
)

BE = {"is": "is", "are": "are", "was": "was", "were": "were"}
MODALS = {"must", "shall", "should", "may", "can", "cannot", "will"}
_DETERMINER = re.compile(r"^(?:the|a|an|all|any|its|each|every|both|one|two|three|four|five|six|several|many|no|"
                         r"additional|nothing|nobody|everything|different|various|multiple|more|only|to|that|information|\d[\d.,]*)$")  # fmt: skip


_FOLLOW_NOUN = frozenset("of that which and or is are was were must may can for to in on".split())
_NUMBERS = frozenset("one two three four five six seven eight nine ten eleven twelve".split())
_ARTICLES = frozenset({"the", "a", "an", "each", "every", "all"})
_PREPOSITION = re.compile(r"\s(?:of|for|in|from|to|with|on|under|at|by|between|without|into|within)\s")


# "The middle station, Tern Alp, which ..., lies at ...": what stands between subject and verb.
_APPOSITION = re.compile(
    r"^((?:The|An?) [^,]{3,50}), [^,]{2,50}(?:, (?:which|who) [^,]{3,60})?, "
    r"(?=(?:is|are|was|were|has|have|must|may|can|should|shall|lies|lie|stands|stand|takes|take|costs|cost|contains)\b)"
)


@dataclass(frozen=True)
class Clause:
    """Subject, finite verb and the rest of a sentence; `plural` is the verb's number."""

    subject: str
    verb: str
    plural: bool
    rest: str
    line: str
    past: bool = False

    @property
    def auxiliary(self) -> str:
        """What a question puts before the subject of a full verb."""
        return "did" if self.past else "do" if self.plural else "does"


def parse(line: str, names: frozenset[str]) -> Clause | None:
    """Split at the first word that can only be the finite verb; None unless what stands before is a noun phrase."""
    line = re.sub(r"\s\((?:[^()]*)\)", "", line[:1].upper() + line[1:]).rstrip(".! ")
    line = _APPOSITION.sub(r"\1 ", line)
    tokens = line.split(" ")
    return _split(tokens, line, names, _finite) or _split(tokens, line, names, _singular)


def _split(
    tokens: list[str],
    line: str,
    names: frozenset[str],
    finite: Callable[[str, list[str], int], tuple[str, bool] | None],
) -> Clause | None:
    for place, token in enumerate(tokens[1:14], start=1):
        form = finite(token, tokens, place)
        if form is None:
            continue
        verb, plural = form
        subject = noun_phrase(" ".join(tokens[:place]), names)
        rest = " ".join(tokens[place + 1 :])
        if subject is None or len(rest.split()) < 2:
            return None
        if verb in MODALS:
            plural = is_plural(subject)
        past = token in PAST_FORMS
        return Clause(subject, verb, is_plural(subject) if past else plural, rest, line, past)
    return None


def _finite(token: str, tokens: list[str], place: int) -> tuple[str, bool] | None:  # noqa: PLR0911 - one way out a kind of verb
    if token in BE:
        return token, token in ("are", "were")
    if token in MODALS:
        return token, False
    if token in PAST_FORMS:
        after = tokens[place + 1] if place + 1 < len(tokens) else ""
        told = (
            _DETERMINER.match(after) or after[:1].isupper() or after in ("at", "for", "on", "after", "until", "about")
        )
        return (PAST_FORMS[token], False) if told else None
    if token not in VERB_FORMS:
        return None
    base, plural = VERB_FORMS[token]
    after = tokens[place + 1] if place + 1 < len(tokens) else ""
    if plural and not is_plural(" ".join(tokens[:place])):
        return None
    if not _DETERMINER.match(after) and not after[:1].isupper() and VERBS[base].noun:
        return None
    return base, plural


def _singular(token: str, tokens: list[str], place: int) -> tuple[str, bool] | None:
    """A third person that may be a plural noun as well, after a singular subject: `the display ... shows kilometres`."""
    if token not in VERB_FORMS or VERB_FORMS[token][1] or is_plural(" ".join(tokens[:place])):
        return None
    opened = tokens[0].lower() in _ARTICLES or tokens[0].lower() in ("each", "every")
    after = tokens[place + 1] if place + 1 < len(tokens) else ""
    return (
        (VERB_FORMS[token][0], False)
        if opened and place > 1 and re.match(r"[a-z]", after) and after not in _FOLLOW_NOUN
        else None
    )


def is_plural(phrase: str) -> bool:
    """Whether the phrase's head is a plural: by its ending, by `and`, or because it is one of a few without `s`."""
    head = _PREPOSITION.split(phrase)[0]
    last = head.split(" ")[-1].lower()
    plain = last.endswith("s") and not last.endswith(("ss", "us", "is")) and "." not in last and "/" not in last
    return " and " in head or plain or last in ("data", "people", "children", "criteria", "men", "women")


def name_like(word: str, names: frozenset[str]) -> bool:
    """Whether the word is a name or a piece of code: it keeps its capital."""
    return word in names or bool(re.search(r"[A-Z\d/._]", word[1:])) or word[:1] in '/."“' or word[:1].islower()


def noun_phrase(text: str, names: frozenset[str]) -> str | None:
    """The subject as it reads in mid-sentence, or None where it is not a noun phrase that stands alone."""
    tokens = text.strip().split(" ")
    while len(tokens) > 1 and (tokens[-1].endswith("ly") or tokens[-1] in ADVERBS):
        tokens = tokens[:-1]
    text = " ".join(tokens)
    lowered = [token.lower().strip("\"'“”,") for token in tokens]
    if (
        lowered[0] in _NUMBERS
        or _is_debris(text, lowered)
        or _leans(lowered)
        or _is_plain(text, tokens, lowered, names)
    ):
        return None
    first, article = tokens[0], lowered[0] in _ARTICLES
    if not article and (name_like(first, names) or (len(tokens) > 1 and tokens[1][:1].isupper())):
        return text
    return first[:1].lower() + text[1:] if first[1:].islower() or article or len(first) == 1 else text


def _is_debris(text: str, lowered: list[str]) -> bool:
    """Headings run into the sentence, lists, imperatives, fragments."""
    doubled = any(one == two for one, two in itertools.pairwise(lowered))
    odd = re.search(r"^\d|\.\.| - |[;*:&,]", text) or not re.search(r"[A-Za-z]{2}", text)
    gerund = lowered[0].endswith("ing") and bool({"a", "an", "the"} & set(lowered))
    return doubled or bool(odd) or gerund or len(lowered) > 12 or lowered[0] in IMPERATIVES | ADVERBS


def _leans(lowered: list[str]) -> bool:
    """Words that point outside, or that show that the subject ended before."""
    verb = any(token in VERB_FORMS and not VERBS[VERB_FORMS[token][0]].noun for token in lowered)
    edges = lowered[0] in PREPOSITIONS or lowered[-1] in PREPOSITIONS | {"the", "a", "an", "and"}
    return verb or edges or bool(BANNED_IN_SUBJECT & set(lowered)) or lowered[0].endswith("ly")


def _is_plain(text: str, tokens: list[str], lowered: list[str], names: frozenset[str]) -> bool:
    """Nothing in particular is named, or the number does not fit its determiner."""
    content = [
        word
        for word in lowered
        if word not in PREPOSITIONS and not word.isdigit() and word not in _ARTICLES and word != "and"
    ]
    if not content or all(word in GENERIC for word in content):
        return True
    if lowered[0] in ("every", "each", "all") and (lowered[0] == "all") != is_plural(text):
        return True
    noun = lowered[0].endswith(("tion", "sion", "ment", "ance", "ence", "ity", "ness", "ship"))
    return len(tokens) == 1 and not noun and not is_plural(text) and not name_like(tokens[0], names)

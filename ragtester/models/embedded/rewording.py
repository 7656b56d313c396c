# ruff: noqa: E501, SIM905 - tables

"""Says a phrase in other words: everyday synonyms in the right form, from `data/thesaurus_<language>.txt`."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import TypeVar

from ragtester.text.stems import stems

T = TypeVar("T")
_BEFORE_VERB = frozenset("to can could must should shall will would may might cannot not you we they i don't".split())
_BEFORE_PARTICIPLE = frozenset("is are was were be been being has have had get gets not".split())
_BEFORE_NOUN = frozenset("the a an each every any all some no new own other its their your".split())
_AFTER_NOUN = frozenset(
    "of for in from to with on under at by between without into within and or that which is are was were has have must "
    "should can may will when if while as than before after".split()
)
_IRREGULAR = {
    "go": ("goes", "gone", "going"), "get": ("gets", "got", "getting"), "put": ("puts", "put", "putting"),
    "set": ("sets", "set", "setting"), "make": ("makes", "made", "making"), "take": ("takes", "taken", "taking"),
    "keep": ("keeps", "kept", "keeping"), "give": ("gives", "given", "giving"), "bring": ("brings", "brought", "bringing"),
    "find": ("finds", "found", "finding"), "hold": ("holds", "held", "holding"), "build": ("builds", "built", "building"),
    "run": ("runs", "run", "running"), "cut": ("cuts", "cut", "cutting"), "lay": ("lays", "laid", "laying"),
    "leave": ("leaves", "left", "leaving"), "tell": ("tells", "told", "telling"), "think": ("thinks", "thought", "thinking"),
    "throw": ("throws", "thrown", "throwing"), "hide": ("hides", "hidden", "hiding"), "draw": ("draws", "drawn", "drawing"),
    "write": ("writes", "written", "writing"), "begin": ("begins", "begun", "beginning"), "send": ("sends", "sent", "sending"),
    "show": ("shows", "shown", "showing"), "choose": ("chooses", "chosen", "choosing"), "let": ("lets", "let", "letting"),
    "meet": ("meets", "met", "meeting"), "deal": ("deals", "dealt", "dealing"), "stand": ("stands", "stood", "standing"),
    "do": ("does", "done", "doing"), "be": ("is", "been", "being"), "read": ("reads", "read", "reading"),
    "buy": ("buys", "bought", "buying"), "split": ("splits", "split", "splitting"), "shut": ("shuts", "shut", "shutting"),
    "wipe": ("wipes", "wiped", "wiping"), "point": ("points", "pointed", "pointing"), "stop": ("stops", "stopped", "stopping"),
    "swap": ("swaps", "swapped", "swapping"), "spot": ("spots", "spotted", "spotting"), "try": ("tries", "tried", "trying"),
    "trim": ("trims", "trimmed", "trimming"), "ban": ("bans", "banned", "banning"), "grow": ("grows", "grown", "growing"),
    "pay": ("pays", "paid", "paying"), "understand": ("understands", "understood", "understanding"),
    "forget": ("forgets", "forgotten", "forgetting"), "spread": ("spreads", "spread", "spreading"),
    "plan": ("plans", "planned", "planning"), "submit": ("submits", "submitted", "submitting"),
    "omit": ("omits", "omitted", "omitting"), "permit": ("permits", "permitted", "permitting"),
    "transfer": ("transfers", "transferred", "transferring"), "transmit": ("transmits", "transmitted", "transmitting"),
    "embed": ("embeds", "embedded", "embedding"), "forbid": ("forbids", "forbidden", "forbidding"),
    "format": ("formats", "formatted", "formatting"), "prove": ("proves", "proven", "proving"),
    "have": ("has", "had", "having"), "feed": ("feeds", "fed", "feeding"), "pick": ("picks", "picked", "picking"),
    "fasten": ("fastens", "fastened", "fastening"), "lead": ("leads", "led", "leading"), "reset": ("resets", "reset", "resetting"),
    "overwrite": ("overwrites", "overwritten", "overwriting"), "rebuild": ("rebuilds", "rebuilt", "rebuilding"),
    "undo": ("undoes", "undone", "undoing"), "exceed": ("exceeds", "exceeded", "exceeding"),
}  # fmt: skip
_PLURAL = {"person": "people", "child": "children", "data": "data", "information": "information", "software": "software",
           "means": "means", "personnel": "personnel", "gear": "gear", "advice": "advice", "details": "details",
           "staff": "staff", "criterion": "criteria", "surroundings": "surroundings", "help": "help"}  # fmt: skip
_UNCOUNTED = frozenset(
    "gear advice help details surroundings personnel means upkeep conduct keeping admission work".split()
)


def pick(options: Sequence[T], seed: int, key: str) -> T:
    """One of the options, decided by seed and key alone: the same in every process."""
    digest = hashlib.blake2b(f"{seed}|{key}".encode(), digest_size=8).digest()
    return options[int.from_bytes(digest, "little") % len(options)]


def reword(phrase: str, language: str, seed: int, fixed: frozenset[str] = frozenset(), verb_first: bool = False) -> str:
    """`phrase` with synonyms where there are safe ones; names, quoted words and `fixed` words stay.

    `verb_first` says that the phrase starts with a verb's base form ("upgrade the package").
    """
    forms = _forms(language)
    if not forms:
        return phrase
    tokens = phrase.split(" ")
    said: list[str] = []
    place = 0
    while place < len(tokens):
        width, words = _match(tokens, place, forms, fixed, verb_first)
        if words:
            tail = re.search(r"[.,;:!?)]*$", tokens[place + width - 1])
            said.append(pick(words, seed, tokens[place]) + (tail.group() if tail else ""))
        else:
            said.extend(tokens[place : place + width])
        place += width
    return _articles(" ".join(said))


def _match(
    tokens: list[str], place: int, forms: dict[str, list[tuple[str, str]]], fixed: frozenset[str], verb_first: bool
) -> tuple[int, list[str]]:
    """How many tokens are replaced, and by what."""
    before = tokens[place - 1].lower() if place else ""
    after = tokens[place + 1].lower() if place + 1 < len(tokens) else ""
    for width in (2, 1):
        text = " ".join(tokens[place : place + width])
        bare = text.rstrip(".,;:!?)")
        if len(tokens) < place + width or bare.lower() in fixed or bare != bare.lower() or bare not in forms:
            continue
        usable = [word for kind, word in forms[bare] if _allowed(kind, before, after, place == 0, verb_first)]
        # A compound ("source package") is a name in disguise: its parts stay.
        if usable:
            return width, usable
    return 1, []


def _allowed(kind: str, before: str, after: str, first: bool, verb_first: bool) -> bool:
    if kind == "base":
        return (first and verb_first) or before in _BEFORE_VERB
    if kind == "participle":
        return before in _BEFORE_PARTICIPLE
    if kind == "gerund":
        return before in ("by", "when", "without", "of", "for", "before", "after", "") and after not in ("", "of")
    if kind in ("singular", "plural", "head", "heads"):
        return (
            not (first and verb_first) and (kind.startswith("head") or before in _BEFORE_NOUN) and _ends_phrase(after)
        )
    if kind == "adjective":
        return (first or before in _BEFORE_NOUN | _BEFORE_PARTICIPLE) and bool(after)
    return True


def _ends_phrase(after: str) -> bool:
    return not after or after in _AFTER_NOUN


@lru_cache(maxsize=16)
def _forms(language: str) -> dict[str, list[tuple[str, str]]]:
    """Surface form -> (kind of form, replacement in the same form)."""
    file = resources.files("ragtester.models.embedded") / "data" / f"thesaurus_{language}.txt"
    if not file.is_file():
        return {}
    forms: dict[str, list[tuple[str, str]]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        head, _, tail = line.partition(": ")
        kind, _, word = head.partition(" ")
        for synonym in tail.split(" | "):
            for name, old, new in _inflections(kind, word, synonym):
                forms.setdefault(old, []).append((name, new))
    return forms


def _inflections(kind: str, word: str, synonym: str) -> list[tuple[str, str, str]]:
    if kind == "v":
        old, new = (word, *verb_forms(word)), (synonym, *verb_forms(synonym))
        return [("base", old[0], new[0]), ("participle", old[2], new[2]), ("gerund", old[3], new[3])]
    if kind == "n":
        found = [("singular", word, synonym)]
        head = synonym.partition(" ")[0]
        return found if head in _UNCOUNTED else [*found, ("plural", _plural(word), _plural(synonym))]
    if kind == "m":
        return [("head", word, synonym), ("heads", _plural(word), _plural(synonym))]
    return [("adjective" if kind == "a" else "fixed", word, synonym)]


def synonyms(stem: str, language: str) -> frozenset[str]:
    """Stems of the words that the thesaurus sets equal to a word with this stem, in either direction."""
    return _equals(language).get(stem, frozenset())


@lru_cache(maxsize=16)
def _equals(language: str) -> dict[str, frozenset[str]]:
    pairs: dict[str, set[str]] = {}
    for word, options in _forms(language).items():
        for _, other in options:
            ones, others = stems(word, language), stems(other, language)
            # A phrase says the word as a whole: only its content words together would match, so single words only.
            if len(ones) == 1 and len(others) == 1:
                pairs.setdefault(ones[0], set()).add(others[0])
                pairs.setdefault(others[0], set()).add(ones[0])
    return {stem: frozenset(equal) for stem, equal in pairs.items()}


def weak_words(language: str) -> frozenset[str]:
    """Surface forms of the thesaurus's verbs and adjectives."""
    weak = ("base", "participle", "gerund", "adjective")
    return frozenset(word for word, options in _forms(language).items() if any(kind in weak for kind, _ in options))


def verb_forms(phrase: str) -> tuple[str, str, str]:
    """Third person, past participle and gerund of an English verb; the first word of a phrase is inflected."""
    verb, _, rest = phrase.partition(" ")
    rest = f" {rest}" if rest else ""
    if verb in _IRREGULAR:
        third, participle, gerund = _IRREGULAR[verb]
    else:
        third = verb + ("es" if verb.endswith(("s", "x", "ch", "sh", "z")) else "s")
        participle, gerund = verb + ("d" if verb.endswith("e") else "ed"), verb + "ing"
        if verb.endswith("e") and not verb.endswith("ee"):
            gerund = verb[:-1] + "ing"
        if verb.endswith("y") and verb[-2] not in "aeiou":
            third, participle = verb[:-1] + "ies", verb[:-1] + "ied"
    return third + rest, participle + rest, gerund + rest


def _plural(phrase: str) -> str:
    """Plural of the head: the word before a preposition, else the last one."""
    head, split, rest = re.match(r"^(.*?)(?:( (?:of|in|for|with|taking)\b)(.*))?$", phrase).groups()  # type: ignore[union-attr]
    first, _, last = head.rpartition(" ")
    if last in _PLURAL:
        plural = _PLURAL[last]
    elif last.endswith("y") and last[-2] not in "aeiou":
        plural = last[:-1] + "ies"
    else:
        plural = last + ("es" if last.endswith(("s", "x", "ch", "sh")) else "s")
    return (f"{first} " if first else "") + plural + (split or "") + (rest or "")


def _articles(text: str) -> str:
    """`a` before a consonant, `an` before a vowel, after a word was replaced."""
    text = re.sub(r"\ba (?=[aeio]|u(?!s|ni|ti|t\b))(?=[a-z])(?!one\b|once\b|eu)", "an ", text)
    return re.sub(r"\ban (?=[bcdfgjklpqrstvwxyz][a-z])(?!hour|honest)", "a ", text)

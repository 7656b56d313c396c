"""Turns a fact into a question: a template of its kind and style, its slots said in other words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ragtester.models.embedded import question_words
from ragtester.models.embedded.english_words import VERBS
from ragtester.models.embedded.facts import Fact
from ragtester.models.embedded.language_patterns import ARTICLES
from ragtester.models.embedded.rewording import pick, reword, verb_forms

STYLES = ("wh", "keyword", "scenario")
_ARTICLE = re.compile(r"^(?:the|a|an|each|every|all)\s+", re.I)
_QUOTES = {
    "en": "“{}”",
    "de": "„{}“",
    "fr": "« {} »",
    "es": "«{}»",
    "it": "«{}»",
    "pt": "«{}»",
    "ru": "«{}»",
    "nl": "‘{}’",
}
_QUOTED = ("“", '"', "«", "„", "‘", "”")
_INVERTED = re.compile(r"^(?P<wh>.+?) \{(?P<aux>is|do|m)\} \{S\}(?: (?P<rest>.+))?\?$")
_REWORDED = {"S": False, "P": False, "C": False, "X": True, "D": False, "A": False}
_VALUE: Mapping[str, tuple[str, ...]] = {"keyword": ("{S} {L}",)}
# What is asked about is a term: it stays as it is.
_TERM_KINDS = ("definition", "named", "verb:stand", "cell", "entry", "value")


def render(fact: Fact, style: str, language: str, seed: int, fixed: frozenset[str], attempt: int = 0) -> str:
    """The question in one style; empty where the kind has no template for it. Later attempts say it otherwise."""
    if attempt > 1 and language == "en":
        fact = _shortened(fact)
    slots = _reworded(fact, language, seed, fixed)
    template = _template(fact, style, language, seed, attempt)
    return _polish(_fill(template, slots, style)) if template else ""


def _shortened(fact: Fact) -> Fact:
    """The same fact with a subject that leaves out what follows its first preposition."""
    subject = fact.found.slots.get("S", "")
    short = re.split(r"\s(?:of|for|in|on|at|with|under|from)\s", subject)[0]
    if len(_ARTICLE.sub("", short).split()) < 2 or short.endswith(("ed", "ing", "en")):
        return fact
    return replace(fact, found=replace(fact.found, slots={**fact.found.slots, "S": short}))


def _template(fact: Fact, style: str, language: str, seed: int, attempt: int) -> str:
    kind, key = fact.found.kind, f"{style}{fact.statement.text}"
    if kind.startswith("verb:"):
        verb = VERBS[kind.removeprefix("verb:")]
        options: tuple[str, ...] = {"wh": (verb.ask,), "keyword": ("{N} " + verb.key,)}.get(style, ())
        direct: tuple[str, ...] = (verb.ask,)
    else:
        table = _VALUE if kind == "value" else question_words.TEMPLATES.get(language, {}).get(kind, {})
        options, direct = table.get(style, ()), table.get("wh", ())
    if options or style != "scenario" or not direct:
        return _turn(options, seed, key, attempt) if options else ""
    asked = _turn(direct, seed, key, attempt)
    indirect = _indirect(asked)
    frames = (question_words.FRAMES if indirect else question_words.SPEECH).get(language, ())
    return pick(frames, seed, key).replace("{i}", indirect).replace("{q}", asked) if frames else ""


def _turn(options: tuple[str, ...], seed: int, key: str, attempt: int) -> str:
    """The option that the seed picks, or for later attempts those that follow it."""
    return options[(options.index(pick(options, seed, key)) + attempt) % len(options)]


def _indirect(template: str) -> str:
    """`What {do} {S} offer?` becomes `what {S} {do+offer}`; empty for others."""
    match = _INVERTED.match(template)
    if not match:
        return ""
    wh, rest = match["wh"][:1].lower() + match["wh"][1:], match["rest"] or ""
    if match["aux"] != "do":
        return f"{wh} {{S}} {{{match['aux']}}} {rest}".rstrip()
    first, _, others = rest.partition(" ")
    return f"{wh} {{S}} {{do+{first}}} {others}".rstrip()


def _reworded(fact: Fact, language: str, seed: int, fixed: frozenset[str]) -> dict[str, str]:
    slots = dict(fact.found.slots)
    for name, verb_first in _REWORDED.items():
        if name in slots and not (name in "SA" and fact.found.kind in _TERM_KINDS):
            lead = "is " if name == "P" and re.match(r"(?:\w+ed|\w+en)\b", slots[name]) else ""
            slots[name] = reword(lead + slots[name], language, seed, fixed, verb_first).removeprefix(lead)
    if "S" in slots:
        articles = ARTICLES.get(language, _ARTICLE)
        slots["N"] = articles.sub("", slots["S"])
        quoted = any(mark in slots["N"] for mark in _QUOTED)
        slots["Q"] = slots["N"] if quoted else _QUOTES.get(language, "“{}”").format(slots["N"])
    if "r" in slots:
        slots["R"] = slots["r"]
    slots.setdefault("b", "")
    slots.setdefault("P", "")
    slots["w_"] = slots.get("W", "")[:1].lower() + slots.get("W", "")[1:]
    slots["w"] = slots.get("w", "").lower()
    for name in ("c", "x"):
        if name in slots:
            slots[name.upper()] = slots[name][:1].lower() + slots[name][1:]
    return slots


def _fill(template: str, slots: Mapping[str, str], style: str) -> str:
    plural = slots.get("do") in ("do", "did")

    def conjugated(match: re.Match[str]) -> str:
        return match[1] if plural else verb_forms(match[1])[0]

    template = template.replace("{V}", slots.get("V", ""))
    template = re.sub(r"\[([^|\]]*)\|([^\]]*)\]", lambda match: match[2 if slots.get("many") else 1], template)
    text = re.sub(r"\{do\+([a-z]+)\}", conjugated, template)
    if slots.get("m") == "did":
        # Its past form is not known: the question keeps "did", also where speech would not.
        template, text = template.replace("{S} {m}", "{S} did"), text.replace("{S} {m}", "{S} did")
    if slots.get("m") in ("does", "do") and "{S} {m} {P}" in text:
        verb, _, rest = slots["P"].partition(" ")
        text = text.replace("{S} {m} {P}", f"{{S}} {verb if slots['m'] == 'do' else verb_forms(verb)[0]} {rest}")
    text = text.format_map({name: value.replace("{", "(").replace("}", ")") for name, value in slots.items()})
    if style == "keyword":
        text = re.sub(r"\bbe (?=\w+(?:ed|en|wn|de|nt|ilt)\b)", "", text)
    context = slots.get("ctx", "")
    if context and style == "keyword":
        return f"{text} {context}"
    # The context belongs to the sentence that speaks of the subject: the first one.
    return re.sub(r"(?<!vs)(?<!etc)([.?])(?=[\s”]|$)", f" {context}\\1", text, count=1) if context else text


def _polish(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip()
    if not text.endswith(" ?"):
        text = re.sub(r" \?$", "?", text)
    elif not re.search(r"[«»éèàê]|\b(?:le|la|que|est)\b", text):
        text = text[:-2] + "?"
    text = re.sub(r"\?”\.", "?”", text)
    return text[:1].upper() + text[1:] if text.endswith(("?", ".")) else text

"""Questions with slips of the finger: one to three, in content words, never in numbers or codes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragtester.stages.stressors.amounts import shuffled
from ragtester.stages.stressors.made import Asked, Made, Maker, Source, Unusable, fixture_of, rank_rows
from ragtester.text.languages import base, decimal_comma, stop_words
from ragtester.text.normalise import fold
from ragtester.text.words import words

_WORD = re.compile(r"(?<![\w.@/-])[^\W\d_]{5,}(?![\w@/-]|\.\w)")
_ROWS = {"en": ("qwertyuiop", "asdfghjkl", "zxcvbnm"), "de": ("qwertzuiopü", "asdfghjklöä", "yxcvbnm")}
MOST = 3
# Thai, and the scripts that follow it: words are not told apart by spaces, and are not typed letter by letter.
_UNSPACED = "\u0e00"


async def make_typos(maker: Maker, source: Source) -> Made:
    """The question with typing errors; retrieval and answer should not mind them."""
    case = source.case
    found = misspelled(case.question, case.language, source.gold.text, maker.seed)
    if found is None:
        raise Unusable("no_word", "the question has no word of five letters or more to misspell")
    question, slips = found
    ranks = await maker.measure(source, [source.gold_text()], question=question)
    rows = rank_rows(ranks, source.gold_text().id)
    notes = {"typos": "; ".join(f"{old} -> {new}" for old, new in slips)}
    return Made(
        fixture_of(source, rows, Asked(question=question), notes), {source.gold_text().id: source.gold.text}, rows
    )


def misspelled(question: str, language: str, text: str, seed: object) -> tuple[str, list[tuple[str, str]]] | None:
    """A question with 1 to 3 typing errors, one a word, and what became of what; None where no word is long enough.

    No error makes a word that the document `text` has.
    """
    code = base(language)
    known = set(words(text)) | set(words(question))
    places = [match for match in _WORD.finditer(question) if _is_content(match.group(), code)]
    at = {match.start(): match for match in places}
    places = [at[start] for start in shuffled(at, seed, question)]
    wanted = min(MOST, max(1, round(len(places) / 3)))
    made = question
    slips: dict[int, tuple[str, str]] = {}
    for match in places:
        old = match.group()
        new = next((one for one in _slips(old, code, (seed, question)) if fold(one) not in known), None)
        if new is not None and len(slips) < wanted:
            slips[match.start()] = (old, new)
    for start in sorted(slips, reverse=True):
        old, new = slips[start]
        made = made[:start] + new + made[start + len(old) :]
    return (made, [slips[start] for start in sorted(slips)]) if slips else None


def _is_content(word: str, code: str) -> bool:
    """Words that carry the question; capitals throughout are codes."""
    return fold(word) not in stop_words(code) and not word.isupper() and max(word) < _UNSPACED


def _slips(word: str, code: str, seed: object) -> Iterator[str]:
    """Errors in a word, in a seeded order: two letters swapped, one left out, one doubled, a neighbour's key."""
    inner = range(1, len(word) - 1)
    found = [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in inner if word[at] != word[at + 1]]
    found += [word[:at] + word[at + 1 :] for at in inner]
    found += [word[:at] + word[at] + word[at:] for at in inner if word[at] not in (word[at - 1], word[at + 1])]
    for at in inner:
        found += [word[:at] + key + word[at + 1 :] for key in _neighbours(word[at], code)]
    yield from shuffled(dict.fromkeys(found), seed, word)


def _neighbours(letter: str, code: str) -> list[str]:
    """The keys beside a small letter; none for alphabets whose keyboard is not known here."""
    rows = _ROWS.get(code, _ROWS["en"] if not decimal_comma(code) else ())
    for row in rows:
        at = row.find(letter)
        if at >= 0:
            return [row[near] for near in (at - 1, at + 1) if 0 <= near < len(row)]
    return []

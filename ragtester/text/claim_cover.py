"""Claims of an answer and the passages that support them, by words alone: no model is asked.

A claim is a sentence of the answer, or a clause of one that says something by itself. A passage supports it where it
holds every quantity, code and name of the claim, and most of its content stems. It sees neither paraphrase nor
negation: a passage that denies a claim in its own words supports it here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ragtester.tasks import ClaimsTraced, Passage, TracedClaim
from ragtester.text.languages import base
from ragtester.text.quantities import Quantity, Values, codes, quantities
from ragtester.text.sentences import sentence_spans
from ragtester.text.stems import stems
from ragtester.text.subjects import without_quantities

BY = "words"
"""What stands as `by` in `ClaimMetrics` for these claims."""
COVER = 0.8
"""Share of a claim's content stems that a passage must hold: an expected answer seldom has all the document's words."""
LEAST = 2
"""So many content stems outside quantities make a clause that says something by itself."""
_JOINING = {
    "en": "and|but|while|whereas",
    "de": "und|aber|während|sowie|wobei",
    "fr": "et|mais|tandis que",
    "es": "y|pero|mientras que",
    "it": "e|ma|mentre",
    "pt": "e|mas|enquanto",
    "nl": "en|maar|terwijl",
    "ru": "и|а|но",
}
# A capital inside a sentence makes a name, but where every noun has one.
_CAPITAL_NOUNS = frozenset({"de", "lb"})
_NAME = re.compile(r"(?<=[^\W_][\s,(] )[^\W\d_a-z][^\W_]+|(?<=[^\W_] )[^\W\d_a-z][\w-]+")


def trace_by_words(answer: str, passages: Sequence[Passage], language: str) -> ClaimsTraced:
    """The claims of `answer` in order, each with the labels of the passages that support it by themselves.

    An answer without a sentence (it has no letter or digit) is one claim that nothing supports.
    """
    code = base(language)
    held = [(passage.label, _held(passage.text, code)) for passage in passages]
    claims = claims_of(answer, code) or [answer.strip() or "-"]
    found = []
    for claim in claims:
        asked = _held(claim, code)
        names = name_stems(claim, code)
        labels = tuple(dict.fromkeys(label for label, there in held if _supports(there, asked, names)))
        found.append(TracedClaim(claim=claim, passages=labels))
    return ClaimsTraced(claims=tuple(found))


def claims_of(answer: str, language: str) -> list[str]:
    """Sentences of an answer, cut at conjunctions where both sides say something; "Yes." alone is none of several."""
    code = base(language)
    whole = [answer[start:end] for start, end in sentence_spans(answer, code)]
    parts = [clause for sentence in whole for clause in _clauses(sentence, code)]
    telling = [part for part in parts if _tells(part, code)]
    return telling or parts[:1]


def _clauses(sentence: str, code: str) -> list[str]:
    found, start = [], 0
    inside = [(one.start, one.end) for one in quantities(sentence, code)]
    for cut in _joints(code).finditer(sentence):
        left, right = sentence[start : cut.start()], sentence[cut.end() :]
        if any(begin < cut.end() and cut.start() < end for begin, end in inside):
            continue
        if _is_clause(left, code) and _is_clause(right, code):
            found.append(left.strip())
            start = cut.end()
    return [*found, sentence[start:].strip()]


@lru_cache(maxsize=16)
def _joints(code: str) -> re.Pattern[str]:
    """Where a sentence may be cut."""
    return re.compile(r"[;；]\s*" + (rf"|,?\s+(?:{_JOINING[code]})\s+" if code in _JOINING else ""), re.I)


def _is_clause(text: str, code: str) -> bool:
    return len(set(stems(without_quantities(text, code), code))) >= LEAST


def _tells(text: str, code: str) -> bool:
    return bool(stems(text, code) or quantities(text, code) or codes(text, code))


_Held = tuple[frozenset[str], tuple[Quantity, ...], frozenset[str]]


@lru_cache(maxsize=4096)
def _held(text: str, code: str) -> _Held:
    """Content stems outside quantities, the quantities, and the codes."""
    given = tuple(quantities(text, code))
    return frozenset(stems(without_quantities(text, code), code)), given, frozenset(codes(text, code))


def name_stems(claim: str, code: str) -> frozenset[str]:
    """Stems of the capitalised words inside the sentence; months and units belong to quantities."""
    if code in _CAPITAL_NOUNS:
        return frozenset()
    return frozenset(one for name in _NAME.findall(without_quantities(claim, code)) for one in stems(name, code))


def _supports(there: _Held, asked: _Held, names: frozenset[str]) -> bool:
    stems_there, values_there, codes_there = there
    stems_asked, values_asked, codes_asked = asked
    if not (stems_asked or values_asked or codes_asked):
        return False
    given = Values(values_there)
    if not all(one in given for one in values_asked) or not codes_asked <= codes_there or not names <= stems_there:
        return False
    return len(stems_asked & stems_there) >= COVER * len(stems_asked)

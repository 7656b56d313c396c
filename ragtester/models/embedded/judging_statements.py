"""A text as statements: per sentence its stems, quantities, identifiers, names, negated stems and vector."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from ragtester.models.embedded.judging_words import CAPITAL_NOUNS, NAME, NEGATING_SIGNS, NEGATORS
from ragtester.text.languages import base, stop_words
from ragtester.text.normalise import fold
from ragtester.text.quantities import Quantity, Values, codes, quantities
from ragtester.text.sentences import sentence_spans
from ragtester.text.stems import stem
from ragtester.text.words import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
Embed = Callable[[list[str]], Any]

NEGATION_REACH = 5
_BEFORE = 40
"""Characters before a quantity in which a denial of it ends; a longer look back would cost time for each quantity."""
_INSTEAD = re.compile(
    r"\b(?:free (?:of|from)|instead of|rather than|anstelle von|anstatt|statt|au lieu de|en vez de|en lugar de)\b", re.I
)
# What a negator cannot reach across; "none" and "nobody" deny what goes before, unless "of" follows.
_CLAUSE_END = re.compile(r"""[,;:()"，、–—]| - """)
_BACKWARD = re.compile(r"\b(?:none|nobody)\b(?! of\b)", re.I)
# Numbers that count list items or point at sources say nothing: "2. Open the valve [1, 3]", "(passage 4)".
_POINTER = re.compile(
    r"^\W{0,3}\d{1,2}[.)](?=\s+\S)|\[(?:[^\W\d_]+ ?)?\d+(?:\s*[,;–-]\s*\d+)*\]"
    r"|\b(?:passage|source|document|doc|chunk|excerpt|quelle|fuente)s? \d+(?:(?:, | and )\d+)*\b",
    re.I,
)
_DENIAL = re.compile(
    r"\b(?:not|nicht|pas|non|não|niet|inte|ikke|nie|не|instead of|rather than|statt)"
    r"(?: (?:for|in|at|to|the|für|a))?\s?$|不是$"
)


@dataclass(frozen=True)
class Statement:
    """One sentence.

    `stems` are the distinct content stems outside quantities, in order; `surfaces` pairs each with its first spelling,
    `stem_of` has all spellings;
    `denied` are quantities that are ruled out ("not ten"); `negated` are the stems in a negation's reach; `sequence`
    all words as they stand.
    """

    text: str
    stems: tuple[str, ...]
    surfaces: tuple[tuple[str, str], ...] = ()
    stem_of: dict[str, str] = field(default_factory=dict, hash=False)
    quantities: tuple[Quantity, ...] = ()
    denied: tuple[Quantity, ...] = ()
    codes: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    negated: frozenset[str] = frozenset()
    sequence: tuple[str, ...] = ()

    @cached_property
    def values(self) -> Values:
        """The quantities to look others up in."""
        return Values(self.quantities)

    @property
    def mass(self) -> float:
        """How much the sentence says: its distinct stems, and two for each quantity."""
        return len(self.stems) + 2.0 * len(self.quantities)


@dataclass(frozen=True)
class Body:
    """The statements of one text and, where there are embeddings, one unit row a statement and one for the whole."""

    statements: tuple[Statement, ...]
    vectors: Any = None
    whole: Any = None
    surfaces: dict[str, str] = field(default_factory=dict)

    @property
    def mass(self) -> float:
        """Sum of the statements' masses."""
        return sum(statement.mass for statement in self.statements)

    @property
    def quantities(self) -> list[Quantity]:
        """All quantities of the text."""
        return [quantity for statement in self.statements for quantity in statement.quantities]


@lru_cache(maxsize=256)
def read(text: str, language: str, embed: Embed | None) -> Body:
    """Read a text into statements; cached, since passages and expected answers come again and again."""
    spans = sentence_spans(text, language)
    found = tuple(
        statement
        for start, end in spans
        if (statement := statement_of(text[start:end], base(language))).mass or statement.codes
    )
    surfaces = {stemmed: word for statement in reversed(found) for stemmed, word in statement.surfaces}
    if embed is None or not found:
        return Body(found, surfaces=surfaces)
    # The whole apart from its sentences: texts that are embedded together are padded to the longest.
    return Body(found, embed([statement.text for statement in found]), embed([text])[0], surfaces)


def join(*bodies: Body) -> Body:
    """Several texts as one body, its statements in order."""
    import numpy as np

    statements = tuple(statement for body in bodies for statement in body.statements)
    surfaces = {stemmed: word for body in reversed(bodies) for stemmed, word in body.surfaces.items()}
    vectors = [body.vectors for body in bodies if body.vectors is not None]
    whole = next((body.whole for body in bodies if body.whole is not None), None)
    return Body(statements, np.concatenate(vectors) if vectors else None, whole, surfaces)


def statement_of(text: str, language: str) -> Statement:
    """Read one sentence or clause; `language` is a base code."""
    pointers = [match.span() for match in _POINTER.finditer(text)]
    named = [one for one in quantities(text, language) if not _points(one, pointers)]
    bare = text
    for quantity in reversed(named):
        bare = f"{bare[: quantity.start]} \u2420 {bare[quantity.end :]}"
    dropped = stop_words(language)
    held = {
        word: stem(word, language)
        for word in words(bare)
        if word not in dropped and word not in NEGATORS and not word.replace(".", "").replace(",", "").isdigit()
    }
    negated = _negated(bare, language)
    denied = tuple(quantity for quantity in named if _is_denied(text, quantity.start))
    return Statement(
        text=text,
        stems=tuple(dict.fromkeys(held.values())),
        surfaces=tuple({stemmed: word for word, stemmed in reversed(held.items())}.items()),
        stem_of=held,
        quantities=tuple(quantity for quantity in named if quantity not in denied),
        denied=denied,
        codes=frozenset(codes(text, language)),
        names=_names(text, language),
        negated=negated,
        sequence=tuple(words(bare)),
    )


def _points(quantity: Quantity, pointers: list[tuple[int, int]]) -> bool:
    """Whether a bare number only counts a list item or points at a source."""
    bare = quantity.kind == "number" and not quantity.unit
    return bare and any(start <= quantity.start < end for start, end in pointers)


def _names(text: str, language: str) -> frozenset[str]:
    """Capitalised words that do not open the sentence, as stems; none where nouns are capitalised."""
    if language in CAPITAL_NOUNS:
        return frozenset()
    dropped = stop_words(language)
    found = [match.group() for match in NAME.finditer(text) if text[: match.start()].strip("\"'([*-#•.)0123456789 ")]
    return frozenset(stem(word, language) for name in found for word in words(name) if word not in dropped)


def _is_denied(text: str, start: int) -> bool:
    """Whether a negator stands right before a quantity; "not more than" and "not exceed" limit it instead."""
    return _DENIAL.search(fold(text[max(0, start - _BEFORE) : start])) is not None


def _negated(bare: str, language: str) -> frozenset[str]:
    """Content stems in reach of a negator, up to the clause's end; empty where a quantity is what is negated."""
    reached: set[str] = set()
    bare = _BACKWARD.sub(",", _INSTEAD.sub("not", bare))
    for clause in _CLAUSE_END.split(bare):
        sequence = words(clause.replace("\u2420", " qqnumber "))
        places = [place for place, word in enumerate(sequence) if word in NEGATORS or word.endswith("n't")]
        for place in places:
            reach = sequence[place + 1 : place + 1 + NEGATION_REACH]
            if "qqnumber" not in reach:
                reached.update(stem(word, language) for word in reach if word not in stop_words(language))
        if not places and NEGATING_SIGNS.search(clause):
            reached.update(stem(word, language) for word in sequence)
    return frozenset(reached)

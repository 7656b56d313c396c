"""A passage about something else of the same kind: another name or code in the place of what the question is about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragtester.records import Case
from ragtester.stages.stressors.amounts import shuffled
from ragtester.stages.stressors.changing import Edit
from ragtester.stages.stressors.excerpts import Excerpt
from ragtester.stages.stressors.stale import Poison, begin, finished
from ragtester.text.languages import base
from ragtester.text.normalise import listed

_FIRST = listed("Harbour Northern Riverside Summit Castle Granite Orchard Falcon Juniper Western Cedar Lakeside")
_PHRASE = re.compile(r"(?<=[a-z,;] )(?:the )?([A-Z][a-z]{2,})((?: [A-Z][a-z]+){0,3})\b")
_CODE = re.compile(r"(?<![\w.-])[A-Z]{1,5}-?\d{1,5}(?:-[A-Z]{1,2})?(?![\w-])")


def about_another(cut: Excerpt, case: Case, seed: object, whole: str) -> tuple[Poison, str] | None:
    """The passage about another entity with other values, and the question about that one.

    None where no entity of the question can be told by rule.
    """
    named = next(iter(_renamed(cut.text, case, seed)), None)
    start = begin(cut.text, cut.evidence, case, (seed, "other"), whole=whole)
    if named is None or start is None or start.renamed is not None:
        return None
    old, new = named
    places = re.finditer(rf"(?<![\w-]){re.escape(old)}(?![\w-])", cut.text)
    start.changes.add(
        f"entity:{old}", [Edit(one.start(), one.end(), new, f"entity:{old}", one.span()) for one in places]
    )
    poison = finished(start, cut.evidence)
    if poison is None or not poison.says:
        return None
    return poison, re.sub(rf"(?<![\w-]){re.escape(old)}(?![\w-])", new, case.question)


def _renamed(text: str, case: Case, seed: object) -> Iterator[tuple[str, str]]:
    """What the question is about, by its name in the passage, and another name like it."""
    for match in _CODE.finditer(case.question):
        digits = re.search(r"\d+", match.group())
        if digits and re.search(rf"(?<![\w-]){re.escape(match.group())}(?![\w-])", text):
            number = int(digits.group())
            for far in shuffled((1, 2, 3, 5, 10), seed, case.id):
                other = match.group().replace(digits.group(), str(number + far).zfill(len(digits.group())), 1)
                if other not in text:
                    yield match.group(), other
    if base(case.language) != "en":
        return
    for match in _PHRASE.finditer(case.question):
        name = match[1] + match[2]
        if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
            for first in shuffled(_FIRST, seed, case.id):
                if first not in text:
                    yield name, first + match[2]

"""Which passages a claim of an answer relies on: those that the answer marks, else those that cover it best."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragtester.models.embedded.claim_matching import Claim, match
from ragtester.models.embedded.claim_parts import Part, part
from ragtester.models.embedded.claim_reading import read_passage
from ragtester.tasks import Passage

_MARK = re.compile(r"[ \t]*\[([^\[\]\n]{1,300})\]")
_BETWEEN = re.compile(r"\s*[,;]\s*")
LEAST = 0.4
"""Share of a claim that a passage's sentence must hold to be what the claim was taken from."""
TIE = 0.02


@dataclass(frozen=True)
class Sources:
    """What a claim may rely on: the passages, the labels that the answer cites, the language's code."""

    passages: tuple[Passage, ...]
    cited: tuple[str, ...]
    code: str

    @property
    def known(self) -> frozenset[str]:
        """Labels of the passages."""
        return frozenset(one.label for one in self.passages)

    def of(self, claim: str, marked: Sequence[str]) -> tuple[str, ...]:
        """Labels that a claim relies on. Labels that were not offered stay: that they are missing is a finding."""
        if marked:
            return tuple(dict.fromkeys(marked))
        offered = [one for one in self.passages if one.label in self.cited] if self.cited else list(self.passages)
        best = _nearest(claim, offered, self.code)
        unknown = tuple(label for label in dict.fromkeys(self.cited) if label not in self.known)
        return best or unknown


def marks(text: str, sources: Sources) -> tuple[str, tuple[str, ...]]:
    """A text without its `[id]` marks, and the ids. Other brackets are the answer's own text."""
    found: list[str] = []

    def take(bracket: re.Match[str]) -> str:
        whole = bracket[1].strip()
        parts = [whole] if whole in sources.known else _BETWEEN.split(whole)
        if not all(one in sources.known or one in sources.cited for one in parts):
            return bracket[0]
        found.extend(parts)
        return ""

    return _MARK.sub(take, text), tuple(dict.fromkeys(found))


def _nearest(claim: str, passages: Sequence[Passage], code: str) -> tuple[str, ...]:
    asked = part(claim, code)
    shares = {one.label: _share(asked, one.text, code) for one in passages}
    best = max(shares.values(), default=0.0)
    return tuple(label for label, share in shares.items() if share >= max(LEAST, best - TIE))


def _share(claim: Part, text: str, code: str) -> float:
    reading = read_passage(text, code)
    asked = Claim(claim, reading, code)
    return max(
        (match(asked, one.whole, reading.stems).own for one in reading.sentences),
        default=0.0,
    )

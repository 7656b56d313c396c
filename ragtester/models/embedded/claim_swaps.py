"""Names, codes and words with an opposite that a claim joins with what the sentence says of another one."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.models.embedded.claim_parts import Part
from ragtester.models.embedded.claim_words import WEAK, opposites
from ragtester.text.stems import stem
from ragtester.text.words import words


def swapped_names(claim: Part, there: Part, code: str) -> str:
    """A name that stands beside another word in the sentence, where the claim's word has another name beside it.

    "Ground in Turin" against "ground in Jena and coated in Turin": the claim's word before the name ("ground") has
    another name after it, and the name's own word ("coated") is none of the claim's.
    """
    rivals = _marks(there, code)
    ours = rivals & {stem(word, code) for word in claim.read.sequence}
    if not ours:
        return ""
    said = list(_neighbours(claim, ours, code))
    held = list(_neighbours(there, rivals, code))
    claimed = frozenset(claim.read.stems)
    for name, before in said:
        own = {one for other, one in held if other == name}
        instead = [other for other, one in held if one == before and other != name and other not in claimed]
        if before and instead and before not in own and own and not own & claimed:
            return f"{instead[0]!r}, not {name!r}"
    return ""


def _marks(part: Part, code: str) -> frozenset[str]:
    """Stems of names, and of words that stand beside their opposite ("left ... right")."""
    table, held = opposites(code), {stem(word, code) for word in part.read.sequence}
    return part.read.names | {one for one in held if table.get(one, frozenset()) & held}


def _neighbours(part: Part, marks: frozenset[str], code: str) -> Iterator[tuple[str, str]]:
    """Each mark with the content stem before it that is no mark ("" where there is none)."""
    before = ""
    for word in words(part.text):
        own = stem(word, code)
        if own in marks:
            yield own, before
        elif word in part.read.stem_of and word not in WEAK:
            before = own

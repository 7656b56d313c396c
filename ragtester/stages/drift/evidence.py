"""What the rows say of a cause: do answers flip where it would make them differ? Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ragtester.stages.drift.changed import Scope
from ragtester.stages.drift.flips import Flipped

Speaks = Literal["for", "partly", "against", "unclear"]
CLAIMS = ("unsupported", "contradicted")
FEW = 0.1
"""Where fewer than this share of the answers got as far as a cause could be seen, none that flips is no evidence."""


@dataclass(frozen=True)
class Sign:
    """Where a cause would make pairs differ first, and how that is said.

    `reached` are the ways of pairs of which it can be seen at all: an answer from other chunks says nothing of a model.
    `none` says that there is no such pair. `whats` are the flips that the cause can make.
    """

    ways: tuple[str, ...]
    said: str
    reached: tuple[str, ...]
    none: str = ""
    whats: tuple[str, ...] = ("verdict", *CLAIMS)


_SAME = "hardly an answer is the same from the same chunks, so the rows cannot tell"
SIGNS: Mapping[Scope, Sign] = {
    "context": Sign(("context", "order"), "saw other chunks", ("context", "order", "answer", "verdict", "same")),
    "answer": Sign(
        ("answer",),
        "saw the same chunks and got another answer",
        ("answer", "verdict", "same"),
        "hardly an answer saw the same chunks, so the rows cannot tell",
    ),
    "verdict": Sign(
        ("verdict",),
        "are the same answer from the same chunks with another verdict",
        ("verdict", "same"),
        _SAME,
        ("verdict",),
    ),
    "claims": Sign(
        ("verdict",), "are the same answer from the same chunks with other claims", ("verdict", "same"), _SAME, CLAIMS
    ),
}


def evidence(scope: Scope, walked: Sequence[Flipped]) -> tuple[Speaks, str]:
    """Which way the rows speak of a cause that reaches `scope`, and how many flips say so."""
    sign = SIGNS.get(scope)
    if sign is None:
        return "unclear", ""
    flipped = [one for one in walked if any(what in sign.whats for what, _, _ in one.whats)]
    known = [one for one in flipped if one.way != "unknown"]
    if flipped and not known:
        return "unclear", f"no trace tells whether the {len(flipped)} {flips_word(len(flipped))} {sign.said}"
    if not known:
        return _without_flips(sign, walked)
    there = sum(one.way in sign.ways for one in known)
    text = f"{there} of {len(known)} {flips_word(len(known))} {sign.said}{_of_others(sign, walked)}"
    if there:
        return "for" if 2 * there >= len(known) else "partly", text
    return ("against", text) if _is_seen(sign, walked) else ("unclear", f"{text}; {sign.none}")


def _of_others(sign: Sign, walked: Sequence[Flipped]) -> str:
    """The same of the answers that did not flip: what they have in common with flips explains no flip."""
    steady = [one for one in walked if not one.whats and one.way != "unknown"]
    if "verdict" in sign.ways or not steady:
        return ""
    return f"; of the answers that did not flip, {sum(one.way in sign.ways for one in steady)} of {len(steady)}"


def _without_flips(sign: Sign, walked: Sequence[Flipped]) -> tuple[Speaks, str]:
    steady = [one for one in walked if not one.whats and one.way != "unknown"]
    if "verdict" in sign.ways or not steady:
        return "unclear", "nothing that it could move flipped"
    there = sum(one.way in sign.ways for one in steady)
    text = f"nothing flipped; {there} of {len(steady)} answers {sign.said}"
    return ("against" if not there and _is_seen(sign, walked) else "unclear"), text


def _is_seen(sign: Sign, walked: Sequence[Flipped]) -> bool:
    """Whether enough answers got as far as the cause could be seen."""
    known = sum(one.way != "unknown" for one in walked)
    return sum(one.way in sign.reached for one in walked) >= max(1.0, FEW * known)


def flips_word(count: int) -> str:
    """ "flip" or "flips"."""
    return "flip" if count == 1 else "flips"

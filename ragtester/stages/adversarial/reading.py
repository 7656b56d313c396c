"""Retrieval and generation read together: what the two call for. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from ragtester.records import Followed, Reading
from ragtester.stages.adversarial.standing import UNKNOWN, Standing

ADVICE: dict[Reading, str] = {
    "well": "the right passage reached the model, and the answer rests on it: nothing to do",
    "rerank": (
        "retrieval did not bring the right passage into the context: rerank, fetch more, or filter by version, tenant "
        "or region; the generator cannot be blamed for what it never saw"
    ),
    "reground": (
        "the right passage was in the context and the answer does not rest on it: reground the generator (prompt, "
        "model, citations, dates and sources in the context); a ranking that puts it above the poison may hide this, "
        "and does not mend it"
    ),
    "both": (
        "the right passage did not reach the context, and the generator answered from a wrong one instead of saying "
        "so: mend retrieval first, then ask again and look at the generator"
    ),
    "unmeasured": "the two cannot be read together: the row failed, or the system does not say what it retrieved",
}


@dataclass(frozen=True)
class Read:
    """A reading and its one line of why."""

    reading: Reading
    why: str


def read(found: Standing, followed: Followed, *, must_refuse: bool) -> Read:
    """The reading of one row.

    Generation holds where the answer rests on the right value or leaves a noticed conflict open; where nothing answers
    the question, or the right passage was not in the context, also where the system abstains.
    """
    if followed == "failed":
        return Read("unmeasured", "the row failed")
    if not found.known:
        return Read("unmeasured", UNKNOWN)
    reached = must_refuse or bool(found.recall)
    holds = followed in ("gold", "conflict") or (followed == "abstained" and (must_refuse or not reached))
    reading: Reading = ("well" if holds else "reground") if reached else ("rerank" if holds else "both")
    return Read(reading, f"{_place(found, must_refuse)}; {_WORDS[followed]}")


_WORDS: dict[Followed, str] = {
    "gold": "the answer gives the right value",
    "poison": "the answer follows the poison",
    "both": "the answer gives both values as if both held",
    "conflict": "the answer notices the conflict and does not follow the poison",
    "abstained": "the answer abstains",
    "neither": "the answer gives neither value",
    "failed": "the row failed",
}


def _place(found: Standing, must_refuse: bool) -> str:
    poison = "no poison" if found.poison_rank is None else f"poison at rank {found.poison_rank}"
    if must_refuse:
        return f"no document answers this user; {poison}"
    if found.recall:
        return f"gold in the context at rank {found.gold_rank}, {poison}"
    where = f"gold at rank {found.gold_rank}, outside the context" if found.gold_rank else "gold not among the results"
    return f"{where}, {poison}"

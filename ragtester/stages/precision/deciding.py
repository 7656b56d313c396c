"""From votes to decisions, and from decisions to TP, FP, FN and TN. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from ragtester.records import PanelDecision, PanelVote, SampledCase, Vote

Decision = Literal["correct", "incorrect", "ambiguous", "open"]
Outcome = Literal["TP", "FP", "FN", "TN", ""]
Cast = Mapping[str, PanelVote]
"""The rows of one member by the sampled answer's id; an answer without a row is still to be voted on."""


def decide(correct: int, incorrect: int, still_open: int, min_votes: int) -> Decision:
    """The majority of the usable votes, if there are `min_votes` of them and no tie.

    Else "open" while votes are to come, and "ambiguous" where none are. Failed votes are none.
    """
    if correct + incorrect >= min_votes and correct != incorrect:
        return "correct" if correct > incorrect else "incorrect"
    return "open" if still_open else "ambiguous"


def outcome(status: str, decision: Decision) -> Outcome:
    """Positive is the oracle's "fail": TP is a failure that the panel confirms, FP one that it finds acceptable."""
    if decision == "incorrect":
        return "TP" if status == "fail" else "FN"
    if decision == "correct":
        return "FP" if status == "fail" else "TN"
    return ""


def criterion(row: SampledCase) -> str:
    """What decided a verdict: a rule's name or, where the mean did, the lowest-rated criteria."""
    if row.decided_by != "mean":
        return row.decided_by
    weakest = ", ".join(name.replace("_", " ") for name in row.weakest)
    return f"mean ({weakest})" if weakest else "mean"


def decisions(
    sample: Sequence[SampledCase], panel: Sequence[Cast], min_votes: int, persons: Mapping[str, Vote]
) -> list[PanelDecision]:
    """One row a sampled answer, in order. A person's word counts where the panel's votes are ambiguous."""
    return [_decided(row, [cast.get(row.id) for cast in panel], min_votes, persons.get(row.id)) for row in sample]


def _decided(row: SampledCase, rows: Sequence[PanelVote | None], min_votes: int, person: Vote | None) -> PanelDecision:
    votes = Counter("open" if one is None else one.vote or "failed" for one in rows)
    found = decide(votes["correct"], votes["incorrect"], votes["open"], min_votes)
    by: Literal["panel", "person", ""] = "" if found in ("ambiguous", "open") else "panel"
    if found == "ambiguous" and person is not None:
        found, by = person, "person"
    return PanelDecision(
        **row.names,
        language=row.language,
        status=row.status,
        criterion=criterion(row),
        correct=votes["correct"],
        incorrect=votes["incorrect"],
        failed=votes["failed"],
        open=votes["open"],
        decision=found,
        by=by,
        outcome=outcome(row.status, found),
    )


def taken_as(rows: Sequence[PanelDecision], *, right: bool) -> list[PanelDecision]:
    """The decisions with every ambiguous one counted for the oracle (`right`) or against it."""

    def taken(row: PanelDecision) -> PanelDecision:
        if row.decision != "ambiguous":
            return row
        wrong_answer = (row.status == "fail") == right
        found: Vote = "incorrect" if wrong_answer else "correct"
        return row.model_copy(update={"decision": found, "outcome": outcome(row.status, found)})

    return [taken(row) for row in rows]

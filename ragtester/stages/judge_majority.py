"""The canonical verdict: the majority of several judgements of one answer. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragtester.records import Call, Failure, Verdict, Votes
from ragtester.tasks import SPENT_FAILURES

TIED = "tied"


def canonical(judged: Sequence[Verdict]) -> Verdict:
    """One verdict from judgements of the same answer, in the order they were asked for.

    The majority of the graded ones decides. Ratings, mean and reasons are those of one judgement of the majority, so
    that they belong together: the one with the median mean (of an even number the lower), the earliest of equals.
    Without a majority the verdict is ungraded. Flags of all judgements are kept, and `call` is the sum of all.
    """
    passed = [one for one in judged if one.status == "pass"]
    failed = [one for one in judged if one.status == "fail"]
    if len(passed) == len(failed):
        row, agreed = _undecided(judged, len(passed)), 0
    else:
        side = sorted(passed if len(passed) > len(failed) else failed, key=lambda one: one.mean or 0.0)
        row, agreed = side[(len(side) - 1) // 2], len(side)
    votes = Votes(
        asked=len(judged),
        agreed=agreed,
        passed=len(passed),
        failed=len(failed),
        ungraded=len(judged) - len(passed) - len(failed),
        means=tuple(one.mean for one in judged),
    )
    served = sorted({one.served_judge for one in judged if one.served_judge})
    shared: dict[str, Any] = {
        "flags": tuple(dict.fromkeys(flag for one in judged for flag in one.flags)),
        "served_judge": ", ".join(served) or None,
        "call": summed([one.call for one in judged], row.call),
        "votes": votes,
    }
    return row.model_copy(update=shared)


def _undecided(judged: Sequence[Verdict], each: int) -> Verdict:
    """An ungraded row. A failure that another start may mend is named before one that was paid for."""
    without = [one for one in judged if one.failure is not None]
    row = min(without, key=lambda one: one.failure is not None and one.failure.type in SPENT_FAILURES)
    if not each or row.failure is None:
        return row
    words = f"{len(without)} of {len(judged)} judgements gave no grade and the others are tied {each} to {each}"
    spent = row.failure.type in SPENT_FAILURES
    failure = Failure(type=TIED if spent else row.failure.type, message=words, cause=_line(row.failure))
    return row.model_copy(update={"decided_by": TIED, "failure": failure})


def _line(failure: Failure) -> str:
    return f"{failure.type}: {failure.message}"


def summed(calls: Sequence[Call | None], like: Call | None) -> Call | None:
    """What several calls cost together, named as `like`. A count that one of them does not know is None."""
    made = [call for call in calls if call is not None]
    if like is None or not made:
        return like

    def total(name: str) -> Any:
        values = [getattr(call, name) for call in made]
        return None if None in values else sum(values)

    seconds, cost = total("seconds"), total("cost")
    return like.model_copy(
        update={
            "prompt_tokens": total("prompt_tokens"),
            "completion_tokens": total("completion_tokens"),
            "cost": cost,
            "seconds": None if seconds is None else round(seconds, 3),
            "attempts": total("attempts"),
            "dropped_parameters": tuple(dict.fromkeys(name for call in made for name in call.dropped_parameters)),
        }
    )

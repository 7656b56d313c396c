"""Asking the judge about one answer, once or several times."""

from __future__ import annotations

from ragtester.judgement import Judge
from ragtester.records import Failure, Verdict
from ragtester.stages.judge_majority import canonical
from ragtester.stages.judge_rows import Item, from_reply, request_of
from ragtester.tasks import JUDGE_ANSWER, PURPOSE, STOPPING_FAILURES, Models
from ragtester.waiting import all_or_stop


async def judged(models: Models, item: Item, judge: Judge) -> Verdict | Failure:
    """The verdict on an answer that needs a judge: one judgement, or the majority of `judge.repeats`.

    A Failure means that the judge was stopped: the same would befall every row that is left, so this one stays open.
    """
    if judge.repeats == 1:
        return await judged_once(models, item, judge, item.key)
    asks = (judged_once(models, item, judge, f"{item.key}#{repeat}") for repeat in range(1, judge.repeats + 1))
    found = await all_or_stop(asks)
    return found if isinstance(found, Failure) else canonical(found)


async def judged_once(models: Models, item: Item, judge: Judge, purpose: str) -> Verdict | Failure:
    """One judgement; `purpose` keeps its paid reply from being handed to another row or repeat after a kill.

    Run it in an asyncio task of its own: the purpose is set for the whole task. A Failure as with `judged`.
    """
    PURPOSE.set(purpose)
    asked = await models.ask(judge.model, JUDGE_ANSWER, request_of(item, judge))
    if asked.failure and asked.failure.type in STOPPING_FAILURES:
        return asked.failure
    return from_reply(item, judge, asked)

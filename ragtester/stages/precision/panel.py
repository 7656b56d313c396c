"""The panel votes: every member on every sampled answer, streamed, resumable; nobody waits for another member."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ragtester.errors import ChangedInputsError
from ragtester.progress import Progress
from ragtester.provenance import row_key
from ragtester.records import Failure, PanelVote, SampledCase
from ragtester.stages.precision.files import Files
from ragtester.stages.precision.sampling import Item
from ragtester.storage import append_row, read_rows, recover_tail, write_rows
from ragtester.tasks import PURPOSE, SPENT_FAILURES, STOPPING_FAILURES, VOTE_ON_VERDICT, Asked, Models, VerdictVoted
from ragtester.waiting import InFlight

AT_ONCE = 32
"""Answers a member has in the air; how many calls a provider takes at once is the gateway's to limit."""

LONG_REASON = 2_000
"""Characters of a reason that a row keeps."""


@dataclass
class Member:
    """One member: its rows by sampled answer, those of other samples, and why it was stopped ("": it was not).

    `again` are answers whose vote failed after being paid for and is asked for again on purpose.
    """

    model: str
    path: Path
    prompt_sha256: str
    cast: dict[str, PanelVote] = field(default_factory=dict)
    others: list[PanelVote] = field(default_factory=list)
    again: frozenset[str] = frozenset()
    stopped: str = ""

    def key(self, sampled: SampledCase) -> str:
        """Everything that a vote depends on; the sampled answer's id holds all that the member sees."""
        return row_key(id=sampled.id, voter=self.model, prompt=self.prompt_sha256)


def open_member(model: str, files: Files, sample: Sequence[SampledCase], prompt_sha256: str) -> Member:
    """A member with the rows it has: a later row of an answer before an earlier one; an interrupted line is cut off."""
    member = Member(model, files.votes(model), prompt_sha256)
    recover_tail(member.path)
    ids = {row.id for row in sample}
    for row in read_rows(member.path, PanelVote):
        if row.id in ids:
            member.cast[row.id] = row
        else:
            member.others.append(row)
    return member


def stale_votes(members: Iterable[Member], sample: Sequence[SampledCase]) -> int:
    """How many usable votes were asked for in other words than today's prompt."""
    return sum(
        row.vote is not None and row.key != member.key(sampled)
        for member in members
        for sampled in sample
        if (row := member.cast.get(sampled.id)) is not None
    )


def refuse_stale(members: Sequence[Member], sample: Sequence[SampledCase]) -> None:
    """Raise ChangedInputsError where votes stand that today's prompt would not give."""
    stale = stale_votes(members, sample)
    if stale:
        raise ChangedInputsError(
            f"{members[0].path.parent}: {stale} vote(s) were asked for with another prompt (prompts/vote_verdict.*);"
            " vote with --overwrite, or put the prompt back"
        )


def keep_current(member: Member, sample: Sequence[SampledCase], *, retry_failed: bool, asking: bool = True) -> None:
    """Leave only rows that stand: those with today's key, unless their failure is worth another try.

    Where nobody is `asking`, a failed vote is one, whatever failed it: it decides as it did when the panel had voted.
    """
    keys = {sampled.id: member.key(sampled) for sampled in sample}
    current = {name: row for name, row in member.cast.items() if row.key == keys[name]}
    if not asking:
        member.cast = current
        return
    spent = {name for name, row in current.items() if row.failure and row.failure.type in SPENT_FAILURES}
    member.again = frozenset(spent if retry_failed else ())
    member.cast = {
        name: row
        for name, row in current.items()
        if name not in member.again and (row.failure is None or name in spent)
    }


async def vote(members: Sequence[Member], items: Sequence[Item], models: Models, progress: Progress) -> None:
    """Ask every member for the votes that it lacks. A stopped member stops alone."""
    async with InFlight(len(members)) as under_way:
        for member in members:
            await under_way.start(_all_of(member, items, models, progress))


async def _all_of(member: Member, items: Sequence[Item], models: Models, progress: Progress) -> None:
    async with InFlight(AT_ONCE) as under_way:
        for item in items:
            if item.row.id in member.cast:
                continue
            if member.stopped:
                break
            await under_way.start(_one(member, item, models, progress))
    if not member.stopped:
        _put_in_order(member, items)


async def _one(member: Member, item: Item, models: Models, progress: Progress) -> None:
    if member.stopped:
        return
    # Two systems may have given the same answer: each has its own reply in the journal. A reply that could not be used
    # is not taken from there again.
    PURPOSE.set(f"{item.row.id} again" if item.row.id in member.again else item.row.id)
    asked = await models.ask(member.model, VOTE_ON_VERDICT, item.request)
    if asked.failure is not None and asked.failure.type in STOPPING_FAILURES:
        # The same would befall every answer that is left: they stay open and the next start asks for them.
        member.stopped = member.stopped or f"{asked.failure.type}: {asked.failure.message}"
        return
    row = _row(member, item.row, asked)
    append_row(member.path, row)
    member.cast[row.id] = row
    progress.advance(failed=row.vote is None, cost=asked.call.cost)


def _row(member: Member, sampled: SampledCase, asked: Asked[VerdictVoted]) -> PanelVote:
    reply, failure = asked.reply, asked.failure
    if reply is None and failure is None:
        failure = Failure(type="unknown", message="the member gave neither a vote nor a failure")
    return PanelVote(
        **sampled.names,
        key=member.key(sampled),
        voter=member.model,
        served_voter=asked.call.served_model,
        vote=reply.vote if reply else None,
        reason=_shortened(reply.reason) if reply else "",
        prompt_sha256=member.prompt_sha256,
        call=asked.call,
        failure=failure,
    )


def _shortened(reason: str) -> str:
    return reason if len(reason) <= LONG_REASON else reason[: LONG_REASON - 1] + "…"


def _put_in_order(member: Member, items: Sequence[Item]) -> None:
    """The file in the sample's order, votes on answers of other samples behind; one row an answer."""
    wanted = [member.cast[item.row.id] for item in items if item.row.id in member.cast]
    wanted += list({row.id: row for row in member.others}.values())
    if read_rows(member.path, PanelVote) != wanted:
        write_rows(member.path, wanted)

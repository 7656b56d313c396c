"""Why a result is not cited, where anybody says so: the trace of our own search, or the answer itself. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ragtester.records import Exclusion, LeftOut, Trace
from ragtester.text.sentences import sentences

LONGEST = 300


def raw_results(trace: Trace) -> tuple[str, ...]:
    """All that the searches brought, each once: the final context, then the ranking before the cut, then what else any
    arm found, below its floor or filtered."""
    ranking = trace.reranked or trace.fused
    found = (*trace.context_ids, *(one.id for one in (*ranking, *trace.fused)), *(one.id for one in trace.retrieved))
    return tuple(dict.fromkeys(found))


def by_trace(trace: Trace) -> dict[str, Exclusion]:
    """What our trace states of the results that did not reach the model: dropped and where, or below the cut."""
    context = set(trace.context_ids)
    found: dict[str, str] = {}
    for one in trace.dropped:
        found.setdefault(one.id, f"{one.at}: {one.reason}" if one.reason else one.at)
    ranking = [one.id for one in trace.reranked or trace.fused] or _single(trace)
    for rank, name in enumerate(ranking, start=1):
        found.setdefault(name, f"cut: rank {rank}, K {trace.k}")
    for name in (*(one.id for one in trace.fused), *(one.id for one in trace.retrieved)):
        found.setdefault(name, f"cut: not among the {len(ranking)} that were ranked to the end")
    return {name: Exclusion(id=name, reason=why, by="trace") for name, why in found.items() if name not in context}


def _single(trace: Trace) -> list[str]:
    """A single arm's list, without what its floor or a filter took."""
    dropped = {one.id for one in trace.dropped if one.at != "budget"}
    return [one.id for one in trace.retrieved if one.id not in dropped]


def barred(trace: Trace) -> frozenset[str]:
    """Results that a filter took out: they are not for this user, or not for this question."""
    return frozenset(one.id for one in trace.dropped if one.at == "filter")


def by_answer(answer: str, ids: Iterable[str], language: str, left_out: Sequence[LeftOut] = ()) -> dict[str, Exclusion]:
    """What the answer states: its list of what it left out, or a sentence of its text that names the result's id."""
    told = {one.id: one.reason.strip() for one in left_out if one.reason.strip()}
    named = [name for name in ids if name not in told and names(answer, name)]
    lines = sentences(answer, language) if named else []
    for name in named:
        told[name] = next((line for line in lines if names(line, name)), answer)
    return {name: Exclusion(id=name, reason=why[:LONGEST], by="answer") for name, why in told.items()}


def names(text: str, identity: str) -> bool:
    """Whether the id stands in the text by itself; an id of one or two letters or digits only in brackets."""
    if identity not in text:
        return False
    if len(identity) < 3:
        return f"[{identity}]" in text or f"({identity})" in text
    return re.search(rf"(?<![\w-]){re.escape(identity)}(?![\w-])", text) is not None

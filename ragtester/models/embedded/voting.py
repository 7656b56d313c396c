"""The embedded panel: members that vote on an answer by rule, each by a principle of its own. None is a model.

They exist so that a precision audit runs without a key, and they are weak: docs/audits.md says what each cannot see.
All four recognise abstentions by the same rule, and so agree on them.
"""

from __future__ import annotations

from collections.abc import Callable

from ragtester.models.embedded.judging import judge_answer
from ragtester.models.embedded.judging_statements import Embed
from ragtester.models.embedded.voting_values import by_values
from ragtester.models.embedded.voting_vectors import by_vectors
from ragtester.models.embedded.voting_words import by_words
from ragtester.tasks import VerdictVoted, VoteOnVerdict
from ragtester.text.words import words
from ragtester.verdict import abstains

Ballot = tuple[bool, str]
"""Whether the answer is acceptable, and why."""


def by_rules(request: VoteOnVerdict, embed: Embed) -> Ballot:
    """By the embedded judge's ratings: neither unfaithful nor without what was asked for. The mean plays no part."""
    found = judge_answer(request, embed)
    for part in (found.faithfulness, found.completeness):
        if part.rating == "false":
            return False, _bare(part.reason)
    return True, f"{_bare(found.completeness.reason)}; {_bare(found.faithfulness.reason)}"


def _bare(reason: str) -> str:
    return reason.removeprefix("by rule").lstrip(",: ")


VOTERS: dict[str, Callable[[VoteOnVerdict, Embed], Ballot]] = {
    "vote-rules": by_rules,
    "vote-words": by_words,
    "vote-values": by_values,
    "vote-vectors": by_vectors,
}


def vote(name: str, request: VoteOnVerdict, embed: Embed) -> VerdictVoted:
    """The vote of the member `name`; `embed` maps texts to rows of length 1. Deterministic.

    Text in the answer that speaks to the panel is words like any other.
    """
    acceptable, why = _without_content(request) or VOTERS[name](request, embed)
    return VerdictVoted(reason=f"by rule: {why}", vote="correct" if acceptable else "incorrect")


def _without_content(request: VoteOnVerdict) -> Ballot | None:
    """What no principle is needed for: an abstention, right or wrong, and an answer without a word."""
    if abstains(request.answer, request.refuses, request.refusals, request.language):
        if request.answerable:
            return False, "abstains, and the question can be answered"
        return True, "abstains, as it should"
    return None if words(request.answer) else (False, "says nothing")

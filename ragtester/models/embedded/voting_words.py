"""A member of the embedded panel that counts shared words and keywords, and knows nothing else."""

from __future__ import annotations

from ragtester.models.embedded.judging_statements import Embed
from ragtester.tasks import VoteOnVerdict
from ragtester.text.keywords import keyword_match
from ragtester.text.normalise import fold
from ragtester.text.stems import stems

ENOUGH = 0.5
"""Mean of the two shares from which an answer is acceptable: a right half counts, as it does for the judge."""


def by_words(request: VoteOnVerdict, embed: Embed) -> tuple[bool, str]:  # noqa: ARG001 - members have one form
    """By the share of the expected answer's stems beyond the question that the answer holds, and of the keywords.

    A question that must be refused has no such words: whatever says anything is an answer.
    """
    if not request.answerable:
        return False, "answers a question that must be refused"
    cover = word_cover(request)
    found = [keyword_match((keyword,), request.answer, request.language)[0] == "true" for keyword in _asked(request)]
    if not found:
        return cover >= ENOUGH, f"{cover:.0%} of the expected words are there; no keyword is named"
    share = sum(found) / len(found)
    why = f"{cover:.0%} of the expected words and {sum(found)} of {len(found)} keyword(s) are there"
    return (cover + share) / 2 >= ENOUGH, why


def word_cover(request: VoteOnVerdict) -> float:
    """Share (0 to 1) of the expected answer's distinct stems that the answer holds; those of the question count not.

    Where the expected answer has no stem beyond the question, all of its stems count; 0 where it has none.
    """
    expected = dict.fromkeys(stems(request.expected_answer, request.language))
    asked = set(stems(request.question, request.language))
    wanted = [stem for stem in expected if stem not in asked] or list(expected)
    given = set(stems(request.answer, request.language))
    return sum(stem in given for stem in wanted) / len(wanted) if wanted else 0.0


def _asked(request: VoteOnVerdict) -> list[str]:
    return [keyword for keyword in dict.fromkeys(request.keywords) if fold(keyword)]

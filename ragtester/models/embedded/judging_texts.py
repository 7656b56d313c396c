"""The texts of one request, read and compared."""

from __future__ import annotations

from dataclasses import dataclass

from ragtester.models.embedded.judging_contradictions import contradictions
from ragtester.models.embedded.judging_cover import Cover, cover
from ragtester.models.embedded.judging_long import SHORT_MASS, length, nearness
from ragtester.models.embedded.judging_statements import Body, Embed, join, read
from ragtester.models.embedded.judging_units import adopt_units
from ragtester.models.embedded.judging_wanted import Wanted, find_wanted
from ragtester.tasks import AnswerSeen

PARAPHRASE = 0.4
"""From this nearness beyond the question on, a short answer that shares a word with the expected one paraphrases it."""

OWN_WORDS = 0.5
"""Cover by the known texts up to which an answer is worded anew."""


@dataclass(frozen=True)
class Texts:
    """The texts, with their covers and the contradictions by (answer's, expected's) place."""

    answer: Body
    expected: Body
    question: Body
    has_evidence: bool
    recall: Cover
    support: Cover
    precision: Cover
    conflicts: dict[int, tuple[int, str]]
    wanted: Wanted

    @property
    def strict(self) -> bool:
        """Whether the expected answer is a value or a phrase."""
        return self.expected.mass <= SHORT_MASS

    @property
    def paraphrases(self) -> bool:
        """Whether the answer says a short expected one in other words, as sentence vectors have it.

        No value is wanting, nothing contradicts, a word beyond the question is shared, and the words are the answer's
        own: one in the evidence's words says what the evidence says, which shows without vectors.
        """
        whole = not self.wanted.nothing and not self.conflicts and all(share == 1 for share in self.wanted.shares)
        shared = set(self.answer.surfaces) & set(self.expected.surfaces) - set(self.question.surfaces)
        if not whole or not shared or self.length >= 0.5 or self.support.mean > OWN_WORDS:
            return False
        return (nearness(self.answer, self.expected, self.question) or 0.0) >= PARAPHRASE

    @property
    def faulty(self) -> float:
        """The most that an answer with an invention or a contradiction reaches in faithfulness: not wholly true."""
        return 0.69 - 0.1 * self.length

    @property
    def length(self) -> float:
        """How long the expected answer is, 0 to 1."""
        return length(self.expected)


def read_texts(request: AnswerSeen, embed: Embed | None) -> Texts:
    """Read the texts of a request and compare them."""
    language = request.language
    expected = read(request.expected_answer, language, embed)
    question = read(request.question, language, embed)
    answer = adopt_units(read(request.answer, language, embed), expected, language)
    evidence = [read(passage.text, language, embed) for passage in request.evidence]
    given = frozenset(question.surfaces)
    truth = join(expected, *evidence)
    support = cover(answer, truth, given, embed)
    wanted = find_wanted(request, answer, expected, question, truth)
    return Texts(
        answer,
        expected,
        question,
        bool(evidence),
        cover(expected, answer, given, embed),
        support,
        cover(answer, join(expected, question), given, embed),
        wanted.conflicts | contradictions(answer, expected, question, truth, support),
        wanted,
    )

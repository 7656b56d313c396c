"""The embedded judge: rates an answer by rule. It is no language model and says so in its reasons.

Cover in both directions, a statement at a time: of the expected answer by the answer (completeness), of the answer
by the expected answer and the evidence (faithfulness). Stems, soft stems by word vectors, sentence vectors,
quantities in base units, names and identifiers; contradictions count against faithfulness. See docs/judge.md.
"""

from __future__ import annotations

from ragtester.models.embedded.judging_measures import Measures, measure
from ragtester.models.embedded.judging_statements import Embed
from ragtester.records import Rating
from ragtester.tasks import AnswerJudged, AnswerSeen, Judgement
from ragtester.verdict import abstains

# (from here on "partially", from here on "true"). Placed so that ordinary good, middling and poor answers of one
# value as well as of two hundred words fall on different sides: see docs/judge.md for how they were placed.
THRESHOLDS = {
    "faithfulness": (0.33, 0.72),
    "relevance": (0.55, 0.84),
    "completeness": (0.33, 0.65),
    "clarity": (0.50, 0.80),
}
# The same where the expected answer is long. Two long answers seldom differ as much as two values do: so the criteria
# step at different degrees of quality, and the mean of all five tells more degrees apart than each of them.
LONG_THRESHOLDS = {
    "faithfulness": (0.30, 0.60),
    "relevance": (0.50, 0.75),
    "completeness": (0.40, 0.65),
    "clarity": (0.50, 0.80),
}


def judge_answer(request: AnswerSeen, embed: Embed | None) -> AnswerJudged:
    """Rate one answer on the four criteria that are asked. `embed` maps texts to L2-normalised rows; None: none.

    Deterministic. Text in the answer that speaks to a judge is words like any other.
    """
    if abstains(request.answer, request.refuses, request.refusals, request.language):
        return _abstained(request.answerable)
    found = measure(request, embed)
    if not request.answerable:
        return _answered_unanswerable(found)
    return AnswerJudged(
        faithfulness=_judge("faithfulness", found),
        relevance=_judge("relevance", found),
        completeness=_judge("completeness", found),
        clarity=_judge("clarity", found),
    )


def soft_scores(request: AnswerSeen, embed: Embed | None) -> dict[str, float]:
    """The scores (0 to 1) behind the ratings, before they are cut into three: for audits and calibration.

    An abstention has the scores of its ratings.
    """
    if abstains(request.answer, request.refuses, request.refusals, request.language):
        right = 0.0 if request.answerable else 1.0
        return {"faithfulness": 1.0, "relevance": right, "completeness": right, "clarity": 1.0}
    found = measure(request, embed)
    scores = {name: found.scores[name] for name in THRESHOLDS}
    if not request.answerable and not found.corrects_premise:
        scores |= {"faithfulness": 0.0, "completeness": 0.0}
    return scores


def rate(criterion: str, score: float, length: float = 0.0) -> Rating:
    """The rating of a score; `length` is that of the expected answer, 0 for a value to 1 for a paragraph."""
    partially, true = (
        (1 - length) * short + length * long
        for short, long in zip(THRESHOLDS[criterion], LONG_THRESHOLDS[criterion], strict=True)
    )
    return "true" if score >= true else "partially" if score >= partially else "false"


def _judge(criterion: str, found: Measures) -> Judgement:
    score = found.scores[criterion]
    rating = rate(criterion, score, found.length)
    return Judgement(reason=f"by rule, score {score:.2f}: {found.reasons[criterion]}", rating=rating)


def _abstained(answerable: bool) -> AnswerJudged:
    right: Rating = "false" if answerable else "true"
    what = "by rule: abstains, and the question can be answered" if answerable else "by rule: abstains, as it should"
    claims = Judgement(reason="by rule: abstains and claims nothing", rating="true")
    missed = Judgement(reason=what, rating=right)
    return AnswerJudged(faithfulness=claims, relevance=missed, completeness=missed, clarity=claims)


def _answered_unanswerable(found: Measures) -> AnswerJudged:
    if found.corrects_premise:
        good = Judgement(reason=f"by rule: corrects the premise ({found.corrects_premise})", rating="true")
        return AnswerJudged(faithfulness=good, relevance=good, completeness=good, clarity=_judge("clarity", found))
    bad = Judgement(reason="by rule: answers a question that must be refused", rating="false")
    relevance = _judge("relevance", found)
    if relevance.rating == "true":
        relevance = Judgement(reason=relevance.reason, rating="partially")
    return AnswerJudged(faithfulness=bad, relevance=relevance, completeness=bad, clarity=_judge("clarity", found))

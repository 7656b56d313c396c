"""Whether an answer to a question that must be refused corrects the question's premise."""

from __future__ import annotations

from ragtester.models.embedded.judging_cover import Cover
from ragtester.models.embedded.judging_statements import Body, Statement
from ragtester.text.normalise import fold
from ragtester.text.quantities import Quantity, same_quantity

SUPPORTED = 0.5
"""Cover from which a statement counts as supported."""


def correction(answer: Body, question: Body, support: Cover) -> str:
    """How an answer to an unanswerable question denies its premise by a supported other value; "" where it does not.

    Narrow on purpose: the question names a value, the answer denies it ("not ten") and gives another in a statement
    that the evidence supports.
    """
    for place, claim in enumerate(answer.statements):
        for asked in question.quantities:
            ruled_out = any(_written(question, asked).startswith(fold(_shown(claim, one))) for one in claim.denied)
            others = [one for one in claim.quantities if one.unit == asked.unit and not same_quantity(one, asked)]
            if others and ruled_out and support.scores[place] >= SUPPORTED:
                return quote(claim.text)
    return ""


def _shown(statement: Statement, quantity: Quantity) -> str:
    return statement.text[quantity.start : quantity.end]


def _written(body: Body, quantity: Quantity) -> str:
    """A quantity of a text as it is written there, folded ("ten years")."""
    return next((fold(_shown(one, quantity)) for one in body.statements if quantity in one.quantities), "")


def quote(text: str) -> str:
    """The beginning of a text, for a reason."""
    short = " ".join(text.split())
    return f"'{short[:80]}…'" if len(short) > 80 else f"'{short}'"

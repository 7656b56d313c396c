"""A judge whose replies differ from one judgement of the same answer to the next."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ragtester.records import Call, Failure
from ragtester.tasks import PURPOSE, AnswerJudged, Asked, JudgeAnswer, Judgement, Task

TIMEOUT = Failure(type="timeout", message="no reply in 120 s")
SPENT = Failure(type="unparseable", message="no object")
QUOTA = Failure(type="quota", message="used up")
# What is said of faithfulness, relevance, completeness and clarity. The case's keyword stands in no answer of these
# tests, so that keyword match is false and counts 0: means are (1+1+1+1+0)/5 = 0.8 and so on.
WORDS = {"t": "true", "p": "partially", "f": "false"}


def reply(letters: str, note: str = "") -> AnswerJudged:
    """`tttf`: the four criteria that are asked, by their first letters."""
    names = ("faithfulness", "relevance", "completeness", "clarity")
    return AnswerJudged(
        **{
            name: Judgement(reason=f"{note} {name}", rating=WORDS[letter])  # type: ignore[arg-type]
            for name, letter in zip(names, letters, strict=True)
        }
    )


class VaryingJudge:
    """`script` maps an answer's text to what its judgements are, in the order asked; the last one is repeated."""

    def __init__(self, script: dict[str, list[str | Failure]], *, prompt: str = "p1", served: str = "") -> None:
        self.script, self.prompt, self.served = script, prompt, served
        self.asked: Counter[str] = Counter()
        self.purposes: list[str] = []

    async def ask(self, model: str, task: Task[Any, Any], request: JudgeAnswer) -> Asked[Any]:
        said = self.script[request.answer]
        number = self.asked[request.answer]
        self.asked[request.answer] += 1
        self.purposes.append(PURPOSE.get())
        one = said[min(number, len(said) - 1)]
        call = Call(
            model=model,
            served_model=self.served or model,
            prompt_tokens=100,
            completion_tokens=10,
            cost=0.25,
            seconds=1.5,
        )
        return Asked(None, call, one) if isinstance(one, Failure) else Asked(reply(one, f"judgement {number}"), call)

    def prompt_sha256(self, task: Task[Any, Any]) -> str:
        return self.prompt

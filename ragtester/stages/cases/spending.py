"""What making the cases costs: counted on the way to the models, for the suite's manifest."""

from __future__ import annotations

from typing import TypeVar

from ragtester.records import Record
from ragtester.tasks import Asked, Models, Task

Q = TypeVar("Q", bound=Record)
R = TypeVar("R", bound=Record)


class Metered:
    """Models that add up what their replies cost in dollars, from `cost` on; None once a reply has no known price.

    A call that gave no reply and has no price of its own is not counted.
    """

    def __init__(self, models: Models, cost: float | None = 0.0) -> None:
        self._models = models
        self.cost = cost

    async def ask(self, model: str, task: Task[Q, R], request: Q) -> Asked[R]:
        """As the models do; counts."""
        asked = await self._models.ask(model, task, request)
        cost = asked.call.cost
        if cost is not None or asked.reply is not None:
            self.cost = None if self.cost is None or cost is None else self.cost + cost
        return asked

    def prompt_sha256(self, task: Task[Q, R]) -> str:
        """As the models do."""
        return self._models.prompt_sha256(task)

"""`langchain:MODULE:OBJECT`: a LangChain Runnable of the user's, asked with `ainvoke`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ragtester.errors import UsageError
from ragtester.functions import Named
from ragtester.models.targets.background import Background
from ragtester.models.targets.plain import plain
from ragtester.tasks import AskTarget

PREFIX = "langchain:"
FORM = "langchain:MODULE:OBJECT"


@dataclass(frozen=True)
class RunnableTarget:
    """Invokes the runnable for every question: with the question itself, or with a mapping that has it under `input`.

    The tags of the user who asks stand in the run's configuration, as `configurable.tags` and in its `metadata`.
    """

    runnable: Any
    input: str
    background: Background = field(default_factory=Background)

    @classmethod
    def load(cls, named: Named, key: str) -> RunnableTarget:
        """The object that a setting names. Raises UsageError for one that is no Runnable."""
        from langchain_core.runnables import Runnable

        found = named.load()
        if not isinstance(found, Runnable):
            raise UsageError(f"{named.setting}: {named.name} is no LangChain Runnable, but {type(found).__name__}")
        return cls(found, key)

    async def ask(self, request: AskTarget) -> list[Any]:
        """What it gives, as plain data. Raises whatever it raises."""
        result = await self.background.run(lambda: self._invoked(request))
        return [] if result is None else [plain(result)]

    async def _invoked(self, request: AskTarget) -> Any:
        from langsmith import tracing_context

        tags = list(request.tags)
        given: Any = {self.input: request.question, "tags": tags} if self.input else request.question
        # No trace leaves the machine, whatever the environment says.
        with tracing_context(enabled=False):
            return await self.runnable.ainvoke(
                given, config={"metadata": {"user_tags": tags}, "configurable": {"tags": tags}}
            )

    async def close(self) -> None:
        """End what runs in the background."""
        self.background.close()

"""One paid call after another to one model: journal, budget, turn, rate, attempts, back-off, and what it all cost."""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any, Protocol

from ragtester.errors import RagtesterError
from ragtester.models.accounts import Account, Said, Services
from ragtester.models.catalogue import ModelName
from ragtester.models.clients import RETRY_AFTER
from ragtester.models.limits import ModelTurns, ProviderGate
from ragtester.models.prices import price_of, window_of
from ragtester.models.problems import Problem, examine, mend
from ragtester.models.retry import BackOff, CallFailed, attempted
from ragtester.records import Failure
from ragtester.settings import ProviderSettings
from ragtester.tasks import PURPOSE, STOPPING_FAILURES, Task
from ragtester.text.words import estimate_tokens

Messages = list[tuple[str, str]]
# Room for a reply where no limit is set, in tokens.
REPLY_ROOM = 1024
SMALLEST_WINDOW = 2048
# Known windows are in the model's own tokens and ours are an estimate: refuse only what cannot fit.
KNOWN_WINDOW_MARGIN = 1.5
MOST_DROPS = 8
# Refusals come at once, replies take longer: nobody waits for a whole reply.
FIRST_ALONE_SECONDS = 0.15


class Client(Protocol):
    """What sends a request: a chat model's client, or a target's. See `chat.ChatClient`."""

    name: ModelName
    limits: ProviderSettings
    dropped: list[str]
    window: int

    def sent(self, task: Task[Any, Any]) -> list[str]:
        """Names of the parameters that a request carries."""
        ...

    def drop(self, parameter: str) -> bool:
        """Leave a parameter out from now on; False where there is nothing left to leave out."""
        ...

    async def context_limit(self) -> int | None:
        """The context that the model takes, in tokens, where its server tells."""
        ...

    async def send(self, messages: Messages, task: Task[Any, Any], window: int) -> Said:
        """One request; raises whatever goes wrong."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


class ModelCaller:
    """Calls one model. `reply` gives what was said, or the failure that is left after all attempts."""

    def __init__(self, client: Client, gate: ProviderGate, turns: ModelTurns | None, shared: Services) -> None:
        self.client = client
        self.name = client.name
        self.gate = gate
        self.turns = turns
        self.shared = shared
        self._parameters = client.name.settings.model_dump(mode="json")
        self._begun = False
        self._answered = asyncio.Event()

    async def reply(self, messages: Messages, task: Task[Any, Any], account: Account) -> Said | Failure:
        """One reply to `messages`; what it cost is added to `account`."""
        window = self._fit(messages, self.name.settings.context_window or await self.client.context_limit())
        if isinstance(window, Failure):
            return window
        key = self._key(messages, task)
        kept = self.shared.journal.find(key)
        if kept is not None:
            said = Said(**kept, paid_before=True)
            account.attempts += said.attempts
            account.dropped = tuple(said.dropped)
            self._count(said, account)
            return said
        return await self._paid(messages, task, account, window, key)

    def _key(self, messages: Messages, task: Task[Any, Any]) -> str:
        """The request's key in the journal: everything that the reply depends on, and what it is for."""
        if self.shared.journal.path is None:
            return ""
        parameters = {**self._parameters, "task": task.name, "for": PURPOSE.get()}
        return self.shared.journal.key(self.name.full, parameters, messages)

    async def _paid(
        self, messages: Messages, task: Task[Any, Any], account: Account, window: int, key: str
    ) -> Said | Failure:
        async with AsyncExitStack() as held:
            if self.turns is not None:
                await held.enter_async_context(self.turns.turn(self.name.served))
            estimate = self._estimate(messages)
            budget = self.shared.budget
            if (refused := budget.refusal(estimate)) is not None:
                return Failure(type="budget", message=refused)
            budget.calls += 1
            budget.reserved += estimate
            before = account.attempts
            try:
                said = await self._with_retries(messages, task, account, window)
            except CallFailed as failed:
                return self._failed(failed.problem)
            finally:
                budget.reserved -= estimate
        said = replace(said, attempts=account.attempts - before, dropped=account.dropped)
        self.shared.journal.keep(key, said.stored())
        self._count(said, account)
        return said

    async def _with_retries(self, messages: Messages, task: Task[Any, Any], account: Account, window: int) -> Said:
        limits = self.client.limits
        return await attempted(
            lambda: self._attempt(messages, task, account, window),
            limits.retries,
            BackOff(limits.max_wait_seconds, self.shared.draw),
            self.shared.sleep,
        )

    async def _attempt(self, messages: Messages, task: Task[Any, Any], account: Account, window: int) -> Said:
        """One attempt, and once more for every parameter that the server turns out not to take."""
        tries = 0
        while True:
            await self._let_first_go_ahead()
            before = len(self.client.dropped)
            outcome = await self._once(messages, task, account, window)
            if isinstance(outcome, Said):
                return outcome
            tries += 1
            if outcome.parameter is None or tries > MOST_DROPS or not self._left_out(outcome.parameter, before):
                raise CallFailed(outcome)

    async def _let_first_go_ahead(self) -> None:
        """The first call goes alone for a moment: one is enough to show what is wrong with a key or a parameter."""
        if not self._begun:
            self._begun = True
        elif not self._answered.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._answered.wait(), FIRST_ALONE_SECONDS)

    def _left_out(self, parameter: str, before: int) -> bool:
        """Whether another try without the parameter makes sense (another call may have left it out meanwhile)."""
        return len(self.client.dropped) > before or self.client.drop(parameter)

    async def _once(self, messages: Messages, task: Task[Any, Any], account: Account, window: int) -> Said | Problem:
        sent = self.client.sent(task)
        headers: dict[str, str] = {}
        token = RETRY_AFTER.set(headers)
        try:
            async with self.gate.place():
                if (stopped := self.shared.stopped.get(self.name.full)) is not None:
                    # It was stopped while this call waited for its place.
                    return Problem(stopped.type, stopped.message, cause=stopped.cause)
                account.attempts += 1
                return await self.client.send(messages, task, window)
        except RagtesterError:
            # Settings that cannot work are the user's to mend, not an outcome of a call.
            raise
        except Exception as error:  # noqa: BLE001 - clients raise classes of their own; each becomes a typed failure
            return examine(error, sent, headers.get("retry-after"))
        finally:
            RETRY_AFTER.reset(token)
            self._answered.set()
            account.dropped = tuple(self.client.dropped)

    def _failed(self, problem: Problem) -> Failure:
        failure = Failure(type=problem.type, message=mend(problem, self.name, self.client.limits), cause=problem.cause)
        if problem.type in STOPPING_FAILURES:
            self.shared.stop(self.name.full, failure)
        return failure

    def _count(self, said: Said, account: Account) -> None:
        account.said.append(said)
        cost = price_of(
            self.name.full,
            said.prompt_tokens or 0,
            said.completion_tokens or 0,
            self.name.settings,
            said.cached_tokens,
        )
        if said.prompt_tokens is None and self.name.provider != "ollama":
            cost = None
            self.shared.note(f"{self.name.full} does not count its tokens: its cost is not counted")
        elif cost is None:
            self.shared.note(f"no price is known for {self.name.full}: its cost is not counted (set prompt_price)")
        earlier = account.cost if len(account.said) > 1 else 0.0
        account.cost = None if cost is None or earlier is None else earlier + cost
        if not said.paid_before:
            self.shared.budget.cost += cost or 0.0

    def _estimate(self, messages: Messages) -> float:
        """Cost of a call in USD before it is made, where a limit asks for it; 0 where no price is known."""
        if self.shared.budget.max_cost is None:
            return 0.0
        prompt = sum(estimate_tokens(text) for _, text in messages)
        room = min(self.name.settings.max_tokens or REPLY_ROOM // 4, REPLY_ROOM)
        return price_of(self.name.full, prompt, room, self.name.settings) or 0.0

    def _fit(self, messages: Messages, limit: int | None) -> int | Failure:
        """The context that the prompt needs (0: the server knows), or the failure that it does not fit."""
        settings = self.name.settings
        known = None if limit else window_of(self.name.full, settings)
        ollama = self.name.provider == "ollama"
        if not limit and known is None and not ollama:
            return 0
        if known is not None and sum(len(text) for _, text in messages) < known:
            return 0
        prompt = sum(estimate_tokens(text) + 4 for _, text in messages)
        room = settings.max_tokens or REPLY_ROOM
        most = limit or (known and int(known * KNOWN_WINDOW_MARGIN))
        least = prompt + (settings.max_tokens or 0)
        if most and least > most:
            message = f"the prompt needs about {least} tokens and {self.name.full} takes {most}; nothing was cut"
            return Failure(type="too_long", message=message)
        if not ollama:
            return 0
        # Powers of two, and never smaller than before: a changed window makes Ollama load the model anew.
        needed = max(SMALLEST_WINDOW, 1 << (int((prompt * 1.1 + room) - 1)).bit_length())
        needed = max(needed, self.client.window)
        self.client.window = min(needed, limit) if limit else needed
        return self.client.window

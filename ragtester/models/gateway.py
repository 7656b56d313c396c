"""The one place that all model traffic passes through."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ragtester.models.accounts import Account, Services
from ragtester.models.caller import ModelCaller
from ragtester.models.catalogue import ModelName, resolve
from ragtester.models.journal import CallJournal
from ragtester.models.limits import Budget, ModelTurns, ProviderGate
from ragtester.models.rendering import REPAIR, Renderer
from ragtester.models.replies import UnusableReply, parse
from ragtester.models.scripted import ScriptedReplies, load_script
from ragtester.records import Call, Failure, Record
from ragtester.redaction import redact
from ragtester.settings import Settings
from ragtester.tasks import (
    ASK_TARGET,
    STOPPING_FAILURES,
    TRANSIENT_FAILURES,
    AnswerQuestion,
    Asked,
    Embedder,
    Task,
)
from ragtester.text.normalise import clean

if TYPE_CHECKING:
    from ragtester.models.accounts import Said
    from ragtester.models.embedded.engine import EmbeddedEngine
    from ragtester.models.targets.reading import Reading

Q = TypeVar("Q", bound=Record)
R = TypeVar("R", bound=Record)
# How often a reply that cannot be used is asked for again, with the fault shown.
REPAIRS = 1
# Characters of a target's reply that are kept where it cannot be used.
LONGEST_RAW = 4000
_FILTERED = {"content_filter", "safety", "recitation", "prohibited_content", "blocklist"}
_CUT = {"length", "max_tokens", "model_length", "max_output_tokens"}


class Gateway:
    """Implements `tasks.Models`. Use it in `async with`, one a stage.

    `journal` keeps paid replies between two starts; `root` is where `scripted:` files are looked for; `scripted` gives
    replies by the name after `scripted:` instead of a file. `calls` and `cost` (USD) count what this start has
    spent; replies from the journal are not counted again.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        prompts_dir: Path | None = None,
        journal: Path | None = None,
        root: Path | None = None,
        engine: EmbeddedEngine | None = None,
        scripted: Mapping[str, ScriptedReplies] | None = None,
        shared: Services | None = None,
    ) -> None:
        self.settings = settings
        self.shared = shared or Services(CallJournal(journal), Budget())
        self.served: dict[str, str | None] = {}
        self._renderer = Renderer(prompts_dir)
        self._root = root or Path()
        # Whether any ask ended in a failure that another start may mend: its earlier replies are still worth keeping.
        self.interrupted = False
        self._engine = engine
        self._scripts: dict[str, ScriptedReplies] = dict(scripted or {})
        self._callers: dict[str, ModelCaller] = {}
        self._gates: dict[str, ProviderGate] = {}
        self._turns: dict[str, ModelTurns] = {}
        self._opened: tuple[str, Reading] | None = None
        self._embedders: dict[str, Any] = {}
        if self.shared.journal.notice:
            self.shared.note(self.shared.journal.notice)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections and the journal's file."""
        for caller in self._callers.values():
            await caller.client.close()
        for embedder in self._embedders.values():
            await embedder.close()
        self.shared.journal.close()

    @property
    def calls(self) -> int:
        """Requests that this start has made (retries of a failed one are not counted)."""
        return self.shared.budget.calls

    @property
    def cost(self) -> float:
        """USD that this start has spent, as far as prices are known."""
        return self.shared.budget.cost

    @property
    def stopped_models(self) -> dict[str, Failure]:
        """Models that get no further call, with the reason."""
        return self.shared.stopped

    @property
    def notes(self) -> list[str]:
        """Lines that the user should read, each once."""
        return self.shared.notes

    def set_budget(self, max_cost: float | None = None, max_calls: int | None = None) -> None:
        """Where to stop (USD, calls); None: no limit. Asks beyond it fail with the type `budget`."""
        self.shared.budget.max_cost, self.shared.budget.max_calls = max_cost, max_calls

    def discard_journal(self) -> None:
        """Forget the kept replies: call this when every one of them is in a row."""
        self.shared.journal.discard()

    def prompt_sha256(self, task: Task[Q, R]) -> str:
        """Hash of the words that a request of this task is made of."""
        return self._renderer.sha256(task)

    def embedder(self, name: str) -> Embedder:
        """The embedding model `name`; the same object every time. Raises UsageError for a name that is none."""
        if name not in self._embedders:
            from ragtester.models.embeddings import make_embedder

            known = resolve(name, self.settings)
            turns = self._turns_of(known)
            self._embedders[name] = make_embedder(known, self.settings, self._gate(known.provider), turns, self.shared)
        made: Embedder = self._embedders[name]
        return made

    async def ask(self, model: str, task: Task[Q, R], request: Q) -> Asked[R]:
        """Ask `model` to do `task`; a model's or server's fault comes back as a Failure.

        Raises UsageError and MissingPackageError for settings that cannot work, StorageError for a full disk.
        """
        if (stopped := self.shared.stopped.get(model)) is not None:
            self.interrupted = True
            return Asked(None, Call(model=model, cost=0.0, attempts=0), stopped)
        if task.name == ASK_TARGET.name:
            asked = await self._target(task, request)
        elif (name := resolve(model, self.settings)).provider == "embedded":
            asked = await self._embedded(name, task, request)
        elif name.provider == "scripted":
            asked = self._scripted(name, task, request)
        elif name.key_missing:
            failure = Failure(type="missing_key", message=f"set {name.key_variable}: {model} needs a key")
            self.shared.stop(model, failure)
            asked = Asked(None, Call(model=model, cost=0.0, attempts=0), failure)
        else:
            asked = await self._chat(name, task, request)
        if asked.call.served_model is not None or model not in self.served:
            self.served[model] = asked.call.served_model
        if asked.failure is not None and asked.failure.type in TRANSIENT_FAILURES | STOPPING_FAILURES:
            self.interrupted = True
        return asked

    async def _embedded(self, name: ModelName, task: Task[Q, R], request: Q) -> Asked[R]:
        from ragtester.models.embedded.engine import EmbeddedEngine
        from ragtester.models.embedded.facts import NoCase

        # The engine computes; others get a turn between two of its replies.
        await asyncio.sleep(0)
        self._engine = self._engine or EmbeddedEngine()
        call = Call(model=name.full, served_model=name.full, cost=0.0)
        try:
            reply = self._engine.perform(name.served, task, request)
        except NoCase as error:
            return Asked(None, call, Failure(type="no_case", message=error.reason))
        assert isinstance(reply, task.reply)
        return Asked(reply, call)

    def _scripted(self, name: ModelName, task: Task[Q, R], request: Q) -> Asked[R]:
        if name.served not in self._scripts:
            self._scripts[name.served] = load_script(self._root / name.served)
        call = Call(model=name.full, served_model=name.full, cost=0.0)
        _, user = self._renderer.render(task, request)
        for attempt in range(1, REPAIRS + 2):
            raw = self._scripts[name.served].next(task.name, user)
            call = call.model_copy(update={"attempts": attempt})
            if raw is None:
                message = f"{name.full} has no reply left for {task.name}"
                return Asked(None, call, Failure(type="script_exhausted", message=message))
            try:
                return Asked(parse(raw, task, request), call)
            except UnusableReply as unusable:
                failure = unusable.failure
            if failure.type not in ("unparseable", "empty"):
                break
        return Asked(None, call.model_copy(update={"raw": raw}), failure)

    async def _chat(self, name: ModelName, task: Task[Q, R], request: Q) -> Asked[R]:
        caller = self._caller(name)
        system, user = self._renderer.render(task, request)
        first = [("system", system), ("human", user)] if system.strip() else [("human", user)]
        account, messages = Account(name.full), first
        plain = isinstance(request, AnswerQuestion) and request.reply_format == "text"
        asked = replace(task, reply_format="markdown") if plain else task
        for repairs_left in reversed(range(REPAIRS + 1)):
            said = await caller.reply(messages, asked, account)
            if isinstance(said, Failure):
                return Asked(None, account.call(), said)
            try:
                return Asked(_read(said, task, request), account.call())
            except UnusableReply as unusable:
                failure = unusable.failure
            if not repairs_left or failure.type not in ("unparseable", "empty"):
                return Asked(None, account.call(clean(said.text or said.refusal)), failure)
            shown = [("ai", clean(said.text)), ("human", REPAIR.format(fault=failure.message))]
            messages = [*first, *shown] if failure.type == "unparseable" else first
        raise AssertionError("unreachable")

    async def _target(self, task: Task[Q, R], request: Q) -> Asked[R]:
        """Ask the user's own application. Of a reply that cannot be used the account keeps what was sent."""
        from ragtester.models.targets.client import TargetClient, name_of
        from ragtester.models.targets.opening import PROVIDER, is_local, open_target

        if self._opened is None:
            name = name_of(self.settings)
            target, reading = open_target(self.settings, self._root)
            limits = self.settings.provider(PROVIDER)
            client = TargetClient(name, limits, target, local=is_local(self.settings.target))
            self._callers[name.full] = ModelCaller(client, self._gate(PROVIDER), None, self.shared)
            self._opened = name.full, reading
        full, reading = self._opened
        account = Account(full)
        said = await self._callers[full].reply([("human", request.model_dump_json())], task, account)
        if isinstance(said, Failure):
            return Asked(None, account.call(), said)
        try:
            reply = reading.read(json.loads(said.text))
        except UnusableReply as unusable:
            return Asked(None, account.call(clean(redact(said.text))[:LONGEST_RAW]), unusable.failure)
        assert isinstance(reply, task.reply)
        return Asked(reply, account.call().model_copy(update={"served_model": reply.about.get("model")}))

    def _caller(self, name: ModelName) -> ModelCaller:
        if name.full not in self._callers:
            from ragtester.models.chat import ChatClient

            client = ChatClient(name, self.settings.provider(name.provider))
            gate = self._gate(name.provider)
            self._callers[name.full] = ModelCaller(client, gate, self._turns_of(name), self.shared)
        return self._callers[name.full]

    def _gate(self, provider: str) -> ProviderGate:
        if provider not in self._gates:
            self._gates[provider] = ProviderGate(self.settings.provider(provider))
        return self._gates[provider]

    def _turns_of(self, name: ModelName) -> ModelTurns | None:
        """One Ollama server serves one model at a time."""
        if name.provider != "ollama":
            return None
        return self._turns.setdefault(name.base_url or "", ModelTurns())


def _read(said: Said, task: Task[Q, R], request: Q) -> R:
    """What a server said as a reply. Raises UnusableReply with the outcome that it is instead."""
    finish = (said.finish_reason or "").lower()
    if finish in _FILTERED:
        raise UnusableReply("content_filter", f"the provider withheld the reply ({said.finish_reason})")
    if said.refusal:
        raise UnusableReply("refused", f"the model refused: {' '.join(said.refusal.split())[:200]}")
    return parse(said.text, task, request, truncated=finish in _CUT)

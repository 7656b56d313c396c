"""The four stages in order, each with its own gateway and call journal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragtester.errors import UsageError
from ragtester.model_checks import STAGES, check_models
from ragtester.progress import Progress, StageResult
from ragtester.settings import Settings
from ragtester.workspace import Workspace

if TYPE_CHECKING:
    from ragtester.models.gateway import Gateway
    from ragtester.tasks import Embedder


@dataclass(frozen=True)
class Options:
    """What a call may ask for beyond the settings."""

    overwrite: bool = False
    corpus: tuple[str, ...] = ()
    closed_book: bool = False
    """The run's closed-book control instead of the run itself."""


@dataclass
class Spent:
    """Requests and US dollars of several gateways: the limits hold for all of them together."""

    calls: int = 0
    cost: float = 0.0

    def add(self, gateway: Gateway) -> None:
        """Count what a gateway has used."""
        self.calls, self.cost = self.calls + gateway.calls, self.cost + gateway.cost


_together: ContextVar[Spent | None] = ContextVar("together", default=None)


@contextmanager
def one_budget() -> Iterator[None]:
    """Within it, everything that is run counts against the limits together, as if it were one command."""
    token = _together.set(Spent())
    try:
        yield
    finally:
        _together.reset(token)


def budget() -> Spent:
    """What the limits are counted on: a new account, or within `one_budget` the one that all share."""
    return _together.get() or Spent()


async def run_stages(
    workspace: Workspace,
    settings: Settings,
    progress: Progress,
    *,
    stages: Sequence[str] = STAGES,
    options: Options | None = None,
) -> list[StageResult]:
    """Run `stages` in order under the workspace's lock.

    A stage that stopped at a limit ends the sequence: what comes later would be incomplete. Failed rows do not: they
    are rows, and the next stage accounts for them. Results of a closed-book control have `counts["closed_book"]`.
    """
    options = options or Options()
    steps = _steps(settings, stages, options)
    check_models(steps[0][1], stages, root=workspace.root)
    return await run_steps(workspace, steps, progress, options, budget())


async def run_steps(
    workspace: Workspace, steps: Sequence[tuple[str, Settings]], progress: Progress, options: Options, spent: Spent
) -> list[StageResult]:
    """Run stages, each with settings of its own, under the workspace's lock; a stop at a limit ends the sequence."""
    stages = [stage for stage, _ in steps]
    results: list[StageResult] = []
    with workspace.lock():
        for stage, own in steps:
            if own.execute.retry_failed or own.judge.retry_failed:
                # Whoever asks for failed rows again wants new replies, not the kept ones. Rows from other inputs
                # (--overwrite) ask other requests, so what an interrupted start paid for stays of use to them.
                workspace.journal(stage, _name(own, stage)).unlink(missing_ok=True)
            gateway = open_gateway(workspace, own, stage)
            async with gateway:
                gateway.set_budget(*_left(own, spent))
                result = await _run_one(stage, workspace, own, gateway, progress, options)
                spent.add(gateway)
            _tell(gateway, progress)
            if own.execute.is_control:
                result = replace(result, counts={**result.counts, "closed_book": True})
            results.append(result)
            if result.stopped or _nothing_to_judge(result, stages):
                break
            if not gateway.interrupted:
                gateway.discard_journal()
    return results


def _steps(settings: Settings, stages: Sequence[str], options: Options) -> list[tuple[str, Settings]]:
    """Every stage with its settings; the closed-book control comes after the run whose control it is."""
    control = settings.control()
    if settings.target.name and (options.closed_book or settings.execute.closed_book):
        raise UsageError(
            "closed book: a target ([target] name) searches by itself and cannot be asked without; leave out "
            "--closed-book and execute.closed_book"
        )
    if options.closed_book:
        return [(stage, control) for stage in stages]
    steps = [(stage, settings) for stage in stages]
    if settings.execute.closed_book and "execute" in stages and "judge" in stages:
        steps += [("execute", control), ("judge", control)]
    return steps


async def run_audit(
    workspace: Workspace,
    settings: Settings,
    progress: Progress,
    name: str,
    work: Callable[[Gateway], Awaitable[StageResult]],
    spent: Spent | None = None,
) -> StageResult:
    """Do `work` under the workspace's lock with a gateway whose journal is named after the audit."""
    spent = spent or budget()
    with workspace.lock():
        gateway = open_gateway(workspace, settings, name)
        async with gateway:
            gateway.set_budget(*_left(settings, spent))
            result = await work(gateway)
            spent.add(gateway)
        _tell(gateway, progress)
        if not result.stopped and not gateway.interrupted:
            gateway.discard_journal()
    return result


def _nothing_to_judge(result: StageResult, stages: Sequence[str]) -> bool:
    """Whether a run ends early because no case could be made: the ledgers say why, and a judge would find no file."""
    return result.stage == "execute" and "judge" in stages and result.ledger.ok + result.ledger.failed == 0


def _tell(gateway: Gateway, progress: Progress) -> None:
    """Pass on what the gateway noticed, each once."""
    for model, failure in sorted(gateway.stopped_models.items()):
        progress.note(f"{model} was stopped: {failure.message}")
    for note in gateway.notes:
        progress.note(note)


def open_gateway(workspace: Workspace, settings: Settings, stage: str) -> Gateway:
    """A gateway whose journal belongs to one stage and one suite or run."""
    from ragtester.models.gateway import Gateway

    name = _name(settings, stage)
    prompts = workspace.prompts if workspace.prompts.is_dir() else None
    return Gateway(settings, prompts_dir=prompts, journal=workspace.journal(stage, name), root=workspace.root)


def _name(settings: Settings, stage: str) -> str:
    return settings.workspace.suite if stage in ("documents", "cases") else settings.execute.run


def _left(settings: Settings, spent: Spent) -> tuple[float | None, int | None]:
    """What is left of the limits, None where there is none."""
    limits = settings.limits
    return (
        max(0.0, limits.max_cost - spent.cost) if limits.max_cost else None,
        max(0, limits.max_calls - spent.calls) if limits.max_calls else None,
    )


async def _run_one(
    stage: str, workspace: Workspace, settings: Settings, gateway: Gateway, progress: Progress, options: Options
) -> StageResult:
    def embedders(name: str) -> Embedder:
        return gateway.embedder(name)

    if stage == "documents":
        from ragtester.stages import documents

        return await documents.run(workspace, settings, gateway, progress, overwrite=options.overwrite)
    if stage == "cases":
        from ragtester.stages import cases

        return await cases.run(
            workspace,
            settings,
            gateway,
            embedders,
            progress,
            corpus=options.corpus or None,
            overwrite=options.overwrite,
        )
    if stage == "execute":
        from ragtester.stages import execute

        return await execute.run(workspace, settings, gateway, embedders, progress, overwrite=options.overwrite)
    if stage == "judge":
        from ragtester.stages import judge

        return await judge.run(workspace, settings, gateway, progress, overwrite=options.overwrite)
    raise ValueError(f"no stage named {stage!r}")

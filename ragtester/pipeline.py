"""The four stages in order, each with its own gateway and call journal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from ragtester.claiming import claims_model, coverage_model
from ragtester.errors import UsageError
from ragtester.progress import Progress, StageResult
from ragtester.records import NO_RETRIEVAL
from ragtester.settings import Settings
from ragtester.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from ragtester.models.gateway import Gateway
    from ragtester.tasks import Embedder

STAGES = ("documents", "cases", "execute", "judge")
# The retrieval, the claims and the output audit, beside the stages where `check_models` and its relatives take names.
AUDIT = "retrieval"
CLAIMS = "claims"
COVERAGE = "coverage"


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


def check_models(
    settings: Settings, stages: Sequence[str] = STAGES, *, keys: bool = True, root: Path | None = None
) -> None:
    """Raise UsageError for models that no call could ever succeed with, before anything is read, made or paid.

    A system under test without its key is not refused: its rows say so, and the other systems go on. With `keys` False
    no key is asked for at all. With `root` (the workspace) a reranker that is no language model is looked for, too, and
    a target.
    """
    from ragtester.models.targets.opening import check_target
    from ragtester.rag.rerankers import check_reranker

    checks: list[Callable[[], None]] = [
        *(partial(check_model, name, settings) for name in sorted(used_models(settings, stages))),
        *(partial(check_model, name, settings, embedding=False) for name in sorted(asked_models(settings, stages))),
    ]
    if root is not None and _searches(settings, stages):
        checks.append(partial(check_reranker, settings, root))
    if root is not None and settings.target.name and "execute" in stages:
        checks.append(partial(check_target, settings, root))
    checks += [partial(_check_key, name, settings) for name in sorted(needed_models(settings, stages)) if keys]
    faults: dict[str, None] = {}
    for check in checks:
        try:
            check()
        except UsageError as error:
            faults[str(error)] = None
    if faults:
        raise UsageError("; ".join(faults))


def _check_key(name: str, settings: Settings) -> None:
    from ragtester.models.catalogue import resolve

    known = resolve(name, settings)
    if known.key_missing:
        raise UsageError(f"{name} needs a key: set {known.key_variable} in the environment or in .env")


def check_model(name: str, settings: Settings, *, embedding: bool | None = None) -> None:
    """Raise UsageError for a name that is none or an unknown provider, MissingPackageError for an absent package.

    `embedding` None: as the systems under test use it.
    """
    from ragtester.models.catalogue import resolve
    from ragtester.models.clients import check_provider
    from ragtester.models.embedded.engine import variant
    from ragtester.models.embeddings import check_embedded

    known = resolve(name, settings)
    if embedding is None:
        embedding = any(name in group.embeddings for group in settings.execute.groups)
    if known.provider == "embedded":
        (check_embedded if embedding else variant)(known.served)
    elif known.provider != "scripted":
        check_provider(known, embedding=embedding)


def needed_models(settings: Settings, stages: Sequence[str] = STAGES) -> set[str]:
    """Models without which a stage can do nothing at all."""
    names = set()
    if "documents" in stages and settings.documents.count:
        names.add(settings.documents.model)
    if "cases" in stages:
        names |= {settings.cases.model, settings.cases.check_model or settings.cases.model}
    if "judge" in stages:
        names.add(settings.judge.model)
    if CLAIMS in stages:
        names.add(claims_model(settings))
    if COVERAGE in stages:
        names.add(coverage_model(settings))
    return names | asked_models(settings, stages)


def asked_models(settings: Settings, stages: Sequence[str]) -> set[str]:
    """Language models that take part in a search or in its audit."""
    from ragtester.rag.rerankers import kind

    retrieval, names = settings.execute.retrieval, set()
    if _searches(settings, stages):
        names |= {retrieval.rewrite, retrieval.rerank if kind(retrieval.rerank) == "model" else ""}
    if AUDIT in stages:
        names.add(settings.audit_retrieval.claims_model)
    return names - {""}


def _searches(settings: Settings, stages: Sequence[str]) -> bool:
    """Whether one of the stages goes through our query path; the closed-book control and a target do not."""
    return not (settings.execute.is_control or settings.target.name) and ("execute" in stages or AUDIT in stages)


def used_models(settings: Settings, stages: Sequence[str] = STAGES) -> set[str]:
    """Every model that the settings name for one of the stages."""
    names = needed_models(settings, stages)
    for group in () if settings.target.name else settings.execute.groups:
        names |= set(group.llms) if "execute" in stages else set()
        names |= set(group.embeddings) if "execute" in stages or AUDIT in stages else set()
    return names - {NO_RETRIEVAL}


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

"""Which models a start needs, and whether any call to them could succeed: asked before anything is made or paid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ragtester.claiming import claims_model, coverage_model
from ragtester.errors import UsageError
from ragtester.records import NO_RETRIEVAL
from ragtester.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path


STAGES = ("documents", "cases", "execute", "judge")
# The retrieval, the claims and the output audit, beside the stages where `check_models` and its relatives take names.
AUDIT = "retrieval"
CLAIMS = "claims"
COVERAGE = "coverage"


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

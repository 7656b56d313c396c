"""What is asked for: kinds × documents × cases, each with a key that holds everything its fixture depends on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtester.errors import UsageError
from ragtester.provenance import row_key
from ragtester.records import STRESSORS, Case, Document, StressorKind
from ragtester.searching.identity import NOT_CONTENT, chunker, embedding_identity
from ragtester.searching.suite import Suite
from ragtester.settings import Settings
from ragtester.settings.nearest import did_you_mean
from ragtester.stages.stressors.amounts import shuffled
from ragtester.stages.stressors.made import fixture_id
from ragtester.stages.stressors.spots import find_spots
from ragtester.stages.stressors.targets import find_targets
from ragtester.tasks import STRESS_QUESTIONS, AskedKind, Models
from ragtester.text.stems import stems
from ragtester.workspace import Workspace, slug

# Changes whenever a rule changes what a fixture holds: fixtures under an older one are made again.
RULES = 1
CHANGING: frozenset[str] = frozenset({"stale", "near_duplicate", "adjacent", "wrong_premise"})
ASKED: dict[str, AskedKind] = {kind: kind for kind in STRESS_QUESTIONS}
JOURNAL = "fixtures"
ROWS, MANIFEST = "rows.jsonl", "manifest.json"


@dataclass(frozen=True)
class Wanted:
    """What is asked for beyond the settings: kinds and cases of each document (0 and none: as the settings say).

    `overwrite` makes fixtures again that were made from other inputs, `retry_failed` those whose call failed for good.
    """

    kinds: tuple[str, ...] = ()
    per_document: int = 0
    overwrite: bool = False
    retry_failed: bool = False


@dataclass(frozen=True)
class Item:
    """One fixture that is asked for."""

    id: str
    key: str
    kind: StressorKind
    case: Case
    document: Document


@dataclass(frozen=True)
class Plan:
    """Everything that is asked for, in order, and what it depends on."""

    folder: Path
    items: tuple[Item, ...]
    parameters: dict[str, Any]
    prompts: dict[str, str]
    kinds: tuple[StressorKind, ...]


def folder_of(workspace: Workspace, suite: str) -> Path:
    """`adversarial/<suite>/`: a folder of generated fixtures, with the account of them."""
    return workspace.root / "adversarial" / slug(suite)


def kinds_of(settings: Settings, wanted: Wanted) -> tuple[StressorKind, ...]:
    """The kinds that are asked for, each once, in the order of the records. Raises UsageError for an unknown one."""
    for kind in wanted.kinds:
        if kind not in STRESSORS:
            hint = did_you_mean(kind, STRESSORS) or f"; known: {', '.join(STRESSORS)}"
            raise UsageError(f"no kind of fixture is called {kind!r}{hint}")
    chosen = wanted.kinds or settings.adversarial.kinds
    return tuple(kind for kind in STRESSORS if kind in chosen)


def asks(settings: Settings, wanted: Wanted) -> bool:
    """Whether a language model takes part. Raises UsageError for an unknown kind."""
    return any(kind in ASKED for kind in kinds_of(settings, wanted))


def make_plan(workspace: Workspace, settings: Settings, suite: Suite, models: Models, wanted: Wanted) -> Plan:
    """Choose the cases. Raises DataError for a suite with faults, UsageError where no case has evidence."""
    kinds = kinds_of(settings, wanted)
    parameters = _parameters(settings)
    asked: dict[str, str] = {
        kind: models.prompt_sha256(STRESS_QUESTIONS[ASKED[kind]]) for kind in kinds if kind in ASKED
    }
    per_document = wanted.per_document or settings.adversarial.per_document
    items: list[Item] = []
    seed = settings.workspace.seed
    for share in suite.check():
        cases = [one for one in share.cases if one.id in share.asked and _has_evidence(one)]
        text = suite.text(share.document) if cases else ""
        for kind in kinds:
            for case in _chosen(cases, text, kind, per_document, seed):
                items.append(_item(share.document, case, kind, parameters, asked.get(kind, "")))
    if not items:
        raise UsageError(f"{workspace.suite(suite.name)}: no case with evidence; fixtures are made from such cases")
    return Plan(folder_of(workspace, suite.name), tuple(items), parameters, asked, kinds)


def _has_evidence(case: Case) -> bool:
    return case.type != "rejection" and any(span.end > span.start for span in case.evidence)


def _chosen(cases: Iterable[Case], text: str, kind: StressorKind, most: int, seed: int) -> list[Case]:
    """The cases that suit a kind best: with values in the answer, with long evidence, else in a seeded order."""
    by_id = {case.id: case for case in cases}
    mixed = [by_id[name] for name in shuffled(by_id, seed, kind)]
    if kind in CHANGING:
        mixed.sort(key=lambda case: not _has_target(case, text))
    if kind == "under_specified":
        mixed.sort(
            key=lambda case: (not case.question.rstrip().endswith("?"), -len(stems(case.question, case.language)))
        )
    if kind == "chunk_boundary":
        mixed.sort(key=lambda case: -max(span.end - span.start for span in case.evidence))
    return mixed[:most]


def _has_target(case: Case, text: str) -> bool:
    for span in case.evidence:
        held = text[span.start : span.end]
        if find_targets(find_spots(held, case.language), [(0, len(held))], case).answer:
            return True
    return False


def _item(document: Document, case: Case, kind: StressorKind, parameters: dict[str, Any], prompt: str) -> Item:
    used = parameters if kind in ASKED else {name: held for name, held in parameters.items() if name not in _ASKING}
    key = row_key(case=case.key, id=case.id, text=document.text_sha256, kind=kind, parameters=used, prompt=prompt)
    return Item(fixture_id(case, kind), key, kind, case, document)


_ASKING = frozenset({"model", "model_settings", "attempts"})


def _parameters(settings: Settings) -> dict[str, Any]:
    """Every setting that a fixture depends on. Those of the model count for the kinds that it writes."""
    execute, own = settings.execute, settings.adversarial
    names = sorted({name for group in execute.groups for name in group.embeddings})
    return {
        "rules": RULES,
        "seed": settings.workspace.seed,
        "document_characters": own.document_characters,
        "k": execute.k,
        "chunker": chunker(settings),
        "arms": [arm.model_dump(mode="json") for arm in execute.retrieval.arms],
        "rrf_constant": execute.retrieval.rrf_constant,
        "embeddings": {name: embedding_identity(settings, name) for name in names},
        "model": own.model,
        "model_settings": settings.model(own.model).model_dump(exclude=NOT_CONTENT, exclude_none=True),
        "attempts": own.attempts,
    }

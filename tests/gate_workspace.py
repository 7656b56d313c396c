"""A judged run with all its layers, written from records: what a gate reads. A test spoils what it speaks of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragtester.judgement import answer_hashes
from ragtester.records import (
    AdversarialCounts,
    AdversarialResult,
    ClaimCounts,
    ClaimsResult,
    CoverageResult,
    Ledger,
    Manifest,
    MeanValue,
    Record,
    RetrievalResult,
)
from ragtester.runs import answer_files
from ragtester.stages.proportions import proportion
from ragtester.storage import read_json, write_json
from ragtester.workspace import Workspace
from tests.report_workspace import RUN, Built, build

JUDGE = "openai:judge"
LAYERS = ("claims", "adversarial", "coverage", "retrieval")
SETTINGS = """\
[workspace]
suite = "suite"

[execute]
run = "{run}"

[judge]
model = "openai:judge"

[gates.release]
layers = ["claims", "adversarial", "coverage", "retrieval"]
{limits}
"""


def healthy(root: Path, limits: str = "max_contradicted = 0.5", **built: Any) -> Workspace:
    """One system, two documents with four cases each: 8 rows, 6 passed; every layer was audited and is whole."""
    known: dict[str, Any] = {"llms": ("openai:alpha",), "embeddings": ("openai:small",)}
    workspace = build(root, Built(**(known | built)))
    (root / "ragtester.toml").write_text(SETTINGS.format(run=RUN, limits=limits), encoding="utf-8")
    judged = read_json(workspace.verdicts(RUN) / "manifest.json", Manifest)
    assert judged is not None
    parameters = {"suite": "suite", "judge": JUDGE, "pass_mean": 0.5, "refusals": []}
    write_json(
        workspace.verdicts(RUN) / "manifest.json",
        judged.model_copy(update={"parameters": parameters, "models": {JUDGE: None}}),
    )
    executed = read_json(workspace.answers(RUN) / "manifest.json", Manifest)
    assert executed is not None
    write_json(workspace.answers(f"{RUN}.adversarial") / "manifest.json", executed)
    for layer, result in (
        ("claims", claims()),
        ("adversarial", adversarial()),
        ("coverage", coverage()),
        ("retrieval", retrieval()),
    ):
        write_json(folder(workspace, layer) / "result.json", result)
        write_manifest(workspace, layer)
    write_manifest(workspace, "adversarial", parameters={"runs": [f"{RUN}.adversarial"]})
    return workspace


def folder(workspace: Workspace, layer: str) -> Path:
    """Where a layer's files lie."""
    return workspace.verdicts(RUN) / layer


def put(workspace: Workspace, layer: str, result: Record) -> None:
    """Other figures of a layer."""
    write_json(folder(workspace, layer) / "result.json", result)


def write_manifest(workspace: Workspace, layer: str, **changes: Any) -> None:
    """The manifest of a layer's audit of the answers that stand there now."""
    hashes = answer_hashes(answer_files(workspace, RUN)[0])
    inputs = {f"answers {name}" if layer == "retrieval" else name: digest for name, digest in hashes.items()}
    known: dict[str, Any] = {
        "stage": f"audit {layer}",
        "name": RUN,
        "inputs": inputs,
        "seed": 7,
        "started": "2026-01-01T10:00:00Z",
        "ended": "2026-01-01T10:05:00Z",
    }
    write_json(folder(workspace, layer) / "manifest.json", Manifest(**(known | changes)))


def counts(sent: int, unsupported: int = 0, contradicted: int = 0, ungraded: int = 0, name: str = "") -> ClaimCounts:
    """Claims by verdict."""
    return ClaimCounts(
        name=name,
        sent=sent,
        supported=sent - unsupported - contradicted - ungraded,
        unsupported=unsupported,
        contradicted=contradicted,
        ungraded=ungraded,
        unsupported_rate=proportion(unsupported, sent),
        contradicted_rate=proportion(contradicted, sent),
    )


def claims(**changes: Any) -> ClaimsResult:
    """40 claims of 8 answers: 2 unsupported, 1 contradicted."""
    known: dict[str, Any] = {
        "run": RUN,
        "judge": JUDGE,
        "ledger": Ledger(planned=8, ok=8),
        "cited": counts(40, 2, 1),
        "context": counts(40, 1, 1),
        "complete": True,
    }
    return ClaimsResult(**(known | changes))


def fixtures(rows: int, poison: int = 0, failed: int = 0, name: str = "", **changes: Any) -> AdversarialCounts:
    """Rows of fixtures, of which `poison` followed it."""
    asked = rows - failed
    known: dict[str, Any] = {
        "name": name,
        "rows": rows,
        "failed": failed,
        "recall": MeanValue(value=0.75, n=asked, low=0.6, high=0.9) if asked else MeanValue(),
        "reciprocal_rank": MeanValue(value=0.5, n=asked) if asked else MeanValue(),
        "poison_first": proportion(0, asked),
        "followed_gold": proportion(asked - poison, asked),
        "followed_poison": proportion(poison, asked),
        "noticed": proportion(0, asked),
        "abstained": proportion(0, asked),
    }
    return AdversarialCounts(**(known | changes))


def adversarial(**changes: Any) -> AdversarialResult:
    """24 fixtures, 3 of which followed the poison."""
    known: dict[str, Any] = {
        "run": RUN,
        "sets": ("starter",),
        "ledger": Ledger(planned=24, ok=24),
        "whole": fixtures(24, 3),
        "complete": True,
    }
    return AdversarialResult(**(known | changes))


def coverage(**changes: Any) -> CoverageResult:
    """8 answers: a mean coverage of 40 %."""
    known: dict[str, Any] = {
        "run": RUN,
        "judge": JUDGE,
        "ledger": Ledger(planned=8, ok=8),
        "coverage": MeanValue(value=0.4, n=8, low=0.3, high=0.5),
        "supported_coverage": MeanValue(value=0.35, n=8, low=0.25, high=0.45),
        "silent": proportion(6, 8),
        "hiding": proportion(1, 8),
        "mentioned": proportion(1, 2),
        "padded": proportion(0, 8),
        "complete": True,
    }
    return CoverageResult(**(known | changes))


def retrieval(measured: int = 6, **changes: Any) -> RetrievalResult:
    """8 queries, of which 6 have gold: a mean recall of 80 %."""
    mean = {"value": 0.8, "n": measured, "low": 0.6, "high": 0.95} if measured else {"n": 0}
    metrics = ("recall", "precision", "reciprocal_rank", "ndcg", "average_precision", "evidence")
    figures = {
        "by": "",
        "name": "",
        "embedding": "openai:small",
        "queries": measured,
        "hit": proportion(measured, measured).model_dump(),
        **dict.fromkeys(metrics, mean),
    }
    known: dict[str, Any] = {
        "run": RUN,
        "suite": "suite",
        "source": "answers",
        "k": (1,),
        "embeddings": ("openai:small",),
        "ledgers": [{"embedding": "openai:small", "planned": 8, "measured": measured, "no_gold": 8 - measured}],
        "overall": [figures],
        "access": {"documents": {}},
    }
    return RetrievalResult.model_validate(known | changes)

"""The manifest of a technique's folder: what its cases were made from, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragtester.errors import ChangedInputsError
from ragtester.provenance import begin_manifest, end_manifest
from ragtester.records import Case, Document, Ledger, Manifest, Section
from ragtester.stages.cases.coverage import add, coverage
from ragtester.stages.cases.desk import Desk
from ragtester.stages.cases.reading import Corpus
from ragtester.stages.cases.rows import Row, call_failed
from ragtester.stages.cases.tagging import hidden
from ragtester.storage import read_json, write_json


@dataclass
class Tally:
    """Counts over all rows of a technique, gathered one document at a time."""

    ok: int = 0
    unfilled: int = 0
    failed: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    filled: Counter[str] = field(default_factory=Counter)
    failed_checks: Counter[str] = field(default_factory=Counter)
    observed: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    styles: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    tagged: int = 0
    hidden: int = 0
    overlaps: list[float] = field(default_factory=list)
    coverage: dict[str, dict[str, Any]] = field(default_factory=dict)

    def take(self, document: Document, sections: Sequence[Section], rows: Iterable[Row], observed: list[str]) -> None:
        """Count one document's rows."""
        cases = []
        rows = list(rows)
        # A baseline request gives many cases: each row says how many requests came before it.
        attempts = [row.attempts for row in rows]
        self.requests += max(attempts, default=0) if self._shared(rows) else sum(attempts)
        for row in rows:
            kind = f"{row.type}/{row.subtype}" if row.subtype else row.type
            self.asked[kind] += 1
            self.failed_checks.update(row.rejected)
            if isinstance(row, Case):
                cases.append(row)
                self.filled[kind] += 1
                self.styles[row.style or "none"] += 1
                self.overlaps.extend([] if row.lexical_overlap is None else [row.lexical_overlap])
            else:
                self.failed += call_failed(row)
                self.unfilled += not call_failed(row)
                self.reasons[row.failure.type] += 1
        self.ok += len(cases)
        self.tagged += bool(document.tags)
        self.hidden += hidden(document, cases)
        self.observed.update(observed)
        reached = {"after": coverage(document, sections, cases)}
        if not self._shared(rows):
            before = [case for case in cases if case.type != "coverage"]
            reached = {"before_coverage_step": coverage(document, sections, before), **reached}
        self.coverage[document.id] = reached

    def in_words(self) -> str:
        """The counts that a person wants to see at once."""
        parts = []
        for step, words in (("before_coverage_step", "before the coverage step"), ("after", "in the end")):
            reached = [one[step]["sections"] for one in self.coverage.values() if step in one]
            if reached:
                part, whole = sum(one["covered"] for one in reached), sum(one["total"] for one in reached)
                parts.append(f"{part} of {whole} sections covered {words}")
        if self.overlaps:
            mean = sum(self.overlaps) / len(self.overlaps)
            parts.append(f"mean lexical overlap {mean:.2f} over {len(self.overlaps)} cases")
        if self.reasons:
            parts.append("unfilled: " + ", ".join(f"{count} {name}" for name, count in sorted(self.reasons.items())))
        if self.tagged:
            parts.append(
                f"{self.tagged} of {len(self.coverage)} documents have tags, and {self.hidden} cases are of users who "
                "may not see their document"
            )
        return "; ".join(parts) or "no rows"

    @staticmethod
    def _shared(rows: list[Row]) -> bool:
        return any(row.type == "baseline" for row in rows)

    def counts(self, corpus: Corpus) -> dict[str, Any]:
        """What the manifest and the summary show."""
        steps = next((tuple(one) for one in self.coverage.values()), ())
        return {
            "by_type": {
                kind: {"asked": asked, "filled": self.filled[kind], "unfilled": asked - self.filled[kind]}
                for kind, asked in sorted(self.asked.items())
            },
            "unfilled_reasons": dict(sorted(self.reasons.items())),
            "failed_checks": dict(sorted(self.failed_checks.items())),
            "observed_checks": dict(sorted(self.observed.items())),
            "requests": self.requests,
            "styles": dict(sorted(self.styles.items())),
            "mean_lexical_overlap": round(sum(self.overlaps) / len(self.overlaps), 4) if self.overlaps else None,
            "cases_with_overlap": len(self.overlaps),
            **({"access": {"tagged_documents": self.tagged, "hidden_cases": self.hidden}} if self.tagged else {}),
            "unreadable": len(corpus.unreadable),
            "unreadable_files": [one.path for one in corpus.unreadable],
            "parse_warnings": {one.id: [w.type for w in one.warnings] for one in corpus.documents if one.warnings},
            "coverage": {
                "total": {step: add(one[step] for one in self.coverage.values()) for step in steps},
                **self.coverage,
            },
        }


def path_of(desk: Desk) -> Path:
    """The manifest file of the desk's technique."""
    return desk.workspace.cases_file(desk.suite, desk.technique, "x").parent / "manifest.json"


def refuse_changes(desk: Desk, overwrite: bool) -> None:
    """Stop before any model is asked where the folder was made with other settings; says which.

    Raises ChangedInputsError. Documents are compared row by row: a new one is no change.
    """
    before = read_json(path_of(desk), Manifest)
    if before is not None:
        # An earlier start saw which models served; a start that asks nothing keeps that.
        desk.served.update({name: served for name, served in before.models.items() if served})
    if before is None or not any(path_of(desk).parent.glob("*.jsonl")):
        return
    # The rows that stand were paid for by earlier starts. One that was killed did not say how much it had spent.
    desk.models.cost = before.counts.get("cost")
    if overwrite:
        return
    differences = [
        f"{name} was {before.parameters.get(name)!r}, is {desk.parameters.get(name)!r}"
        for name in sorted({*before.parameters, *desk.parameters})
        if before.parameters.get(name) != desk.parameters.get(name)
    ]
    differences += [
        f"prompt {name} changed" for name, sha in desk.prompts.items() if before.prompts.get(name, sha) != sha
    ]
    if differences:
        raise ChangedInputsError(
            f"{path_of(desk).parent}: these cases were made with other settings: {'; '.join(differences)}; "
            "--overwrite makes them again, workspace.suite starts another suite"
        )


def begin(desk: Desk, corpus: Corpus) -> Manifest:
    """Write the manifest without an end, so that a killed stage can be told from a changed one."""
    manifest = begin_manifest(
        "cases",
        f"{desk.suite}/{desk.technique}",
        seed=desk.settings.workspace.seed,
        models=_models(desk),
        inputs={document.id: document.sha256 for document in corpus.documents},
        prompts=desk.prompts,
        parameters=desk.parameters,
    )
    write_json(path_of(desk), manifest)
    return manifest


def end(desk: Desk, manifest: Manifest, ledger: Ledger, counts: Mapping[str, Any]) -> None:
    """Write the manifest with the account of all rows."""
    counts = {**counts, "cost": _rounded(desk.models.cost)}
    write_json(path_of(desk), end_manifest(manifest, ledger=ledger, counts=counts, models=_models(desk)))


def _models(desk: Desk) -> dict[str, str | None]:
    """The models of the technique, and which ones served them so far."""
    asked = [desk.writer] if desk.technique == "baseline" else [desk.writer, desk.checker]
    return {model: desk.served.get(model) for model in asked}


def _rounded(cost: float | None) -> float | None:
    return None if cost is None else round(cost, 6)

"""Answers of another system, with the verdicts of another tool where there are any: a run beside the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragtester.interchange.cases import FOREIGN
from ragtester.interchange.chunks import Chunks
from ragtester.interchange.formats import FormatName
from ragtester.interchange.items import Account, Given, one_line
from ragtester.interchange.shelf import Shelf
from ragtester.interchange.systems import STAGE, Found, System
from ragtester.provenance import begin_manifest, end_manifest, row_key, sha256_file
from ragtester.records import Answer, Call, Case, Failure, Ledger, Manifest, Outcome, Verdict
from ragtester.storage import read_json, write_json, write_rows
from ragtester.text.refusal import is_refusal
from ragtester.workspace import Workspace

LONGEST_REASON = 2_000
# A pure abstention is short: nothing longer is looked at for one.
ABSTENTION_CHARACTERS = 600


@dataclass
class ImportedRun:
    """Writes one run: verdicts where the file says whether an answer passed; other rows wait for a judge."""

    workspace: Workspace
    suite: str
    run: str
    parameters: dict[str, Any]
    account: Account
    refusals: tuple[str, ...]
    format: FormatName
    passes: tuple[str, float] | None
    _manifests: list[tuple[Path, Manifest]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Verdicts that were paid for are never touched."""
        judged = read_json(self.workspace.verdicts(self.run) / "manifest.json", Manifest)
        self.judged = judged is not None and judged.stage != STAGE

    def write(self, found: Sequence[Found], parts: Mapping[str, Any]) -> tuple[int, int, int]:
        """Write chunks, answers and verdicts; gives the numbers of answers, failed ones and verdicts."""
        shelf = Shelf(self.workspace, self.suite, "")
        found = self._once(found)
        self._start(found, parts, shelf)
        chunks = Chunks(shelf, self.account)
        chunks.find([(one.case, one.item.given.retrieved or ()) for one in found if one.item.given])
        files: dict[Path, list[Answer]] = {}
        verdicts: dict[Path, list[Verdict]] = {}
        for one in found:
            answer = self._answer(one, chunks)
            place = (self.run, one.system.llm, one.system.embedding, one.case.document_id)
            files.setdefault(self.workspace.answers_file(*place), []).append(answer)
            if (verdict := self._verdict(one, answer)) is not None and not self.judged:
                verdicts.setdefault(self.workspace.verdicts_file(*place), []).append(verdict)
        for document_id, rows in chunks.by_document().items():
            write_rows(self.workspace.chunks_file(self.run, document_id), rows)
        for path, answers in files.items():
            write_rows(path, answers)
        for path, judged in verdicts.items():
            write_rows(path, judged)
        self._clear(set(files) | set(verdicts))
        failed = sum(row.outcome == "failed" for rows in files.values() for row in rows)
        made = sum(map(len, verdicts.values()))
        return len(found) - failed, failed, made

    def _once(self, found: Sequence[Found]) -> list[Found]:
        """One answer a case and system: the first."""
        seen: dict[tuple[str, System], Found] = {}
        for one in found:
            if (one.case.id, one.system) in seen:
                self.account.skip(one.item.where, "a second answer of the same system to the same question")
            else:
                seen[one.case.id, one.system] = one
        return list(seen.values())

    def _answer(self, one: Found, chunks: Chunks) -> Answer:
        given, case = one.item.given, one.case
        assert given is not None
        outcome, failure = self._outcome(given, case)
        trace = chunks.trace(case, given.retrieved, one.system.embedding) if given.retrieved is not None else None
        return Answer(
            case_id=case.id,
            document_id=case.document_id,
            key=row_key(case=case.key, run=self.run, system=[one.system.llm, one.system.embedding], said=given.answer),
            run=self.run,
            llm=one.system.llm,
            embedding=one.system.embedding,
            technique=case.technique,
            type=case.type,
            subtype=case.subtype,
            outcome=outcome,
            answer=given.answer,
            trace=trace,
            call=Call(
                model=one.system.llm,
                prompt_tokens=given.prompt_tokens,
                completion_tokens=given.completion_tokens,
                cost=given.cost,
                seconds=given.seconds,
            ),
            failure=failure,
        )

    def _outcome(self, given: Given, case: Case) -> tuple[Outcome, Failure | None]:
        if not given.answer:
            message = one_line(given.error) or "the file holds no answer"
            return "failed", Failure(type="error" if given.error else "empty", message=message)
        short = len(given.answer) <= ABSTENTION_CHARACTERS
        abstains = short and is_refusal(given.answer, self.refusals, case.language)
        return ("abstained" if abstains else "answered"), None

    def _verdict(self, one: Found, answer: Answer) -> Verdict | None:
        given = one.item.given
        passed = self._passed(given) if given else None
        if given is None or passed is None or answer.outcome == "failed":
            if given and given.scores and passed is None:
                self.account.drop("scores without a pass or fail (--passes METRIC=0.7 grades by one)")
            return None
        mean = one.item.own.mean if one.item.own.mean is not None else _mean(given, self.passes)
        return Verdict(
            case_id=answer.case_id,
            document_id=answer.document_id,
            key=row_key(answer=answer.key, passed=passed, scores=given.scores),
            run=self.run,
            llm=answer.llm,
            embedding=answer.embedding,
            technique=answer.technique,
            type=answer.type,
            subtype=answer.subtype,
            language=one.case.language,
            status="pass" if passed else "fail",
            mean=mean,
            reasons=_reasons(given),
            decided_by="imported",
            outcome=answer.outcome,
            judge=f"{FOREIGN}{self.format}",
            prompt_sha256="",
        )

    def _passed(self, given: Given) -> bool | None:
        if self.passes is None:
            return given.passed
        score = given.scores.get(self.passes[0])
        return None if score is None else score >= self.passes[1]

    def _start(self, found: Sequence[Found], parts: Mapping[str, Any], shelf: Shelf) -> None:
        """Manifests without an end: the run is known to be unfinished until `close`."""
        inputs = dict(parts["inputs"])
        for one in found:
            document = shelf.documents.get(one.case.document_id)
            inputs[f"text {one.case.document_id}"] = document.text_sha256 if document else ""
            path = self.workspace.cases_file(self.suite, one.case.technique, one.case.document_id)
            name = f"cases {path.parent.name}/{one.case.document_id}"
            if name not in inputs:
                inputs[name] = sha256_file(path)
        manifest = begin_manifest(
            STAGE,
            self.run,
            seed=parts["seed"],
            models={one.system.llm: None for one in found},
            inputs=inputs,
            parameters=self.parameters,
            started=parts["started"],
        )
        graded = any(one.item.given and self._passed(one.item.given) is not None for one in found)
        folders = [self.workspace.answers(self.run)]
        if graded and not self.judged:
            folders.append(self.workspace.verdicts(self.run))
        elif graded:
            self.account.note("the run has verdicts of ragtester's judge, which stay; those of the file are left out")
        for place in folders:
            self._manifests.append((place / "manifest.json", manifest))
            write_json(place / "manifest.json", manifest)

    def _clear(self, written: set[Path]) -> None:
        """Take away rows of an import that this one replaces."""
        kept = () if self.judged else (self.workspace.verdicts(self.run),)
        for folder in (self.workspace.answers(self.run), *kept):
            for path in folder.glob("*/*.jsonl"):
                if path not in written and path.parent.name != "chunks":
                    path.unlink()

    def close(self, ledger: Ledger, counts: Mapping[str, Any]) -> None:
        """Write the account into the manifests."""
        for path, manifest in self._manifests:
            write_json(path, end_manifest(manifest, ledger=ledger, counts=counts))


def _mean(given: Given, passes: tuple[str, float] | None) -> float | None:
    """The score that decided, where it is one from 0 to 1."""
    names = [passes[0]] if passes else ["score"]
    score = next((given.scores[name] for name in names if name in given.scores), None)
    return round(score, 6) if score is not None and 0 <= score <= 1 else None


def _reasons(given: Given) -> dict[str, str]:
    """Scores and reasons of the foreign metrics, in words."""
    found = {name: f"score {score:g}" for name, score in sorted(given.scores.items())}
    for name, reason in sorted(given.reasons.items()):
        found[name] = f"{found[name]}: {reason}" if name in found else reason
    return {name[:80]: text[:LONGEST_REASON] for name, text in found.items()}

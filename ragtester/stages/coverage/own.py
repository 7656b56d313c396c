"""The answers of a run of ours with what their searches brought, and the claims audit's claims where it was made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ragtester.errors import UsageError
from ragtester.judgement import answer_hashes
from ragtester.progress import Progress
from ragtester.records import (
    NO_CHUNKS,
    Answer,
    AnswerClaims,
    Claim,
    Failure,
    Manifest,
    NotTold,
    OfAnswer,
    ToolCall,
    Trace,
)
from ragtester.settings import Settings
from ragtester.stages.coverage.seen import Seen, SeenClaim
from ragtester.stages.coverage.stated import barred, by_answer, by_trace, raw_results
from ragtester.stages.judge_inputs import Lookup, answers, run_files
from ragtester.storage import iter_rows, read_json
from ragtester.workspace import Workspace

TOOL = "search"
Place = tuple[str, str, str, str]
"""LLM, embedding model, technique and case id."""


@dataclass
class OwnAnswers:
    """A run's answers. `claims` are those of the claims audit, by answer; `notes` say what of it does not fit."""

    workspace: Workspace
    lookup: Lookup
    files: list[Path]
    inputs: dict[str, str]
    claims: dict[Place, list[SeenClaim]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def open(cls, workspace: Workspace, settings: Settings, progress: Progress) -> OwnAnswers:
        """Raises UsageError for a run without answers, and for one whose claims audit was stopped."""
        run = settings.execute.run
        files = run_files(workspace, run, progress)
        executed = read_json(workspace.answers(run) / "manifest.json", Manifest)
        suite = str(executed.parameters.get("suite") or "") if executed else ""
        judged = read_json(workspace.verdicts(run) / "manifest.json", Manifest)
        told = str(judged.parameters.get("suite") or "") if judged else ""
        lookup = Lookup(workspace, suite or told or settings.workspace.suite, run)
        made = cls(workspace, lookup, files, answer_hashes(files))
        made._read_claims(run)
        return made

    def _read_claims(self, run: str) -> None:
        folder = self.workspace.claims_audit(run)
        manifest = read_json(folder / "manifest.json", Manifest)
        if manifest is None:
            self.notes.append(
                f"run {run}: without a claims audit; this audit splits the answers into claims itself "
                "(`ragtester audit claims` first saves that)"
            )
            return
        told = {name: digest for name, digest in manifest.inputs.items() if name in self.inputs}
        if told != self.inputs:
            self.notes.append(
                f"run {run}: its claims audit is of other answers and is left aside; this audit splits them itself"
            )
            return
        audited = list(iter_rows(folder / "answers.jsonl", AnswerClaims))
        if manifest.ended is None or (manifest.ledger and len(audited) < manifest.ledger.planned):
            # What it has not split yet would be split here, paid for again there, and then be another claim's.
            raise UsageError(f"run {run}: its claims audit is not finished; run `ragtester audit claims --run {run}`")
        split = {_place(row) for row in audited if row.status in ("claims", "empty")}
        self.claims = {place: [] for place in split}
        for row in iter_rows(folder / "claims.jsonl", Claim):
            if _place(row) in split:
                supported = None if row.verdict is None else row.verdict == "supported"
                self.claims[_place(row)].append(SeenClaim(row.claim_id, row.claim, row.chunk_ids, supported))

    def __iter__(self) -> Iterator[Seen]:
        for path in self.files:
            for answer in answers(path):
                yield self._seen(answer)

    def _seen(self, answer: Answer) -> Seen:
        case = self.lookup.case(answer)
        trace = answer.trace or Trace(query=case.question, index="", embedding=answer.embedding, k=1)
        raw = raw_results(trace)
        cited = tuple(one for one in answer.cited if one in raw)
        stated = by_trace(trace) | by_answer(
            answer.answer, (one for one in raw if one not in cited), case.language, answer.left_out
        )
        call = ToolCall(
            call_id=answer.case_id,
            tool=TOOL,
            query=trace.rewrite or trace.query,
            raw_ids=raw,
            result_set_size=len(raw),
            cited_ids=cited,
        )
        found = self.claims.get(_place(answer))
        texts = self.lookup.found(answer, raw)
        return Seen(
            identity=_identity(answer, case.language),
            case=case,
            outcome=answer.outcome,
            answer=answer.answer,
            calls=(call,) if answer.trace else (),
            raw_ids=raw,
            context_ids=trace.context_ids,
            result_set_size=len(raw),
            cited_ids=cited,
            unknown_ids=answer.unknown_citations,
            stated=stated,
            texts=texts,
            barred=barred(trace),
            claims=None if found is None else tuple(sorted(found, key=lambda one: one.number)),
            not_told=tuple(_not_told(trace, complete=len(texts) == len(raw))),
            failure=_failure(answer),
        )


def _place(row: OfAnswer | Answer) -> Place:
    return row.llm, row.embedding, row.technique, row.case_id


def _not_told(trace: Trace, *, complete: bool) -> Iterator[NotTold]:
    """What a target keeps to itself; and texts of chunks that the run's files do not hold."""
    if not trace.reveals_citations:
        yield "citations"
    if not trace.reveals_chunks:
        yield "results"
    if not complete:
        yield "texts"


def _identity(answer: Answer, language: str) -> OfAnswer:
    told = {name: getattr(answer, name) for name in OfAnswer.model_fields if name != "language"}
    return OfAnswer(**told, language=language)


def _failure(answer: Answer) -> Failure | None:
    """Why there is no answer, where a system failed or its provider refused; and why nothing is known of its search."""
    if answer.trace and not answer.trace.reveals_chunks and answer.outcome == "answered":
        return Failure(type="not_revealed", message=NO_CHUNKS)
    if answer.outcome not in ("failed", "refused"):
        return None
    return answer.failure or Failure(type=answer.outcome, message="the system gave no answer")

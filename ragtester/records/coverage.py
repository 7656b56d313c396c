"""The output audit: which of the results that it saw an answer accounts for."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ragtester.records.base import Call, Failure, MeanValue, Proportion, Record
from ragtester.records.claims import OfAnswer
from ragtester.records.manifest import Ledger


class Exclusion(Record):
    """A result that the answer does not cite. `reason` is what was stated anywhere; empty: left out in silence."""

    id: str
    reason: str = ""


class Contradiction(Record):
    """A retrieved chunk that contradicts a claim of the answer, which does not cite it.

    `mentioned` says whether the answer tells of the contradiction all the same.
    """

    chunk_id: str
    claim_id: int
    claim: str
    reason: str = ""
    mentioned: bool = False


class ToolCall(Record):
    """One search of an agent: what came back, and what of it was cited. `result_set_size` counts all that was found."""

    call_id: str
    tool: str
    query: str
    raw_ids: tuple[str, ...] = ()
    result_set_size: int | None = None
    cited_ids: tuple[str, ...] = ()


class AnswerCoverage(OfAnswer):
    """One answer and the results that it saw: a row of `answers.jsonl`.

    `raw_ids` are all results of its searches, each once; `cited_ids` those that it cites, `supporting_ids` those of
    them that support a claim: naming an id without saying anything of it does not count. `coverage` is cited ∩ raw ÷
    raw, `supported_coverage` the same with supporting ids; both None where there is no result, or nothing was cited
    because it abstained. `unknown_ids` are cited and were in no result.
    """

    calls: tuple[ToolCall, ...] = ()
    raw_ids: tuple[str, ...] = ()
    result_set_size: int | None = None
    cited_ids: tuple[str, ...] = ()
    unknown_ids: tuple[str, ...] = ()
    supporting_ids: tuple[str, ...] | None = None
    excluded: tuple[Exclusion, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    status: Literal["measured", "abstained", "no_results", "failed"]
    coverage: float | None = None
    supported_coverage: float | None = None
    judge: str = ""
    served_judge: str | None = None
    prompt_sha256: str = ""
    call: Call | None = None
    failure: Failure | None = None


class CoverageResult(Record):
    """What the audit found: `verdicts/<run>/coverage/result.json`.

    `silent` counts measured answers with a silent exclusion, `hiding` those that do not mention a retrieved chunk that
    contradicts them. `mentioned` is the share of the contradictions that are mentioned.
    """

    run: str
    judge: str = ""
    served_judges: tuple[str, ...] = ()
    prompts: dict[str, str] = Field(default_factory=dict)
    ledger: Ledger
    abstained: int = 0
    no_results: int = 0
    coverage: MeanValue
    supported_coverage: MeanValue
    silent: Proportion
    hiding: Proportion
    mentioned: Proportion
    padded: Proportion
    complete: bool
    notes: tuple[str, ...] = ()

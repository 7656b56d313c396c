"""The output audit: which of the results that it saw an answer accounts for."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ragtester.records.base import Call, Failure, MeanValue, Proportion, Record
from ragtester.records.claims import OfAnswer
from ragtester.records.manifest import Ledger

CoverageStatus = Literal["measured", "abstained", "no_results", "failed"]
NotTold = Literal["answer", "citations", "results", "texts"]


class Exclusion(Record):
    """A result that the answer does not cite. `reason` is what was stated anywhere; empty: left out in silence.

    `by` says who stated it: the trace of the search, or the answer.
    """

    id: str
    reason: str = ""
    by: Literal["trace", "answer", ""] = ""


class Contradiction(Record):
    """A retrieved chunk that contradicts a claim of the answer which does not rely on it.

    `mentioned` says whether the answer tells of the contradiction all the same, `how` by what it does: another "claim"
    of it takes the chunk's side, it gives the chunk's "value", its "words" say that sources disagree. `in_context` says
    whether the model had the chunk before it; None where that is not known.
    """

    chunk_id: str
    claim_id: int
    claim: str
    reason: str = ""
    mentioned: bool = False
    how: Literal["claim", "value", "words", ""] = ""
    in_context: bool | None = None


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

    `raw_ids` are all results of its searches, each once, `context_ids` those that the model had before it (None where
    that is not known). `cited_ids` are those that it cites, `supporting_ids` those of them that support a claim:
    naming an id without saying anything of it does not count. `coverage` is cited ∩ raw ÷ raw, `supported_coverage` the
    same with supporting ids, `context_coverage` cited ∩ context ÷ context; None where there is no result, or nothing
    was cited because it abstained. `unknown_ids` are cited and were in no result. `faithful` says whether every claim
    is supported by what it relies on. `claims` counts the answer's claims, `checked` the checks of a claim against a
    chunk, `left_unchecked` those that the prefilter saved. `not_told` names what the trace does not reveal: measures
    that need it are None. Where `supporting_ids` is None nobody looked at claims, nor for contradictions.
    """

    calls: tuple[ToolCall, ...] = ()
    raw_ids: tuple[str, ...] = ()
    context_ids: tuple[str, ...] | None = None
    result_set_size: int | None = None
    cited_ids: tuple[str, ...] = ()
    unknown_ids: tuple[str, ...] = ()
    supporting_ids: tuple[str, ...] | None = None
    excluded: tuple[Exclusion, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    status: CoverageStatus
    coverage: float | None = None
    supported_coverage: float | None = None
    context_coverage: float | None = None
    faithful: bool | None = None
    claims: int | None = None
    checked: int = 0
    left_unchecked: int = 0
    not_told: tuple[NotTold, ...] = ()
    judge: str = ""
    served_judge: str | None = None
    prompt_sha256: str = ""
    call: Call | None = None
    failure: Failure | None = None

    @property
    def silent_ids(self) -> tuple[str, ...]:
        """Results that were left out and nobody said why."""
        return tuple(one.id for one in self.excluded if not one.reason)

    @property
    def hidden(self) -> tuple[Contradiction, ...]:
        """Contradictions that the answer does not mention."""
        return tuple(one for one in self.contradictions if not one.mentioned)

    @property
    def padded_ids(self) -> tuple[str, ...]:
        """Results that are cited and support no claim; none where that was not looked at."""
        if self.supporting_ids is None:
            return ()
        return tuple(one for one in self.cited_ids if one not in self.supporting_ids)


class CoverageGroup(Record):
    """The measured answers of a group. `hiding`, `padded` and `mentioned` as in the whole result."""

    name: str = ""
    answers: int
    coverage: MeanValue
    supported_coverage: MeanValue
    silent: Proportion
    hiding: Proportion
    padded: Proportion
    mentioned: Proportion


class CoverageResult(Record):
    """What the audit found: `verdicts/<run>/coverage/result.json`.

    `silent` counts measured answers with a silent exclusion, `silent_share` is the mean share of an answer's results
    that it leaves out in silence. `hiding` counts answers that do not mention a retrieved chunk that contradicts them,
    `hiding_in_context` those of them whose model had the chunk before it, `faithful_hiding` the answers that hide one
    though every claim of them is supported (n: the faithful ones). `mentioned` is the share of the contradictions that
    are mentioned, `padded` counts answers that cite a result which supports no claim. `unknown_citations` counts
    answers that cite an id which was in no result, `not_told` what traces do not reveal, by its name. `clusters` are
    sentences on where contradictions are hidden.
    """

    run: str
    source: Literal["answers", "traces"] = "answers"
    judge: str = ""
    served_judges: tuple[str, ...] = ()
    prompts: dict[str, str] = Field(default_factory=dict)
    ledger: Ledger
    abstained: int = 0
    no_results: int = 0
    coverage: MeanValue
    supported_coverage: MeanValue
    context_coverage: MeanValue = MeanValue()
    silent: Proportion
    silent_share: MeanValue = MeanValue()
    hiding: Proportion
    hiding_in_context: Proportion | None = None
    faithful_hiding: Proportion | None = None
    mentioned: Proportion
    padded: Proportion
    unknown_citations: int = 0
    not_told: dict[str, int] = Field(default_factory=dict)
    systems: tuple[CoverageGroup, ...] = ()
    types: tuple[CoverageGroup, ...] = ()
    documents: tuple[CoverageGroup, ...] = ()
    hidden_chunks: tuple[HiddenChunk, ...] = ()
    clusters: tuple[str, ...] = ()
    checked: int = 0
    left_unchecked: int = 0
    complete: bool
    cost: float | None = None
    notes: tuple[str, ...] = ()


class HiddenChunk(Record):
    """A chunk that contradicts answers which do not mention it: how many answers, and one of the claims."""

    chunk_id: str
    answers: int
    claim: str
    reason: str = ""


class PairedShare(Record):
    """The same answers without and with the instruction: a yes or no of each, and McNemar's exact test.

    `both`, `before`, `after` and `neither` count the pairs in which it holds on both sides, only without the
    instruction, only with it, and on neither; `n` is their sum. In the test each of the `questions` has one vote, that
    of most of its pairs that differ: `lost` of them go from yes to no, `gained` from no to yes. `difference` is with
    minus without, in shares, with its 95 % interval; `smallest` is the smallest share of questions whose change the
    test could have seen (all changes in one direction), None where no change is large enough.
    """

    both: int
    before: int
    after: int
    neither: int
    n: int
    questions: int = 0
    lost: int = 0
    gained: int = 0
    p: float
    difference: MeanValue
    smallest: float | None = None

    @property
    def without(self) -> int:
        """In how many answers it holds without the instruction."""
        return self.both + self.before

    @property
    def with_it(self) -> int:
        """In how many it holds with the instruction."""
        return self.both + self.after


class PairedMean(Record):
    """The same questions without and with the instruction: the mean of its answers each, and a randomisation of signs.

    `higher`, `lower` and `same` count questions; `smallest` is the smallest mean difference that the suite could have
    seen with a power of 0.8, from the spread of the differences; None where they do not differ.
    """

    before: float
    after: float
    difference: MeanValue
    higher: int
    lower: int
    same: int
    p: float
    smallest: float | None = None


class CoverageContrast(Record):
    """A run with and without the instruction to surface contradicting evidence: `conflicts.json` of the output audit.

    `pairs` counts answers of the same case and system that are measured in both runs, `left_out` the others by reason.
    `mentioned` is of the pairs that a retrieved chunk contradicts in both runs: whether every such chunk is mentioned.
    `hiding` is of all pairs. `moved` says what the reading rests on.
    """

    run: str
    with_instruction: str
    judge: str = ""
    pairs: int
    left_out: dict[str, int] = Field(default_factory=dict)
    coverage: PairedMean | None = None
    supported_coverage: PairedMean | None = None
    mentioned: PairedShare | None = None
    hiding: PairedShare | None = None
    abstained: PairedShare | None = None
    moved: Literal["yes", "no", "worse", "nothing to see"]
    reading: str
    notes: tuple[str, ...] = ()

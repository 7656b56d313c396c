"""The same cases asked several times: which verdicts fire, and which chunk came first then."""

from __future__ import annotations

from typing import Literal, get_args

from ragtester.records.base import Proportion, Record
from ragtester.records.suite import CaseType

AnswerState = Literal["contradicted", "unsupported", "supported", "abstained", "empty", "ungraded"]
ANSWER_STATES: tuple[AnswerState, ...] = get_args(AnswerState)
FirstKind = Literal["gold", "poison", "other", "nothing"]
FIRST_KINDS: tuple[FirstKind, ...] = get_args(FirstKind)


class StateCounts(Record):
    """Answers by what came of their claims: `runs` is the sum of the rest.

    `contradicted`: at least one claim is, by what it cites or by the whole context; `unsupported`: at least one is, and
    none is contradicted; `supported`: all are; `ungraded`: the answer failed, or a claim of it could not be checked and
    none is known to be contradicted.
    """

    runs: int
    contradicted: int = 0
    unsupported: int = 0
    supported: int = 0
    abstained: int = 0
    empty: int = 0
    ungraded: int = 0


class FirstChunk(StateCounts):
    """The runs of one answer in which this chunk came first in the context. `id` is empty for an empty context."""

    id: str
    kind: FirstKind


class FirstKindCounts(StateCounts):
    """All answers of all runs whose context began with a chunk of this kind, or had the gold at this place."""

    name: str
    contradicted_rate: Proportion


class RepeatedAnswer(StateCounts):
    """One case asked of one system in every run. `rankings` counts the different contexts that it got."""

    case_id: str
    question: str
    document_id: str
    type: CaseType
    llm: str
    embedding: str
    rankings: int
    first: tuple[FirstChunk, ...] = ()


class RepeatsResult(Record):
    """What repeats of a run found: `verdicts/<run>/claims/repeats.json`.

    `runs` are the run and its repeats, `missing` counts answers that one of them lacks. `first` groups all answers by
    what came first in their context, `gold` by the place of the first gold chunk. `varied` is the share of answers in
    several runs that did not come to the same in all of them. `same_rankings`: no answer saw two contexts.
    """

    run: str
    runs: tuple[str, ...]
    order: str = ""
    missing: int = 0
    answers: tuple[RepeatedAnswer, ...] = ()
    first: tuple[FirstKindCounts, ...] = ()
    gold: tuple[FirstKindCounts, ...] = ()
    varied: Proportion
    same_rankings: bool
    notes: tuple[str, ...] = ()

"""Adversarial retrieval: fixtures, and what a system made of them."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from ragtester.records.base import Failure, MeanValue, Proportion, Record
from ragtester.records.manifest import Ledger

Reading = Literal["well", "rerank", "reground", "both", "unmeasured"]
READINGS: tuple[Reading, ...] = get_args(Reading)
NOTHING = Proportion(successes=0, n=0)
Followed = Literal["gold", "poison", "both", "conflict", "abstained", "neither", "failed"]


class Fixture(Record):
    """A fixture's `case.json`. Ids of documents are their paths below `docs/` without the suffix.

    `kind` says what is tested ("superseded", "planted", ...; free). `poison_ids` are documents that must not be
    followed, `relevant_ids` those that hold the answer. `must_refuse` says that nothing here answers the question.
    `document_tags` gives documents access tags. `relevant_text` (optional) is copied from a relevant document: gold are
    then the chunks that hold it, not all chunks of the document. `made_from` names the case and the rule of a generated
    fixture.
    """

    id: str
    kind: str = ""
    question: str
    expected_answer: str
    keywords: tuple[str, ...] = ()
    must_not_contain: tuple[str, ...] = ()
    poison_ids: tuple[str, ...] = ()
    relevant_ids: tuple[str, ...] = ()
    relevant_text: tuple[str, ...] = ()
    user_tags: tuple[str, ...] = ()
    document_tags: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    k: int | None = Field(default=None, ge=1)
    language: str = ""
    must_refuse: bool = False
    made_from: dict[str, str] = Field(default_factory=dict)


class AdversarialRow(Record):
    """One fixture asked of one system: a row of `rows.jsonl`. Ranks count from 1; None: not among the results.

    `recall` is the share of the gold chunks in the context, `reciprocal_rank` 1 / the rank of the first there, 0
    where there is none. `poison_ids` are the chunks that must not be followed. `followed` says what the answer rests
    on, `noticed` whether it tells the poison from the right value or says that sources disagree, `said` which phrases
    of both it names; `reading` what retrieval and generation together call for, and `why`. `verdict` is the judge's,
    empty where there is none yet. `run` is the run of the fixtures, under which answers and verdicts lie.
    """

    fixture_id: str
    kind: str = ""
    set: str = ""
    case_id: str
    key: str
    run: str
    llm: str
    embedding: str
    language: str = ""
    k: int
    recall: float | None = None
    reciprocal_rank: float | None = None
    gold_rank: int | None = None
    poison_rank: int | None = None
    poison_ids: tuple[str, ...] = ()
    poison_first: bool | None = None
    poison_in_context: bool | None = None
    followed: Followed
    noticed: bool = False
    said: tuple[str, ...] = ()
    reading: Reading
    why: str = ""
    verdict: Literal["pass", "fail", "ungraded", ""] = ""
    failure: Failure | None = None


class AdversarialCounts(Record):
    """Rows of a group. Rates have the rows that did not fail in their denominators.

    `in_context`: the gold reached the context, of the rows that have gold and of which that is known. `passed` is the
    judge's verdict on the rows that it graded.
    """

    name: str = ""
    rows: int
    failed: int = 0
    recall: MeanValue
    reciprocal_rank: MeanValue
    in_context: Proportion = NOTHING
    poison_first: Proportion
    followed_gold: Proportion
    followed_poison: Proportion
    noticed: Proportion
    abstained: Proportion
    passed: Proportion = NOTHING
    readings: dict[str, int] = Field(default_factory=dict)


class AdversarialResult(Record):
    """What the fixtures showed: `verdicts/<run>/adversarial/result.json`.

    `runs` are those of the fixtures, the one with the run's own K first. `poison_passed`: answers that follow the
    poison and that the judge passed all the same. `clusters` are sentences on where poison was followed.
    """

    run: str
    sets: tuple[str, ...]
    runs: tuple[str, ...] = ()
    ledger: Ledger
    whole: AdversarialCounts
    systems: tuple[AdversarialCounts, ...] = ()
    kinds: tuple[AdversarialCounts, ...] = ()
    fixtures: tuple[AdversarialCounts, ...] = ()
    poison_passed: Proportion = NOTHING
    clusters: tuple[str, ...] = ()
    complete: bool
    notes: tuple[str, ...] = ()

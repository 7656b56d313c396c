"""From repeated judgements to flip rates. Pure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ragtester.records import CRITERIA, FlipRate, Proportion, Straddler
from ragtester.stages.proportions import proportion
from ragtester.stages.stability.rows import Line
from ragtester.statistics import cluster_bootstrap, wilson

Value = Callable[[Line], Hashable]


@dataclass
class Judged:
    """One answer with its verdict in the run and its repeats, in order; `asked` is how many there should be."""

    llm: str
    embedding: str
    case_id: str
    document_id: str
    type: str
    verdict: Literal["pass", "fail"]
    asked: int
    lines: list[Line] = field(default_factory=list)

    @property
    def graded(self) -> list[Line]:
        """The repeats that count."""
        return [line for line in self.lines if line.graded]

    @property
    def measured(self) -> bool:
        """Whether there are two to compare."""
        return len(self.graded) > 1

    @property
    def system(self) -> str:
        """LLM and embedding model, for people."""
        return f"{self.llm} × {self.embedding}"


def flip_rate(name: str, answers: Iterable[Judged], value: Value, seed: int) -> FlipRate:
    """How often `value` differs between graded judgements of the same answer; answers with fewer than two stay out."""
    flipped = n = differing = pairs = 0
    shares: dict[str, list[float]] = {}
    for answer in answers:
        if not answer.measured:
            continue
        unequal, all_pairs = unequal_pairs([value(line) for line in answer.graded])
        n += 1
        flipped += unequal > 0
        differing, pairs = differing + unequal, pairs + all_pairs
        shares.setdefault(answer.document_id, []).append(unequal / all_pairs)
    interval = cluster_bootstrap(shares, seed)
    if interval is None and flipped == 0:
        # Resampling shows no spread where nothing differs. Pairs of an answer differ only if it flips, so that the flip
        # rate's interval bounds theirs.
        interval = wilson(flipped, n)
    return FlipRate(
        name=name,
        flipped=proportion(flipped, n),
        differing=differing,
        pairs=pairs,
        disagreement=round(sum(map(sum, shares.values())) / n, 6) if n else None,
        low=round(interval.low, 6) if interval else None,
        high=round(interval.high, 6) if interval else None,
    )


def unequal_pairs(values: Sequence[Hashable]) -> tuple[int, int]:
    """Pairs of values that differ, and all pairs: of a, a, b two of three differ."""
    n = len(values)
    counts = [values.count(value) for value in set(values)]
    every = n * (n - 1) // 2
    return every - sum(count * (count - 1) // 2 for count in counts), every


def verdict_of(line: Line) -> str:
    """What flips first of all."""
    return line.status


def criteria(answers: Sequence[Judged], seed: int) -> tuple[FlipRate, ...]:
    """Flip rate of each criterion's rating."""
    return tuple(flip_rate(name, answers, _rating(name), seed) for name in CRITERIA)


def _rating(criterion: str) -> Value:
    return lambda line: getattr(line.ratings, criterion)


def grouped(answers: Sequence[Judged], name_of: Callable[[Judged], str], seed: int) -> tuple[FlipRate, ...]:
    """Flip rate of the verdict in each group, groups sorted by name."""
    groups: dict[str, list[Judged]] = {}
    for answer in answers:
        groups.setdefault(name_of(answer), []).append(answer)
    return tuple(flip_rate(name, members, verdict_of, seed) for name, members in sorted(groups.items()))


def overturned(answers: Iterable[Judged]) -> Proportion:
    """Verdicts of the run that the majority of the repeats contradicts; repeats that are tied say nothing."""
    against = n = 0
    for answer in answers:
        passed = sum(line.status == "pass" for line in answer.graded)
        failed = len(answer.graded) - passed
        if passed != failed:
            n += 1
            against += (passed > failed) != (answer.verdict == "pass")
    return proportion(against, n)


def identical(answers: Iterable[Judged]) -> Proportion:
    """Answers whose graded judgements all came in the same words: a deterministic server, or a cache of replies."""
    measured = [answer for answer in answers if answer.measured]
    return proportion(sum(len({line.reasons for line in one.graded}) == 1 for one in measured), len(measured))


def straddlers(answers: Iterable[Judged], pass_mean: float) -> tuple[Straddler, ...]:
    """Answers with a mean on either side of `pass_mean`, in the order given."""
    found = []
    for answer in answers:
        means = [line.mean for line in answer.graded if line.mean is not None]
        if not means or not min(means) < pass_mean <= max(means):
            continue
        passed = sum(line.status == "pass" for line in answer.graded)
        found.append(
            Straddler(
                case_id=answer.case_id,
                document_id=answer.document_id,
                llm=answer.llm,
                embedding=answer.embedding,
                verdict=answer.verdict,
                means=tuple(line.mean for line in answer.lines),
                passed=passed,
                failed=len(answer.graded) - passed,
            )
        )
    return tuple(found)

"""A variant against the baseline: the same queries, metric by metric, with tests corrected for their number. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragtester.records import AnswerFlip, Comparison, GenerationChange
from ragtester.stages.experiment.points import Pair
from ragtester.stages.experiment.reading import told
from ragtester.stages.experiment.values import Measurement
from ragtester.stages.experiment.words import changes_text
from ragtester.stages.means import mean_record
from ragtester.stages.proportions import proportion
from ragtester.stages.query_changes import compare_metrics, corrected, direction, flips
from ragtester.stages.query_values import is_same_gold, paired
from ragtester.statistics import mcnemar, paired_cases_needed
from ragtester.statistics.means import paired_means


@dataclass(frozen=True)
class Graded:
    """One graded answer of a variant's run: whether it failed."""

    document_id: str
    failed: bool
    question: str = ""


FILTERS = "execute.retrieval.filter"
"""How the names of `filters` and `filter_mode` begin."""
Grades = dict[tuple[str, str, str], Graded]
"""By LLM, technique and case id."""


@dataclass(frozen=True)
class Generated:
    """The graded answers of both runs under one embedding model each."""

    run_before: str
    run_after: str
    before: Grades
    after: Grades


def compare(
    pair: Pair, before: Measurement, after: Measurement, seed: int, generated: Generated | None = None
) -> Comparison:
    """One variant's comparison; p-values are not corrected yet: see `correct`."""
    pairs, apart = paired(before.values, after.values)
    same_gold = is_same_gold(pairs)
    filtered = all(name.startswith(FILTERS) for name in pair.after.changes) and bool(pair.after.changes)
    metrics = compare_metrics(pairs, seed, filtered=filtered)
    generation = _generation(generated, seed) if generated else None
    return Comparison(
        variant=pair.after.name,
        embedding_before=pair.before.embedding,
        embedding_after=pair.after.embedding,
        combination=pair.combination,
        changes=pair.after.changes,
        queries=len(pairs),
        apart=apart,
        same_gold=same_gold,
        metrics=metrics,
        flips=flips(pairs, same_gold, filtered=filtered),
        generation=generation,
        reading=told(metrics, same_gold, generation, changes_text(pair.after.changes)),
    )


def correct(comparisons: Sequence[Comparison]) -> tuple[tuple[Comparison, ...], int]:
    """Holm's correction over all tests of the experiment, one family; gives its size too."""
    answers = [each.generation.p for each in comparisons if each.generation]
    found, family = corrected([each.metrics for each in comparisons], answers)
    of_metrics, of_answers = iter(found), iter(found[family - len(answers) :])
    made = []
    for each in comparisons:
        metrics = tuple(one.model_copy(update={"holm": next(of_metrics)}) for one in each.metrics)
        generation = each.generation and each.generation.model_copy(update={"holm": next(of_answers)})
        made.append(each.model_copy(update={"metrics": metrics, "generation": generation}))
    return tuple(made), family


def _generation(generated: Generated, seed: int) -> GenerationChange | None:
    """Failure rates of the answers that both runs have a grade for; None where there is none."""
    places = [place for place in generated.before if place in generated.after]
    pairs = [(generated.before[place], generated.after[place]) for place in places]
    found = paired_means(
        [float(one.failed) for one, _ in pairs],
        [float(two.failed) for _, two in pairs],
        [one.document_id for one, _ in pairs],
        seed,
    )
    if found is None:
        return None
    won = sum(one.failed and not two.failed for one, two in pairs)
    lost = sum(two.failed and not one.failed for one, two in pairs)
    difference = mean_record(found.difference)
    needed = paired_cases_needed(lost, won, len(pairs))
    p = round(mcnemar(lost, won).p, 6)
    towards = direction(difference, won + lost, p)
    return GenerationChange(
        run_before=generated.run_before,
        run_after=generated.run_after,
        before=proportion(sum(one.failed for one, _ in pairs), len(pairs)),
        after=proportion(sum(two.failed for _, two in pairs), len(pairs)),
        difference=difference,
        won=won,
        lost=lost,
        p=p,
        holm=p,
        direction=towards,
        more=None if needed is None or towards != "unclear" else max(0, needed - len(pairs)),
        flips=tuple(
            _flip(place, one, two) for place, (one, two) in zip(places, pairs, strict=True) if one.failed != two.failed
        ),
    )


def _flip(place: tuple[str, str, str], one: Graded, two: Graded) -> AnswerFlip:
    llm, technique, case_id = place
    return AnswerFlip(
        query_id=case_id,
        document_id=one.document_id,
        technique=technique,
        question=one.question,
        llm=llm,
        before="fail" if one.failed else "pass",
        after="fail" if two.failed else "pass",
    )

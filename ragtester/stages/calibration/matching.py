"""Labels meet the answers of a run: every label and every answer is accounted for. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ragtester.records import CRITERIA, LabelledAnswer
from ragtester.results import Result
from ragtester.stages.calibration.labels import Label, Labelled, raise_faults
from ragtester.stages.calibration.texts import Place, folded, place_of
from ragtester.verdict import VALUES


@dataclass
class Matched:
    """What became of the labels. `answers` have a label or a tie; `unlabelled` are the run's other graded answers."""

    answers: list[LabelledAnswer] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)
    other_answer: list[str] = field(default_factory=list)
    unlabelled: list[Result] = field(default_factory=list)
    labels: int = 0
    blank: int = 0
    repeated: int = 0
    annotators: list[str] = field(default_factory=list)

    @property
    def used(self) -> list[LabelledAnswer]:
        """Answers that count: people agree on a label and the judge gave a grade."""
        return [one for one in self.answers if one.label is not None and one.status in ("pass", "fail")]

    @property
    def tied(self) -> list[LabelledAnswer]:
        """Answers on which people are tied."""
        return [one for one in self.answers if one.label is None]

    @property
    def ungraded(self) -> list[LabelledAnswer]:
        """Answers with a label and without a verdict."""
        return [one for one in self.answers if one.label is not None and one.status not in ("pass", "fail")]


def match(
    labels: Iterable[Labelled], rows: Sequence[Result], path: Path, texts: Mapping[Place, str] | None = None
) -> Matched:
    """Join labels with the run's rows.

    The LLM and the embedding model may be left out where one answer of the run fits. `texts` are the run's answers,
    folded: a label given for another text belongs to an answer that is gone, and is set apart. Raises DataError with
    every label that fits several answers, or that contradicts an earlier one of the same person.
    """
    by_case: dict[str, list[Result]] = {}
    for row in rows:
        by_case.setdefault(row.case_id, []).append(row)
    found, faults = Matched(), list[str]()
    votes: dict[int, dict[str, Label]] = {}
    for label in labels:
        if label.label is None:
            found.blank += 1
            continue
        found.labels += 1
        fitting = [row for row in by_case.get(label.case_id, ()) if _fits(label, row)]
        if not fitting:
            found.unmatched.append(label.name)
        elif len(fitting) > 1:
            systems = "; ".join(_system(row) for row in fitting[:4]) + ("; …" if len(fitting) > 4 else "")
            faults.append(
                f"{path}:{label.line}: {label.case_id} fits {len(fitting)} answers ({systems}): {_give(label)}"
            )
        elif _of_another(label, fitting[0], texts or {}):
            found.other_answer.append(label.name)
        else:
            _vote(label, votes.setdefault(id(fitting[0]), {}), found, path, faults)
    raise_faults(path, faults)
    found.answers = [_answer(row, votes[id(row)]) for row in rows if id(row) in votes]
    found.unlabelled = [row for row in rows if id(row) not in votes and row.graded]
    found.annotators = sorted({name for said in votes.values() for name in said})
    return found


def _fits(label: Labelled, row: Result) -> bool:
    return (not label.llm or label.llm == row.llm) and (not label.embedding or label.embedding == row.embedding)


def _of_another(label: Labelled, row: Result, texts: Mapping[Place, str]) -> bool:
    now = texts.get(place_of(row))
    return label.answer is not None and now is not None and folded(label.answer) != now


def _give(label: Labelled) -> str:
    wanting = [name for name in ("llm", "embedding") if not getattr(label, name)]
    return f"give {' and '.join(wanting)}" if wanting else "the run holds it twice"


def _vote(label: Labelled, said: dict[str, Label], found: Matched, path: Path, faults: list[str]) -> None:
    assert label.label is not None
    earlier = said.get(label.annotator)
    if earlier is None:
        said[label.annotator] = label.label
    elif earlier == label.label:
        found.repeated += 1
    else:
        who = f"{label.annotator} has" if label.annotator else "an earlier line has"
        faults.append(
            f"{path}:{label.line}: {label.case_id} is {label.label!r}, and {who} labelled it {earlier!r}; "
            "give each person a name in the column annotator, or delete one of the lines"
        )


def _answer(row: Result, votes: dict[str, Label]) -> LabelledAnswer:
    counts = Counter(votes.values())
    label: Label | None = None
    if counts["pass"] != counts["fail"]:
        label = "pass" if counts["pass"] > counts["fail"] else "fail"
    return LabelledAnswer(
        case_id=row.case_id,
        document_id=row.document_id,
        llm=row.llm,
        embedding=row.embedding,
        technique=row.technique,
        type=row.type,
        language=row.language,
        votes=dict(sorted(votes.items())),
        label=label,
        status=row.status,
        mean=row.mean,
        decided_by=row.decided_by,
        criterion=deciding(row),
    )


def deciding(row: Result) -> str:
    """What decided a verdict: a rule's name or, where the mean did, the lowest-rated criteria."""
    if row.decided_by != "mean" or row.ratings is None:
        return row.decided_by
    values = {name: VALUES[getattr(row.ratings, name)] for name in CRITERIA}
    lowest = min(values.values())
    weakest = [name.replace("_", " ") for name, value in values.items() if value == lowest]
    return f"mean ({', '.join(weakest)})" if lowest < 1 else "mean"


def _system(row: Result) -> str:
    return f"{row.llm} × {row.embedding}"

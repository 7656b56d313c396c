"""What is to be judged again, what stands already, and what it will cost: all known before the first call."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ragtester.errors import ChangedInputsError, DataError, UsageError
from ragtester.judgement import Judge, verdict_key
from ragtester.records import Answer
from ragtester.results import Result, Results, load_results
from ragtester.runs import answer_files
from ragtester.settings import Settings
from ragtester.stages.judge_inputs import Lookup, answers
from ragtester.stages.judge_rows import Item, without_asking
from ragtester.stages.stability.figures import Judged
from ragtester.stages.stability.rows import Line, read_lines, repeat_key
from ragtester.stages.stability.sample import Identity, Sample, draw
from ragtester.workspace import Workspace

ROWS, RESULT = "repeats.jsonl", "result.json"
Place = tuple[Identity, int]
"""An answer and the number of the repeat, from 1."""


@dataclass(frozen=True)
class Repetition:
    """What is asked of the audit. `sample` None: Cochran's size; 0: every answer that needed the judge."""

    repeats: int = 5
    sample: int | None = None
    seed: int = 7
    overwrite: bool = False

    def __post_init__(self) -> None:
        if self.repeats < 2:
            raise UsageError(f"{self.repeats} repeat(s): nothing can flip; judge each answer at least twice")
        if self.sample is not None and self.sample < 0:
            raise UsageError(f"a sample of {self.sample}: give a number of answers, or all")
        if self.seed < 0:
            raise UsageError(f"a seed of {self.seed}: give 0 or more")


@dataclass
class Plan:
    """The answers to judge again, in the run's order, with their repeats' keys, and the rows that stand.

    `open` are the repeats to make; `again` are those of them whose judge failed after being paid. `price` is the mean
    cost in US dollars of one judgement by this judge in the run; None where it is not known.
    """

    wanted: Repetition
    judge: Judge
    lookup: Lookup
    sample: Sample
    folder: Path
    files: list[Path]
    price: float | None = None
    answers: dict[Identity, Judged] = field(default_factory=dict)
    keys: dict[Place, str] = field(default_factory=dict)
    lines: dict[Place, Line] = field(default_factory=dict)
    open: set[Place] = field(default_factory=set)
    again: frozenset[Place] = frozenset()
    languages: set[str] = field(default_factory=set)
    run_judges: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    by_rule: int = 0

    def holds(self, place: Place, line: Line) -> bool:
        """Whether this audit would make the row as it stands.

        A row of another sample, or of more repeats than now, was paid for and may be wanted again.
        """
        if place in self.keys:
            return line.key == self.keys[place]
        return (line.judge, line.prompt_sha256) == (self.judge.model, self.judge.prompt_sha256)

    def quote(self) -> str:
        """One line: how many judgements are asked for, how many are left, and what they will cost."""
        n, repeats, left = len(self.answers), self.wanted.repeats, len(self.open)
        text = f"stability: {n} of {self.sample.population} answers × {repeats} = {n * repeats} judgements"
        if left < n * repeats:
            text += f", {n * repeats - left} of them stand already"
        text += f": {left} call(s) to {self.judge.model}"
        if self.judge.model.startswith("embedded:"):
            return f"{text}, free of charge"
        if self.price is None:
            return f"{text}; what one costs is not known from this run"
        return f"{text}, about ${self.price * left:.4f} at the ${self.price:.6f} a judgement of this run"


def make_plan(workspace: Workspace, settings: Settings, prompt_sha256: str, wanted: Repetition) -> Plan:
    """Draw the sample and read what stands; asks no model and changes no row.

    Raises UsageError where the run has no verdicts, ChangedInputsError where rows stand that were made from other
    inputs (unless `wanted.overwrite`), DataError for rows that are none.
    """
    name, model = settings.execute.run, settings.judge.model
    results = load_results(workspace, [name], settings.workspace.suite)
    rows = [row for row in results.open_book if row.run == name]
    judge = Judge(
        model=model,
        prompt_sha256=prompt_sha256,
        pass_mean=settings.judge.pass_mean,
        refusals=settings.execute.refusals,
        shared_with=frozenset({model} & {row.llm for row in rows}),
    )
    suite = next((run.suite for run in results.runs if run.name == name), settings.workspace.suite)
    folder = workspace.audits(name) / "stability"
    plan = Plan(
        wanted=wanted,
        judge=judge,
        lookup=Lookup(workspace, suite, name),
        sample=draw(rows, wanted.sample, wanted.seed),
        folder=folder,
        files=answer_files(workspace, name)[0],
        price=_price(rows, results, judge),
        lines=read_lines(folder / ROWS),
        notes=tuple(results.notes),
        run_judges=tuple(sorted({row.judge for row in rows if row.judge})),
    )
    _fill(plan)
    _settle(plan, settings.judge.retry_failed)
    return plan


def item_of(plan: Plan, answer: Answer) -> Item:
    """What the judge is asked about."""
    case = plan.lookup.case(answer)
    chunks, missing = plan.lookup.chunks(answer)
    return Item(answer, case, chunks, missing, verdict_key(answer, case, plan.judge))


def _fill(plan: Plan) -> None:
    """Find the drawn answers in the files, and the keys of their repeats."""
    for path in plan.files:
        for answer in answers(path):
            identity = (answer.llm, answer.embedding, answer.technique, answer.case_id)
            if identity not in plan.sample.status:
                continue
            if identity in plan.answers:
                raise DataError(f"{path}: the answer to {answer.case_id!r} stands twice; delete one of the rows")
            case = plan.lookup.case(answer)
            item = Item(answer, case, (), (), verdict_key(answer, case, plan.judge))
            if without_asking(item, plan.judge) is not None:
                # Its verdict is older than today's refusal phrases.
                plan.by_rule += 1
                continue
            status = plan.sample.status[identity]
            plan.answers[identity] = Judged(
                llm=answer.llm,
                embedding=answer.embedding,
                case_id=answer.case_id,
                document_id=answer.document_id,
                type=answer.type,
                verdict=status,
                asked=plan.wanted.repeats,
            )
            plan.languages.add(case.language)
            for number in range(1, plan.wanted.repeats + 1):
                plan.keys[identity, number] = repeat_key(item.key, number)


def _settle(plan: Plan, retry_failed: bool) -> None:
    """Take out rows that do not hold, and note which repeats are to be made."""
    stale = [line for place, line in plan.lines.items() if line.graded and not plan.holds(place, line)]
    if stale and not plan.wanted.overwrite:
        raise ChangedInputsError(
            f"{plan.folder / ROWS}: {len(stale)} judgement(s) were made from other inputs ({_changes(plan, stale)}); "
            "audit with --overwrite, or under another run name"
        )
    plan.lines = {place: line for place, line in plan.lines.items() if plan.holds(place, line)}
    plan.open = {
        place for place in plan.keys if place not in plan.lines or plan.lines[place].is_worth_another(retry_failed)
    }
    plan.again = frozenset(
        place for place in plan.open & plan.lines.keys() if not plan.lines[place].is_worth_another(False)
    )


def _changes(plan: Plan, stale: list[Line]) -> str:
    judges = sorted({line.judge for line in stale} - {plan.judge.model})
    if judges:
        return f"judge: {', '.join(judges)} is now {plan.judge.model}"
    if any(line.prompt_sha256 != plan.judge.prompt_sha256 for line in stale):
        return "the judge's prompt"
    return "the answers, their cases, pass_mean or refusals"


def _price(rows: list[Result], results: Results, judge: Judge) -> float | None:
    """Mean cost of one judgement by this judge, where the run's verdicts are its own and their costs are known."""
    known = next((run.judged for run in results.runs if run.judged), None)
    repeats = int(known.parameters.get("repeats", 1)) if known else 1
    costs = [row.judge_cost for row in rows if row.judge == judge.model and row.judge_cost is not None]
    return sum(costs) / len(costs) / repeats if costs else None

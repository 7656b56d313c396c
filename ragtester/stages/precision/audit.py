"""What an audit stands on: the run's graded answers, and the sample that today's files and settings give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ragtester.errors import ChangedInputsError
from ragtester.models.catalogue import resolve
from ragtester.models.rendering import Renderer
from ragtester.provenance import sha256_text
from ragtester.records import Manifest, SampledCase
from ragtester.results import load_results
from ragtester.settings import Settings
from ragtester.stages.precision.files import Files
from ragtester.stages.precision.sampling import Item, Population, draw, identity, items, population
from ragtester.storage import encode_row, read_json, read_rows
from ragtester.workspace import Workspace

OWN_RULES = "embedded:vote-rules"


@dataclass(frozen=True)
class Audit:
    """One audit before anyone votes; nothing is written yet."""

    run: str
    settings: Settings
    files: Files
    population: Population
    items: tuple[Item, ...]
    judged: Manifest | None
    notes: tuple[str, ...]

    @property
    def sample(self) -> list[SampledCase]:
        """The drawn answers, by id."""
        return [item.row for item in self.items]

    @property
    def judge(self) -> str:
        """The oracle; several names where the run was judged by several."""
        return ", ".join(self.population.judges)

    @property
    def drawn(self) -> dict[str, int]:
        """Drawn answers by status; a status that was not asked for is absent."""
        statuses = ("fail", "pass") if self.settings.audit.include_passes else ("fail",)
        counts: Counter[str] = Counter(row.status for row in self.sample)
        return {status: counts[status] for status in statuses}

    def parameters(self) -> dict[str, object]:
        """What may not change under this name."""
        audit = self.settings.audit
        return {
            "judge": self.judge,
            "confidence": audit.confidence,
            "margin": audit.margin,
            "include_passes": audit.include_passes,
            "min_votes": audit.min_votes,
            "seed": self.settings.workspace.seed,
            "failures": self.population.statuses["fail"],
            "passes": self.population.statuses["pass"],
        }

    def sha256(self) -> str:
        """Hash of the sample."""
        return sha256_text("".join(map(encode_row, self.sample)))


def open_audit(workspace: Workspace, settings: Settings) -> Audit:
    """Draw the sample of the run in the settings. Raises UsageError for a run without answers or without verdicts."""
    run = settings.execute.run
    results = load_results(workspace, [run], settings.workspace.suite)
    counted = population(results, run)
    drawn = draw(results, run, settings.audit, settings.workspace.seed)
    found = items(workspace, results, run, drawn, settings.execute.refusals)
    judged = next(info.judged for info in results.runs if info.name == run)
    files = Files.of(workspace, run)
    return Audit(run, settings, files, counted, tuple(found), judged, tuple(results.notes))


def with_passes_kept(settings: Settings, made: Manifest | None) -> Settings:
    """The settings of a further start: passes that are in the sample already stay there without being asked for."""
    earlier = bool(made and made.parameters.get("include_passes"))
    return _changed(settings, include_passes=settings.audit.include_passes or earlier)


def as_voted(settings: Settings, made: Manifest) -> Settings:
    """The settings of the audit that was voted on, whatever flags it was started with."""
    names = ("confidence", "margin", "include_passes", "min_votes")
    kept = {name: made.parameters[name] for name in names if name in made.parameters}
    return _changed(settings, panel=tuple(made.models) or settings.audit.panel, **kept)


def _changed(settings: Settings, **values: object) -> Settings:
    return settings.model_copy(update={"audit": settings.audit.model_copy(update=values)})


def own_renderer(workspace: Workspace) -> Renderer:
    """Renders prompts as the workspace has them."""
    return Renderer(workspace.prompts if workspace.prompts.is_dir() else None)


def refuse_changes(audit: Audit) -> None:
    """Raise ChangedInputsError, saying what changed, where a sample stands that today's files would not give."""
    path = audit.files.sample
    if not path.is_file():
        return
    before = read_rows(path, SampledCase)
    if before == audit.sample or _only_passes_are_new(before, audit):
        return
    made = read_json(audit.files.manifest, Manifest)
    what = "; ".join(_changes(before, audit, made)) or "the verdicts"
    raise ChangedInputsError(
        f"{path}: the sample is stale ({what}); draw and vote anew with --overwrite (votes that still hold are kept)"
    )


def _only_passes_are_new(before: list[SampledCase], audit: Audit) -> bool:
    """Whether a sample of failures stands and passes are asked for now: nothing that was drawn is drawn otherwise."""
    return before == [row for row in audit.sample if row.status == "fail"]


def _changes(before: list[SampledCase], audit: Audit, made: Manifest | None) -> Iterator[str]:
    earlier = made.parameters if made else {}
    for name, value in audit.parameters().items():
        if name in earlier and earlier[name] != value:
            yield f"{name}: {earlier[name]!r} is now {value!r}"
    yield from changed_rows(before, audit.sample)


def changed_rows(before: list[SampledCase], now: list[SampledCase]) -> Iterator[str]:
    """What is otherwise in a sample that is drawn again, each with its count."""
    old, new = ({identity(row): row for row in rows} for rows in (before, now))
    both = [(old[place], new[place]) for place in old if place in new]
    counts = {
        "sampled answer(s) are not in it any more": len(old) - len(both),
        "other answer(s) are": len(new) - len(both),
        "answer(s) of it have other texts": sum(one.id != two.id for one, two in both),
        "of it have another verdict": sum(_verdict(one) != _verdict(two) for one, two in both),
    }
    yield from (f"{count} {text}" for text, count in counts.items() if count)


def _verdict(row: SampledCase) -> tuple[object, ...]:
    return row.status, row.decided_by, row.weakest, row.judge


def shares(voter: str, audit: Audit) -> str:
    """What a member has in common with the judge or a system under test; "" for nothing that names can tell."""
    tested = sorted({key[1] for key in audit.population.strata})
    found = (
        ["its model with the judge"]
        if any(_same(voter, judge, audit.settings) for judge in audit.population.judges)
        else []
    )
    found += ["its model with a system under test"] if any(_same(voter, llm, audit.settings) for llm in tested) else []
    if voter == OWN_RULES and any(judge.startswith("embedded:") for judge in audit.population.judges):
        found.append("its rules with the judge")
    return " and ".join(found)


def _same(one: str, other: str, settings: Settings) -> bool:
    """Whether two names mean the same model, under whatever name the settings give it."""
    if one == other:
        return True
    first, second = resolve(one, settings), resolve(other, settings)
    return (first.provider, first.served, first.base_url) == (second.provider, second.served, second.base_url)

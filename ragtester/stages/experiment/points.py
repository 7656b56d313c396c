"""From an experiment's file to the settings that are measured: the baseline, its variants, the grid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from pydantic import ValidationError

from ragtester.errors import UsageError
from ragtester.provenance import row_key
from ragtester.rag.rerankers import kind
from ragtester.records import PointKind
from ragtester.searching.identity import chunker, embedding_identity, route_identity
from ragtester.settings import GroupSettings, Settings
from ragtester.settings.faults import explain
from ragtester.stages.experiment.syntax import BASELINE, EMBEDDING, Experiment, K, Variant

MOST_POINTS = 2000
GRID = "grid"
"""Name of a point of a sweep over embedding models alone."""
NAMED = 3
"""Points left out that a message names."""


@dataclass(frozen=True)
class Point:
    """One setting under one embedding model; `embedding` is empty where no dense arm asks one."""

    name: str
    kind: PointKind
    settings: Settings
    embedding: str
    changes: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Name and embedding model: no two points share it."""
        return f"{self.name} × {self.embedding}" if self.embedding else self.name

    @property
    def identity(self) -> str:
        """Short hash of everything that its contexts depend on besides the suite and the prompts."""
        return row_key(
            k=self.settings.execute.k,
            scope=self.settings.execute.index.scope,
            chunker=chunker(self.settings),
            route=route_identity(self.settings),
            embedding=embedding_identity(self.settings, self.embedding) if self.embedding else None,
        )

    @property
    def models(self) -> dict[str, str]:
        """Language models that the query path asks, by what for; empty for a search by indexes alone."""
        retrieval = self.settings.execute.retrieval
        asked = {"rewrite": retrieval.rewrite, "rerank": retrieval.rerank if kind(retrieval.rerank) == "model" else ""}
        return {step: model for step, model in asked.items() if model}


@dataclass(frozen=True)
class Start:
    """The baseline under one of the experiment's embedding models, which its search may not ask."""

    point: Point
    embedding: str


@dataclass(frozen=True)
class Pair:
    """A variant and the baseline that it is compared with."""

    before: Point
    after: Point
    combination: bool


@dataclass
class Points:
    """What is measured, each once; the baseline first.

    `left_out` are grid points that no settings can hold, `also` the grid's names of the baseline and of variants.
    """

    points: list[Point] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    axes: tuple[str, ...] = ()
    left_out: list[str] = field(default_factory=list)
    also: dict[str, str] = field(default_factory=dict)

    def add(self, point: Point) -> Point:
        """Take in a point; gives the one that stands for it where the same was there already."""
        for known in self.points:
            if known.identity == point.identity:
                return known
        self.points.append(point)
        return point


def make_points(settings: Settings, experiment: Experiment) -> Points:
    """Lay the experiment over the workspace's settings. Raises UsageError with every fault."""
    faults: list[str] = []
    base = _baseline(settings, experiment, faults)
    if base is None or faults:
        raise UsageError(f"{experiment.where}: " + "; ".join(faults))
    names = experiment.embeddings or _models(base)
    made = Points()
    starts = [Start(made.add(_point(BASELINE, "baseline", base, name, {})), name) for name in names]
    for variant in experiment.variants:
        _add_variant(made, variant, starts, faults)
    _add_grid(made, experiment.sweep, starts, faults)
    labels = [point.label for point in made.points]
    faults += [f"{label!r} is the name of two settings" for label in labels if labels.count(label) > 1]
    if faults:
        raise UsageError(f"{experiment.where}: " + "; ".join(dict.fromkeys(faults)))
    return made


def variant_runs(points: Points, experiment: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Run name and embedding models of the baseline and of every variant, by its name.

    A search without embedding model is asked once, under the first model of the baseline.
    """
    base = points.points[0]
    first = base.embedding or _models(base.settings)[0]
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for point in points.points:
        if point.kind != "grid":
            run = f"{base.settings.execute.run}.{experiment}.{point.name}"
            known = found.get(point.name, (run, ()))[1]
            found[point.name] = run, tuple(dict.fromkeys((*known, point.embedding or first)))
    return found


def run_settings(points: Points, experiment: str) -> list[Settings]:
    """Settings under which the baseline and every variant are executed and judged: every LLM of the matrix."""
    made = []
    for name, (run, embeddings) in variant_runs(points, experiment).items():
        settings = next(point.settings for point in points.points if point.name == name)
        llms = tuple(dict.fromkeys(llm for group in settings.execute.groups for llm in group.llms))
        update = {"run": run, "groups": (GroupSettings(llms=llms, embeddings=embeddings),), "closed_book": False}
        made.append(settings.model_copy(update={"execute": settings.execute.model_copy(update=update)}))
    return made


def _baseline(settings: Settings, experiment: Experiment, faults: list[str]) -> Settings | None:
    tree = settings.model_dump()
    _lay(tree, experiment.baseline)
    k = experiment.baseline.get("execute", {}).get("k", experiment.k)
    if experiment.k is not None and k != experiment.k:
        faults.append(f"k = {experiment.k} and baseline.{K} = {k} differ; keep one of them")
    if experiment.k is not None:
        tree["execute"]["k"] = experiment.k
    return _parsed(tree, "baseline", faults)


def _models(settings: Settings) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for group in settings.execute.groups for name in group.embeddings))


def _add_variant(made: Points, variant: Variant, starts: list[Start], faults: list[str]) -> None:
    where = f"variant {variant.name!r}"
    change = dict(variant.change)
    if EMBEDDING in change and len(starts) > 1:
        names = ", ".join(start.embedding for start in starts)
        faults.append(
            f"{where}: changes the embedding model, and the baseline has {len(starts)} of them ({names}); "
            "name one in embeddings"
        )
        return
    for start in starts:
        changed = _changed(start, change, where, faults)
        if changed is None:
            return
        settings, embedding = changed
        raw = Point(variant.name, "variant", settings, embedding)
        base = Point(BASELINE, "baseline", start.point.settings, start.embedding)
        same = [name for name in change if _value(base, name) == _value(raw, name)]
        faults += [f"{where}: {name} is what the baseline has already" for name in same]
        faults += _count(where, len(change), variant.combination)
        point = _point(variant.name, "variant", settings, embedding, change)
        known = made.add(point)
        if known is not point and known.name != variant.name and not same:
            faults.append(f"{where}: retrieves exactly as {known.name!r} does; take one of them out")
        pair = Pair(start.point, known, variant.combination)
        made.pairs += [pair] if pair not in made.pairs else []


def _count(where: str, changes: int, combination: bool) -> Iterator[str]:
    if changes > 1 and not combination:
        yield (
            f"{where}: changes {changes} settings, so that what helped could not be told; "
            "change one, or write combination = true"
        )
    if changes == 1 and combination:
        yield f"{where}: is called a combination and changes one setting"


def _add_grid(made: Points, sweep: Mapping[str, tuple[Any, ...]], starts: list[Start], faults: list[str]) -> None:
    if not sweep:
        return
    made.axes = tuple(sweep)
    count = len(starts)
    for values in sweep.values():
        count *= len(values)
    if count > MOST_POINTS:
        faults.append(f"sweep: {count} points; {MOST_POINTS} at most")
        return
    before, wrong = len(made.points), list[str]()
    firsts = starts[:1] if EMBEDDING in sweep else starts
    for values in product(*sweep.values()):
        change = dict(zip(sweep, values, strict=True))
        # The embedding model stands beside the name.
        named = {setting.rpartition(".")[2]: _shown(value) for setting, value in change.items() if setting != EMBEDDING}
        name = " ".join(f"{setting}={value}" for setting, value in named.items()) or GRID
        for start in firsts:
            where, told = f"sweep {name}", list[str]()
            changed = _changed(start, change, where, told)
            if changed is None:
                for text in (one.removeprefix(f"{where}: ") for one in told):
                    # A value that no setting takes is a fault; settings that exclude each other are left out.
                    is_value = text.startswith(tuple(change))
                    (faults if is_value else wrong).append(f"sweep: {text}" if is_value else f"{name}: {text}")
                continue
            point = _point(name, "grid", *changed, change)
            known = made.add(point)
            if known.kind != "grid":
                made.also.setdefault(known.label, name)
    if len(made.points) == before and wrong and not faults:
        faults += [f"sweep: no setting of the grid can be: {'; '.join(wrong[:NAMED])}"]
    made.left_out += dict.fromkeys(wrong)


def _changed(start: Start, change: Mapping[str, Any], where: str, faults: list[str]) -> tuple[Settings, str] | None:
    """The baseline's settings with the changes, and the embedding model; None where they are faulty."""
    embedding = change.get(EMBEDDING, start.embedding)
    if not isinstance(embedding, str) or (EMBEDDING in change and not embedding.strip()):
        faults.append(f'{where}: {EMBEDDING} names one model, as in "embedded:wordllama"')
        return None
    tree = start.point.settings.model_dump()
    for name, value in change.items():
        if name != EMBEDDING:
            *path, last = name.split(".")
            here = tree
            for part in path:
                here = here[part]
            here[last] = value
    settings = _parsed(tree, where, faults)
    return None if settings is None else (settings, embedding)


def _parsed(tree: dict[str, Any], where: str, faults: list[str]) -> Settings | None:
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        for item in error.errors():
            told = explain(item)
            # What a whole table was is of no use to a reader.
            faults.append(f"{where}: {told.partition(' (given: {')[0] if isinstance(item['input'], dict) else told}")
        return None


def _point(name: str, kind: PointKind, settings: Settings, embedding: str, changes: Mapping[str, Any]) -> Point:
    """A point whose settings name its embedding model alone."""
    used = embedding if settings.execute.retrieval.dense else ""
    return Point(name, kind, settings, used, dict(changes))


def _value(point: Point, name: str) -> Any:
    if name == EMBEDDING:
        return point.embedding
    found: Any = point.settings
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _lay(tree: dict[str, Any], over: Mapping[str, Any]) -> None:
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(tree.get(key), dict) and key != "filters":
            _lay(tree[key], value)
        else:
            tree[key] = value


def _shown(value: Any) -> str:
    """A value in a point's name: `dense+bm25` for arms."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "+".join(map(_shown, value)) or "none"
    if isinstance(value, dict):
        rest = ",".join(f"{key}:{_shown(one)}" for key, one in value.items() if key != "kind")
        return f"{value.get('kind', '')}({rest})" if rest else str(value.get("kind", ""))
    return str(value)

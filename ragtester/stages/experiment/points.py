"""The settings that an experiment measures, and the runs of those that are executed too."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ragtester.provenance import row_key
from ragtester.rag.rerankers import kind
from ragtester.records import PointKind
from ragtester.searching.identity import chunker, embedding_identity, route_identity
from ragtester.settings import GroupSettings, Settings


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


def variant_runs(points: Points, experiment: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Run name and embedding models of the baseline and of every variant, by its name.

    A search without embedding model is asked once, under the first model of the baseline.
    """
    base = points.points[0]
    first = base.embedding or models_of(base.settings)[0]
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


def models_of(settings: Settings) -> tuple[str, ...]:
    """The embedding models of the matrix, each once."""
    return tuple(dict.fromkeys(name for group in settings.execute.groups for name in group.embeddings))

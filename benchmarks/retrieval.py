"""Which search finds the evidence? Dense, sparse and hybrid retrieval over documents of your own, no model asked.

    python -m benchmarks.retrieval [FILE_OR_FOLDER ...] [--per-document 40] [--workspace DIR] [--output PAGE.md]

Makes cases with `embedded:rules` (kept in DIR, if one is named, for the next start), searches each of them in every
way, and prints Markdown tables: numbers alone, no text of a document.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragtester.api import Project
from ragtester.pipeline import open_gateway
from ragtester.progress import SilentProgress
from ragtester.records import Case, RankingMetrics
from ragtester.searching.measure import coverage, measure
from ragtester.searching.search import Search
from ragtester.searching.suite import open_suite
from ragtester.settings import Settings, load_settings
from ragtester.stages.means import mean_cell, mean_record
from ragtester.statistics.means import mean
from ragtester.tables import Document as Page
from ragtester.tables import Estimate, Paragraph, Rate, Section, Table
from ragtester.tables.markdown import markdown
from ragtester.workspace import Workspace

K = 4
WAYS = {
    "dense wordllama": ("embedded:wordllama", '["dense"]'),
    "dense hashing": ("embedded:hashing", '["dense"]'),
    "BM25": ("embedded:hashing", '["bm25"]'),
    "hybrid: wordllama + BM25": ("embedded:wordllama", '["dense", "bm25"]'),
    "hybrid: hashing + BM25": ("embedded:hashing", '["dense", "bm25"]'),
}
CURVE = (1, 2, 3, 4, 5, 8, 10, 20)
ABOUT = """\
Made with "python -m benchmarks.retrieval FOLDER --output docs/retrieval-results.md" over a folder of public manuals,
papers and guides as PDF. The questions are those of the embedded engine, with the spans that they were made from as
gold; no language model was asked. Numbers alone: no text of those files stands here.

Read it with care: a question of the embedded engine shares most of its words with its passage, which suits BM25. With
questions in other words than the document's the order may be another. Fusion gives both arms the same weight, so that
the weaker one costs the stronger one places. Intervals are 95 %: Wilson's for hit rates, bootstraps over documents for
means.
"""


@dataclass(frozen=True)
class Asked:
    """One measured query."""

    case: Case
    metrics: RankingMetrics
    curve: dict[int, RankingMetrics]


async def search(workspace: Workspace, settings: Settings, embedding: str) -> list[Asked]:
    """Every case with evidence, retrieved and measured."""
    found: list[Asked] = []
    async with open_gateway(workspace, settings, "benchmark") as gateway:
        suite = open_suite(workspace, settings)
        work = Search(suite, settings, gateway.embedder, gateway, SilentProgress())
        async for one in work.run(embedding):
            held = coverage(one.chunks)
            for context in one.contexts:
                measured = measure(context.case, context.trace, held, CURVE, path=settings.execute.retrieval)
                if measured.metrics is not None:
                    found.append(Asked(context.case, measured.metrics, measured.curve))
    return found


def settings_of(folder: Path, arms: str, scope: str) -> Settings:
    """Twenty hits of each arm, so that ranks are known down to there."""
    kinds = [f'{{kind = "{kind}", fetch_k = 20}}' for kind in ("dense", "bm25") if kind in arms]
    changes = {"execute.k": str(K), "execute.index.scope": scope, "execute.retrieval.arms": f"[{', '.join(kinds)}]"}
    return load_settings(folder, tuple(f"{name}={value}" for name, value in changes.items()))


def row(name: str, asked: Sequence[Asked]) -> tuple[str | int | Rate | Estimate | None, ...]:
    """One way's figures at K."""
    clusters = [one.case.document_id for one in asked]

    def cell(field: str) -> Estimate | None:
        return mean_cell(mean_record(mean([getattr(one.metrics, field) for one in asked], clusters)))

    hits = Rate(sum(one.metrics.hit for one in asked), len(asked))
    return (name, hits, *(cell(field) for field in ("recall", "reciprocal_rank", "ndcg", "evidence")))


def curve(name: str, asked: Sequence[Asked]) -> tuple[str | float | None, ...]:
    """Mean recall at every K at which all queries were measured."""
    points = ([one.curve[k].recall for one in asked if k in one.curve] for k in CURVE)
    return (name, *(round(sum(some) / len(some), 3) if len(some) == len(asked) else None for some in points))


def sections(folder: Path) -> Iterator[Section]:
    """A section a scope: each document searched alone, and all of them together."""
    workspace = Workspace(folder.resolve())
    for scope, title in (("document", "Each document alone"), ("corpus", "All documents in one index")):
        found = {
            name: asyncio.run(search(workspace, settings_of(folder, arms, scope), embedding))
            for name, (embedding, arms) in WAYS.items()
        }
        first = next(iter(found.values()))
        languages = Counter(one.case.language for one in first)
        told = ", ".join(f"{name} {count}" for name, count in languages.most_common())
        documents = len({one.case.document_id for one in first})
        head = Paragraph(f"{len(first)} questions with evidence from {documents} documents ({told}); K = {K}.")
        columns = ("search", f"hit rate@{K}", f"recall@{K}", f"MRR@{K}", f"nDCG@{K}", "evidence seen")
        tables = [
            Table(f"{scope}_metrics", title, columns, tuple(row(name, asked) for name, asked in found.items())),
            Table(
                f"{scope}_curve",
                "Recall at K",
                ("search", *(f"@{k}" for k in CURVE)),
                tuple(curve(name, asked) for name, asked in found.items()),
            ),
        ]
        for language, count in languages.most_common():
            if count >= 30 and len(languages) > 1:
                rows = [
                    row(name, [one for one in asked if one.case.language == language]) for name, asked in found.items()
                ]
                tables.append(Table(f"{scope}_{language}", f"Questions in {language}", columns, tuple(rows)))
        yield Section(scope, title, (head, *tables))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="*", default=["corpora/sample"])
    parser.add_argument("--per-document", type=int, default=40)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.workspace or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        changes = (f"cases.per_document={options.per_document}", "cases.technique=ragtester")
        corpus = [str(Path(path).resolve()) for path in options.corpus]
        Project(folder, changes).cases(corpus)
        about = Section(
            "about", "What was measured", tuple(Paragraph(" ".join(part.split())) for part in ABOUT.split("\n\n"))
        )
        page = Page("Which search finds the evidence?", (about, *sections(folder)))
        text = markdown(page)
        print(text)
        if options.output:
            options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

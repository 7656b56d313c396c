"""Ten thousand queries against one document of 300 pages: searched in batches and one by one, and audited.

    python -m benchmarks.retrieval_scale [--queries 10000] [--single 200] [--embedding embedded:wordllama]

The document and the questions are synthetic. Each job runs in a fresh process, so that its peak memory is its own; its
seconds begin after the imports. Batches and single questions go through the same call to the same open store and BM25
index; either way the vectors of questions are written to the store.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.executor_suite import peak, resident, suite
from ragtester.api import Project
from ragtester.pipeline import open_gateway
from ragtester.progress import SilentProgress
from ragtester.rag.collection import batches
from ragtester.rag.contexts import Query
from ragtester.rag.store import Store
from ragtester.records import Case, Chunk
from ragtester.searching.search import QUESTIONS_AT_ONCE, Search
from ragtester.searching.stores import Asking, Stores
from ragtester.searching.suite import open_suite

# About 90 characters a sentence: 300 pages of 3,000 characters.
SENTENCES = 10_000
ARMS = {"dense": '["dense"]', "bm25": '["bm25"]', "hybrid": '["dense", "bm25"]'}
FETCHED = 40


class Asked:
    """A store of the document that stays open, and what is put to it."""

    def __init__(self, stores: Stores, chunks: Sequence[Chunk], store: Store) -> None:
        self.stores, self.chunks, self.store = stores, chunks, store

    async def __call__(self, queries: Sequence[Query]) -> None:
        async def opened() -> Store:
            return self.store

        await self.stores.search(opened, "document", self.chunks, queries)


def worded(case: Case, how: str) -> Case:
    """The same question in other words, so that its vector is not in the store already."""
    return case.model_copy(update={"question": f"{how} {case.question}"})


async def ratio(project: Project, embedding: str, single: int) -> str:
    """Milliseconds a query in batches and one by one."""
    settings, workspace = project.settings, project.workspace
    async with open_gateway(workspace, settings, "benchmark") as gateway:
        found = open_suite(workspace, settings)
        stores = Search(found, settings, gateway.embedder, gateway, SilentProgress()).stores
        stores.load()
        document = found.documents[0]
        cases, chunks = found.cases(document), await stores.library.chunks(document)
        store = await stores.opening(document.id, embedding, stores.key(document, embedding), chunks)()
        ask = Asked(stores, chunks, store)
        await ask(await stores.prepare([worded(cases[0], "First of all.")], embedding))
        queries = await stores.prepare(cases, embedding)
        others = await stores.prepare([worded(case, "Tell me.") for case in cases[:single]], embedding)
        told = []
        # The second time no question is embedded or written any more.
        for how in ("new", "known"):
            batched = await each(ask, list(batches(queries, QUESTIONS_AT_ONCE)))
            alone = await each(ask, [[query] for query in others])
            told.append(f"{how}: {batched:.2f} ms in batches, {alone:.2f} ms one by one, {alone / batched:.0f} ×")
        await store.finish()
    return "; ".join(told)


async def each(ask: Asked, blocks: Sequence[Sequence[Query]]) -> float:
    """Milliseconds a query."""
    begun = time.perf_counter()
    for block in blocks:
        await ask(block)
    return 1000 * (time.perf_counter() - begun) / sum(map(len, blocks))


async def search(project: Project, embedding: str) -> str:
    """The whole query path: index, hits, contexts with their traces."""
    settings, workspace = project.settings, project.workspace
    async with open_gateway(workspace, settings, "benchmark") as gateway:
        work = Search(open_suite(workspace, settings), settings, gateway.embedder, gateway, SilentProgress())
        return f"{sum([len(one.contexts) async for one in work.run(embedding)])} contexts"


async def cell(project: Project, embedding: str) -> str:
    """What a cell of the execute stage holds: every context of its document at once."""
    settings, workspace = project.settings, project.workspace
    async with open_gateway(workspace, settings, "benchmark") as gateway:
        found = open_suite(workspace, settings)
        source = Search(found, settings, gateway.embedder, gateway, SilentProgress()).source
        source.load()
        document = found.documents[0]
        before = resident()
        contexts = await source.contexts(Asking(document, embedding, tuple(found.cases(document))))
        held = resident() - before
        await source.close()
    return f"{len(contexts)} contexts, {held:.0f} MB more than before"


def audit(project: Project) -> str:
    """The audit of a search that is made for it."""
    done = project.audit_retrieval(search=True)
    return f"{done.ledger.planned} queries audited"


def run(job: str, arms: str, options: argparse.Namespace) -> None:
    """One job, in this process."""
    groups = f'execute.groups=[{{llms=["embedded:rules"], embeddings=["{options.embedding}"]}}]'
    kinds = [f'{{kind = "{kind}", fetch_k = {FETCHED}}}' for kind in ("dense", "bm25") if kind in ARMS[arms]]
    changes = (groups, "execute.k=8", f"execute.retrieval.arms=[{', '.join(kinds)}]")
    project = Project(options.folder, changes)
    begun, cpu = time.perf_counter(), time.process_time()
    if job == "audit":
        told = audit(project)
    elif job == "ratio":
        told = asyncio.run(ratio(project, options.embedding, options.single))
    else:
        told = asyncio.run({"search": search, "cell": cell}[job](project, options.embedding))
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    print(f"| {job} ({arms}) | {told} | {seconds:.1f} | {cpu:.1f} | {peak():.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--single", type=int, default=200)
    parser.add_argument("--embedding", default="embedded:wordllama")
    parser.add_argument("--job", nargs=2, metavar=("JOB", "ARMS"), help="one job, with the suite in --folder")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    if options.job:
        job, arms = options.job
        run(job, arms, options)
        return
    print("| job | | wall s | CPU s | peak MB |\n| --- | --- | --- | --- | --- |", flush=True)
    jobs = [*(("ratio", arms) for arms in ARMS), *((job, "hybrid") for job in ("search", "cell", "audit"))]
    for job, arms in jobs:
        with tempfile.TemporaryDirectory() as folder:
            suite(Path(folder), 1, options.queries, sentences=max(SENTENCES, options.queries))
            given = ("--single", str(options.single), "--embedding", options.embedding, "--folder", folder)
            command = [sys.executable, "-m", "benchmarks.retrieval_scale", "--job", job, arms, *given]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()

"""The three places that traces come from, each as a stream of items with what is known around them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ragtester.errors import UsageError
from ragtester.progress import Progress
from ragtester.records import Case, Document, DocumentRow, Manifest
from ragtester.results import load_results
from ragtester.searching.suite import Suite, open_suite
from ragtester.searching.tagged import other_tags
from ragtester.settings import RetrievalSettings, Settings
from ragtester.stages.retrieval.answered import Answered
from ragtester.stages.retrieval.audit import Diagnoses
from ragtester.stages.retrieval.by_ranks import ByRanks
from ragtester.stages.retrieval.checks import Watch, same_texts, sound_chunks
from ragtester.stages.retrieval.configuration import as_executed
from ragtester.stages.retrieval.diagnosis import Diagnoser
from ragtester.stages.retrieval.foreign import ForeignTrace, foreign_items
from ragtester.stages.retrieval.held import HeldChunks
from ragtester.stages.retrieval.index_view import free_of_charge
from ragtester.stages.retrieval.items import Item
from ragtester.stages.retrieval.searched import Searched
from ragtester.stages.retrieval.staleness import state_of
from ragtester.stages.retrieval.targets import BY_TARGET, OwnChunks, is_target
from ragtester.storage import iter_rows
from ragtester.tables.cells import counted
from ragtester.tasks import Embedder, Models
from ragtester.workspace import Workspace


@dataclass
class Source:
    """Items and what they need. `indexed`: the index is ours. `planned` counts items. `text` gives a document's text.

    `items` may be asked once; `told` gives what is to be known once they are through.
    """

    settings: Settings
    documents: Mapping[str, Document]
    embeddings: Sequence[str]
    planned: int
    items: Callable[[], AsyncIterator[Item]]
    told: Callable[[], list[str]]
    watch: Watch
    diagnoser: Diagnoses
    suite: Suite | None = None
    executed: Manifest | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    ours: bool = True
    _text: tuple[str, str] | None = None

    @property
    def indexed(self) -> bool:
        """Whether the index is ours, and can be looked at."""
        return self.suite is not None and self.ours

    @property
    def path(self) -> RetrievalSettings:
        """What a query goes through."""
        return self.settings.execute.retrieval

    def text(self, document: Document) -> str:
        """The text that the document's offsets refer to; the last one stays in memory. Raises DataError."""
        if self.suite is None:
            return ""
        if self._text is None or self._text[0] != document.id:
            self._text = (document.id, self.suite.text(document))
        return self._text[1]


def from_answers(workspace: Workspace, settings: Settings, embedders: Callable[[str], Embedder]) -> Source:
    """The run's own traces. Raises UsageError for a run without answers, DataError for other texts."""
    run = settings.execute.run
    results = load_results(workspace, [run], settings.workspace.suite)
    info = results.runs[0]
    settings, changed = as_executed(settings, info.executed)
    settings = _with_suite(settings, info.suite)
    suite, places = _checked(workspace, settings)
    documents = {one.id: one for one in suite.documents}
    same_texts(run, info.executed, documents)
    answered = Answered(workspace, run, results, documents, places)
    watch = Watch(workspace, settings, documents)
    held = HeldChunks(workspace, run, documents.keys())
    groups = {(row.embedding, row.case_id) for row in results.open_book}
    ours = not is_target(info.executed)
    own_chunks = OwnChunks()

    async def items() -> AsyncIterator[Item]:
        seen: set[str] = set()
        for item in answered.items():
            if ours and item.document and item.document.id not in seen:
                seen.add(item.document.id)
                sound_chunks(run, item.document, suite.text(item.document), item.chunks)
            held.see(item)
            yield item if ours else own_chunks.of(item)
        held.finish()

    def told() -> list[str]:
        lines = [*results.notes, *changed, *_tags(suite, settings), *watch.notes()]
        lines += [
            f"{embedding}: LLMs saw different retrievals for {counted(count, 'query', 'queries')}; the first LLM's was "
            "taken."
            for embedding, count in sorted(answered.differing.items())
        ]
        return lines

    return Source(
        settings=settings,
        documents=documents,
        embeddings=list(dict.fromkeys(embedding for _, embedding in results.systems)),
        planned=len(groups),
        items=items,
        told=told,
        watch=watch,
        diagnoser=_diagnoser(workspace, settings, suite, embedders) if ours else BY_TARGET,
        suite=suite,
        ours=ours,
        executed=info.executed,
        inputs={**(info.executed.inputs if info.executed else {}), **state_of(workspace, run)},
    )


def from_search(
    workspace: Workspace,
    settings: Settings,
    models: Models,
    embedders: Callable[[str], Embedder],
    progress: Progress,
) -> Source:
    """The suite searched now, under every embedding model of the settings. Raises UsageError without cases."""
    if settings.target.name:
        raise UsageError(
            "--search: a target ([target] name) searches by itself; audit what its answers tell, without it"
        )
    suite, places = _checked(workspace, settings)
    documents = {one.id: one for one in suite.documents}
    watch = Watch(workspace, settings, documents)
    named = list(dict.fromkeys(name for group in settings.execute.groups for name in group.embeddings))
    alone = [] if settings.execute.retrieval.dense else [f"No arm asks an embedding model: {named[0]} stands for none."]
    embeddings = named if settings.execute.retrieval.dense else named[:1]
    searched = Searched(suite, settings, models, embedders, progress, places)
    return Source(
        settings=settings,
        documents=documents,
        embeddings=embeddings,
        planned=len(places) * len(embeddings),
        items=lambda: searched.items(embeddings),
        told=lambda: [*_tags(suite, settings), *alone, *watch.notes()],
        watch=watch,
        diagnoser=_diagnoser(workspace, settings, suite, embedders),
        suite=suite,
        inputs={f"text {one.id}": one.text_sha256 for one in suite.documents},
    )


def from_traces(workspace: Workspace, settings: Settings, traces: Sequence[ForeignTrace]) -> Source:
    """Another system's traces; where the workspace has a suite, queries that are its cases take their kind from it."""
    name = settings.workspace.suite
    rows = iter_rows(workspace.documents_file(name), DocumentRow)
    documents = {row.id: row for row in rows if isinstance(row, Document)}
    cases: dict[str, Case] = {}
    if documents:
        suite = open_suite(workspace, _with_suite(settings, name))
        cases = {case.id: case for document in suite.documents for case in suite.cases(document)}
    watch = Watch(workspace, settings, {})

    async def items() -> AsyncIterator[Item]:
        for item in foreign_items(traces, cases, documents):
            yield item

    return Source(
        settings=settings,
        documents=documents,
        embeddings=list(dict.fromkeys(one.trace.embedding for one in traces)),
        planned=len(traces),
        items=items,
        told=lambda: list(watch.notes()),
        watch=watch,
        diagnoser=ByRanks.of(traces),
    )


def _diagnoser(
    workspace: Workspace, settings: Settings, suite: Suite, embedders: Callable[[str], Embedder]
) -> Diagnoser:
    audit = settings.audit_retrieval
    return Diagnoser(
        workspace,
        settings,
        suite,
        near_duplicate=audit.near_duplicate,
        parse_similarity=audit.parse_similarity,
        embed=free_of_charge(embedders),
    )


def _tags(suite: Suite, settings: Settings) -> list[str]:
    note = other_tags(suite, settings.access)
    return [f"{note[0].upper()}{note[1:]}."] if note else []


def _with_suite(settings: Settings, suite: str) -> Settings:
    workspace = settings.workspace.model_copy(update={"suite": suite})
    execute = settings.execute.model_copy(update={"technique": "all"})
    return settings.model_copy(update={"workspace": workspace, "execute": execute})


def _checked(workspace: Workspace, settings: Settings) -> tuple[Suite, dict[str, int]]:
    """The suite, every file of it read and found sound, and the place of each case in it. Raises DataError."""
    suite = open_suite(workspace, settings)
    return suite, {name: at for at, name in enumerate(_asked(suite))}


def _asked(suite: Suite) -> Iterator[str]:
    for share in suite.check():
        yield from (case.id for case in share.cases if case.id in share.asked)

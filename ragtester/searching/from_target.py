"""What a target reveals of its search, in the place of a search of ours: contexts, traces and the chunks of the run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from ragtester.errors import DataError, UsageError
from ragtester.models.targets.looking import unreachable
from ragtester.models.targets.opening import check_target
from ragtester.rag.contexts import Context
from ragtester.rag.similarity import document_of
from ragtester.records import NO_CHUNKS, NO_CITATIONS, TARGET, Case, Chunk, Document, LeftOut, Retrieved, Trace
from ragtester.searching.reach import Reach
from ragtester.searching.revealed import Seen, Texts, gold_of
from ragtester.searching.stores import Asking
from ragtester.searching.suite import Suite
from ragtester.settings import Settings
from ragtester.storage import MAX_FAULTS, append_row, iter_rows, recover_tail, write_rows
from ragtester.tasks import Asked, ConflictsAnswered, QuestionAnswered, TargetAnswered
from ragtester.text.refusal import is_refusal

# Of the notes of a trace: what was not revealed, and how texts were found.
NO_IDS = "the target reveals no ids of its chunks"
NO_SCORES = "the target reveals no scores: 0 stands for each"


@dataclass
class FromTarget:
    """Keeps what a target returns. A chunk is on disk before the answer that names it."""

    settings: Settings
    suite: Suite
    _known: dict[str, set[str]] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self.texts = Texts(self.suite, self.settings.target.match)
        self._reach = Reach(self.settings, self.suite.documents)

    # As the retrieval side of a run

    def check(self, embeddings: Iterable[str]) -> None:  # noqa: ARG002 - as the protocol has it
        """Raise UsageError or MissingPackageError for a target that cannot be asked."""
        check_target(self.settings, self.suite.workspace.root)

    def stands(self, document: Document) -> bool:  # noqa: ARG002
        """What is kept is held against all rows: see `surveyed`."""
        return True

    def whole(self, documents: Iterable[Document], is_open: Callable[[Document], bool]) -> int | None:  # noqa: ARG002
        """Not known of another's index."""
        return None

    def stand(self, trace: Trace) -> None:
        """Take up the trace of a row that is on disk: its chunks stay."""
        self._used.update(trace.gold_ids, trace.context_ids)

    def surveyed(self, *, asks: bool) -> None:
        """Raise DataError where chunk files lack what answers name: only the target can give it again.

        And UsageError where nothing listens at its address, before hundreds of questions find that out one by one.
        """
        missing = sorted(name for name in self._used if name not in self._ids(document_of(name)))
        if missing:
            path = self._path(document_of(missing[0]))
            raise DataError(
                f"{path}: the file lacks chunks that answers of run {self.settings.execute.run} name, and only the "
                "target can give them again; delete the answers of this document, or choose another run name (--run)",
                [f"no chunk {name}" for name in missing[:MAX_FAULTS]],
            )
        if asks and (why := unreachable(self.settings)):
            raise UsageError(f"target.name: {why}; start the application, or mend the address")

    def load(self) -> None:
        """There is nothing to import."""

    async def begin(self, document: Document) -> None:
        """There is nothing to cut."""

    async def contexts(self, asking: Asking) -> list[Context]:
        """The questions with what is known before the target is asked."""
        return await self.nothing(asking)

    async def nothing(self, asking: Asking) -> list[Context]:
        """The same: evidence stands for the gold."""
        return [self._begun(asking.document, case) for case in asking.cases]

    async def settle(self, asking: Asking) -> None:
        """There is nothing to wait for."""

    async def close(self) -> None:
        """Bring the chunk files into order; chunks that no answer names any more are dropped."""
        strangers = self._has_strangers()
        for path in sorted(self.suite.workspace.answers(self.settings.execute.run).glob("chunks/*.jsonl")):
            rows: list[Chunk] = list(iter_rows(path, Chunk))
            kept = sorted(
                {one.id: one for one in rows if strangers or one.id in self._used}.values(),
                key=lambda one: (one.start, one.end, one.id),
            )
            if kept != rows:
                write_rows(path, kept)

    # What came back

    async def reveal(self, context: Context, asked: Asked[TargetAnswered]) -> tuple[Context, Asked[QuestionAnswered]]:
        """The context that a reply tells of, and its answer as any other; its chunks are on disk then."""
        reply, case = asked.reply, context.case
        if reply is None:
            return context, Asked(None, asked.call, asked.failure)
        async with self._turn:
            seen = await asyncio.to_thread(self.texts.see, case, reply.chunks or ())
        trace = self._trace(case, seen, self._evidence(self.texts.documents[case.document_id], case))
        update = {
            "index": reply.about.get("index", ""),
            "notes": (*_notes(reply, seen), *_origin(case, seen), *_about(reply)),
        }
        self._keep(one.chunk for one in seen)
        answered = ConflictsAnswered(
            answer=reply.answer,
            refuses=self._refuses(reply, case),
            cited=_cited(reply.cited or (), seen),
            left_out=tuple(
                LeftOut(id=name, reason=one.reason) for one in reply.left_out for name in _cited([one.id], seen)
            ),
        )
        return replace(context, trace=trace.model_copy(update=update)), Asked(answered, asked.call, asked.failure)

    def _begun(self, document: Document, case: Case) -> Context:
        """Nothing is retrieved yet; the evidence's own chunks are dropped at the end where no trace names them."""
        evidence = self._evidence(document, case)
        self._keep(evidence)
        return Context(case, self._trace(case, [], evidence))

    def _refuses(self, reply: TargetAnswered, case: Case) -> bool:
        """As the target says, else by the words of its answer."""
        if reply.refuses is not None:
            return reply.refuses
        return is_refusal(reply.answer, self.settings.execute.refusals, case.language)

    def _trace(self, case: Case, seen: list[Seen], evidence: list[Chunk]) -> Trace:
        gold = gold_of(case, seen, evidence)
        distinct = list({one.chunk.id: one for one in seen}.values())
        return Trace(
            query=case.question,
            user_tags=case.user_tags,
            index="",
            embedding=TARGET,
            k=len(distinct),
            retrieved=tuple(
                Retrieved(id=one.chunk.id, rank=rank, score=one.returned.score or 0.0, arm=TARGET)
                for rank, one in enumerate(distinct, start=1)
            ),
            gold_ids=gold,
            hidden_ids=gold if self._reach.hidden(case) else (),
            context_ids=tuple(one.chunk.id for one in distinct),
            context_characters=sum(len(one.chunk.text) for one in distinct),
        )

    def _evidence(self, document: Document, case: Case) -> list[Chunk]:
        return [] if case.type == "rejection" else self.texts.evidence(document, case.evidence)

    # On disk

    def _keep(self, chunks: Iterable[Chunk]) -> None:
        """Append the chunks that are not there yet."""
        for one in chunks:
            known = self._ids(one.document_id)
            if one.id not in known:
                append_row(self._path(one.document_id), one)
                known.add(one.id)

    def _ids(self, document_id: str) -> set[str]:
        """Ids of the chunks in a document's file, without a line that a kill cut short."""
        if document_id not in self._known:
            path = self._path(document_id)
            recover_tail(path)
            self._known[document_id] = {one.id for one in iter_rows(path, Chunk)}
        return self._known[document_id]

    def _path(self, document_id: str) -> Path:
        return self.suite.workspace.chunks_file(self.settings.execute.run, document_id)

    def _has_strangers(self) -> bool:
        """Whether answers of another target stand in the run: their chunks are in the same files."""
        own = self.suite.workspace.answers_file(self.settings.execute.run, self.settings.target.label, TARGET, "x")
        folders = self.suite.workspace.answers(self.settings.execute.run).glob("*/")
        return any(folder.name not in ("chunks", own.parent.name) for folder in folders)


def _cited(names: Iterable[str], seen: list[Seen]) -> tuple[str, ...]:
    """What a reply names, as ids of chunks: by the target's id, or all chunks of a document; others as they are."""
    by_id = {one.returned.id: [one.chunk.id] for one in seen if one.returned.id}
    by_document: dict[str, list[str]] = {}
    for one in seen:
        if one.returned.document:
            by_document.setdefault(one.returned.document, []).append(one.chunk.id)
    return tuple(dict.fromkeys(id_ for name in names for id_ in by_id.get(name) or by_document.get(name) or [name]))


def _about(reply: TargetAnswered) -> list[str]:
    """What the target says of itself beside its model and its index, which have places of their own."""
    told = [f"{name} = {value}" for name, value in reply.about.items() if name not in ("model", "index")]
    return [f"the target says of itself: {', '.join(told)}"] if told else []


def _origin(case: Case, seen: list[Seen]) -> list[str]:
    """Where the document that a cross-document question came from is within reach, it may well be answered."""
    if case.origin and any(one.chunk.document_id == case.origin.document_id and not one.lost for one in seen):
        return [f"the target also searches {case.origin.document_id}, which this question was made from"]
    return []


def _notes(reply: TargetAnswered, seen: list[Seen]) -> list[str]:
    """What the target did not reveal, and what of its texts was not found as it is."""
    if reply.chunks is None:
        return [NO_CHUNKS]
    notes = []
    if seen and not any(one.returned.id for one in seen):
        notes.append(NO_IDS)
    if seen and all(one.returned.score is None for one in seen):
        notes.append(NO_SCORES)
    if reply.cited is None:
        notes.append(NO_CITATIONS)
    if near := sum(one.near for one in seen):
        notes.append(f"{near} of {len(seen)} returned texts were found by likeness")
    if lost := sum(one.lost for one in seen):
        notes.append(f"{lost} of {len(seen)} returned texts stand in no document of the suite")
    return notes

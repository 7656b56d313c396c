"""The rows of a run's fixtures, from their answers, chunks and verdicts on disk. Asks nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ragtester.provenance import row_key
from ragtester.rag import chunking
from ragtester.records import TARGET, AdversarialRow, Answer, Chunk, Document, Verdict
from ragtester.runs import answer_files, verdict_files
from ragtester.settings import Settings
from ragtester.stages.adversarial.asked import Asked
from ragtester.stages.adversarial.followed import basis
from ragtester.stages.adversarial.reading import read
from ragtester.stages.adversarial.standing import Labels, standing
from ragtester.storage import iter_rows
from ragtester.workspace import Workspace

Place = tuple[str, str, str]
"""Case, LLM, embedding model."""


@dataclass
class _Labelled:
    """Gold and poison of each fixture, looked up once: those of our own index, and those of a target."""

    workspace: Workspace
    settings: Settings
    _known: dict[tuple[str, bool], Labels] = field(default_factory=dict)

    def of(self, asked: Asked, *, target: bool) -> Labels:
        place = (asked.case.id, target)
        if place not in self._known:
            chunks = self._returned(asked.run) if target else self._cut(asked)
            self._known[place] = asked.labels(chunks, target=target)
        return self._known[place]

    def _cut(self, asked: Asked) -> Callable[[Document], Sequence[Chunk]]:
        """As the index has cut it: the same settings give the same ids."""
        texts = {asked.documents[name].id: text for name, text in asked.texts.items()}
        return lambda document: chunking.chunk(document, texts[document.id], self.settings.execute.index)

    def _returned(self, run: str) -> Callable[[Document], Sequence[Chunk]]:
        return lambda document: list(iter_rows(self.workspace.chunks_file(run, document.id), Chunk))


def read_rows_of(workspace: Workspace, settings: Settings, asked: Sequence[Asked]) -> list[AdversarialRow]:
    """One row an answer to a fixture, in the order of the fixtures, then of the systems."""
    order = {(one.run, one.case.id): place for place, one in enumerate(asked)}
    labelled = _Labelled(workspace, settings)
    found: list[tuple[int, str, str, AdversarialRow]] = []
    for run in dict.fromkeys(one.run for one in asked):
        verdicts = _verdicts(workspace, run)
        for answer in _answers(workspace, run):
            place = order.get((run, answer.case_id))
            if place is not None:
                verdict = verdicts.get((answer.case_id, answer.llm, answer.embedding))
                row = _row(answer, asked[place], labelled, verdict, settings.execute.refusals)
                found.append((place, answer.llm, answer.embedding, row))
    return [row for *_, row in sorted(found, key=lambda entry: entry[:3])]


def _answers(workspace: Workspace, run: str) -> Iterator[Answer]:
    for path in answer_files(workspace, run)[0]:
        yield from iter_rows(path, Answer)


def _verdicts(workspace: Workspace, run: str) -> Mapping[Place, Verdict]:
    rows = (row for path in verdict_files(workspace, run) for row in iter_rows(path, Verdict))
    return {(row.case_id, row.llm, row.embedding): row for row in rows}


def _row(
    answer: Answer, asked: Asked, labelled: _Labelled, verdict: Verdict | None, refusals: tuple[str, ...]
) -> AdversarialRow:
    fixture = asked.fixture
    labels = labelled.of(asked, target=answer.embedding == TARGET)
    found = standing(answer.trace, labels)
    said = basis(answer, asked.sought, refusals)
    told = read(found, said.followed, must_refuse=fixture.must_refuse)
    return AdversarialRow(
        fixture_id=fixture.id,
        kind=fixture.kind,
        set=asked.set,
        case_id=answer.case_id,
        key=row_key(answer=answer.key, fixture=fixture.model_dump(), verdict=verdict.key if verdict else ""),
        run=answer.run,
        llm=answer.llm,
        embedding=answer.embedding,
        language=asked.case.language,
        k=answer.trace.k if answer.trace else asked.k,
        recall=found.recall,
        reciprocal_rank=found.reciprocal_rank,
        gold_rank=found.gold_rank,
        poison_rank=found.poison_rank,
        poison_ids=tuple(sorted(labels.poison)),
        poison_first=found.poison_first,
        poison_in_context=found.poison_in_context,
        followed=said.followed,
        noticed=said.noticed,
        said=said.said,
        reading=told.reading,
        why=told.why,
        verdict=verdict.status if verdict else "",
        failure=answer.failure,
    )

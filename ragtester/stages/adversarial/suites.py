"""Fixtures as a suite of their own, so that every stage works on them as on any other: documents, texts, cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragtester import fixtures
from ragtester.access import OWN_KEY, may_see
from ragtester.documents.language import UNKNOWN, detect
from ragtester.documents.library import CorpusFile, read_corpus
from ragtester.errors import ChangedInputsError, DataError
from ragtester.fixtures import CASE_FILE, Loaded
from ragtester.provenance import begin_manifest, end_manifest, row_key
from ragtester.records import Case, Document, Evidence, Fixture, Ledger, Manifest, Span, UnreadableDocument
from ragtester.runs import fixtures_run
from ragtester.settings import AccessRule, AccessSettings, Settings
from ragtester.spans import pages_of
from ragtester.stages.adversarial.asked import Asked
from ragtester.storage import read_json, write_json, write_rows, write_text
from ragtester.text.page import Page
from ragtester.workspace import Workspace, slug

TECHNIQUE = "adversarial"
MADE_BY = "fixture"


def suite_name(set_name: str) -> str:
    """The suite of a set."""
    return f"{TECHNIQUE}-{set_name}"


def technique_name(k: int | None) -> str:
    """The technique of the fixtures with a K of their own; None: those with the run's K."""
    return TECHNIQUE if k is None else f"{TECHNIQUE}-k{k}"


def read_set(loaded: Sequence[Loaded], settings: Settings) -> list[Asked]:
    """The fixtures of one set with their texts and places. Raises DataError with every fault of the documents."""
    files = [
        CorpusFile(path, f"{slug(one.fixture.id)}/{slug(name)}{path.suffix}", "manual", document_id(one.fixture, name))
        for one in loaded
        for name, path in one.documents.items()
    ]
    texts: dict[str, tuple[Document, str]] = {}
    faults: list[str] = []
    for file, read in zip(files, read_corpus(files, settings.reading), strict=True):
        if isinstance(read, UnreadableDocument):
            faults.append(f"{file.path}: {read.failure.message}")
        else:
            texts[file.id] = read
    asked = [] if faults else [_asked(one, texts, settings, faults) for one in loaded]
    if faults:
        raise DataError(f"{len(faults)} fault(s) in the documents of fixtures; mend them", faults)
    return asked


def document_id(fixture: Fixture, name: str) -> str:
    """The id in the suite of a fixture's document."""
    return fixtures.document_id(fixture.id, name)


def _asked(one: Loaded, read: Mapping[str, tuple[Document, str]], settings: Settings, faults: list[str]) -> Asked:
    fixture = one.fixture
    own_tag = f"{OWN_KEY}:{slug(fixture.id)}"
    documents, texts = {}, {}
    for name in one.documents:
        document, text = read[document_id(fixture, name)]
        tags = tuple(sorted({own_tag, *fixture.document_tags.get(name, ())}))
        documents[name], texts[name] = document.model_copy(update={"tags": tags}), text
    user = tuple(sorted({own_tag, *fixture.user_tags}))
    spans = _spans(fixture, documents, texts, user)
    if fixture.relevant_text and not fixture.must_refuse and not any(spans.values()):
        faults.append(f"{one.folder / CASE_FILE}: relevantText: stands in no relevant document as it was read")
    return Asked(
        fixture=fixture,
        set=one.set,
        case=_case(fixture, documents, spans, user, settings),
        documents=documents,
        texts=texts,
        spans=spans,
        run=fixtures_run(settings.execute.run, one.set, fixture.k),
        k=fixture.k or settings.execute.k,
    )


def _spans(
    fixture: Fixture, documents: Mapping[str, Document], texts: Mapping[str, str], user: tuple[str, ...]
) -> dict[str, tuple[Span, ...]]:
    """The passages with the answer in each relevant document that the user may see; the whole text without passages."""
    found: dict[str, tuple[Span, ...]] = {}
    for name in () if fixture.must_refuse else fixture.relevant_ids:
        if not may_see(documents[name].tags, user):
            continue
        if fixture.relevant_text:
            page = Page(texts[name])
            places = [hit[0] for text in fixture.relevant_text if (hit := page.find(text)) is not None]
            found[name] = tuple(Span(start=start, end=end) for start, end in places)
        else:
            found[name] = (Span(start=0, end=len(texts[name])),)
    return found


def _case(
    fixture: Fixture,
    documents: Mapping[str, Document],
    spans: Mapping[str, tuple[Span, ...]],
    user: tuple[str, ...],
    settings: Settings,
) -> Case:
    """The case belongs to the first document with a passage; one that must be refused to the first document."""
    home = next((name for name, held in spans.items() if held), next(iter(documents)))
    document, technique = documents[home], technique_name(fixture.k)
    language = fixture.language or _language(document, fixture)
    refused = fixture.must_refuse
    return Case(
        id=f"{document.id}/{technique}/{slug(fixture.id)}",
        key=row_key(question=fixture.question, language=language, refused=refused, user=user, gold=_places(spans)),
        document_id=document.id,
        document_sha256=document.sha256,
        technique=technique,
        type="rejection" if refused else "baseline",
        subtype=fixture.kind,
        language=language,
        question=fixture.question,
        expected_answer=settings.execute.refusals[0] if refused else fixture.expected_answer,
        keywords=() if refused else fixture.keywords,
        evidence=tuple(
            Evidence(start=span.start, end=span.end, pages=pages_of(span.start, span.end, document.page_starts))
            for span in spans.get(home, ())
        ),
        user_tags=user,
        model=MADE_BY,
        prompt_sha256="",
    )


def _places(spans: Mapping[str, tuple[Span, ...]]) -> dict[str, list[tuple[int, int]]]:
    return {name: [(span.start, span.end) for span in held] for name, held in spans.items()}


def _language(document: Document, fixture: Fixture) -> str:
    found = detect(f"{fixture.question}\n{fixture.expected_answer}")
    return found if document.language == UNKNOWN else document.language


def set_hashes(asked: Iterable[Asked]) -> dict[str, str]:
    """One hash a fixture over what its answers depend on; what is expected of them may be mended at any time."""
    return {
        f"fixture {one.fixture.id}": row_key(
            case=one.case.key,
            k=one.fixture.k,
            documents={name: [document.text_sha256, document.tags] for name, document in one.documents.items()},
        )
        for one in asked
    }


def refuse_changed(
    workspace: Workspace, suite: str, hashes: Mapping[str, str], runs: Iterable[str], *, overwrite: bool
) -> None:
    """Stop before files of a suite are replaced that answers were made from. Raises ChangedInputsError."""
    made = read_json(workspace.suite(suite) / "manifest.json", Manifest)
    answered = [run for run in runs if (workspace.answers(run) / "manifest.json").is_file()]
    if made is None or overwrite or not answered:
        return
    changed = [name for name, digest in hashes.items() if made.inputs.get(name) not in (None, digest)]
    gone = [name for name in made.inputs if name not in hashes]
    new = [name for name in hashes if name not in made.inputs]
    if changed or gone or new:
        told = [
            f"{word} {', '.join(one.partition(' ')[2] for one in names[:3])}{', …' if len(names) > 3 else ''}"
            for word, names in (("changed:", changed), ("gone:", gone), ("new:", new))
            if names
        ]
        raise ChangedInputsError(
            f"run {answered[0]}: its fixtures were others ({'; '.join(told)}), and all fixtures of a set share one "
            "index. Choose another run name (--run), keep new fixtures in a folder of their own, or ask all of them "
            "again with --overwrite"
        )


def write_suite(workspace: Workspace, suite: str, asked: Sequence[Asked], hashes: Mapping[str, str], seed: int) -> None:
    """Write documents.jsonl, the texts and the cases; what an earlier set left is taken away."""
    folder = workspace.suite(suite)
    facts: dict[str, Any] = {"inputs": dict(hashes), "seed": seed}
    manifest = begin_manifest(TECHNIQUE, suite, models={}, **facts)
    by_file: dict[Path, list[Case]] = {}
    for one in asked:
        for name, document in one.documents.items():
            write_text(workspace.text_file(suite, document.id), [one.texts[name]])
        case = one.case
        by_file.setdefault(workspace.cases_file(suite, case.technique, case.document_id), []).append(case)
    write_rows(workspace.documents_file(suite), [d for one in asked for d in one.documents.values()])
    for path, cases in by_file.items():
        write_rows(path, cases)
    for path in folder.glob("*/*.jsonl"):
        if path not in by_file:
            path.unlink()
    ledger = Ledger(planned=len(asked), ok=len(asked))
    write_json(folder / "manifest.json", end_manifest(manifest, ledger=ledger))


def own_settings(settings: Settings, asked: Sequence[Asked], same: Asked) -> Settings:
    """The run's settings for the fixtures that are asked as `same` is: their suite, run and K, one index for all.

    The tags of the documents stand as access rules there, so that no stage takes them for those of older rules.
    """
    index = settings.execute.index.model_copy(update={"scope": "corpus"})
    path = settings.execute.retrieval.model_copy(update={"filter_mode": "pre"})
    execute = {"run": same.run, "technique": same.case.technique, "k": same.k, "index": index, "retrieval": path}
    documents = (document for one in asked for document in one.documents.values())
    rules = tuple(AccessRule(path=document.path, tags=document.tags) for document in documents)
    return settings.model_copy(
        update={
            "workspace": settings.workspace.model_copy(update={"suite": suite_name(same.set)}),
            "execute": settings.execute.model_copy(update={**execute, "closed_book": False}),
            "access": AccessSettings(documents=rules),
        }
    )

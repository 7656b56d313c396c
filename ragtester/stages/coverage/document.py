"""The result of an output audit as sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragtester.records import TARGET, CoverageGroup, CoverageResult
from ragtester.stages.coverage.figures import NO_DOCUMENT
from ragtester.stages.means import mean_cell
from ragtester.stages.proportions import rate_cell, rate_text
from ragtester.tables import Cell, Document, Paragraph, Section, Table
from ragtester.tables.cells import counted, show
from ragtester.tables.names import JOIN

SHOWN = 10
_NOT_TOLD = {
    "answer": "the answer's words (so nothing about claims and contradictions)",
    "results": "what its searches brought (so nothing at all)",
    "citations": "what the answer cites (so no coverage)",
    "texts": "the texts of all results (contradictions are looked for in those that are told)",
}


def coverage_document(result: CoverageResult, *, full: bool = False) -> Document:
    """What `ragtester audit coverage` prints; `full` has every group and chunk."""
    sections = (
        Section("coverage", "What do the answers account for?", (*_said(result), *_tables(result))),
        Section("clusters", "Where are contradictions hidden?", tuple(_clusters(result, full=full))),
        Section("account", "Account", tuple(Paragraph(text) for text in _account(result))),
    )
    return Document(f"Output audit of run {result.run}", sections)


def _said(result: CoverageResult) -> Iterator[Paragraph]:
    yield Paragraph(_reporting(result), answer=True)
    yield from (Paragraph(f"{text}.") for text in result.clusters)
    yield from (Paragraph(text) for text in _advice(result))
    yield Paragraph(_accounts(result), answer=True)
    if result.silent.n:
        share = show(mean_cell(result.silent_share))
        yield Paragraph(
            f"Silent exclusions: {rate_text(result.silent)} of the answers leave out a result and neither they nor the "
            f"trace say why; on average {share} of an answer's results.{_reasons(result)}"
        )
    if result.padded.n:
        yield Paragraph(
            f"Padding: {rate_text(result.padded)} of the answers cite a result that supports none of their claims; "
            "such ids count in coverage, and not in supported coverage."
        )
    if result.mentioned.n:
        yield Paragraph(
            f"{rate_text(result.mentioned)} of the contradictions between a claim and a retrieved chunk are mentioned."
        )


def _reasons(result: CoverageResult) -> str:
    asked = "[execute] surface_conflicts = true asks the system for reasons"
    if result.systems and all(one.name.endswith(f"{JOIN}{TARGET}") for one in result.systems):
        asked = "[target] left_out reads reasons from the application's replies"
    return f" {asked}." if result.source == "answers" and result.silent.successes else ""


def _reporting(result: CoverageResult) -> str:
    """The sentence that coverage is measured for: what a check of single claims cannot see."""
    hiding, faithful = result.hiding, result.faithful_hiding
    if not hiding.n:
        return "Whether answers hide contradicting results cannot be said: no answer's claims could be looked at."
    text = f"{rate_text(hiding)} do not mention a retrieved chunk that contradicts them"
    context = result.hiding_in_context
    if hiding.successes and context is not None and context.n:
        had = context.successes
        text += f"; in {had} of these {hiding.successes} the model had such a chunk before it" + (
            ", in the others the search cut it off" if had < hiding.successes else ""
        )
    if faithful is None or not faithful.n:
        return f"Of the answers, {text}."
    if not faithful.successes:
        return f"Of the answers, {text}. None of the {faithful.n} answers whose every claim is supported hides one."
    return (
        f"Reporting failure: {rate_text(faithful)} of the answers whose every claim is supported by what they cite "
        "hide a retrieved chunk that says otherwise; a check of single claims finds nothing wrong with them. Of all "
        f"answers, {text}."
    )


def _advice(result: CoverageResult) -> Iterator[str]:
    """What to do about hidden contradictions, by whether the model had them before it."""
    hiding, context = result.hiding.successes, result.hiding_in_context
    if not hiding:
        return
    yield (
        "Read the chunks below first: not every contradiction must be told, and an answer from the version in force is "
        "right."
    )
    if result.source == "answers" and context is not None and context.successes:
        yield (
            "Where the model had the chunk, ask for it: ragtester audit coverage --ab tells whether an instruction to "
            "surface contradicting evidence mends that."
        )
    if context is not None and context.n and context.successes < hiding:
        yield (
            "Where the search cut it off, no prompt will mend that: rerank, give the model more chunks, or filter what "
            "is out of date."
        )


def _accounts(result: CoverageResult) -> str:
    if not result.coverage.n:
        return "Coverage cannot be said: no answer tells what it cites of what it saw."
    text = f"An answer cites {show(mean_cell(result.coverage))} of what its searches brought"
    supported = result.supported_coverage
    if supported.n and supported != result.coverage:
        text += f"; only {show(mean_cell(supported))} with results that support a claim"
    elif supported.n:
        text += ", all with results that support a claim"
    if result.context_coverage.n:
        text += f"; of what the model had before it, {show(mean_cell(result.context_coverage))}"
    return text + "."


def _tables(result: CoverageResult) -> Iterator[Table]:
    yield _groups("coverage-by-system", "By system", "system", result.systems)
    if len(result.types) > 1:
        yield _groups("coverage-by-type", "By case type", "case type", result.types)


def _groups(name: str, title: str, first: str, groups: Sequence[CoverageGroup], notes: tuple[str, ...] = ()) -> Table:
    columns = (first, "answers", "coverage", "supported", "silent", "hiding", "padded", "mentioned")
    rows = tuple(_row(one) for one in groups)
    return Table(name, title, columns, rows, notes).without_empty(*columns[2:])


def _row(one: CoverageGroup) -> tuple[Cell, ...]:
    rates = (one.silent, one.hiding, one.padded, one.mentioned)
    means = (mean_cell(one.coverage), mean_cell(one.supported_coverage))
    return (one.name, one.answers, *means, *(rate_cell(share) for share in rates))


def _clusters(result: CoverageResult, *, full: bool) -> Iterator[Paragraph | Table]:
    if not result.hiding.successes:
        looked = (
            "No answer hides a contradiction that was found." if result.hiding.n else "That could not be looked at."
        )
        yield Paragraph(looked)
        return
    shown = result.documents if full else tuple(one for one in result.documents if one.hiding.successes)[:SHOWN]
    notes = () if len(shown) == len(result.documents) else (f"{len(shown)} of {len(result.documents)} documents",)
    if any(one.name != NO_DOCUMENT for one in result.documents):
        yield _groups("coverage-by-document", "By document, those that hide most first", "document", shown, notes)
    chunks = result.hidden_chunks if full else result.hidden_chunks[:SHOWN]
    rows = tuple((one.chunk_id, one.answers, one.claim, one.reason) for one in chunks)
    more = () if len(chunks) == len(result.hidden_chunks) else (f"{len(chunks)} of {len(result.hidden_chunks)} chunks",)
    title = "Chunks that contradict answers which do not mention them"
    yield Table("hidden-chunks", title, ("chunk", "answers", "a claim", "why"), rows, more)


def _account(result: CoverageResult) -> Iterator[str]:
    ledger = result.ledger
    measured = ledger.ok - result.abstained - result.no_results
    yield (
        f"{counted(ledger.planned, 'answer')} = {measured} measured + {result.abstained} abstained + "
        f"{result.no_results} without any result + {ledger.failed} failed + {ledger.skipped} still open. Only "
        "measured ones are in rates and means."
    )
    if result.judge:
        checked = f"{counted(result.checked, 'check')} of a claim against chunks by {result.judge}"
        more = f"{result.left_unchecked:,} more {'was' if result.left_unchecked == 1 else 'were'}"
        saved = f"; {more} left out, for chunk and claim share no subject"
        yield checked + (saved if result.left_unchecked else "") + "."
    if result.judge.startswith("embedded:"):
        yield (
            f"{result.judge} checks claims by rule: it is no language model, and docs/claims-engine.md has its error "
            "rate."
        )
    if result.unknown_citations:
        told = counted(result.unknown_citations, "answer")
        yield f"Cite an id that was in no result: {told}; such ids count nowhere."
    for name, count in result.not_told.items():
        yield f"Not told in {counted(count, 'answer')}: {_NOT_TOLD.get(name, name)}."
    if len(result.served_judges) > 1:
        yield f"The judge was served by {len(result.served_judges)} models: {', '.join(result.served_judges)}."
    yield from (note if note.endswith(".") else f"{note}." for note in result.notes)

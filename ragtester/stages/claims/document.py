"""The audit's result as sentences and tables: clusters first, then every group with its counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ragtester.records import ClaimCounts, ClaimsResult, ContradictedClaim
from ragtester.stages.claims.words import advice_sentences, basis_sentences, cluster_sentences, rate_sentences
from ragtester.stages.proportions import rate_cell
from ragtester.tables import Cell, Document, Paragraph, Section, Table
from ragtester.tables.cells import counted
from ragtester.text.normalise import fold

SHOWN = 20
"""Rows of a table that may be long; result.json and claims.jsonl hold all."""
_COUNTS = ("claims", "contradicted [95 %]", "unsupported [95 %]", "supported", "not checked")


def claims_document(result: ClaimsResult, *, full: bool = False) -> Document:
    """What `ragtester audit claims` prints and result.md holds; `full`: every row of every table."""
    shown = None if full else SHOWN
    first = Section("clusters", "Where do bad claims come from?", _paragraphs(cluster_sentences(result)))
    said = _paragraphs([*rate_sentences(result), *advice_sentences(result), *basis_sentences(result)])
    verdicts = Section("verdicts", "What bears the claims out?", (*said, *_verdicts(result)))
    sections = [first, verdicts]
    if result.cited.sent:
        sections += [Section("groups", "Which claims?", tuple(_groups(result, shown)))]
        sections += [Section("contradicted", "Contradicted claims", _contradicted(result.contradicted, shown))]
    return Document(f"Claims of run {result.run}, checked by {result.judge}", tuple(sections))


def _paragraphs(texts: Iterable[str]) -> tuple[Paragraph, ...]:
    return tuple(Paragraph(text) for text in texts)


def _verdicts(result: ClaimsResult) -> Iterator[Table]:
    if not result.cited.sent:
        return
    columns = (result.cited, result.context)
    yield Table("verdicts", "Verdicts of all claims sent", ("by", *_COUNTS), tuple(map(_row, columns)))
    rows = tuple((one.cited or "not checked", one.context or "not checked", one.claims) for one in result.cross)
    yield Table(
        "cross", "By what it cites, and by the whole context", ("by cited chunks", "by whole context", "claims"), rows
    )


def _row(counts: ClaimCounts) -> tuple[Cell, ...]:
    return (
        counts.name,
        counts.sent,
        rate_cell(counts.contradicted_rate),
        rate_cell(counts.unsupported_rate),
        counts.supported,
        counts.ungraded,
    )


def _groups(result: ClaimsResult, shown: int | None) -> Iterator[Table]:
    """The tables by group, worst first; of questions and keywords those that hold anything bad or unchecked."""
    keywords = [one.model_copy(update={"name": one.text or one.name}) for one in result.keywords]
    named: tuple[tuple[str, str, str, Sequence[ClaimCounts], bool], ...] = (
        ("questions", "By question", "question", result.questions, True),
        ("keywords", "By keyword of the case", "keyword", keywords, True),
        ("values", "By kind of value in the claim", "value", result.values, False),
        ("documents", "By document of the chunks cited", "document", result.documents, False),
        ("types", "By case type", "case type", result.types, False),
        ("systems", "By system", "system", result.systems, False),
    )
    for name, title, first, groups, bad_only in named:
        some = [one for one in groups if one.supported < one.sent] if bad_only and shown else groups
        if some:
            yield _table(name, title, first, (some[:shown], len(groups)))


def _table(name: str, title: str, first: str, groups: tuple[Sequence[ClaimCounts], int]) -> Table:
    """One table of the groups that are shown, and how many there are; what ids of questions stand for comes last."""
    some, of = groups
    notes = (f"{len(some)} of {of}, the worst; result.json lists all",) if len(some) < of else ()
    rows = [_row(one) for one in some]
    if name != "questions":
        return Table(name, title, (first, *_COUNTS), tuple(rows), notes).without_empty(_COUNTS[-1])
    long = [(*row, one.text) for row, one in zip(rows, some, strict=True)]
    return Table(name, title, (first, *_COUNTS, "what was asked"), tuple(long), notes).without_empty(_COUNTS[-1])


def _contradicted(found: Sequence[ContradictedClaim], shown: int | None) -> tuple[Paragraph | Table, ...]:
    """Each claim once, whichever systems make it of the question in the same words."""
    if not found:
        return (Paragraph("None."),)
    same: dict[tuple[str, str], list[ContradictedClaim]] = {}
    for one in found:
        same.setdefault((one.case_id, fold(one.claim)), []).append(one)
    some = list(same.values())[:shown]
    every = counted(len(found), "claim")
    told = f"{len(some)} of {len(same)} different ones, {every} in all; claims.jsonl holds every one"
    columns = ("question", "system", "claim", "why", "chunks")
    rows = tuple(_example(own) for own in some)
    notes = (told,) if len(some) < len(found) else ()
    return (Table("contradicted", "The claims, and what contradicts them", columns, rows, notes, whole_names=True),)


def _example(own: Sequence[ContradictedClaim]) -> tuple[Cell, ...]:
    one, more = own[0], len(own) - 1
    system = f"{one.llm} × {one.embedding}" + (f" and {more} more" if more else "")
    return f"{one.case_id}.{one.claim_id}", system, one.claim, one.reason, ", ".join(one.chunk_ids)

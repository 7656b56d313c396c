"""The audit's result as sentences and tables: clusters first, then every group with its counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ragtester.records import ClaimCounts, ClaimsResult, ContradictedClaim
from ragtester.stages.claims.words import advice_sentences, basis_sentences, cluster_sentences, rate_sentences
from ragtester.stages.proportions import rate_cell
from ragtester.tables import Cell, Document, Paragraph, Section, Table

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
    """The tables by group, worst first; none of groups that have nothing to show."""
    yield _table("questions", "By question", "question", result.questions, shown, texts="what was asked")
    named: tuple[tuple[str, str, str, Sequence[ClaimCounts]], ...] = (
        ("keywords", "By keyword of the case", "keyword", [_spelled(one) for one in result.keywords]),
        ("values", "By kind of value in the claim", "value", result.values),
        ("documents", "By document of the chunks cited", "document", result.documents),
        ("types", "By case type", "case type", result.types),
        ("systems", "By system", "system", result.systems),
    )
    for name, title, first, groups in named:
        table = _table(name, title, first, groups, shown)
        if table.rows:
            yield table


def _spelled(counts: ClaimCounts) -> ClaimCounts:
    return counts.model_copy(update={"name": counts.text or counts.name})


def _table(
    name: str, title: str, first: str, groups: Sequence[ClaimCounts], shown: int | None, *, texts: str = ""
) -> Table:
    """One table; of a long one only groups that hold a bad or unchecked claim, and only the worst of these."""
    some = list(groups)
    if shown is not None and len(some) > shown:
        some = [one for one in groups if one.supported < one.sent][:shown]
    notes = (f"{len(some)} of {len(groups)}, the worst; result.json lists all",) if len(some) < len(groups) else ()
    rows = [_row(one) for one in some]
    if not texts:
        return Table(name, title, (first, *_COUNTS), tuple(rows), notes)
    long = [(*row, one.text) for row, one in zip(rows, some, strict=True)]
    return Table(name, title, (first, *_COUNTS, texts), tuple(long), notes)


def _contradicted(found: Sequence[ContradictedClaim], shown: int | None) -> tuple[Paragraph | Table, ...]:
    if not found:
        return (Paragraph("None."),)
    some = found[:shown]
    notes = (f"{len(some)} of {len(found)}; claims.jsonl holds all",) if len(some) < len(found) else ()
    columns = ("question", "system", "claim", "why", "chunks")
    rows = tuple(
        (
            f"{one.case_id}.{one.claim_id}",
            f"{one.llm} × {one.embedding}",
            one.claim,
            one.reason,
            ", ".join(one.chunk_ids),
        )
        for one in some
    )
    return (Table("contradicted", "The claims, and what contradicts them", columns, rows, notes, whole_names=True),)

"""Joined rows made by hand for the tests of the comparison: only what a test speaks of is named."""

from __future__ import annotations

from typing import Any

from ragtester.records import Case, Document, Evidence, Ratings
from ragtester.results import Result, Results, RunInfo
from tests import builders

RUN, SUITE = "main", "suite"


def ratings(**values: Any) -> Ratings:
    """Five ratings, true where nothing else is said."""
    names = ("faithfulness", "relevance", "completeness", "clarity", "keyword_match")
    return Ratings(**{name: values.get(name, "true") for name in names})


def row(case_id: str, status: Any = "fail", **values: Any) -> Result:
    """One row of the run `main`; a row of the control where the embedding is "none"."""
    values.setdefault("embedding", "e:x")
    run = RUN + ".closed-book" if values["embedding"] == "none" else RUN
    known: dict[str, Any] = {
        "run": run,
        "document_id": "doc",
        "source": "manual",
        "technique": "ragtester",
        "type": "complexity",
        "subtype": "",
        "language": "en",
        "llm": "m:a",
        "gold": 1,
        "gold_seen": 1,
        "ratings": ratings() if status in ("pass", "fail") else None,
        "decided_by": "mean",
    }
    return Result(case_id=case_id, status=status, **(known | values))


def case(case_id: str, spans: tuple[tuple[int, int], ...] = (), **values: Any) -> Case:
    """A case of the suite with its evidence spans, all on page 1 unless `pages` says otherwise."""
    pages = values.pop("pages", (1,))
    evidence = tuple(Evidence(start=start, end=end, pages=pages) for start, end in spans)
    return builders.case(case_id, **{"evidence": evidence, **values})


def document(name: str = "doc", characters: int = 1000, pages: int = 2) -> Document:
    """A document of the suite."""
    return builders.document(name, characters=characters, page_starts=tuple(range(pages)))


def results(rows: list[Result], cases: list[Case] | None = None, documents: list[Document] | None = None) -> Results:
    """A joined view of these rows; runs are those that the rows name."""
    names = dict.fromkeys(one.run for one in rows) or {RUN: None}
    return Results(
        runs=[RunInfo(name, SUITE, None, None) for name in names],
        cases={(SUITE, one.id): one for one in cases or []},
        documents={(SUITE, one.id): one for one in documents or []},
        rows=rows,
    )

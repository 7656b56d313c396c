"""Any set of rows can be compared: nothing raises, nothing is lost, every format can be written."""

from __future__ import annotations

import io
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from ragtester.results import Result
from ragtester.stages.compare import brief, compare
from ragtester.tables import PValue, Rate, Table
from ragtester.tables.csv_files import csv_files
from ragtester.tables.json_text import json_text
from ragtester.tables.latex import latex
from ragtester.tables.markdown import markdown
from ragtester.tables.terminal import print_document
from tests.compare_rows import results, row
from tests.test_tables import latex_faults


@st.composite
def any_rows(draw: st.DrawFn) -> list[Result]:
    """Rows of up to four systems; cells of the matrix, techniques, sources, judges and grades as they come."""
    cases = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=6))
    rows = []
    for llm in ("m:a", "n:b"):
        for embedding in ("e:x", "e:y"):
            for number, (document, technique, kind) in enumerate(cases):
                status = draw(st.sampled_from(["pass", "fail", "ungraded", "missing", None]))
                if status is None:
                    continue  # this system was not asked this case
                values: dict[str, Any] = {
                    "llm": llm,
                    "embedding": embedding,
                    "document_id": f"doc-{document}",
                    "source": ("manual", "generated", "")[document],
                    "technique": ("ragtester", "baseline")[technique],
                    "type": ("rejection", "coverage")[kind],
                    "judge": draw(st.sampled_from(["j:j", "k:k"])) if status in ("pass", "fail") else "",
                    "outcome": "answered" if status in ("pass", "fail") else None,
                    "cost": draw(st.sampled_from([None, 0.0, 0.5])),
                    "seconds": draw(st.sampled_from([None, 1.5])),
                }
                rows.append(row(f"case-{number}", status, **values))
    return rows


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(any_rows().filter(bool))
def test_any_rows_can_be_compared(rows: list[Result]) -> None:
    document = compare(results(rows))
    failed = sum(row.status == "fail" for row in rows)
    graded = sum(row.graded for row in rows)
    ledger = document.table("ledger").rows
    assert sum(cell for line in ledger if isinstance(cell := line[2], int)) == len(rows)
    assert _sum(document.table("ledger"), 4) == (failed, graded)
    if graded:
        assert _sum(document.table("by-type"), 2) == (failed, graded)
    for name in ("matrix", "by-llm", "by-embedding", "by-provider"):
        table = document.table(name)
        whole = [place for place, column in enumerate(table.columns) if column in ("ragtester", "baseline")]
        body = [line for line in table.rows if line[0] != "total"]
        counts = [_sum(Table("t", "t", table.columns, tuple(body)), place) for place in whole]
        assert (sum(count for count, _ in counts), sum(n for _, n in counts)) == (failed, graded)
    for table in document.tables:
        places = [place for place, column in enumerate(table.columns) if column == "p (Holm)"]
        for line in table.rows:
            for place in places:
                single, corrected = line[place - 1], line[place]
                if isinstance(single, PValue) and isinstance(corrected, PValue):
                    assert single.value <= corrected.value
    json.loads(json_text(document), parse_constant=_refuse)
    assert latex_faults(latex(document)) == []
    assert "| --- |" in markdown(document)
    assert len(csv_files(document)) == len(list(document.tables)) + 1
    for one in (document, brief(document)):
        print_document(one, Console(width=60, file=io.StringIO()))


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} in JSON")


def _sum(table: Table, place: int) -> tuple[int, int]:
    rates = [line[place] for line in table.rows]
    known = [rate for rate in rates if isinstance(rate, Rate)]
    return sum(rate.successes for rate in known), sum(rate.n for rate in known)

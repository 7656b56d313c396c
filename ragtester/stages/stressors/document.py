"""What came of generating fixtures, as a sentence and a table."""

from __future__ import annotations

from ragtester.progress import StageResult
from ragtester.tables import Document, Paragraph, Section, Table


def stressors_document(result: StageResult) -> Document:
    """What `ragtester adversarial --generate` prints before the fixtures are asked: one row a kind."""
    ledger, kinds = result.ledger, result.counts["kinds"]
    said = (
        f"{ledger.planned} fixtures planned = {ledger.ok} made + {ledger.failed} failed + {ledger.skipped} skipped "
        f"+ {ledger.unfilled} unfilled."
    )
    rows = tuple(
        (
            kind,
            *(one[name] for name in ("planned", "ok", "failed", "skipped", "unfilled")),
            ", ".join(f"{count} {name}" for name, count in one["reasons"].items()) or "-",
        )
        for kind, one in kinds.items()
    )
    columns = ("kind", "planned", "made", "failed", "skipped", "unfilled", "reasons")
    note = (
        "skipped: the case has nothing that this kind could change or ask; unfilled: what was made did not hold what "
        "was measured; rows.jsonl says why for each"
    )
    table = Table("fixtures", "Generated fixtures", columns, rows, (note,))
    return Document("Adversarial fixtures", (Section("fixtures", "Generated fixtures", (Paragraph(said), table)),))

"""One self-contained HTML page of a run: figures as static HTML, single answers in a compressed explorer."""

from ragtester.report.write import Written, write_report

__all__ = ["Written", "write_report"]

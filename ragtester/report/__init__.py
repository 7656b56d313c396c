"""One self-contained HTML page of a run: figures as static HTML, single answers in a compressed explorer."""

from ragtester.report.beside import write_all, write_files
from ragtester.report.write import MEGABYTES, Written, write_report

__all__ = ["MEGABYTES", "Written", "write_all", "write_files", "write_report"]

"""Writing an experiment's result for people: Markdown, and a CSV file a table."""

from __future__ import annotations

from pathlib import Path

from ragtester.records import ExperimentResult, ExperimentTimes
from ragtester.stages.experiment.document import experiment_document
from ragtester.storage import write_text
from ragtester.tables.csv_files import csv_files
from ragtester.tables.markdown import markdown

PAGE = "result.md"


def write_files(result: ExperimentResult, times: ExperimentTimes, folder: Path) -> None:
    """`result.md` and `tables/*.csv`; tables that this result does not have are taken away."""
    document = experiment_document(result, times)
    write_text(folder / PAGE, [markdown(document)])
    texts = csv_files(document)
    for path in (folder / "tables").glob("*.csv"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        write_text(folder / "tables" / name, [text])

"""A run as files that other programs read: JUnit XML, CSV, Parquet, and a pandas DataFrame."""

from ragtester.exports.columns import COLUMNS, CSV_TYPES, Column
from ragtester.exports.flat import to_frame, write_csv, write_parquet
from ragtester.exports.gate_junit import gate_junit
from ragtester.exports.junit import write_junit

__all__ = ["COLUMNS", "CSV_TYPES", "Column", "gate_junit", "to_frame", "write_csv", "write_junit", "write_parquet"]

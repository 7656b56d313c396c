"""A run as files that other programs read: JUnit XML, CSV, Parquet."""

"""Suites and results of other tools: in and out."""

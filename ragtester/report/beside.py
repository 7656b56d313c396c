"""Files for other programs that `ragtester report` writes beside its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ragtester.report.write import Written, write_report
from ragtester.results import Results
from ragtester.workspace import Workspace

KINDS = ("junit", "csv", "parquet", "plots")


def write_all(
    workspace: Workspace, results: Results, path: Path | None, megabytes: float, files: Mapping[str, Path | None]
) -> Written:
    """The page, and the files of `files`."""
    written = write_report(workspace, results, path, megabytes)
    return replace(written, others=write_files(workspace, results, files))


def write_files(
    workspace: Workspace, results: Results, wanted: Mapping[str, Path | None]
) -> tuple[tuple[str, Path], ...]:
    """Write what is asked for by kind; gives kinds and paths. Raises TypeError for a kind that does not exist."""
    from ragtester import exports

    unknown = wanted.keys() - set(KINDS)
    if unknown:
        raise TypeError(f"unknown kind of file: {', '.join(sorted(unknown))}; known: {', '.join(KINDS)}")
    writers = {"junit": exports.write_junit, "csv": exports.write_csv, "parquet": exports.write_parquet}
    done: list[tuple[str, Path]] = []
    for kind in KINDS:
        path = wanted.get(kind)
        if path is None:
            continue
        if kind == "plots":
            from ragtester.plots import export_all

            export_all(results, path)
        else:
            writers[kind](results, workspace, path)
        done.append((kind, path))
    return tuple(done)

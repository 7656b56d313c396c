from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ragtester.documents.files import find_files
from ragtester.errors import UsageError


def touch(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text", encoding="utf-8")


def names(folder: Path, *patterns: str) -> list[str]:
    return [file.relative for file in find_files(patterns, folder)]


def test_files_folders_and_globs_come_sorted_and_once(tmp_path: Path) -> None:
    touch(tmp_path, "b.txt", "a.pdf", "sub/deep/c.md", "sub/d.HTML", "other/e.docx", "other/f.htm")
    assert names(tmp_path, ".") == ["a.pdf", "b.txt", "other/e.docx", "other/f.htm", "sub/d.HTML", "sub/deep/c.md"]
    assert names(tmp_path, "sub", "b.txt", "sub/deep/c.md") == ["b.txt", "d.HTML", "deep/c.md"]
    assert names(tmp_path, "**/*.md", "*.txt") == ["b.txt", "sub/deep/c.md"]
    assert names(tmp_path, "*.pdf") == ["a.pdf"]
    assert names(tmp_path, "oth*") == ["other/e.docx", "other/f.htm"]


def test_a_pattern_that_names_nothing_is_refused_with_its_name(tmp_path: Path) -> None:
    touch(tmp_path, "a.txt")
    with pytest.raises(UsageError, match=r"gone\.pdf, none/\*\.pdf"):
        find_files(["a.txt", "gone.pdf", "none/*.pdf"], tmp_path)


def test_brackets_in_real_names_are_no_glob(tmp_path: Path) -> None:
    touch(tmp_path, "[draft] plan.txt", "box[1]/a.txt")
    assert names(tmp_path, "[draft] plan.txt") == ["[draft] plan.txt"]
    assert names(tmp_path, "box[1]") == ["a.txt"]


def test_hidden_and_own_files_are_left_out_and_unknown_kinds_named(tmp_path: Path) -> None:
    touch(
        tmp_path, "a.pdf", ".hidden.pdf", ".git/b.pdf", "~$a.docx", "a.facts.jsonl", "manifest.json", "x.xls", "y.xls"
    )
    found = find_files(["."], tmp_path)
    assert [file.relative for file in found] == ["a.pdf"]
    assert len(found.notes) == 1
    assert ".xls (2)" in found.notes[0]


def test_a_named_file_is_listed_whatever_its_suffix(tmp_path: Path) -> None:
    touch(tmp_path, "data.xls")
    assert names(tmp_path, "data.xls") == ["data.xls"]


def test_ids_never_collide_and_are_safe_names(tmp_path: Path) -> None:
    touch(
        tmp_path,
        "siteA/manual.pdf",
        "siteB/manual.pdf",
        "manual.pdf",
        "manual.md",
        "Manual.txt",
        "odd name #1 %20 é中.pdf",
    )
    touch(tmp_path, "siteA__manual.pdf", "x" * 120 + ".txt")
    ids = [file.id for file in find_files(["."], tmp_path)]
    assert len({one.casefold() for one in ids}) == len(ids) == 8
    for one in ids:
        assert all((character.isalnum() and character.isascii()) or character in "._-" for character in one)
        assert 0 < len(one) < 90


def test_a_lone_file_has_its_plain_name_as_id(tmp_path: Path) -> None:
    touch(tmp_path, "corpora/manual.pdf")
    assert [file.id for file in find_files(["corpora"], tmp_path)] == ["manual"]


def test_names_that_are_not_utf8_are_shown_escaped(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    try:
        with open(raw, "wb") as file:  # noqa: PTH123 - a name in bytes
            file.write(b"text")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    (found,) = find_files(["."], tmp_path)
    assert found.relative == "caf\\xe9.txt"
    assert found.relative.encode("utf-8")
    assert found.path.read_bytes() == b"text"


def test_links_may_not_lead_out_and_loops_do_not_hang(tmp_path: Path) -> None:
    touch(tmp_path, "outside/secret.txt", "given/a.txt")
    given = tmp_path / "given"
    (given / "loop").symlink_to(given, target_is_directory=True)
    (given / "out").symlink_to(tmp_path / "outside", target_is_directory=True)
    (given / "leak.txt").symlink_to(tmp_path / "outside/secret.txt")
    (given / "same.txt").symlink_to(given / "a.txt")
    for pattern in ("given", "given/**/*.txt"):
        found = find_files([pattern], tmp_path)
        assert [file.relative for file in found] == ["a.txt"]
        assert "leak.txt" in found.notes[0]


def test_the_markdown_source_of_a_written_pdf_is_no_document(tmp_path: Path) -> None:
    touch(tmp_path, "gen/pump.pdf", "gen/pump.md", "gen/own.md", "gen/own.pdf", "pump.md", "pump.pdf")
    manifest = {"stage": "documents", "counts": {"documents": [{"pdf": "pump.pdf", "markdown": "pump.md"}]}}
    (tmp_path / "gen/manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    found = {file.relative: file.source for file in find_files(["."], tmp_path)}
    assert found == {
        "gen/own.md": "manual",
        "gen/own.pdf": "manual",
        "gen/pump.pdf": "generated",
        "pump.md": "manual",
        "pump.pdf": "manual",
    }

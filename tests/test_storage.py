from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.errors import DataError, StorageError
from ragtester.records import Failure, Span
from ragtester.storage import append_row, encode_row, read_json, read_rows, recover_tail, write_json, write_rows

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40)


@given(st.lists(st.builds(Failure, type=TEXT, message=TEXT, cause=TEXT), max_size=8))
def test_rows_come_back_as_they_were_written(tmp_path_factory: pytest.TempPathFactory, rows: list[Failure]) -> None:
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    for row in rows:
        append_row(path, row)
    assert read_rows(path, Failure) == rows
    assert recover_tail(path) is None


@given(st.integers(min_value=1, max_value=60))
def test_a_kill_inside_a_line_costs_that_line_only(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    path = tmp_path_factory.mktemp("cut") / "rows.jsonl"
    rows = [Failure(type=f"t{number}", message="with a line end \n inside") for number in range(3)]
    write_rows(path, rows)
    whole = path.read_bytes()
    last = len(encode_row(rows[2]).encode())
    path.write_bytes(whole[: -min(cut, last)])
    assert read_rows(path, Failure) == rows[:2]
    notice = recover_tail(path)
    assert (notice is None) == (cut >= last)
    append_row(path, rows[2])
    assert path.read_bytes() == whole


def test_a_file_that_is_one_cut_line_becomes_empty(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"type": "no end', encoding="utf-8")
    assert recover_tail(path) == f"{path}: dropped an interrupted line of 16 bytes; it is made again"
    assert path.read_bytes() == b""


def test_all_faults_are_named_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl"
    lines = ['{"start": 0, "end": 2}', '{"start": 3, "end": 1}', "not json", '{"start": 0, "end": 1, "x": 1}']
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_rows(path, Span)
    assert [fault.split(":")[1] for fault in caught.value.faults] == ["2", "3", "4"]


def test_nan_is_never_written_or_read(tmp_path: Path) -> None:
    from ragtester.records import Retrieved

    with pytest.raises(ValueError, match="finite"):
        Retrieved(id="a", rank=1, score=float("nan"))
    path = tmp_path / "hits.jsonl"
    path.write_text('{"id": "a", "rank": 1, "score": NaN}\n', encoding="utf-8")
    with pytest.raises(DataError):
        read_rows(path, Retrieved)


def test_rows_are_strict_json_with_keys_in_the_order_of_the_fields() -> None:
    line = encode_row(Failure(type="t", message="é中", cause="c"))
    assert line == '{"type":"t","message":"é中","cause":"c"}\n'


def test_a_replaced_file_is_either_old_or_new(tmp_path: Path) -> None:
    path = tmp_path / "span.json"
    write_json(path, Span(start=1, end=2))

    def rows() -> object:
        yield Span(start=3, end=4)
        raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        write_rows(path, rows())  # type: ignore[arg-type]
    assert read_json(path, Span) == Span(start=1, end=2)
    assert [child.name for child in tmp_path.iterdir()] == ["span.json"]


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from ragtester.storage import write_text

    def parts():
        yield "half"
        os.kill(os.getpid(), signal.SIGKILL)

    write_text(Path(sys.argv[1]), parts())
"""


def test_what_a_killed_process_left_half_written_goes_with_the_next_write(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(KILLED), str(path)], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    assert re.fullmatch(r"\.manifest\.json\.\d+-\w{8}\.tmp", left.name)
    others = [".manifest.json.tmp", ".other.tmp", "notes.12-abcdefgh.tmp", f".rows.jsonl.{os.getpid()}-abcdefgh.tmp"]
    for name in others:
        (tmp_path / name).write_text("kept", encoding="utf-8")
    write_json(path, Span(start=1, end=2))
    assert sorted(child.name for child in tmp_path.iterdir()) == sorted([*others, "manifest.json"])


FULL_DISK = """
    import resource, signal, sys
    from pathlib import Path
    from ragtester.errors import StorageError
    from ragtester.records import Failure
    from ragtester.storage import append_row, write_rows
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    path = Path(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))  # writes beyond 100 bytes fail, as on a full disk
    done = 0
    try:
        for number in range(10):
            append_row(path, Failure(type="row", message=str(number)))
            done += 1
    except StorageError as error:
        print(done, error)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="this system has no limit on file sizes")
def test_a_full_disk_keeps_whole_rows_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FULL_DISK), str(path)], capture_output=True, text=True, check=True
    )
    # A row is 40 bytes: {"type":"row","message":"0","cause":""} and its line end.
    assert done.stdout.startswith("2 ")
    assert "free space, then start again" in done.stdout
    assert [json.loads(line)["message"] for line in path.read_text(encoding="utf-8").splitlines()] == ["0", "1"]


def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StorageError):
        append_row(tmp_path / "file" / "rows.jsonl", Span(start=0, end=0))


def test_the_mend_fits_the_fault(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match=r"not written \(.*exists.*\); mend that"):
        write_json(tmp_path / "file" / "x.json", Failure(type="t", message="m"))

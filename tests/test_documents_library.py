"""The corpus read in real processes: crashes, hangs, memory, a killed parent, order and laziness."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragtester.documents import isolation
from ragtester.documents.files import CorpusFile
from ragtester.documents.library import read_corpus
from ragtester.provenance import sha256_file, sha256_text
from ragtester.records import Document, UnreadableDocument
from ragtester.settings import ReadingSettings

from .documents_helpers import column, corpus, make_pdf

TEXT = "The relief valve of the pump is set to twelve bar and sealed by the engineer."
# The worker with a reader that misbehaves by the name of the file it is given.
MISCHIEF = """
import json, sys; sys.path[:] = json.loads(sys.argv.pop(1))
import os, re, signal, time
from ragtester.documents import reading, worker
honest = reading.read_file
worker._GRACE_SECONDS = 0.5
def read_file(path, *rest):
    if path.name.startswith("segv"): os.kill(os.getpid(), signal.SIGSEGV)
    if path.name.startswith("exit"): os._exit(7)
    if path.name.startswith("raise"): raise RuntimeError("broken library")
    if path.name.startswith("print"): print("noise on stdout" * 100, flush=True)
    if path.name.startswith("memory"): bytearray(3_000_000_000)
    if path.name.startswith(("hang", "stuck")): path.with_suffix(".pid").write_text(str(os.getpid()))
    if path.name.startswith("hang"): time.sleep(600)
    if path.name.startswith("stuck"): re.match("(a+)+$", "a" * 60 + "b")
    return honest(path, *rest)
reading.read_file = read_file
worker.main()
"""

# Reads all .txt of a folder with the worker that it is given.
_PROGRAM = (
    "import sys; from pathlib import Path\n"
    "from ragtester.documents import isolation\n"
    "from ragtester.documents.files import find_files\n"
    "from ragtester.documents.library import read_corpus\n"
    "from ragtester.settings import ReadingSettings\n"
    "isolation._START = sys.argv[2]\n"
    "settings = ReadingSettings(workers=1, timeout_seconds={timeout})\n"
    "list(read_corpus(find_files(['*.txt'], Path(sys.argv[1])), settings))\n"
)


@pytest.fixture
def mischief(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "_START", MISCHIEF)


def types(results: Iterator[tuple[Document, str] | UnreadableDocument]) -> list[str]:
    return [result.failure.type if isinstance(result, UnreadableDocument) else "ok" for result in results]


def test_every_file_gives_one_result_in_order(tmp_path: Path) -> None:
    files = corpus(
        tmp_path,
        {
            "a.pdf": make_pdf([column(60, 700, [TEXT])]),
            "b.md": f"# B\n\n{TEXT}",
            "c.txt": "",
            "d.html": f"<p>{TEXT}</p>",
        },
    )
    results = list(read_corpus(files, ReadingSettings(workers=2)))
    assert [r.path if isinstance(r, UnreadableDocument) else r[0].path for r in results] == [
        "a.pdf",
        "b.md",
        "c.txt",
        "d.html",
    ]
    first = results[0]
    assert isinstance(first, tuple)
    document, text = first
    assert text == TEXT
    assert (document.id, document.format, document.language, document.characters) == ("a", "pdf", "en", len(TEXT))
    assert document.page_starts == (0,)
    assert (document.sha256, document.text_sha256) == (sha256_file(tmp_path / "a.pdf"), sha256_text(text))
    assert types(iter(results)) == ["ok", "ok", "empty_file", "ok"]


def test_a_given_language_is_taken_as_it_is(tmp_path: Path) -> None:
    (result,) = read_corpus(corpus(tmp_path, {"a.txt": TEXT}), ReadingSettings(workers=1), "nl")
    assert isinstance(result, tuple)
    assert result[0].language == "nl"


def test_crashes_and_memory_cost_one_document_each(tmp_path: Path, mischief: None) -> None:
    names = ["a.txt", "exit.txt", "f.txt", "memory.txt", "print.txt", "raise.txt", "segv.txt", "z.txt"]
    files = corpus(tmp_path, dict.fromkeys(names, TEXT))
    results = list(read_corpus(files, ReadingSettings(workers=2, memory_mb=1024)))
    assert types(iter(results)) == ["ok", "crashed", "ok", "crashed", "ok", "damaged", "crashed", "ok"]
    causes = [result.failure.cause for result in results if isinstance(result, UnreadableDocument)]
    assert causes[0] == "exit code 7"
    assert "RuntimeError: broken library" in causes[2]
    assert causes[3] == "SIGSEGV"


@pytest.mark.parametrize("name", ["hang.txt", "stuck.txt"])
def test_a_hanging_file_is_ended_in_time(tmp_path: Path, mischief: None, name: str) -> None:
    files = corpus(tmp_path, {name: TEXT, "z.txt": TEXT})
    results = list(read_corpus(files, ReadingSettings(workers=1, timeout_seconds=1)))
    assert types(iter(results)) == ["timeout", "ok"]


def test_reading_is_lazy(tmp_path: Path) -> None:
    files = corpus(tmp_path, {f"{number:02}.txt": TEXT for number in range(40)})
    results = read_corpus(files, ReadingSettings(workers=1))
    next(results)
    for file in files[10:]:
        file.path.unlink()
    rest = types(results)
    assert rest[:1] == ["ok"]
    assert rest[9:] == ["damaged"] * 30


def test_closing_early_leaves_no_process(tmp_path: Path, mischief: None) -> None:
    files = corpus(tmp_path, {"a.txt": TEXT, "hang.txt": TEXT})
    results = read_corpus(files, ReadingSettings(workers=2))
    next(results)
    results.close()  # type: ignore[attr-defined]
    pid_file = tmp_path / "hang.pid"
    if pid_file.exists() and pid_file.read_text():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid_file.read_text()), 0)


def test_two_corpora_are_read_at_once(tmp_path: Path) -> None:
    one = corpus(tmp_path / "one", {f"{number}.txt": f"{TEXT} {number}" for number in range(4)})
    other = corpus(tmp_path / "other", {f"{number}.md": f"{TEXT} {-number}" for number in range(4)})
    pairs = zip(
        read_corpus(one, ReadingSettings(workers=1)), read_corpus(other, ReadingSettings(workers=1)), strict=True
    )
    for number, (first, second) in enumerate(pairs):
        assert isinstance(first, tuple)
        assert isinstance(second, tuple)
        assert (first[1], second[1]) == (f"{TEXT} {number}", f"{TEXT} {-number}")


def test_odd_names_links_and_pipes_give_one_result_each(tmp_path: Path) -> None:
    files = corpus(tmp_path, {"a\nb.txt": TEXT, "\u202etxt.md": TEXT})
    (tmp_path / "folder.pdf").mkdir()
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    os.mkfifo(tmp_path / "pipe.txt")
    odd = [CorpusFile(tmp_path / name, name, "manual", name) for name in ("folder.pdf", "loop.txt", "pipe.txt")]
    results = read_corpus([*files, *odd], ReadingSettings(workers=2))
    assert types(results) == ["ok", "ok", "damaged", "damaged", "damaged"]


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for a foreign process with pidfd (Linux)")
def test_ctrl_c_ends_reading_at_once(tmp_path: Path) -> None:
    files = corpus(tmp_path, {"hang.txt": TEXT})
    os.mkfifo(files[0].path.with_suffix(".pid"))
    program = _PROGRAM.format(timeout=600)
    parent = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path), MISCHIEF], env=_with_path(), stderr=subprocess.PIPE, text=True
    )
    worker = os.pidfd_open(int(files[0].path.with_suffix(".pid").read_text()))
    parent.send_signal(signal.SIGINT)
    _, said = parent.communicate(timeout=30)
    assert said.rstrip().endswith("KeyboardInterrupt")
    poll = select.poll()
    poll.register(worker, select.POLLIN)
    assert poll.poll(5_000), "the reading process outlived its parent"
    os.close(worker)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for a foreign process with pidfd (Linux)")
@pytest.mark.parametrize("name", ["hang.txt", "stuck.txt"])
def test_a_killed_parent_leaves_no_process(tmp_path: Path, name: str) -> None:
    files = corpus(tmp_path, {name: TEXT})
    os.mkfifo(files[0].path.with_suffix(".pid"))
    program = _PROGRAM.format(timeout=2)
    parent = subprocess.Popen([sys.executable, "-c", program, str(tmp_path), MISCHIEF], env=_with_path())
    worker = os.pidfd_open(int(files[0].path.with_suffix(".pid").read_text()))
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    poll = select.poll()
    poll.register(worker, select.POLLIN)
    assert poll.poll(15_000), "the reading process outlived its parent"
    os.close(worker)


def _with_path() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_a_script_without_a_main_guard_may_read(tmp_path: Path) -> None:
    corpus(tmp_path, {"a.txt": TEXT})
    script = tmp_path / "script.py"
    script.write_text(
        "from pathlib import Path\n"
        "from ragtester.documents.library import find_files, read_corpus\n"
        "from ragtester.settings import ReadingSettings\n"
        "files = find_files(['a.txt'], Path.cwd())\n"
        "for document, text in read_corpus(files, ReadingSettings()): print(document.id, len(text))\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, env=_with_path(), capture_output=True, text=True, check=True
    )
    assert done.stdout == f"a {len(TEXT)}\n"

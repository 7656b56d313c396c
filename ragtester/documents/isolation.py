"""Files are read in processes of their own, so that a crash, a hang or a memory runaway costs one document.

A few long-lived processes serve all files; one that dies or overruns its time is replaced. They are started as plain
interpreters, not through `multiprocessing`, so nothing depends on a start method or on the caller's `__main__`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from ragtester.documents.worker import LENGTH
from ragtester.errors import RagtesterError
from ragtester.settings import ReadingSettings

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); from ragtester.documents.worker import main; main()"
)
_START_SECONDS = 120.0
_AHEAD = 2

Result = dict[str, Any]


def read_in_processes(paths: Iterable[Path], settings: ReadingSettings) -> Iterator[Result]:
    """One result for each path, in order: the worker's data, or `{"failure": {...}}`.

    At most twice as many files as there are processes are read ahead of the consumer.
    """
    count = settings.workers or _cores()
    pool = _Pool(settings)
    waiting: deque[Future[Result]] = deque()
    threads = ThreadPoolExecutor(max_workers=count, thread_name_prefix="reading")
    try:
        for path in paths:
            waiting.append(threads.submit(pool.read, path))
            if len(waiting) >= _AHEAD * count:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        pool.close()
        threads.shutdown(wait=True, cancel_futures=True)


def read_source(path: Path, reader: str, pages: Sequence[int], settings: ReadingSettings) -> Result:
    """Some pages of a file as `ragtester.documents.source_text` reads them, or `{"failure": {...}}`.

    In a process of its own, which is ended; `reading.timeout_seconds` is the limit for all of them.
    """
    process = _Process(settings.memory_mb)
    try:
        process.wait_until_ready()
        job = {
            "path": str(path.absolute()),
            "reader": reader,
            "pages": list(pages),
            "timeout": settings.timeout_seconds,
        }
        return process.ask(job, settings.timeout_seconds)
    finally:
        process.end()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Pool:
    """Idle processes; a thread takes one, or starts one, for each file."""

    def __init__(self, settings: ReadingSettings) -> None:
        self._settings = settings
        self._idle: list[_Process] = []
        self._all: set[_Process] = set()
        self._lock = threading.Lock()
        self._closed = False

    def read(self, path: Path) -> Result:
        process = self._take()
        job = {
            "path": os.path.abspath(path),  # noqa: PTH100 - resolve() would follow the link that is part of the name
            "reader": self._settings.reader,
            "compare_pages": self._settings.compare_pages,
            "timeout": self._settings.timeout_seconds,
        }
        result = process.ask(job, self._settings.timeout_seconds)
        with self._lock:
            if process.alive and not self._closed:
                self._idle.append(process)
                return result
            self._all.discard(process)
        process.end()
        return result

    def _take(self) -> _Process:
        with self._lock:
            if self._closed:
                raise RagtesterError("reading was stopped")
            if self._idle:
                return self._idle.pop()
            process = _Process(self._settings.memory_mb)
            self._all.add(process)
        process.wait_until_ready()
        return process

    def close(self) -> None:
        with self._lock:
            self._closed = True
            processes = list(self._all)
            self._idle.clear()
        for process in processes:
            process.end()


class _Process:
    """One reading process and the pipe to it."""

    def __init__(self, memory_mb: int) -> None:
        self._popen = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-c", _START, json.dumps(sys.path), str(memory_mb)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.alive = True
        self._late = False

    def wait_until_ready(self) -> None:
        """The time limit of a file starts after the process has started."""
        if self._within(_START_SECONDS) is None:
            self.end()
            raise RagtesterError(
                "the process that reads documents does not start; `ragtester doctor` says what is missing"
            )

    def ask(self, job: dict[str, Any], seconds: float) -> Result:
        """Have one file read; a process that dies or is late is ended and its fate is the result."""
        try:
            assert self._popen.stdin is not None
            self._popen.stdin.write(json.dumps(job).encode("ascii") + b"\n")
            self._popen.stdin.flush()
        except OSError:
            result: Result | None = None
        else:
            result = self._within(seconds)
        if result is not None:
            return result
        self.end()
        return {"failure": self._fate(seconds)}

    def _fate(self, seconds: float) -> dict[str, str]:
        if self._late:
            message = f"not read within {seconds:g} s; raise [reading] timeout_seconds or repair the file"
            return {"type": "timeout", "message": message, "cause": ""}
        code = self._popen.returncode
        how = signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
        message = 'the reader crashed on this file; export it again or try [reading] reader = "pypdf"'
        return {"type": "crashed", "message": message, "cause": how}

    def _within(self, seconds: float) -> Result | None:
        """What the process sends, or None where it dies or is late."""
        timer = threading.Timer(seconds, self._overdue)
        timer.daemon = True
        timer.start()
        try:
            return self._receive()
        finally:
            timer.cancel()

    def _overdue(self) -> None:
        self._late = True
        self._popen.kill()

    def _receive(self) -> Result | None:
        assert self._popen.stdout is not None
        head = self._popen.stdout.read(LENGTH.size)
        if len(head) < LENGTH.size:
            return None
        (length,) = LENGTH.unpack(head)
        body = self._popen.stdout.read(length)
        result: Result | None = json.loads(body) if len(body) == length else None
        return result

    def end(self) -> None:
        """Kill the process and give back its pipes; safe to call twice and from any thread."""
        self.alive = False
        with suppress(OSError):
            self._popen.kill()
        self._popen.wait()
        for pipe in (self._popen.stdin, self._popen.stdout):
            with suppress(OSError, ValueError, RuntimeError):
                if pipe is not None:
                    pipe.close()

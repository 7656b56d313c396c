"""The process that reads files: jobs come in as JSON lines, results go out as JSON with their length before them.

It ends by itself when its parent is gone: a thread watches the input, and an alarm ends even code that never returns.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import struct
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

LENGTH = struct.Struct(">Q")
_GRACE_SECONDS = 5.0


def main() -> None:
    """Serve jobs until the input ends."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a library that prints must not break the protocol
    if hasattr(signal, "SIGINT"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends this process
    _limit_memory(int(sys.argv[1]))
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_watch, args=(sys.stdin.buffer, jobs), daemon=True).start()
    from ragtester.documents import reading

    _send(output, {"ready": True})
    while True:
        job = json.loads(jobs.get())
        _alarm(job["timeout"] + _GRACE_SECONDS)
        result = _read(job, reading)
        _alarm(0)
        _send(output, result)


def _read(job: dict[str, Any], reading: Any) -> dict[str, Any]:
    """The result of one job as plain data: the text and what is known of it, the texts of `pages`, or a failure."""
    from ragtester.documents.source_text import source_pages
    from ragtester.documents.unreadable import UnreadableError

    try:
        if "pages" in job:
            return {"pages": source_pages(Path(job["path"]), job["reader"], job["pages"])}
        found = reading.read_file(Path(job["path"]), job["reader"], job["compare_pages"])
    except UnreadableError as error:
        return _failure(error.type, error.message, error.cause)
    except MemoryError as error:
        return _failure(
            "crashed", "needs more memory than [reading] memory_mb allows; raise it or split the file", repr(error)
        )
    except Exception as error:  # noqa: BLE001 - whatever a file does to a library costs that file only
        kind = type(error).__name__
        return _failure("damaged", f"its reader failed with {kind}; fetch or export the file again", f"{kind}: {error}")
    return {
        "text": found.text,
        "format": found.format,
        "sha256": found.sha256,
        "page_starts": found.page_starts,
        "dropped": found.dropped,
        "warnings": [warning.model_dump(mode="json") for warning in found.warnings],
    }


def _failure(type_: str, message: str, cause: str) -> dict[str, Any]:
    return {"failure": {"type": type_, "message": message, "cause": cause[:500]}}


def _watch(source: BinaryIO, jobs: queue.SimpleQueue[bytes]) -> None:
    """Hand on jobs; when the parent closes the input or dies, end this process at once, whatever it is doing."""
    for line in source:
        jobs.put(line)
    os._exit(0)


def _send(output: BinaryIO, data: dict[str, Any]) -> None:
    body = json.dumps(data).encode("ascii")
    output.write(LENGTH.pack(len(body)) + body)
    output.flush()


def _alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _limit_memory(megabytes: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows: there the time limit alone guards
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))

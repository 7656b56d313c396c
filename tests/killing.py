"""Killing an audit half-way: in a process of its own that has all packages loaded already."""

from __future__ import annotations

import json
import math
import os
import signal
import time
from collections import Counter
from collections.abc import Callable

from tests.servers.openai_api import OpenAIServer


def kill_after(work: Callable[[], object], server: OpenAIServer, requests: int) -> None:
    """Start `work` in a process of its own, and kill it when the server has seen so many requests."""
    server.hangs_after = requests
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    while (ended := os.waitpid(pid, os.WNOHANG)) == (0, 0) and server.seen.total() < requests:
        time.sleep(0.002)
    assert ended == (0, 0), "it ended before it could be killed"
    os.kill(pid, signal.SIGKILL)
    server.hangs_after = math.inf
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL


def sent(server: OpenAIServer) -> Counter[str]:
    """What the server was asked, and how often."""
    return Counter(json.dumps(body, sort_keys=True) for body in server.chats())

"""An application that answers questions over HTTP; `answer` says how, for each request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.servers.http import LoopbackServer, Request, Response

CHUNK = {"id": "a", "text": "the pump has 3 marks and the pump is checked each year.", "score": 0.9}
GOOD = {"answer": "Three marks.", "chunks": [CHUNK], "cited": ["a"]}


class RagServer(LoopbackServer):
    """Answers every request by `answer`; a dictionary stands for a reply of JSON."""

    def __init__(self, answer: Callable[[Request], Any] | None = None, latency: float = 0.0) -> None:
        super().__init__(latency)
        self.answer = answer or (lambda _: GOOD)

    def handle(self, request: Request) -> Response:
        made = self.answer(request)
        return made if isinstance(made, Response) else Response(made)


def typed(body: bytes, content_type: str, status: int = 200) -> Response:
    """A reply of another kind than JSON."""
    return Response(body, status, {"content-type": content_type})

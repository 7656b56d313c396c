"""A server that speaks the documented Ollama API: /api/chat (streamed NDJSON, format), /api/embed, /api/tags, errors.

It stands in for Ollama, which the tests cannot install. Faults as in `openai_api`: `llama--429once`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.servers.http import LoopbackServer, Request, Response
from tests.servers.openai_api import GOOD, TEXTS, toy_vector


class OllamaServer(LoopbackServer):
    """`loads` lists the models in the order in which the server had to load them."""

    def __init__(
        self,
        reply: Callable[[dict[str, Any]], str] | None = None,
        *,
        retry_after: str = "0",
        latency: float = 0.0,
    ) -> None:
        super().__init__(latency)
        self.reply = reply or (lambda _: GOOD)
        self.retry_after = retry_after
        self.seen: Counter[str] = Counter()
        self.loads: list[tuple[str, int]] = []

    def chats(self) -> list[dict[str, Any]]:
        """The bodies of the chat requests, in order."""
        return [request.body for request in self.requests if request.path == "/api/chat"]

    def handle(self, request: Request) -> Response:  # noqa: PLR0911 - a table of faults
        body, name = request.body, request.body.get("model", "")
        if request.path == "/api/tags":
            return Response({"models": [{"name": "llama:1b", "model": "llama:1b"}]})
        if request.path == "/api/show" and not name.endswith("--missing"):
            length = 4096 if name.startswith("short") else 131072
            about = {"general.architecture": "llama", "llama.context_length": length}
            return Response({"details": {"format": "gguf"}, "model_info": about})
        self.seen[name] += 1
        fault, first = name.partition("--")[2], self.seen[name] == 1
        if fault == "missing" or request.path == "/api/show":
            return Response({"error": f'model "{name}" not found, try pulling it first'}, 404)
        if fault == "429" or (fault == "429once" and first):
            return Response({"error": "too many requests"}, 429, {"retry-after": self.retry_after})
        if fault == "500" or (fault == "500once" and first):
            return Response({"error": "llama runner process has terminated"}, 500)
        if fault == "nothink" and "think" in body and body["think"] is not None:
            return Response({"error": f'"{name}" does not support thinking'}, 400)
        if fault == "hang":
            return Response(hang=True)
        if request.path == "/api/embed":
            texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
            return Response({"model": name, "embeddings": [toy_vector(text) for text in texts]})
        return self._chat(fault, body)

    def _chat(self, fault: str, body: dict[str, Any]) -> Response:
        loaded = (body["model"], (body.get("options") or {}).get("num_ctx", 0))
        if not self.loads or self.loads[-1] != loaded:
            self.loads.append(loaded)
        good = self.reply(body)
        text = (TEXTS[fault](good) if fault in TEXTS else good) or ""
        middle = len(text) // 2
        parts = [{"content": text[:middle]}, {"content": text[middle:]}]
        if fault == "thinking":
            parts.insert(0, {"content": "", "thinking": "Let me think."})
        lines = [{"model": body["model"], "message": {"role": "assistant", **part}, "done": False} for part in parts]
        lines.append(
            {
                "model": body["model"],
                "message": {"role": "assistant", "content": ""},
                "done": True,
                "done_reason": "length" if fault in ("truncated", "thinkopen") else "stop",
                "prompt_eval_count": 90,
                "eval_count": 15,
                "total_duration": 1000000,
            }
        )
        chunks = [json.dumps(line).encode() + b"\n" for line in lines]
        return Response(chunks=chunks, headers={"content-type": "application/x-ndjson"})

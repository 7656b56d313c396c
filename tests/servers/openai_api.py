"""An OpenAI-compatible server. What stands after `--` in a model's name is how it misbehaves.

`small--429once` answers 429 to the first request and then well; see `TEXTS` and `FAULTS` for all names.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

from tests.servers.http import LoopbackServer, Request, Response

GOOD = '{"answer": "Six years.", "refuses": false, "cited": ["d#1"]}'
DRAFT = '{"answer": "Two years.", "refuses": false, "cited": []}'
# Ways in which the text of a reply may come; each gets the good reply.
TEXTS: dict[str, Callable[[str], str | None]] = {
    "think": lambda good: f"<think>First I thought {DRAFT} but no.</think>{good}",
    "thinkopen": lambda good: f"<think>Let me see {good[:20]}",
    "thinkclose": lambda good: f"Maybe {DRAFT}.\n</think>\n{good}",
    "fenced": lambda good: f"```json\n{good}\n```",
    "prose": lambda good: f"Sure! Here it is: {good} I hope this helps.",
    "array": lambda good: f"[{good}]",
    "trailing": lambda good: f"{good[:-1]},}}",
    "nonjson": lambda _: "Six years, as the log says.",
    "two": lambda good: f"{DRAFT}\n{good}",
    "twice": lambda good: f"{good}\n{good}",
    "nan": lambda good: f'{good[:-1]}, "score": NaN}}',
    "missing": lambda _: '{"refuses": false}',
    "truncated": lambda good: good[:20],
    "empty": lambda _: "",
    "null": lambda _: None,
    "refusaltext": lambda _: "I'm sorry, but I can't help with that.",
    "surrogate": lambda good: good.replace("Six", "Six\ud83d"),
    "nul": lambda good: good.replace("Six", "Six\\u0000"),
}


class OpenAIServer(LoopbackServer):
    """`reply(request body) -> text` gives the good reply; `retry_after` is what a 429 says (None: no header)."""

    def __init__(
        self,
        reply: Callable[[dict[str, Any]], str] | None = None,
        *,
        retry_after: str | None = "0",
        latency: float = 0.0,
        key: str | None = None,
    ) -> None:
        super().__init__(latency)
        self.reply = reply or (lambda _: GOOD)
        self.retry_after = retry_after
        self.key = key
        self.seen: Counter[str] = Counter()
        self.hangs_after = math.inf
        """Requests beyond these are never answered, so that whoever asks cannot come to an end."""

    @property
    def url(self) -> str:
        """The base URL that clients take."""
        return f"{self.host}/v1"

    def chats(self) -> list[dict[str, Any]]:
        """The bodies of the chat requests, in order."""
        return [request.body for request in self.requests if request.path.endswith("/chat/completions")]

    def handle(self, request: Request) -> Response:
        body, name = request.body, request.body.get("model", "")
        if self.key is not None and request.headers.get("authorization") != f"Bearer {self.key}":
            sent = request.headers.get("authorization", "").removeprefix("Bearer ")
            return _error(401, f"Incorrect API key provided: {sent}.", "invalid_api_key")
        if request.path.endswith("/models"):
            return Response({"object": "list", "data": [{"id": "small", "object": "model"}]})
        self.seen[name] += 1
        if self.seen.total() > self.hangs_after:
            return Response(hang=True)
        fault = name.partition("--")[2]
        if (failed := self._fault(fault, body, self.seen[name] == 1)) is not None:
            return failed
        if request.path.endswith("/embeddings"):
            return self._embeddings(fault, body)
        return self._chat(fault, body)

    def _fault(self, fault: str, body: dict[str, Any], first: bool) -> Response | None:
        wait = {} if self.retry_after is None else {"retry-after": self.retry_after}
        past = {"retry-after": formatdate(0, usegmt=True)}
        faults: dict[str, Callable[[], Any]] = {
            "429": lambda: _error(429, "Rate limit reached for requests", "rate_limit_exceeded", wait),
            "429once": lambda: first and _error(429, "Rate limit reached", "rate_limit_exceeded", wait),
            "429date": lambda: first and _error(429, "Rate limit reached", "rate_limit_exceeded", past),
            "quota": lambda: _error(429, "You exceeded your current quota, check your plan.", "insufficient_quota"),
            "quotalike": lambda: (
                first and _error(429, "Quota exceeded for requests per minute. Retry in 1s.", "rate_limited", wait)
            ),
            "402": lambda: _error(402, "Insufficient credits", "payment_required"),
            "401": lambda: _error(401, "Incorrect API key provided", "invalid_api_key"),
            "403": lambda: _error(403, "Country not supported", "unsupported_country"),
            "404": lambda: _error(404, f"The model `{body['model']}` does not exist", "model_not_found"),
            "500": lambda: _error(500, "The server had an error", "server_error"),
            "500once": lambda: first and _error(500, "The server had an error", "server_error"),
            "notemp": lambda: "temperature" in body and _unsupported("temperature"),
            "nomaxtokens": lambda: "max_tokens" in body and _unsupported("max_tokens"),
            "nomaxcompl": lambda: "max_completion_tokens" in body and _unsupported("max_completion_tokens"),
            "nopenalty": lambda: "repetition_penalty" in body and _unsupported("repetition_penalty"),
            "noformat": lambda: "response_format" in body and _unsupported("response_format"),
            "noschema": lambda: (
                body.get("response_format", {}).get("type") == "json_schema"
                and _error(400, "response_format json_schema is not supported with this model", "invalid")
            ),
            "toolong": lambda: _error(400, "maximum context length is 8 tokens", "context_length_exceeded"),
            "bad": lambda: _error(400, "messages must not hold a unicorn", "invalid_request_error"),
            "hang": lambda: Response(hang=True),
            "drop": lambda: first and Response({"x": "y" * 400}, cut=True),
            "dropalways": lambda: Response({"x": "y" * 400}, cut=True),
            "html": lambda: Response(b"<html>Welcome</html>", headers={"content-type": "text/html"}),
            "tokens400": lambda: _tokens(body) and _error(400, "'input' must be a string or list of strings", "bad"),
            "tokensempty": lambda: _tokens(body) and Response({"object": "list", "data": [], "model": body["model"]}),
        }
        made = faults[fault]() if fault in faults else None
        return made if isinstance(made, Response) else None

    def _chat(self, fault: str, body: dict[str, Any]) -> Response:
        good = self.reply(body)
        text = TEXTS[fault](good) if fault in TEXTS else good
        if fault == "mendable" and self.seen[body["model"]] == 1:
            text = "No JSON here."
        finish = {"truncated": "length", "thinkopen": "length", "contentfilter": "content_filter"}.get(fault, "stop")
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if fault == "refusal":
            message |= {"content": None, "refusal": "I can't assist with that request."}
        answer = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": f"{body['model']}-2026-01-01",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        }
        if fault != "nousage":
            answer["usage"] = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        return Response(answer)

    def _embeddings(self, fault: str, body: dict[str, Any]) -> Response:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        vectors = [toy_vector(str(text), body.get("dimensions") or 8) for text in texts]
        if fault == "embnan":
            vectors[0][0] = math.nan
        elif fault == "embzero":
            vectors[-1] = [0.0] * len(vectors[-1])
        elif fault == "embcount":
            vectors = vectors[:-1]
        elif fault == "embdims":
            vectors[-1] = vectors[-1][:-1]
        elif fault == "embnone":
            vectors = []
        data = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
        usage = {"prompt_tokens": 4 * len(texts), "total_tokens": 4 * len(texts)}
        return Response({"object": "list", "data": data, "model": body["model"], "usage": usage})


def toy_vector(text: str, dimensions: int = 8) -> list[float]:
    """A unit vector that depends on the text alone."""
    raw = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    values = [(raw[index % 32] + 1) / 256 for index in range(dimensions)]
    length = math.sqrt(sum(value * value for value in values))
    return [value / length for value in values]


def _tokens(body: dict[str, Any]) -> bool:
    sent = body.get("input")
    return isinstance(sent, list) and bool(sent) and not isinstance(sent[0], str)


def _unsupported(name: str) -> Response:
    return _error(400, f"Unsupported parameter: '{name}' is not supported with this model.", "unsupported_parameter")


def _error(status: int, message: str, code: str, headers: dict[str, str] | None = None) -> Response:
    return Response({"error": {"message": message, "type": code, "code": code}}, status, dict(headers or {}))


def main() -> None:
    """Serve until killed, with the latency given in seconds; prints the port (for benchmarks)."""
    import sys
    import threading

    server = OpenAIServer(latency=float(sys.argv[1]))
    with server:
        print(server.port, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()

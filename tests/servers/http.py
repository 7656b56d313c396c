"""A tiny HTTP/1.1 server on 127.0.0.1 in a thread, made to misbehave on demand."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found"}


@dataclass(frozen=True)
class Request:
    """One request as the server saw it."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Response:
    """What to send. `chunks` streams them; `cut` closes the connection after half of the body; `hang` never answers."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    chunks: list[bytes] | None = None
    cut: bool = False
    hang: bool = False

    def payload(self) -> bytes:
        """The body in bytes; dicts become JSON (lone surrogates stay escaped, NaN stays NaN)."""
        if isinstance(self.body, bytes):
            return self.body
        return json.dumps(self.body).encode()


class LoopbackServer:
    """Serve until the `with` block ends. `requests` lists what came in, in order; subclasses answer in `handle`."""

    def __init__(self, latency: float = 0.0) -> None:
        self.latency = latency
        self.requests: list[Request] = []
        self.port = 0
        self.running = 0
        self.most_running = 0
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def handle(self, request: Request) -> Response:
        """The answer to one request."""
        raise NotImplementedError

    @property
    def host(self) -> str:
        """Address without a path."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(60), "the loopback server did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        connections: set[asyncio.Task[None]] = set()

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            connections.add(task)
            try:
                await self._connection(reader, writer)
            except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                pass
            finally:
                connections.discard(task)
                writer.close()

        server = await asyncio.start_server(accept, "127.0.0.1", self.port, limit=2**24, backlog=512)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in list(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *lines = head.strip().split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            method, path, _ = first.split(" ", 2)
            body = await self._body(reader, headers)
            request = Request(method, path, headers, json.loads(body) if body.strip() else {})
            self.requests.append(request)
            self.running += 1
            self.most_running = max(self.most_running, self.running)
            try:
                if self.latency:
                    await asyncio.sleep(self.latency)
                response = self.handle(request)
                if response.hang:
                    await reader.read()
                    return
            finally:
                self.running -= 1
            if not await self._send(writer, response):
                return

    async def _body(self, reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding", "") != "chunked":
            return await reader.readexactly(int(headers.get("content-length", "0")))
        parts = []
        while size := int(await reader.readline(), 16):
            parts.append(await reader.readexactly(size))
            await reader.readline()
        await reader.readline()
        return b"".join(parts)

    async def _send(self, writer: asyncio.StreamWriter, response: Response) -> bool:
        data = b"".join(response.chunks) if response.chunks is not None else response.payload()
        kind = response.headers.pop("content-type", "application/json")
        extra = "".join(f"{name}: {value}\r\n" for name, value in response.headers.items())
        reason = REASONS.get(response.status, "Status")
        head = f"HTTP/1.1 {response.status} {reason}\r\ncontent-type: {kind}\r\n"
        head += f"content-length: {len(data)}\r\n{extra}\r\n"
        writer.write(head.encode() + (data[: len(data) // 2] if response.cut else data))
        await writer.drain()
        return not response.cut

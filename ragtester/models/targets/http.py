"""`http:URL` and `chat:URL`: an application that answers over HTTP, and an OpenAI-compatible chat endpoint.

A redirect is followed on the same scheme, host and port alone. Cookies are not kept. Proxies are those of the
environment (`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`), as for models.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from ragtester.errors import UsageError
from ragtester.models.problems import Problem, Told
from ragtester.models.targets.streams import events_of
from ragtester.models.targets.template import Template, parameters
from ragtester.redaction import REDACTED
from ragtester.settings import ProviderSettings, TargetSettings
from ragtester.tasks import AskTarget

if TYPE_CHECKING:
    import aiohttp

ASK = '{"question": {{question}}, "tags": {{tags}}}'
CHAT = '{"messages": [{"role": "user", "content": {{question}}}]}'
KEEPS_METHOD = (301, 302, 307, 308)
MOST_REDIRECTS = 5
BLOCK = 65536
SHORTEST_SECRET = 6
# Words before a key, which are none.
SCHEMES = {"Bearer", "bearer", "Digest", "ApiKey", "apikey", "Api-Key"}
ACCEPT = "application/json, text/event-stream;q=0.9, text/plain;q=0.8"


class Refused(Exception):  # noqa: N818 - an outcome of a call, as `problems.examine` reads it
    """A reply with an HTTP status of an error: `status_code`, `headers` and `body` tell which."""

    def __init__(self, status: int, headers: dict[str, str], text: str) -> None:
        self.status_code = status
        self.response = _Response(status, headers)
        self.body = _object(text)
        super().__init__(" ".join(text.split())[:300] or "no message")


@dataclass(frozen=True)
class _Response:
    status_code: int
    headers: dict[str, str]


class HttpTarget:
    """Sends one request a question."""

    def __init__(self, target: TargetSettings, limits: ProviderSettings) -> None:
        """Raises UsageError for a template that is none, and for headers without a value."""
        self.url = target.address
        self.get = target.method == "GET"
        self.most = int(target.max_reply_mb * 1_000_000)
        self.headers = headers_of(target)
        self.secrets = secrets_of(self.headers.values())
        self.template = Template.parse(target.request or (CHAT if target.kind == "chat" else ASK))
        self.model = target.model if target.kind == "chat" else ""
        self.limits = limits
        self._session: aiohttp.ClientSession | None = None
        if self.get:
            parameters(self.template.fill(AskTarget(language="", question="")))

    async def ask(self, request: AskTarget) -> list[Any]:
        """The reply as plain data. Raises Told, Refused, or what the client raises."""
        import aiohttp

        tree = self.template.fill(request)
        if self.model and isinstance(tree, dict):
            tree = {"model": self.model, **tree}
        try:
            status, headers, text = await self._send(tree)
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
            raise Told(Problem("bad_request", f"{self.url} is no address: {error}")) from error
        except aiohttp.ClientError as error:
            said = " ".join(str(error).split()) or type(error).__name__
            raise Told(Problem("transport", self._clean(said)[:300], cause=type(error).__name__)) from error
        text = self._clean(text)
        if status >= 300:
            raise Refused(status, headers, text)
        return events_of(text, headers.get("content-type", ""))

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _send(self, tree: Any) -> tuple[int, dict[str, str], str]:
        """Status, headers (lower case) and body; redirects on the same host are followed."""
        url = self.url
        for _ in range(MOST_REDIRECTS + 1):
            sent: dict[str, Any] = {"params": parameters(tree)} if self.get else {"data": _body(tree)}
            if self.get and url != self.url:
                sent = {}  # the address to go to has the parameters, or means to have none
            kind = {} if self.get else {"content-type": "application/json"}
            async with self._client().request(
                "GET" if self.get else "POST",
                url,
                headers={"accept": ACCEPT, **kind, **self.headers},
                allow_redirects=False,
                **sent,
            ) as reply:
                headers = {name.lower(): value for name, value in reply.headers.items()}
                if not 300 <= reply.status < 400 or "location" not in headers:
                    return reply.status, headers, _text(await self._read(reply), reply.charset)
                url = self._next(url, reply.status, headers["location"])
        raise Told(Problem("bad_request", f"more than {MOST_REDIRECTS} redirects"))

    def _next(self, url: str, status: int, location: str) -> str:
        target = urljoin(url, location)
        if _origin(target) != _origin(self.url):
            where = self._clean(f"{urlsplit(target).scheme}://{urlsplit(target).netloc}")[:100]
            raise Told(
                Problem("bad_request", f"it redirects to {where}, which is not followed (mend: name it in target.name)")
            )
        if not (self.get or status in KEEPS_METHOD):
            raise Told(Problem("bad_request", f"HTTP {status} redirects a POST to a page; that is not followed"))
        return target

    async def _read(self, reply: aiohttp.ClientResponse) -> bytes:
        """The whole body, streams included, up to the limit."""
        parts, size = [], 0
        async for part in reply.content.iter_chunked(BLOCK):
            size += len(part)
            if size > self.most:
                told = f"the reply is longer than {self.most / 1_000_000:g} MB (target.max_reply_mb)"
                raise Told(Problem("too_long", told))
            parts.append(part)
        return b"".join(parts)

    def _client(self) -> aiohttp.ClientSession:
        import aiohttp

        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self.limits.concurrency),
                timeout=aiohttp.ClientTimeout(total=self.limits.timeout_seconds),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=True,
            )
        return self._session

    def _clean(self, text: str) -> str:
        for value in self.secrets:
            text = text.replace(value, REDACTED)
        return text


def headers_of(target: TargetSettings) -> dict[str, str]:
    """Headers with their values from the environment. Raises UsageError for one without, or that cannot be sent."""
    found = {}
    for header, variable in target.headers.items():
        value = os.environ.get(variable, "").strip()
        if not value:
            raise UsageError(f"target.headers: {header} needs a value: set {variable} in the environment or in .env")
        if not (value.isascii() and value.isprintable()):
            raise UsageError(f"target.headers: {variable} holds a character that cannot be sent; set it again")
        found[header] = value
    return found


def secrets_of(values: Iterable[str]) -> list[str]:
    """What must stand nowhere, longest first: whole values, those without a scheme before them, and as in JSON."""
    found = {part for value in values for part in (value, *value.split()) if len(part) >= SHORTEST_SECRET}
    found |= {json.dumps(part)[1:-1] for part in found}
    found |= {part.replace("/", "\\/") for part in found}
    return sorted(found - SCHEMES, key=len, reverse=True)


def _text(body: bytes, charset: str | None) -> str:
    """The body in words; a byte order mark is not one, and what cannot be read becomes U+FFFD."""
    try:
        return body.decode(charset or "utf-8", "replace").removeprefix("\ufeff")
    except (LookupError, UnicodeError):
        return body.decode("utf-8", "replace").removeprefix("\ufeff")


def _body(tree: Any) -> bytes:
    return json.dumps(tree, ensure_ascii=False).encode("utf-8", "replace")


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _object(text: str) -> dict[str, Any] | None:
    """The body of an error, as clients of models have it; `detail` is how FastAPI says `message`."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, dict) and "error" not in found and isinstance(found.get("detail"), str):
        found = {**found, "message": found["detail"]}
    return found if isinstance(found, dict) else None

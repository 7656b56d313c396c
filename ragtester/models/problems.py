"""What went wrong with a call: from whatever a client raised to a type, a message, a wait and what to mend."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from ragtester.models.catalogue import ModelName
from ragtester.redaction import redact
from ragtester.settings import ProviderSettings

_QUOTA_CODES = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"}
_QUOTA_WORDS = re.compile(
    r"exceeded your current quota|insufficient[ _](?:quota|credits?|balance|funds)|credit balance|out of credits"
    r"|billing|payment required|spend(?:ing)? limit",
    re.I,
)
# A limit that clears by itself says so, even where it speaks of a quota.
_CLEARS = re.compile(
    r"per[ _-]?(?:second|minute|hour|day)|\b(?:rpm|tpm|rpd|tpd)\b|(?:try|retry)(?: again)? (?:in|after)|please wait"
    r"|retrydelay",
    re.I,
)
_WINDOW = re.compile(
    r"context[ _](?:length|window|size)|maximum (?:context|prompt|input) (?:length|tokens)|prompt is too long"
    r"|too many (?:input )?tokens|exceeds? the (?:model'?s )?(?:maximum|available) context|input is too long",
    re.I,
)
_FILTER = re.compile(r"content[ _]?(?:filter|policy|management)|responsible ?ai ?policy|safety system|moderation", re.I)
_SCHEMA = re.compile(r"response_format|json_schema|json_object|json mode|structured output|grammar", re.I)
_TIMEOUTS = {"TimeoutError", "APITimeoutError", "TimeoutException", "ReadTimeout", "ConnectTimeout", "Timeout"}
_TRANSPORTS = {"APIConnectionError", "TransportError", "ConnectionError", "OSError", "NetworkError", "ProtocolError"}
_LOST = {
    "ServerDisconnectedError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "ClientConnectorError",
    "gaierror",
}


@dataclass(frozen=True)
class Problem:
    """A failed attempt. `retry_after` is in seconds; `parameter` is what the server does not take."""

    type: str
    message: str
    retry_after: float | None = None
    parameter: str | None = None
    cause: str = ""


class Told(Exception):  # noqa: N818 - carries a Problem through the caller
    """A failed attempt that its client has classified itself."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message)


def examine(error: BaseException, sent: Iterable[str] = (), retry_after: str | None = None) -> Problem:
    """Classify what a client raised. `sent` names the parameters of the request; `retry_after` is the header's text."""
    if isinstance(error, Told):
        return error.problem
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    status = status if isinstance(status, int) and status > 0 else None
    text = _message(error)
    headers = getattr(response, "headers", None)
    if retry_after is None and headers is not None:
        retry_after = headers.get("retry-after")
    wait = seconds_of(retry_after)
    if wait is None and headers is not None and headers.get("retry-after-ms"):
        wait = _number(headers.get("retry-after-ms"), 0.001)
    kind, parameter = _kind(error, status, text, _code(error), tuple(sent), wait)
    where = f"HTTP {status}: " if status else ""
    return Problem(kind, redact(f"{where}{text}")[:600], wait, parameter, type(error).__name__)


def seconds_of(header: str | None) -> float | None:
    """Seconds of a `Retry-After` header: a number or an HTTP date (RFC 9110, 10.2.3); None where it is neither."""
    if not header:
        return None
    if (number := _number(header)) is not None:
        return number
    try:
        when = parsedate_to_datetime(header)
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


def _kind(
    error: BaseException, status: int | None, text: str, code: str, sent: tuple[str, ...], wait: float | None
) -> tuple[str, str | None]:
    if status is None:
        return _without_status(error, text), None
    if status in (401, 403, 404):
        filtered = status == 403 and _FILTER.search(text)
        return "content_filter" if filtered else ("unknown_model" if status == 404 else "auth"), None
    if status in (402, 429):
        return _limited(status, text, code, wait), None
    if status in (400, 413, 415, 422):
        return _refused(status, text, code, sent)
    return "server_error", None


def _without_status(error: BaseException, text: str) -> str:
    names = {kind.__name__ for kind in type(error).__mro__}
    if _LOST & {kind.__name__ for kind in type(_deepest(error)).__mro__}:
        # Some transports report a lost or refused connection as a time-out.
        return "transport"
    if names & _TIMEOUTS:
        return "timeout"
    if _WINDOW.search(text):
        return "too_long"
    if names & _TRANSPORTS or "RemoteProtocolError" in names:
        return "transport"
    return "server_error"


def _limited(status: int, text: str, code: str, wait: float | None) -> str:
    if code in _QUOTA_CODES:
        return "quota"
    clears = wait is not None or bool(_CLEARS.search(text))
    return "quota" if not clears and (status == 402 or _QUOTA_WORDS.search(text)) else "rate_limited"


def _refused(status: int, text: str, code: str, sent: tuple[str, ...]) -> tuple[str, str | None]:
    if status == 413 or code == "context_length_exceeded" or _WINDOW.search(text):
        return "too_long", None
    if code == "content_filter" or _FILTER.search(text):
        return "content_filter", None
    if "response_format" in sent and _SCHEMA.search(text):
        return "bad_request", "response_format"
    named = [name for name in sent if re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", text)]
    return "bad_request", max(named, key=len) if named else None


def _message(error: BaseException) -> str:
    """One line: the server's own message where there is one."""
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error", body)
        said = inner.get("message") if isinstance(inner, dict) else inner
        if isinstance(said, str) and said.strip():
            return " ".join(said.split())
    said = getattr(error, "error", None) or getattr(error, "message", None) or str(error)
    if (
        type(error).__name__.endswith(("ConnectionError", "TimeoutError", "ConnectError"))
        and (reason := _deepest(error)) is not error
        and str(reason)
    ):
        said = f"{said} ({reason})"
    return " ".join(str(said).split()) or type(error).__name__


def _deepest(error: BaseException) -> BaseException:
    """The error at the bottom: clients wrap "connection refused" into words that do not say it."""
    for _ in range(10):
        below = error.__cause__ or error.__context__
        if below is None:
            break
        error = below
    return error


def _code(error: BaseException) -> str:
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else {}
    found = [getattr(error, "code", None), getattr(error, "type", None)]
    found += [inner.get("code"), inner.get("type")] if isinstance(inner, dict) else []
    codes = [code for code in found if isinstance(code, str)]
    return next((code for code in codes if code in _QUOTA_CODES), codes[0] if codes else "")


def _number(text: str, unit: float = 1.0) -> float | None:
    try:
        value = float(text) * unit
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def mend(problem: Problem, name: ModelName, limits: ProviderSettings) -> str:
    """The message with what a person can do about it."""
    says, key = problem.message, name.key_variable or f"the key of {name.full}"
    match problem.type:
        case "unknown_model" if name.provider == "ollama":
            says = f"{says} (mend: ollama pull {name.served})"
        case "unknown_model" if name.provider == "target":
            says = f"{says} (mend: check the address in target.name)"
        case "auth" if name.provider == "target":
            says = f"{says} (mend: check target.headers and the variables that it names)"
        case "unknown_model":
            says = f"{says} (mend: check the name of {name.full} and its base_url)"
        case "auth":
            says = f"{says} (mend: check {key})"
        case "timeout":
            setting = f"[providers.{name.provider}] timeout_seconds"
            says = f"no reply from {name.full} within {limits.timeout_seconds:g} s (mend: {setting})"
        case "server_error" if problem.cause == "ValueError":
            says = f"{name.base_url or name.provider}: {says} (mend: check base_url)"
        case "transport":
            says = f"{name.base_url or name.provider}: {says}"
        case "quota":
            says = f"{says} (mend: add credit, then run the same command again)"
    return says

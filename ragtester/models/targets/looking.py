"""Whether the target of the settings can be asked, for `ragtester doctor`: without a question, and with one."""

from __future__ import annotations

import socket
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

from ragtester.models.targets.opening import PROVIDER
from ragtester.records import Failure
from ragtester.settings import Settings
from ragtester.tasks import ASK_TARGET, AskTarget, TargetAnswered

PROBE = "What is this collection of documents about?"
SECONDS = 5.0


def unreachable(settings: Settings) -> str:
    """Why nothing listens at the address of the target; empty where something does, and for one in this process.

    Behind a proxy only a question can tell, and none is asked here.
    """
    target = settings.target
    if target.kind not in ("http", "chat"):
        return ""
    parts = urlsplit(target.address)
    host = parts.hostname or ""
    if parts.scheme in urllib.request.getproxies() and not urllib.request.proxy_bypass(host):
        return ""
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        socket.create_connection((host, port), timeout=SECONDS).close()
    except OSError as error:
        return f"{target.address}: {error.strerror or error}"
    return ""


async def probe(settings: Settings, root: Path) -> TargetAnswered | Failure:
    """Ask the target one question, once; its answer, or what went wrong."""
    from ragtester.models.gateway import Gateway

    once = settings.provider(PROVIDER).model_copy(update={"retries": 0})
    settings = settings.model_copy(update={"providers": {**settings.providers, PROVIDER: once}})
    async with Gateway(settings, root=root) as gateway:
        request = AskTarget(language="en", question=PROBE)
        asked = await gateway.ask(settings.target.label, ASK_TARGET, request)
    return asked.reply or asked.failure or Failure(type="empty", message="neither a reply nor a reason")


def reveals(reply: TargetAnswered) -> str:
    """What a reply tells, in one line."""
    if reply.chunks is None:
        return f"an answer of {len(reply.answer)} characters; no chunks are revealed"
    count = len(reply.chunks)
    parts = {
        "texts": sum(bool(one.text) for one in reply.chunks),
        "ids": sum(bool(one.id) for one in reply.chunks),
        "scores": sum(one.score is not None for one in reply.chunks),
        "documents": sum(bool(one.document) for one in reply.chunks),
    }
    told = ", ".join(f"{name} {found}" for name, found in parts.items())
    cited = "citations" if reply.cited is not None else "no citations"
    return f"an answer of {len(reply.answer)} characters, {count} chunk(s) ({told}), {cited}"

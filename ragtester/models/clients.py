"""LangChain's clients: how each provider's is made, without retries of its own, and how it is closed."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.util import find_spec
from typing import Any

from pydantic import SecretStr, ValidationError

from ragtester.errors import MissingPackageError, UsageError
from ragtester.models.catalogue import NO_KEY, OPENAI_URL, ModelName
from ragtester.redaction import redact
from ragtester.settings import ProviderSettings
from ragtester.text.normalise import clean

RETRY_AFTER: ContextVar[dict[str, str] | None] = ContextVar("retry_after", default=None)
# Fields of LangChain's Ollama client; everything else of `extra` is an option of the model.
OLLAMA_FIELDS = {"keep_alive", "reasoning", "headers"}
# Arguments that the OpenAI client takes beside the body, or that LangChain handles in a way of its own.
NOT_IN_BODY = {"extra_headers", "extra_query", "timeout", "response_format"}


def make_client(name: ModelName, limits: ProviderSettings, extra: dict[str, Any]) -> Any:
    """Make the LangChain client of a model, without retries of its own.

    Raises MissingPackageError naming what to install, UsageError for a provider or an argument that does not exist.
    """
    with _told(name):
        if name.provider == "openai":
            return _openai(name, limits, extra)
        if name.provider == "ollama":
            return _ollama(name, limits, extra)
        return _other(name, limits, extra)


def check_provider(name: ModelName, *, embedding: bool) -> None:
    """Raise UsageError for a provider that LangChain does not know, MissingPackageError where its package is absent.

    Nothing else is checked here: a wrong key or parameter shows in the first call, and its rows say so.
    """
    if name.provider in ("openai", "ollama"):
        return
    from langchain.chat_models import init_chat_model
    from langchain.embeddings import init_embeddings

    with _told(name):
        try:
            if embedding:
                init_embeddings(name.served, provider=name.provider)
            else:
                init_chat_model(name.served, model_provider=name.provider)
        except ValidationError:
            return


@contextmanager
def _told(name: ModelName) -> Iterator[None]:
    """Say what to mend where a client cannot be made."""
    try:
        yield
    except ImportError as error:
        hint = re.search(r"pip install [-\w]+", str(error))
        how = hint[0] if hint else f"pip install langchain-{name.provider.replace('_', '-')}"
        raise MissingPackageError(f"model {name.full!r} needs another package: {how}") from error
    except (ValueError, TypeError) as error:
        reason = redact(" ".join(str(error).split()))[:300]
        raise UsageError(f"model {name.full!r} cannot be set up: {reason}") from error


def _openai(name: ModelName, limits: ProviderSettings, extra: dict[str, Any]) -> Any:
    given = {"use_responses_api": False, **split_extra(extra)[0]}
    return _openai_class()(
        model=name.served,
        base_url=name.base_url or OPENAI_URL,
        api_key=SecretStr(name.key or NO_KEY),
        timeout=limits.timeout_seconds,
        max_retries=0,
        cache=False,
        disable_streaming=True,
        openai_proxy=None,
        http_async_client=http_client(limits),
        **given,
    )


def split_extra(extra: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments of LangChain's OpenAI client, and the rest, which only the server knows (`repetition_penalty`)."""
    from langchain_openai import ChatOpenAI

    fields = ChatOpenAI.model_fields
    names = {*fields, *(field.alias for field in fields.values() if field.alias)} - {"extra_body"}
    known = {key: value for key, value in extra.items() if key in names}
    body = {key: value for key, value in extra.items() if key not in names and key != "extra_body"}
    return known, {**(extra.get("extra_body") or {}), **body}


@cache
def _openai_class() -> type[Any]:
    """LangChain's client with a shorter way to the server: no hop to another thread, no copy of the reply into models.

    The body is plain JSON already, so that it goes to the OpenAI client's `post` as it is. `create` would compare it
    with the types of every field first, which costs a fifth of a call's CPU.
    """
    from langchain_core.outputs import ChatResult
    from langchain_openai import ChatOpenAI

    class LeanChatOpenAI(ChatOpenAI):
        async def _agenerate(
            self, messages: list[Any], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
        ) -> ChatResult:
            payload = self._get_request_payload(messages, stop=stop, **kwargs)
            if self._use_responses_api(payload) or not NOT_IN_BODY.isdisjoint(payload):
                return await super()._agenerate(messages, stop, run_manager, **kwargs)
            payload.pop("stream", None)
            further = payload.pop("extra_body", None) or {}
            body = {**payload, **further}
            return self._create_chat_result(
                await self.root_async_client.post("/chat/completions", cast_to=object, body=body)
            )

    return LeanChatOpenAI


def http_client(limits: ProviderSettings) -> Any:
    """Connections of one model's client: its own, because a shared one would be used from one event loop to the next.

    Over aiohttp where it is installed (chromadb brings it): about a third less CPU a call than the default transport.
    """
    import httpx2
    from openai import DefaultAioHttpClient, DefaultAsyncHttpxClient

    kind = DefaultAioHttpClient if find_spec("aiohttp") else DefaultAsyncHttpxClient
    places = httpx2.Limits(max_connections=limits.concurrency, max_keepalive_connections=limits.concurrency)
    proxy = os.environ.get("OPENAI_PROXY") or None
    return kind(timeout=limits.timeout_seconds, limits=places, verify=_certificates(), proxy=proxy)


@cache
def _certificates() -> Any:
    """Reading the certificates takes longer than many calls: once a process."""
    import httpx2

    return httpx2.create_ssl_context()


def _ollama(name: ModelName, limits: ProviderSettings, extra: dict[str, Any]) -> Any:
    own = {key: value for key, value in extra.items() if key in OLLAMA_FIELDS - {"headers"}}
    client: dict[str, Any] = {"timeout": limits.timeout_seconds, "headers": extra.get("headers")}
    return _ollama_class()(
        model=name.served,
        base_url=name.base_url,
        client_kwargs=client,
        async_client_kwargs={"event_hooks": {"response": [note_retry_after]}},
        cache=False,
        **own,
    )


@cache
def _ollama_class() -> type[Any]:
    """LangChain's client, with the text cleaned before its message classes refuse half of a surrogate pair."""
    from langchain_ollama import ChatOllama

    class CleanChatOllama(ChatOllama):
        async def _acreate_chat_stream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            async for part in super()._acreate_chat_stream(*args, **kwargs):
                message = getattr(part, "message", None)
                if message is not None and message.content:
                    message.content = clean(message.content)
                yield part

    return CleanChatOllama


async def note_retry_after(response: Any) -> None:
    """Keep the header that Ollama's client throws away with the response."""
    there = RETRY_AFTER.get()
    if there is not None and response.status_code >= 400 and response.headers.get("retry-after"):
        there["retry-after"] = response.headers["retry-after"]


def _other(name: ModelName, limits: ProviderSettings, extra: dict[str, Any]) -> Any:
    from langchain.chat_models import init_chat_model

    given: dict[str, Any] = {"cache": False, **extra}
    if name.base_url:
        given["base_url"] = name.base_url
    if name.settings.api_key_env and name.key:
        given["api_key"] = name.key
    ours: dict[str, Any] = {"timeout": limits.timeout_seconds, "max_retries": 0}
    try:
        return init_chat_model(name.served, model_provider=name.provider, **ours, **given)
    except (ValueError, TypeError):
        # Not every client knows these two; the time limit holds without them.
        return init_chat_model(name.served, model_provider=name.provider, **given)


def make_embedding_client(name: ModelName, limits: ProviderSettings) -> Any:
    """Make the LangChain embedding client of a model; raises as `make_client` does.

    Texts go to OpenAI-like servers as they are: token numbers mean nothing to any tokenizer but OpenAI's own.
    """
    own = name.settings
    with _told(name):
        if name.provider == "openai":
            from langchain_openai import OpenAIEmbeddings

            return OpenAIEmbeddings(
                model=name.served,
                base_url=name.base_url or OPENAI_URL,
                api_key=SecretStr(name.key or NO_KEY),
                timeout=limits.timeout_seconds,
                max_retries=0,
                dimensions=own.dimensions,
                chunk_size=own.batch_size,
                check_embedding_ctx_length=False,
                model_kwargs={"encoding_format": "float"},
                openai_proxy=None,
                http_async_client=http_client(limits),
                **own.extra,
            )
        if name.provider == "ollama":
            from langchain_ollama import OllamaEmbeddings

            return OllamaEmbeddings(
                model=name.served,
                base_url=name.base_url,
                dimensions=own.dimensions,
                client_kwargs={"timeout": limits.timeout_seconds},
                async_client_kwargs={"event_hooks": {"response": [note_retry_after]}},
                **own.extra,
            )
        from langchain.embeddings import init_embeddings

        given = {**own.extra, **({"base_url": name.base_url} if name.base_url else {})}
        return init_embeddings(name.served, provider=name.provider, **given)


async def close_client(model: Any) -> None:
    """Close the connections of a client; None is no client."""
    for name in ("root_async_client", "_async_client", "http_async_client"):
        client = getattr(model, name, None)
        close = getattr(client, "close", None) or getattr(client, "aclose", None)
        if close is not None:
            await close()
    for name in ("root_client", "_client"):
        client = getattr(model, name, None)
        if client is not None and hasattr(client, "close"):
            client.close()

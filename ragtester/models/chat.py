"""LangChain chat clients. Each is made once a model; parameters travel with the call, so that one can be left out.

`response_format` goes into the body of the request past the client's own handling (`extra_body`): bound the usual way,
a truncated reply raises an error and its paid text is lost, and every call costs more CPU.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from ragtester.errors import RagtesterError
from ragtester.models.accounts import Said
from ragtester.models.catalogue import ModelName
from ragtester.models.clients import OLLAMA_FIELDS, close_client, make_client, split_extra
from ragtester.settings import ProviderSettings
from ragtester.tasks import Task

# Providers that take an OpenAI-like `response_format` as a call's argument.
_TAKES_FORMAT = {"groq", "mistralai", "together", "fireworks", "huggingface"}
_WEAKER = {"json_schema": "json_object", "json_object": "prompt"}
STRUCTURE = "response_format"


class ChatClient:
    """One model. `dropped` lists the parameters that its server refused; they are not sent again."""

    def __init__(self, name: ModelName, limits: ProviderSettings) -> None:
        self.name = name
        self.limits = limits
        self.structured: str = name.settings.structured
        self.dropped: list[str] = []
        self.window = 0
        self._asked_limit: asyncio.Future[int | None] | None = None
        self._limit_name = "max_completion_tokens"
        self._model: Any = None
        self._retired: list[Any] = []
        self._arguments: dict[tuple[str, str, int], dict[str, Any]] = {}

    def sent(self, task: Task[Any, Any]) -> list[str]:
        """Names of the parameters that a request carries, as error messages name them."""
        own = self.name.settings
        names = [*own.extra]
        if own.temperature is not None:
            names.append("temperature")
        if own.max_tokens is not None:
            names += ["max_completion_tokens", "max_tokens"]
        if task.reply_format == "json" and self.structured != "prompt":
            names.append(STRUCTURE)
        return [name for name in names if name not in self.dropped]

    def drop(self, parameter: str) -> bool:
        """Leave a parameter out from now on; a refused schema falls back to plain JSON mode, then to the prompt alone.

        Returns False where there is nothing left to leave out. What was left out is in `dropped`.
        """
        if parameter == STRUCTURE:
            if self.structured == "prompt":
                return False
            self.dropped.append(f"{STRUCTURE}={self.structured}")
            self.structured = _WEAKER[self.structured]
        elif parameter in ("max_tokens", "max_completion_tokens"):
            if "max_tokens" in self.dropped:
                return False
            # Older servers know the limit by its old name: the user's limit is kept before it is given up.
            self.dropped.append(self._limit_name)
            self._limit_name = "max_tokens"
        elif parameter in self.dropped:
            return False
        else:
            self.dropped.append(parameter)
        self._arguments.clear()
        if parameter in self.name.settings.extra and self._model is not None:
            # Other calls may be under way with it: it is closed at the end.
            self._retired.append(self._model)
            self._model = None
        return True

    async def send(self, messages: list[tuple[str, str]], task: Task[Any, Any], window: int) -> Said:
        """One request. Raises whatever the client raises, and TimeoutError after the provider's time limit.

        `window` is the context that the prompt needs, in tokens (Ollama must be told; 0: not known).
        """
        from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
        from langsmith import tracing_context

        kinds = {"system": SystemMessage, "human": HumanMessage, "ai": AIMessage}
        model = self._client()
        arguments = self._call_arguments(model, task, window)
        written = [kinds[kind](content=text) for kind, text in messages]
        begun = time.perf_counter()
        # No trace leaves the machine, whatever the environment says.
        with tracing_context(enabled=False):
            async with asyncio.timeout(self.limits.timeout_seconds):
                message = await model.ainvoke(written, **arguments)
        return said(message, time.perf_counter() - begun)

    async def context_limit(self) -> int | None:
        """The context that an Ollama model was trained for, as its server tells; None where it does not.

        Ollama cuts longer prompts in silence, whatever `num_ctx` asks for. What is wrong with the server shows in the
        call that follows.
        """
        if self.name.provider != "ollama":
            return None
        if self._asked_limit is None:
            self._asked_limit = asyncio.ensure_future(self._ask_limit())
        return await asyncio.shield(self._asked_limit)

    async def _ask_limit(self) -> int | None:
        try:
            async with asyncio.timeout(self.limits.timeout_seconds):
                shown = await self._client()._async_client.show(self.name.served)
        except RagtesterError:
            raise
        except Exception:  # noqa: BLE001 - not known; the call itself reports what is wrong
            return None
        about = dict(shown.modelinfo or {})
        return next((int(value) for key, value in about.items() if key.endswith(".context_length") and value), None)

    async def close(self) -> None:
        """Close the client's connections."""
        models, self._model, self._retired = [*self._retired, self._model], None, []
        for model in models:
            await close_client(model)

    def _client(self) -> Any:
        if self._model is None:
            extra = {key: value for key, value in self.name.settings.extra.items() if key not in self.dropped}
            self._model = make_client(self.name, self.limits, extra)
            if not hasattr(self._model, "root_async_client"):
                self._limit_name = "max_tokens"
        return self._model

    def _call_arguments(self, model: Any, task: Task[Any, Any], window: int) -> dict[str, Any]:
        key = (task.name, task.reply_format, window)
        if key not in self._arguments:
            schema = _schema(task) if task.reply_format == "json" and self.structured != "prompt" else None
            if self.name.provider == "ollama":
                self._arguments[key] = self._ollama_arguments(schema, window)
            else:
                self._arguments[key] = self._arguments_of(model, schema)
        return self._arguments[key]

    def _arguments_of(self, model: Any, schema: dict[str, Any] | None) -> dict[str, Any]:
        from langchain_openai.chat_models.base import BaseChatOpenAI

        own, made, body = self.name.settings, dict[str, Any](), dict[str, Any]()
        if own.temperature is not None and "temperature" not in self.dropped:
            made["temperature"] = own.temperature
        openai_like = isinstance(model, BaseChatOpenAI)
        if own.max_tokens is not None and "max_tokens" not in self.dropped:
            if not openai_like:
                made["max_tokens"] = own.max_tokens
            elif self._limit_name == "max_tokens":
                body["max_tokens"] = own.max_tokens
            else:
                made["max_completion_tokens"] = own.max_tokens
        if schema is not None and (openai_like or self.name.provider in _TAKES_FORMAT):
            wanted = {"type": "json_schema", "json_schema": schema}
            chosen = wanted if self.structured == "json_schema" else {"type": "json_object"}
            (body if openai_like else made)[STRUCTURE] = chosen
        if openai_like:
            _, further = split_extra({key: value for key, value in own.extra.items() if key not in self.dropped})
            body = {**further, **body}
        if body:
            made["extra_body"] = body
        return made

    def _ollama_arguments(self, schema: dict[str, Any] | None, window: int) -> dict[str, Any]:
        own = self.name.settings
        options: dict[str, Any] = {k: v for k, v in own.extra.items() if k not in OLLAMA_FIELDS}
        options |= {"temperature": own.temperature, "num_predict": own.max_tokens, "num_ctx": window or None}
        made: dict[str, Any] = {
            "options": {k: v for k, v in options.items() if v is not None and k not in self.dropped}
        }
        if schema is not None:
            made["format"] = schema["schema"] if self.structured == "json_schema" else "json"
        return made


def said(message: Any, seconds: float) -> Said:
    """Read LangChain's message: the text of its text blocks, the API's refusal field, counts, names."""
    content = message.content
    if isinstance(content, list):
        parts = [part if isinstance(part, str) else part.get("text", "") for part in content]
        content = "".join(part for part in parts if isinstance(part, str))
    about, usage = message.response_metadata or {}, message.usage_metadata or {}
    finish = about.get("finish_reason") or about.get("done_reason") or about.get("stop_reason")
    return Said(
        text=content or "",
        refusal=str(message.additional_kwargs.get("refusal") or ""),
        finish_reason=str(finish) if finish else None,
        served_model=about.get("model_name") or about.get("model"),
        prompt_tokens=usage.get("input_tokens"),
        completion_tokens=usage.get("output_tokens"),
        cached_tokens=(usage.get("input_token_details") or {}).get("cache_read") or 0,
        seconds=round(seconds, 3),
    )


def _schema(task: Task[Any, Any]) -> dict[str, Any]:
    """The reply's JSON schema as OpenAI-compatible servers take it: every field required."""

    def tighten(part: Any) -> Any:
        if isinstance(part, list):
            return [tighten(item) for item in part]
        if not isinstance(part, dict):
            return part
        made = {key: tighten(value) for key, value in part.items() if key not in ("default", "title", "description")}
        if part.get("type") == "object" and "properties" in part:
            made["properties"] = {key: tighten(value) for key, value in part["properties"].items()}
            made["required"] = list(part["properties"])
        return made

    # Servers take no dot in a schema's name.
    return {"name": task.name.replace(".", "-"), "schema": tighten(task.reply.model_json_schema())}

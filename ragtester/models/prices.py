"""What calls cost in US dollars. Prices: the settings, else the data of the package `genai-prices` (offline, dated)."""

from __future__ import annotations

from functools import lru_cache
from importlib import metadata
from typing import Any

from ragtester.settings import ModelSettings

# Providers whose name in LangChain differs from the one in the price data.
_PROVIDERS = {
    "google_genai": "google",
    "google_vertexai": "google",
    "google_anthropic_vertex": "google",
    "mistralai": "mistral",
    "azure_openai": "azure",
    "azure_ai": "azure",
    "bedrock": "aws",
    "bedrock_converse": "aws",
    "xai": "x-ai",
}
FREE = ("embedded", "scripted", "ollama")


def price_of(
    model: str, prompt_tokens: int, completion_tokens: int, settings: ModelSettings, cached_tokens: int = 0
) -> float | None:
    """Cost in USD of `provider:model` for so many tokens; None where no price is known.

    Prices of the settings are USD per million tokens. Embedded, scripted and Ollama's local models cost 0. A server
    behind a `base_url` has no known price unless the settings give one.
    """
    provider, _, name = model.partition(":")
    if settings.prompt_price is not None or settings.completion_price is not None:
        prompt = prompt_tokens * (settings.prompt_price or 0.0)
        return (prompt + completion_tokens * (settings.completion_price or 0.0)) / 1e6
    if provider in FREE:
        return 0.0
    if settings.base_url is not None:
        return None
    found = _known(provider, settings.model or name)
    if found is None:
        return None
    from genai_prices import Usage

    usage = Usage(input_tokens=prompt_tokens, output_tokens=completion_tokens, cache_read_tokens=cached_tokens or None)
    try:
        return float(found[0].calc(usage, settings.model or name, found[1], None, None).total_price)
    except (LookupError, ValueError):
        return None


def window_of(model: str, settings: ModelSettings) -> int | None:
    """The model's context window in tokens as the price data know it; None where they do not."""
    provider, _, name = model.partition(":")
    if provider in FREE or settings.base_url is not None:
        return None
    found = _known(provider, settings.model or name)
    return found[2] if found else None


def source() -> str:
    """Where prices come from, for manifests and reports."""
    return f"genai-prices {metadata.version('genai-prices')}"


@lru_cache(maxsize=256)
def _known(provider: str, name: str) -> tuple[Any, str, int | None] | None:
    """Price data, its name of the provider, and the model's window."""
    from genai_prices.data_snapshot import get_snapshot

    data, there = get_snapshot(), _PROVIDERS.get(provider, provider)
    try:
        _, found = data.find_provider_model(name, None, there, None)
    except LookupError:
        return None
    window = getattr(found, "context_window", None)
    return data, there, window if isinstance(window, int) else None

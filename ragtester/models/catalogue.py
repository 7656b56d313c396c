"""What is known of providers and models: keys, addresses, prefixes; and how a name is taken apart."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ragtester.errors import UsageError
from ragtester.settings import ModelSettings, Settings

KEYS = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "google_genai": "GOOGLE_API_KEY",
    "mistralai": "MISTRAL_API_KEY",
    "groq": "GROQ_API_KEY",
    "together": "TOGETHER_API_KEY",
    "cohere": "COHERE_API_KEY",
    "fireworks": "FIREWORKS_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
    "xai": "XAI_API_KEY",
}
OPENAI_URL = "https://api.openai.com/v1"
# A server without keys still needs a header that is not empty.
NO_KEY = "not-needed"
# What embedding models were trained to see before a question and before a passage (from their model cards).
PREFIXES = {
    "e5": ("query: ", "passage: "),
    "nomic-embed-text": ("search_query: ", "search_document: "),
    "mxbai-embed-large": ("Represent this sentence for searching relevant passages: ", ""),
    "snowflake-arctic-embed": ("Represent this sentence for searching relevant passages: ", ""),
    "bge-large-en": ("Represent this sentence for searching relevant passages: ", ""),
    "bge-base-en": ("Represent this sentence for searching relevant passages: ", ""),
    "bge-small-en": ("Represent this sentence for searching relevant passages: ", ""),
}


@dataclass(frozen=True)
class ModelName:
    """`provider:model` taken apart. `served` is the name that the server knows."""

    full: str
    provider: str
    served: str
    settings: ModelSettings

    @property
    def base_url(self) -> str | None:
        """Where the model is asked: the settings, else OpenAI's variables, else the client's own default (None)."""
        if self.settings.base_url or self.provider != "openai":
            return self.settings.base_url
        return os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE") or None

    @property
    def key_variable(self) -> str | None:
        """The environment variable with the key. A server of one's own gets none, unless the settings name one."""
        if self.settings.api_key_env:
            return self.settings.api_key_env
        return None if self.settings.base_url else KEYS.get(self.provider)

    @property
    def key(self) -> str | None:
        """The key without white space around it, or None where there is none.

        Raises UsageError for a key that no HTTP header can carry.
        """
        found = os.environ.get(self.key_variable, "").strip() if self.key_variable else ""
        if not (found.isascii() and found.isprintable()):
            raise UsageError(f"{self.key_variable} holds a character that cannot be sent to {self.full}; set it again")
        return found or None

    @property
    def key_missing(self) -> bool:
        """Whether a key is needed and not there."""
        return self.key_variable is not None and self.key is None


def resolve(name: str, settings: Settings) -> ModelName:
    """Take a model's name apart. Raises UsageError where it is not `provider:model`."""
    provider, found, rest = name.partition(":")
    if not found or not provider or not rest:
        raise UsageError(f"model {name!r}: write provider:model, for example openai:gpt-4.1-mini or ollama:llama3.2:3b")
    own = settings.model(name)
    return ModelName(name, provider, own.model or rest, own)


def prefixes(served: str) -> tuple[str, str]:
    """What goes before a question and before a passage for this embedding model; two empty texts for most."""
    plain = served.lower().rpartition("/")[2]
    for part, pair in PREFIXES.items():
        if plain.startswith(part) or (part == "e5" and plain.startswith("multilingual-e5")):
            return pair
    return "", ""

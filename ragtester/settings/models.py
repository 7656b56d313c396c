"""The tables of models and their providers, in which no key or password may land."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field, model_validator

from ragtester.settings.table import Table

SECRET = re.compile(r"api[-_]?key|authorization|password|secret|access[-_]?token", re.IGNORECASE)


class ProviderSettings(Table):
    """`[providers.NAME]`: how hard one provider may be pressed."""

    concurrency: int = Field(default=8, ge=1)
    requests_per_minute: int = Field(default=0, ge=0)
    timeout_seconds: float = Field(default=120.0, gt=0)
    retries: int = Field(default=5, ge=0)
    max_wait_seconds: float = Field(default=60.0, gt=0)


class ModelSettings(Table):
    """`[models."provider:name"]`: what one model needs; what is absent is not sent."""

    base_url: str | None = None
    model: str | None = None
    api_key_env: str | None = None
    temperature: float | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    reply_format: Literal["json", "text"] | None = None
    structured: Literal["json_schema", "json_object", "prompt"] = "json_object"
    context_window: int | None = Field(default=None, ge=256)
    dimensions: int | None = Field(default=None, ge=1)
    batch_size: int = Field(default=128, ge=1)
    prompt_price: float | None = Field(default=None, ge=0)
    completion_price: float | None = Field(default=None, ge=0)
    extra: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _no_secrets(self) -> ModelSettings:
        """These settings are written into manifests and rows, where no key may land."""
        mend = "holds a key or password; name the environment variable that holds it in api_key_env"
        if self.base_url and ("@" in self.base_url.partition("?")[0] or SECRET.search(self.base_url)):
            raise ValueError(f"base_url {mend}")
        if any(SECRET.search(name) for name in _names_in(self.extra)):
            raise ValueError(f"extra {mend}")
        if self.api_key_env is not None and not re.fullmatch(r"[A-Za-z_]\w*", self.api_key_env, re.ASCII):
            raise ValueError("api_key_env is no name of an environment variable; it never holds the key itself")
        return self


def _names_in(tree: Any) -> Iterator[str]:
    """Every key of nested tables and lists."""
    if isinstance(tree, dict):
        yield from tree
    for value in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _names_in(value)

"""What tests of model calls share: services that do not sleep, a request, settings for a loopback server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragtester.models.accounts import Services
from ragtester.models.journal import CallJournal
from ragtester.models.limits import Budget
from ragtester.settings import ModelSettings, ProviderSettings, Settings
from ragtester.tasks import AnswerQuestion, Passage


def services(waits: list[float] | None = None, journal: Path | None = None) -> Services:
    """Shared services whose back-off notes its waits instead of sleeping, and whose jitter is always the most."""
    noted = waits if waits is not None else []

    async def sleep(seconds: float) -> None:
        noted.append(seconds)

    return Services(CallJournal(journal), Budget(), sleep=sleep, draw=lambda: 1.0)


def question(text: str = "How long is the log kept?", **changes: Any) -> AnswerQuestion:
    """A small question over one section."""
    sections = (Passage(label="d#1", text="The log is kept for six years."),)
    return AnswerQuestion(language="English", question=text, sections=sections, **changes)


def settings_for(url: str, *names: str, provider: str = "openai", **changes: Any) -> Settings:
    """Settings in which every `provider:name` is asked at `url`; `limits` go to the provider, the rest to models."""
    limits = {"retries": 2, "timeout_seconds": 5.0, **changes.pop("limits", {})}
    own = ModelSettings(**{"base_url": url, **changes})
    models = {f"{provider}:{name}": own for name in names}
    return Settings(models=models, providers={provider: ProviderSettings(**limits)})

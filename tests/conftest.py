"""No test reaches the network, the user's keys or the user's files by accident."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples on every machine, so that nobody's first test run fails by chance; new ones are looked for with
# --hypothesis-profile=default. No test is timed: a busy machine is no fault.
settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same")

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LANGSMITH_API_KEY", "LANGCHAIN_API_KEY", "LANGSMITH_TRACING")
SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HOME", str(tmp_path_factory.getbasetemp() / "home"))


@pytest.fixture
def repository() -> Path:
    """The project's root."""
    return Path(__file__).parents[1]


@pytest.fixture
def shared_pdfs() -> Path:
    """Real PDFs beside the project; the test is skipped where they are absent."""
    return _shared("pdfs")


@pytest.fixture
def shared_cases() -> Path:
    """Public failure cases beside the project; the test is skipped where they are absent."""
    return _shared("cases")


def _shared(name: str) -> Path:
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"the folder {name} of public test data is not on this machine")
    return folder


def run_environment() -> dict[str, str]:
    """An environment for subprocesses: today's, without keys."""
    return {name: value for name, value in os.environ.items() if name not in KEYS}

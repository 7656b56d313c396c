"""Loopback model servers for tests and benchmarks: OpenAI-compatible, Ollama's documented API, and a real llama.cpp."""

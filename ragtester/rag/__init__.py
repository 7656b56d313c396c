"""Retrieval: chunks, Chroma stores, retrieval."""

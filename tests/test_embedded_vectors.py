"""Vectors without a network: unit rows, zero rows for nothing, the same in every process."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtester.models.embedded.vectors import embed_texts, hash_texts

OFFLINE = """
import socket
def refuse(*args, **kwargs):
    raise OSError("no network")
socket.socket.connect = refuse
socket.create_connection = refuse
socket.getaddrinfo = refuse
from ragtester.models.embedded.vectors import embed_texts, hash_texts
print(embed_texts(["a valve", ""]).shape, hash_texts(["valve"]).tobytes().hex())
"""


def test_meaning_is_nearer_than_chance() -> None:
    doctor, physician, banana = embed_texts(["a doctor in a hospital", "a physician in a clinic", "a ripe banana"])
    assert doctor @ physician > doctor @ banana + 0.2


def test_rows_are_unit_or_zero() -> None:
    rows = embed_texts(["valve", "", "  \n", "\ud800 x"])
    assert rows.shape == (4, 256)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 0, 0, 1], atol=1e-5)
    assert embed_texts([]).shape == (0, 256)


def test_needs_no_network_and_no_hash_seed() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", OFFLINE],
            env={**os.environ, "PYTHONHASHSEED": seed, "HF_HUB_OFFLINE": "1", "HOME": "/nonexistent"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop().startswith("(2, 256)")


def test_hashing_shares_stems_and_depends_on_the_seed() -> None:
    one, inflected, other = hash_texts(["inspection", "inspections", "banana"])
    assert one @ inflected > 0.25 > abs(one @ other)
    assert not np.allclose(hash_texts(["valve"], seed=0), hash_texts(["valve"], seed=1))
    assert hash_texts(["valve"], dimensions=64).shape == (1, 64)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=60), max_size=5))
def test_any_text_gives_finite_rows(texts: list[str]) -> None:
    for rows in (embed_texts(texts), hash_texts(texts)):
        assert rows.shape == (len(texts), 256)
        assert np.isfinite(rows).all()
        assert np.all(np.linalg.norm(rows, axis=1) < 1.0001)

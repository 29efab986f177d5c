"""Seeds that depend on words and numbers alone: not on the order of runs, nor on who runs them."""

from __future__ import annotations

import hashlib

import numpy as np


def seed_sequence(seed: int, *keys: str | int) -> np.random.SeedSequence:
    """Derive a seed from a study's seed and the names of a run."""
    text = "\x1f".join(map(str, keys))
    digest = hashlib.sha256(text.encode()).digest()
    words = np.frombuffer(digest, "<u4").tolist()
    return np.random.SeedSequence([seed, *words])


def generator(seed: int, *keys: str | int) -> np.random.Generator:
    """Make a generator for one purpose of one run."""
    return np.random.default_rng(seed_sequence(seed, *keys))

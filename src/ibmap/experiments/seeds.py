"""Seeds that depend on words and numbers alone: not on the order of runs, nor on who runs them."""

from __future__ import annotations

import hashlib

import numpy as np


def seed_sequence(seed: int, *keys: str | int) -> np.random.SeedSequence:
    """Derive a seed from a study's seed and the names of a run.

    Parameters
    ----------
    seed : int
        The study's seed, from 0.
    *keys : str or int
        Names of the study, the data set, the repetition, the purpose.

    Returns
    -------
    numpy.random.SeedSequence
        The same for the same arguments, on every machine.

    Examples
    --------
    >>> int(seed_sequence(1, "n12", 3).generate_state(1)[0])
    2526678435
    """
    text = "\x1f".join(map(str, keys))
    digest = hashlib.sha256(text.encode()).digest()
    words = np.frombuffer(digest, "<u4").tolist()
    return np.random.SeedSequence([seed, *words])


def generator(seed: int, *keys: str | int) -> np.random.Generator:
    """Make a generator for one purpose of one run.

    Parameters
    ----------
    seed : int
        The study's seed.
    *keys : str or int
        As for `seed_sequence`.

    Returns
    -------
    numpy.random.Generator
        Ready to draw from.

    Examples
    --------
    >>> int(generator(1, "a").integers(100)) == int(generator(1, "a").integers(100))
    True
    """
    return np.random.default_rng(seed_sequence(seed, *keys))

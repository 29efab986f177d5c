"""Arguments that several parts of the simulator take: counts and seeds."""

from __future__ import annotations

import os
from typing import TypeAlias

import numpy as np

from ibmap.errors import InvalidOptionError

RandomState: TypeAlias = int | np.random.Generator | None


def as_count(value: int, name: str, *, least: int) -> int:
    """Check an option that must be a whole number.

    Parameters
    ----------
    value : int
        The option's value.
    name : str
        Its name, for the message.
    least : int
        The smallest number allowed.

    Returns
    -------
    int
        The value.

    Examples
    --------
    >>> as_count(10, "thinning", least=1)
    10
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        msg = f"{name} must be a whole number, at least {least}; got {value!r}"
        raise InvalidOptionError(msg)
    return int(value)


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Read a `random_state`.

    Parameters
    ----------
    random_state : int, numpy.random.Generator or None
        A seed, a generator (which is then advanced), or None for a fresh one.

    Returns
    -------
    numpy.random.Generator
        The generator to draw from.

    Examples
    --------
    >>> int(as_generator(7).integers(100)) == int(as_generator(7).integers(100))
    True
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    is_seed = isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool)
    if random_state is not None and not (is_seed and random_state >= 0):
        msg = f"random_state must be None, a whole number from 0 or a numpy Generator; got {random_state!r}"
        raise InvalidOptionError(msg)
    return np.random.default_rng(random_state)


def as_thread_count(n_threads: int | None) -> int:
    """Read an `n_threads` option; None stands for every processor this process may use.

    Parameters
    ----------
    n_threads : int or None
        The option's value.

    Returns
    -------
    int
        How many threads to use.

    Examples
    --------
    >>> as_thread_count(2)
    2
    """
    if n_threads is not None:
        return as_count(n_threads, "n_threads", least=1)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

"""Check options once, where they enter."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from ibmap.errors import InvalidOptionError

RandomState: TypeAlias = int | np.random.Generator | None


def as_number(
    value: float, name: str, *, low: float, high: float, from_low: bool = False, to_high: bool = False
) -> float:
    """Check an option that must lie between two bounds.

    Parameters
    ----------
    value : float
        The option's value.
    name : str
        Its name, for the message.
    low, high : float
        Bounds, exclusive.
    from_low, to_high : bool
        Whether the lower one is allowed, and the upper one.

    Returns
    -------
    float
        The value.

    Examples
    --------
    >>> as_number(0.5, "prior", low=0, high=1)
    0.5
    """
    is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    is_bound = is_number and ((from_low and value == low) or (to_high and value == high))
    if not is_number or not (low < value < high or is_bound):
        span = f"from {low} on, under {high}" if from_low else f"strictly between {low} and {high}"
        span = f"from {low} to {high}" if from_low and to_high else span
        msg = f"{name} must be a number {span}; got {value!r}"
        raise InvalidOptionError(msg)
    return float(value)


def as_choice(value: str, name: str, choices: Sequence[str]) -> str:
    """Check an option that must be one of a few words.

    Parameters
    ----------
    value : str
        The option's value.
    name : str
        Its name, for the message.
    choices : sequence of str
        What is possible.

    Returns
    -------
    str
        The value.

    Examples
    --------
    >>> as_choice("or", "rule", ("or", "and"))
    'or'
    """
    if not isinstance(value, str) or value not in choices:
        msg = f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}"
        raise InvalidOptionError(msg)
    return value


def as_count(value: int, name: str, *, low: int = 0) -> int:
    """Check an option that must be a whole number.

    Parameters
    ----------
    value : int
        The option's value.
    name : str
        Its name, for the message.
    low : int
        The smallest possible.

    Returns
    -------
    int
        The value.

    Examples
    --------
    >>> as_count(3, "max_ascents")
    3
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < low:
        msg = f"{name} must be a whole number of at least {low}; got {value!r}"
        raise InvalidOptionError(msg)
    return int(value)


def n_cores() -> int:
    """Count the cores this process may use.

    Returns
    -------
    int
        At least 1.

    Examples
    --------
    >>> n_cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


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
        return as_count(n_threads, "n_threads", low=1)
    return n_cores()

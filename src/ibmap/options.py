"""Check options once, where they enter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ibmap.errors import InvalidOptionError


def as_number(value: float, name: str, *, low: float, high: float) -> float:
    """Check an option that must lie strictly between two bounds.

    Parameters
    ----------
    value : float
        The option's value.
    name : str
        Its name, for the message.
    low, high : float
        Bounds, exclusive.

    Returns
    -------
    float
        The value.

    Examples
    --------
    >>> as_number(0.5, "prior", low=0, high=1)
    0.5
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not low < value < high:
        msg = f"{name} must be a number strictly between {low} and {high}; got {value!r}"
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

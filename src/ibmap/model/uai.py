"""The UAI format: the factors of a network as plain text, without names.

``MARKOV``, the number of variables, their numbers of states, the number of
factors, the variables of each, then each table: its size and its values, the
last variable fastest. Variables are written in descending order, so that readers which
take the lowest one as the fastest, whatever the order (pyAgrum), read the same network.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ibmap.errors import FileFormatError, InvalidOptionError
from ibmap.model.conversions import one_a_scope, scaled
from ibmap.model.potentials import Factor, Potentials

MOST_DIGITS = 15  # of a count: no file holds so many
MOST_AXES = 32  # of a NumPy array, in its older versions


def uai_text(potentials: Potentials) -> str:
    """Write a network in the UAI format."""
    factors = one_a_scope(potentials)
    lines = ["MARKOV", str(potentials.n_variables), " ".join(map(str, potentials.cardinalities))]
    lines.append(str(len(factors)))
    lines += [" ".join(map(str, (len(factor.variables), *factor.variables[::-1]))) for factor in factors]
    for factor in factors:
        lines += ["", str(factor.log_values.size), " ".join(map(repr, scaled(factor).T.ravel().tolist()))]
    return "\n".join(lines) + "\n"


def parse_uai(text: str) -> Potentials:
    """Read a network in the UAI format."""
    lines = (line.split("#")[0] for line in text.splitlines())
    words = iter(" ".join(lines).split())
    kind = next(words, "")
    if kind not in ("MARKOV", "BAYES"):
        msg = f"a UAI file begins with MARKOV or BAYES; this begins with {kind[:20]!r}"
        raise FileFormatError(msg)
    try:
        shape = tuple(
            _count(words, "a number of states", low=1) for _ in range(_count(words, "a number of variables"))
        )
        scopes = [
            tuple(_count(words, "a variable") for _ in range(_count(words, "the size of a factor")))
            for _ in range(_count(words, "the number of factors"))
        ]
        return Potentials(shape, tuple(_table(words, scope, shape) for scope in scopes))
    except (InvalidOptionError, IndexError, OverflowError) as error:
        msg = f"the UAI file does not fit together: {error}"
        raise FileFormatError(msg) from None


def _count(words: Iterator[str], what: str, low: int = 0) -> int:
    """Read a whole number, not below a bound."""
    word = next(words, None)
    if word is None or not word.isdecimal() or len(word) > MOST_DIGITS or int(word) < low:
        msg = f"the UAI file has {'its end' if word is None else repr(word[:20])} where {what} should be"
        raise FileFormatError(msg)
    return int(word)


def _table(words: Iterator[str], scope: tuple[int, ...], shape: tuple[int, ...]) -> Factor:
    """Read the values of one factor."""
    if len(scope) > MOST_AXES:
        msg = f"the UAI file has a factor over {len(scope)} variables; at most {MOST_AXES} can be read"
        raise FileFormatError(msg)
    lengths = [shape[v] for v in scope]
    n_cells = _count(words, "the size of a table")
    if n_cells != math.prod(lengths):
        msg = f"the UAI file has {n_cells} values for the factor over {scope}; it needs {math.prod(lengths)}"
        raise FileFormatError(msg)
    values = np.array([_value(words) for _ in range(n_cells)]).reshape(lengths)
    with np.errstate(divide="ignore"):
        return Factor(scope, np.log(values))


def _value(words: Iterator[str]) -> float:
    """Read a number that is not negative."""
    word = next(words, None)
    try:
        value = float("nan" if word is None else word)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        found = "its end" if word is None else repr(word[:20])
        msg = f"the UAI file has {found} where a value of a table should be"
        raise FileFormatError(msg)
    return value

"""Log-potentials of edges and node fields.

Two states: log ψ = e/4 · [[1, -1], [-1, 1]], whose log-odds ratio
log(ψ00 ψ11 / ψ01 ψ10) is e. More states: the Potts form of the same,
log ψ(a, b) = e/2 · (1[a = b] - 1/2), in which each pair of states a, b
appearing in both variables has log-odds ratio log(ψaa ψbb / ψab ψba) = e.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import MAX_STATES
from ibmap.errors import InvalidOptionError
from ibmap.options import as_choice, as_count, as_number

SIGNS = ("positive", "random", "drawn")


@dataclass(frozen=True)
class PotentialOptions:
    """How strong the potentials of a network are, and how they are drawn."""

    log_odds: float = 1.0  # log-odds ratio e of every edge, other than 0
    # {"positive", "random", "drawn"}; whether every edge has e, or e or -e at random, or e in a table
    # whose other entries are drawn uniformly
    signs: str = "positive"
    fields: float = 0.0  # standard deviation of the node fields; 0 for none

    def __post_init__(self) -> None:
        as_number(self.log_odds, "log_odds", low=-math.inf, high=math.inf)
        if self.log_odds == 0:
            msg = "log_odds must not be 0: variables joined by such an edge would be independent; got 0"
            raise InvalidOptionError(msg)
        as_choice(self.signs, "signs", SIGNS)
        as_number(self.fields, "fields", low=-math.inf, high=math.inf)
        if self.fields < 0:
            msg = f"fields must be a standard deviation, at least 0; got {self.fields!r}"
            raise InvalidOptionError(msg)


def matching_table(log_odds: float, n_states: tuple[int, int]) -> NDArray[np.float64]:
    """Make the log-potential that favours equal states."""
    return log_odds / 2 * (np.eye(*n_states) - 0.5)


def drawn_table(log_odds: float, n_states: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw the first row and column of ψ from (0, 1]; the log-odds ratios give the rest."""
    row = np.log1p(-rng.random(n_states[1]))
    column = np.concatenate([row[:1], np.log1p(-rng.random(n_states[0] - 1))])
    interaction = matching_table(log_odds, n_states)
    ratios = interaction + interaction[0, 0] - interaction[:1, :] - interaction[:, :1]
    return np.asarray(ratios + row[None, :] + column[:, None] - row[0])


def draw_log_potentials(
    edges: Sequence[tuple[int, int]],
    cardinalities: NDArray[np.int64],
    options: PotentialOptions,
    rng: np.random.Generator,
) -> tuple[NDArray[np.float64], ...]:
    """Draw the log-potential of every edge."""
    tables = []
    for i, j in edges:
        n_states = (int(cardinalities[i]), int(cardinalities[j]))
        if options.signs == "drawn":
            tables.append(drawn_table(options.log_odds, n_states, rng))
        else:
            is_negative = options.signs == "random" and rng.random() < 0.5
            tables.append(matching_table(-options.log_odds if is_negative else options.log_odds, n_states))
    return tuple(tables)


def draw_fields(
    cardinalities: NDArray[np.int64], scale: float, rng: np.random.Generator
) -> tuple[NDArray[np.float64], ...]:
    """Draw the node term of every state, 0 for the first state of each variable."""
    fields = []
    for n_states in cardinalities:
        field = np.zeros(n_states)
        if scale > 0:
            field[1:] = rng.normal(0.0, scale, n_states - 1)
        fields.append(field)
    return tuple(fields)


def as_cardinalities(cardinalities: int | Sequence[int], n_variables: int) -> NDArray[np.int64]:
    """Read a `cardinalities` option."""
    values = list(cardinalities) if isinstance(cardinalities, Iterable) else [cardinalities] * n_variables
    counts = [as_count(value, "cardinalities", low=2) for value in values]
    if len(counts) != n_variables or max(counts) > MAX_STATES:
        msg = (
            f"cardinalities must be a number from 2 to {MAX_STATES}, or {n_variables} of them, "
            f"one for each variable; got {cardinalities!r}"
        )
        raise InvalidOptionError(msg)
    return np.array(counts, np.int64)

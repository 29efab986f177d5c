"""Maximum pseudo-likelihood, with a quadratic prior.

Every variable is predicted from all others; the sum of the log-probabilities
is concave in the log-potentials and needs no partition function. Log-potentials
are kept centred (each sums to zero along each axis), over all sets of variables
that lie within a potential; so the effects of sets are apart from those of their parts.

The prior: s data points spread evenly over all configurations would add, for
centred log-potentials θ near zero, -s/2 times the mean of θ² over a table's
cells, once for each of its variables. That, for any θ, is the penalty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import EncodedTable
from ibmap.kernels import factors as kernels
from ibmap.model.layout import Layout, as_rows
from ibmap.model.potentials import Floats
from ibmap.model.proportional_fitting import Fitted
from ibmap.options import as_thread_count

MAX_STEPS = 1000
TOLERANCE = 1e-7  # of the gradient of the mean over the rows
N_BLOCKS = 16  # of rows; their sums are added in order, so threads do not matter


def subsets(scopes: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """List all sets of variables that lie within one of some sets."""
    found = {part for scope in scopes for k in range(1, len(scope) + 1) for part in combinations(scope, k)}
    return sorted(found, key=lambda part: (len(part), part))


class PseudoLikelihood:
    """The penalised mean pseudo-log-likelihood of a table as a function of log-potentials."""

    def __init__(
        self, table: EncodedTable, layout: Layout, prior_strength: float, n_threads: int | None = None
    ) -> None:
        self.layout, self.n_samples = layout, table.n_samples
        self.n_threads = as_thread_count(n_threads)
        codes, weights = as_rows(table.codes), table.weights.astype(np.float64)
        self.blocks = [
            self._block(*block)
            for block in zip(np.array_split(codes, N_BLOCKS), np.array_split(weights, N_BLOCKS), strict=True)
        ]
        sizes = np.diff(layout.arrays[0])
        shares = [
            prior_strength * len(scope) / size for scope, size in zip(layout.scopes, sizes, strict=True)
        ]
        self.penalties = np.repeat(np.array(shares), sizes)

    def __call__(self, log_values: Floats) -> tuple[float, Floats]:
        """Evaluate the negative mean and its centred gradient at centred log-potentials."""
        value, gradient = self._evaluate(log_values)
        value -= 0.5 * float(self.penalties @ log_values**2)
        gradient -= self.penalties * log_values
        return -value / self.n_samples, centred(self.layout, -gradient / self.n_samples)

    def start(self) -> Floats:
        """Give the coordinates of log-potentials that are all zero."""
        return np.zeros(self.layout.n_cells)

    def spread(self, coordinates: Floats) -> Floats:
        """Turn the coordinates that a search moves in into log-potentials."""
        return coordinates

    def gather(self, gradient: Floats) -> Floats:
        """Turn a gradient by log-potentials into one by the coordinates."""
        return gradient

    def _block(self, codes: NDArray[np.int64], weights: Floats) -> tuple[Any, ...]:
        """Prepare some rows."""
        return codes, weights

    def _evaluate(self, log_values: Floats) -> tuple[float, Floats]:
        """Sum over all rows."""
        parts = self._over_blocks(partial(self._part, log_values))
        return sum(part[0] for part in parts), np.sum([part[1] for part in parts], axis=0)

    def _over_blocks(self, work: Callable[..., Any]) -> list[Any]:
        """Do something for each block of rows, in threads, with the results in order."""
        with ThreadPoolExecutor(self.n_threads) as pool:
            return list(pool.map(lambda block: work(*block), self.blocks))

    def _part(self, log_values: Floats, codes: NDArray[np.int64], weights: Floats) -> tuple[float, Floats]:
        """Go over one block of rows."""
        gradient = np.zeros(len(log_values))
        shape, arrays = self.layout.cardinalities, self.layout.arrays
        cells, room = self.layout.room()
        value = kernels.add_pseudo_gradient(codes, weights, shape, arrays, log_values, cells, room, gradient)
        return float(value), gradient


class BinaryPseudoLikelihood(PseudoLikelihood):
    """The same for pairwise networks of two-state variables, by log-odds: much faster."""

    def __init__(
        self, table: EncodedTable, layout: Layout, prior_strength: float, n_threads: int | None = None
    ) -> None:
        super().__init__(table, layout, prior_strength, n_threads)
        offsets = layout.arrays[0]
        lone = [f for f, scope in enumerate(layout.scopes) if len(scope) == 1]
        pairs = [f for f, scope in enumerate(layout.scopes) if len(scope) == 2]
        self.members = np.array([layout.scopes[f][0] for f in lone], np.int64)
        self.ends = np.array([layout.scopes[f] for f in pairs], np.int64).reshape(-1, 2).T
        self.field_cells, self.pair_cells = offsets[lone], offsets[pairs]
        self.means = (table.codes.T @ table.weights + 0.5) / (table.n_samples + 1.0)
        spreads = np.sqrt(self.means * (1.0 - self.means))
        u, v = self.ends
        self.scales = np.concatenate([1.0 / spreads, 1.0 / (np.sqrt(2.0) * spreads[u] * spreads[v])])

    def start(self) -> Floats:
        """Begin without any effect."""
        return np.zeros(len(self.scales))

    def spread(self, coordinates: Floats) -> Floats:
        """Turn log-odds at the mean and effects of edges into log-potentials."""
        n_variables = len(self.means)
        scaled = coordinates * self.scales
        fields, effects = 0.5 * scaled[:n_variables], scaled[n_variables:]
        u, v = self.ends
        np.add.at(fields, v, 0.5 * effects * (0.5 - self.means[u]))
        np.add.at(fields, u, 0.5 * effects * (0.5 - self.means[v]))
        values = np.empty(self.layout.n_cells)
        for k, sign in enumerate((-1.0, 1.0)):
            values[self.field_cells + k] = sign * fields[self.members]
        for k, sign in enumerate((1.0, -1.0, -1.0, 1.0)):
            values[self.pair_cells + k] = sign * 0.25 * effects
        return values

    def gather(self, gradient: Floats) -> Floats:
        """Undo `spread` for a gradient."""
        by_field = np.zeros(len(self.means))
        by_field[self.members] = 2.0 * gradient[self.field_cells + 1]
        u, v = self.ends
        by_effect = gradient[self.pair_cells].copy()
        by_effect += 0.5 * by_field[v] * (0.5 - self.means[u]) + 0.5 * by_field[u] * (0.5 - self.means[v])
        by_coordinate: Floats = np.concatenate([0.5 * by_field, by_effect]) * self.scales
        return by_coordinate

    def _block(self, codes: NDArray[np.int64], weights: Floats) -> tuple[Any, ...]:
        """List the ones of each row."""
        starts = np.concatenate([[0], np.cumsum(codes.sum(axis=1))]).astype(np.int64)
        return np.nonzero(codes)[1].astype(np.int64), starts, weights

    def _evaluate(self, log_values: Floats) -> tuple[float, Floats]:
        """Sum over all rows, in terms of log-odds and back."""
        biases, slopes = self._log_odds(log_values)
        parts = self._over_blocks(partial(self._sums, biases, slopes))
        by_bias = np.sum([part[1] for part in parts], axis=0)
        by_slope = np.sum([part[2] for part in parts], axis=0)
        gradient = np.zeros(len(log_values))
        gradient[self.field_cells] = -by_bias[self.members]
        gradient[self.field_cells + 1] = by_bias[self.members]
        (u, v), cells = self.ends, self.pair_cells
        both = by_slope[u, v] + by_slope[v, u]
        gradient[cells] = both - by_bias[u] - by_bias[v]
        gradient[cells + 1] = by_bias[v] - both
        gradient[cells + 2] = by_bias[u] - both
        gradient[cells + 3] = both
        return sum(part[0] for part in parts), gradient

    def _log_odds(self, log_values: Floats) -> tuple[Floats, Floats]:
        """Turn log-potentials into the log-odds of a lone 1 and what each other 1 adds."""
        n_variables = len(self.layout.cardinalities)
        biases, slopes = np.zeros(n_variables), np.zeros((n_variables, n_variables))
        (u, v), cells = self.ends, self.pair_cells
        none, right, left, both = (log_values[cells + k] for k in range(4))
        np.add.at(biases, self.members, log_values[self.field_cells + 1] - log_values[self.field_cells])
        np.add.at(biases, v, right - none)
        np.add.at(biases, u, left - none)
        slopes[u, v] = slopes[v, u] = both - left - right + none
        return biases, slopes

    def _sums(
        self,
        biases: Floats,
        slopes: Floats,
        ones: NDArray[np.int64],
        starts: NDArray[np.int64],
        weights: Floats,
    ) -> tuple[float, Floats, Floats]:
        """Go over one block of rows."""
        by_bias, by_slope = np.zeros_like(biases), np.zeros_like(slopes)
        room = np.empty_like(biases)
        value = kernels.add_binary_gradient(ones, starts, weights, biases, slopes, room, by_bias, by_slope)
        return float(value), by_bias, by_slope


def objective_for(
    table: EncodedTable, layout: Layout, prior_strength: float, n_threads: int | None = None
) -> PseudoLikelihood:
    """Choose the faster way to evaluate the same function."""
    is_binary = bool((layout.cardinalities == 2).all()) and max(map(len, layout.scopes)) <= 2
    kind = BinaryPseudoLikelihood if is_binary else PseudoLikelihood
    return kind(table, layout, prior_strength, n_threads)


def centred(layout: Layout, values: Floats) -> Floats:
    """Subtract from every table its means along each axis."""
    result = values.copy()
    kernels.centre(layout.cardinalities, layout.arrays, result)
    return result


def fit_pseudo_likelihood(
    table: EncodedTable,
    scopes: Sequence[tuple[int, ...]],
    prior_strength: float,
    *,
    n_threads: int | None = None,
    max_steps: int = MAX_STEPS,
) -> Fitted:
    """Estimate one centred factor for each set of variables; the sets are closed under taking parts."""
    from scipy.optimize import minimize

    layout = Layout.of(table.cardinalities.tolist(), list(scopes))
    objective = objective_for(table, layout, prior_strength, n_threads)
    options: Any = {
        "maxiter": max_steps,
        "maxfun": 2 * max_steps,
        "gtol": TOLERANCE,
        "ftol": 1e-15,
        "maxcor": 20,
    }
    found: Any = minimize(
        _searched(objective), objective.start(), jac=True, method="L-BFGS-B", options=options
    )
    reached = float(np.abs(found.jac).max(initial=0.0)) <= 10 * TOLERANCE or bool(found.success)
    values = centred(layout, objective.spread(found.x))
    return Fitted(layout.factors(values), reached, int(found.nit))


def _searched(objective: PseudoLikelihood) -> Callable[[Floats], tuple[float, Floats]]:
    """Express a function of log-potentials by the coordinates a search moves in."""

    def evaluate(coordinates: Floats) -> tuple[float, Floats]:
        value, gradient = objective(objective.spread(coordinates))
        return value, objective.gather(gradient)

    return evaluate

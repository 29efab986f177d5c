"""Parameters from a table with missing cells: fit, draw what is missing from the fit, and so on in turn.

This is stochastic EM. Every row with holes is drawn several times over, so that the counts fitted last are
about those that are expected given what the rows show. Rows are taken in an order of their own and draws
have one seed: the same rows give the same parameters, in whatever order.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import EncodedTable, Weights, take_rows, without_empty_rows
from ibmap.errors import FittingWarning, InvalidTableError
from ibmap.graph import MarkovGraph
from ibmap.model.fitting import FitOptions, FitReport, fit_potentials
from ibmap.model.potentials import Floats, Potentials

N_COPIES = 10  # of every row with holes
MOST_DRAWN = 1000  # of equal rows; if there are more, these stand for all
N_ROUNDS = 10  # of fitting and drawing; with half of the cells missing, what is left to gain halves in each
SEED = 0


def fit_with_holes(
    table: EncodedTable, graph: MarkovGraph, options: FitOptions
) -> tuple[Potentials, FitReport, EncodedTable]:
    """Estimate the parameters of a structure; give also the table as it was filled in last."""
    rows, missing = _copied(table)
    rng = np.random.default_rng(SEED)
    for v in range(rows.n_variables):
        shares = np.log(_totals(rows, missing, v)) + np.zeros((rows.n_rows, 1))
        _draw(rows, missing, v, shares, rng)
    stronger = replace(options, prior_strength=options.prior_strength * N_COPIES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FittingWarning)  # told of the last fit
        for _ in range(N_ROUNDS):
            found, _ = fit_potentials(rows, graph, stronger)
            for v in range(rows.n_variables):
                _draw(rows, missing, v, _conditional(found, rows, v), rng)
    found, report = fit_potentials(rows, graph, stronger)
    own = replace(report, prior_strength=float(options.prior_strength), n_samples=table.n_samples)
    return found, own, rows


def _copied(table: EncodedTable) -> tuple[EncodedTable, NDArray[np.bool_]]:
    """Give rows that show anything in an order of their own, those with holes some times over."""
    table = without_empty_rows(table).compressed()
    missing = np.zeros(table.codes.shape, bool) if table.missing is None else table.missing
    for name, holes in zip(table.names, missing.T, strict=True):
        if holes.all():
            msg = f"column {name!r} shows no value at all; leave it out"
            raise InvalidTableError(msg)
    has_holes = missing.any(axis=1)
    n_draws = N_COPIES * np.clip(np.ceil(table.weights), 1, MOST_DRAWN).astype(np.int64)
    n_draws[~has_holes] = 1
    places = np.repeat(np.arange(table.n_rows), n_draws)
    weights: Weights = (N_COPIES * table.weights / n_draws)[places]
    whole = weights.astype(np.int64)
    if (weights == whole).all():
        weights = whole
    return replace(take_rows(table, places), weights=weights, missing=None), missing[places]


def _totals(rows: EncodedTable, missing: NDArray[np.bool_], v: int) -> Floats:
    """Count the states of a variable where it is seen, each at least a little."""
    seen = np.bincount(rows.codes[:, v], rows.weights * ~missing[:, v], int(rows.cardinalities[v]))
    return np.maximum(np.asarray(seen, np.float64), 1e-300)


def _conditional(found: Potentials, rows: EncodedTable, v: int) -> Floats:
    """Give the log-potential of each state of a variable in each row, all others as they stand."""
    total = np.zeros((rows.n_rows, found.cardinalities[v]))
    for factor in found.factors:
        if v in factor.variables:
            place = factor.variables.index(v)
            others = tuple(rows.codes[:, u] for u in factor.variables if u != v)
            total += np.moveaxis(factor.log_values, place, -1)[others]
    return total


def _draw(
    rows: EncodedTable, missing: NDArray[np.bool_], v: int, log_values: Floats, rng: np.random.Generator
) -> None:
    """Draw the holes of one variable; where all states are impossible any will do."""
    holes = np.flatnonzero(missing[:, v])
    logs = log_values[holes]
    tops = logs.max(axis=1, keepdims=True)
    odds = np.exp(np.where(np.isfinite(tops), logs - tops, 0.0))
    steps = np.cumsum(odds, axis=1)
    places = (rng.random((len(holes), 1)) * steps[:, -1:] > steps).sum(axis=1)
    rows.codes[holes, v] = np.minimum(places, odds.shape[1] - 1)

"""The strength of the prior by held-out rows.

Some data points are set aside, the parameters estimated from the others with
stronger and stronger priors, and the prior kept under which the points set aside are
the most likely. The parameters are then estimated from all rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ibmap.data.table import EncodedTable, with_weights
from ibmap.data.weighting import counted
from ibmap.errors import FittingWarning, InvalidOptionError
from ibmap.graph import MarkovGraph
from ibmap.model.exact import Exact
from ibmap.model.fitting import FitOptions, FitReport, fit_potentials
from ibmap.model.layout import Conditionals
from ibmap.model.potentials import Codes, Floats, Potentials
from ibmap.options import RandomState, as_generator, as_number

STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
PATIENCE = 2  # strengths in a row that may be worse than the best before the rest is skipped


def fit_validated(
    table: EncodedTable,
    graph: MarkovGraph,
    options: FitOptions,
    held_out: float | EncodedTable,
    random_state: RandomState,
) -> tuple[Potentials, FitReport]:
    """Choose the strength of the prior by held-out rows, then estimate from all rows."""
    if isinstance(held_out, EncodedTable):
        train, test = table, held_out
    else:
        train, test = split(table, held_out, random_state)
    tried: list[tuple[float, float]] = []
    for strength in STRENGTHS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FittingWarning)  # of a strength that need not be the one chosen
            found, report = fit_potentials(train, graph, replace(options, prior_strength=strength))
        tried.append((strength, _mean(_judge(found, report), test)))
        best = max(range(len(tried)), key=lambda k: (tried[k][1], tried[k][0]))
        if len(tried) - 1 - best >= PATIENCE:
            break
    potentials, report = fit_potentials(table, graph, replace(options, prior_strength=tried[best][0]))
    return potentials, replace(report, validated=tuple(tried))


def split(
    table: EncodedTable, share: float, random_state: RandomState = 0
) -> tuple[EncodedTable, EncodedTable]:
    """Set a share of the data points aside: what is left, and what was set aside."""
    as_number(share, "held_out", low=0, high=1)
    data = counted(table, "rows held out").compressed()
    n_aside = max(1, round(share * data.n_samples))
    if n_aside >= data.n_samples:
        msg = f"{data.n_samples} rows are too few to hold some out; give prior_strength as a number"
        raise InvalidOptionError(msg)
    order = np.lexsort(data.codes.T)
    taken = np.zeros(data.n_rows, np.int64)
    rng = as_generator(random_state)
    taken[order] = rng.multivariate_hypergeometric(data.weights[order], n_aside, method="marginals")
    return with_weights(data, data.weights - taken), with_weights(data, taken)


def _judge(potentials: Potentials, report: FitReport) -> Callable[[Codes], Floats]:
    """Choose what rows are judged by: the likelihood that was maximised."""
    if report.method == "pseudo-likelihood":
        return Conditionals(potentials).pseudo_log_likelihood
    log_z = float(Exact(potentials).log_partition()[0])
    return lambda codes: potentials.log_unnormalised(codes) - log_z


def _mean(judge: Callable[[Codes], Floats], table: EncodedTable) -> float:
    """Average over data points."""
    return float(judge(table.codes) @ table.weights / table.n_samples)

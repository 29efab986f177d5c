"""Whether a network fitted by pseudo-likelihood draws rows like those it was fitted to.

Pseudo-likelihood predicts one variable at a time, given rows of the table. Far from all
rows the network may have a mode of its own: where all effects are positive and ones are rare,
the row of all ones may be the most probable by far, though every conditional
distribution near the data is right. At the maximum of the likelihood every state is as
frequent in the network as in the data; that is compared.
"""

from __future__ import annotations

import numpy as np

from ibmap.data.table import EncodedTable
from ibmap.model.closed_form import margin
from ibmap.model.gibbs import chains_of
from ibmap.model.potentials import Potentials
from ibmap.simulate.sampling import GibbsPlan, sample_gibbs

N_DRAWS = 400
PLAN = GibbsPlan(burn_in=500, thinning=5)
MIN_SAMPLES = 100  # with fewer data points the prior alone moves the shares
LIMIT = 0.3  # the difference of shares beyond which the two are not alike; chance makes less than 0.1


def drift(potentials: Potentials, table: EncodedTable) -> float:
    """Give the largest difference between the share of a state in the network's draws and in the data."""
    draws = sample_gibbs(chains_of(potentials), N_DRAWS, PLAN, np.random.default_rng(0))
    worst = 0.0
    for v, n_states in enumerate(potentials.cardinalities):
        drawn = np.bincount(draws[:, v], minlength=n_states) / N_DRAWS
        worst = max(worst, float(np.abs(drawn - margin(table, [v])).max()))
    return worst


def unlike_data(potentials: Potentials, table: EncodedTable) -> str:
    """Say that a network draws rows unlike its data; nothing if it does not, or the table is short."""
    if not potentials.is_positive or table.n_samples < MIN_SAMPLES or drift(potentials, table) <= LIMIT:
        return ""
    return (
        "pseudo-likelihood gave a network whose own rows are nothing like the table: it has a mode far from "
        "all rows. Its predictions of one column from all others are sound, but do not use its samples, "
        "joint log-likelihoods or posteriors with little evidence. A sparser structure, for which maximum "
        "likelihood is feasible, has no such mode"
    )

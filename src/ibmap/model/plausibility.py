"""Whether a network fitted by pseudo-likelihood draws rows like those it was fitted to.

Pseudo-likelihood looks at one variable at a time, given rows of the table. Far from all
rows the network may have a mode of its own: where all effects are positive and ones are rare,
the row of all ones may be the most probable by far, though every conditional
distribution near the data is right. At the maximum of the likelihood every state is as
frequent in the network as in the data; that is compared.
"""

from __future__ import annotations

import numpy as np

from ibmap.model.closed_form import margin
from ibmap.model.gibbs import chains_of
from ibmap.model.potentials import Potentials
from ibmap.simulation.sampling import GibbsPlan, sample_gibbs
from ibmap.table import EncodedTable

N_DRAWS = 400
PLAN = GibbsPlan(burn_in=500, thinning=5)
MIN_SAMPLES = 100  # with fewer data points the prior alone moves the shares
LIMIT = 0.3  # the difference of shares beyond which the two are not alike; chance makes less than 0.1


def drift(potentials: Potentials, table: EncodedTable) -> float:
    """Compare how frequent states are in the network's own draws and in the data.

    Parameters
    ----------
    potentials : Potentials
        The network; nothing may be impossible.
    table : EncodedTable
        What it was fitted to.

    Returns
    -------
    float
        The largest difference of the shares of a state.

    Examples
    --------
    >>> from ibmap.model.potentials import Factor
    >>> table = EncodedTable.from_codes([[0, 0], [0, 1], [1, 0]])
    >>> drift(Potentials((2, 2), (Factor((0, 1), np.diag([0.0, 9.0])),)), table) > LIMIT
    True
    """
    draws = sample_gibbs(chains_of(potentials), N_DRAWS, PLAN, np.random.default_rng(0))
    worst = 0.0
    for v, n_states in enumerate(potentials.cardinalities):
        drawn = np.bincount(draws[:, v], minlength=n_states) / N_DRAWS
        worst = max(worst, float(np.abs(drawn - margin(table, [v])).max()))
    return worst


def complaint(potentials: Potentials, table: EncodedTable) -> str:
    """Say that a network draws rows unlike its data.

    Parameters
    ----------
    potentials : Potentials
        The network.
    table : EncodedTable
        What it was fitted to.

    Returns
    -------
    str
        Empty if there is nothing to say, or the table is too short to tell.
    """
    if not potentials.is_positive or table.n_samples < MIN_SAMPLES or drift(potentials, table) <= LIMIT:
        return ""
    return (
        "pseudo-likelihood gave a network whose own rows are nothing like the table: it has a mode far from "
        "all rows. Its predictions of one column from all others are sound, but do not use its samples, "
        "joint log-likelihoods or posteriors with little evidence. A sparser structure, for which maximum "
        "likelihood is feasible, has no such mode"
    )

"""The tables the benchmarks run on: samples of random networks with fixed seeds."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any

import numpy as np

from ibmap.data.table import EncodedTable
from ibmap.simulate import random_network

NETWORK_SEED, SAMPLE_SEED = 1, 2


@lru_cache(maxsize=8)
def sample(n_variables: int, tau: float, n_samples: int, **options: Any) -> EncodedTable:
    """Sample a random network; `options` are those of `random_network`."""
    network = random_network(n_variables, tau, random_state=NETWORK_SEED, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # strong positive couplings mix slowly; speed does not mind
        rows = network.sample(n_samples, random_state=SAMPLE_SEED)
    return EncodedTable.from_codes(rows, cardinalities=[network_states(options)] * n_variables)


def network_states(options: dict[str, Any]) -> int:
    return int(options.get("cardinalities", 2))


def noise(n_variables: int, n_samples: int, n_states: int) -> EncodedTable:
    """Draw independent uniform columns."""
    rows = np.random.default_rng(SAMPLE_SEED).integers(0, n_states, (n_samples, n_variables))
    return EncodedTable.from_codes(rows, cardinalities=[n_states] * n_variables)

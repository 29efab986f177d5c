"""How many rows it takes, before there are any: by simulation.

Networks of the size, degree and strength expected are drawn and learned from more and more rows. What would
settle the pairs that a table leaves undecided is in `ibmap.result.settling`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.errors import InvalidOptionError
from ibmap.options import as_count, as_number

Truth = NDArray[np.bool_]
Rows = NDArray[np.uint16]

LADDER = (50, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600)  # rows tried


class Plan(NamedTuple):
    """Rows tried, the share of edges found, of false ones among those learned, and the rows needed."""

    n_samples: tuple[int, ...]
    found: tuple[float, ...]
    false: tuple[float, ...]
    needed: int | None


def rows_needed(
    n_variables: int,
    degree: float,
    log_odds: float = 1.0,
    *,
    share: float = 0.9,
    n_networks: int = 5,
    seed: int = 0,
) -> Plan:
    """Find how many rows the recommended learner needs to find a share of the edges and few false ones."""
    share = as_number(share, "share", low=0, high=1)
    as_count(n_networks, "n_networks", low=1)
    drawn = [_draw(n_variables, degree, log_odds, [seed, k]) for k in range(n_networks)]
    if not any(truth.any() for truth, _ in drawn):
        msg = f"degree must give at least one edge; got {degree!r} for {n_variables} variables"
        raise InvalidOptionError(msg)
    found: list[float] = []
    false: list[float] = []
    for n_rows in LADDER:
        learned = [_learned(rows[:n_rows]) for _, rows in drawn]
        n_right = sum(int((own & truth).sum()) for own, (truth, _) in zip(learned, drawn, strict=True))
        n_learned = sum(int(own.sum()) for own in learned)
        found.append(n_right / sum(int(truth.sum()) for truth, _ in drawn))
        false.append(1.0 - n_right / n_learned if n_learned else 0.0)
        if found[-1] >= share and false[-1] <= 1 - share:
            return Plan(LADDER[: len(found)], tuple(found), tuple(false), n_rows)
    return Plan(LADDER, tuple(found), tuple(false), None)


def _draw(n_variables: int, degree: float, log_odds: float, seed: list[int]) -> tuple[Truth, Rows]:
    """Draw a network and its rows."""
    from ibmap.simulate import random_network

    rng = np.random.default_rng(seed)
    network = random_network(n_variables, degree, random_state=rng, log_odds=log_odds, signs="random")
    return network.graph.adjacency, network.sample(LADDER[-1], random_state=rng)


def _learned(rows: Rows) -> Truth:
    """Learn a structure with the recommended learner."""
    from ibmap.data.encoding import encode
    from ibmap.learners import LEARNERS

    entry = LEARNERS["ibmap"]
    return entry.learn(encode(rows), entry.options()).graph.adjacency

"""What the simulator refuses, and that it names the culprit."""

import numpy as np
import pytest

from ibmap.errors import InvalidOptionError, InvalidTableError, TooLargeError
from ibmap.graph import MarkovGraph
from ibmap.simulate import PairwiseNetwork, random_network


def test_enumeration_is_refused_beyond_its_limit():
    network = random_network(21, 2, random_state=0)
    with pytest.raises(TooLargeError, match="1048576"):
        network.probabilities()
    with pytest.raises(TooLargeError):
        network.sample(5, method="exact")
    assert network.sample(5, random_state=0).shape == (5, 21)


@pytest.mark.parametrize(
    ("options", "culprit"),
    [
        ({"n_variables": 0}, "n_variables"),
        ({"n_variables": 4.5}, "n_variables"),
        ({"tau": None}, "tau"),
        ({"tau": -1}, "tau"),
        ({"tau": 10}, "tau"),
        ({"tau": float("nan")}, "tau"),
        ({"tau": "4"}, "tau"),
        ({"tau": 1.5, "structure": "paper"}, "tau"),
        ({"tau": 1.5, "structure": "regular"}, "tau"),
        ({"tau": 3, "n_variables": 9, "structure": "regular"}, "tau"),
        ({"tau": 3, "structure": "scale-free"}, "tau"),
        ({"tau": 0, "structure": "scale-free"}, "tau"),
        ({"structure": "tree"}, "structure"),
        ({"log_odds": 0.0}, "log_odds"),
        ({"log_odds": float("inf")}, "log_odds"),
        ({"log_odds": "strong"}, "log_odds"),
        ({"signs": "negative"}, "signs"),
        ({"fields": -1.0}, "fields"),
        ({"fields": float("nan")}, "fields"),
        ({"cardinalities": 1}, "cardinalities"),
        ({"cardinalities": 2.5}, "cardinalities"),
        ({"cardinalities": [2, 2]}, "cardinalities"),
        ({"cardinalities": [2] * 9 + [1]}, "cardinalities"),
        ({"cardinalities": 70000}, "cardinalities"),
        ({"random_state": -1}, "random_state"),
        ({"random_state": True}, "random_state"),
        ({"random_state": "seed"}, "random_state"),
    ],
)
def test_a_bad_option_of_a_network_is_named(options, culprit):
    with pytest.raises(InvalidOptionError, match=f"^{culprit} must"):
        random_network(**{"n_variables": 10, "tau": 2, **options})


@pytest.mark.parametrize(
    ("options", "culprit"),
    [
        ({"n_samples": -1}, "n_samples"),
        ({"n_samples": 2.0}, "n_samples"),
        ({"method": "perfect"}, "method"),
        ({"burn_in": -1}, "burn_in"),
        ({"thinning": 0}, "thinning"),
        ({"n_chains": 0}, "n_chains"),
        ({"n_threads": 0}, "n_threads"),
        ({"random_state": 1.5}, "random_state"),
    ],
)
def test_a_bad_option_of_a_sample_is_named(options, culprit):
    network = random_network(5, 2, random_state=0)
    with pytest.raises(InvalidOptionError, match=f"^{culprit} must"):
        network.sample(**{"n_samples": 5, **options})


def test_codes_that_are_not_states_are_refused():
    network = random_network(3, 2, random_state=0)
    for codes in ([0, 1, 0], [[0, 1]], [[0.0, 1.0, 0.0]]):
        with pytest.raises(InvalidTableError, match="3 columns"):
            network.log_unnormalised(codes)
    with pytest.raises(InvalidTableError, match="'x2' has code 2 in row 1"):
        network.log_unnormalised([[0, 0, 0], [0, 1, 2]])


def test_tables_that_do_not_fit_the_graph_are_refused():
    graph = MarkovGraph.from_edges(2, [(0, 1)])
    two, three = np.zeros(2), np.zeros(3)
    bad = np.full((2, 2), np.inf)
    for tables, fields in [
        ([np.eye(2)], [two]),
        ([np.eye(2)], [two, np.zeros(1)]),
        ([], [two, two]),
        ([np.eye(2)], [two, three]),
        ([bad], [two, two]),
    ]:
        with pytest.raises(InvalidOptionError, match=r"^(fields|log_potentials)"):
            PairwiseNetwork(graph, tables, fields)


def test_a_network_cannot_be_changed_through_its_arrays():
    network = random_network(5, 2, random_state=0)
    with pytest.raises(ValueError, match="read-only"):
        network.log_potentials[0][0, 0] = 5.0
    with pytest.raises(AttributeError):
        network.graph = None

"""Networks of numbers and categories: their structure, their distribution, what they refuse."""

import numpy as np
import pytest

from ibmap.errors import InvalidOptionError
from ibmap.graph import MarkovGraph
from ibmap.simulate import MixedNetwork, mixed_network, random_network


def test_the_same_seed_gives_the_same_rows():
    first, second = (
        mixed_network([0, 2, 3, 0], 2, random_state=4).sample(20, random_state=1) for _ in range(2)
    )
    assert (first == second).all()


def test_the_structure_is_that_of_random_networks():
    assert mixed_network([0, 2] * 5, 3, random_state=2).graph == random_network(10, 3, random_state=2).graph


def test_numbers_have_the_covariance_of_their_effects():
    effects = (np.array([[0.5]]), np.array([[-0.4]]))
    network = MixedNetwork(MarkovGraph.from_edges(3, [(0, 1), (1, 2)]), (0, 0, 0), effects)
    precision = np.array([[1, -0.5, 0], [-0.5, 1, 0.4], [0, 0.4, 1]])
    found = np.cov(network.sample(40_000, random_state=1).T)
    assert found == pytest.approx(np.linalg.inv(precision), abs=0.03)


def test_a_number_and_a_category_have_the_distribution_of_the_definition():
    # p(y) is proportional to exp(w_y^2 / 2), and the number has the mean w_y there.
    effects = np.array([[1.0, -0.5, 0.0]])
    network = MixedNetwork(MarkovGraph.from_edges(2, [(0, 1)]), (0, 3), (effects,))
    rows = network.sample(40_000, random_state=2)
    shares = np.exp(effects[0] ** 2 / 2)
    shares /= shares.sum()
    assert np.bincount(rows[:, 1].astype(int)) / len(rows) == pytest.approx(shares, abs=0.01)
    for state, mean in enumerate(effects[0]):
        part = rows[rows[:, 1] == state, 0]
        assert (part.mean(), part.std()) == (pytest.approx(mean, abs=0.03), pytest.approx(1, abs=0.03))


def test_two_binary_variables_have_the_log_odds_asked_for():
    network = mixed_network([2, 2], 1, random_state=1, log_odds=2.0)
    rows = network.sample(40_000, random_state=1).astype(int)
    counts = np.bincount(rows @ [2, 1], minlength=4)
    assert abs(np.log(counts[0] * counts[3] / counts[1] / counts[2])) == pytest.approx(2, abs=0.1)


def test_strong_effects_between_numbers_are_shrunk_until_there_is_a_distribution():
    network = mixed_network([0] * 8, 7, random_state=1, log_odds=8.0)
    assert np.isfinite(network.sample(50, random_state=1)).all()


@pytest.mark.parametrize("states", [[0, 1], [2, -1], [2.5, 2]])
def test_impossible_numbers_of_states_are_refused(states):
    with pytest.raises(InvalidOptionError, match="n_states"):
        mixed_network(states, 1)


def test_effects_of_no_size_are_refused():
    with pytest.raises(InvalidOptionError, match="log_odds"):
        mixed_network([0, 2], 1, log_odds=0)

"""Bayesian networks that studies sample from: moral graphs, and frequencies of samples."""

import sys

import numpy as np
import pytest

from ibmap.errors import MissingLibraryError, UnavailableDataError
from ibmap.reproduce.bayesian_networks import BayesianNetwork, NetworkSample, bayesian_network


@pytest.mark.parametrize(("name", "n_edges"), [("asia", 10), ("sachs", 17), ("alarm", 65), ("insurance", 70)])
def test_moral_graphs_have_the_known_number_of_edges(name, n_edges):
    pytest.importorskip("pgmpy")
    assert bayesian_network(name).graph.n_edges == n_edges


def test_samples_follow_the_tables_of_the_network():
    pytest.importorskip("pgmpy")
    network = bayesian_network("asia")
    rows = network.sample(40_000, np.random.default_rng(0)).codes
    place = {name: k for k, name in enumerate(network.names)}
    smoke, bronc, either, dysp = (rows[:, place[name]] for name in ("smoke", "bronc", "either", "dysp"))
    assert (smoke == 0).mean() == pytest.approx(0.5, abs=0.01)
    assert (bronc[smoke == 0] == 0).mean() == pytest.approx(0.6, abs=0.02)
    assert (dysp[(bronc == 0) & (either == 1)] == 0).mean() == pytest.approx(0.8, abs=0.02)
    assert (dysp[(bronc == 1) & (either == 0)] == 0).mean() == pytest.approx(0.7, abs=0.05)


def test_a_child_may_stand_before_its_parents_and_have_three_states():
    table = np.array([[0.7, 0.0], [0.2, 0.0], [0.1, 1.0]])
    network = BayesianNetwork(("child", "parent"), ((1,), ()), (table, np.array([0.25, 0.75])))
    rows = network.sample(20_000, np.random.default_rng(1))
    child, parent = rows.codes.T
    assert rows.cardinalities.tolist() == [3, 2]
    assert parent.mean() == pytest.approx(0.75, abs=0.02)
    assert set(child[parent == 1]) == {2}
    assert np.bincount(child[parent == 0]) / (parent == 0).sum() == pytest.approx([0.7, 0.2, 0.1], abs=0.03)


def test_a_sample_is_the_same_for_the_same_seed():
    pytest.importorskip("pgmpy")
    problem = NetworkSample("sachs", 50)
    one, again = (problem.draw(np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(one.table.codes, again.table.codes)
    assert one.reference.names == one.table.names


def test_what_is_missing_is_named(monkeypatch):
    pytest.importorskip("pgmpy")
    with pytest.raises(UnavailableDataError, match="'no-such'"):
        bayesian_network("no-such")
    bayesian_network.cache_clear()
    monkeypatch.setitem(sys.modules, "pgmpy.readwrite", None)
    with pytest.raises(MissingLibraryError, match=r"ibmap\[pgmpy\]"):
        bayesian_network("asia")
    assert "pgmpy" in NetworkSample("asia", 50).missing_data()

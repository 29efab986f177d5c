"""Structures in other packages and in notebooks: the same names, states and edges, and only text."""

import numpy as np
import pytest

from ibmap.datasets.demo import demo_table
from ibmap.errors import InvalidOptionError
from ibmap.graph import MarkovGraph
from ibmap.graph.layout import network_svg
from ibmap.learners.estimators import IBMAPHC
from ibmap.model import flat_network, to_pgmpy, to_pyagrum
from report_samples import NAUGHTY, naughty, ring, sample

pytestmark = pytest.mark.compiled_only("what other libraries make of a result says nothing about kernels")


def pairs(edges):
    return {frozenset(edge) for edge in edges}


@pytest.fixture(scope="module", name="learned")
def learned_fixture():
    return IBMAPHC().fit(demo_table()).result_


def test_pgmpy_gets_the_structure_with_its_states(learned):
    network = to_pgmpy(learned)
    assert network.check_model()
    assert set(network.nodes) == set(learned.graph.names)
    assert pairs(network.edges) == pairs(learned.graph.to_networkx().edges)
    states = {name: labels for factor in network.factors for name, labels in factor.state_names.items()}
    assert states == {name: list(own) for name, own in zip(learned.graph.names, learned.states, strict=True)}
    assert all(np.all(factor.values == 1) for factor in network.factors)


def test_pyagrum_gets_the_structure_with_its_states(learned):
    network = to_pyagrum(learned)
    names = learned.graph.names
    assert set(network.names()) == set(names)
    edges = {frozenset(network.variable(node).name() for node in edge) for edge in network.edges()}
    assert edges == pairs(learned.graph.to_networkx().edges)
    for name, own in zip(names, learned.states, strict=True):
        assert network.variable(name).labels() == tuple(map(str, own))


def test_blankets_are_the_same_in_pgmpy(learned):
    network = to_pgmpy(learned)
    for name in learned.graph.names:
        blanket = {learned.graph.names[k] for k in learned.graph.blanket(name)}
        assert set(network.markov_blanket(name)) == blanket


def test_independences_are_the_same_in_pyagrum(learned):
    network = to_pyagrum(learned)
    graph, rng = learned.graph, np.random.default_rng(0)
    for _ in range(40):
        x, y, *given = rng.permutation(graph.names)[: 2 + rng.integers(4)].tolist()
        assert network.isIndependent(x, y, given) == graph.separated(x, y, given)


def test_a_flat_network_is_uniform():
    model = flat_network(MarkovGraph.from_edges(3, [(0, 1)]), [("a", "b"), (1, 2, 3), ("yes",)])
    assert np.allclose(model.posterior(["x0", "x1"]).probabilities, 1 / 6)


def test_states_must_be_known():
    graph = MarkovGraph.from_edges(2, [(0, 1)])
    for states in (None, [("no", "yes")], [("no", "yes"), ()]):
        with pytest.raises(InvalidOptionError, match="states of every variable"):
            to_pgmpy(graph, states)
    assert len(to_pgmpy(graph, [("no", "yes")] * 2).factors) == 1


def test_a_notebook_shows_the_network_and_its_figures(learned):
    text = learned._repr_html_()
    assert text.count("<line") == learned.graph.n_edges
    assert text.count("<circle") == learned.graph.n_variables
    assert f"{learned.score:,.2f}" in text
    strongest = learned.evidence[0]
    assert f"<td>{strongest.loss:,.2f}</td>" in text
    assert learned.graph._repr_html_().count("<line") == learned.graph.n_edges


def test_a_notebook_shows_names_as_text():
    text = naughty()._repr_html_() + naughty().graph._repr_html_()
    assert "<script" not in text
    assert "<img" not in text
    assert "&lt;script&gt;" in text
    assert "\n" not in text
    assert all(name not in text for name in NAUGHTY if "<" in name)


def test_a_notebook_takes_any_size():
    for result in (sample(0, []), sample(1, []), sample(3, []), ring(100)):
        assert "<p>" in result._repr_html_()
    assert network_svg([f"x{k}" for k in range(401)], np.zeros((401, 401), bool)) == ""
    assert "<text" not in ring(100).graph._repr_html_()


def test_lines_are_the_wider_the_more_evidence_there_is():
    text = sample(losses=[1.0, 9.0, 4.0])._repr_html_()
    widths = [float(part.split('"')[0]) for part in text.split('stroke-width="')[1:]]
    assert list(np.argsort(widths)) == [0, 2, 1]

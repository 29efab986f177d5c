"""Samples, completions, and estimates where exact answers are out of reach."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ibmap
from ibmap.errors import (
    EstimateWarning,
    ImpossibleEvidenceError,
    InvalidOptionError,
    SamplingWarning,
    TooLargeError,
)
from ibmap.graph import MarkovGraph
from ibmap.model import Factor, MarkovNetwork
from ibmap.simulate.sampling import GibbsPlan
from model.test_model import models, parts, possible
from oracles import naive_model as naive

pytestmark = pytest.mark.compiled_only("samples are drawn by compiled code alone")


def triangle(strength=0.7):
    """A network with a factor over three variables of mixed cardinalities."""
    rng = np.random.default_rng(5)
    factors = (
        Factor((0, 1, 2), strength * rng.normal(size=(2, 3, 2))),
        Factor((3, 2), rng.normal(size=(2, 2))),
    )
    states = (("no", "yes"), (1, 2, 3), (False, True), ("a", "b"))
    return MarkovNetwork(MarkovGraph.from_edges(4, [(0, 1), (0, 2), (1, 2), (2, 3)]), states, factors)


def test_a_network_in_which_everything_is_impossible_is_refused():
    graph = MarkovGraph.from_edges(3, [(0, 1), (1, 2)], ["a", "b", "c"])
    no = -math.inf
    factors = Factor((0, 1), [[0.0, no], [0.0, no]]), Factor((1, 2), [[no, no], [0.0, 0.0]])
    model = MarkovNetwork(graph, ((0, 1),) * 3, factors)
    rows = [[0, 0, 0]]
    for ask in (
        lambda: model.sample(3, random_state=0),
        lambda: model.log_likelihood(rows),
        model.log_partition,
        lambda: model.marginals("a"),
    ):
        with pytest.raises(ImpossibleEvidenceError, match="rule out every configuration"):
            ask()


def dense(n=30, weight=0.05, seed=0):
    """A network too dense for a junction tree."""
    rng = np.random.default_rng(seed)
    graph = MarkovGraph(~np.eye(n, dtype=bool))
    factors = [Factor(edge, rng.normal(0, weight, (2, 2))) for edge in graph.edges]
    factors += [Factor((v,), rng.normal(0, 1, 2)) for v in range(n)]
    return MarkovNetwork(graph, ((0, 1),) * n, tuple(factors))


@pytest.mark.parametrize("method", ["exact", "gibbs"])
def test_samples_have_the_networks_probabilities(method):
    model = triangle()
    rows = model.sample(40_000, random_state=3, method=method)
    assert rows.columns == ["x0", "x1", "x2", "x3"] and rows["x0"].to_list()[0] in ("no", "yes")
    codes = model.variables.read(rows)
    factors, cards = parts(model)
    counts = {}
    for row in map(tuple, codes.tolist()):
        counts[row] = counts.get(row, 0) + 1
    for x in naive.configurations(cards):
        p = naive.probability(factors, cards, dict(enumerate(x)))
        assert counts.get(x, 0) / 40_000 == pytest.approx(p, abs=5 * math.sqrt(p / 40_000) + 1e-4)


def test_the_same_seed_gives_the_same_rows():
    model = triangle()
    for method in ("exact", "gibbs"):
        one, two = (model.sample(50, random_state=8, method=method) for _ in range(2))
        assert one.equals(two)
    threads = [GibbsPlan(n_threads=k) for k in (1, 3)]
    one, two = (model.sample(50, random_state=8, method="gibbs", plan=plan) for plan in threads)
    assert one.equals(two)


@given(st.data())
def test_completions_are_the_most_probable_ones(data):
    model = data.draw(models(zeros=data.draw(st.booleans())))
    factors, cards = parts(model)
    seen = possible(model, data)
    if seen is None:
        return
    rows = [[seen.get(v) for v in range(len(cards))]]
    completed = model.complete(rows).row(0)
    assert all(completed[v] == a for v, a in seen.items())
    best = naive.most_probable(factors, cards, seen)
    assert naive.weight(factors, completed) == pytest.approx(best, rel=1e-9)


def test_impossible_rows_have_no_completion():
    model = MarkovNetwork.fit([["a", "b", 0], ["c", "d", 1]], np.ones((3, 3)) - np.eye(3), prior_strength=0)
    assert model.complete([["a", None, None]]).row(0) == ("a", "b", 0)
    with pytest.raises(ImpossibleEvidenceError, match="row 1"):
        model.complete([["a", "b", 0], ["a", "d", None]])
    with pytest.raises(InvalidOptionError, match="without zeros"):
        model.sample(10, method="gibbs")


def test_chains_estimate_posteriors_with_an_error():
    model = triangle()
    exact = model.posterior(["x0", "x2"], {"x1": 2})
    found = model.posterior(["x0", "x2"], {"x1": 2}, method="gibbs", random_state=1)
    assert (exact.method, found.method) == ("exact", "gibbs") and found.r_hat < 1.1
    off = np.abs(found.probabilities - exact.probabilities)
    assert (off < 5 * found.standard_errors + 1e-3).all() and found.standard_errors.max() < 0.02
    with pytest.raises(InvalidOptionError, match="n_samples must be at least 4"):
        model.posterior("x0", method="gibbs", n_samples=10)


def test_chains_that_disagree_are_told():
    pull = 8 * np.eye(2)
    model = MarkovNetwork(MarkovGraph.from_edges(2, [(0, 1)]), ((0, 1),) * 2, (Factor((0, 1), pull),))
    short = GibbsPlan(burn_in=0, thinning=1)
    with pytest.warns(SamplingWarning, match="disagree"):
        model.posterior("x0", method="gibbs", n_samples=400, plan=short)
    with pytest.warns(SamplingWarning, match="disagree"):
        model.sample(400, method="gibbs", plan=short, random_state=0)


def test_annealing_estimates_the_partition_function():
    for model in (triangle(2.0), dense(12, 0.5)):
        exact = model.log_partition(method="exact")
        found = model.log_partition(method="annealing", random_state=4)
        assert (exact.standard_error, found.method) == (0.0, "annealing")
        assert 0 < found.standard_error < 0.1
        assert abs(found.value - exact.value) < 5 * found.standard_error
        again = model.log_partition(method="annealing", random_state=4)
        assert again == found


def test_dense_networks_are_answered_by_estimates():
    model = dense()
    rows = model.sample(100, random_state=1)
    with pytest.warns(EstimateWarning, match="standard error"):
        logs = model.log_likelihood(rows)
    found = model.log_partition(random_state=9)
    other = model.log_likelihood(rows, log_partition=found)
    assert logs - other == pytest.approx(logs[0] - other[0]) and abs(logs[0] - other[0]) < 0.2
    assert model.posterior("x3").method == "gibbs"
    near = {f"x{k}": 0 for k in range(5, 30)}
    assert model.posterior("x3", near).method == "exact"
    with pytest.raises(TooLargeError, match="too dense"):
        model.posterior("x3", method="exact")
    with pytest.raises(TooLargeError, match="too dense"):
        model.log_partition(method="exact")


def test_pairwise_and_general_chains_draw_from_the_same_network():
    network = ibmap.simulate.random_network(
        6, 3, random_state=2, cardinalities=[2, 3, 2, 4, 2, 2], fields=0.5
    )
    rows = network.sample(20_000, random_state=3)
    model = MarkovNetwork.fit(rows, network.graph, potentials="pairwise", method="pseudo-likelihood")
    flat = MarkovGraph(~np.eye(6, dtype=bool))
    wide = MarkovNetwork(flat, model.states, (*model.factors, Factor((0, 1, 2), np.zeros((2, 3, 2)))))
    for v in range(6):
        exact = model.posterior(v).probabilities
        for each in (model, wide):
            found = each.posterior(v, method="gibbs", random_state=v)
            assert np.abs(found.probabilities - exact).max() < 0.03

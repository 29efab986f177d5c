"""A network's answers against sums over all configurations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ibmap
from ibmap.data.table import EncodedTable
from ibmap.errors import ImpossibleEvidenceError, InvalidOptionError, TooLargeError, UnknownVariableError
from ibmap.graph import MarkovGraph
from ibmap.model import Factor, MarkovNetwork
from oracles import naive_model as naive
from strategies import graphs, plain, tables

CLOSE = {"rel": 1e-9, "abs": 1e-9}


@st.composite
def models(draw, max_variables=5, max_states=3, zeros=False):
    """Any factors over cliques of any graph."""
    n = draw(st.integers(1, max_variables))
    cards = draw(st.lists(st.integers(1, max_states), min_size=n, max_size=n))
    graph = draw(graphs(n))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    factors = []
    for v in range(n):
        clique = [v]
        for u in rng.permutation(n):
            if u != v and all(graph.adjacency[u, w] for w in clique):
                clique.append(int(u))
        values = rng.normal(0, 2, [cards[u] for u in clique])
        if zeros and values.size > 1:
            values.flat[rng.integers(values.size)] = -np.inf
        factors.append(Factor(tuple(clique), values))
    return MarkovNetwork(graph, tuple(tuple(range(c)) for c in cards), tuple(factors))


def parts(model):
    """The arguments the oracles take."""
    factors = [(f.variables, f.log_values.tolist()) for f in model.factors]
    return factors, [len(s) for s in model.states]


def possible(model, data):
    """A partial configuration that is not impossible."""
    factors, cards = parts(model)
    rows = [x for x in naive.configurations(cards) if naive.weight(factors, x) > 0]
    if not rows:
        return None
    row = rows[data.draw(st.integers(0, len(rows) - 1))]
    seen = [v for v in range(len(cards)) if data.draw(st.booleans())]
    return {v: row[v] for v in seen}


@given(models())
def test_partition_function_is_the_sum_over_all_configurations(model):
    factors, cards = parts(model)
    assert model.log_partition().value == pytest.approx(math.log(naive.partition(factors, cards)), **CLOSE)


@given(st.data())
def test_likelihoods_match_the_definition(data):
    model = data.draw(models())
    factors, cards = parts(model)
    rows = naive.configurations(cards)
    logs = model.log_likelihood(np.array(rows))
    pseudo = model.pseudo_log_likelihood(np.array(rows))
    for row, log, value in zip(rows, logs, pseudo, strict=True):
        whole = dict(enumerate(row))
        assert log == pytest.approx(math.log(naive.probability(factors, cards, whole)), **CLOSE)
        assert value == pytest.approx(naive.pseudo_log_likelihood(factors, cards, list(row)), **CLOSE)


@given(st.data())
def test_posteriors_match_the_definition(data):
    model = data.draw(models(zeros=data.draw(st.booleans())))
    factors, cards = parts(model)
    seen = possible(model, data)
    if seen is None:
        return
    free = [v for v in range(len(cards)) if v not in seen]
    if not free:
        return
    of = data.draw(st.lists(st.sampled_from(free), unique=True, min_size=1))
    found = model.posterior(of, seen).probabilities
    for states, p in naive.marginal(factors, cards, of, seen).items():
        assert found[states] == pytest.approx(p, **CLOSE)


@given(st.data())
def test_rows_with_gaps_have_the_probability_of_what_they_say(data):
    model = data.draw(models())
    factors, cards = parts(model)
    seen = possible(model, data)
    row = [seen.get(v) for v in range(len(cards))]
    log = model.log_likelihood([row])[0]
    assert log == pytest.approx(math.log(naive.probability(factors, cards, seen)), **CLOSE)


@given(st.data())
def test_predictions_are_posteriors_given_the_rest_of_the_row(data):
    model = data.draw(models())
    factors, cards = parts(model)
    column = data.draw(st.integers(0, len(cards) - 1))
    rows = [possible(model, data) for _ in range(3)]
    table = [[seen.get(v) for v in range(len(cards))] for seen in rows]
    found = model.predict_proba(table, column)
    labels = model.predict(table, column)
    for seen, line, label in zip(rows, found, labels, strict=True):
        others = {v: a for v, a in seen.items() if v != column}
        expected = naive.marginal(factors, cards, [column], others)
        assert line.tolist() == pytest.approx([expected[a,] for a in range(cards[column])], **CLOSE)
        assert expected[label,] == pytest.approx(max(expected.values()), **CLOSE)


@given(st.data())
def test_closed_form_has_the_smoothed_margins_of_all_cliques(data):
    table = data.draw(tables(max_variables=4))
    n = table.n_variables
    parents = [data.draw(st.integers(0, v - 1)) for v in range(1, n)]
    graph = MarkovGraph.from_edges(n, [(v + 1, p) for v, p in enumerate(parents) if data.draw(st.booleans())])
    strength = data.draw(st.sampled_from([0, 0.5, 3]))
    model = MarkovNetwork.fit(table, graph, prior_strength=strength)
    assert model.report.method == "closed-form" and model.report.converged
    assert model.log_partition().value == pytest.approx(0, abs=1e-12)
    rows, cards, weights = plain(table)
    for scope in [(v,) for v in range(n)] + list(graph.edges):
        wanted = naive.smoothed_margin(rows, weights, cards, scope, strength)
        found = model.posterior(scope).probabilities
        for states, p in wanted.items():
            assert found[states] == pytest.approx(p, **CLOSE)


@given(st.data())
def test_maximum_likelihood_has_the_smoothed_margins_of_all_potentials(data):
    table = data.draw(tables(min_variables=3, max_variables=5, max_states=3))
    graph = data.draw(graphs(table.n_variables))
    potentials = data.draw(st.sampled_from(["cliques", "pairwise"]))
    model = MarkovNetwork.fit(
        table, graph, prior_strength=1.5, potentials=potentials, method="proportional-fitting"
    )
    assert model.report.converged
    rows, cards, weights = plain(table)
    for factor in model.factors:
        wanted = naive.smoothed_margin(rows, weights, cards, factor.variables, 1.5)
        found = model.posterior(factor.variables).probabilities
        for states, p in wanted.items():
            assert found[states] == pytest.approx(p, abs=1e-8)


@given(st.data())
def test_proportional_fitting_finds_the_closed_form(data):
    table = data.draw(tables(max_variables=4))
    order = range(table.n_variables)
    graph = MarkovGraph.from_edges(table.n_variables, [(v, u) for v in order for u in order[:v] if v - u < 3])
    strength = data.draw(st.sampled_from([0, 1]))
    closed = MarkovNetwork.fit(table, graph, prior_strength=strength, method="closed-form")
    fitted = MarkovNetwork.fit(table, graph, prior_strength=strength, method="proportional-fitting")
    rows = np.array(naive.configurations(table.cardinalities.tolist()))
    assert np.exp(fitted.log_likelihood(rows)) == pytest.approx(np.exp(closed.log_likelihood(rows)), abs=1e-8)


def test_maximum_likelihood_is_a_maximum():
    rng = np.random.default_rng(3)
    table = EncodedTable.from_codes(rng.integers(0, 2, (40, 4)))
    square = MarkovGraph.from_edges(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    model = MarkovNetwork.fit(table, square, prior_strength=2)
    rows, cards, weights = plain(table)
    factors, _ = parts(model)
    best = naive.likelihood(factors, cards, rows, weights, 2)
    for k, (variables, logs) in enumerate(factors):
        for _ in range(5):
            moved = (np.array(logs) + rng.normal(0, 0.05, (2, 2))).tolist()
            other = [*factors[:k], (variables, moved), *factors[k + 1 :]]
            assert naive.likelihood(other, cards, rows, weights, 2) < best


@given(st.data())
def test_repeating_rows_is_weighting_them_and_their_order_does_not_matter(data):
    table = data.draw(tables(weighted=True, max_rows=15))
    graph = data.draw(graphs(table.n_variables))
    method = data.draw(st.sampled_from(["auto", "pseudo-likelihood"]))
    repeated = np.repeat(table.codes, table.weights, axis=0)
    shuffled = repeated[np.random.default_rng(0).permutation(len(repeated))]
    plain_table = EncodedTable.from_codes(shuffled, table.cardinalities.tolist())
    one = MarkovNetwork.fit(table, graph, method=method)
    other = MarkovNetwork.fit(plain_table, graph, method=method)
    rows = naive.configurations(table.cardinalities.tolist())
    assert one.log_likelihood(rows) == pytest.approx(other.log_likelihood(rows), abs=1e-5)


@given(models(), st.floats(-50, 50))
def test_scaling_a_factor_changes_nothing(model, shift):
    first, *rest = model.factors
    moved = Factor(first.variables, first.log_values + shift)
    other = MarkovNetwork(model.graph, model.states, (moved, *rest))
    rows = naive.configurations([len(s) for s in model.states])
    assert other.log_likelihood(rows) == pytest.approx(model.log_likelihood(rows), **CLOSE)
    assert other.pseudo_log_likelihood(rows) == pytest.approx(model.pseudo_log_likelihood(rows), **CLOSE)


def test_parameters_are_recovered_as_rows_grow():
    network = ibmap.simulate.random_network(8, 3, random_state=4, fields=0.5)
    errors = {}
    for n_samples in (500, 50_000):
        rows = network.sample(n_samples, random_state=5)
        for method in ("proportional-fitting", "pseudo-likelihood"):
            model = MarkovNetwork.fit(rows, network.graph, potentials="pairwise", method=method)
            truth = np.log(network.probabilities())
            every = np.array(naive.configurations([2] * 8))
            off = model.log_likelihood(every) - truth.ravel()
            errors[n_samples, method] = float(np.abs(off).max())
    for method in ("proportional-fitting", "pseudo-likelihood"):
        assert errors[50_000, method] < 0.25 * errors[500, method]
        assert errors[50_000, method] < 0.3


def test_choice_of_potentials_and_method_is_reported():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (300, 12))
    chain = MarkovGraph.from_edges(12, [(k, k + 1) for k in range(11)])
    assert MarkovNetwork.fit(rows, chain).report.method == "closed-form"
    ring = chain.flip(0, 11)
    assert MarkovNetwork.fit(rows, ring).report.method == "proportional-fitting"
    full = MarkovGraph(~np.eye(12, dtype=bool))
    assert MarkovNetwork.fit(rows, full).report.potentials == "pairwise"
    with pytest.raises(TooLargeError, match=r"12 variables .* 4096 cells.*potentials='pairwise'"):
        MarkovNetwork.fit(rows, full, potentials="cliques")
    with pytest.raises(InvalidOptionError, match="decomposable"):
        MarkovNetwork.fit(rows, ring, method="closed-form")


def test_dense_networks_are_fitted_by_pseudo_likelihood():
    rows = np.random.default_rng(0).integers(0, 2, (200, 24))
    full = MarkovGraph(~np.eye(24, dtype=bool))
    model = MarkovNetwork.fit(rows, full)
    assert model.report.method == "pseudo-likelihood" and model.report.converged
    with pytest.raises(TooLargeError, match="too dense"):
        MarkovNetwork.fit(rows, full, method="proportional-fitting")


def test_questions_that_make_no_sense_are_refused():
    rows = [["sun", "play"], ["rain", "stay"]] * 5
    model = MarkovNetwork.fit(rows, [[0, 1], [1, 0]], prior_strength=0)
    with pytest.raises(UnknownVariableError, match="no variable 'wind'"):
        model.marginals("wind")
    with pytest.raises(ValueError, match=r"'snow'.*no state of the network; its states are 'rain', 'sun'"):
        model.marginals("x1", given={"x0": "snow"})
    with pytest.raises(InvalidOptionError, match="both asked about and given"):
        model.marginals("x1", given={"x1": "play"})
    with pytest.raises(InvalidOptionError, match="different variables"):
        model.marginals(["x1", "x1"])
    unlikely = MarkovNetwork.fit(
        [["a", "b", 0], ["c", "d", 1]], np.ones((3, 3)) - np.eye(3), prior_strength=0
    )
    with pytest.raises(ImpossibleEvidenceError, match="x0='a', x1='d' has probability zero"):
        unlikely.marginals("x2", given={"x0": "a", "x1": "d"})
    with pytest.raises(ImpossibleEvidenceError, match="row 1"):
        unlikely.predict_proba([["a", "b", 0], ["a", "d", 0]], "x2")
    assert unlikely.log_likelihood([["a", "d", 0]])[0] == -math.inf


@pytest.mark.parametrize("strength", [-1, math.inf, math.nan, True, "much"])
def test_impossible_prior_strengths_are_refused(strength):
    with pytest.raises(InvalidOptionError, match="prior_strength"):
        MarkovNetwork.fit([[0, 1], [1, 0]], [[0, 1], [1, 0]], prior_strength=strength)

"""The estimation of parameters: pseudo-likelihood, priors, held-out rows, learners."""

import copy
import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ibmap
from effort import scaled
from ibmap.data.table import EncodedTable
from ibmap.errors import FittingWarning, InvalidOptionError, InvalidTableError
from ibmap.graph import MarkovGraph
from ibmap.model import MarkovNetwork, fitting
from ibmap.model.cliques import clique_scopes, pairwise_scopes
from ibmap.model.layout import Layout
from ibmap.model.plausibility import drift
from ibmap.model.pseudo_likelihood import BinaryPseudoLikelihood, PseudoLikelihood, centred, subsets
from ibmap.model.validation import STRENGTHS, split
from oracles import naive_model as naive
from strategies import binary_tables, graphs, tables

PAIR = [[0, 1], [1, 0]]


@given(st.data())
def test_gradient_of_the_pseudo_likelihood_matches_finite_differences(data):
    table = data.draw(tables(max_variables=4, max_states=3))
    graph = data.draw(graphs(table.n_variables))
    layout = Layout.of(
        table.cardinalities.tolist(), subsets(clique_scopes(graph, table.cardinalities.tolist()))
    )
    objective = PseudoLikelihood(table, layout, data.draw(st.sampled_from([0.0, 2.0])))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    here = centred(layout, rng.normal(0, 1, layout.n_cells))
    direction = centred(layout, rng.normal(0, 1, layout.n_cells))
    step = 1e-6
    rise = objective(here + step * direction)[0] - objective(here - step * direction)[0]
    assert objective(here)[1] @ direction == pytest.approx(rise / (2 * step), abs=1e-6)


@given(st.data())
def test_objective_is_the_mean_pseudo_likelihood(data):
    table = data.draw(tables(max_variables=4, max_states=3))
    graph = data.draw(graphs(table.n_variables))
    shape = table.cardinalities.tolist()
    layout = Layout.of(shape, subsets(clique_scopes(graph, shape)))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    values = rng.normal(0, 1, layout.n_cells)
    factors = [(f.variables, f.log_values.tolist()) for f in layout.factors(values)]
    rows = zip(table.codes.tolist(), table.weights.tolist(), strict=True)
    total = sum(w * naive.pseudo_log_likelihood(factors, shape, row) for row, w in rows)
    assert -PseudoLikelihood(table, layout, 0.0)(values)[0] == pytest.approx(
        total / table.n_samples, rel=1e-9
    )


@given(st.data())
def test_the_fast_objective_of_binary_networks_is_the_general_one(data):
    table = data.draw(binary_tables(max_variables=6, max_rows=60))
    table = EncodedTable.from_codes(table.codes, [2] * table.n_variables, weights=table.weights)
    graph = data.draw(graphs(table.n_variables))
    layout = Layout.of([2] * table.n_variables, subsets(pairwise_scopes(graph)))
    strength = data.draw(st.sampled_from([0.0, 2.0]))
    values = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1))).normal(0, 2, layout.n_cells)
    slow, fast = (
        kind(table, layout, strength)(values) for kind in (PseudoLikelihood, BinaryPseudoLikelihood)
    )
    assert fast[0] == pytest.approx(slow[0], rel=1e-12)
    assert fast[1] == pytest.approx(slow[1], abs=1e-12)


@given(st.data())
def test_coordinates_of_binary_networks_have_the_gradient_of_the_objective(data):
    table = data.draw(binary_tables(max_variables=5, max_rows=60))
    table = EncodedTable.from_codes(table.codes, [2] * table.n_variables, weights=table.weights)
    graph = data.draw(graphs(table.n_variables))
    layout = Layout.of([2] * table.n_variables, subsets(pairwise_scopes(graph)))
    objective = BinaryPseudoLikelihood(table, layout, 1.0)
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    here, direction = (rng.normal(0, 0.3, len(objective.start())) for _ in range(2))
    assert objective.spread(here) == pytest.approx(centred(layout, objective.spread(here)))
    ahead, behind = (objective(objective.spread(here + step * direction))[0] for step in (1e-6, -1e-6))
    slope = objective.gather(objective(objective.spread(here))[1]) @ direction
    assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-5, abs=1e-6)


def test_penalty_is_what_the_prior_adds_for_small_potentials():
    shape = [2, 3, 2]
    layout = Layout.of(shape, subsets([(0, 1, 2)]))
    small = centred(layout, np.random.default_rng(1).normal(0, 1e-3, layout.n_cells))
    table = EncodedTable.from_codes([[0, 0, 0]], shape)
    factors = [(f.variables, f.log_values.tolist()) for f in layout.factors(small)]
    zero = [(scope, np.zeros([shape[v] for v in scope]).tolist()) for scope in layout.scopes]
    every = naive.configurations(shape)
    gain = np.mean([naive.pseudo_log_likelihood(factors, shape, list(x)) for x in every])
    gain -= np.mean([naive.pseudo_log_likelihood(zero, shape, list(x)) for x in every])
    strength = 7.0
    penalty = (
        PseudoLikelihood(table, layout, strength)(small)[0] - PseudoLikelihood(table, layout, 0)(small)[0]
    )
    assert penalty == pytest.approx(-strength * gain, rel=1e-2)


@pytest.mark.parametrize("method", ["pseudo-likelihood", "proportional-fitting"])
def test_any_number_of_threads_gives_the_same_bytes(method):
    network = ibmap.simulate.random_network(scaled(10, 5), 3, random_state=1)
    rows, graph = network.sample(scaled(500, 100), random_state=1), network.graph
    one, many = (MarkovNetwork.fit(rows, graph, method=method, n_threads=k) for k in (1, 5))
    for a, b in zip(one.factors, many.factors, strict=True):
        assert a.log_values.tobytes() == b.log_values.tobytes()


@given(st.data())
def test_relabelling_states_and_reordering_columns_change_nothing(data):
    table = data.draw(tables(max_variables=4, max_states=3, max_rows=20))
    graph = data.draw(graphs(table.n_variables))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    order = rng.permutation(table.n_variables)
    names = [rng.permutation(c) for c in table.cardinalities]
    every = np.array(naive.configurations(table.cardinalities.tolist()))

    def moved(codes):
        return np.stack([names[v][codes[:, v]] for v in order], axis=1)

    shape = table.cardinalities[order].tolist()
    other_table = EncodedTable.from_codes(moved(table.codes), shape, weights=table.weights)
    other_graph = MarkovGraph(graph.adjacency[np.ix_(order, order)])
    method = data.draw(st.sampled_from(["auto", "pseudo-likelihood"]))
    one = MarkovNetwork.fit(table, graph, method=method).log_likelihood(every)
    other = MarkovNetwork.fit(other_table, other_graph, method=method).log_likelihood(moved(every))
    assert other == pytest.approx(one, abs=1e-5)


def test_stronger_priors_draw_towards_the_uniform_distribution():
    rows = [[0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10
    graph = MarkovGraph.from_edges(3, [(0, 1), (1, 2)])
    for method in ("closed-form", "pseudo-likelihood"):
        spread = [
            np.ptp(
                MarkovNetwork.fit(rows, graph, prior_strength=s, method=method).log_likelihood(
                    naive.configurations([2, 2, 2])
                )
            )
            for s in (1, 100, 10_000, 1e9)
        ]
        assert spread == sorted(spread, reverse=True) and spread[-1] < 1e-5


@pytest.mark.parametrize(
    ("method", "name", "limit"),
    [
        ("proportional-fitting", "fit_margins", {"max_sweeps": 1}),
        ("pseudo-likelihood", "fit_pseudo_likelihood", {"max_steps": 1}),
    ],
)
def test_a_run_cut_short_is_reported(monkeypatch, method, name, limit):
    rows = np.random.default_rng(0).integers(0, 2, (50, 4))
    ring = MarkovGraph.from_edges(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    monkeypatch.setattr(fitting, name, partial(getattr(fitting, name), **limit))
    with pytest.warns(FittingWarning, match=r"stopped after 1 iterations before .* prior_strength"):
        model = MarkovNetwork.fit(rows, ring, method=method)
    assert not model.report.converged and model.report.n_iterations == 1


@pytest.mark.compiled_only("other fits by pseudo-likelihood call the same kernels")
def test_a_mode_far_from_all_rows_is_reported():
    rng = np.random.default_rng(0)
    active = rng.random(8000) < 0.1  # in a tenth of the rows ones are less rare
    rows = (rng.random((8000, 20)) < np.where(active[:, np.newaxis], 0.2, 0.005)).astype(int)
    graph = MarkovGraph(~np.eye(20, dtype=bool))
    with pytest.warns(FittingWarning, match="nothing like the table"):
        model = MarkovNetwork.fit(rows, graph, potentials="pairwise", method="pseudo-likelihood")
    assert drift(model.potentials, EncodedTable.from_codes(rows)) > 0.5
    alone = MarkovNetwork.fit(rows, MarkovGraph.empty(20), method="pseudo-likelihood")
    assert drift(alone.potentials, EncodedTable.from_codes(rows)) < 0.1


def test_validation_chooses_the_strength_that_held_out_rows_like_best():
    network = ibmap.simulate.random_network(12, 4, random_state=2)
    rows, aside = (network.sample(n, random_state=n) for n in (60, 4000))
    model = MarkovNetwork.fit(rows, network.graph, prior_strength="validate", held_out=aside)
    tried = dict(model.report.validated)
    assert model.report.prior_strength == max(tried, key=tried.get)
    assert 1 <= model.report.prior_strength < 1000
    means = {
        s: MarkovNetwork.fit(rows, network.graph, prior_strength=s).log_likelihood(aside).mean()
        for s in tried
    }
    assert tried == pytest.approx(means)
    inside = MarkovNetwork.fit(rows, network.graph, prior_strength="validate")
    assert inside.report.prior_strength in STRENGTHS and inside.report.n_samples == 60
    again = MarkovNetwork.fit(rows[::-1], network.graph, prior_strength="validate")
    assert dict(again.report.validated) == pytest.approx(dict(inside.report.validated))


@given(tables(max_rows=30), st.floats(0.05, 0.5))
def test_a_split_loses_no_data_point(table, share):
    if table.n_samples < 3:
        return
    rest, aside = split(table, share)
    assert rest.n_samples + aside.n_samples == table.n_samples
    joined = np.concatenate([np.repeat(t.codes, t.weights, axis=0) for t in (rest, aside)])
    whole = np.repeat(table.codes, table.weights, axis=0)
    assert sorted(map(tuple, joined.tolist())) == sorted(map(tuple, whole.tolist()))


def test_too_few_rows_to_hold_out_and_odd_shares_are_refused():
    with pytest.raises(InvalidOptionError, match="too few"):
        MarkovNetwork.fit([[0, 1]], PAIR, prior_strength="validate")
    with pytest.raises(InvalidOptionError, match="held_out"):
        MarkovNetwork.fit([[0, 1], [1, 0]], PAIR, prior_strength="validate", held_out=1.5)


def test_a_learner_goes_on_to_a_model():
    rows = [["sun", "play", "a"], ["rain", "stay", "a"], ["sun", "play", "b"], ["rain", "stay", "b"]] * 10
    learner = ibmap.IBMAPHC().fit(rows)
    model = learner.fit_parameters(prior_strength=0.5)
    assert model.graph == learner.result_.graph and model.report.prior_strength == 0.5
    direct = ibmap.MarkovNetwork.fit(rows, learner.graph_, prior_strength=0.5)
    assert model.log_likelihood(rows).tolist() == direct.log_likelihood(rows).tolist()
    assert ibmap.GSMN().fit(rows).fit_parameters().log_likelihood(rows).shape == (40,)
    learner.score(rows[:20])
    assert (
        learner.fit_parameters(prior_strength=0.5).log_likelihood(rows).tolist()
        == direct.log_likelihood(rows).tolist()
    )


def test_a_copied_learner_asks_for_its_rows():
    rows = [[0, 0], [1, 1]] * 10
    learner = ibmap.GSMN().fit(rows)
    for other in (pickle.loads(pickle.dumps(learner)), copy.deepcopy(learner)):
        with pytest.raises(InvalidTableError, match="does not have its rows"):
            other.fit_parameters()
        assert other.fit_parameters(rows).report.n_samples == 20


def test_structures_are_taken_in_any_form():
    import networkx as nx

    rows = [[0, 0], [1, 1], [1, 0]] * 10
    result = ibmap.GSMN().fit(rows).result_
    for graph in (nx.Graph([("x0", "x1")]), MarkovGraph(PAIR), PAIR, result):
        assert MarkovNetwork.fit(rows, graph).names == ("x0", "x1")

"""Scores of the family beside their definitions, over all graphs of few variables."""

import math
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidOptionError
from ibmap.graph import MarkovGraph
from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.pairwise import PairwiseTest
from ibmap.independence.protocol import Triplet
from ibmap.independence.separation import SeparationTest
from ibmap.score import flip_gains, total_score
from ibmap.score.graph_score import JointScore
from ibmap.score.likelihood import MarginalScore, PenalisedScore
from ibmap.search.graph_climb import graph_climb
from ibmap.search.hill_climbing import hill_climb
from ibmap.simulate import random_network
from oracles import naive_family as naive
from strategies import edge_set, graphs, plain, tables

MARGINAL = [("bdeu", 1.0), ("bdeu", 7.5), ("jeffreys", 1.0), ("laplace", 1.0)]
ALL_4, ALL_5 = naive.all_graphs(4), naive.all_graphs(5)


def both_of(test):
    known = {}

    def both(x, y, given):
        key = Triplet(x, y, given).canonical()
        if key not in known:
            known[key] = tuple(test.log_posteriors(key))
        return known[key]

    return both


def as_markov(edges, n, names=None):
    return MarkovGraph.from_edges(n, [tuple(edge) for edge in edges], names)


def sampled(n, n_rows, seed, n_states=2):
    network = random_network(n, 2, random_state=seed, cardinalities=n_states, log_odds=2.0)
    rows = network.sample(n_rows, random_state=seed + 1)
    return EncodedTable.from_codes(rows, [n_states] * n)


@given(st.data())
def test_marginal_pseudo_likelihood_matches_its_definition(data):
    table = data.draw(tables())
    parameters, size = data.draw(st.sampled_from(MARGINAL))
    graph = data.draw(graphs(table.n_variables))
    score = MarginalScore(table, parameters, size)
    for x in range(table.n_variables):
        rows, cards, weights = plain(table)
        expected = naive.marginal_term(rows, cards, weights, x, graph.blanket(x), parameters, size)
        assert score.term(x, graph.blanket(x)) == pytest.approx(expected, abs=1e-8)


@given(st.data())
def test_the_pseudo_likelihood_criterion_matches_its_definition(data):
    table = data.draw(tables())
    factor = data.draw(st.sampled_from([0.0, 0.5, 1.0]))
    graph = data.draw(graphs(table.n_variables))
    score = PenalisedScore(table, factor)
    for x in range(table.n_variables):
        rows, cards, weights = plain(table)
        expected = naive.penalised_term(rows, cards, weights, x, graph.blanket(x), factor)
        assert score.term(x, graph.blanket(x)) == pytest.approx(expected, abs=1e-8)


@given(st.data())
def test_likelihood_scores_are_local_scores(data):
    table = data.draw(tables())
    graph = data.draw(graphs(table.n_variables))
    for score in (MarginalScore(table), PenalisedScore(table)):
        gains = flip_gains(score, graph)
        before = total_score(score, graph)
        for x in range(table.n_variables):
            changes, (upper, is_exact) = score.changes(x, graph.blanket(x)), score.bounds(x, graph.blanket(x))
            assert changes[x] == score.term(x, graph.blanket(x), -1.0)
            assert is_exact.all() and (upper == changes).all()
            for y in range(x):
                after = total_score(score, graph.flip(x, y))
                assert gains[x, y] == pytest.approx(after - before, abs=1e-7)


def test_states_are_counted_whether_seen_or_not():
    unseen = EncodedTable.from_codes([[0, 0], [1, 1]], [2, 5])
    seen = EncodedTable.from_codes([[0, 0], [1, 1]], [2, 2])
    assert MarginalScore(unseen).term(0, (1,)) != MarginalScore(seen).term(0, (1,))
    assert PenalisedScore(unseen).term(0, (1,)) < PenalisedScore(seen).term(0, (1,))


def test_a_blanket_of_very_many_states_has_a_finite_score():
    rows = np.random.default_rng(0).integers(0, 200, (50, 200))
    table = EncodedTable.from_codes(rows, [200] * 200)
    blanket = tuple(range(1, 200))
    assert math.isfinite(MarginalScore(table).term(0, blanket))
    assert PenalisedScore(table).term(0, blanket) < -1e200


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("n", "every"), [(4, ALL_4), (5, ALL_5)])
def test_no_graph_of_few_variables_beats_the_best_that_brute_force_finds(n, every, seed):
    table = sampled(n, 300, seed, n_states=3 if n == 4 else 2)
    rows, cards, weights = plain(table)
    terms = {
        MarginalScore: lambda x, blanket: naive.marginal_term(rows, cards, weights, x, blanket),
        PenalisedScore: lambda x, blanket: naive.penalised_term(rows, cards, weights, x, blanket),
    }
    for make, term in terms.items():
        kept = cache(term)
        score = make(table)
        totals = [naive.local_total(kept, edges, n) for edges in every]
        ours = [total_score(score, as_markov(edges, n)) for edges in every]
        assert ours == pytest.approx(totals, abs=1e-7)
        found = hill_climb(score, MarkovGraph.empty(n))
        edges, best, trace = naive.climb(partial(naive.local_total, kept, n=n), n, set())
        assert edge_set(found.graph) == edges
        assert [(flip.x, flip.y) for flip in found.trace] == trace
        assert found.score == pytest.approx(best) and best <= max(totals) + 1e-9


@pytest.mark.parametrize("ties", ["column", "mean"])
@pytest.mark.parametrize("make", [BayesianTest, PairwiseTest])
def test_bjp_matches_its_definition_for_every_graph_of_four_variables(ties, make):
    test = make(sampled(4, 150, 3))
    score, both = JointScore(test, ties), both_of(test)
    for edges in ALL_4:
        assert score.total(as_markov(edges, 4)) == pytest.approx(naive.joint_posterior(both, edges, 4, ties))


def test_bjp_matches_its_definition_for_every_graph_of_five_variables():
    test = BayesianTest(sampled(5, 200, 4))
    score, both = JointScore(test), both_of(test)
    totals = [naive.joint_posterior(both, edges, 5) for edges in ALL_5]
    assert [score.total(as_markov(edges, 5)) for edges in ALL_5] == pytest.approx(totals)
    found = graph_climb(score, MarkovGraph.empty(5))
    edges, best, trace = naive.climb(lambda graph: naive.joint_posterior(both, graph, 5), 5, set())
    assert edge_set(found.graph) == edges
    assert [(flip.x, flip.y) for flip in found.trace] == trace
    assert found.score == pytest.approx(best) and best <= max(totals) + 1e-9
    assert found.n_iterations == len(trace) + 1 and found.stopped == "optimum"


@given(st.data())
def test_gains_of_bjp_are_differences_of_totals(data):
    table = data.draw(tables())
    ties = data.draw(st.sampled_from(["column", "mean"]))
    graph = data.draw(graphs(table.n_variables))
    score = JointScore(BayesianTest(table), ties)
    gains, before = score.gains(graph), score.total(graph)
    for x in range(table.n_variables):
        assert gains[x, x] == -math.inf
        for y in range(x):
            assert (
                gains[x, y] == gains[y, x] == pytest.approx(score.total(graph.flip(x, y)) - before, abs=1e-8)
            )


@given(st.data())
def test_the_true_structure_has_a_joint_posterior_of_one_if_tests_are_right(data):
    graph = data.draw(graphs(data.draw(st.integers(2, 6))))
    assert JointScore(SeparationTest(graph)).total(graph) == 0.0


def test_bjp_counts_distinct_tests():
    score = JointScore(BayesianTest(sampled(4, 50, 0)))
    score.total(MarkovGraph.empty(4))
    assert score.n_tests == 6
    score.total(MarkovGraph.from_edges(4, [(0, 1)]))
    assert score.n_tests == 6 + 4  # 0 and 1 against 2 and 3, given each other


def test_wrong_options_are_refused():
    table = sampled(3, 20, 0)
    for make in (
        lambda: MarginalScore(table, "ones"),
        lambda: MarginalScore(table, equivalent_sample_size=0.0),
        lambda: PenalisedScore(table, -1.0),
        lambda: JointScore(BayesianTest(table), "lowest"),
    ):
        with pytest.raises(InvalidOptionError):
            make()

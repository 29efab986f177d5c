"""PFMN beside the posterior over all structures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibmap.errors import StopSearch
from ibmap.graph import MarkovGraph
from ibmap.graph.knowledge import Knowledge
from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.protocol import Triplet
from ibmap.independence.separation import SeparationTest
from ibmap.search.limits import Limits
from ibmap.search.particles import Filtering, Population, Tests, cost_of, particle_filter
from oracles import naive_particles as naive
from score.test_family_scores import sampled
from strategies import edge_set, graphs, queries, tables

pytestmark = pytest.mark.compiled_only("thousands of structures say nothing new about kernels")


def unknown(n):
    return Knowledge(tuple(f"x{k}" for k in range(n)))


def made(test, triplets):
    """Tests as the package and as the oracle have them."""
    ours, theirs = Tests(test.n_variables), []
    for x, y, given_set in triplets:
        triplet = Triplet(x, y, given_set).canonical()
        if triplet not in ours.known:
            logs = test.log_posteriors(triplet)
            ours.add(triplet, *logs)
            theirs.append((*triplet, *logs))
    return ours, theirs


def members(population, n):
    return [edge_set(MarkovGraph(each)) for each in population.adjacency]


@settings(max_examples=30)
@given(st.data())
def test_structures_are_weighed_and_candidates_told_apart_as_the_definition_says(data):
    table = data.draw(tables(min_variables=2, max_variables=5))
    prior = data.draw(st.sampled_from(["structures", "counts"]))
    n, test = table.n_variables, BayesianTest(table)
    triplets = [data.draw(queries(table)) for _ in range(data.draw(st.integers(1, 20)))]
    tests, theirs = made(test, triplets)
    population = Population(unknown(n), Filtering(n_particles=12, prior=prior), np.random.default_rng(1))
    graphs_of = members(population, n)
    ours = population._log_posteriors(tests)
    assert ours == pytest.approx([naive.log_posterior(edges, n, theirs, prior) for edges in graphs_of])
    weights = population.weights
    expected = [naive.entropy(graphs_of, weights, n, triplet) for triplet in tests.triplets]
    assert population.information(tests) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("prior", ["structures", "counts"])
def test_moves_leave_the_posterior_over_all_structures_as_it_is(prior):
    table = sampled(4, 40, 2)
    test = BayesianTest(table)
    tests, theirs = made(
        test, [(0, 1, ()), (0, 1, (2,)), (1, 2, ()), (0, 3, (1, 2)), (2, 3, ()), (1, 3, (0,))]
    )
    population = Population(unknown(4), Filtering(4000, n_moves=60, prior=prior), np.random.default_rng(0))
    population._move(tests)
    expected = naive.edge_probabilities(4, theirs, prior)
    shares = population.adjacency.mean(axis=0)
    for edge, probability in expected.items():
        assert shares[tuple(edge)] == pytest.approx(probability, abs=0.03)
    assert max(expected.values()) - min(expected.values()) > 0.15  # there is something to find


def test_a_population_drawn_anew_has_the_weights_as_shares():
    population = Population(unknown(3), Filtering(1000), np.random.default_rng(0))
    population._log_weights = np.where(population.adjacency[:, 0, 1], np.log(3.0), 0.0)
    share = population.weights[population.adjacency[:, 0, 1]].sum()
    population._draw_anew(population.weights)
    assert population.adjacency[:, 0, 1].mean() == pytest.approx(share, abs=0.02)


@settings(max_examples=20)
@given(graphs(5), st.integers(0, 1000), st.sampled_from(["parts", "blankets"]))
def test_right_tests_lead_to_a_structure_that_agrees_with_all_of_them(truth, seed, pool):
    found = particle_filter(SeparationTest(truth), np.random.default_rng(seed), Filtering(pool=pool))
    wrong = [each for each in found.tests if found.graph.separated(*each) != truth.separated(*each)]
    assert not wrong and found.log_posterior == 0.0
    assert len(set(found.tests)) == len(found.tests)


def test_right_tests_lead_to_the_true_structure():
    truth = MarkovGraph.from_edges(6, [(0, 1), (1, 2), (3, 4)])
    how = Filtering(200, patience=20)
    found = [particle_filter(SeparationTest(truth), np.random.default_rng(seed), how) for seed in range(5)]
    assert sum(each.graph == truth for each in found) >= 4


def test_it_is_the_same_for_the_same_seed_and_counts_what_it_asks():
    test = BayesianTest(sampled(6, 300, 0))
    first, again = (
        particle_filter(BayesianTest(sampled(6, 300, 0)), np.random.default_rng(3)) for _ in (0, 1)
    )
    assert (first.graph.edges, first.tests, first.log_posterior) == (
        again.graph.edges,
        again.tests,
        again.log_posterior,
    )
    found = particle_filter(test, np.random.default_rng(3))
    assert test.n_tests == len(found.tests)
    assert found.cost == cost_of(test.asked) == sum(2 + len(each.given) for each in found.tests)


def test_cheaper_tests_are_chosen_if_cost_counts():
    costs = {}
    for choice in ("information", "information-by-cost"):
        how = Filtering(max_tests=30, choice=choice)
        found = particle_filter(BayesianTest(sampled(8, 500, 1)), np.random.default_rng(0), how)
        costs[choice] = found.cost / len(found.tests)
    assert costs["information-by-cost"] < costs["information"]


def test_limits_and_callbacks_end_it():
    test = BayesianTest(sampled(6, 300, 0))

    def impatient(progress):
        raise StopSearch

    assert particle_filter(test, np.random.default_rng(0), callback=impatient).stopped == "interrupted"
    assert (
        particle_filter(test, np.random.default_rng(0), limits=Limits(max_seconds=0.0)).stopped
        == "max_seconds"
    )
    cut = particle_filter(test, np.random.default_rng(0), Filtering(max_tests=3))
    assert (cut.stopped, len(cut.tests)) == ("max_tests", 3)


def test_over_64_variables_take_more_than_a_word():
    truth = MarkovGraph.from_edges(70, [(0, 69), (65, 66)])
    test = Tests(70)
    for triplet in ((0, 69, ()), (65, 66, (1,)), (1, 68, ())):
        test.add(Triplet(*triplet))
    population = Population(unknown(70), Filtering(3), np.random.default_rng(0))
    expected = [[MarkovGraph(each).separated(*t) for t in test.triplets] for each in population.adjacency]
    assert test.said(population._words).tolist() == expected
    population._flip(np.ones(3, bool), np.full(3, 68))  # the pair (0, 69)
    assert truth.has_edge(0, 69)
    assert test.said(population._words)[:, 0].tolist() == [
        MarkovGraph(each).separated(0, 69) for each in population.adjacency
    ]
